// The editor of a run's levels in a file of its own: drawing and saving, without a server. The address names the level.

import { make } from "./api.js";
import { Editor } from "./editor.js";

const about = JSON.parse(document.getElementById("about").textContent);
const part = (id) => document.getElementById(id);
const drafts = new Map(); // by level: its text as it was left
const saved = new Map(); // by level: the text that was last saved or copied

const editor = new Editor(part("editor"), { changed });
editor.served = false;
let level = null;

const named = () => level.file.replace(/\.txt$/, "-edited.txt");

/** Tell what is unlike the level, and what no level of the game is without. */
function changed(text) {
  if (!level) return;
  drafts.set(level.id, text);
  const before = level.text.split("\n"), now = text.split("\n"), line = part("solved");
  const same = before.length === now.length && before[0].length === now[0].length;
  const count = now.reduce((sum, row, y) => sum + [...row].filter((char, x) => char !== before[y]?.[x]).length, 0);
  const cells = [...text.replaceAll("\n", "")];
  const unknown = new Set(cells.filter((char) => !editor.tiles.index.has(char)));
  const avatars = editor.choices.filter((one) => "single" in one.dataset);
  const heroes = cells.filter((char) => avatars.some((one) => one.dataset.char === char)).length;
  const faults = [
    ...(unknown.size ? [`The game has no ${[...unknown].join(" ")}.`] : []),
    ...(avatars.length && heroes !== 1 ? [`${heroes || "No"} ${heroes > 1 ? "cells have" : "cell has"} an avatar (${avatars.map((one) => one.dataset.name).join(", ")}): a level has one.`] : []),
  ];
  line.textContent = faults.join(" ") || (!same ? `Now ${now[0].length} by ${now.length} cells.` : count === 1 ? "One cell is changed." : count ? `${count} cells are changed.` : "As it was made.");
  line.classList.toggle("bad", faults.length > 0);
}

function show() {
  level = about.levels.find(({ id }) => id === location.hash.slice(1)) ?? about.levels[0];
  part("level").value = level.id;
  document.title = `${level.file} – ${about.game}`;
  const draft = drafts.get(level.id);
  editor.edit(level.text);
  if (draft !== undefined && draft !== level.text) editor.set(draft.split("\n").map((row) => [...row]));
  part("commands").textContent = [
    `pcg play levels/game.vgdl --level ${named()} --browser`, `pcg measure levels/game.vgdl ${named()} --explain`,
    `pcg repair levels/game.vgdl ${named()}`,
  ].join("\n");
}

function save() {
  const link = make("a", { href: URL.createObjectURL(new Blob([`${editor.text()}\n`], { type: "text/plain" })), download: named() });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  saved.set(level.id, editor.text());
  part("told").textContent = `Saved as ${named()} where your browser puts downloads.`;
}

async function copy() {
  await navigator.clipboard.writeText(`${editor.text()}\n`);
  saved.set(level.id, editor.text());
  part("told").textContent = "Copied.";
}

await editor.take(about, about.pictures);
part("level").append(...about.levels.map(({ id, title }) => make("option", { value: id }, title)));
part("level").addEventListener("change", () => (location.hash = part("level").value));
part("save-file").addEventListener("click", save);
part("copy").addEventListener("click", () => editor.attempt(copy));
part("again").addEventListener("click", () => editor.set(level.text.split("\n").map((row) => [...row])));
window.addEventListener("hashchange", show);
window.addEventListener("beforeunload", (event) => {
  const kept = ({ id, text }) => [undefined, text, saved.get(id)].includes(drafts.get(id));
  if (!about.levels.every(kept)) event.preventDefault();
});
show();
