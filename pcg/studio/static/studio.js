// Write and play: what is written is checked by the server whenever it changes; a game without errors starts at once.

import { Game } from "../play/game.js";
import { begin, sheetOf } from "../play/page.js";

const root = document.body.dataset.root, first = JSON.parse(document.body.dataset.first);
const QUIET_MS = 60; // after the last key
const TEMPLATE = {
  text: `BasicGame
    SpriteSet
        floor > Immovable color=GRAY
        wall > Immovable color=DARKGRAY
        hero > MovingAvatar color=BLUE
        coin > Immovable color=YELLOW
    InteractionSet
        hero wall > stepBack
        coin hero > killSprite scoreChange=1
    LevelMapping
        . > floor
        w > floor wall
        A > floor hero
        c > floor coin
    TerminationSet
        SpriteCounter stype=coin limit=0 win=True
`,
  levels: ["wwwwwwww\nwA.....w\nw.ww.c.w\nw.c....w\nwwwwwwww"],
};
const find = (id) => document.getElementById(id);
const area = find("text");

/** What is being written: the game's text is part 0, its levels are those behind it. */
const work = { name: first.name, parts: [], shown: 0, findings: [] };
let page = null, kernels = null, asked = 0, answered = 0, timer = 0;

function original() {
  const from = first.text ? first : TEMPLATE;
  return [from.text, ...from.levels];
}

/** The browser keeps what is written, so nothing is lost when it or the server ends. */
function keep() {
  try { localStorage.setItem(`pcg studio ${work.name}`, JSON.stringify(work.parts)); } catch { /* it is not kept then */ }
}

function kept() {
  try {
    const parts = JSON.parse(localStorage.getItem(`pcg studio ${work.name}`));
    if (Array.isArray(parts) && parts.length && parts.every((part) => typeof part === "string")) return parts;
  } catch { /* as if there were none */ }
  return null;
}

async function post(path) {
  const [text, ...levels] = work.parts;
  const body = JSON.stringify({ name: work.name, text, levels: levels.map((level) => level.replace(/\s+$/, "")) });
  return fetch(root + path, { method: "POST", headers: { "Content-Type": "application/json" }, body });
}

/** Ask what is wrong, and play what is right; answers that were overtaken by a later one are dropped. */
async function check() {
  const number = ++asked;
  let answer;
  try {
    const response = await post("/api/game");
    answer = await response.json();
    if (!response.ok) throw new Error(answer.error);
  } catch (error) {
    answer = { findings: [{ part: "game", severity: "error", line: 0, column: 0, message: `The server does not answer: ${error.message}` }] };
  }
  if (number < answered) return;
  answered = number;
  work.findings = answer.findings.map((one) => ({ ...one, part: one.part === "game" ? 0 : one.part + 1 }));
  tell();
  find("player").classList.toggle("stale", !answer.about);
  if (!answer.about) return;
  kernels ??= await WebAssembly.compileStreaming(fetch(`${root}/kernels.wasm`));
  const data = Uint8Array.from(atob(answer.data), (char) => char.charCodeAt(0));
  const game = new Game(answer.about, [{ module: kernels, names: {} }], data);
  if (page) page.replace(game, await sheetOf(game));
  else page = await begin(find("player"), game);
  Object.assign(window, { studio: { work, page, game, version: number } });
}

/** The findings: in the list, at the numbers of the lines, and under their words. */
function tell() {
  const list = work.findings.map((one) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = one.severity;
    const where = one.part ? `Level ${one.part}` : "Game";
    button.textContent = `${where}${one.line ? `, line ${one.line}` : ""}: ${one.message}`;
    button.addEventListener("click", () => goTo(one));
    const item = document.createElement("li");
    item.append(button);
    return item;
  });
  const errors = work.findings.filter((one) => one.severity === "error").length;
  if (!errors) {
    const good = document.createElement("li");
    good.className = "good";
    good.textContent = "No errors: this is the game that you play.";
    list.unshift(good);
  }
  find("findings").replaceChildren(...list);
  draw();
  tabs();
}

function goTo({ part, line, column }) {
  choose(part);
  const lines = area.value.split("\n"), at = lines.slice(0, Math.max(0, line - 1)).join("\n").length + (line > 1 ? 1 : 0) + Math.max(0, column - 1);
  area.focus();
  area.setSelectionRange(at, at);
  area.scrollTop = Math.max(0, (line - 5) * (area.scrollHeight / lines.length));
}

/** The numbers beside the lines and the waves under words. */
function draw() {
  const lines = area.value.split("\n"), here = work.findings.filter((one) => one.part === work.shown && one.line);
  const worst = (number) => here.filter((one) => one.line === number).map((one) => one.severity).sort()[0];
  find("numbers").replaceChildren(...lines.flatMap((_, k) => {
    const number = document.createElement("span");
    number.textContent = k + 1;
    if (worst(k + 1)) number.className = worst(k + 1);
    return [number, "\n"];
  }));
  find("marks").replaceChildren(...lines.flatMap((text, k) => {
    const found = here.find((one) => one.line === k + 1);
    if (!found) return [`${text}\n`];
    const from = Math.max(0, found.column - 1), word = /^[\w.]+|^./.exec(text.slice(from))?.[0] ?? " ";
    const mark = document.createElement("mark");
    mark.className = found.severity;
    mark.textContent = word;
    return [text.slice(0, from), mark, `${text.slice(from + word.length)}\n`];
  }));
  scroll();
}

function scroll() {
  for (const id of ["marks", "numbers"]) find(id).scrollTop = area.scrollTop;
  find("marks").scrollLeft = area.scrollLeft;
}

function tabs() {
  find("tabs").replaceChildren(...work.parts.map((_, k) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = k ? `Level ${k}` : "Game";
    button.setAttribute("role", "tab");
    button.setAttribute("aria-selected", String(k === work.shown));
    if (work.findings.some((one) => one.part === k && one.severity === "error")) button.className = "wrong";
    button.addEventListener("click", () => choose(k));
    return button;
  }));
  find("remove").disabled = !work.shown || work.parts.length < 3;
}

function choose(part) {
  work.shown = part;
  area.value = work.parts[part];
  area.setAttribute("aria-label", part ? `Level ${part}` : "Text of the game");
  draw();
  tabs();
  if (part && page && page.play.number !== part - 1 && part <= page.about.levels.length) page.open(part - 1);
}

function changed() {
  work.parts[work.shown] = area.value;
  keep();
  draw();
  clearTimeout(timer);
  timer = setTimeout(check, QUIET_MS);
}

function download(name, content, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

area.addEventListener("input", changed);
area.addEventListener("scroll", scroll);
area.addEventListener("keydown", (event) => {
  if (event.key !== "Tab" || event.shiftKey || event.ctrlKey) return;
  event.preventDefault(); // Escape, then Tab leaves the field
  if (area.dataset.leave) return area.dataset.leave = "", find("add").focus();
  area.setRangeText("    ", area.selectionStart, area.selectionEnd, "end");
  changed();
});
area.addEventListener("keyup", (event) => { area.dataset.leave = event.key === "Escape" ? "1" : ""; });
find("add").addEventListener("click", () => {
  work.parts.push(work.parts.at(-1));
  keep();
  choose(work.parts.length - 1);
  check();
});
find("remove").addEventListener("click", () => {
  work.parts.splice(work.shown, 1);
  keep();
  choose(Math.min(work.shown, work.parts.length - 1));
  check();
});
find("original").addEventListener("click", () => {
  work.parts = original();
  keep();
  choose(0);
  check();
});
find("save").addEventListener("click", () => {
  work.parts.forEach((text, k) => download(k ? `${work.name}_lvl${k - 1}.txt` : `${work.name}.vgdl`, text, "text/plain"));
});
find("export").addEventListener("click", async () => {
  const response = await post("/api/page");
  if (response.ok) return download(`${work.name}.html`, await response.blob(), "text/html");
  work.findings.unshift({ part: 0, severity: "error", line: 0, column: 0, message: (await response.json()).error });
  tell();
});

work.parts = kept() ?? original();
choose(0);
check();
