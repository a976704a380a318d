"use strict";
/* Two pictures of one size, pixel beside pixel: side by side, with a slider, in turns. All panes show the same part; the wheel
 * zooms, dragging moves, and a marker stands at the worst pixel. */

const FLICKER_MS = 650;
const GRID_FROM = 10;    // CSS pixels a pixel has when they are parted by lines
const DOTS_MAX = 4000;   // as many differing pixels are shown however small the picture is
const ZOOM_MAX = 64;

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

/* What is the same is pale; what differs goes from amber to red. `dots`: where, unless there are too many. */
function difference(expected, got) {
  const { width, height } = got;
  const canvas = element("canvas", { width, height });
  const context = canvas.getContext("2d");
  const image = context.createImageData(width, height);
  const dots = [];
  for (let i = 0; i < width * height; i++) {
    let most = 0;
    for (let c = 0; c < 3; c++) most = Math.max(most, Math.abs(expected.data[4 * i + c] - got.data[4 * i + c]));
    const grey = (got.data[4 * i] * 3 + got.data[4 * i + 1] * 6 + got.data[4 * i + 2]) / 10;
    const heat = Math.sqrt(most / 255);
    const color = most ? [235 + 20 * heat, 150 * (1 - heat), 20] : Array(3).fill(128 + (grey - 128) * .22);
    image.data.set([...color, most ? 255 : 200], 4 * i);
    if (most && dots.length <= DOTS_MAX) dots.push(i);
  }
  context.putImageData(image, 0, 0);
  return { canvas, width, height, dots: dots.length > DOTS_MAX ? [] : dots };
}

class Viewer {
  constructor(test, expected, got) {
    this.test = test;
    this.expected = expected;
    this.got = got;
    this.comparable = expected && got && expected.width === got.width && expected.height === got.height;
    this.diff = this.comparable ? difference(expected, got) : null;
    this.worst = this.comparable && test.differing ? { x: test.x, y: test.y } : null;
    this.size = got || expected;
    this.zoom = 0; // 0: all of it
    this.center = { x: this.size.width / 2, y: this.size.height / 2 };
    this.split = .5;
    this.turn = 0;
    this.hovered = null;
    this.root = element("div", { className: "viewer" });
    this.build();
  }

  build() {
    this.modes = element("div", { className: "group", role: "group", ariaLabel: "View" });
    this.zooms = element("div", { className: "group", role: "group", ariaLabel: "Zoom" });
    this.panes = element("div", { className: "panes" });
    this.readout = element("div", { className: "readout" });
    const modes = this.comparable ? [["side", "Side by side"], ["slider", "Slider"], ["flicker", "Flicker"], ["difference", "Difference"]] : [["side", "Pictures"]];
    for (const [mode, name] of modes) this.modes.append(element("button", { type: "button", textContent: name, onclick: () => this.show(mode), value: mode }));
    const zooms = [["Fit", () => this.fit()], ["−", () => this.scale(.5)], ["+", () => this.scale(2)]];
    if (this.worst) zooms.push(["Worst pixel", () => this.goToWorst()]);
    for (const [name, onclick] of zooms) this.zooms.append(element("button", { type: "button", textContent: name, onclick }));
    this.root.append(element("div", { className: "bar" }, this.modes, this.zooms), this.panes, this.readout);
    this.show("side");
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.panes);
    this.describe(this.worst);
  }

  close() {
    clearInterval(this.timer);
    this.observer.disconnect();
  }

  show(mode) {
    clearInterval(this.timer);
    this.mode = mode;
    for (const button of this.modes.children) button.ariaPressed = String(button.value === mode);
    const panes = {
      side: [["Expected", this.expected], ["Got", this.got], ["Difference", this.diff]].filter(([, picture]) => picture),
      slider: [["Expected | Got", this.got]],
      flicker: [["Expected", this.expected]],
      difference: [["Difference", this.diff]],
    }[mode];
    this.views = panes.map(([name, picture]) => this.pane(name, picture));
    this.panes.replaceChildren(...this.views.map(view => view.figure));
    if (mode === "flicker") this.timer = setInterval(() => this.takeTurn(), FLICKER_MS);
    this.draw();
  }

  takeTurn() {
    this.turn = 1 - this.turn;
    const [view] = this.views;
    view.picture = this.turn ? this.got : this.expected;
    view.name.textContent = this.turn ? "Got" : "Expected";
    this.draw();
  }

  pane(name, picture) {
    const canvas = element("canvas", { role: "img", ariaLabel: name });
    const label = element("span", { textContent: name });
    const view = { picture, canvas, name: label, zoom: element("span") };
    view.figure = element("figure", {}, element("figcaption", {}, label, view.zoom), canvas);
    canvas.addEventListener("wheel", event => this.wheel(view, event), { passive: false });
    canvas.addEventListener("pointerdown", event => this.grab(view, event));
    canvas.addEventListener("pointermove", event => this.move(view, event));
    canvas.addEventListener("pointerup", () => this.release(view));
    canvas.addEventListener("pointercancel", () => this.release(view));
    canvas.addEventListener("pointerleave", () => { this.hovered = null; this.describe(this.worst); this.draw(); });
    return view;
  }

  /* ---- where ---- */

  scaleOf(view) {
    const fit = Math.min(view.canvas.clientWidth / this.size.width, view.canvas.clientHeight / this.size.height);
    return this.zoom || fit || 1;
  }

  toPicture(view, event) {
    const scale = this.scaleOf(view);
    const box = view.canvas.getBoundingClientRect();
    return { x: this.center.x + (event.clientX - box.left - box.width / 2) / scale, y: this.center.y + (event.clientY - box.top - box.height / 2) / scale };
  }

  toPane(view, point) {
    const scale = this.scaleOf(view);
    return { x: (point.x - this.center.x) * scale + view.canvas.clientWidth / 2, y: (point.y - this.center.y) * scale + view.canvas.clientHeight / 2 };
  }

  fit() {
    this.zoom = 0;
    this.center = { x: this.size.width / 2, y: this.size.height / 2 };
    this.draw();
  }

  scale(factor, around) {
    const view = this.views[0];
    const before = this.scaleOf(view);
    this.zoom = Math.min(ZOOM_MAX, Math.max(.1, before * factor));
    const by = this.zoom / before;
    if (around) this.center = { x: around.x + (this.center.x - around.x) / by, y: around.y + (this.center.y - around.y) / by };
    this.draw();
  }

  goToWorst() {
    this.zoom = 24;
    this.center = { x: this.worst.x + .5, y: this.worst.y + .5 };
    this.describe(this.worst);
    this.draw();
  }

  /* ---- hands ---- */

  wheel(view, event) {
    event.preventDefault();
    this.scale(event.deltaY < 0 ? 1.25 : .8, this.toPicture(view, event));
  }

  grab(view, event) {
    view.canvas.setPointerCapture(event.pointerId);
    view.canvas.classList.add("grab");
    const near = Math.abs(event.offsetX - this.split * view.canvas.clientWidth) < 24;
    view.grabbed = { split: this.mode === "slider" && near, x: event.clientX, y: event.clientY, center: { ...this.center } };
  }

  move(view, event) {
    const held = view.grabbed;
    if (held && held.split) {
      this.split = Math.min(1, Math.max(0, event.offsetX / view.canvas.clientWidth));
    } else if (held) {
      const scale = this.scaleOf(view);
      this.zoom = scale;
      this.center = { x: held.center.x - (event.clientX - held.x) / scale, y: held.center.y - (event.clientY - held.y) / scale };
    }
    const at = this.toPicture(view, event);
    const inside = at.x >= 0 && at.y >= 0 && at.x < this.size.width && at.y < this.size.height;
    this.hovered = inside ? { x: Math.floor(at.x), y: Math.floor(at.y) } : null;
    this.describe(this.hovered || this.worst);
    this.draw();
  }

  release(view) {
    view.grabbed = null;
    view.canvas.classList.remove("grab");
  }

  /* ---- what is said of a pixel ---- */

  describe(point) {
    this.readout.replaceChildren();
    if (!point) return;
    const at = point === this.worst ? "worst pixel" : "pixel";
    this.readout.append(element("span", { textContent: `${at} ${point.x}, ${point.y}` }));
    const colors = [["expected", this.expected], ["got", this.got]].map(([name, picture]) => {
      if (!picture || point.x >= picture.width || point.y >= picture.height) return null;
      const from = 4 * (point.y * picture.width + point.x);
      const rgb = [...picture.data.slice(from, from + 3)];
      const swatch = element("i");
      swatch.style.background = `rgb(${rgb})`;
      this.readout.append(element("span", {}, swatch, `${name} ${rgb.join(", ")}`));
      return rgb;
    });
    if (!colors[0] || !colors[1]) return;
    const most = Math.max(...colors[0].map((value, c) => Math.abs(value - colors[1][c])));
    this.readout.append(most ? element("b", { textContent: `differs by ${most}` }) : element("span", { textContent: "the same" }));
  }

  /* ---- drawing ---- */

  draw() {
    for (const view of this.views) this.drawPane(view);
  }

  drawPane(view) {
    const { canvas } = view;
    const width = canvas.clientWidth;
    if (!width) return;
    const ratio = window.devicePixelRatio || 1;
    const height = Math.round(Math.min(560, Math.max(160, width * this.size.height / this.size.width)));
    canvas.style.height = height + "px";
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.drawPicture(context, view, this.mode === "slider" ? this.expected : view.picture, 0, width);
    if (this.mode === "slider") this.drawSplit(context, view, width, height);
    const scale = this.scaleOf(view);
    if (scale >= GRID_FROM) this.drawGrid(context, view, scale, width, height);
    if (view.picture === this.diff && this.diff) this.drawDots(context, view, scale);
    if (this.worst) this.drawMark(context, view, scale);
    if (this.hovered && scale >= 4) this.drawFrame(context, view, this.hovered, scale);
    view.zoom.textContent = scale >= 1 ? `${Math.round(scale * 10) / 10}×` : `${Math.round(scale * 100)} %`;
  }

  drawPicture(context, view, picture, from, to) {
    const scale = this.scaleOf(view);
    const corner = this.toPane(view, { x: 0, y: 0 });
    context.save();
    context.beginPath();
    context.rect(from, 0, to - from, view.canvas.clientHeight);
    context.clip();
    context.imageSmoothingEnabled = scale < 1;
    context.imageSmoothingQuality = "high";
    context.drawImage(picture.canvas, corner.x, corner.y, picture.width * scale, picture.height * scale);
    context.restore();
  }

  drawSplit(context, view, width, height) {
    const x = Math.round(this.split * width);
    this.drawPicture(context, view, this.got, x, width);
    context.fillStyle = "#fff";
    context.shadowColor = "rgb(0 0 0 / .5)";
    context.shadowBlur = 4;
    context.fillRect(x - 1, 0, 2, height);
    context.beginPath();
    context.roundRect(x - 5, height / 2 - 16, 10, 32, 5);
    context.fill();
    context.shadowBlur = 0;
  }

  drawGrid(context, view, scale, width, height) {
    const corner = this.toPane(view, { x: 0, y: 0 });
    const end = this.toPane(view, { x: this.size.width, y: this.size.height });
    context.strokeStyle = "rgb(128 128 128 / .28)";
    context.lineWidth = 1;
    context.beginPath();
    for (let x = corner.x + Math.max(0, Math.ceil(-corner.x / scale)) * scale; x <= Math.min(width, end.x) + .5; x += scale) {
      context.moveTo(Math.round(x) + .5, Math.max(0, corner.y));
      context.lineTo(Math.round(x) + .5, Math.min(height, end.y));
    }
    for (let y = corner.y + Math.max(0, Math.ceil(-corner.y / scale)) * scale; y <= Math.min(height, end.y) + .5; y += scale) {
      context.moveTo(Math.max(0, corner.x), Math.round(y) + .5);
      context.lineTo(Math.min(width, end.x), Math.round(y) + .5);
    }
    context.stroke();
  }

  drawDots(context, view, scale) {
    if (scale >= 2) return;
    context.fillStyle = "#e4572e";
    for (const i of this.diff.dots) {
      const at = this.toPane(view, { x: i % this.size.width + .5, y: Math.floor(i / this.size.width) + .5 });
      context.fillRect(at.x - 1.25, at.y - 1.25, 2.5, 2.5);
    }
  }

  /* A ring that is seen on light and on dark, however small the pixel is. */
  drawMark(context, view, scale) {
    const at = this.toPane(view, { x: this.worst.x + .5, y: this.worst.y + .5 });
    const radius = Math.max(9, scale * .85);
    for (const [color, wide] of [["rgb(0 0 0 / .55)", 3.5], ["#fff", 1.75]]) {
      context.strokeStyle = color;
      context.lineWidth = wide;
      context.beginPath();
      context.arc(at.x, at.y, radius, 0, 2 * Math.PI);
      context.stroke();
    }
  }

  drawFrame(context, view, point, scale) {
    const at = this.toPane(view, point);
    context.strokeStyle = "rgb(0 0 0 / .7)";
    context.lineWidth = 1;
    context.strokeRect(at.x - .5, at.y - .5, scale + 1, scale + 1);
    context.strokeStyle = "#fff";
    context.strokeRect(at.x + .5, at.y + .5, scale - 1, scale - 1);
  }
}
