// Draws the page of `mckp view`. All that comes from a document is set as text, never as markup.
"use strict";

const one = (query, from = document) => from.querySelector(query);
const count = new Intl.NumberFormat("en");
const ALL = "9", NONE = "0", ROW = 23, LEVELS = 14;

/** Make an element, with attributes and what is in it. */
const make = (name, ...all) => fill(document.createElement(name), ...all);
function fill(element, attributes = {}, ...inside) {
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...inside);
  return element;
}

/** Make an element of a picture. */
const drawn = (...all) => fill(document.createElementNS("http://www.w3.org/2000/svg", all[0]), ...all.slice(1));

const short = (value) => (value >= 100 ? count.format(Math.round(value)) : String(+value.toPrecision(3)));
const percent = (part, all) => `${all ? +((100 * part) / all).toFixed(part < all / 10 ? 1 : 0) : 100}\u00a0%`;
const plural = (n, word) => `${count.format(n)} ${word}${n === 1 ? "" : "s"}`;
const sum = (numbers) => numbers.reduce((all, n) => all + n, 0);

/** Unpack the data of the page. */
async function load() {
  const packed = Uint8Array.from(atob(one("#data").textContent), (sign) => sign.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

let data, parts, levels, densest;
const now = { stop: 0, left: 0, right: -1, part: -1, pinned: false, root: 0, shade: false };
const panes = {};

/** Read parts, which come in the order of the document, each before what is in it. */
function read(found) {
  data = found;
  levels = data.levels;
  parts = data.parts.map(([parent, label, tokens, worth], number) => (
    { number, parent, label, tokens, worth, below: [], end: number + 1 }));
  for (const part of parts) if (part.parent >= 0) parts[part.parent].below.push(part.number);
  for (const part of [...parts].reverse()) {
    part.own = Math.max(0, part.tokens - sum(part.below.map((n) => parts[n].tokens)));
    if (part.parent < 0) continue;
    parts[part.parent].end = Math.max(parts[part.parent].end, part.end);
    parts[part.parent].worth += part.worth;
  }
  const rates = parts.filter((part) => !part.below.length).map(density).sort((a, b) => a - b);
  densest = rates[Math.floor(rates.length * 0.95)] || 1;
}

const density = (part) => part.worth / Math.max(1, part.tokens);
const strength = (part) => Math.min(1, Math.sqrt(density(part) / densest));
const stopOf = (level) => levels[level].stops[now.stop];
const state = (number) => states(number)[now.stop];

/** How much of a part each text has, in ninths; what has parts in it has what they have. */
function states(number) {
  const level = levels[now.left], part = parts[number];
  level.known ??= new Array(parts.length);
  return (level.known[number] ??= part.below.length ? together(level, part) : data.patterns[level.states[number]]);
}

function together(level, part) {
  const below = part.below.map((n) => [states(n), Math.max(1, parts[n].tokens)]);
  if (!data.data) below.push([data.patterns[level.states[part.number]], Math.max(1, part.own)]);
  const all = sum(below.map(([, weight]) => weight));
  return level.stops.map((_, n) => {
    if (below.every(([each]) => each[n] === ALL)) return ALL;
    if (below.every(([each]) => each[n] === NONE)) return NONE;
    const share = sum(below.map(([each, weight]) => each[n] * weight)) / (9 * all);
    return String(Math.max(1, Math.min(8, Math.round(9 * share))));
  }).join("");
}

/** The place of a part as a path, or as the words that a block of text begins with. */
function place(number) {
  if (!data.data) return number ? `“${parts[number].label}”` : "the document";
  const steps = [];
  for (let at = number; at >= 0; at = parts[at].parent) steps.unshift(parts[at].label);
  return steps.join("");
}

/** The format of each part at this stop: that of the block it is in. */
function formats() {
  const own = new Map(stopOf(now.left).formats);
  const found = new Array(parts.length);
  for (const part of parts) found[part.number] = own.get(part.number) ?? found[part.parent];
  return found;
}

// ---- the budget

function drawCurve() {
  const svg = one("#curve"), wide = svg.clientWidth, high = svg.clientHeight, last = levels[0].stops.length - 1;
  const x = (n) => 9 + ((wide - 18) * n) / Math.max(1, last);
  const y = (stop) => high - 3 - (high - 9) * (stop.tokens === undefined ? 0 : data.total ? stop.value / data.total : 1);
  svg.setAttribute("viewBox", `0 0 ${wide} ${high}`);
  const line = (level) => level.stops.map((stop, n) => `${n ? "L" : "M"}${x(n)},${y(stop)}`).join("");
  const here = line(levels[now.left]);
  svg.replaceChildren(
    drawn("path", { class: "area", d: `${here}L${x(last)},${high}L${x(0)},${high}Z` }),
    ...levels.map((level) => drawn("path", { d: line(level) })), drawn("path", { class: "here", d: here }),
    drawn("path", { class: "now", d: `M${x(now.stop)},0V${high}` }),
    drawn("circle", { cx: x(now.stop), cy: y(stopOf(now.left)), r: 5 }), drawn("text", { x: 2, y: 11 }, "value kept"));
}

function drawFigures() {
  const stop = stopOf(now.left), exact = data.exact ? "" : "about ";
  const limit = stop.budget === null ? "without a budget" : `of a budget of ${count.format(stop.budget)}`;
  if (stop.tokens === undefined) {
    one("#tokens").textContent = "no text";
    one("#kept").textContent = `${limit}; ${count.format(stop.floor)} tokens are needed`;
  } else {
    const near = stop.gap === null ? "not proven to be" : `within ${percent(stop.gap, 1)} of`, sure = "proven to be";
    one("#tokens").textContent = exact + plural(stop.tokens, "token");
    one("#kept").textContent = `${limit} · ${percent(stop.value, data.total)} of the value, ${stop.status === "optimal" ? sure : near} the best`;
  }
  one("#budget").value = now.stop;
  one("#budget").ariaValueText = `${one("#tokens").textContent} ${one("#kept").textContent}`;
}

// ---- the document

function drawTree() {
  const svg = one("#tree"), wide = svg.clientWidth, written = formats(), root = parts[now.root];
  const boxes = [];
  (function lay(part, x, width, level) {
    if (width < 1 || level >= LEVELS) return false;
    const inside = sum(part.below.map((n) => parts[n].tokens));
    const scale = width / Math.max(1, part.tokens, inside), box = { part, x, width, level, opened: false };
    boxes.push(box);
    for (const number of part.below) {
      if (lay(parts[number], x, parts[number].tokens * scale, level + 1)) box.opened = true;
      x += parts[number].tokens * scale;
    }
    return true;
  })(root, 0, wide, 0);
  const high = (1 + Math.max(...boxes.map((box) => box.level))) * ROW;
  svg.setAttribute("viewBox", `0 0 ${wide} ${high}`);
  svg.style.height = `${high}px`;
  const lines = { id: "cut", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" };
  const hatching = drawn("defs", {}, drawn("pattern", lines, drawn("path", { d: "M0 0V6" })));
  svg.replaceChildren(hatching, ...boxes.map((box) => drawBox(box, written[box.part.number])));
  one("#out").hidden = now.root === 0;
}

function drawBox({ part, x, width, level, opened }, format) {
  const kept = state(part.number), cut = kept === NONE, y = level * ROW;
  const manner = cut ? "cut" : kept === ALL ? `written as ${format}` : `written as ${format}, in part`;
  const group = drawn("g", {
    class: cut ? "cut" : "", "data-n": part.number, id: `part-${part.number}`, role: "treeitem",
    "aria-level": level + 1, "aria-label": `${place(part.number)}, ${plural(part.tokens, "token")}, ${manner}`,
  });
  const box = drawn("rect", { class: "fill", x, y, width, height: ROW - 1, rx: width > 6 ? 3 : 0 });
  if (width < 6) box.style.strokeWidth = width < 3 ? 0 : 0.5;
  if (now.shade) box.style.fill = `rgb(var(--value) / ${(0.06 + 0.8 * strength(part)).toFixed(2)})`;
  else if (!cut) box.style.fill = data.colours[format] ?? "#b8b8b8";
  group.append(box);
  const lost = cut ? width : kept !== ALL && !opened ? width * (1 - kept / 9) : 0;
  if (lost) group.append(drawn("rect", { class: "hatch", x: x + width - lost, y, width: lost, height: ROW - 1 }));
  const label = `${part.label.replace(/^\./, "")} ${count.format(part.tokens)}${width > 160 ? " tokens" : ""}`;
  const room = Math.floor((width - 8) / 6.6);
  if (room >= 3) {
    const shown = label.length > room ? `${label.slice(0, room - 1)}…` : label;
    group.append(drawn("text", { x: x + 5, y: y + 15.5 }, shown));
  }
  return group;
}

function drawLegend() {
  const used = [...new Set(stopOf(now.left).formats.map(([, name]) => name)), "cut"];
  one("#legend").replaceChildren(...used.map((name) => {
    const square = make("i", { class: name === "cut" ? "hatched" : "" });
    square.style.background = data.colours[name] ?? "";
    return make("span", {}, square, name);
  }));
}

// ---- the texts

const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/;
const LONG = 3000;

/** Put a text into an element; signs that hide or turn text are shown, and have no effect. */
function put(element, text) {
  for (const piece of text.split(new RegExp(`(${CONTROLS.source})`))) {
    const sign = `U+${(piece.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
    const isSign = CONTROLS.test(piece);
    element.append(isSign ? make("span", { class: "sign", "data-sign": sign }, make("span", {}, piece)) : piece);
  }
}

/** Make a line; of a very long one the end is hidden until it is asked for. */
function line(text, number, was) {
  const element = make("span", { class: "l", "data-n": number });
  element.style.setProperty("--v", strength(parts[number]).toFixed(2));
  if (/^> \[\+/.test(text)) element.classList.add("hint");
  if (was !== undefined) {
    element.classList.add("changed");
    const [from, to] = between(was, text);
    put(element, text.slice(0, from));
    if (to > from) put(element.appendChild(make("mark")), text.slice(from, to));
    put(element, text.slice(to));
  } else if (text.length > LONG) {
    put(element, text.slice(0, LONG));
    const rest = make("span", { hidden: "" });
    put(rest, text.slice(LONG));
    const label = `… ${count.format(text.length - LONG)} more characters`;
    const button = make("button", { type: "button", "data-label": label, "aria-label": label });
    button.addEventListener("click", () => { rest.hidden = false; button.remove(); });
    element.append(button, rest);
  } else put(element, text);
  return element;
}

/** Where a text differs from an earlier one: from the first letter to behind the last. */
function between(was, text) {
  let from = 0, end = 0;
  const most = Math.min(was.length, text.length);
  while (from < most && was[from] === text[from]) from += 1;
  while (end < most - from && was[was.length - 1 - end] === text[text.length - 1 - end]) end += 1;
  return [from, text.length - end];
}

/** What a pane has: lines of the source, or of a text. */
function linesOf(level) {
  const numbers = level < 0 ? data.source.map((_, n) => n) : stopOf(level).lines;
  return { lines: level < 0 ? data.source : numbers.map((n) => data.lines[n]), numbers };
}

function drawPane(pane, level, follows) {
  const { lines, numbers } = linesOf(level), before = follows ? pane.numbers : numbers;
  const old = new Set(before), here = new Set(numbers), found = document.createDocumentFragment();
  const were = new Map(), appeared = { new: 0, changed: 0, gone: 0 };
  // Of the lines of a part, the first that has gone has become the first that is new, and so on.
  const waiting = new Map();
  if (follows) {
    for (const n of before) {
      const [, part] = data.lines[n];
      if (!here.has(n)) waiting.set(part, [...(waiting.get(part) ?? []), n]);
    }
    for (const n of numbers) {
      const was = old.has(n) ? undefined : (waiting.get(data.lines[n][1]) ?? []).shift();
      if (was !== undefined) were.set(n, was);
    }
  }
  const explained = new Set(were.values()), gone = new Map();
  let anchor = -1;
  for (const n of before) {
    if (here.has(n)) anchor = n;
    else if (!explained.has(n)) gone.set(anchor, [...(gone.get(anchor) ?? []), n]);
  }
  const went = (at) => {
    const texts = (gone.get(at) ?? []).map((n) => data.lines[n][0].slice(0, 200)), more = texts.length - 3;
    appeared.gone += texts.length;
    if (more > 0) texts.splice(3, more, `and ${plural(more, "line")} more`);
    texts.forEach((text, n) => found.append(make("i", {
      class: n < 3 ? "went-line" : "went-line more", "data-text": text, "aria-hidden": "true" })));
  };
  pane.rows = lines.map(([text, part], at) => {
    if (at === 0) went(-1);
    const n = numbers[at], was = were.get(n);
    const element = line(text, part, was === undefined ? undefined : data.lines[was][0]);
    if (!old.has(n)) appeared[was === undefined ? "new" : "changed"] += 1;
    element.classList.toggle("new", !old.has(n) && was === undefined);
    found.append(element);
    if (old.has(n)) went(n);
    return { element, part };
  });
  pane.numbers = numbers;
  const top = pane.pre.scrollTop;
  pane.pre.replaceChildren(found);
  pane.pre.scrollTop = top;
  const counts = Object.entries(appeared).filter(([, n]) => n);
  pane.changes.replaceChildren(...counts.flatMap(([kind, n], at) => [
    at ? ", " : "", make("span", { class: kind }, `${plural(n, "line")} ${kind}`)]));
  pane.changes.append(counts.length ? " since the previous budget" : level < 0 ? "all of the document"
    : pane === panes.right ? "within the same budget" : "as mckp encode writes it");
}

function drawSwitch(pane, name, chosen, first) {
  const labels = [];
  for (let level = first; level < levels.length; level += 1) {
    const input = make("input", { type: "radio", name, value: level });
    input.checked = level === chosen;
    const { tokens = 0, value } = level < 0 ? { tokens: data.sourceTokens } : stopOf(level);
    const title = level < 0 ? "source" : { json: "compact JSON" }[levels[level].name] ?? levels[level].name;
    const share = value === undefined ? "" : ` · ${percent(value, data.total)}`;
    const figures = tokens ? count.format(tokens) + share : "no text";
    labels.push(make("label", {}, input, make("span", {}, title), make("small", {}, figures)));
  }
  const had = pane.choice.contains(document.activeElement);
  pane.choice.replaceChildren(...labels);
  if (had) one(":checked", pane.choice).focus();
}

function drawCuts() {
  const { cuts } = stopOf(now.left);
  one("#number").textContent = cuts.length ? `in ${plural(cuts.length, "place")}` : "nothing";
  one("#cuts").replaceChildren(...cuts.map(([number, description, tokens]) => {
    const entry = make("li", { "data-n": number, tabindex: 0 });
    put(entry, description);
    entry.append(" ", make("small", {}, tokens ? plural(tokens, "token") : ""));
    return entry;
  }));
}

// ---- what is pointed at

/** One sentence: whether a part is in the text, and why. */
function why(number) {
  const part = parts[number], stop = stopOf(now.left), kept = state(number);
  const rate = density(part), price = stop.price, tokens = plural(part.tokens, "token");
  if (stop.tokens === undefined) return " is cut: no text fits this budget.";
  const first = [...states(number)].findIndex((each) => each === ALL);
  const budget = levels[now.left].stops[first]?.budget ?? null;
  const whole = budget === null ? "only without a budget" : `with a budget of ${count.format(budget)} or more`;
  const from = first < 0 ? "" : `; it is written whole ${whole}`;
  const brings = `it has a value of ${short(part.worth)} for ${tokens} of ${data.data ? "JSON" : "the source"}, ${short(rate)} per token`;
  const worth = `one more token of budget would add ${short(price)}`;
  const none = stop.status === "optimal" ? "no text within the budget keeps more value" : "mckp found no text that keeps more value";
  if (kept === ALL) {
    if (!price) return ` is in the text, because everything fits the budget: ${brings}.`;
    return rate >= price ? ` is in the text: ${brings}, and ${worth}.`
      : ` is in the text: ${brings}. Elsewhere, ${worth}, but ${none} without it.`;
  }
  const how = kept === NONE ? "is cut" : "is only partly in the text";
  return rate < price ? ` ${how}: ${brings}, and ${worth}${from}.`
    : ` ${how}: ${brings}. Elsewhere, ${worth}, but ${none} with all of it${from}.`;
}

/** Let a part stand out everywhere; `from` is the pane that is not scrolled. */
function point(number, from) {
  now.part = number;
  for (const element of document.querySelectorAll(".on")) element.classList.remove("on");
  const tree = one("#tree");
  tree.removeAttribute("aria-activedescendant");
  const said = one("#said");
  said.classList.toggle("idle", number < 0);
  if (number < 0) {
    said.textContent = "Point at a part, or at a line, to see why it is in the text or out of it.";
    return;
  }
  said.replaceChildren(make("b", {}));
  put(said.firstChild, place(number));
  said.append(why(number));
  const box = one(`#part-${number}`);
  if (box) {
    box.classList.add("on");
    box.parentNode.append(box);
    tree.setAttribute("aria-activedescendant", box.id);
  }
  for (const entry of one("#cuts").children) entry.classList.toggle("on", +entry.dataset.n === number);
  for (const pane of Object.values(panes)) {
    const rows = matching(pane.rows, number);
    for (const { element } of rows) element.classList.add("on");
    if (rows.length && pane !== from) reveal(pane.pre, rows[0].element, rows.at(-1).element);
  }
}

/** The lines of a part; if it has none, those of the least part around it that has some. */
function matching(rows, number) {
  const { end } = parts[number];
  let found = rows.filter(({ part }) => part >= number && part < end);
  for (let at = parts[number].parent; !found.length && at >= 0; at = parts[at].parent) {
    found = rows.filter(({ part }) => part === at);
  }
  return found;
}

function reveal(pre, first, last) {
  const top = first.offsetTop - pre.offsetTop, bottom = last.offsetTop + last.offsetHeight - pre.offsetTop;
  if (top < pre.scrollTop || bottom > pre.scrollTop + pre.clientHeight) pre.scrollTop = top - pre.clientHeight / 4;
}

// ---- the whole page

function draw(follows = false) {
  one("main").classList.toggle("shaded", now.shade);
  drawFigures();
  drawCurve();
  drawLegend();
  drawTree();
  drawSwitch(panes.left, "left", now.left, 0);
  drawSwitch(panes.right, "right", now.right, -1);
  drawPane(panes.left, now.left, follows);
  drawPane(panes.right, now.right, follows && now.right >= 0);
  drawCuts();
  point(now.part, panes.left);
}

function go(stop) {
  const wanted = Math.max(0, Math.min(levels[0].stops.length - 1, stop));
  if (wanted === now.stop) return;
  now.stop = wanted;
  draw(true);
}

function choose(side, level) {
  if (level >= levels.length) return;
  now[side] = level;
  draw();
}

function shade(on) {
  now.shade = one("#shade").checked = on;
  draw();
}

function enlarge(number) {
  now.root = parts[number].below.length ? number : now.root;
  drawTree();
  point(now.part);
}

/** Where an arrow leads from a part: up and down between levels, left and right beside it. */
function neighbour(key) {
  const part = parts[Math.max(now.part, now.root)];
  const beside = part.parent < 0 ? [part.number] : parts[part.parent].below, at = beside.indexOf(part.number);
  const steps = {
    ArrowUp: part.number === now.root ? part.number : part.parent, ArrowDown: part.below[0],
    ArrowLeft: beside[at - 1], ArrowRight: beside[at + 1],
  };
  return part.number === now.root && /Left|Right/.test(key) ? part.number : steps[key] ?? part.number;
}

function onKey(event) {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const { key, target } = event, inTree = target === one("#tree");
  if (inTree && /^Arrow/.test(key)) {
    now.pinned = true;
    point(now.part < 0 ? now.root : neighbour(key));
  } else if (inTree && key === "Enter" && now.part >= 0) enlarge(now.part);
  else if (inTree && key === "Backspace") enlarge(0);
  else if (target.closest("#cuts li") && key === "Enter") hold(+target.dataset.n);
  else if (/^Arrow(Left|Right)$/.test(key) && target.tagName !== "INPUT") go(now.stop + (key === "ArrowLeft" ? -1 : 1));
  else if (/^[1-9]$/.test(key)) choose("left", key - 1);
  else if (key === "v") shade(!now.shade);
  else if (key === "Escape") {
    now.pinned = false;
    point(-1);
  } else return;
  event.preventDefault();
}

function hold(number, from) {
  now.pinned = !(now.pinned && now.part === number);
  point(number, from);
}

function listen() {
  const numbered = (event) => +(event.target.closest("[data-n]")?.dataset.n ?? -1);
  const areas = [[one("#tree")], [one("#cuts")], ...Object.values(panes).map((pane) => [pane.pre, pane])];
  for (const [area, pane] of areas) {
    area.addEventListener("mouseover", (event) => {
      const number = numbered(event);
      if (!now.pinned && number >= 0 && number !== now.part) point(number, pane);
    });
    area.addEventListener("click", (event) => {
      if (numbered(event) >= 0 && !event.target.closest("button") && !String(getSelection())) hold(numbered(event), pane);
    });
  }
  one("#tree").addEventListener("dblclick", (event) => numbered(event) >= 0 && enlarge(numbered(event)));
  one("#budget").addEventListener("input", (event) => go(+event.target.value));
  one("#curve").addEventListener("click", (event) => {
    const { left, width } = one("#curve").getBoundingClientRect();
    go(Math.round(((event.clientX - left - 9) / (width - 18)) * (levels[0].stops.length - 1)));
  });
  one("#shade").addEventListener("change", (event) => shade(event.target.checked));
  one("#out").addEventListener("click", () => enlarge(0));
  for (const side of ["left", "right"]) panes[side].choice.addEventListener("change", (event) => choose(side, +event.target.value));
  document.addEventListener("keydown", onKey);
  new ResizeObserver(() => { drawCurve(); drawTree(); point(now.part, panes.left); }).observe(one("main"));
}

async function start() {
  read(await load());
  for (const side of ["left", "right"]) {
    const pane = one(`#${side}`);
    panes[side] = { pre: one("pre", pane), choice: one(".switch", pane), changes: one(".changes", pane), rows: [], numbers: [] };
  }
  const { stops } = levels[0], whole = stops.at(-1).tokens;
  now.stop = data.start;
  now.right = data.source.length ? -1 : Math.min(1, levels.length - 1);
  one("#budget").max = stops.length - 1;
  one("#least").textContent = `${count.format(stops[0].budget ?? whole)} tokens`;
  one("#most").textContent = `everything, ${plural(whole, "token")}`;
  one("#about").textContent = `${count.format(data.sourceTokens)} tokens ${data.data ? "as compact JSON" : "of source"}, counted by ${data.tokenizer}`;
  one("#measure").textContent = data.data ? "by tokens of its JSON" : "by tokens of its source";
  one("main").hidden = false;
  listen();
  draw();
  document.documentElement.dataset.ready = "yes";
}

start().catch((error) => {
  const failed = one("#failed");
  failed.textContent = `The page cannot be drawn: ${error.message}. It needs a browser of 2023 or later.`;
  failed.hidden = false;
});
