/* Two pictures of one size, pixel beside pixel: side by side, with a slider, in turns. A marker stands at the worst pixel. */

const FLICKER_MS = 650;
const DOTS_MAX = 4000;   // as many differing pixels are shown however small the picture is

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

class Viewer extends Panes {
  constructor(test, expected, got) {
    super(got || expected);
    this.test = test;
    this.expected = expected;
    this.got = got;
    this.comparable = expected && got && expected.width === got.width && expected.height === got.height;
    this.diff = this.comparable ? difference(expected, got) : null;
    this.marked = this.comparable && test.differing ? { x: test.x, y: test.y } : null;
    this.split = .5;
    this.turn = 0;
    this.build();
  }

  build() {
    this.modes = element("div", { className: "group", role: "group", ariaLabel: "View" });
    const modes = this.comparable ? [["side", "Side by side"], ["slider", "Slider"], ["flicker", "Flicker"], ["difference", "Difference"]] : [["side", "Pictures"]];
    for (const [mode, name] of modes) this.modes.append(element("button", { type: "button", textContent: name, onclick: () => this.show(mode), value: mode }));
    if (this.marked) this.zooms.append(element("button", { type: "button", textContent: "Worst pixel", onclick: () => this.goToWorst() }));
    this.root.append(element("div", { className: "bar" }, this.modes, this.zooms), this.panes, this.readout);
    this.show("side");
    this.describe(this.marked);
  }

  close() {
    clearInterval(this.timer);
    super.close();
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
    this.setPanes(panes);
    if (mode === "flicker") this.timer = setInterval(() => this.takeTurn(), FLICKER_MS);
  }

  takeTurn() {
    this.turn = 1 - this.turn;
    const [view] = this.views;
    view.picture = this.turn ? this.got : this.expected;
    view.name.textContent = this.turn ? "Got" : "Expected";
    this.draw();
  }

  goToWorst() {
    this.zoom = 24;
    this.center = { x: this.marked.x + .5, y: this.marked.y + .5 };
    this.describe(this.marked);
    this.draw();
  }

  /* ---- what is said of a pixel ---- */

  describe(point) {
    this.readout.replaceChildren();
    if (!point) return;
    const at = point === this.marked ? "worst pixel" : "pixel";
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

  drawDots(context, view, scale) {
    if (scale >= 2) return;
    context.fillStyle = "#e4572e";
    for (const i of this.diff.dots) {
      const at = this.toPane(view, { x: i % this.size.width + .5, y: Math.floor(i / this.size.width) + .5 });
      context.fillRect(at.x - 1.25, at.y - 1.25, 2.5, 2.5);
    }
  }

  /* ---- hands: the slider ---- */

  grab(view, event) {
    super.grab(view, event);
    view.grabbed.split = this.mode === "slider" && Math.abs(event.offsetX - this.split * view.canvas.clientWidth) < 24;
  }

  move(view, event) {
    const held = view.grabbed;
    if (held && held.split) {
      this.split = Math.min(1, Math.max(0, event.offsetX / view.canvas.clientWidth));
      view.grabbed = null; // the picture stays
    }
    super.move(view, event);
    view.grabbed = held;
  }

  /* ---- drawing ---- */

  paint(context, view, width, height) {
    this.drawPicture(context, view, this.mode === "slider" ? this.expected : view.picture, 0, width);
    if (this.mode === "slider") this.drawSplit(context, view, width, height);
  }

  overlay(context, view, scale) {
    if (view.picture === this.diff && this.diff) this.drawDots(context, view, scale);
  }
}
