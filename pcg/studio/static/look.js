// All runs of the folder, the latest first.

import { get, make, number, root, t } from "../static/api.js";

const part = (id) => document.getElementById(id);
const KINDS = { levels: "levels", rules: "rules", games: "games", breeding: "bred levels" };

function card(run) {
  const address = `${root}/${run.kind === "breeding" ? "breed" : "runs"}/${encodeURIComponent(run.name)}/`;
  const told = [t(KINDS[run.kind] ?? "beginning …"), run.game, run.generator, run.tried ? t("{0} tried, {1} feasible", run.tried, run.feasible) : "",
    run.best ? t("best {0}", number(run.best.fitness)) : "", run.running ? t("under way") : ""].filter(Boolean);
  const children = [make("h2", {}, run.kind ? make("a", { href: address }, run.name) : run.name), make("p", {}, told.join(", "))];
  if (run.kind === "levels" && run.best) {
    children.unshift(make("img", { src: `${address}api/levels/tried-${run.best.number}/picture.png?tile=8`, alt: "", loading: "lazy" }));
  }
  if (run.kind !== "levels" && run.results) children.unshift(make("img", { src: `${address}api/games/0/picture.png`, alt: "", loading: "lazy" }));
  if (run.problem) children.push(make("p", { class: "error" }, run.problem));
  if (run.command) children.push(make("code", {}, run.command));
  return make("li", {}, ...children);
}

try {
  const { runs } = await get("/api/runs");
  part("runs").replaceChildren(...runs.map(card));
  part("none").hidden = runs.length > 0;
} catch (error) {
  part("problem").textContent = error.message;
  part("problem").hidden = false;
}
document.body.dataset.ready = "1";
