// The player: a play on the server, shown and steered in the browser. The messages are described in docs/web.md.
//
//   import { Player } from "./player.js";
//   const player = new Player(element, "/play/TOKEN/socket");
//   player.addEventListener("end", (event) => console.log(event.detail.winner));
//   player.close();
//
// It fills `element` with the board, the figures and the buttons. Events: "ready" (connected), "end" (a game is over;
// detail: winner, score, ticks), "gone" (the play no longer exists), "message" (detail: any message but a frame).

import { Board, loadSheet } from "./board.js";

const KEYS = {
  ArrowUp: "UP", ArrowDown: "DOWN", ArrowLeft: "LEFT", ArrowRight: "RIGHT",
  KeyW: "UP", KeyS: "DOWN", KeyA: "LEFT", KeyD: "RIGHT", Space: "USE",
};
const TAKEN_OVER = 4001;
const ASLEEP = 4002; // the server keeps the play until somebody is there again
const LONGEST_WAIT_MS = 8000;

// What is said to the person; `words` of the options says it in another language. {braces} are filled in; {n|one|many}
// is a word by a number.
const WORDS = {
  score: "score", time: "time", turn: "turn", health: "health", start: "Start", pause: "Pause", go_on: "Go on",
  restart: "Restart", connecting: "Connecting", ready: "Ready", paused: "Paused",
  key_starts: "Any key or click starts", key_goes_on: "Any key or click goes on",
  tap_starts: "A tap starts", tap_goes_on: "A tap goes on",
  won: "Won!", lost: "Lost", time_up: "Time is up", plays_again: "R or a click plays again",
  result: "{verdict} Score {score} after {ticks} {ticks|tick|ticks}.",
  connection_lost: "Connection lost", trying_again: "Trying again …", elsewhere: "Opened elsewhere",
  click_here: "Click to play here", gone: "This play is gone", board: "{game}, {width} by {height} cells",
  pad: "game controls", up: "up", left: "left", down: "down", right: "right", use: "use", speed: "Speed",
  natural: "usual speed", ticks: "{count} ticks a second", by_turn: "by turn: waits for a key", how: "How to play",
  to_win: "To win: {goal}.", keys: "Move with the arrow keys or W A S D", uses: ", use with the space bar",
  other_keys: "P pauses, R starts anew. The keys reach the game while its picture, or a button below it, has the focus.",
};

const fill = (text, values) => text.replace(/\{(\w+)(?:\|([^{}|]*)\|([^{}|]*))?\}/g, (whole, name, one, many) =>
  !(name in values) ? whole : one === undefined ? values[name] : Number(values[name]) === 1 ? one : many);
const escape = (text) => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);

const PACES = ["natural", "20", "10", "5", "turn"];

function markup(say) {
  const paces = PACES.map((pace) => {
    const name = pace === "natural" ? say.natural : pace === "turn" ? say.by_turn : fill(say.ticks, { count: pace });
    return `<option value="${pace}">${name}</option>`;
  });
  return `
  <div class="pcg-figures">
    <span>${say.score} <b data-score>0</b></span>
    <span><span data-unit>${say.time}</span> <b data-tick>0</b></span>
    <span data-health hidden>${say.health} <b></b></span>
    <span data-holds class="pcg-holds"></span>
  </div>
  <div class="pcg-stage">
    <canvas tabindex="0" role="img" aria-label=""></canvas>
    <button type="button" class="pcg-veil" data-start><b data-veil-title></b><span data-veil-text></span></button>
  </div>
  <p class="pcg-say" role="status" aria-live="polite" data-say></p>
  <div class="pcg-buttons">
    <button type="button" data-pause>${say.pause}</button>
    <button type="button" data-restart>${say.restart}</button>
    <label>${say.speed} <select data-pace>${paces.join("")}</select></label>
  </div>
  <div class="pcg-pad" role="group" aria-label="${say.pad}" data-pad>
    <button type="button" data-action="UP" aria-label="${say.up}">▲</button>
    <button type="button" data-action="LEFT" aria-label="${say.left}">◀</button>
    <button type="button" data-action="DOWN" aria-label="${say.down}">▼</button>
    <button type="button" data-action="RIGHT" aria-label="${say.right}">▶</button>
    <button type="button" data-action="USE" aria-label="${say.use}">${say.use}</button>
  </div>
  <details class="pcg-help"><summary>${say.how}</summary>
    <p data-goal></p>
    <p>${say.keys}<span data-uses>${say.uses}</span>. ${say.other_keys}</p>
  </details>`;
}

export class Player extends EventTarget {
  /**
   * @param {HTMLElement} element emptied and filled by the player.
   * @param {string} address of the play's websocket, absolute or relative to the page.
   * @param {{speeds?: boolean, restart?: boolean, help?: boolean, autofocus?: boolean, words?: object,
   *   room?: (stage: HTMLElement) => [number, number] | null, open?: (url: URL) => WebSocket}} options what the person
   *   may change, whether the keys are explained, what is said otherwise than in English, the width and height that the
   *   board has on a page where that does not follow from the width (null: it does), and what opens the connection: it
   *   may be anything that looks like a websocket and sends the same messages.
   */
  constructor(element, address, {
    speeds = true, restart = true, help = true, autofocus = true, words = {}, room = null, open = (at) => new WebSocket(at),
  } = {}) {
    super();
    this.element = element;
    this.words = { ...WORDS, ...words };
    const url = new URL(address, window.location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    this.url = url;
    this.autofocus = autofocus;
    this.roomOf = room;
    this.opener = open;
    this.waitMs = 250;
    this.paused = true;
    this.over = false;
    this.held = new Set();
    element.classList.add("pcg-player");
    element.innerHTML = markup(Object.fromEntries(Object.entries(this.words).map(([name, text]) => [name, escape(text)])));
    this.part("[data-pace]").parentElement.hidden = !speeds;
    this.part(".pcg-help").hidden = !help;
    this.allowRestart(restart);
    this.listen();
    this.veil(this.words.connecting, "");
    this.connect();
  }

  part(selector) {
    return this.element.querySelector(selector);
  }

  // -- the connection -------------------------------------------------------------------------------------------------

  connect() {
    if (this.closed) return;
    this.socket = this.opener(this.url);
    this.socket.addEventListener("message", (event) => this.receive(JSON.parse(event.data)));
    this.socket.addEventListener("close", (event) => this.lost(event.code));
  }

  /** Come back after a lost connection, more and more patiently. */
  lost(code) {
    this.held.clear();
    this.paused = true;
    if (this.closed) return;
    if (code === ASLEEP) {
      this.asleep = true;
      this.setPaused(true);
      return;
    }
    if (code === TAKEN_OVER) {
      this.veil(this.words.elsewhere, this.words.click_here);
      this.elsewhere = true;
      return;
    }
    this.veil(this.words.connection_lost, this.words.trying_again);
    this.timer = setTimeout(() => this.connect(), this.waitMs);
    this.waitMs = Math.min(2 * this.waitMs, LONGEST_WAIT_MS);
  }

  send(type, content = {}) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ type, ...content }));
  }

  /** End the connection; the play stays on the server for a while. */
  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.watcher?.disconnect();
    for (const [target, kind, handler] of this.handlers) target.removeEventListener(kind, handler);
    this.socket?.close();
  }

  receive(message) {
    if (message.type !== "frame") this.dispatchEvent(new CustomEvent("message", { detail: message }));
    if (message.type === "welcome") this.begin(message);
    else if (message.type === "frame") this.frame(message);
    else if (message.type === "paused") this.setPaused(message.paused);
    else if (message.type === "pace") this.setPace(message);
    else if (message.type === "end") this.end(message);
    else if (message.type === "error") this.say(message.message);
    else if (message.type === "gone") {
      this.closed = true;
      this.veil(this.words.gone, message.message);
      this.part("[data-start]").disabled = true;
      this.dispatchEvent(new CustomEvent("gone"));
    }
  }

  async begin(welcome) {
    const early = [];
    this.frame = (frame) => early.push(frame); // frames that come while the sheet is loading
    const again = Boolean(this.board);
    this.sheet ??= await loadSheet(welcome.sheet);
    delete this.frame;
    this.waitMs = 250;
    this.about = welcome;
    this.natural ??= welcome.pace;
    const canvas = this.part("canvas");
    if (!again) {
      this.board = new Board(canvas, welcome, this.sheet);
      this.watcher = new ResizeObserver(() => this.fit());
      this.watcher.observe(this.element);
      this.watcher.observe(this.part(".pcg-stage"));
    }
    canvas.setAttribute("aria-label", fill(this.words.board, welcome));
    this.part("[data-goal]").textContent = welcome.goal.length
      ? fill(this.words.to_win, { goal: welcome.goal.join(", or ") })
      : "";
    this.setPace(welcome.pace);
    this.frame(welcome.frame);
    this.setPaused(true);
    for (const frame of early) this.frame(frame);
    if (this.waking && !this.over) this.send("resume");
    this.waking = false;
    if (this.autofocus && !again) this.part("[data-start]").focus({ preventScroll: true });
    this.dispatchEvent(new CustomEvent("ready"));
  }

  fit() {
    const given = this.roomOf?.(this.part(".pcg-stage"));
    const [width, height] = given ?? [this.element.clientWidth, 0]; // what the browser's bars take on a phone changes
    const room = `${width}x${height}`;
    if (width && room !== this.room) {
      this.room = room;
      this.board.fit(width, height || window.innerHeight * 0.66);
    }
  }

  // -- showing --------------------------------------------------------------------------------------------------------

  frame(frame) {
    this.board.show(frame);
    if ("score" in frame) this.part("[data-score]").textContent = Math.round(frame.score * 100) / 100;
    if ("tick" in frame) {
      this.begun = frame.tick > 0;
      this.element.classList.toggle("pcg-begun", this.begun);
      this.part("[data-tick]").textContent = frame.tick;
    }
    if ("health" in frame) {
      this.part("[data-health]").hidden = !frame.health;
      this.part("[data-health] b").textContent = frame.health;
    }
    if ("holds" in frame) {
      this.part("[data-holds]").textContent = Object.entries(frame.holds).map(([k, n]) => `${k} ${n}`).join(", ");
    }
    if ("actions" in frame && (frame.actions.length || !frame.over)) {
      for (const button of this.element.querySelectorAll("[data-action]")) {
        button.disabled = !frame.actions.includes(button.dataset.action);
      }
      this.part("[data-uses]").hidden = !frame.actions.includes("USE");
    }
    if ("over" in frame) this.over = frame.over;
    if ("winner" in frame) this.winner = frame.winner;
  }

  setPaused(paused) {
    this.paused = paused;
    const say = this.words;
    if (this.over) this.veil(this.verdict(), this.mayRestart ? say.plays_again : "");
    else if (paused) {
      const tap = matchMedia("(pointer: coarse)").matches;
      if (this.begun) this.veil(say.paused, tap ? say.tap_goes_on : say.key_goes_on);
      else this.veil(say.ready, tap ? say.tap_starts : say.key_starts);
    } else {
      this.part("[data-start]").hidden = true;
      this.say("");
      if (document.activeElement === this.part("[data-start]") || document.activeElement === document.body) {
        this.part("canvas").focus({ preventScroll: true });
      }
    }
    this.part("[data-pause]").textContent = !paused ? say.pause : this.begun ? say.go_on : say.start;
    this.part("[data-pause]").disabled = this.over;
  }

  verdict() {
    return { 1: this.words.won, 0: this.words.lost }[this.winner] || this.words.time_up;
  }

  end(result) {
    this.setPaused(true);
    this.say(fill(this.words.result, { ...result, verdict: this.verdict() }));
    this.dispatchEvent(new CustomEvent("end", { detail: result }));
  }

  setPace(pace) {
    const same = (a, b) => a.by_turn === b.by_turn && (a.by_turn || a.ticks_per_second === b.ticks_per_second);
    const select = this.part("[data-pace]");
    if (same(pace, this.natural)) select.value = "natural";
    else select.value = pace.by_turn ? "turn" : String(pace.ticks_per_second);
    this.part("[data-unit]").textContent = pace.by_turn ? this.words.turn : this.words.time;
  }

  veil(title, text) {
    const veil = this.part("[data-start]");
    veil.hidden = false;
    this.part("[data-veil-title]").textContent = title;
    this.part("[data-veil-text]").textContent = text;
  }

  say(text) {
    this.part("[data-say]").textContent = text;
  }

  /** Offer to begin anew, or not any more. */
  allowRestart(may) {
    this.mayRestart = may;
    this.part("[data-restart]").hidden = !may;
  }

  // -- keys, buttons, fingers -----------------------------------------------------------------------------------------

  listen() {
    this.handlers = [];
    const on = (target, kind, handler) => {
      target.addEventListener(kind, handler);
      this.handlers.push([target, kind, handler]);
    };
    on(this.element, "keydown", (event) => this.keyDown(event));
    on(document, "keyup", (event) => this.keyUp(event));
    on(window, "blur", () => this.releaseAll());
    on(document, "visibilitychange", () => document.hidden && !this.paused && this.send("pause"));
    on(this.part("[data-start]"), "click", () => this.start());
    on(this.part("[data-pause]"), "click", () => this.toggle());
    on(this.part("[data-restart]"), "click", () => this.restart());
    on(this.part("canvas"), "pointerdown", () => this.part("canvas").focus({ preventScroll: true }));
    on(this.part("[data-pace]"), "change", (event) => this.choosePace(event.target.value));
    for (const button of this.element.querySelectorAll("[data-action]")) {
      const action = button.dataset.action;
      on(button, "pointerdown", (event) => {
        event.preventDefault();
        button.setPointerCapture(event.pointerId);
        this.down(action, button, event.pointerType === "touch" ? "touch" : "pointer");
      });
      for (const kind of ["pointerup", "pointercancel", "lostpointercapture"]) on(button, kind, () => this.up(action, button));
      on(button, "contextmenu", (event) => event.preventDefault());
      on(button, "click", (event) => event.detail === 0 && this.tap(action)); // by keyboard or screen reader
    }
  }

  keyDown(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select, summary")) return;
    if (this.over && event.target.matches("[data-start]") && event.code === "Space") return; // the button's own key
    const action = KEYS[event.code];
    const onButton = event.target.matches("button:not([data-start])");
    if (action && !(onButton && event.code === "Space")) {
      event.preventDefault();
      if (!event.repeat) this.down(action);
    } else if (event.code === "KeyR" && this.mayRestart) this.restart();
    else if (event.code === "KeyP") this.toggle();
    else if (this.paused && !this.over && !onButton && event.key.length === 1) this.start();
  }

  keyUp(event) {
    const action = KEYS[event.code];
    if (action) this.up(action);
  }

  /** An action's key or button goes down; while the game waits this lets it go on. */
  down(action, button, by = "keys") {
    if (this.over || this.held.has(action)) return;
    if (this.asleep) return this.wake();
    if (this.paused) this.send("resume");
    this.held.add(action);
    button?.classList.add("pcg-down");
    this.send("down", { action, by });
  }

  up(action, button) {
    button?.classList.remove("pcg-down");
    if (this.held.delete(action)) this.send("up", { action });
  }

  tap(action) {
    this.down(action);
    this.up(action);
  }

  releaseAll() {
    if (this.held.size) {
      this.held.clear();
      this.send("release");
    }
  }

  /** Come back to a play that was put to sleep, and go on with it. */
  wake() {
    this.asleep = false;
    this.waking = true;
    this.connect();
  }

  toggle() {
    if (this.asleep) this.wake();
    else this.send(this.paused ? "resume" : "pause");
  }

  start() {
    if (this.asleep) this.wake();
    else if (this.elsewhere) {
      this.elsewhere = false;
      this.connect();
    } else if (this.over) this.restart();
    else this.send("resume");
  }

  restart() {
    if (!this.mayRestart) return;
    if (this.asleep) return this.wake();
    this.held.clear();
    this.send("restart");
    this.part("[data-start]").focus({ preventScroll: true });
  }

  choosePace(value) {
    if (value === "natural") this.send("pace", this.natural);
    else if (value === "turn") this.send("pace", { ticks_per_second: 12, by_turn: true });
    else this.send("pace", { ticks_per_second: Number(value), by_turn: false });
  }
}
