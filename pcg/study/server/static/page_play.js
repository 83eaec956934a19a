// A play in the page, behind the face of a websocket: it takes and sends the messages of the server's plays
// (docs/web.md), so that the player above it is the same for both. The kernels run here, in WebAssembly; actions go to
// the server in batches, which plays them again and acknowledges what it has stored.
//
// The rules by which keys become actions are those of `pcg.web.player.session`, the frames those of
// `pcg.web.player.frames`.

const HOLD_S = 0.18; // so long a key is held before it repeats, where an action is a whole step
const QUEUE = 4; // keys pressed ahead of the ticks that play them
const MOST_UNSENT = 1200; // so many actions the server may be behind before the game waits for it; a batch has no more
const MOST_KEEPALIVE = 60000; // bytes that a browser sends for a page that is left
const MANY = 600; // so many are sent before it is time
const FIRST_WAIT_MS = 500, LONGEST_WAIT_MS = 8000;
const TAKEN_OVER = 4001, TRY_AGAIN = 1013, UNABLE = 4999;

const modules = new Map();

/** Scripts and kernels, loaded once for the page. */
function engineAt(address, kernels) {
  if (!modules.has(address)) {
    const code = fetch(`${address}/${kernels}`).then((answer) => {
      if (!answer.ok) throw new Error(`no kernels: ${answer.status}`);
      return answer.arrayBuffer();
    }).then((bytes) => WebAssembly.compile(bytes));
    const parts = [import(`${address}/game.js`), import(`${address}/frames.js`), import(`${address}/clock.js`), code];
    modules.set(address, Promise.all(parts));
  }
  return modules.get(address);
}

const CRC = new Uint32Array(256).map((_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n;
});

/** CRC-32 of what is where, as `witness` of `page_plays.py` computes it. */
export function witness(play) {
  const { machine, about, level } = play, view = machine.view, spot = about.layout.sprite, found = [];
  const base = play.at + play.int("at_sprites");
  for (let k = 0, n = play.int("slots"); k < n; k++) {
    const at = base + k * about.spriteBytes, id = view.getInt32(at + spot.id, true);
    if (id >= 0) found.push([id, view.getInt16(at + spot.type, true), view.getInt32(at + spot.x, true), view.getInt32(at + spot.y, true)]);
  }
  found.sort((a, b) => a[0] - b[0]);
  const bytes = new Uint8Array(level.mortal + 16 * found.length), alive = play.at + play.int("at_alive");
  for (let k = 0; k < level.mortal; k++) bytes[k] = view.getUint8(alive + k) ? 1 : 0;
  const out = new DataView(bytes.buffer);
  found.flat().forEach((value, k) => out.setInt32(level.mortal + 4 * k, value, true));
  let c = 0xffffffff;
  for (const byte of bytes) c = CRC[(c ^ byte) & 255] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

export class PagePlay extends EventTarget {
  /** True in browsers that can play by themselves. */
  static possible = typeof WebAssembly === "object" && typeof BigInt === "function";

  /**
   * @param {{open: string, actions?: string, token: string}} addresses where plays are opened and actions sent; without
   *   `actions` nothing is sent, and the level can be started anew at any time.
   * @param {() => void} unable called when the page cannot play by itself: what connects next should be a websocket.
   */
  constructor(addresses, unable) {
    super();
    this.addresses = addresses;
    this.unable = unable;
    this.readyState = WebSocket.CONNECTING;
    this.listeners = [];
    this.reset();
    this.begin().catch((error) => this.fail(error));
  }

  reset() {
    this.queue = [];
    this.held = [];
    this.waited = 0;
    this.running = 0; // when the clock began to run, in the page's milliseconds
    this.unsent = { actions: [], times: [], presses: [] };
    this.sent = 0; // of the actions of the attempt
    this.by = new Set();
    this.told = false; // that the end of the game is stored
  }

  async begin() {
    const opened = await this.ask({});
    this.about = opened;
    const [game, frames, clock, module] = await engineAt(opened.engine, opened.kernels);
    const { about, data } = await (await fetch(opened.image)).json();
    this.names = game.ACTIONS;
    this.play = new game.Play(game.Game.told(about, module, data), 0, opened.seed);
    this.changes = new frames.Changes();
    this.clock = new clock.Clock(() => this.tick());
    this.clock.period = 1000 / opened.pace.ticks_per_second;
    // A reload takes no tick more than playing on would have.
    this.clock.due = performance.now() + this.clock.period;
    this.take(opened);
    if (this.readyState !== WebSocket.CONNECTING) return;
    this.readyState = WebSocket.OPEN;
    this.on(document, "visibilitychange", () => document.hidden && this.leave());
    this.on(window, "pagehide", () => this.leave());
    const { width, height, block } = this.play.level;
    this.tell("welcome", {
      game: opened.game, goal: opened.goal, pace: opened.pace, sheet: opened.sheet, width, height, block,
      frame: this.frame(true), ...(opened.study && { study: opened.study }),
    });
    if (this.play.over && !this.told) this.flush();
  }

  /** Begin with an attempt as the server knows it. */
  take(opened) {
    this.reset();
    this.lease = opened.lease;
    this.attempt = opened.attempt ?? 0;
    this.base = opened.clock ?? 0; // milliseconds that the clock of the attempt ran before `running`
    this.stored = this.base; // the clock as far as it is stored
    this.sent = opened.ticks ?? 0;
    this.pressRoom = opened.presses ?? 0;
    this.letters = opened.letters;
    this.study = opened.study;
    this.next = opened.next;
    const codes = Object.fromEntries(Object.entries(opened.letters).map(([name, letter]) => [letter, this.names.indexOf(name)]));
    for (const letter of opened.actions ?? "") this.play.advance(codes[letter]);
    this.told = this.play.over && Boolean(opened.study?.enough);
  }

  /** Ask the server for a play; refusals are final, everything else is not. */
  async ask(more) {
    const answer = await fetch(this.addresses.open, {
      method: "POST", credentials: "same-origin",
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify({ token: this.addresses.token, ...more }),
    }).catch(() => { throw new Away(); });
    if (answer.redirected || answer.status === 410) throw new Gone();
    if (answer.status === 429 || answer.status >= 500) throw new Away();
    if (!answer.ok) throw new Error((await answer.json()).error);
    return answer.json();
  }

  fail(error) {
    if (this.readyState === WebSocket.CLOSED) return;
    if (error instanceof Gone) this.gone();
    else if (error instanceof Away) this.end(TRY_AGAIN);
    else {
      console.info(`the game runs on the server: ${error.message}`);
      this.unable();
      this.end(UNABLE);
    }
  }

  // -- the face of a websocket ------------------------------------------------------------------------------------------

  tell(type, content = {}) {
    this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify({ type, ...content }) }));
  }

  send(text) {
    const message = JSON.parse(text);
    const acts = { down: "press", up: "release", release: "releaseAll", pause: "pause", resume: "resume", restart: "restart" };
    this[acts[message.type]]?.(message.action, message.by);
  }

  close() {
    this.leave();
    this.end(1000);
  }

  gone() {
    this.tell("gone", { message: "" });
    this.end(1000);
  }

  end(code) {
    if (this.readyState === WebSocket.CLOSED) return;
    this.stop();
    this.readyState = WebSocket.CLOSED;
    clearTimeout(this.timer);
    for (const [target, kind, handler] of this.listeners) target.removeEventListener(kind, handler);
    this.dispatchEvent(new CloseEvent("close", { code }));
  }

  on(target, kind, handler) {
    target.addEventListener(kind, handler);
    this.listeners.push([target, kind, handler]);
  }

  // -- keys -------------------------------------------------------------------------------------------------------------

  get actions() {
    return this.play.actions().map((code) => this.names[code]);
  }

  press(action, by) {
    if (!this.running || this.held.includes(action) || !this.actions.includes(action)) return;
    if (by) this.by.add(by);
    this.held.push(action);
    if (this.queue.length < QUEUE) this.queue.push(action);
    this.record(action, 1);
    this.clock.start();
  }

  release(action) {
    if (!this.held.includes(action)) return;
    this.held = this.held.filter((one) => one !== action);
    this.waited = 0;
    this.record(action, 0);
  }

  releaseAll() {
    for (const action of [...this.held]) this.release(action);
    this.queue = [];
  }

  record(action, down) {
    if (this.pressRoom-- > 0) this.unsent.presses.push([this.play.taken.length, this.letters[action], down]);
  }

  // -- time -------------------------------------------------------------------------------------------------------------

  /** Milliseconds that the clock of this attempt ran. */
  get time() {
    return Math.floor(this.base + (this.running ? performance.now() - this.running : 0));
  }

  get wantsTicks() {
    return !this.play.over && (!this.about.pace.by_turn || this.queue.length > 0 || this.held.length > 0);
  }

  choose() {
    if (this.queue.length) {
      this.waited = 0;
      return this.queue.shift();
    }
    if (!this.held.length) return "NIL";
    this.waited++;
    const { by_turn: byTurn, ticks_per_second: pace } = this.about.pace;
    const hold = byTurn || this.play.steps() ? Math.round(HOLD_S * pace) : 0;
    return this.waited > hold ? this.held.at(-1) : "NIL";
  }

  tick() {
    if (!this.running || !this.wantsTicks) return false;
    const action = this.choose();
    if (this.about.pace.by_turn && action === "NIL") return true;
    if (this.unsent.actions.length >= MOST_UNSENT) { // the server is away for too long
      this.pause();
      return false;
    }
    this.play.advance(this.names.indexOf(action));
    this.unsent.actions.push(this.letters[action]);
    this.unsent.times.push(this.time);
    this.tell("frame", this.frame());
    if (this.play.over) this.finish();
    else if (this.unsent.actions.length === MANY) this.flush();
    return this.wantsTicks;
  }

  frame(whole = false) {
    const { tick, over, winner, score, health, holds } = this.play.status();
    const frame = { ...this.changes.next(this.play, whole), tick, over, winner, score, health, actions: this.actions, holds: Object.fromEntries(holds.sort()) };
    return frame;
  }

  /** Stop the clock without a word. */
  stop() {
    if (!this.running) return;
    this.releaseAll();
    this.base += performance.now() - this.running;
    this.running = 0;
    this.clock.stop();
  }

  pause() {
    this.stop();
    this.tell("paused", { paused: true });
    this.flush();
  }

  resume() {
    if (this.study?.spent) this.tell("error", { message: this.addresses.spent });
    else if (!this.running && !this.play.over && this.unsent.actions.length < MOST_UNSENT) {
      this.running = performance.now();
      this.clock.start();
      this.plan();
    }
    this.tell("paused", { paused: !this.running });
  }

  finish() {
    this.stop();
    this.tell("paused", { paused: true });
    if (!this.addresses.actions) this.tellEnd();
    else this.flush();
  }

  tellEnd() {
    const { winner, score, tick } = this.play.status();
    this.told = true;
    this.tell("end", { winner, score, ticks: tick });
  }

  async restart() {
    this.stop();
    if (!this.play.taken.length) return;
    if (this.addresses.actions) {
      try {
        await this.flush();
        if (this.readyState !== WebSocket.OPEN || this.unsent.actions.length) return;
        const opened = await this.ask({ again: this.attempt });
        this.play.begin(opened.seed);
        this.take(opened);
      } catch (error) {
        if (error instanceof Away) this.tell("error", { message: this.addresses.away });
        else this.fail(error);
        return;
      }
    } else {
      this.play.begin();
      this.reset();
      this.base = 0;
    }
    this.tell("frame", this.frame(true));
    this.tell("paused", { paused: true });
    if (this.study) this.tell("study", this.study);
  }

  // -- what the server gets ---------------------------------------------------------------------------------------------

  /** Send in time: after the seconds that the server asked for, and as soon as it may say that it was enough. */
  plan(seconds = this.next) {
    clearTimeout(this.timer);
    if (!this.addresses.actions || this.readyState !== WebSocket.OPEN || seconds === undefined) return;
    const { minimum, maximum, enough } = this.study, ran = this.study.seconds + (this.time - this.stored) / 1000;
    let wait = seconds;
    if (!enough && ran < minimum) wait = Math.min(wait, minimum - ran + 0.01);
    if (maximum) wait = Math.min(wait, Math.max(0, maximum - ran) + 0.01);
    this.timer = setTimeout(() => this.flush(), 1000 * Math.max(0.05, wait));
  }

  /** What is not stored yet as a batch, or null without anything; `behind` is one that is under way. */
  batch(behind = { count: 0, presses: 0, clock: this.stored }) {
    const actions = this.unsent.actions.slice(behind.count), times = this.unsent.times.slice(behind.count);
    const presses = this.unsent.presses.slice(behind.presses), clock = this.time;
    if (!actions.length && !presses.length && clock <= behind.clock) return null;
    return {
      lease: this.lease, attempt: this.attempt, from: this.sent + behind.count, actions: actions.join(""),
      times: times.map((at, k) => at - (k ? times[k - 1] : behind.clock)), clock, presses, by: [...this.by],
      claim: this.claim(),
    };
  }

  claim() {
    const { tick, score, winner, over } = this.play.status();
    return { ticks: tick, score, winner, over, sum: witness(this.play) };
  }

  /** Send what is not stored yet; one batch after the other, one flush at a time. */
  flush() {
    if (!this.addresses.actions || this.readyState !== WebSocket.OPEN) return Promise.resolve();
    this.flushing ??= this.sendAll().finally(() => { this.flushing = null; });
    return this.flushing;
  }

  async sendAll() {
    clearTimeout(this.timer);
    let wait = FIRST_WAIT_MS;
    for (let body; this.readyState === WebSocket.OPEN && (body = this.batch());) {
      if (await this.sendOne(body)) {
        if (!this.unsent.actions.length) break;
      } else if (this.readyState === WebSocket.OPEN) {
        this.away = true;
        this.tell("error", { message: this.addresses.away });
        await new Promise((resolve) => { setTimeout(resolve, wait); });
        wait = Math.min(2 * wait, LONGEST_WAIT_MS);
      }
    }
    if (this.readyState !== WebSocket.OPEN) return;
    if (this.play.over && !this.told && !this.unsent.actions.length) this.tellEnd();
    if (this.running) this.plan();
  }

  /** Send a batch; false when it has to be sent again. */
  async sendOne(body) {
    this.flying = { count: body.actions.length, presses: body.presses.length, clock: body.clock };
    try {
      const answer = await this.post(body);
      if (answer.redirected || answer.status === 410) this.end(TAKEN_OVER);
      if (answer.status === 429 || answer.status >= 500) return false;
      const told = await answer.json(), count = told.ticks - this.sent;
      if (answer.ok) this.acknowledged(this.flying.count, this.flying.presses, told);
      else if (answer.status === 409 && told.ticks === undefined) this.spend();
      else if (answer.status === 409 && count > 0 && count <= this.flying.count) {
        // The answer to an earlier one was lost: only this page has the lease, so they are its own.
        const known = this.unsent.presses.filter(([at]) => at < told.ticks).length;
        this.acknowledged(count, count === this.flying.count ? this.flying.presses : known, told);
      } else if (answer.status !== 410) this.fail(new Error(told.error)); // the server goes on with the game itself
      return true;
    } catch {
      return false;
    } finally {
      this.flying = null;
    }
  }

  /** Post a batch so that it arrives even when the page is left meanwhile. */
  post(body) {
    const text = JSON.stringify(body);
    return fetch(this.addresses.actions, {
      method: "POST", credentials: "same-origin", keepalive: text.length < MOST_KEEPALIVE,
      headers: { "content-type": "application/json", accept: "application/json" }, body: text,
    });
  }

  acknowledged(count, presses, told) {
    this.unsent.actions.splice(0, count);
    this.unsent.times.splice(0, count);
    this.unsent.presses.splice(0, presses);
    this.sent += count;
    this.stored = told.clock;
    this.next = told.next;
    const before = this.study;
    this.study = told.study;
    if (told.study.spent && this.running) {
      this.stop();
      this.tell("paused", { paused: true });
    }
    if (this.away) this.tell("error", { message: "" });
    if (this.away || before.enough !== told.study.enough || before.spent !== told.study.spent) this.tell("study", told.study);
    this.away = false;
  }

  /** The time is up, and what was played since does not count. */
  spend() {
    this.stop();
    this.unsent = { actions: [], times: [], presses: [] };
    this.study = { ...this.study, spent: true, restarts: 0 };
    this.tell("paused", { paused: true });
    this.tell("study", this.study);
  }

  /** The page is hidden or left: send what there is, behind what is under way. */
  leave() {
    if (this.readyState !== WebSocket.OPEN || !this.addresses.actions) return;
    this.stop();
    const body = this.batch(this.flying ?? undefined);
    if (body?.actions) this.post(body).catch(() => {});
  }
}

class Away extends Error {}
class Gone extends Error {}
