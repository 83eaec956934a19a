// Generating: what is chosen is a command, which the server starts; the run that it makes is watched as it grows.

import { get, make, number, post, root, t, words } from "../static/api.js";

const LOOK_MS = 800; // between two looks at a run that is under way
const form = document.getElementById("choice"), part = (id) => document.getElementById(id);
const sliders = JSON.parse(form.dataset.sliders);
const GROUPS = { text: "Of the level", play: "Of the winning play", agents: "Of the plays of agents" };
const KEPT = ["what", "game", "other", "generator", "count", "seed", "budget", "unit"];

let watched = "", timer = 0, asking = 0;

function fail(error) {
  part("problem").textContent = error?.message ?? "";
  part("problem").hidden = !error;
}

async function attempt(work) {
  fail(null);
  try {
    return await work();
  } catch (error) {
    fail(error);
    return null;
  }
}

// -- the choice -------------------------------------------------------------------------------------------------------

function choice() {
  const data = new FormData(form), what = data.get("what");
  const whole = (name) => Number(data.get(name)) || 0;
  return {
    what, game: data.get("game"), others: what === "games" && data.get("other") ? [data.get("other")] : [],
    generator: what === "levels" || what === "course" ? data.get("generator") : "",
    count: whole("count"), seed: whole("seed"), budget: whole("budget"), unit: data.get("unit"),
    wants: [...part("wants").children].map((item) => item.want()).join(", "), sketch: data.get("sketch"),
  };
}

/** Show what belongs to what is made, and the command; kept by the browser until the next visit. */
async function changed() {
  const { what } = choice(), number = ++asking;
  for (const element of form.querySelectorAll("[data-for]")) element.hidden = !element.dataset.for.split(" ").includes(what);
  try {
    localStorage.setItem("pcg generate", JSON.stringify(Object.fromEntries(KEPT.map((name) => [name, form.elements[name].value]))));
  } catch { /* then it is not kept */ }
  await attempt(async () => {
    const { command } = await post("/api/command", choice());
    if (number === asking) part("command").textContent = command;
  });
}

function restore() {
  const query = new URLSearchParams(location.search);
  try {
    const kept = JSON.parse(localStorage.getItem("pcg generate")) ?? {};
    for (const [name, value] of Object.entries(kept)) {
      const field = form.elements[name];
      if (name === "game" && query.has("game")) continue;
      if (field instanceof RadioNodeList || [...(field.options ?? [])].some((one) => one.value === value) || field.tagName === "INPUT") field.value = value;
    }
  } catch { /* as it comes */ }
  if (query.has("sketch")) {
    form.elements.sketch.value = sessionStorage.getItem("pcg sketch") ?? "";
    part("sketching").open = true;
    if (!["levels", "course"].includes(form.elements.what.value)) form.elements.what.value = "levels";
  }
}

/** A want: a measure that is to be at least, at most, or exactly what its slider says. */
function want({ name, help, low, high, step, unit }) {
  const id = `want-${name}`, start = step === 1 ? Math.round(low + (high - low) / 4) : (low + high) / 2;
  const slider = make("input", { type: "range", min: low, max: high, step, value: start, id, "aria-label": words(name) });
  const kind = make("select", { "aria-label": t("kind of want for {0}", words(name)) },
    make("option", { value: ">=" }, t("at least")), make("option", { value: "<=" }, t("at most")), make("option", { value: "=" }, t("exactly")));
  const shown = make("output", { for: id });
  const show = () => (shown.textContent = `${number(Number(slider.value))} ${t(unit)}`);
  const item = make("li", {}, make("label", { for: id, title: help }, words(name)), kind, slider, shown,
    make("button", { type: "button", "aria-label": t("Leave {0} out", words(name)), click: () => { item.remove(); changed(); } }, "✕"));
  item.name = name;
  item.want = () => `${name}${kind.value}${slider.value}`;
  slider.addEventListener("input", show);
  show();
  return item;
}

for (const [group, title] of Object.entries(GROUPS)) {
  part("measure").append(make("optgroup", { label: t(title) },
    ...sliders.filter((one) => one.group === group).map(({ name, help }) => make("option", { value: name, title: help }, words(name)))));
}
part("measure").value = "enemies";
part("add-want").addEventListener("click", () => {
  const about = sliders.find(({ name }) => name === part("measure").value);
  const there = [...part("wants").children].find((item) => item.name === about.name);
  if (!there) part("wants").append(want(about));
  document.getElementById(`want-${about.name}`).focus();
  changed();
});
form.addEventListener("change", changed);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(async () => {
    part("start").disabled = true;
    try {
      const { name } = await post("/api/runs", choice());
      await list(name);
      part("watched").scrollIntoView({ block: "nearest" });
    } finally {
      part("start").disabled = false;
    }
  });
});
part("copy").addEventListener("click", () => attempt(async () => {
  await navigator.clipboard.writeText(part("command").textContent);
  part("copy").textContent = t("Copied");
}));

// -- watching ---------------------------------------------------------------------------------------------------------

async function list(name = watched) {
  const runs = (await get("/api/runs")).runs.filter(({ kind }) => kind !== "breeding");
  part("none").hidden = runs.length > 0;
  part("run").replaceChildren(...runs.map((run) => make("option", { value: run.name }, run.name)));
  watched = runs.some((run) => run.name === name) ? name : (runs[0]?.name ?? "");
  part("run").value = watched;
  part("watched").hidden = !watched;
  if (watched) await look();
}

async function look() {
  clearTimeout(timer);
  const name = watched;
  const state = await get(`/api/runs/${encodeURIComponent(name)}/state`);
  if (name !== watched) return;
  show(state);
  if (state.running) timer = setTimeout(() => attempt(look), LOOK_MS);
}

const STOPPED = { evaluations: "finished", seconds: "finished", enough: "finished", interrupted: "stopped" };

function show(state) {
  const ended = state.running ? (state.kind ? t("under way") : t("beginning …")) : t(STOPPED[state.stopped] ?? (state.problem ? "failed" : "stopped"));
  const figures = state.kind ? [t("{0} tried, {1} feasible", state.tried, state.feasible)] : [];
  if (state.best) figures.push(t("best {0}", number(state.best.fitness)));
  if (state.results) figures.push(t("{0} kept", state.results));
  part("status").textContent = [`${state.name}: ${ended}`, ...figures].join("; ");
  part("share").value = state.share ?? 0;
  part("stop").disabled = !state.running;
  part("go-on").disabled = state.running || !state.kind;
  part("to-run").hidden = !state.kind;
  part("to-run").href = `${root}/runs/${encodeURIComponent(state.name)}/`;
  part("failure").hidden = !state.problem;
  part("failure").textContent = state.problem;
  part("run-command").textContent = state.command;
  part("run-command-line").hidden = part("run-command-title").hidden = !state.command;
  showBest(state);
  part("curve").hidden = !state.curve?.length;
  if (state.curve?.length) drawCurve(part("curve").querySelector("canvas"), state);
  part("cells").hidden = !state.map?.cells.length;
  if (state.map?.cells.length) drawCells(part("cells"), state.map);
}

function showBest(state) {
  const figure = part("best");
  figure.hidden = !(state.best && state.kind === "levels");
  if (figure.hidden) return;
  const source = `${root}/runs/${encodeURIComponent(state.name)}/api/levels/tried-${state.best.number}/picture.png`;
  const image = figure.querySelector("img");
  if (image.getAttribute("src") !== source) image.src = source;
  figure.querySelector("figcaption").textContent = t("The best so far: candidate {0}, fitness {1}", state.best.number, number(state.best.fitness));
}

const colour = (name) => getComputedStyle(document.body).getPropertyValue(name);

function drawCurve(canvas, { curve, tried }) {
  const pen = canvas.getContext("2d"), { width, height } = canvas, low = Math.min(0.5, curve[0][1]), edge = 34;
  const x = (n) => edge + ((width - edge - 10) * n) / Math.max(1, tried), y = (v) => height - 24 - ((height - 36) * (v - low)) / (1 - low || 1);
  pen.clearRect(0, 0, width, height);
  pen.font = "13px system-ui, sans-serif";
  pen.fillStyle = pen.strokeStyle = colour("--soft");
  pen.textAlign = "right";
  for (const value of [low, 1]) pen.fillText(number(value), edge - 6, y(value) + 4);
  pen.fillText(String(tried), width - 8, height - 6);
  pen.strokeStyle = colour("--line");
  pen.strokeRect(edge, y(1), width - edge - 10, y(low) - y(1));
  pen.strokeStyle = colour("--accent");
  pen.lineWidth = 2.5;
  pen.beginPath();
  pen.moveTo(x(curve[0][0]), y(curve[0][1]));
  curve.forEach(([n, value], k) => {
    if (k) pen.lineTo(x(n), y(curve[k - 1][1]));
    pen.lineTo(x(n), y(value));
  });
  pen.lineTo(x(tried), y(curve.at(-1)[1]));
  pen.stroke();
  canvas.setAttribute("aria-label", t("the best fitness rose from {0} to {1} in {2} {2|try|tries}", number(curve[0][1]), number(curve.at(-1)[1]), tried));
}

function drawCells(figure, map) {
  const canvas = figure.querySelector("canvas"), pen = canvas.getContext("2d");
  const columns = map.x.edges.length - 1, rows = map.y.edges.length - 1, side = canvas.width / columns;
  canvas.height = Math.min(280, Math.round((canvas.width * rows) / columns));
  const tall = canvas.height / rows, good = map.cells.filter((cell) => cell.feasible).map((cell) => cell.fitness);
  const low = Math.min(...good, 1), high = Math.max(...good, 0);
  pen.fillStyle = colour("--empty");
  pen.fillRect(0, 0, canvas.width, canvas.height);
  for (const { i, j, fitness, feasible } of map.cells) {
    const share = high > low ? (fitness - low) / (high - low) : 1;
    pen.fillStyle = feasible ? `hsl(${250 - 190 * share} 65% ${35 + 25 * share}%)` : "#767b88";
    pen.fillRect(i * side + 1, canvas.height - (j + 1) * tall + 1, side - 2, tall - 2);
  }
  const told = t("{0} of {1} cells filled: {2} across, {3} up", map.filled, map.total, words(map.x.name), words(map.y.name));
  figure.querySelector("figcaption").textContent = told;
  canvas.setAttribute("aria-label", told);
}

part("run").addEventListener("change", () => {
  watched = part("run").value;
  attempt(look);
});
part("stop").addEventListener("click", () => attempt(async () => {
  part("stop").disabled = true;
  await post(`/api/runs/${encodeURIComponent(watched)}/stop`, {});
  await look();
}));
part("go-on").addEventListener("click", () => attempt(async () => {
  await post(`/api/runs/${encodeURIComponent(watched)}/go-on`, { budget: Number(part("more").value) || 0, unit: part("more-unit").value });
  await look();
}));

restore();
await changed();
await attempt(() => list(new URLSearchParams(location.search).get("run") ?? ""));
document.body.dataset.ready = "1";
