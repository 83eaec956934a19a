// Write, paint and play: what is written is checked by the server whenever it changes; a game without errors starts at
// once. The browser keeps every change, and the server keeps it in its folder.

import { Game } from "../exported/game.js";
import { begin, sheetOf } from "../exported/page.js";
import { root, t } from "../static/api.js";
import { Editor, OPEN } from "../static/editor.js";
import { Help, coloured } from "./help.js";

const first = JSON.parse(document.getElementById("studio").dataset.first);
const QUIET_MS = 30; // after the last key
const KEEP_MS = 400; // after the last change, before the server is asked to keep it
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
const work = { name: first.name, parts: [], shown: 0, findings: [], words: new Map() };
const place = `pcg studio ${first.place} ${work.name}`;
let page = null, kernels = null, asked = 0, answered = 0, timer = 0, keeping = 0, desk = "", painted = "", painting = false;
const painter = new Editor(find("painter"), { changed: fromPainter });
const help = new Help(area, find("proposals"), find("explained"), () => changed());

function original() {
  const from = first.text ? first : TEMPLATE;
  return [from.text, ...from.levels];
}

/** The browser keeps what is written at once, the server a moment later: nothing is lost when either ends. */
function keep() {
  try {
    localStorage.setItem(place, JSON.stringify(work.parts));
    localStorage.setItem(`${place} at`, Date.now());
  } catch { /* the server keeps it */ }
  clearTimeout(keeping);
  keeping = setTimeout(keepOnServer, KEEP_MS);
}

async function keepOnServer() {
  clearTimeout(keeping);
  keeping = 0;
  try {
    const response = await post("/api/draft", { keepalive: JSON.stringify(work.parts).length < 50_000 }, false);
    const answer = await response.json();
    find("kept").textContent = response.ok ? t("Kept in {0}", answer.file) : answer.error;
  } catch {
    find("kept").textContent = t("The server does not answer; the browser keeps what you write.");
  }
}

/** What was written last, here or in the server's folder. */
function kept() {
  const server = first.kept && [first.kept.text, ...first.kept.levels];
  try {
    const parts = JSON.parse(localStorage.getItem(place)), at = Number(localStorage.getItem(`${place} at`));
    const right = Array.isArray(parts) && parts.length && parts.every((part) => typeof part === "string");
    if (right && (!server || at >= first.kept.saved - 2 * KEEP_MS)) return parts;
  } catch { /* as if there were none */ }
  return server;
}

/** Send the texts; cells that are still open count as empty ground where the game is to be played. */
async function post(path, options = {}, whole = true) {
  const [text, ...levels] = work.parts;
  const filled = (level) => (whole && painter.empty && painting ? level.replaceAll(OPEN, painter.empty) : level);
  const body = JSON.stringify({ name: work.name, text, levels: levels.map((level) => filled(level.replace(/\s+$/, ""))) });
  return fetch(root + path, { method: "POST", headers: { "Content-Type": "application/json" }, body, ...options });
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
    answer = { findings: [{ part: "game", severity: "error", line: 0, column: 0, message: t("The server does not answer: {0}", error.message) }] };
  }
  if (number < answered) return;
  answered = number;
  if (answer.words) work.words = Map.groupBy(answer.words, (word) => word[0]);
  work.findings = answer.findings.map((one) => ({ ...one, part: one.part === "game" ? 0 : one.part + 1 }));
  tell();
  find("player").classList.toggle("stale", !answer.about);
  if (!answer.about) return;
  if (answer.desk !== desk) {
    desk = answer.desk;
    if (painting) paint();
  }
  kernels ??= await WebAssembly.compileStreaming(fetch(`${root}/kernels.wasm`));
  const game = Game.told(answer.about, kernels, answer.data);
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
    const where = one.part ? t("Level {0}", one.part) : t("Game");
    button.textContent = `${where}${one.line ? t(", line {0}", one.line) : ""}: ${one.message}`;
    button.addEventListener("click", () => goTo(one));
    const item = document.createElement("li");
    item.append(button);
    return item;
  });
  const errors = work.findings.filter((one) => one.severity === "error").length;
  if (!errors) {
    const good = document.createElement("li");
    good.className = "good";
    good.textContent = t("No errors: this is the game that you play.");
    list.unshift(good);
  }
  find("findings").replaceChildren(...list);
  draw();
  tabs();
}

function goTo({ part, line, column }) {
  choose(part, false);
  const lines = area.value.split("\n"), at = lines.slice(0, Math.max(0, line - 1)).join("\n").length + (line > 1 ? 1 : 0) + Math.max(0, column - 1);
  area.focus();
  area.setSelectionRange(at, at);
  area.scrollTop = Math.max(0, (line - 5) * (area.scrollHeight / lines.length));
}

/** The numbers beside the lines and the waves under words. */
function draw() {
  const lines = area.value.split("\n"), here = work.findings.filter((one) => one.part === work.shown && one.line);
  const worst = (number) => here.filter((one) => one.line === number).map((one) => one.severity).sort()[0];
  renew(find("numbers"), lines.map((_, k) => [k + 1, worst(k + 1) ?? ""]), ([text, severity]) => {
    const number = document.createElement("span");
    number.textContent = text;
    number.className = severity;
    return [number];
  });
  const said = lines.map((text, k) => {
    const found = here.find((one) => one.line === k + 1 && one.severity === worst(k + 1));
    return [work.shown ? [[text, ""]] : coloured(text, k, work.words), found && [found.column, found.severity]];
  });
  renew(find("marks"), said, ([colours, found], k) => {
    const text = lines[k], from = found ? Math.max(0, found[0] - 1) : -1;
    const until = found ? from + (/^[\w.]+|^./.exec(text.slice(from))?.[0] ?? " ").length : -1;
    let at = 0;
    return colours.flatMap(([piece, role]) => {
      const cuts = [from, until].map((place) => place - at).filter((cut) => found && cut > 0 && cut < piece.length);
      return [0, ...cuts].map((start, n) => {
        const part = piece.slice(start, cuts[n] ?? piece.length), wrong = found && at === from;
        const element = document.createElement(wrong ? "mark" : "span");
        element.className = [wrong && found[1], role].filter(Boolean).join(" ");
        element.textContent = part;
        at += part.length;
        return element;
      });
    });
  });
  scroll();
}

/** Show lines, made anew from the first to the last only that differ from those that stand there. */
function renew(box, lines, make) {
  const had = box.lines ?? [], now = lines.map((line) => JSON.stringify(line)), most = Math.min(had.length, now.length);
  let from = 0, behind = 0;
  while (from < most && had[from] === now[from]) from++;
  while (behind < most - from && had.at(-1 - behind) === now.at(-1 - behind)) behind++;
  for (let k = had.length - behind; k-- > from;) box.children[k].remove();
  const next = box.children[from] ?? null;
  for (let k = from; k < lines.length - behind; k++) {
    const line = document.createElement("span");
    line.append(...make(lines[k], k), "\n");
    box.insertBefore(line, next);
  }
  box.lines = now;
}

function scroll() {
  for (const id of ["marks", "numbers"]) find(id).scrollTop = area.scrollTop;
  find("marks").scrollLeft = area.scrollLeft;
}

function tabs() {
  find("tabs").replaceChildren(...work.parts.map((_, k) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = k ? t("Level {0}", k) : t("Game");
    button.tabIndex = k === work.shown ? 0 : -1;
    button.setAttribute("aria-controls", k && painting ? "painter" : "texts");
    button.setAttribute("role", "tab");
    button.setAttribute("aria-selected", String(k === work.shown));
    if (work.findings.some((one) => one.part === k && one.severity === "error")) button.className = "wrong";
    button.addEventListener("click", () => choose(k));
    return button;
  }));
  find("remove").disabled = !work.shown || work.parts.length < 3;
}

function choose(part, asPaint = painting) {
  work.shown = part;
  help.on = !part;
  help.close();
  area.value = work.parts[part];
  area.setAttribute("aria-label", part ? t("Level {0}", part) : t("Text of the game"));
  painting = asPaint;
  showWay();
  draw();
  tabs();
  if (part && page && page.play.number !== part - 1 && part <= page.about.levels.length) page.open(part - 1);
}

// -- painting ---------------------------------------------------------------------------------------------------------

/** Show the level as text or as a painting; the game itself is always text. */
function showWay() {
  const level = work.shown > 0, asPaint = level && painting;
  find("ways").hidden = !level;
  find("texts").hidden = asPaint;
  find("painter").hidden = !asPaint;
  find("as-text").setAttribute("aria-pressed", String(!asPaint));
  find("as-paint").setAttribute("aria-pressed", String(asPaint));
  if (asPaint) paint();
}

/** Give the level to the painter, which knows the tiles of the game as it was when it last had no error. */
async function paint() {
  if (!desk) return;
  const base = `/desk/${desk}`;
  try {
    if (painter.base !== base) await painter.load(base);
  } catch (error) {
    painter.error(error.message);
    return;
  }
  if (!painting || !work.shown) return;
  const text = work.parts[work.shown].replace(/\s+$/, "");
  if (painter.rows && painter.text() === text && painted === `${work.shown}`) return;
  painted = `${work.shown}`;
  painter.edit(text);
}

/** A stroke is a change of the level's text. */
function fromPainter(text) {
  if (!painting || !work.shown || painted !== `${work.shown}` || text === work.parts[work.shown].replace(/\s+$/, "")) return;
  work.parts[work.shown] = text;
  area.value = text;
  keep();
  draw();
  clearTimeout(timer);
  timer = setTimeout(check, QUIET_MS);
}

for (const [id, asPaint] of [["as-text", false], ["as-paint", true]]) {
  find(id).addEventListener("click", () => {
    painted = "";
    choose(work.shown, asPaint);
  });
}
find("variations").addEventListener("click", () => {
  sessionStorage.setItem("pcg sketch", work.parts[work.shown]);
  leave(`${root}/generate?game=${encodeURIComponent(work.name)}&sketch=1`);
});
find("generate").addEventListener("click", (event) => {
  event.preventDefault();
  leave(`${root}/generate?game=${encodeURIComponent(work.name)}`);
});

/** Go to another page when what was written is kept. */
async function leave(address) {
  await keepOnServer();
  location.href = address;
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
  const response = await post("/api/page", {}, true);
  if (response.ok) return download(`${work.name}.html`, await response.blob(), "text/html");
  work.findings.unshift({ part: 0, severity: "error", line: 0, column: 0, message: (await response.json()).error });
  tell();
});

find("tabs").addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  event.stopPropagation();
  choose((work.shown + step + work.parts.length) % work.parts.length);
  find("tabs").children[work.shown].focus();
});
window.addEventListener("pagehide", () => keeping && keepOnServer());

work.parts = kept() ?? original();
choose(0);
check();
