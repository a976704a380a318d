"use strict";
/* What the pages share: elements, pictures, tables that sort. All of the data becomes text, never markup. */

function element(name, properties, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties || {})) {
    if (key in made) made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

async function loadPicture(base64) {
  if (!base64) return null;
  const image = new Image();
  image.src = "data:image/png;base64," + base64;
  await image.decode();
  const canvas = element("canvas", { width: image.naturalWidth, height: image.naturalHeight });
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  return { canvas, data, width: canvas.width, height: canvas.height };
}

const byId = id => document.getElementById(id);
const plural = (n, word) => `${n.toLocaleString("en")} ${word}${n === 1 ? "" : "s"}`;
/* As a shell takes it. */
const quoted = text => /^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

function numberCell(name, text) {
  return element("td", { className: `number soft ${name}`, textContent: text, "data-name": name });
}

/* The heads of a table's columns - { id, name, value(item), cell(item), number, up } - by which it is sorted; numbers from the
 * largest, unless `up`. `state` has { column, down }; `choose` is given what of it changes. */
function columnHeads(columns, state, choose) {
  return columns.map(column => {
    const head = element("th", { scope: "col", className: column.number ? "number" : "" },
      element("button", { type: "button", textContent: column.name, onclick: () => choose({ column: column.id, down: state.column === column.id ? !state.down : Boolean(column.number && !column.up) }) }));
    if (state.column === column.id) head.ariaSort = state.down ? "descending" : "ascending";
    return head;
  });
}

/* Items have a `number`, which decides between equals and where no column is chosen. */
function inOrder(items, columns, state) {
  const column = columns.find(c => c.id === state.column);
  const value = column ? column.value : item => item.number;
  const order = (a, b) => typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a < b ? -1 : a > b ? 1 : 0;
  return items.sort((a, b) => (state.down ? -1 : 1) * order(value(a), value(b)) || a.number - b.number);
}
