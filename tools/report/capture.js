/* One capture: its pictures under heat maps, draws, programs, textures, what lint found. */

const data = JSON.parse(byId("data").textContent);
const { sheet, profile, lint, listing } = data;
const ROWS = 100;         // draws at a time
const FINDINGS = 200;     // of lint
const STATE_LINES = 1500; // of a draw

const file = quoted(sheet.capture);
const opened = new Set();
const state = { picture: 0, heat: "time", everywhere: false, column: "cost", down: true, limit: ROWS };
const draws = profile.draws.map((draw, number) => ({ ...draw, number, cost: draw.binning_ns + draw.vertex_ns + draw.fragment_ns }));
const source = png => "data:image/png;base64," + png;

/* Three digits and a unit. */
function short(value, units) {
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) { value /= 1000; unit++; }
  const digits = unit && value < 9.995 ? 2 : unit && value < 99.95 ? 1 : 0;
  return `${value.toFixed(digits)} ${units[unit]}`.trim();
}
const time = ns => short(ns, ["ns", "µs", "ms", "s"]);
const amount = n => short(n, ["", "k", "M", "G"]);

/* ---- the head ---- */

function writeHead() {
  byId("eyebrow").textContent = `vitrail report ${sheet.capture}`;
  const n = sheet.pictures.length;
  byId("title").textContent = `${plural(n, "picture")}, ${plural(draws.length, "draw")}, ${time(profile.wall_ms * 1e6)}`;
  document.title = sheet.capture.split("/").pop();
  const facts = [sheet.gpu, sheet.command, `${plural(sheet.bytes, "byte")}`, `best of ${plural(profile.plays, "play")}`, `Vitrail ${sheet.version}`];
  if (profile.first_picture > 1) facts.unshift(`from picture ${profile.first_picture}`);
  if (sheet.pictures_left_out) facts.push(`${plural(sheet.pictures_left_out, "picture")} left out`);
  byId("facts").replaceChildren(...facts.filter(Boolean).map(fact => element("span", { textContent: fact })));
  byId("faults").hidden = !sheet.faults.length;
  byId("faults").replaceChildren(element("p", {}, element("b", { textContent: "The guest did something wrong" })), ...sheet.faults.map(text => element("p", { textContent: text })));
}

/* ---- heat maps ---- */

const HEATS = {
  time: { name: "Time", value: tile => tile.ns, text: time },
  overdraw: { name: "Overdraw", value: tile => tile.pixels / (tile.width * tile.height || 1), text: n => `${n.toFixed(2)} layers` },
  instructions: { name: "Instructions", value: tile => tile.fragment_instructions, text: n => amount(n) },
};
/* As `vitrail profile --heat` has it: evenly lighter, so that it also reads in grey. */
const STOPS = [[8, 6, 22], [58, 12, 98], [122, 26, 108], [183, 52, 84], [228, 92, 50], [248, 148, 28], [250, 206, 70], [252, 250, 190]];

function heatColor(share) {
  const at = Math.min(Math.max(share, 0), 1) * (STOPS.length - 1);
  const i = Math.min(Math.floor(at), STOPS.length - 2);
  return STOPS[i].map((low, c) => Math.round(low + (STOPS[i + 1][c] - low) * (at - i)));
}

/* Tiles of the picture's own size; a tile that is drawn more than once is the sum. */
function tilesOf(picture) {
  const tiles = new Map();
  for (const job of profile.tiles) {
    if (job.picture !== picture.number || job.frame_width !== picture.width || job.frame_height !== picture.height || !job.size) continue;
    const key = `${job.x},${job.y},${job.size}`;
    const tile = tiles.get(key) || { x: job.x, y: job.y, size: job.size, ns: 0, pixels: 0, fragment_instructions: 0,
      width: Math.min(job.size, picture.width - job.x), height: Math.min(job.size, picture.height - job.y) };
    tile.ns += job.ns;
    tile.pixels += job.pixels;
    tile.fragment_instructions += job.fragment_instructions;
    tiles.set(key, tile);
  }
  return [...tiles.values()].filter(tile => tile.width > 0 && tile.height > 0);
}

function heatMap(picture, tiles, heat, most) {
  const canvas = element("canvas", { width: picture.width, height: picture.height });
  const context = canvas.getContext("2d");
  context.fillStyle = "#08061a";
  context.fillRect(0, 0, canvas.width, canvas.height);
  for (const tile of tiles) {
    context.fillStyle = `rgb(${heatColor(heat.value(tile) / (most || 1))})`;
    context.fillRect(tile.x, tile.y, tile.size, tile.size);
  }
  context.globalAlpha = .22; // so that one sees what is drawn there
  context.globalCompositeOperation = "luminosity";
  context.drawImage(picture.canvas, 0, 0);
  return { canvas, width: picture.width, height: picture.height };
}

class PictureViewer extends Panes {
  constructor(picture, shown) {
    super(picture);
    this.picture = picture;
    this.number = shown.number;
    this.tiles = tilesOf(shown);
    this.heats = element("div", { className: "group", role: "group", ariaLabel: "Heat map" });
    for (const [id, { name }] of Object.entries(HEATS))
      this.heats.append(element("button", { type: "button", textContent: name, value: id, onclick: () => this.show(id) }));
    this.scaleBar = element("div", { className: "scale" });
    this.heats.hidden = this.scaleBar.hidden = !this.tiles.length;
    this.root.append(element("div", { className: "bar" }, this.heats, this.scaleBar, this.zooms), this.panes, this.readout);
    this.show(state.heat);
  }

  show(id) {
    state.heat = id;
    const heat = HEATS[id];
    for (const button of this.heats.children) button.ariaPressed = String(button.value === id);
    const most = this.tiles.reduce((m, tile) => Math.max(m, heat.value(tile)), 0);
    const bar = element("i");
    bar.style.background = `linear-gradient(90deg, ${STOPS.map(stop => `rgb(${stop})`).join(", ")})`;
    this.scaleBar.replaceChildren("0", bar, `${heat.text(most)} a tile`);
    this.setPanes([["Picture", this.picture], ...(this.tiles.length ? [[heat.name, heatMap(this.picture, this.tiles, heat, most)]] : [])]);
    this.describe(this.marked);
  }

  grab(view, event) {
    super.grab(view, event);
    view.pressed = this.pixelAt(view, event);
  }

  /* A press that does not move chooses the pixel. */
  release(view) {
    const at = this.hovered || view.pressed;
    super.release(view);
    if (!view.pressed || !at || at.x !== view.pressed.x || at.y !== view.pressed.y) return;
    this.marked = at;
    this.draw();
    this.describe(at);
    tellCommand(`vitrail explain --frame ${this.number} --pixel ${at.x},${at.y} ${file}`);
  }

  describe(point) {
    this.readout.replaceChildren();
    if (!point) {
      this.readout.append(element("span", { textContent: "press on a pixel for the command that explains it" }));
      return;
    }
    const from = 4 * (point.y * this.picture.width + point.x);
    const rgb = [...this.picture.data.slice(from, from + 3)];
    const swatch = element("i");
    swatch.style.background = `rgb(${rgb})`;
    this.readout.append(element("span", { textContent: `pixel ${point.x}, ${point.y}` }), element("span", {}, swatch, rgb.join(", ")));
    const tile = this.tiles.find(t => point.x >= t.x && point.y >= t.y && point.x < t.x + t.size && point.y < t.y + t.size);
    if (tile) this.readout.append(element("span", { textContent: `tile ${tile.x}, ${tile.y}: ${Object.values(HEATS).map(heat => heat.text(heat.value(tile)) + (heat.name === "Instructions" ? " instructions" : "")).join(", ")}` }));
  }
}

function tellCommand(text) {
  const copy = element("button", { type: "button", textContent: "Copy" });
  copy.onclick = () => navigator.clipboard.writeText(text).then(() => { copy.textContent = "Copied"; }, () => { copy.textContent = "Select it"; });
  byId("command").hidden = false;
  byId("command").replaceChildren(element("code", { textContent: text }), copy);
}

/* ---- pictures ---- */

let viewer = null, asked = 0;

function choosePicture(n) {
  const shown = sheet.pictures[n];
  const now = ++asked;
  state.picture = n;
  [...byId("film").children].forEach((button, k) => { button.ariaPressed = String(k === n); });
  byId("command").hidden = true;
  if (viewer) viewer.close();
  viewer = null;
  byId("viewer").replaceChildren();
  if (!shown.png) byId("viewer").append(element("p", { className: "none", textContent: "This picture was left out: the page has as many as it holds. Ask for it with --frames." }));
  else loadPicture(shown.png).then(picture => {
    if (now !== asked) return;
    viewer = new PictureViewer(picture, shown);
    byId("viewer").append(viewer.root);
    viewer.draw();
  });
  if (!state.everywhere) writeDraws();
}

function writeFilm() {
  byId("film").hidden = sheet.pictures.length < 2;
  byId("film").append(...sheet.pictures.map((picture, n) => {
    const image = element("img", { alt: "", loading: "lazy", width: picture.width, height: picture.height });
    if (picture.png) image.src = source(picture.png);
    return element("button", { type: "button", onclick: () => choosePicture(n) }, image, String(picture.number));
  }));
}

/* ---- draws ---- */

const most = draws.reduce((m, draw) => Math.max(m, draw.cost), 1);
const columns = [
  { id: "draw", name: "Draw", number: true, up: true, value: draw => draw.picture * 1e7 + draw.draw,
    cell: draw => element("td", {}, element("button", { type: "button", className: "mark", textContent: state.everywhere ? `${draw.picture}: ${draw.draw}` : draw.draw, ariaExpanded: String(opened.has(draw)) })) },
  { id: "cost", name: "Cost", number: true, value: draw => draw.cost, cell: draw => {
    const part = element("i");
    part.style.width = `${100 * draw.cost / most}%`;
    return element("td", { className: "cost number" }, element("span", { className: "meter" }, part), time(draw.cost));
  } },
  { id: "mode", name: "Primitives", value: draw => draw.mode, cell: draw => element("td", { className: "soft", textContent: `${draw.mode}${draw.indexed ? ", indexed" : ""}` }) },
  { id: "vertices", name: "Vertices", number: true, value: draw => draw.vertices, cell: draw => numberCell("vertices", draw.vertices.toLocaleString("en")) },
  { id: "pixels", name: "Pixels", number: true, value: draw => draw.pixels, cell: draw => numberCell("pixels", draw.pixels.toLocaleString("en")) },
  { id: "instructions", name: "Instructions", number: true, value: draw => draw.fragment_instructions, cell: draw => numberCell("instructions", amount(draw.fragment_instructions)) },
  { id: "vertex", name: "Vertex time", number: true, value: draw => draw.vertex_ns, cell: draw => numberCell("in vertices", time(draw.vertex_ns)) },
  { id: "fragment", name: "Fragment time", number: true, value: draw => draw.fragment_ns, cell: draw => numberCell("in fragments", time(draw.fragment_ns)) },
];

function choose(change) {
  if (!("limit" in change)) state.limit = ROWS;
  Object.assign(state, change);
  writeDraws();
}

function writeChips() {
  const picture = sheet.pictures[state.picture];
  const here = picture ? draws.filter(draw => draw.picture === picture.number).length : 0;
  byId("chips").replaceChildren(...[[false, `Picture ${picture ? picture.number : 0}`, here], [true, "All pictures", draws.length]].map(([everywhere, name, n]) =>
    element("button", { type: "button", ariaPressed: String(state.everywhere === everywhere), onclick: () => choose({ everywhere }) }, name, element("b", { textContent: n.toLocaleString("en") }))));
}

function writeDraws() {
  const picture = sheet.pictures[state.picture];
  writeChips();
  byId("heads").replaceChildren(...columnHeads(columns, state, choose));
  const meant = inOrder(draws.filter(draw => state.everywhere || (picture && draw.picture === picture.number)), columns, state);
  byId("rows").replaceChildren(...meant.slice(0, state.limit).flatMap(draw => opened.has(draw) ? [row(draw), detail(draw)] : [row(draw)]));
  byId("none").hidden = meant.length > 0;
  byId("more").hidden = meant.length <= state.limit;
  byId("more").textContent = `Show more of ${meant.length.toLocaleString("en")}`;
}

function row(draw) {
  const made = element("tr", { className: `case${opened.has(draw) ? " open" : ""}` }, ...columns.map(column => column.cell(draw)));
  made.onclick = () => {
    if (getSelection().toString()) return;
    if (!opened.delete(draw)) opened.add(draw);
    writeDraws();
  };
  return made;
}

function detail(draw) {
  const said = [`${plural(draw.primitives, "primitive")}, ${draw.primitives_binned.toLocaleString("en")} of them binned; ${plural(draw.pixels, "pixel")} in ${plural(draw.blocks, "block")}; `,
    `binning ${time(draw.binning_ns)}, vertices ${time(draw.vertex_ns)}, fragments ${time(draw.fragment_ns)}.`];
  const card = element("div", { className: "card" }, element("p", { className: "said", textContent: said.join("") }));
  const read = sheet.textures.flatMap(texture => texture.uses.filter(use => use.picture === draw.picture && use.draw === draw.draw).map(use => [texture, use.unit]));
  if (read.length) card.append(element("div", { className: "texels" }, ...read.map(([texture, unit]) =>
    element("figure", {}, element("img", { src: source(texture.png), alt: "" }), element("figcaption", { textContent: `${unit}: ${texture.width}×${texture.height}` })))));
  card.append(element("pre", { className: "state" }, ...stateOf(draw)));
  return element("tr", { className: "detail" }, element("td", { colSpan: columns.length }, card));
}

/* ---- a draw's state, out of the listing ---- */

/* The events of each picture, by its number. */
function listedPictures() {
  const shown = listing.some(event => event.kind === "picture" && event.text.endsWith("shown on the display")) && !sheet.all;
  const pictures = [null, []];
  for (const event of listing) {
    pictures.at(-1).push(event);
    if (event.kind === "picture" && (!shown || event.text.endsWith("shown on the display"))) pictures.push([]);
  }
  return pictures;
}
let pictures = null;

/* The address of the item itself, as eight digits or more. */
const placeOf = item => (/^(?:0x)?([0-9a-f]{8,})\s|^[^:]*? at 0x([0-9a-f]{8,})\b/.exec(item.text) || []).slice(1).find(Boolean);

/* [items, n]: the list that has the draw's record, and its place there. */
function findRecord(items, place) {
  for (let n = 0; n < items.length; n++) {
    if (items[n].kind !== "register" && placeOf(items[n]) === place) return [items, n];
    const found = items[n].contents && findRecord(items[n].contents, place);
    if (found) return found;
  }
  return null;
}

/* What the draw is, behind what its list set before: of each kind of record the last, of descriptors those since the draw before. */
function recordsOf(draw, [items, n], records) {
  const nameOf = item => item.text.replace(/^(0x)?[0-9a-f]{8,}\s+(\d+\s+)?/, "");
  const before = items.slice(0, n).filter(item => item.kind === items[n].kind && !records.has(placeOf(item)));
  if (items[n].kind === "descriptor") {
    let from = n;
    while (from && !records.has(placeOf(items[from - 1]))) from--;
    return [...items.slice(from, n), items[n]];
  }
  const last = new Map();
  for (const item of before) { last.delete(nameOf(item)); last.set(nameOf(item), item); }
  return [...last.values(), items[n]];
}

function linesOf(items, depth, lines) {
  for (const item of items) {
    if (lines.length >= STATE_LINES) return lines;
    const fields = Object.entries(item.fields || {}).map(([name, value]) => value === true ? name : `${name} ${value}`).join(", ");
    lines.push(element("span", {}, "  ".repeat(depth), element(depth ? "span" : "b", { textContent: item.text }), fields ? element("em", { textContent: `  ${fields}` }) : "", "\n"));
    for (const line of item.lines || []) lines.push(`${"  ".repeat(depth + 1)}${line}\n`);
    linesOf(item.contents || [], depth + 1, lines);
  }
  return lines;
}

function stateOf(draw) {
  const command = `vitrail decode --frame ${draw.picture} ${file}`;
  if (!listing) return [`The listing is too long for a page: ${command}`];
  pictures = pictures || listedPictures();
  const records = new Set(draws.filter(other => other.picture === draw.picture).map(other => other.record.slice(2)));
  const found = findRecord(pictures[draw.picture] || [], draw.record.slice(2));
  if (!found) return [`Its record at ${draw.record} is not in the listing: ${command}`];
  const lines = linesOf(recordsOf(draw, found, records), 0, []);
  if (lines.length >= STATE_LINES) lines.push(`... ${command}`);
  return lines;
}

/* ---- programs ---- */

function writePrograms() {
  const programs = [...profile.programs].sort((a, b) => (b.ns || 0) - (a.ns || 0) || b.executed - a.executed);
  byId("programs").hidden = !programs.length;
  byId("programs").firstChild.append(element("small", { textContent: `${programs.length}, costliest first; how often each instruction was executed, by sixteen lanes` }));
  const hottest = programs.reduce((m, p) => p.instructions.reduce((n, i) => Math.max(n, i.executed || 0), m), 1);
  programs.forEach((program, n) => {
    const lines = element("div", { className: "listing" });
    const fill = () => {
      if (lines.children.length) return;
      const own = program.instructions.reduce((m, i) => Math.max(m, i.executed || 0), 1);
      lines.append(...program.instructions.map(instruction => {
        const line = element("div", {}, element("span", { textContent: instruction.pc }), element("span", { textContent: "executed" in instruction ? amount(instruction.executed) : "" }), element("code", { textContent: instruction.text }));
        /* Hot among its own as among all: the logarithm lets loops stand out. */
        line.style.setProperty("--heat", instruction.executed ? (Math.log1p(instruction.executed) / Math.log1p(hottest) * instruction.executed / own).toFixed(3) : 0);
        return line;
      }));
    };
    const told = [`${amount(program.executed)} instructions executed`];
    if (program.ns) told.unshift(time(program.ns));
    if (program.sampled) told.push("counts are scaled up from some of the primitives");
    const made = element("details", { className: "program" }, element("summary", {}, element("b", { textContent: `${program.stage[0].toUpperCase()}${program.stage.slice(1)} program` }),
      element("code", { textContent: program.address }), element("span", { textContent: told.join(", ") })), lines);
    made.ontoggle = fill;
    if (!n) { made.open = true; fill(); }
    byId("programs").append(made);
  });
}

/* ---- textures ---- */

function writeTextures() {
  const { textures } = sheet;
  byId("textures").hidden = !textures.length && !sheet.textures_left_out;
  byId("textures").firstChild.append(element("small", { textContent: `${textures.length}, as fragment programs read them${sheet.textures_left_out ? `; ${sheet.textures_left_out} lookups of others left out` : ""}` }));
  byId("textures").append(element("div", { className: "grid" }, ...textures.map(texture => {
    const size = `${texture.width}×${texture.height}${texture.depth ? `×${texture.depth}` : ""}`;
    const uses = texture.uses.slice(0, 6).map(use => `picture ${use.picture}, draw ${use.draw}`).join("; ");
    const facts = [texture.format, texture.cube ? "cube" : "", texture.levels > 1 ? `${texture.levels} levels` : "", texture.address === "0x00000000" ? "" : texture.address].filter(Boolean).join(", ");
    return element("figure", {}, texture.png ? element("img", { src: source(texture.png), alt: "", loading: "lazy" }) : "",
      element("figcaption", {}, element("b", { textContent: size }), `${facts}. ${uses}${texture.uses.length > 6 ? ` and ${texture.uses.length - 6} more` : ""}`));
  })));
}

/* ---- lint ---- */

function writeLint() {
  const { findings } = lint;
  const order = ["error", "warning", "note"];
  const kinds = new Map(); // what is said of more than one place is told once
  for (const finding of findings) {
    const key = `${finding.rule} ${finding.detail || ""} ${finding.place || ""}`;
    if (!kinds.has(key)) kinds.set(key, []);
    kinds.get(key).push(finding);
  }
  const told = [...kinds.values()].sort((a, b) => order.indexOf(a[0].severity) - order.indexOf(b[0].severity));
  byId("lint").firstChild.append(element("small", { textContent: `${plural(lint.errors, "error")}, ${plural(lint.warnings, "warning")}, ${plural(lint.notes, "note")}` }));
  byId("lint").append(...told.slice(0, FINDINGS).map(all => {
    const [f] = all;
    const where = all.slice(0, 5).map(g => `job ${g.job}${g.draw ? `, draw ${g.draw}` : ""} at ${g.address}${"pc" in g ? `, pc ${g.pc}` : ""}`).join("; ");
    return element("div", { className: `finding ${f.severity === "error" ? "fail" : f.severity}` },
      element("p", {}, element("span", { className: "mark", textContent: f.severity }), ` ${f.text}${f.detail ? ` (${f.detail})` : ""} `, element("code", { textContent: f.rule })),
      element("p", { className: "soft", textContent: `${f.place || ""}: ${where}${all.length > 5 ? ` and ${all.length - 5} more` : ""}` }),
      f.instruction ? element("p", {}, element("code", { textContent: f.instruction })) : "",
      element("p", { className: "soft", textContent: f.source }));
  }));
}

writeHead();
writeFilm();
byId("more").onclick = () => choose({ limit: state.limit + ROWS });
writePrograms();
writeTextures();
writeLint();
if (sheet.pictures.length) choosePicture(sheet.pictures.length - 1);
else { state.everywhere = true; writeDraws(); }
