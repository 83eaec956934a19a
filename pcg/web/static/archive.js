// The page of a run: the map, the level that is chosen, and the editor.

import { get, judgement, make, number, post, root, words } from "./api.js";
import { Editor } from "./editor.js";
import { HeatMap } from "./map.js";
import { Player } from "./player/player.js";
import { Replay } from "./player/replay.js";

const part = (id) => document.getElementById(id);
const TABS = ["picture", "replay", "play", "edit"];

let map = null;
let level = null; // what is shown of a run: an entry as the server tells it; null while something new is drawn
let siblings = []; // the keys of the levels in the same cell
let open = null; // a player or replay that runs
let editor = null;
let edited = null; // the key of the level that the editor began with

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
    ? `${data.left_out} level${data.left_out > 1 ? "s" : ""} without one of these measures ${data.left_out > 1 ? "are" : "is"} not on the map.`
    : "";
  map = new HeatMap(part("map"), data, (cell) => attempt(() => choose(cell.keys[0], cell.keys)));
  return data;
}

// -- a level ----------------------------------------------------------------------------------------------------------

async function choose(key, keys = [key]) {
  level = await get(`/api/levels/${key}`);
  siblings = keys;
  history.replaceState(null, "", `#${key}`);
  part("level-none").hidden = true;
  part("level-some").hidden = false;
  part("level-title").textContent = level.title;
  part("tab-replay").disabled = !level.ticks;
  for (const tab of ["picture", "replay", "play"]) part(`tab-${tab}`).hidden = false;
  part("picture").src = `${root}/api/levels/${key}/picture.png`;
  part("picture").alt = `Picture of ${level.title}`;
  showOthers(key);
  part("facts").replaceChildren(...facts(level));
  part("level-text").hidden = false;
  part("level-text").querySelector("pre").textContent = level.level;
  await showTab("picture");
  map?.mark(key);
  if (matchMedia("(max-width: 60rem)").matches) part("level").scrollIntoView({ block: "start" });
}

function showOthers(key) {
  const others = part("others");
  others.hidden = siblings.length < 2;
  if (others.hidden) return;
  const at = siblings.indexOf(key);
  const step = (by, label, sign) =>
    make("button", { type: "button", "aria-label": label, disabled: !siblings[at + by],
      click: () => attempt(() => choose(siblings[at + by], siblings)) }, sign);
  others.replaceChildren(step(-1, "better level of this cell", "◀"), `${at + 1} of ${siblings.length} in this cell`,
    step(1, "next level of this cell", "▶"));
}

function facts(entry) {
  const found = [];
  if (entry.feasible) found.push(make("p", {}, make("span", { class: "good" }, "Feasible"), `, fitness ${number(entry.fitness)}`, entry.winner ? `; won by ${entry.winner} in ${entry.ticks} ticks` : ""));
  else {
    found.push(make("p", {}, make("span", { class: "bad" }, "Not feasible"), entry.failed.length ? ":" : ""));
    if (entry.failed.length) found.push(reasons(entry.failed));
  }
  const wants = Object.entries(entry.wants);
  if (wants.length) found.push(make("p", {}, ...wants.flatMap(([name, met], k) =>
    [k ? ", " : "", make("span", { class: met ? "good" : "bad" }, met ? "achieved" : "missed"), ` ${words(name)}`])));
  if (entry.parts.length) found.push(make("h3", {}, "Judgement"), judgement(entry.parts));
  const rows = entry.metrics.map(({ name, value, help, unit }) =>
    make("tr", {}, make("th", { scope: "row" }, words(name), make("small", {}, help)), make("td", {}, `${number(value)} ${unit}`)));
  if (rows.length) found.push(make("h3", {}, "Measures"), make("table", {}, make("tbody", {}, ...rows)));
  if (entry.mechanics.length) {
    found.push(make("details", {}, make("summary", {}, "Rules that take effect in the winning play"),
      make("ul", { class: "reasons" }, ...entry.mechanics.map((name) => make("li", {}, name.replace("mechanic.", ""))))));
  }
  return found;
}

function reasons(failed) {
  return make("ul", { class: "reasons" }, ...failed.map(({ name, help, value }) =>
    make("li", {}, make("b", {}, name), `: expected that ${help || "it is kept"} (${Math.round(value * 100)} %)`)));
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
    open = new Replay(part("pane-replay").firstChild, play);
  }
  if (name === "play") open = await player(level ? { key: level.key } : { level: editor.text() });
  if (name === "edit" && level && level.key !== edited) {
    edited = level.key; // what was drawn stays while one looks at other tabs
    editor.edit(level.level);
  }
}

async function player(what) {
  const play = await post("/api/play", what);
  part("pane-play").replaceChildren(make("div", {}), make("p", { class: "hint" }, make("a", { href: play.page, target: "_blank", rel: "noopener" }, "Play on a page of its own")));
  return new Player(part("pane-play").firstChild, play.socket);
}

/** Show the editor with a level that is not of the run. */
function drawNew() {
  level = edited = null;
  history.replaceState(null, "", "#draw");
  part("level-none").hidden = true;
  part("level-some").hidden = false;
  part("level-title").textContent = "A level of your own";
  part("others").hidden = true;
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
      make("img", { src: `${root}/api/levels/${entry.key}/picture.png`, alt: "" }), entry.title,
      make("span", { class: entry.feasible ? "good" : "bad" }, entry.feasible ? `fitness ${number(entry.fitness)}` : "not feasible")))));
}

// -- beginning --------------------------------------------------------------------------------------------------------

editor = new Editor(part("editor"), {
  reasons,
  play: async () => {
    level = edited = null;
    part("level-title").textContent = "A level of your own";
    for (const tab of ["picture", "replay"]) part(`tab-${tab}`).hidden = true;
    await showTab("play");
  },
  saved: async (entry) => {
    await showDrawn();
    part("level-title").textContent = `Saved: ${entry.title}`;
  },
});
part("draw-new").addEventListener("click", () => attempt(drawNew));
part("show").addEventListener("change", () => attempt(() => showMap()));
for (const id of ["x", "y"]) part(id).addEventListener("change", () => attempt(() => showMap(part("x").value, part("y").value)));

await attempt(async () => {
  await editor.ready;
  if (part("show").options.length) await showMap();
  await showDrawn();
  const wanted = decodeURIComponent(location.hash.slice(1));
  if (wanted === "draw" || !part("show").options.length) await drawNew();
  else if (wanted) {
    const cell = map?.data.cells.find(({ keys }) => keys.includes(wanted));
    await choose(wanted, cell ? cell.keys : [wanted]);
  }
});
