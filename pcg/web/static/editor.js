// The editor: drawing a level with the game's tiles, locking cells, asking for completions, repairs and for a verdict.
// While one draws, the server searches for the shortest win; each stroke ends the search for what was there before.

import { get, judgement, make, number, post, root, t, words } from "./api.js";

const UNDO = 100;
export const OPEN = "?"; // a cell to be filled in
const QUIET_MS = 250; // after the last stroke before its win is searched for
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
  if (char === OPEN && k === undefined) {
    pen.fillStyle = "#3a3f4d";
    pen.fillRect(left, top, side, side);
    pen.fillStyle = "#ffd166";
    pen.font = `700 ${Math.round(side * 0.75)}px system-ui, sans-serif`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText("?", left + side / 2, top + side * 0.55);
  } else if (k === undefined) {
    pen.fillStyle = "#b3261e";
    pen.fillRect(left, top, side, side);
  } else pen.drawImage(image, k * 16, stacked ? 0 : 16, 16, 16, left, top, side, side);
}

export class Editor {
  /**
   * @param {HTMLElement} element filled from the template `_editor`; @param {object} actions `play(text)` plays a drawing,
   * `saved(entry)` is told of saved ones, `changed(text)` is told of every change.
   */
  constructor(element, { play, saved, changed } = {}) {
    this.element = element;
    this.actions = { play, saved, changed };
    this.part = (id) => element.querySelector(`#${id}`);
    this.canvas = this.part("drawing");
    this.cursor = [0, 0];
    this.corner = null; // of an area that is being drawn
    this.history = [];
    this.seed = 0;
    this.way = null;
    this.asker = Math.random().toString(36).slice(2);
    this.served = true; // by a server that judges, repairs and completes
    this.listen();
  }

  /** Take the tiles of a game, whose editor is at `base` below the root of the page. */
  async load(base = "") {
    this.base = base;
    return this.take(await get(`${base}/api/tiles`), `${root}${base}/api/tiles.png`);
  }

  /** Take the tiles of a game, with their pictures at an address. */
  async take(about, pictures) {
    const image = new Image();
    image.src = pictures;
    await image.decode();
    const chosen = this.choice?.dataset.char;
    this.about = about;
    this.tiles = { image, index: new Map(about.tiles.map(({ char }, k) => [char, k])) };
    this.empty = (about.tiles.find(({ empty }) => empty) ?? about.tiles[0]).char;
    this.names = new Map([[OPEN, t("open, to be filled in")], ...about.tiles.map(({ char, names }) => [char, names.join(" + ")])]);
    this.part("palette").replaceChildren(this.part("palette").firstElementChild, ...about.tiles.map((tile, k) => this.tile(tile, k)),
      ...(this.tiles.index.has(OPEN) || !this.served ? [] : [this.tile({ char: OPEN, names: [t("open")], roles: [], empty: false }, about.tiles.length)]));
    this.choices = [...this.element.querySelectorAll("input[name=tile]")];
    (this.choices.find((one) => one.dataset.char === chosen) ?? this.choices[0]).checked = true;
    this.part("sources")?.replaceChildren(...Object.entries(about.sources).flatMap(([name, help], k) => [k ? ", " : "", make("span", { title: help }, name)]));
    for (const id of ["width", "height"]) Object.assign(this.part(id), { min: about.least, max: about.largest });
    if (this.rows) this.changed();
    return about;
  }

  tile({ char, names, roles, empty }, k) {
    const name = names.join(" + "), canvas = make("canvas", { width: 16, height: 16, "aria-hidden": "true" });
    drawTile(canvas.getContext("2d"), this.tiles, char, 0, 0, 16);
    const input = make("input", { type: "radio", name: "tile", value: k, "data-char": char, "data-name": name, "data-empty": empty, "data-single": roles.includes("avatar") });
    return make("label", { title: roles.length ? `${name}: ${roles.join(", ")}` : name }, input, canvas, make("span", {}, name));
  }

  get choice() {
    return this.choices?.find((one) => one.checked);
  }

  // -- the level ------------------------------------------------------------------------------------------------------

  /** Begin with a level; nothing is locked. */
  edit(text) {
    const rows = text.split("\n"), width = Math.max(...rows.map((row) => row.length), 1);
    this.history = [];
    this.rows = null;
    this.set(rows.map((row) => [...row.padEnd(width, this.empty)]));
    this.part("verdict")?.replaceChildren();
    this.part("suggestions")?.replaceChildren();
    this.error("");
  }

  set(rows, locked = rows.map((row) => row.map(() => false)), remember = true) {
    if (remember && this.rows) this.remember();
    this.rows = rows;
    this.locked = locked;
    this.cursor = [Math.min(this.cursor[0], rows.length - 1), Math.min(this.cursor[1], rows[0].length - 1)];
    this.part("width").value = rows[0].length;
    this.part("height").value = rows.length;
    this.changed();
  }

  /** Show the level as it is now, and ask how it can be won. */
  changed() {
    this.way = null;
    this.draw();
    this.actions.changed?.(this.text());
    if (!this.served) return;
    this.asking?.abort();
    clearTimeout(this.timer);
    this.part("solved").classList.remove("good", "bad");
    this.part("solved").textContent = "…";
    this.timer = setTimeout(() => this.solve(), QUIET_MS);
  }

  async solve() {
    if (!this.element.checkVisibility()) return; // asked again when it is shown
    const asking = (this.asking = new AbortController()), line = this.part("solved");
    let found;
    try {
      found = await post(`${this.base}/api/solve`, { level: this.text(), asker: this.asker }, asking.signal);
    } catch (error) {
      if (error.name !== "AbortError") line.textContent = error.message;
      return;
    }
    if (asking !== this.asking || found.status === "overtaken") return;
    const steps = found.actions?.length;
    line.textContent = {
      solved: found.shortest ? t("Can be won in {0} {0|step|steps}, and not in fewer.", steps) : t("Can be won: an agent did in {0} {0|step|steps}.", steps),
      unsolvable: t("Cannot be won: the whole game was searched."),
      unknown: t("No win was found."),
      open: t("{0} {0|cell is|cells are} open: complete the level to see whether it can be won.", found.open),
      error: found.message,
    }[found.status];
    line.classList.toggle("good", found.status === "solved");
    line.classList.toggle("bad", found.status === "unsolvable" || found.status === "error");
    this.way = found.path ?? null;
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
      const { choice } = this;
      if ("single" in choice.dataset) this.removeSingle();
      this.rows[y][x] = choice.dataset.char;
      this.locked[y][x] = choice.dataset.char !== OPEN && (this.locks || this.locked[y][x]);
    } else if (tool === "area") this.area([y, x]);
    else if (tool === "clear") {
      this.rows[y][x] = this.empty;
      this.locked[y][x] = false;
    } else this.locked[y][x] = tool === "lock" || (tool === "toggle" && !this.locked[y][x]);
    if (["draw", "clear", "area"].includes(tool)) this.changed();
    else this.draw();
    this.sayCell();
  }

  /** The first corner of an area, or the area between it and this one, filled with the chosen tile. */
  area([y, x]) {
    if (!this.corner) {
      this.corner = [y, x];
      return;
    }
    const [top, bottom] = [Math.min(y, this.corner[0]), Math.max(y, this.corner[0])];
    const [left, right] = [Math.min(x, this.corner[1]), Math.max(x, this.corner[1])];
    const { char } = this.choice.dataset, lock = char !== OPEN && this.locks;
    if ("single" in this.choice.dataset) this.removeSingle();
    for (let row = top; row <= bottom; row++) {
      for (let column = left; column <= right; column++) {
        if ("single" in this.choice.dataset && (row !== y || column !== x)) continue;
        this.rows[row][column] = char;
        this.locked[row][column] = lock;
      }
    }
    this.corner = null;
  }

  /** Whether what is drawn is locked. */
  get locks() {
    return this.served && this.part("auto-lock").checked;
  }

  /** Take the tile of a cell up, to draw with it. */
  pick([y, x]) {
    const found = this.choices.find((one) => one.dataset.char === this.rows[y][x]);
    if (found) found.checked = true;
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
    if (this.way && this.part("show-way").checked) this.drawWay(pen, side);
    const [y, x] = this.cursor;
    if (this.corner) {
      const [top, left] = [Math.min(y, this.corner[0]), Math.min(x, this.corner[1])];
      pen.fillStyle = "rgb(255 209 102 / 45%)";
      pen.fillRect(left * side, top * side, (Math.abs(x - this.corner[1]) + 1) * side, (Math.abs(y - this.corner[0]) + 1) * side);
    }
    pen.lineWidth = Math.max(2, side / 12);
    pen.strokeStyle = "#fff";
    pen.strokeRect(x * side + 1, y * side + 1, side - 2, side - 2);
    pen.strokeStyle = "#000";
    pen.strokeRect(x * side + 1 + pen.lineWidth, y * side + 1 + pen.lineWidth, side - 2 - 2 * pen.lineWidth, side - 2 - 2 * pen.lineWidth);
    if (this.part("text")) this.part("text").value = this.text();
    this.canvas.setAttribute("aria-label", t("drawing of {0} by {1} cells", columns, this.rows.length));
  }

  /** The way of the avatar in the win that was found. */
  drawWay(pen, side) {
    pen.beginPath();
    this.way.forEach(([x, y], k) => pen[k ? "lineTo" : "moveTo"]((x + 0.5) * side, (y + 0.5) * side));
    for (const [width, colour] of [[0.22, "rgb(20 20 30 / 75%)"], [0.1, "#ffd166"]]) {
      pen.lineWidth = Math.max(2, side * width);
      pen.strokeStyle = colour;
      pen.lineJoin = pen.lineCap = "round";
      pen.stroke();
    }
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
    const name = this.names.get(this.rows[y][x]) || t("no tile of this game");
    this.part("cell-said").textContent = t("row {0}, column {1}: {2}", y + 1, x + 1, name) + (this.locked[y][x] ? t(", locked") : "");
  }

  cellAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const y = Math.floor(((event.clientY - box.top) / box.height) * this.rows.length);
    const x = Math.floor(((event.clientX - box.left) / box.width) * this.rows[0].length);
    return y >= 0 && y < this.rows.length && x >= 0 && x < this.rows[0].length ? [y, x] : null;
  }

  // -- hands ----------------------------------------------------------------------------------------------------------

  listen() {
    const on = (id, kind, handler) => this.part(id)?.addEventListener(kind, (event) => this.attempt(() => handler(event)));
    this.canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    this.canvas.addEventListener("pointerdown", (event) => {
      const cell = this.rows && this.cellAt(event);
      if (cell && event.button === 2) this.pick(cell);
      if (!cell || event.button) return;
      event.preventDefault();
      this.canvas.focus({ preventScroll: true });
      this.canvas.setPointerCapture(event.pointerId);
      this.remember();
      this.stroke = true;
      this.cursor = cell;
      this.corner = null;
      this.apply(cell);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      const cell = this.stroke && this.cellAt(event);
      if (!cell || (cell[0] === this.cursor[0] && cell[1] === this.cursor[1])) return;
      this.cursor = cell;
      if (this.tool() === "area") this.draw();
      else this.apply(cell);
    });
    for (const kind of ["pointerup", "pointercancel"]) {
      this.canvas.addEventListener(kind, () => {
        if (this.stroke && this.corner) this.apply(this.cursor, "area");
        this.stroke = false;
      });
    }
    this.canvas.addEventListener("keydown", (event) => this.rows && this.key(event));
    this.canvas.addEventListener("focus", () => this.rows && this.sayCell());
    window.addEventListener("resize", () => this.rows && this.draw());
    let visible = false;
    new ResizeObserver(() => {
      const now = this.element.clientWidth > 0;
      if (now && this.rows) {
        this.draw();
        if (!visible) this.changed();
      }
      visible = now;
    }).observe(this.canvas.parentElement);
    on("show-way", "change", () => this.draw());
    on("repair", "click", () => this.repair());
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
    const draw = this.tool() === "area" ? "area" : "draw";
    const tool = { " ": draw, Enter: draw, l: "toggle", L: "toggle", Delete: "clear", Backspace: "clear" }[event.key];
    if ((!step && !tool) || (tool === "toggle" && !this.served)) return;
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
    const { level } = await get(`${this.base}/api/blank?${query}`);
    this.set(level.split("\n").map((row) => [...row]));
  }

  /** Cut off or add empty ground at the right and at the bottom. */
  resize() {
    const [width, height] = ["width", "height"].map((id) => Number(this.part(id).value));
    const { least, largest } = this.about;
    if (![width, height].every((side) => Number.isInteger(side) && side >= Number(least) && side <= Number(largest))) {
      throw new Error(t("A level has {0} to {1} columns and rows.", least, largest));
    }
    const rows = Array.from({ length: height }, (_, y) => Array.from({ length: width }, (_, x) => this.rows[y]?.[x] ?? this.empty));
    const locked = rows.map((row, y) => row.map((_, x) => this.locked[y]?.[x] ?? false));
    this.set(rows, locked);
  }

  takeText() {
    const lines = this.part("text").value.replaceAll("\r", "").split("\n");
    while (lines.length > 1 && !lines.at(-1)) lines.pop();
    const width = Math.max(...lines.map((line) => line.length));
    if (!width) throw new Error(t("The text is empty."));
    this.set(lines.map((line) => [...line.padEnd(width, this.empty)]));
  }

  // -- the server -----------------------------------------------------------------------------------------------------

  async busy(button, work) {
    const label = button.textContent;
    button.disabled = true;
    button.textContent = t("Working …");
    try {
      return await work();
    } finally {
      button.disabled = false;
      button.textContent = label;
    }
  }

  async evaluate() {
    const wants = this.part("wants").value;
    const found = await this.busy(this.part("evaluate"), () => post(`${this.base}/api/evaluate`, { level: this.text(), wants }));
    this.part("verdict").replaceChildren(...this.verdict(found));
  }

  verdict(found) {
    const lines = found.check.map(({ severity, message, row, column }) =>
      make("p", { class: severity === "error" ? "bad" : "" }, `${t(severity)}: ${message}${row ? t(" (row {0}, column {1})", row, column) : ""}`));
    if (found.feasible) {
      lines.push(make("p", {}, make("span", { class: "good" }, t("Feasible")), `, ${t("fitness")} ${number(found.fitness)}`,
        t("; won by {0} in {1} {1|tick|ticks}", found.winner, found.actions.length)));
    } else if (!found.check.length) lines.push(make("p", {}, make("span", { class: "bad" }, t("Not feasible")), ":"), this.reasons(found.failed));
    lines.push(...this.wanted(found.wants));
    if (found.parts.length && !found.check.length) {
      lines.push(make("details", { open: found.feasible }, make("summary", {}, t("Judgement")), judgement(found.parts)));
    }
    if (found.metrics.length && !found.check.length) {
      const rows = found.metrics.map(({ name, value, help, unit }) =>
        make("tr", {}, make("th", { scope: "row", title: help }, words(name)), make("td", {}, `${number(value)} ${t(unit)}`)));
      lines.push(make("details", {}, make("summary", {}, t("Measures")), make("table", {}, make("tbody", {}, ...rows))));
    }
    return lines;
  }

  wanted(wants) {
    return Object.entries(wants).map(([name, met]) =>
      make("p", {}, make("span", { class: met ? "good" : "bad" }, met ? t("achieved") : t("missed")), ` ${words(name)}`));
  }

  reasons(failed) {
    return make("ul", { class: "reasons" }, ...failed.map(({ name, help, value }) =>
      make("li", {}, make("b", {}, name), t(": expected that {0} ({1} %)", help || t("it is kept"), Math.round(value * 100)))));
  }

  /** Few edits that make the level sound, each with its reason; one step to take back. */
  async repair() {
    const found = await this.busy(this.part("repair"), () => post(`${this.base}/api/repair`, { level: this.text(), wants: this.part("wants").value }));
    const rows = found.level.split("\n").map((row) => [...row]);
    const same = rows.length === this.rows.length && rows[0].length === this.rows[0].length;
    if (found.edits.length) this.set(rows, same ? this.locked.map((row) => [...row]) : undefined);
    this.part("verdict").replaceChildren(
      make("p", {}, found.edits.length ? t("Repaired with {0} {0|edit|edits}:", found.edits.length) : t("Nothing to repair: the level is sound.")),
      make("ul", { class: "reasons" }, ...found.edits.map(({ row, column, before, after, why }) =>
        make("li", {}, t("row {0}, column {1}: {2}", row, column, `${this.names.get(before) ?? before} → ${this.names.get(after) ?? after}`), why ? `: ${why}` : ""))));
  }

  async complete() {
    const request = {
      level: this.text(),
      locked: this.locked.map((row) => row.map((on) => (on ? "1" : "0")).join("")),
      count: Number(this.part("count").value),
      wants: this.part("wants").value,
      seed: this.seed++,
    };
    const { suggestions, notes } = await this.busy(this.part("complete"), () => post(`${this.base}/api/complete`, request));
    const locked = this.locked.map((row) => [...row]);
    const cards = suggestions.map((one) => this.card(one, locked));
    this.part("suggestions").replaceChildren(...cards.map(({ item }) => item), ...notes.map((note) => make("li", { class: "hint" }, note)));
    const round = (this.round = (this.round || 0) + 1);
    for (const { level, verdict } of cards) {
      if (round !== this.round) return; // newer suggestions have taken their place
      try {
        const found = await post(`${this.base}/api/evaluate`, { level, wants: request.wants });
        const met = Object.values(found.wants);
        verdict.className = found.feasible ? "good" : "bad";
        verdict.textContent = found.feasible ? `${t("fitness")} ${number(found.fitness)}` : t("fails: {0}", found.failed.map((f) => f.name).join(", "));
        if (met.length) verdict.textContent += t("; {0} of {1} targets", met.filter(Boolean).length, met.length);
      } catch (error) {
        verdict.textContent = error.message;
      }
    }
  }

  /** A suggestion as a button that takes it over. */
  card({ level, source }, locked) {
    const canvas = make("canvas", { "aria-hidden": "true" });
    drawLevel(canvas, level, this.tiles, 8);
    const verdict = make("span", {}, t("evaluating …"));
    const take = () => {
      const rows = level.split("\n").map((row) => [...row]);
      const same = rows.length === locked.length && rows[0].length === locked[0].length;
      this.set(rows, same ? locked.map((row) => [...row]) : undefined);
      this.canvas.scrollIntoView({ block: "nearest" });
    };
    const button = make("button", { type: "button", click: take }, canvas, t("Use this ({0})", source), verdict);
    return { item: make("li", {}, button), level, verdict };
  }

  async save() {
    const data = { level: this.text(), title: this.part("title").value };
    const entry = await this.busy(this.part("save"), () => post("/api/drawn", data));
    await this.actions.saved(entry);
  }
}
