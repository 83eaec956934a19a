// The page: a game with its levels, played by a person, shown by an agent, or repeated from a link. It ties the board,
// the plays, the hands and the words together; whatever can be thought of without a page is in the other modules.

import { Agent } from "./agent.js";
import { Board, loadSheet } from "./board.js";
import { Changes, frameOf } from "./frames.js";
import { ACTIONS, Play } from "./game.js";
import { Hands, listen } from "./input.js";
import { Clock, blip } from "./clock.js";
import { fragmentOf, playIn } from "./share.js";
import { WORDS, fill } from "./words.js";

const ARROWS = { UP: "▲", LEFT: "◀", DOWN: "▼", RIGHT: "▶", USE: "●" };
const HINT_EFFORT = 4; // times the budget of an agent that plays
const TIMES = [20, 40, 200]; // milliseconds that agents may think, beside a number of ticks
const SPEEDS = { usual: 1, slow: 2, slower: 4 };
const WATCH_TURNS = 6; // turns a second
const REST_MS = 400; // after another version of the game, before its levels are pictured: a writer types on

const MARKUP = `
<header class="pcg-head">
  <div><h1></h1><p class="lead" data-text="summary"></p></div>
  <button type="button" class="link" data-do="language"></button>
</header>
<div class="pcg-main" role="main">
  <section class="pcg-player">
    <div class="pcg-figures" data-figures></div>
    <div class="pcg-stage" data-stage>
      <canvas tabindex="0" role="img"></canvas>
      <div class="pcg-veil" data-veil><b></b><span></span><div class="row"></div></div>
    </div>
    <div class="pcg-pad" role="group" data-pad>${["UP", "LEFT", "DOWN", "RIGHT", "USE"]
      .map((name) => `<button type="button" data-action="${name}">${ARROWS[name]}</button>`).join("")}</div>
    <p class="pcg-say" role="status" aria-live="polite" data-say></p>
    <div class="pcg-tools" role="group" data-tools>
      ${["undo", "restart", "pause", "hint", "next", "share"].map((name) => `<button type="button" data-do="${name}"></button>`).join("")}
    </div>
    <div class="pcg-options">
      <span class="pcg-watch"><button type="button" data-do="watch"></button><select data-watch></select></span>
      <label><span data-word="simulate"></span> <select data-budget></select></label>
      <label data-second hidden><span data-word="against"></span> <select data-against></select></label>
      <label><span data-word="speed"></span> <select data-speed></select></label>
      <label class="choice"><input type="checkbox" data-sound> <span data-word="sound"></span></label>
    </div>
  </section>
  <aside class="pcg-side">
    <h2 data-word="levels"></h2>
    <ol class="pcg-levels" data-levels></ol>
    <h2 data-word="how"></h2>
    <ul class="pcg-things" data-things></ul>
    <div data-keys></div>
  </aside>
</div>
<footer class="pcg-foot"><span data-word="made"></span></footer>`;

const create = (tag, text = "", attributes = {}) => Object.assign(document.createElement(tag), { textContent: text, ...attributes });

/** Do something when the browser has shown what is on the page now. */
const onceShown = (then) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(then)));

export class Page {
  /** @param {HTMLElement} element to fill; @param {Game} game; @param {object} sheet from `loadSheet`. */
  constructor(element, game, sheet) {
    Object.assign(this, { element, game, sheet, about: game.about, watcher: null, paused: true });
    element.innerHTML = MARKUP;
    this.part = (selector) => element.querySelector(selector);
    this.hands = Array.from({ length: this.about.players }, () => new Hands());
    this.clock = new Clock(() => this.tick());
    this.canvas = this.part("canvas");
    element.addEventListener("click", (event) => {
      const name = event.target.closest("[data-do]")?.dataset.do;
      if (name) this[name]();
    });
    listen(document, this.part("[data-stage]"), this.part("[data-pad]"), this.about.players, this);
    this.part("[data-speed]").addEventListener("change", () => this.setPace());
    this.part("[data-against]").addEventListener("change", () => { this.rival = null; });
    this.part("[data-watch]").addEventListener("change", () => this.fillBudget());
    this.part("[data-budget]").addEventListener("change", () => {
      this.rival = null;
      if (this.watcher?.agents) this.setAgents(this.watcher.name);
    });
    document.addEventListener("visibilitychange", () => document.hidden && this.setPaused(true));
    window.addEventListener("hashchange", () => location.hash !== this.shown && this.fromLink());
    this.speak(this.kept("language") || (navigator.language.startsWith("zh") ? "zh" : "en"));
    if (!this.fromLink()) this.open(0);
    new ResizeObserver(() => this.fit()).observe(this.part("[data-stage]").parentElement);
    window.addEventListener("resize", () => this.fit());
    onceShown(() => {
      this.describe();
      this.drawLevels(0);
    });
  }

  /** A button below the picture; what lies over the picture has some of the same. */
  tool(name) {
    return this.part(`.pcg-tools [data-do=${name}], .pcg-options [data-do=${name}]`);
  }

  /** Show another version of the game, at the level that was shown; for editors. */
  replace(game, sheet) {
    const number = Math.min(this.play.number, game.about.levels.length - 1);
    Object.assign(this, { game, sheet, about: game.about, play: null });
    this.hands = Array.from({ length: this.about.players }, () => new Hands());
    this.speak(this.tongue);
    const list = this.part("[data-levels]");
    while (list.children.length > this.about.levels.length) list.lastChild.remove();
    this.open(number);
    this.describe();
    this.drawLevels(REST_MS);
  }

  // -- words ----------------------------------------------------------------------------------------------------------

  /** What browsers remember between visits; some refuse to. */
  kept(name, value) {
    try {
      if (value === undefined) return localStorage.getItem(`pcg ${name}`);
      localStorage.setItem(`pcg ${name}`, value);
    } catch { /* then nothing is remembered */ }
    return null;
  }

  language() {
    this.speak(this.tongue === "en" ? "zh" : "en");
    this.kept("language", this.tongue);
  }

  speak(language) {
    this.tongue = language in WORDS ? language : "en";
    const say = (this.words = WORDS[this.tongue]), told = this.about.text[this.tongue];
    document.documentElement.lang = this.tongue;
    this.part("h1").textContent = this.about.title;
    this.part(".lead").textContent = told.summary;
    for (const element of this.element.querySelectorAll("[data-word]")) element.textContent = say[element.dataset.word];
    for (const element of this.element.querySelectorAll("[data-do]")) element.textContent = say[element.dataset.do];
    this.part("[data-pad]").setAttribute("aria-label", say.pad);
    for (const button of this.part("[data-pad]").children) button.setAttribute("aria-label", say[button.dataset.action]);
    if (this.play) this.fillWatch();
    this.fillSelect("[data-speed]", [...Object.keys(SPEEDS), ...(this.about.pace.byTurn ? [] : ["byTurn"])].map((name) => [name, say[name]]), say.speed);
    this.part("[data-second]").hidden = this.about.players < 2;
    this.fillSelect("[data-against]", [...this.about.agents.at(-1).map(({ name }) => [name, say.agents[name] ?? name]), ["person", say.person]], say.against);
    if (this.play) {
      this.describe();
      this.nameLevels();
      this.show();
      this.cover();
    }
  }

  /** Say beside the board what the game is about; it is there when the board has been shown. */
  describe() {
    const say = this.words, told = this.about.text[this.tongue];
    this.part("[data-things]").replaceChildren(...told.things.map(([name, text, stamp, role]) => {
      const item = create("li"), words = create("span");
      words.append(create("b", name), ` ${text}`);
      item.append(this.picture(stamp), words);
      item.dataset.role = role;
      return item;
    }));
    const two = this.about.players > 1;
    const keys = told.keys.flatMap(([avatar, list], k) => [
      ...(told.keys.length > 1 ? [create("b", two && k === 1 ? `${avatar} (${say.second})` : avatar)] : []), ...list.map(([key, does]) => create("p", `${key}: ${does}`)),
    ]);
    const more = [say.keysUndo, say.touch, say.gamepad].join(" ");
    this.part("[data-keys]").replaceChildren(...keys, ...[...told.win, ...told.lose].map((text) => create("p", text)), create("p", more, { className: "hint" }));
  }

  /** Who can be watched: the win that came with the level, if one did, and the agents. */
  fillWatch() {
    const names = [...(this.play.level.play ? ["recorded"] : []), ...this.about.agents[0].map(({ name }) => name)];
    this.fillSelect("[data-watch]", names.map((name) => [name, this.words.agents[name] ?? name]), this.words.watch);
    this.fillBudget();
  }

  /** What agents may spend on a decision: as many ticks as the one to be watched has by itself, or a time. */
  fillBudget() {
    const say = this.words, [first] = this.about.agents[0], name = this.part("[data-watch]").value;
    const { budget } = this.about.agents[0].find((image) => image.name === name) ?? first;
    this.fillSelect("[data-budget]", [["", fill(say.simulated, { n: budget })], ...TIMES.map((n) => [`${n}ms`, fill(say.forTime, { n })])], say.simulate);
  }

  /** An agent of the play that goes on from here; `former` one makes room for it. */
  agent(name, player, seed = player, former = undefined) {
    const images = this.about.agents[player];
    return new Agent(this.play, images.find((image) => image.name === name) ?? images[0], seed, this.part("[data-budget]").value || undefined, former);
  }

  fillSelect(selector, options, label) {
    const select = this.part(selector), before = select.value;
    select.replaceChildren(...options.map(([value, text]) => create("option", text, { value })));
    select.setAttribute("aria-label", label);
    if (options.some(([value]) => value === before)) select.value = before;
  }

  /** One picture of the sheet. */
  picture(stamp) {
    const canvas = create("canvas", "", { width: this.sheet.tile, height: this.sheet.tile });
    const { tile, columns, image } = this.sheet;
    canvas.getContext("2d").drawImage(image, (stamp % columns) * tile, Math.floor(stamp / columns) * tile, tile, tile, 0, 0, tile, tile);
    canvas.setAttribute("aria-hidden", "true");
    return canvas;
  }

  // -- levels ---------------------------------------------------------------------------------------------------------

  levelName(number) {
    return this.about.levels[number].title || `${this.words.level} ${number + 1}`;
  }

  nameLevels() {
    const list = this.part("[data-levels]");
    list.closest("aside").querySelector("h2").hidden = list.hidden = this.about.levels.length < 2;
    list.childNodes.forEach((item, k) => {
      const button = item.firstChild;
      button.lastChild.textContent = this.levelName(k) + (this.kept(`won ${this.about.digest} ${k}`) ? " ✓" : "");
      button.setAttribute("aria-current", String(k === this.play.number));
    });
  }

  /** The buttons of the levels; their pictures come when the first level is on the screen already. */
  drawLevels(wait) {
    const list = this.part("[data-levels]");
    this.about.levels.slice(list.children.length).forEach((level, more, { length }) => {
      const k = this.about.levels.length - length + more;
      const item = create("li"), button = create("button", "", { type: "button" });
      button.append(create("canvas", "", { width: 4, height: 3 }), create("span"));
      button.addEventListener("click", () => this.open(k));
      item.append(button);
      list.append(item);
    });
    this.nameLevels();
    const { about } = this;
    const draw = (k) => {
      if (k === about.levels.length || about !== this.about) return; // done, or another game has come
      this.drawLevel(k, list.children[k].querySelector("canvas"));
      setTimeout(draw, 10, k + 1);
    };
    setTimeout(draw, wait, 0);
  }

  drawLevel(number, canvas) {
    const level = this.about.levels[number], board = new Board(canvas, level, this.sheet, [level.width * 8, level.height * 8]);
    board.show({ whole: true, put: frameOf(new Play(this.game, number)), gone: [] });
    canvas.style.width = canvas.style.height = "";
  }

  /** Open a level; with a known win it begins as that did, so that hints can follow it. */
  open(number, seed = this.about.levels[number].play?.seed ?? 0) {
    this.play = this.play?.number === number ? this.play : new Play(this.game, number, seed);
    this.play.begin(seed);
    this.watcher = this.rival = this.pending = null;
    this.fillWatch();
    this.board = new Board(this.canvas, this.play.level, this.sheet, this.space());
    this.changes = new Changes();
    this.room = this.space().join();
    this.canvas.setAttribute("aria-label", fill(this.words.board, { game: this.about.title, ...this.play.level }));
    this.setPace();
    this.show(true);
    this.nameLevels();
    this.setPaused(true);
    this.say("");
  }

  /** Width and height that the board may take; what the bars of a phone's browser take changes, so in steps. */
  space() {
    const height = innerHeight * (innerWidth < 736 ? 0.56 : 0.68);
    return [this.part("[data-stage]").clientWidth, Math.round(height / 40) * 40];
  }

  fit() {
    const space = this.space();
    if (!space[0] || space.join() === this.room) return;
    this.room = space.join();
    this.board.fit(...space);
  }

  next() {
    this.open((this.play.number + 1) % this.about.levels.length);
    this.canvas.focus({ preventScroll: true });
  }

  /** Begin anew; where chance plays a part, with another one, the same for everybody. */
  restart() {
    this.open(this.play.number, this.play.seed + (this.play.level.chance ? 1 : 0));
    this.canvas.focus({ preventScroll: true });
  }

  /** Take back a turn, or a second of a game that runs; a finished game goes on. */
  undo() {
    this.watcher = null;
    this.play.back(this.byTurn ? 1 : Math.round(this.about.pace.ticks));
    this.release();
    this.show(true);
    if (this.byTurn) {
      this.setPaused(false);
      this.canvas.focus({ preventScroll: true });
    } else this.setPaused(true);
  }

  // -- showing --------------------------------------------------------------------------------------------------------

  show(whole = false) {
    const say = this.words, now = this.play.status(), turns = this.byTurn ? say.turn : say.time;
    this.board.show(this.changes.next(this.play, whole));
    const figures = [[say.level, this.play.number + 1], [say.score, this.round(now.score)], [turns, now.tick]];
    if (this.about.players > 1) figures.splice(1, 1, ...[0, 1].map((p) => [fill(say.player, { n: p + 1 }), this.round(this.play.status(p).score)]));
    if (now.health) figures.push([say.health, now.health]);
    figures.push(...now.holds);
    this.part("[data-figures]").replaceChildren(...figures.map(([name, value]) => {
      const figure = create("span", `${name} `);
      figure.append(create("b", value));
      return figure;
    }));
    const actions = this.play.actions();
    if (actions.length) for (const button of this.part("[data-pad]").children) button.disabled = !actions.includes(ACTIONS.indexOf(button.dataset.action));
    this.tool("undo").disabled = !this.play.taken.length;
    this.tool("share").disabled = !this.play.taken.length;
    this.tool("hint").disabled = this.play.over;
    this.tool("next").hidden = this.about.levels.length < 2;
    this.tool("watch").textContent = this.watcher ? say.stop : say.watch;
    return now;
  }

  round(score) {
    return Math.round(score * 100) / 100;
  }

  say(text) {
    this.part("[data-say]").textContent = text;
  }

  time(n) {
    return { time: fill(this.byTurn ? this.words.turns : this.words.ticks, { n }) };
  }

  verdict() {
    const say = this.words;
    if (this.about.players > 1) {
      const winner = [0, 1].find((p) => this.play.status(p).winner === 1 && this.play.status(1 - p).winner !== 1);
      return winner === undefined ? say.draw : fill(say.wins, { n: winner + 1 });
    }
    return { 1: say.won, 0: say.lost }[this.play.status().winner] ?? say.ended;
  }

  /** What lies over the picture while nothing moves: a word, a sentence, and what one can do next. */
  cover() {
    const veil = this.part("[data-veil]"), say = this.words, over = this.play.over;
    veil.hidden = !over && !this.paused;
    this.tool("pause").textContent = this.paused ? (this.play.taken.length ? say.resume : say.start) : say.pause;
    this.tool("pause").disabled = over;
    if (veil.hidden) return;
    const [title, text, ...buttons] = veil.children, row = buttons[0];
    row.replaceChildren();
    const offer = (name, primary) => {
      const button = create("button", name === "restart" && over ? say.again : name === "pause" ? (this.play.taken.length ? say.resume : say.start) : say[name], { type: "button" });
      button.dataset.do = name;
      if (primary) button.className = "primary";
      row.append(button);
    };
    const now = this.play.status();
    if (over) {
      title.textContent = this.verdict();
      text.textContent = fill(say.result, { score: this.round(now.score), ...this.time(now.tick) });
      const more = this.about.levels.length > 1 && now.winner === 1;
      if (more) offer("next", true);
      offer("restart", !more);
      if (now.winner !== 1) offer("undo");
      offer("share");
    } else {
      title.textContent = this.pending ? fill(say.sent, this.time(this.pending.length)) : this.play.taken.length ? say.paused : say.ready;
      const finger = matchMedia("(pointer: coarse)").matches;
      const how = finger ? [say.tapGoesOn, say.tapStarts] : [say.goesOn, say.starts];
      text.textContent = this.pending ? say.watchIt : how[this.play.taken.length ? 0 : 1];
      offer("pause", true);
    }
  }

  setPaused(paused) {
    if (paused && this.watcher && this.play.over) this.watcher = null;
    this.paused = paused || this.play.over;
    if (this.paused) this.release();
    if (!this.paused && this.pending) {
      this.watcher = { name: "link", next: (tick) => this.pending?.[tick] ?? null };
    }
    this.cover();
    if (this.paused) this.clock.stop();
    else this.clock.start();
  }

  pause() {
    if (this.play.over) return;
    this.setPaused(!this.paused);
    this.canvas.focus({ preventScroll: true });
  }

  // -- time -----------------------------------------------------------------------------------------------------------

  setPace() {
    const speed = this.part("[data-speed]").value || "usual";
    this.byTurn = this.about.pace.byTurn || speed === "byTurn";
    this.pace = (this.about.pace.byTurn || !this.byTurn ? this.about.pace.ticks : 12) / (SPEEDS[speed] ?? 1);
    this.clock.period = 1000 / (this.watcher && this.byTurn ? WATCH_TURNS : this.pace);
  }

  /** The actions of the next tick, or null when nothing is to happen yet. */
  choose() {
    if (this.watcher) return this.watcher.next(this.play.taken.length);
    const busy = this.hands.some((hands) => hands.busy);
    const actions = this.hands.map((hands, p) => hands.choose(this.pace, this.byTurn || this.play.steps(p)));
    const rival = this.rivalName();
    if (this.byTurn && actions.every((action) => action === 0)) return busy ? undefined : null;
    if (this.about.players > 1 && rival) actions[1] = this.rivalMove(rival);
    return actions;
  }

  /** The agent that plays the second player, "" where a person does. */
  rivalName() {
    const name = this.part("[data-against]").value;
    return name === "person" ? "" : name;
  }

  rivalMove(name) {
    if (!this.rival || this.rival.born !== this.play.born || this.rival.about.name !== name) this.rival = this.agent(name, 1, 1, this.rival);
    return this.rival.decide();
  }

  /** Play a tick; returns whether the clock goes on. */
  tick() {
    const actions = this.choose();
    if (actions === undefined) return true; // a key is held that has not begun to repeat
    if (!actions) {
      if (this.watcher) this.stopWatching();
      return false; // a game by turns waits
    }
    const before = this.play.status().score;
    this.play.advance(...actions);
    const now = this.show();
    if (this.part("[data-sound]").checked && now.score !== before) blip(now.score > before ? 660 : 220);
    if (!now.over) return true;
    this.end(now);
    return false;
  }

  end(now) {
    this.pending = null;
    const own = !this.watcher;
    this.watcher = null;
    this.setPace();
    if (own && now.winner === 1 && this.about.players === 1) this.kept(`won ${this.about.digest} ${this.play.number}`, "1");
    if (this.part("[data-sound]").checked) blip(now.winner === 1 ? 880 : 160, 0.3);
    this.nameLevels();
    this.show();
    this.setPaused(true);
    this.say(`${this.verdict()} ${fill(this.words.result, { score: this.round(now.score), ...this.time(now.tick) })}`);
    this.part("[data-veil] button").focus({ preventScroll: true });
    if (own) this.tell(now);
  }

  /** Let the page that this one is embedded in know of a play that a person has finished. */
  tell(now) {
    const letters = ".ULDRXE", { name, digest } = this.about;
    const plays = this.hands.map((_, p) => this.play.taken.map((codes) => letters[codes[p]]).join(""));
    const detail = { pcg: "play", name, digest, level: this.play.number, seed: this.play.seed, plays, winner: now.winner, score: now.score, ticks: now.tick };
    this.element.dispatchEvent(new CustomEvent("play", { detail }));
    if (window.parent !== window) window.parent.postMessage(detail, "*");
  }

  // -- hands: what `listen` calls -------------------------------------------------------------------------------------

  down(player, action) {
    if (this.play.over) return;
    if (this.watcher || this.pending) {
      if (this.paused) this.setPaused(false);
      else this.stopWatching();
      return;
    }
    if (player === 1 && this.rivalName()) return;
    if (this.paused) this.setPaused(false);
    if (!this.play.actions(player).includes(action)) return;
    this.say("");
    this.hands[player].down(action);
    this.clock.start();
  }

  /** A tap on the picture lets a game go on that waits, else it acts. */
  tap(byFinger) {
    if (this.play.over) return;
    if (this.paused) this.setPaused(false);
    else if (byFinger) {
      this.down(0, ACTIONS.indexOf("USE"));
      this.up(0, ACTIONS.indexOf("USE"));
    }
  }

  up(player, action) {
    this.hands[player].up(action);
  }

  release() {
    for (const hands of this.hands) hands.release();
  }

  command(code, repeated, onButton) {
    const name = { KeyZ: "undo", Backspace: "undo", KeyU: "undo", KeyR: "restart", KeyP: "pause", KeyH: "hint", KeyN: "next" }[code];
    if (name && !(repeated && name !== "undo")) {
      if (name === "next" && this.about.levels.length < 2) return false;
      if (name === "hint" && this.play.over) return false;
      this[name]();
      return true;
    }
    if (code === "Enter" && !onButton) {
      if (this.play.over) this.part("[data-veil] button").click();
      else if (this.paused) this.pause();
      return true;
    }
    return false;
  }

  // -- agents ---------------------------------------------------------------------------------------------------------

  /** The play that came with the level, as long as the play so far is its beginning. */
  recorded() {
    const known = this.play.level.play;
    if (!known || (this.play.level.chance && known.seed !== this.play.seed)) return null;
    const codes = known.actions.map((action) => ACTIONS.indexOf(action));
    return this.play.taken.every(([first], tick) => first === codes[tick]) ? codes : null;
  }

  watch() {
    if (this.watcher) return this.stopWatching();
    this.pending = null;
    const name = this.part("[data-watch]").value;
    if (name === "recorded") {
      this.open(this.play.number, this.play.level.play.seed);
      const codes = this.recorded();
      this.watcher = { name, next: (tick) => (tick < codes.length ? [codes[tick]] : null) };
    } else {
      if (this.play.over) {
        this.open(this.play.number, this.play.seed);
        this.part("[data-watch]").value = name;
      }
      this.setAgents(name);
    }
    this.say(fill(this.words.agentPlays, { agent: this.words.agents[name] ?? name }));
    this.setPace();
    this.setPaused(false);
    this.show();
  }

  /** Let agents play from here on. */
  setAgents(name) {
    const agents = (this.watched = this.about.agents.map((_, p) => this.agent(name, p, p, this.watched?.[p])));
    this.watcher = { name, agents, next: () => agents.map((agent) => agent.decide()) };
  }

  stopWatching() {
    this.watcher = this.pending = null;
    this.setPace();
    this.setPaused(true);
    this.show();
    this.say(this.words.yours);
  }

  hint() {
    if (this.play.over) return this.say(this.words.noHint);
    this.say(this.words.thinking);
    setTimeout(() => {
      const known = this.recorded(), tick = this.play.taken.length;
      let action = known?.[tick];
      if (action === undefined) {
        const { machine } = this.play, top = machine.top;
        action = this.agent("", 0, tick).decide(HINT_EFFORT);
        machine.top = top; // its memory is free again
      }
      const name = ACTIONS[action];
      this.say(fill(this.words.hintIs, { action: `${ARROWS[name] ?? ""} ${this.words[name]}` }));
      const button = this.part(`[data-action=${name}]`);
      button?.classList.add("hinted");
      setTimeout(() => button?.classList.remove("hinted"), 1500);
    });
  }

  // -- links ----------------------------------------------------------------------------------------------------------

  async share() {
    const address = location.href.split("#")[0] + (this.shown = fragmentOf(this.play));
    location.hash = this.shown;
    try {
      await navigator.clipboard.writeText(address);
      this.say(this.words.shared);
    } catch {
      this.say(this.words.sharedIn);
    }
  }

  /** Open the level or the play that the address names; returns whether it names one. */
  fromLink() {
    const level = /^#level=(\d{1,4})$/.exec(location.hash);
    if (level && Number(level[1]) <= this.about.levels.length && Number(level[1]) > 0) {
      this.open(Number(level[1]) - 1);
      return true;
    }
    if (!location.hash.startsWith("#play=")) return false;
    const found = playIn(location.hash, this.about);
    if (!found) {
      this.open(0);
      this.say(this.words.badLink);
      return true;
    }
    this.open(found.level, found.seed);
    this.pending = found.actions;
    this.cover();
    return true;
  }
}

/** The pictures of a game, ready to be drawn. */
export async function sheetOf(game) {
  const { sheet } = game.about, url = URL.createObjectURL(new Blob([game.piece(sheet.piece)], { type: "image/png" }));
  const loaded = await loadSheet({ ...sheet, url });
  URL.revokeObjectURL(url);
  return loaded;
}

/** Show a game in an element. */
export async function begin(element, game) {
  const page = new Page(element, game, await sheetOf(game));
  page.firstFrame = performance.now();
  return page;
}
