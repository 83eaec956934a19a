// The page of a run: the map, the level that is chosen, the editor, and what a person says of levels.

import { get, judgement, make, number, post, root, t, titled, words } from "./api.js";
import { Comparison } from "./compare.js";
import { Editor } from "./editor.js";
import { Exported } from "./exported.js";
import { HeatMap } from "./map.js";
import { Player } from "./player/player.js";
import { Replay } from "./player/replay.js";

const part = (id) => document.getElementById(id);
const TABS = ["picture", "replay", "play", "edit"];
const GALLERY = 24; // levels of the gallery
const picture = (key, tile = 16) => `${root}/api/levels/${key}/picture.png?tile=${tile}`;

let map = null;
let level = null; // what is shown of a run: an entry as the server tells it; null while something new is drawn
let siblings = []; // the keys of the levels in the same cell
let open = null; // a player or replay that runs
let editor = null;
let edited = null; // the key of the level that the editor began with
let shown = null; // the levels of the map, as the server told them
const exported = new Exported(part("pane-play"));
const comparison = new Comparison({ part, attempt, show: (key) => attempt(() => choose(key)), picture });

function fail(error) {
  part("level-error").textContent = error.message;
  part("level-error").hidden = false;
}

/** Do something that asks the server; errors are told on the page. */
async function attempt(work) {
  part("level-error").hidden = true;
  try {
    return await work();
  } catch (error) {
    fail(error);
    return null;
  }
}

// -- the map ----------------------------------------------------------------------------------------------------------

async function showMap(x = "", y = "") {
  const query = new URLSearchParams({ show: part("show").value, x, y });
  const data = await get(`/api/archive?${query}`);
  for (const [id, axis] of [["x", data.x], ["y", data.y]]) {
    part(id).replaceChildren(
      ...data.names.map(({ name, help }) => make("option", { value: name, title: help, selected: name === axis.name }, words(name))),
    );
  }
  part("map-hint").textContent = data.left_out
    ? t("{0} {0|level without one of these measures is|levels without one of these measures are} not on the map.", data.left_out)
    : "";
  shown = data;
  for (const option of part("show").options) {
    const size = data.groups[option.value];
    if (size !== undefined) option.textContent = option.textContent.replace(/\(\d+\)$/, `(${size})`);
  }
  drawMap();
  showGallery();
  return data;
}

function drawMap() {
  const small = shown.x.edges.length > 26 || !part("thumbs").checked;
  map = new HeatMap(part("map"), shown, (cell) => attempt(() => choose(cell.keys[0], cell.keys)), small ? null : (key) => picture(key, 4));
  if (level) map.mark(level.key);
}

/** The best of what the map shows, best first. */
function best() {
  return [...shown.cells].sort((a, b) => b.feasible - a.feasible || b.fitness - a.fitness);
}

function showGallery() {
  const cell = (key) => shown.cells.find(({ keys }) => keys.includes(key));
  const course = shown.course.map((key) => cell(key) && { ...cell(key), keys: [key] }).filter(Boolean);
  const cells = course.length ? course : best().slice(0, GALLERY);
  part("gallery-title").textContent = course.length ? t("The course, in order") : t("Gallery");
  part("gallery").hidden = cells.length < 2;
  part("gallery-list").replaceChildren(...cells.map((cell, k) =>
    make("li", {}, make("button", { type: "button", click: () => attempt(() => choose(cell.keys[0], cell.keys)) },
      make("img", { src: picture(cell.keys[0], 8), alt: "", loading: "lazy" }), `${k + 1}.`,
      make("span", { class: cell.feasible ? "good" : "bad" }, cell.feasible ? `${t("fitness")} ${number(cell.fitness)}` : t("not feasible"))))));
}

/** The other groups have changed: a star or a level thrown away. */
function regroup(groups) {
  const select = part("show");
  for (const [group, name] of [["starred", t("starred")], ["discarded", t("thrown away")]]) {
    let option = [...select.options].find((one) => one.value === group);
    if (groups[group] && !option) select.append(option = make("option", { value: group }));
    if (option && groups[group]) option.textContent = `${name} (${groups[group]})`;
    if (option && !groups[group]) option.remove();
  }
}

// -- a level ----------------------------------------------------------------------------------------------------------

async function choose(key, keys = [key], here = true) {
  level = await get(`/api/levels/${key}`);
  siblings = keys;
  history.replaceState(null, "", `#${key}`);
  part("level-none").hidden = true;
  part("level-some").hidden = false;
  part("level-title").textContent = titled(level.title);
  part("tab-replay").disabled = !level.ticks;
  for (const tab of ["picture", "replay", "play"]) part(`tab-${tab}`).hidden = false;
  part("picture").src = picture(key);
  part("picture").alt = t("Picture of {0}", titled(level.title));
  part("level-marks").hidden = false;
  showMarks();
  showOthers(key);
  part("facts").replaceChildren(...facts(level));
  part("level-text").hidden = false;
  part("level-text").querySelector("pre").textContent = level.level;
  await showTab("picture");
  map?.mark(key);
  comparison.chosen(level);
  if (here && matchMedia("(max-width: 60rem)").matches) part("level").scrollIntoView({ block: "start" });
}

function showMarks() {
  part("star").setAttribute("aria-pressed", level.starred);
  part("star").textContent = level.starred ? `★ ${t("Starred")}` : `☆ ${t("Star")}`;
  part("discard").textContent = level.discarded ? t("Take back") : t("Throw away");
}

async function mark(what, on) {
  const answer = await post(`/api/${what}`, { key: level.key, on });
  Object.assign(level, { starred: answer.starred, discarded: answer.discarded });
  showMarks();
  regroup(answer.groups);
  await showStarred();
}

async function showStarred() {
  const count = [...part("show").options].some((option) => option.value === "starred");
  const data = count ? await get("/api/archive?show=starred") : { cells: [] };
  const keys = data.cells.flatMap((cell) => cell.keys).sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  part("starred").hidden = !keys.length;
  part("export-starred").href = `${root}/api/page?starred=1`;
  part("starred-list").replaceChildren(...keys.map((key, k) =>
    make("li", {}, make("button", { type: "button", click: () => attempt(() => choose(key, keys)) },
      make("img", { src: `${picture(key, 8)}&new=${Date.now()}`, alt: "" }), `★ ${k + 1}`))));
}

function showOthers(key) {
  const others = part("others");
  others.hidden = siblings.length < 2;
  if (others.hidden) return;
  const at = siblings.indexOf(key);
  const step = (by, label, sign) =>
    make("button", { type: "button", "aria-label": t(label), disabled: !siblings[at + by],
      click: () => attempt(() => choose(siblings[at + by], siblings)) }, sign);
  others.replaceChildren(step(-1, "better level of this cell", "◀"), t("{0} of {1} in this cell", at + 1, siblings.length),
    step(1, "next level of this cell", "▶"));
}

const GROUPS = { text: "Of the level", play: "Of the winning play", agents: "Of the plays of agents", judgement: "Of the judge" };

function facts(entry) {
  const found = [];
  if (entry.teaches) found.push(make("p", { class: "lead" }, entry.teaches));
  if (entry.feasible) found.push(make("p", {}, make("span", { class: "good" }, t("Feasible")), `, ${t("fitness")} ${number(entry.fitness)}`, entry.winner ? t("; won by {0} in {1} {1|tick|ticks}", entry.winner, entry.ticks) : ""));
  else {
    found.push(make("p", {}, make("span", { class: "bad" }, t("Not feasible")), entry.failed.length ? ":" : ""));
    if (entry.failed.length) found.push(reasons(entry.failed));
  }
  const wants = Object.entries(entry.wants);
  if (wants.length) found.push(make("p", {}, ...wants.flatMap(([name, met], k) =>
    [k ? ", " : "", make("span", { class: met ? "good" : "bad" }, met ? t("achieved") : t("missed")), ` ${words(name)}`])));
  if (entry.parts.length) found.push(make("h3", {}, t("Judgement")), judgement(entry.parts));
  const groups = Object.entries(GROUPS).map(([group, title]) => [title, entry.metrics.filter((one) => one.group === group)]).filter(([, list]) => list.length);
  if (groups.length) found.push(make("h3", {}, t("Measures")));
  groups.forEach(([title, list], k) => found.push(make("details", { open: k === 0 }, make("summary", {}, `${t(title)} (${list.length})`), measures(list))));
  if (entry.mechanics.length) {
    found.push(make("details", {}, make("summary", {}, t("Rules that take effect in the winning play")),
      make("ul", { class: "reasons" }, ...entry.mechanics.map((name) => make("li", {}, name.replace("mechanic.", ""))))));
  }
  return found;
}

function measures(list) {
  return make("table", {}, make("tbody", {}, ...list.map(({ name, value, help, unit }) =>
    make("tr", {}, make("th", { scope: "row" }, words(name.replace("quality.", "")), make("small", {}, help)), make("td", {}, `${number(value)} ${t(unit)}`)))));
}

function reasons(failed) {
  return make("ul", { class: "reasons" }, ...failed.map(({ name, help, value }) =>
    make("li", {}, make("b", {}, name), t(": expected that {0} ({1} %)", help || t("it is kept"), Math.round(value * 100)))));
}

// -- tabs -------------------------------------------------------------------------------------------------------------

async function showTab(name) {
  open?.close();
  open = null;
  for (const tab of TABS) {
    const chosen = tab === name;
    part(`tab-${tab}`).setAttribute("aria-selected", chosen);
    part(`tab-${tab}`).tabIndex = chosen ? 0 : -1;
    part(`pane-${tab}`).hidden = !chosen;
  }
  part("facts").hidden = part("level-text").hidden = name === "edit" || (name === "play" && !level);
  if (name === "replay") {
    const play = await get(`/api/levels/${level.key}/replay`);
    part("pane-replay").replaceChildren(make("div"));
    open = new Replay(part("pane-replay").firstChild, play, {
      NIL: t("waits"), UP: t("up"), LEFT: t("left"), DOWN: t("down"), RIGHT: t("right"), USE: t("uses"),
      score: t("score"), action: t("action"), picture: t("the recorded play"), run: t("Run"), stop: t("Stop"),
      back: t("one tick back"), next: t("one tick on"), tick: t("tick"), of: t("of"),
    });
  }
  if (name === "play") open = await player(level ? { key: level.key } : { level: editor.text() });
  if (name === "edit" && level && level.key !== edited) {
    edited = level.key; // what was drawn stays while one looks at other tabs
    editor.edit(level.level);
  }
}

/** Play in the page; where it cannot, on the server. */
async function player(what) {
  if (Exported.possible) {
    try {
      return await exported.play("key" in what ? await get(`/api/levels/${what.key}/game`) : await post("/api/game", what));
    } catch (error) {
      console.info(`played on the server: ${error.message}`);
    }
  }
  const play = await post("/api/play", what);
  exported.forget();
  part("pane-play").replaceChildren(make("div", {}), make("p", { class: "hint" }, make("a", { href: play.page, target: "_blank", rel: "noopener" }, t("Play on a page of its own"))));
  return new Player(part("pane-play").firstChild, play.socket);
}

/** Show the editor with a level that is not of the run. */
function drawNew() {
  level = edited = null;
  history.replaceState(null, "", "#draw");
  part("level-none").hidden = true;
  part("level-some").hidden = false;
  part("level-title").textContent = t("A level of your own");
  part("others").hidden = part("level-marks").hidden = true;
  for (const tab of ["picture", "replay"]) part(`tab-${tab}`).hidden = true;
  return showTab("edit");
}

for (const tab of TABS) part(`tab-${tab}`).addEventListener("click", () => attempt(() => showTab(tab)));
part("tabs").addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const usable = TABS.filter((tab) => !part(`tab-${tab}`).disabled && !part(`tab-${tab}`).hidden);
  const at = usable.findIndex((tab) => part(`tab-${tab}`) === document.activeElement);
  const next = part(`tab-${usable[(at + step + usable.length) % usable.length]}`);
  next.focus();
  next.click();
});

// -- levels drawn here ------------------------------------------------------------------------------------------------

async function showDrawn() {
  const { levels } = await get("/api/drawn");
  part("drawn").hidden = !levels.length;
  part("drawn-list").replaceChildren(...levels.map((entry) =>
    make("li", {}, make("button", { type: "button", click: () => attempt(() => choose(entry.key)) },
      make("img", { src: picture(entry.key, 8), alt: "" }), titled(entry.title),
      make("span", { class: entry.feasible ? "good" : "bad" }, entry.feasible ? `${t("fitness")} ${number(entry.fitness)}` : t("not feasible"))))));
}

// -- beginning --------------------------------------------------------------------------------------------------------

editor = new Editor(part("editor"), {
  play: async () => {
    level = edited = null;
    part("level-title").textContent = t("A level of your own");
    part("level-marks").hidden = true;
    for (const tab of ["picture", "replay"]) part(`tab-${tab}`).hidden = true;
    await showTab("play");
  },
  saved: async (entry) => {
    await showDrawn();
    part("level-title").textContent = t("Saved: {0}", titled(entry.title));
  },
});
part("star").addEventListener("click", () => attempt(() => mark("star", !level.starred)));
part("discard").addEventListener("click", () => attempt(() => mark("discard", !level.discarded)));
part("pin").addEventListener("click", () => comparison.pin(level));
part("thumbs").addEventListener("change", () => shown && drawMap());
part("study")?.addEventListener("click", () => attempt(async () => {
  part("study").disabled = true;
  try {
    const home = document.body.dataset.studio, run = decodeURIComponent(root.split("/").at(-1));
    const response = await fetch(`${home}/api/study`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ run }) });
    const made = await response.json();
    if (!response.ok) throw new Error(made.error);
    part("study-made").replaceChildren(make("p", {}, t("A study of {0} {0|level|levels} is in {1}. Its command, and the one that begins it:", made.items, made.folder)),
      make("pre", { tabindex: 0 }, `${made.command}\n${made.serve}`));
  } finally {
    part("study").disabled = false;
  }
}));
part("draw-new").addEventListener("click", () => attempt(drawNew));
part("show").addEventListener("change", () => attempt(() => showMap()));
for (const id of ["x", "y"]) part(id).addEventListener("change", () => attempt(() => showMap(part("x").value, part("y").value)));

await attempt(async () => {
  const { start } = await editor.load();
  editor.edit(start);
  if (part("show").options.length) await showMap();
  await showDrawn();
  await showStarred();
  await comparison.refresh();
  const [wanted, tab] = decodeURIComponent(location.hash.slice(1)).split("/"); // as reports link levels: #kept-3/edit
  if (wanted === "draw" || !part("show").options.length) await drawNew();
  else if (wanted) {
    const cell = map?.data.cells.find(({ keys }) => keys.includes(wanted));
    await choose(wanted, cell ? cell.keys : [wanted]);
    if (TABS.includes(tab)) await showTab(tab);
  } else if (shown?.cells.length) await choose(best()[0].keys[0], best()[0].keys, false);
});
