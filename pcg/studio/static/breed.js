// Beginning to breed, and going on with it.

import { get, make, post, root, t } from "../static/api.js";

const part = (id) => document.getElementById(id), form = part("breeding");

function fail(error) {
  part("problem").textContent = error.message;
  part("problem").hidden = false;
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const data = new FormData(form);
  part("problem").hidden = true;
  part("start").disabled = true;
  part("status").textContent = t("Making the first levels …");
  try {
    const { name } = await post("/api/breed", {
      game: data.get("game"), population: Number(data.get("population")), seed: Number(data.get("seed")), wants: data.get("wants"),
    });
    location.href = `${root}/breed/${encodeURIComponent(name)}/`;
  } catch (error) {
    part("status").textContent = "";
    fail(error);
  } finally {
    part("start").disabled = false;
  }
});

try {
  const runs = (await get("/api/runs")).runs.filter(({ kind }) => kind === "breeding");
  part("none").hidden = runs.length > 0;
  part("runs").replaceChildren(...runs.map(({ name, game }) =>
    make("li", {}, make("h2", {}, make("a", { href: `${root}/breed/${encodeURIComponent(name)}/` }, name)), make("p", {}, game))));
} catch (error) {
  fail(error);
}
document.body.dataset.ready = "1";
