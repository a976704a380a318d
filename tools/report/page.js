/* The table: what the report has, filtered and sorted; a picture's row opens to its details. */

const data = JSON.parse(document.getElementById("data").textContent);
const { report, history } = data;
const verdicts = new Map(data.verdicts.map(verdict => [verdict.word, verdict]));
const KINDS = { p: "pass", f: "fail", e: "error" };
const PAGE = 400; // rows at a time

const kindOf = word => KINDS[(verdicts.get(word) || { kind: "e" }).kind];
const opened = new Map(); // of tests: their viewer or true

report.cases.forEach((test, n) => {
  test.history = history.cases[n] || [];
  test.kind = kindOf(test.verdict);
  test.text = [test.capture, test.picture, test.options, test.reason, test.gpu, test.verdict, test.detail].join("\n").toLowerCase();
});

const count = kind => report.cases.filter(test => test.kind === kind).length;
const state = { kind: count("pass") === report.cases.length ? "all" : "trouble", gpu: "", search: "", column: "number", down: false, limit: PAGE };

/* ---- the head ---- */

function writeHead() {
  const fails = count("fail"), errors = count("error"), all = report.cases.length;
  byId("eyebrow").textContent = `vitrail verify ${report.subject}${report.filter ? ` --filter ${report.filter}` : ""}`;
  let text = all === 1 ? "The picture is as expected" : `All ${all.toLocaleString("en")} pictures are as expected`;
  if (fails || errors) text = `${fails + errors} of ${plural(all, "picture")} ${fails + errors === 1 ? "is" : "are"} not as expected`;
  if (!all) text = "No pictures";
  byId("verdict").textContent = text;
  document.title = `${fails + errors ? "✗" : "✓"} ${text}`;
  const facts = [new Date(report.started).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" }), plural(new Set(report.cases.map(test => test.gpu).filter(Boolean)).size, "GPU"),
    `${Math.round(report.seconds).toLocaleString("en")} s of replay`, `Vitrail ${report.version}`];
  if (report.label) facts.unshift(report.label);
  if (report.shards) facts.push(`shard ${report.shard} of ${report.shards}`);
  byId("facts").replaceChildren(...facts.map(fact => element("span", { textContent: fact })));
  const share = byId("share");
  share.ariaLabel = text;
  for (const { word } of data.verdicts) {
    const n = report.cases.filter(test => test.verdict === word).length;
    if (!n) continue;
    const part = element("i", { className: `${kindOf(word)} ${word}`, title: `${n} ${word}` });
    part.style.flexGrow = n;
    share.append(part);
  }
}

/* ---- filters ---- */

function writeFilters() {
  const trouble = report.cases.filter(test => test.kind !== "pass").length;
  const chips = [["all", "All", report.cases.length]];
  if (trouble) chips.unshift(["trouble", "Not as expected", trouble]);
  for (const { word } of data.verdicts) {
    const n = report.cases.filter(test => test.verdict === word).length;
    if (n && n !== report.cases.length) chips.push([word, word[0].toUpperCase() + word.slice(1), n]);
  }
  for (const [kind, name, n] of chips) {
    const button = element("button", { type: "button", value: kind, onclick: () => choose({ kind }) }, name, element("b", { textContent: n.toLocaleString("en") }));
    byId("chips").append(button);
  }
  const gpus = [...new Set(report.cases.map(test => test.gpu).filter(Boolean))].sort();
  byId("gpu").append(element("option", { value: "", textContent: "All GPUs" }), ...gpus.map(gpu => element("option", { value: gpu, textContent: gpu })));
  byId("gpu").hidden = gpus.length < 2;
  byId("gpu").onchange = event => choose({ gpu: event.target.value });
  byId("search").oninput = event => choose({ search: event.target.value.toLowerCase() });
  byId("more").onclick = () => choose({ limit: state.limit + PAGE });
}

function choose(change) {
  if (!("limit" in change)) state.limit = PAGE;
  Object.assign(state, change);
  writeRows();
}

const isMeant = test => (state.kind === "all" || state.kind === test.verdict || (state.kind === "trouble" && test.kind !== "pass")) &&
  (!state.gpu || test.gpu === state.gpu) && state.search.split(/\s+/).every(word => test.text.includes(word));

/* ---- rows ---- */

const columns = [
  { id: "verdict", name: "Verdict", value: test => data.verdicts.findIndex(verdict => verdict.word === test.verdict),
    cell: test => element("td", {}, element("button", { type: "button", className: "mark", textContent: test.verdict, ariaExpanded: String(opened.has(test)) })) },
  { id: "picture", name: "Picture", value: test => test.picture, cell: test => element("td", { className: "path", textContent: test.picture }) },
  { id: "capture", name: "Capture", value: test => test.capture,
    cell: test => element("td", { className: "path", textContent: [test.capture, test.options].filter(Boolean).join(" ") }) },
  { id: "gpu", name: "GPU", value: test => test.gpu, cell: test => element("td", { className: "soft", textContent: test.gpu }) },
  { id: "frame", name: "Frame", number: true, up: true, value: test => test.frame || Infinity, cell: test => numberCell("frame", test.frame || "last") },
  { id: "beyond", name: "Pixels", number: true, value: test => test.beyond || 0, cell: test => numberCell(test.differing === 1 ? "pixel" : "pixels", test.differing ? (test.kind === "pass" ? test.differing : test.beyond).toLocaleString("en") : "") },
  { id: "most", name: "Most", number: true, value: test => test.most || 0, cell: test => numberCell("most", test.differing ? test.most : "") },
  { id: "writer", name: "Last written by", value: test => writer(test), cell: test => element("td", { className: "soft", textContent: writer(test) }) },
  { id: "history", name: "History", value: test => test.history.filter(run => run.length && kindOf(run[0]) !== "pass").length,
    cell: test => element("td", { className: "history" }, runs(test)), hidden: !history.runs.length },
  { id: "seconds", name: "Time", number: true, value: test => test.seconds, cell: test => numberCell("time", `${test.seconds.toFixed(test.seconds < 10 ? 2 : 0)} s`) },
].filter(column => !column.hidden && !(column.id === "writer" && !report.cases.some(test => test.writer)));

function writer(test) {
  const w = test.writer;
  if (!w) return "";
  const during = w.picture && w.picture !== test.shown ? ` of picture ${w.picture}` : "";
  if (w.kind === "clear") return `the clear${during}`;
  if (w.kind === "nothing") return "no draw";
  return `${w.draw ? "draw" : "list"} ${w.draw || w.list}${during}, ${w.what} ${w.primitive}`;
}

const runName = n => history.runs[n].label || history.runs[n].started.slice(0, 16).replace("T", " ");

function runs(test) {
  const told = test.history.map((run, n) => [run, runName(n)]);
  if (history.runs.length) told.push([[test.verdict, test.beyond || 0], "this run"]);
  return element("span", { className: "runs" }, ...told.map(([[verdict, beyond], name]) =>
    element("i", { className: verdict ? kindOf(verdict) : "gone", title: `${name}: ${verdict ? verdict + (beyond ? `, ${plural(beyond, "pixel")}` : "") : "not there"}` })));
}

function writeRows() {
  for (const button of byId("chips").children) button.ariaPressed = String(button.value === state.kind);
  byId("heads").replaceChildren(...columnHeads(columns, state, choose));
  const tests = inOrder(report.cases.filter(isMeant), columns, state);
  const shown = tests.slice(0, state.limit);
  byId("rows").replaceChildren(...shown.flatMap(test => opened.has(test) ? [row(test), opened.get(test).row] : [row(test)]));
  byId("none").hidden = tests.length > 0;
  byId("more").hidden = tests.length <= state.limit;
  byId("more").textContent = `Show more of ${tests.length.toLocaleString("en")}`;
}

function row(test) {
  const made = element("tr", { className: `case ${test.kind}${test.verdict === "accepted" ? " accepted" : ""}${opened.has(test) ? " open" : ""}` }, ...columns.map(column => column.cell(test)));
  made.onclick = () => { if (!getSelection().toString()) toggle(test); };
  return made;
}

function toggle(test) {
  const detail = opened.get(test);
  if (detail) {
    if (detail.viewer) detail.viewer.close();
    opened.delete(test);
  } else {
    opened.set(test, makeDetail(test));
  }
  writeRows();
}

/* ---- details ---- */

function sentence(test) {
  const pixels = test.width * test.height;
  const said = [element("span", { textContent: `${test.verdict === "same" ? "The same bytes" : `This picture ${verdicts.get(test.verdict).text}`}. ` })];
  if (test.kind === "error") said[0].textContent = `${test.verdict[0].toUpperCase()}${test.verdict.slice(1)}: ${verdicts.get(test.verdict).text}. `;
  if (test.differing) {
    const share = 100 * test.beyond / pixels;
    const beyond = test.tolerance ? `, ${test.beyond.toLocaleString("en")} of them by more than ${test.tolerance}` : "";
    said.push(`${test.differing.toLocaleString("en")} of ${plural(pixels, "pixel")} ${test.differing === 1 ? "differs" : "differ"}${beyond}`,
      element("em", { textContent: ` (${share < .01 ? "less than 0.01" : share.toFixed(2)} %), at most by ${test.most} of 255. ` }));
  }
  if (test.writer) said.push(`The worst pixel was last written by ${writer(test)}. `);
  return element("p", { className: "said" }, ...said);
}

function facts(test) {
  const list = element("dl", { className: "detailed" });
  const add = (name, value) => { if (value) list.append(element("dt", { textContent: name }), element("dd", {}, value)); };
  const play = [test.options.replace(/--(tolerance|share)[= ]\S+ ?/g, "").trim(), test.shown ? `--frame ${test.shown}` : ""].filter(Boolean).join(" ");
  add("Message", test.detail);
  add("Reason", test.reason);
  if (test.tolerance || test.share) add("Accepted", `${test.share} % of pixels beyond ${test.tolerance} of 255`);
  if (test.history.length) {
    const told = test.history.map((run, n) => `${runName(n)}: ${run.length ? run[0] : "not there"}${run[1] ? ` (${plural(run[1], "pixel")})` : ""}`);
    add("History", [...told, `this run: ${test.verdict}`].join("  →  "));
  }
  if (test.differing) add("Explain", element("code", { textContent: `vitrail explain ${play} --pixel ${test.x},${test.y} ${quoted(test.path)}` }));
  if (test.kind !== "pass") add("Draw again", element("code", { textContent: `vitrail replay ${play} --png drawn.png ${quoted(test.path)}` }));
  return list;
}

function makeDetail(test) {
  const place = element("div");
  const card = element("div", { className: "card" }, sentence(test), place, facts(test));
  if (test.explained) card.append(element("details", {}, element("summary", { textContent: `What happened at ${test.x}, ${test.y}` }), element("pre", { textContent: test.explained })));
  const detail = { row: element("tr", { className: "detail" }, element("td", { colSpan: columns.length }, card)), viewer: null };
  if (test.expected_png || test.drawn_png) {
    Promise.all([loadPicture(test.expected_png), loadPicture(test.drawn_png)]).then(([expected, got]) => {
      detail.viewer = new Viewer(test, expected, got);
      place.append(detail.viewer.root);
      detail.viewer.draw();
    }, () => place.append(element("p", { className: "none", textContent: "The pictures are damaged." })));
  }
  return detail;
}

writeHead();
writeFilters();
const trouble = report.cases.filter(test => test.kind !== "pass");
if (trouble.length && trouble.length <= 3) opened.set(trouble[0], makeDetail(trouble[0]));
writeRows();
