// The replay: a recorded play, run as an animation or stepped through tick by tick.

import { Board, loadSheet } from "./board.js";

const TICK_MS = 120;

// What is said; `words` of the options says it in another language.
const WORDS = {
  NIL: "waits", UP: "up", LEFT: "left", DOWN: "down", RIGHT: "right", USE: "uses", score: "score", action: "action",
  picture: "the recorded play", run: "Run", stop: "Stop", back: "one tick back", next: "one tick on", tick: "tick", of: "of",
};

const markup = (say) => `
  <div class="pcg-figures"><span>${say.score} <b data-score>0</b></span> <span>${say.action} <b data-action-name>—</b></span></div>
  <div class="pcg-stage"><canvas role="img" aria-label="${say.picture}"></canvas></div>
  <div class="pcg-scrub">
    <button type="button" data-run>${say.run}</button>
    <button type="button" data-back aria-label="${say.back}">◀</button>
    <button type="button" data-next aria-label="${say.next}">▶</button>
    <input type="range" min="0" value="0" aria-label="${say.tick}" data-at>
    <output data-where></output>
  </div>`;

export class Replay {
  /**
   * @param {HTMLElement} element emptied and filled by the replay.
   * @param {object} play `width`, `height`, `block`, `sheet`, `frames` as the server tells.
   * @param {object} words what it says, in another language.
   */
  constructor(element, play, words = {}) {
    this.words = { ...WORDS, ...words };
    this.element = element;
    this.play = play;
    this.at = 0;
    element.classList.add("pcg-player");
    element.innerHTML = markup(this.words);
    this.part = (selector) => element.querySelector(selector);
    this.ready = this.begin();
  }

  async begin() {
    this.board = new Board(this.part("canvas"), this.play, await loadSheet(this.play.sheet));
    this.part("[data-at]").max = this.play.frames.length - 1;
    this.part("[data-at]").addEventListener("input", (event) => this.go(Number(event.target.value), true));
    this.part("[data-back]").addEventListener("click", () => this.go(this.at - 1, true));
    this.part("[data-next]").addEventListener("click", () => this.go(this.at + 1, true));
    this.part("[data-run]").addEventListener("click", () => (this.timer ? this.stop() : this.run()));
    this.watcher = new ResizeObserver(() => this.fit());
    this.watcher.observe(this.element);
    this.show(0);
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) this.run();
  }

  fit() {
    const room = this.element.clientWidth;
    if (room && room !== this.room) {
      this.room = room;
      this.board.fit(room, window.innerHeight * 0.66);
    }
  }

  run() {
    if (this.at >= this.play.frames.length - 1) this.go(0);
    this.timer = setInterval(() => {
      this.go(this.at + 1);
      if (this.at >= this.play.frames.length - 1) this.stop();
    }, TICK_MS);
    this.part("[data-run]").textContent = this.words.stop;
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.part("[data-run]").textContent = this.words.run;
  }

  /** Show a tick; going back begins at the first frame, which is as quick as going on. */
  go(tick, byHand = false) {
    if (byHand) this.stop();
    const aim = Math.max(0, Math.min(tick, this.play.frames.length - 1));
    if (aim < this.at) this.show(0);
    while (this.at < aim) this.show(this.at + 1);
    this.tell();
  }

  show(tick) {
    const frame = this.play.frames[tick];
    this.board.show(frame);
    this.at = tick;
    if ("score" in frame) this.score = frame.score;
    this.tell();
  }

  tell() {
    const frame = this.play.frames[this.at];
    this.part("[data-score]").textContent = Math.round(this.score * 100) / 100;
    this.part("[data-action-name]").textContent = this.words[frame.action] || "—";
    this.part("[data-at]").value = this.at;
    this.part("[data-where]").textContent = `${this.words.tick} ${this.at} ${this.words.of} ${this.play.frames.length - 1}`;
  }

  close() {
    this.stop();
    this.watcher?.disconnect();
  }
}
