// Replays: every figure with `data-replay` (an address of frames) gets a board that plays them, with a button and a
// place to choose. Nothing moves before somebody asks for it.
import { Board, loadSheet } from "./player/board.js";

class Replay {
  constructor(figure) {
    this.figure = figure;
    this.button = figure.querySelector("[data-play]");
    this.slider = figure.querySelector("[data-place]");
    this.at = 0;
    this.button.addEventListener("click", () => this.toggle());
    this.slider.addEventListener("input", () => this.seek(Number(this.slider.value)));
  }

  async load() {
    if (this.board) return;
    const answer = await fetch(this.figure.dataset.replay, { headers: { accept: "application/json" } });
    if (!answer.ok) throw new Error(answer.statusText);
    this.data = await answer.json();
    if (!this.data.frames.length) throw new Error("no frames");
    const canvas = this.figure.querySelector("canvas");
    const picture = this.figure.querySelector("img");
    const room = picture ? picture.clientWidth : canvas.parentElement.clientWidth;
    const sheet = await loadSheet(this.data.sheet);
    if (picture) picture.hidden = true;
    canvas.hidden = false;
    this.board = new Board(canvas, this.data, sheet);
    this.board.fit(room, window.innerHeight * 0.6);
    this.slider.max = this.data.frames.length - 1;
    this.show(0);
  }

  show(place) {
    // Frames say what changed, so going back begins anew.
    if (place < this.at || place === 0) {
      this.board.show(this.data.frames[0]);
      this.at = 0;
    }
    while (this.at < place) this.board.show(this.data.frames[(this.at += 1)]);
    this.slider.value = place;
  }

  async seek(place) {
    this.stop();
    try {
      await this.load();
      this.show(Math.min(place, this.data.frames.length - 1));
    } catch {
      this.none();
    }
  }

  async toggle() {
    if (this.timer) return this.stop();
    this.button.disabled = true;
    try {
      await this.load();
    } catch {
      return this.none();
    } finally {
      this.button.disabled = false;
    }
    if (this.at >= this.data.frames.length - 1) this.show(0);
    this.button.textContent = this.button.dataset.pause;
    this.timer = setInterval(() => {
      this.show(this.at + 1);
      if (this.at >= this.data.frames.length - 1) this.stop();
    }, 1000 / this.data.speed);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.button.textContent = this.button.dataset.play;
  }

  none() {
    this.figure.querySelector("[data-none]").hidden = false;
    this.button.hidden = this.slider.hidden = true;
  }
}

for (const figure of document.querySelectorAll("[data-replay]")) new Replay(figure);
