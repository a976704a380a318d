/* Pictures of one size in panes that all show the same part: the wheel zooms, dragging moves. */

const GRID_FROM = 10;    // CSS pixels a pixel has when they are parted by lines
const ZOOM_MAX = 64;

class Panes {
  constructor(size) {
    this.size = size;
    this.zoom = 0; // 0: all of it
    this.center = { x: size.width / 2, y: size.height / 2 };
    this.hovered = this.marked = null; // pixels
    this.views = [];
    this.root = element("div", { className: "viewer" });
    this.panes = element("div", { className: "panes" });
    this.readout = element("div", { className: "readout" });
    this.zooms = element("div", { className: "group", role: "group", ariaLabel: "Zoom" });
    for (const [name, onclick] of [["Fit", () => this.fit()], ["−", () => this.scale(.5)], ["+", () => this.scale(2)]])
      this.zooms.append(element("button", { type: "button", textContent: name, onclick }));
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.panes);
  }

  close() {
    this.observer.disconnect();
  }

  /* panes: [name, picture] each */
  setPanes(panes) {
    this.views = panes.map(([name, picture]) => this.pane(name, picture));
    this.panes.replaceChildren(...this.views.map(view => view.figure));
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
    canvas.addEventListener("pointerleave", () => { this.hovered = null; this.describe(this.marked); this.draw(); });
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

  /* ---- hands ---- */

  wheel(view, event) {
    event.preventDefault();
    this.scale(event.deltaY < 0 ? 1.25 : .8, this.toPicture(view, event));
  }

  grab(view, event) {
    view.canvas.setPointerCapture(event.pointerId);
    view.canvas.classList.add("grab");
    view.grabbed = { x: event.clientX, y: event.clientY, center: { ...this.center } };
  }

  move(view, event) {
    const held = view.grabbed;
    if (held) {
      const scale = this.scaleOf(view);
      this.zoom = scale;
      this.center = { x: held.center.x - (event.clientX - held.x) / scale, y: held.center.y - (event.clientY - held.y) / scale };
    }
    this.hovered = this.pixelAt(view, event);
    this.describe(this.hovered || this.marked);
    this.draw();
  }

  /* null: beside the picture */
  pixelAt(view, event) {
    const at = this.toPicture(view, event);
    const inside = at.x >= 0 && at.y >= 0 && at.x < this.size.width && at.y < this.size.height;
    return inside ? { x: Math.floor(at.x), y: Math.floor(at.y) } : null;
  }

  release(view) {
    view.grabbed = null;
    view.canvas.classList.remove("grab");
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
    this.paint(context, view, width, height);
    const scale = this.scaleOf(view);
    if (scale >= GRID_FROM) this.drawGrid(context, view, scale, width, height);
    this.overlay(context, view, scale);
    if (this.marked) this.drawMark(context, view, scale);
    if (this.hovered && scale >= 4) this.drawFrame(context, view, this.hovered, scale);
    view.zoom.textContent = scale >= 1 ? `${Math.round(scale * 10) / 10}×` : `${Math.round(scale * 100)} %`;
  }

  /* What a pane shows, and what stands on it; for others to change. */
  paint(context, view, width, height) {
    this.drawPicture(context, view, view.picture, 0, width);
  }

  overlay(context, view, scale) {}

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

  /* A ring that is seen on light and on dark, however small the pixel is. */
  drawMark(context, view, scale) {
    const at = this.toPane(view, { x: this.marked.x + .5, y: this.marked.y + .5 });
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
