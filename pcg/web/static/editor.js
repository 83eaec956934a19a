// The editor: drawing a level with the game's tiles, locking cells, asking for completions and for a verdict.

import { get, judgement, make, number, post, root, words } from "./api.js";

const UNDO = 100;
const LARGEST_CELL = 40;

/** Draw a level text on a canvas with the tiles' pictures, `side` pixels a cell. */
export function drawLevel(canvas, text, tiles, side) {
  const rows = text.split("\n");
  canvas.width = rows[0].length * side;
  canvas.height = rows.length * side;
  const pen = canvas.getContext("2d");
  pen.imageSmoothingEnabled = side < 16;
  rows.forEach((row, y) =>
    [...row].forEach((char, x) => drawTile(pen, tiles, char, x * side, y * side, side, rows[y + 1]?.[x] === char)));
}

/** Walls and such look different over one of their kind: the upper row of the picture. */
function drawTile(pen, { image, index }, char, left, top, side, stacked = false) {
  const k = index.get(char);
  if (k === undefined) {
    pen.fillStyle = "#b3261e";
    pen.fillRect(left, top, side, side);
  } else pen.drawImage(image, k * 16, stacked ? 0 : 16, 16, 16, left, top, side, side);
}

export class Editor {
  /** `play(text)` plays a drawing, `saved(entry)` is told of saved ones, `reasons(failed)` shows constraints. */
  constructor(element, { play, saved, reasons }) {
    this.element = element;
    this.actions = { play, saved, reasons };
    this.part = (id) => document.getElementById(id);
    this.canvas = this.part("drawing");
    this.cursor = [0, 0];
    this.history = [];
    this.seed = 0;
    this.choices = [...element.querySelectorAll("input[name=tile]")];
    this.empty = (this.choices.find((c) => "empty" in c.dataset) || this.choices[0]).dataset.char;
    this.names = new Map(this.choices.map((c) => [c.dataset.char, c.dataset.name]));
    this.ready = this.begin();
  }

  async begin() {
    const image = new Image();
    image.src = `${root}/api/tiles.png`;
    await image.decode();
    this.tiles = { image, index: new Map(this.choices.map((c, k) => [c.dataset.char, k])) };
    for (const choice of this.choices) {
      const canvas = choice.parentElement.querySelector("canvas");
      drawTile(canvas.getContext("2d"), this.tiles, choice.dataset.char, 0, 0, 16);
    }
    this.listen();
    this.edit(this.element.dataset.start);
  }

  // -- the level ------------------------------------------------------------------------------------------------------

  /** Begin with a level; nothing is locked. */
  edit(text) {
    this.set(text.split("\n").map((row) => [...row]));
    this.part("verdict").replaceChildren();
    this.part("suggestions").replaceChildren();
    this.error("");
  }

  set(rows, locked = rows.map((row) => row.map(() => false)), remember = true) {
    if (remember && this.rows) this.remember();
    this.rows = rows;
    this.locked = locked;
    this.cursor = [Math.min(this.cursor[0], rows.length - 1), Math.min(this.cursor[1], rows[0].length - 1)];
    this.part("width").value = rows[0].length;
    this.part("height").value = rows.length;
    this.draw();
  }

  text() {
    return this.rows.map((row) => row.join("")).join("\n");
  }

  remember() {
    this.history.push([this.rows.map((row) => [...row]), this.locked.map((row) => [...row])]);
    if (this.history.length > UNDO) this.history.shift();
  }

  /** Apply a tool to a cell. */
  apply([y, x], tool = this.tool()) {
    if (tool === "draw") {
      const choice = this.choices.find((one) => one.checked);
      if ("single" in choice.dataset) this.removeSingle();
      this.rows[y][x] = choice.dataset.char;
      if (this.part("auto-lock").checked) this.locked[y][x] = true;
    } else if (tool === "clear") {
      this.rows[y][x] = this.empty;
      this.locked[y][x] = false;
    } else this.locked[y][x] = tool === "lock" || (tool === "toggle" && !this.locked[y][x]);
    this.draw();
    this.sayCell();
  }

  /** The avatar is one: drawn anew, it has moved. */
  removeSingle() {
    const single = new Set(this.choices.filter((choice) => "single" in choice.dataset).map((choice) => choice.dataset.char));
    this.rows.forEach((row, y) => row.forEach((char, x) => {
      if (!single.has(char)) return;
      row[x] = this.empty;
      this.locked[y][x] = false;
    }));
  }

  tool() {
    return this.element.querySelector("input[name=tool]:checked").value;
  }

  // -- drawing --------------------------------------------------------------------------------------------------------

  draw() {
    const ratio = window.devicePixelRatio || 1;
    const room = Math.max(120, this.canvas.parentElement.clientWidth - 14);
    const columns = this.rows[0].length;
    const side = Math.max(6, Math.floor(Math.min(LARGEST_CELL, room / columns) * ratio));
    this.side = side / ratio;
    drawLevel(this.canvas, this.text(), this.tiles, side);
    this.canvas.style.width = `${this.canvas.width / ratio}px`;
    this.canvas.style.height = `${this.canvas.height / ratio}px`;
    const pen = this.canvas.getContext("2d");
    this.locked.forEach((row, y) => row.forEach((on, x) => on && this.drawLock(pen, x * side, y * side, side)));
    const [y, x] = this.cursor;
    pen.lineWidth = Math.max(2, side / 12);
    pen.strokeStyle = "#fff";
    pen.strokeRect(x * side + 1, y * side + 1, side - 2, side - 2);
    pen.strokeStyle = "#000";
    pen.strokeRect(x * side + 1 + pen.lineWidth, y * side + 1 + pen.lineWidth, side - 2 - 2 * pen.lineWidth, side - 2 - 2 * pen.lineWidth);
    this.part("text").value = this.text();
    this.canvas.setAttribute("aria-label", `drawing of ${columns} by ${this.rows.length} cells`);
  }

  /** A corner in yellow with a dark edge: seen on every tile. */
  drawLock(pen, left, top, side) {
    const size = side * 0.38;
    pen.beginPath();
    pen.moveTo(left + side, top);
    pen.lineTo(left + side - size, top);
    pen.lineTo(left + side, top + size);
    pen.closePath();
    pen.fillStyle = "#ffd54a";
    pen.fill();
    pen.lineWidth = Math.max(1, side / 16);
    pen.strokeStyle = "#22202d";
    pen.stroke();
  }

  sayCell() {
    const [y, x] = this.cursor;
    const name = this.names.get(this.rows[y][x]) || "no tile of this game";
    this.part("cell-said").textContent = `row ${y + 1}, column ${x + 1}: ${name}${this.locked[y][x] ? ", locked" : ""}`;
  }

  cellAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const y = Math.floor(((event.clientY - box.top) / box.height) * this.rows.length);
    const x = Math.floor(((event.clientX - box.left) / box.width) * this.rows[0].length);
    return y >= 0 && y < this.rows.length && x >= 0 && x < this.rows[0].length ? [y, x] : null;
  }

  // -- hands ----------------------------------------------------------------------------------------------------------

  listen() {
    const on = (id, kind, handler) => this.part(id).addEventListener(kind, (event) => this.attempt(() => handler(event)));
    this.canvas.addEventListener("pointerdown", (event) => {
      const cell = this.cellAt(event);
      if (!cell || event.button) return;
      event.preventDefault();
      this.canvas.focus({ preventScroll: true });
      this.canvas.setPointerCapture(event.pointerId);
      this.remember();
      this.stroke = true;
      this.cursor = cell;
      this.apply(cell);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      const cell = this.stroke && this.cellAt(event);
      if (!cell || (cell[0] === this.cursor[0] && cell[1] === this.cursor[1])) return;
      this.cursor = cell;
      this.apply(cell);
    });
    for (const kind of ["pointerup", "pointercancel"]) this.canvas.addEventListener(kind, () => (this.stroke = false));
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.canvas.addEventListener("focus", () => this.sayCell());
    window.addEventListener("resize", () => this.draw());
    new ResizeObserver(() => this.element.clientWidth && this.draw()).observe(this.canvas.parentElement);
    on("undo", "click", () => this.undo());
    on("lock-all", "click", () => this.lockAll(true));
    on("unlock-all", "click", () => this.lockAll(false));
    on("blank", "click", () => this.blank());
    on("resize", "click", () => this.resize());
    on("take-text", "click", () => this.takeText());
    on("evaluate", "click", () => this.evaluate());
    on("play-drawing", "click", () => this.actions.play(this.text()));
    on("complete", "click", () => this.complete());
    on("save", "click", () => this.save());
  }

  async attempt(work) {
    this.error("");
    try {
      await work();
    } catch (error) {
      this.error(error.message);
    }
  }

  error(text) {
    this.part("editor-error").textContent = text;
    this.part("editor-error").hidden = !text;
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) {
      if ((event.ctrlKey || event.metaKey) && event.key === "z") {
        event.preventDefault();
        this.undo();
      }
      return;
    }
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    const tool = { " ": "draw", Enter: "draw", l: "toggle", L: "toggle", Delete: "clear", Backspace: "clear" }[event.key];
    if (!step && !tool) return;
    event.preventDefault();
    if (step) {
      const y = Math.max(0, Math.min(this.rows.length - 1, this.cursor[0] + step[0]));
      const x = Math.max(0, Math.min(this.rows[0].length - 1, this.cursor[1] + step[1]));
      this.cursor = [y, x];
      this.draw();
      this.sayCell();
    } else {
      this.remember();
      this.apply(this.cursor, tool);
    }
  }

  undo() {
    const before = this.history.pop();
    if (before) this.set(before[0], before[1], false);
  }

  lockAll(on) {
    this.remember();
    this.locked = this.rows.map((row) => row.map(() => on));
    this.draw();
  }

  async blank() {
    const query = new URLSearchParams({ width: this.part("width").value, height: this.part("height").value });
    const { level } = await get(`/api/blank?${query}`);
    this.set(level.split("\n").map((row) => [...row]));
  }

  /** Cut off or add empty ground at the right and at the bottom. */
  resize() {
    const [width, height] = ["width", "height"].map((id) => Number(this.part(id).value));
    const { least, largest } = this.element.dataset;
    if (![width, height].every((side) => Number.isInteger(side) && side >= Number(least) && side <= Number(largest))) {
      throw new Error(`A level has ${least} to ${largest} columns and rows.`);
    }
    const rows = Array.from({ length: height }, (_, y) => Array.from({ length: width }, (_, x) => this.rows[y]?.[x] ?? this.empty));
    const locked = rows.map((row, y) => row.map((_, x) => this.locked[y]?.[x] ?? false));
    this.set(rows, locked);
  }

  takeText() {
    const lines = this.part("text").value.replaceAll("\r", "").split("\n");
    while (lines.length > 1 && !lines.at(-1)) lines.pop();
    const width = Math.max(...lines.map((line) => line.length));
    if (!width) throw new Error("The text is empty.");
    this.set(lines.map((line) => [...line.padEnd(width, this.empty)]));
  }

  // -- the server -----------------------------------------------------------------------------------------------------

  async busy(button, work) {
    const label = button.textContent;
    button.disabled = true;
    button.textContent = "Working …";
    try {
      return await work();
    } finally {
      button.disabled = false;
      button.textContent = label;
    }
  }

  async evaluate() {
    const wants = this.part("wants").value;
    const found = await this.busy(this.part("evaluate"), () => post("/api/evaluate", { level: this.text(), wants }));
    this.part("verdict").replaceChildren(...this.verdict(found));
  }

  verdict(found) {
    const lines = found.check.map(({ severity, message, row, column }) =>
      make("p", { class: severity === "error" ? "bad" : "" }, `${severity}: ${message}${row ? ` (row ${row}, column ${column})` : ""}`));
    if (found.feasible) {
      lines.push(make("p", {}, make("span", { class: "good" }, "Feasible"),
        `, fitness ${number(found.fitness)}; won by ${found.winner} in ${found.actions.length} ticks.`));
    } else if (!found.check.length) lines.push(make("p", {}, make("span", { class: "bad" }, "Not feasible"), ":"), this.actions.reasons(found.failed));
    lines.push(...this.wanted(found.wants));
    if (found.parts.length && !found.check.length) {
      lines.push(make("details", { open: found.feasible }, make("summary", {}, "Judgement"), judgement(found.parts)));
    }
    if (found.metrics.length && !found.check.length) {
      const rows = found.metrics.map(({ name, value, help, unit }) =>
        make("tr", {}, make("th", { scope: "row", title: help }, words(name)), make("td", {}, `${number(value)} ${unit}`)));
      lines.push(make("details", {}, make("summary", {}, "Measures"), make("table", {}, make("tbody", {}, ...rows))));
    }
    return lines;
  }

  wanted(wants) {
    return Object.entries(wants).map(([name, met]) =>
      make("p", {}, make("span", { class: met ? "good" : "bad" }, met ? "achieved" : "missed"), ` ${words(name)}`));
  }

  async complete() {
    const request = {
      level: this.text(),
      locked: this.locked.map((row) => row.map((on) => (on ? "1" : "0")).join("")),
      count: Number(this.part("count").value),
      wants: this.part("wants").value,
      seed: this.seed++,
    };
    const { suggestions, notes } = await this.busy(this.part("complete"), () => post("/api/complete", request));
    const locked = this.locked.map((row) => [...row]);
    const cards = suggestions.map((one) => this.card(one, locked));
    this.part("suggestions").replaceChildren(...cards.map(({ item }) => item), ...notes.map((note) => make("li", { class: "hint" }, note)));
    const round = (this.round = (this.round || 0) + 1);
    for (const { level, verdict } of cards) {
      if (round !== this.round) return; // newer suggestions have taken their place
      try {
        const found = await post("/api/evaluate", { level, wants: request.wants });
        const met = Object.values(found.wants);
        verdict.className = found.feasible ? "good" : "bad";
        verdict.textContent = found.feasible ? `fitness ${number(found.fitness)}` : `fails: ${found.failed.map((f) => f.name).join(", ")}`;
        if (met.length) verdict.textContent += `; ${met.filter(Boolean).length} of ${met.length} wants`;
      } catch (error) {
        verdict.textContent = error.message;
      }
    }
  }

  /** A suggestion as a button that takes it over. */
  card({ level, source }, locked) {
    const canvas = make("canvas", { "aria-hidden": "true" });
    drawLevel(canvas, level, this.tiles, 8);
    const verdict = make("span", {}, "evaluating …");
    const take = () => {
      const rows = level.split("\n").map((row) => [...row]);
      const same = rows.length === locked.length && rows[0].length === locked[0].length;
      this.set(rows, same ? locked.map((row) => [...row]) : undefined);
      this.canvas.scrollIntoView({ block: "nearest" });
    };
    const button = make("button", { type: "button", click: take }, canvas, `Use this (${source})`, verdict);
    return { item: make("li", {}, button), level, verdict };
  }

  async save() {
    const data = { level: this.text(), title: this.part("title").value };
    const entry = await this.busy(this.part("save"), () => post("/api/drawn", data));
    await this.actions.saved(entry);
  }
}
