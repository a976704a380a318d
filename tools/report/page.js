"use strict"; document.getElementById("text").textContent = document.getElementById("data").textContent;
