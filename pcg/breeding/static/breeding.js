// The page of breeding by eye: what is shown comes from the server after everything that is said.
import { get, make, number, post, root, t, words } from "../static/api.js";
import { Player } from "../static/player/player.js";

const part = (id) => document.getElementById(id);
const picture = (level) => `${root}/api/levels/${level}/picture.png`;

let population = null;
let player = null;

let last = Promise.resolve();

/**
 * Do something on the server and show what came of it, after whatever was begun before: an earlier answer that came
 * later would show what was known before.
 */
function attempt(work) {
  last = last.then(() => attemptNow(work));
  return last;
}

/** The same at once; mistakes are told at the page's problem line. */
async function attemptNow(work) {
  part("problem").hidden = true;
  part("population").classList.add("busy");
  try {
    show(await work());
  } catch (error) {
    part("problem").textContent = error.message;
    part("problem").hidden = false;
  } finally {
    part("population").classList.remove("busy");
  }
}

function show(fresh) {
  const next = population === null || fresh.generation !== population.generation;
  population = fresh;
  part("generation").textContent = population.generation + 1;
  if (next) part("population").replaceChildren(...population.levels.map(card));
  for (const level of population.levels) {
    const box = document.querySelector(`[data-like="${level.number}"]`);
    if (box && box !== document.activeElement) box.checked = level.liked;
  }
  part("breed").disabled = population.said === 0;
  part("said").textContent = population.said ? t("{0} {0|judgement|judgements} on this generation", population.said) : "";
  showPair();
  showTaste();
  part("best").hidden = !population.best.length;
  part("best-list").replaceChildren(...population.best.map((level, place) =>
    make("li", {}, make("button", { type: "button", click: () => play(level) },
      make("img", { src: picture(level), alt: "" }), `${place + 1}: ${t("Level {0}", level)}`))));
}

function card(level) {
  const born = level.parents.length ? t("child of {0}", level.parents.join(t(" and "))) : t("new ({0})", level.origin);
  const box = make("input", { type: "checkbox", "data-like": level.number, change: like });
  box.checked = level.liked;
  return make("li", {},
    make("img", { class: "pixels", src: picture(level.number), alt: t("Level {0}", level.number) }),
    make("p", {}, `${t("Level {0}", level.number)}, ${level.born < population.generation ? t("stays on") : born}`),
    make("div", { class: "acts" },
      make("label", {}, box, t("I like it")),
      make("button", { type: "button", "aria-label": t("Play level {0}", level.number), click: () => play(level.number) }, t("Play"))));
}

function like() {
  const liked = [...document.querySelectorAll("[data-like]:checked")].map((box) => Number(box.dataset.like));
  attempt(() => post("/api/liked", { liked }));
}

function showPair() {
  part("compare").hidden = population.pair === null;
  if (population.pair === null) return;
  for (const [side, level] of [["left", population.pair[0]], ["right", population.pair[1]]]) {
    part(side).src = picture(level);
    part(side).alt = t("Level {0}", level);
  }
}

function showTaste() {
  if (!population.preference.length) {
    part("preference").replaceChildren(make("p", { class: "hint" }, population.counted || population.said ? t("Nothing that is sure yet.") : t("Nothing is known yet.")));
    return;
  }
  const most = Math.max(...population.preference.map(({ weight }) => Math.abs(weight)));
  part("preference").replaceChildren(make("table", {}, ...population.preference.map(({ name, weight, help }) => {
    const bar = make("span", { class: weight < 0 ? "bar less" : "bar", "aria-hidden": "true" });
    bar.style.width = `${(6 * Math.abs(weight)) / most}rem`;
    return make("tr", {}, make("th", { scope: "row" }, t(weight < 0 ? "less {0}" : "more {0}", words(name)), make("small", {}, help)),
      make("td", {}, bar, ` ${number(weight)}`));
  })));
}

async function play(level) {
  try {
    const opened = await post("/api/play", { number: level });
    player?.close();
    part("playing").hidden = false;
    part("playing-number").textContent = level;
    part("player").replaceChildren(make("div"));
    player = new Player(part("player").firstChild, opened.socket);
    part("playing").scrollIntoView({ block: "nearest" });
  } catch (error) {
    part("problem").textContent = error.message;
    part("problem").hidden = false;
  }
}

part("stop").addEventListener("click", () => {
  player?.close();
  player = null;
  part("playing").hidden = true;
});
for (const button of document.querySelectorAll("[data-answer]")) {
  button.addEventListener("click", () => {
    const [first, second] = population.pair; // those that are seen now
    attempt(() => post("/api/vote", { first, second, answer: button.dataset.answer }));
  });
}
part("breed").addEventListener("click", async () => {
  part("breed").disabled = true;
  part("said").textContent = t("Breeding …");
  await attempt(() => post("/api/breed", { generation: population.generation }));
  part("population").focus({ preventScroll: true });
  window.scrollTo({ top: 0 });
});
attempt(() => get("/api/population"));
