// The games of a run: each with its rules in sentences, to be played at once, and to go on with in the editor.

import { get, judgement, make, number, root, t } from "./api.js";
import { Exported } from "./exported.js";

const part = (id) => document.getElementById(id), home = document.body.dataset.studio;
const exported = new Exported(part("play"));
let shown = null;

function fail(error) {
  part("problem").textContent = error.message;
  part("problem").hidden = false;
}

async function attempt(work) {
  part("problem").hidden = true;
  try {
    await work();
  } catch (error) {
    fail(error);
  }
}

async function choose(game, button) {
  shown = game;
  for (const one of part("games").querySelectorAll("button")) one.setAttribute("aria-pressed", String(one === button));
  part("game").hidden = false;
  part("game-title").textContent = t("Game {0}", game.number + 1);
  part("sentences").replaceChildren(...game.sentences.map((text) => make("li", {}, text)));
  const parts = Object.entries(game.parts).map(([name, one]) => ({ name, ...one }));
  const told = parts.filter(({ value, weight, sentence }) => Number.isFinite(value) && Number.isFinite(weight) && sentence);
  part("parts").replaceChildren(...(told.length ? [make("h3", {}, t("Judgement")), judgement(told)] : []));
  part("source").textContent = game.text;
  await exported.play(await get(`/api/games/${game.number}/game`));
}

part("edit").addEventListener("click", () => attempt(async () => {
  const name = `${decodeURIComponent(root.split("/").at(-1))}-${shown.number}`;
  const response = await fetch(`${home}/api/draft`, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ name, text: shown.text, levels: shown.levels.slice(0, 20) }),
  });
  if (!response.ok) throw new Error((await response.json()).error);
  location.href = `${home}/?game=${encodeURIComponent(name)}`;
}));

await attempt(async () => {
  const { games } = await get("/api/games");
  part("none").hidden = games.length > 0;
  part("games").replaceChildren(...games.map((game) => {
    const button = make("button", { type: "button", "aria-pressed": "false", click: () => attempt(() => choose(game, button)) },
      make("img", { src: `${root}/api/games/${game.number}/picture.png`, alt: "" }), t("Game {0}", game.number + 1), make("span", { class: "good" }, `${t("fitness")} ${number(game.fitness)}`));
    return make("li", {}, button);
  }));
  if (games.length) await choose(games[0], part("games").querySelector("button"));
});
document.body.dataset.ready = "1";
