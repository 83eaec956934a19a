// Games and plays in the page: levels as images of memory, states as blocks in it, ticks by the kernels in WebAssembly.
// Nothing here draws, waits or listens.

import { GROW, Machine, OK, crc32 } from "./machine.mjs";

export const ACTIONS = ["NIL", "UP", "LEFT", "DOWN", "RIGHT", "USE", "ESCAPE"];
const NOT_HELD = -2147483648, DISABLED = 1;
const MARKS = 24; // states kept to go back to; the ticks between them double when there are more

/** The state of java.util.Random for a seed. */
const scramble = (seed) => (BigInt(seed) ^ 0x5deece66dn) & ((1n << 48n) - 1n);

/** A table that was put in planes, each byte the difference from the one before (`pcg.export.pieces`). */
function fromPlanes(bytes, record) {
  const count = Math.floor(bytes.length / record);
  const found = bytes.slice();
  for (let plane = 0, from = 0; plane < record; plane++) {
    for (let k = 0, value = 0; k < count; k++) found[k * record + plane] = value = (value + bytes[from++]) & 255;
  }
  return found;
}

export class Game {
  /** @param {object} about what `pcg.export.bundle` says of the game; @param {Uint8Array} data modules, then pieces. */
  static async open(about, data) {
    const modules = [];
    let at = 0;
    for (const { size, names } of about.modules) {
      modules.push(WebAssembly.compile(data.subarray(at, at + size)).then((module) => ({ module, names })));
      at += size;
    }
    return new Game(about, await Promise.all(modules), data.subarray(at));
  }

  /** A game as a server tells it, the bytes of its pieces in base64; the kernels' module is compiled already. */
  static told(about, module, base64) {
    const chars = atob(base64), data = new Uint8Array(chars.length);
    for (let k = 0; k < chars.length; k++) data[k] = chars.charCodeAt(k);
    return new Game(about, [{ module, names: {} }], data);
  }

  constructor(about, modules, data) {
    this.about = about;
    this.modules = modules;
    this.data = data;
    let at = 0;
    this.places = about.pieces.map(([size, record]) => [at, (at += size), record]);
  }

  piece(number) {
    const [from, to, record] = this.places[number];
    const bytes = this.data.subarray(from, to);
    return record ? fromPlanes(bytes, record) : bytes;
  }

  /** The bytes of a level's image; a negative number in the list of its pieces stands for as many zeros. */
  image(number) {
    const level = this.about.levels[number], size = (k) => (k < 0 ? -k : this.about.pieces[k][0]);
    const data = new Uint8Array(level.pieces.reduce((sum, k) => sum + size(k), 0));
    let at = 0;
    for (const k of level.pieces) {
      if (k >= 0) data.set(this.piece(k), at);
      at += size(k);
    }
    this.sortByCell(level, new DataView(data.buffer), data);
    return data;
  }

  /** Fill in where the sprites are that never move: by cell, with a mask of their types for each cell. */
  sortByCell({ base, level, fixed, block, width, height, corners, starts, items, masks }, view, data) {
    const spot = this.about.layout.sprite, bytes = this.about.levelSpriteBytes, cells = [];
    for (let k = 0; k < fixed; k++) {
      const at = level - base + k * bytes, x = view.getInt32(at + spot.x, true), y = view.getInt32(at + spot.y, true);
      view.setInt32(corners - base + 4 * k, x, true);
      view.setInt32(corners - base + 4 * (fixed + k), y, true);
      const cell = (y / block) * width + x / block, type = view.getInt16(at + spot.type, true) & 63;
      data[masks - base + 8 * cell + (type >> 3)] |= 1 << (type & 7);
      (cells[cell] ??= []).push(k);
    }
    for (let cell = 0, count = 0; cell < width * height; cell++) {
      for (const k of cells[cell] ?? []) view.setInt32(items - base + 4 * count++, k, true);
      view.setInt32(starts - base + 4 * (cell + 1), count, true);
    }
  }

  /** Kernels with a level in their memory. */
  machine(number) {
    const level = this.about.levels[number];
    const paths = level.paths && { ...level.paths, blocked: this.piece(level.paths.blocked) };
    return new Machine(this.modules, { ...level, paths, state: this.about.layout.state }, this.image(number));
  }
}

export class Play {
  /** A play of a level from its beginning; equal seeds and actions give equal states, here and in Python. */
  constructor(game, number, seed = 0) {
    this.game = game;
    this.about = game.about;
    this.number = number;
    this.level = game.about.levels[number];
    this.machine = game.machine(number);
    this.begin(seed);
  }

  begin(seed = this.seed) {
    this.seed = seed;
    this.machine.clear();
    this.blocks = new Map(); // by room: a block to play in, and a spare one
    this.settle(this.level.room);
    this.taken = []; // the actions of each tick, one code per player
    this.marks = [];
    this.free = []; // blocks of marks that are no longer needed
    this.interval = 32;
    this.born = (this.born || 0) + 1; // agents have to be laid out again when this changes
    this.rewind();
  }

  /** Play on in blocks with so much room. */
  settle(room) {
    if (!this.blocks.has(room)) this.blocks.set(room, [this.machine.block(room), this.machine.block(room)]);
    [this.at, this.spare] = this.blocks.get(room);
    this.room = room;
  }

  /** Make the block that is played in the state before the first tick. */
  rewind() {
    this.machine.copyState(this.at, this.level.initial);
    const { rng, aux } = this.about.layout.state, view = this.machine.view;
    view.setBigInt64(this.at + rng, scramble(this.seed), true);
    view.setBigInt64(this.at + aux, scramble(BigInt(this.seed) * 1000n + 4n), true);
  }

  /** Play a tick with an action code for each player; returns whether the game was still going on. */
  advance(first, second = 0) {
    if (this.over) return false;
    for (;;) {
      const status = this.machine.step(this.at, this.spare, first, second);
      if (status === OK) break;
      if (status !== GROW || this.room >= this.about.most) throw new Error(`the kernel gave up with status ${status}`);
      const before = this.spare;
      this.settle(2 * this.room);
      this.machine.copyState(this.at, before);
    }
    this.taken.push([first, second]);
    if (this.taken.length % this.interval === 0) this.mark();
    return true;
  }

  /** Keep the state to go back to. */
  mark() {
    if (this.marks.length === MARKS) {
      this.interval *= 2;
      this.free.push(...this.marks.filter(({ tick }) => tick % this.interval));
      this.marks = this.marks.filter(({ tick }) => tick % this.interval === 0);
      if (this.taken.length % this.interval) return;
    }
    const again = this.free.findIndex(({ room }) => room === this.room);
    const at = again >= 0 ? this.free.splice(again, 1)[0].at : this.machine.block(this.room);
    this.machine.copyState(at, this.at);
    this.marks.push({ tick: this.taken.length, at, room: this.room });
  }

  /** Go back some ticks. */
  back(count = 1) {
    const taken = this.taken, aim = Math.max(0, taken.length - count);
    this.free.push(...this.marks.filter(({ tick }) => tick > aim));
    this.marks = this.marks.filter(({ tick }) => tick <= aim);
    const mark = this.marks.at(-1);
    this.settle(mark ? mark.room : this.level.room);
    if (mark) this.machine.copyState(this.at, mark.at);
    else this.rewind();
    this.taken = taken.slice(0, mark ? mark.tick : 0);
    for (const [first, second] of taken.slice(this.taken.length, aim)) this.advance(first, second);
  }

  // -- what there is to see -------------------------------------------------------------------------------------------

  int(name) {
    return this.machine.view.getInt32(this.at + this.about.layout.state[name], true);
  }

  get over() {
    return this.int("ended") !== 0;
  }

  /** CRC-32 of the used part of the state, as `pcg.engine.native.replay` computes it. */
  checksum() {
    return crc32(this.machine.used(this.at, this.about.spriteBytes));
  }

  /** All sprites that are there: {id, type, x, y, w, h, ox, oy}. */
  sprites() {
    const view = this.machine.view, spot = this.about.layout.sprite, found = [];
    const read = (at) => found.push({
      id: view.getInt32(at + spot.id, true), type: view.getInt16(at + spot.type, true),
      x: view.getInt32(at + spot.x, true), y: view.getInt32(at + spot.y, true),
      w: view.getInt32(at + spot.w, true), h: view.getInt32(at + spot.h, true),
      ox: view.getFloat64(at + spot.ox, true), oy: view.getFloat64(at + spot.oy, true),
    });
    const base = this.at + this.int("at_sprites"), { spriteBytes, levelSpriteBytes } = this.about;
    for (let k = 0, n = this.int("slots"); k < n; k++) {
      const at = base + k * spriteBytes;
      if (view.getInt32(at + spot.id, true) >= 0 && !(view.getInt16(at + spot.bits, true) & DISABLED)) read(at);
    }
    const alive = this.at + this.int("at_alive"), { fixed, mortal, level } = this.level;
    for (let k = 0; k < fixed; k++) if (k >= mortal || view.getUint8(alive + k)) read(level + k * levelSpriteBytes);
    return found;
  }

  /** Address of a player's avatar, 0 without one. */
  avatar(player = 0) {
    const slot = this.int(`avatar${player}`);
    return slot < 0 ? 0 : this.at + this.int("at_sprites") + slot * this.about.spriteBytes;
  }

  avatarType(player = 0) {
    const at = this.avatar(player);
    return at ? this.machine.view.getInt16(at + this.about.layout.sprite.type, true) : -1;
  }

  /** Codes of the actions that a player has. */
  actions(player = 0) {
    return this.over ? [] : this.about.avatars[this.avatarType(player)]?.[0] ?? [];
  }

  /** True when one action of a player's avatar is a whole step from cell to cell. */
  steps(player = 0) {
    const at = this.avatar(player);
    if (!at) return true;
    const speed = this.machine.view.getFloat64(at + this.about.layout.sprite.speed, true);
    return this.about.avatars[this.avatarType(player)]?.[1] === 1 && speed >= 1;
  }

  /** What is told beside the picture. */
  status(player = 0) {
    const view = this.machine.view, { state, sprite } = this.about.layout, at = this.avatar(player), holds = [];
    const row = at ? view.getInt16(at + sprite.res, true) : -1, count = this.about.resources.length;
    for (let k = 0; row >= 0 && k < count; k++) {
      const amount = view.getInt32(this.at + this.int("at_res") + 4 * (row * count + k), true);
      if (amount && amount !== NOT_HELD) holds.push([this.about.resources[k], amount]);
    }
    return {
      tick: this.int("tick") + 1, over: this.over, winner: this.int(`win${player}`),
      score: view.getFloat64(this.at + state[`score${player}`], true),
      health: at ? view.getInt32(at + sprite.hp, true) : 0, holds,
    };
  }
}
