// Plays games in WebAssembly for pcg.engine.native.replay: a line of JSON in is a job, a line of JSON out its answer.
//
// A job names the file of a memory image and what `Image.as_dict` says of it, and then either plays to be repeated
// ({rng, aux, actions}; optionally the last one's block) or a number of random ticks to be timed.

import fs from "fs";
import readline from "readline";

const OK = 0, GROW = 1;
const STACK = 65536, SLOTS = 1024, PAGE = 65536, MAX_PAGES = 32768;

const CRC = new Uint32Array(256).map((_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n;
});

function crc32(bytes) {
  let c = 0xffffffff;
  for (let i = 0; i < bytes.length; i++) c = CRC[(c ^ bytes[i]) & 255] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

const modules = process.argv.slice(2).map((file) => new WebAssembly.Module(fs.readFileSync(file)));

/** What the kernels may call outside: only functions of real numbers, as long as they do not bring their own. */
function outside(name) {
  if (name === "fmod") return (a, b) => a % b;
  if (Math[name]) return Math[name];
  return () => { throw new Error(`the kernels called ${name}, which is not provided`); };
}

/** A module with a game on a level in its memory. */
class Machine {
  constructor(job) {
    this.job = job;
    this.image = job.image;
    const pages = Math.ceil(this.image.end / PAGE) + 1;
    this.memory = new WebAssembly.Memory({initial: pages, maximum: MAX_PAGES});
    this.table = new WebAssembly.Table({initial: SLOTS, element: "anyfunc"});
    const env = {
      __linear_memory: this.memory,
      __indirect_function_table: this.table,
      __stack_pointer: new WebAssembly.Global({value: "i32", mutable: true}, STACK),
    };
    this.call = {};
    for (const module of modules) {
      for (const {name, kind} of WebAssembly.Module.imports(module)) if (kind === "function") env[name] = outside(name);
      Object.assign(this.call, new WebAssembly.Instance(module, {env}).exports);
    }
    this.slots = new Map();
    this.top = this.image.end;
    new Uint8Array(this.memory.buffer).set(fs.readFileSync(job.file), this.image.base);
    for (const [at, symbol] of this.image.functions) this.view.setBigInt64(at, BigInt(this.slot(symbol)), true);
    this.game = BigInt(this.image.context);
    this.copy = BigInt(this.slot("tick_copy_state"));
    this.start = this.top;
  }

  get view() {
    return new DataView(this.memory.buffer);
  }

  /** Slot of the function table for an exported function: what the kernels take for its address. */
  slot(symbol) {
    if (!this.slots.has(symbol)) {
      if (!this.call[symbol]) throw new Error(`the module has no function ${symbol}`);
      this.slots.set(symbol, this.table.grow(1, this.call[symbol]));
    }
    return this.slots.get(symbol);
  }

  /** Forget all blocks. */
  clear() {
    this.top = this.start;
  }

  /** Zeroed memory, on a line of the cache. */
  zeros(size) {
    const at = this.top;
    this.top = at + Math.ceil(size / 64) * 64;
    const more = Math.ceil((this.top - this.memory.buffer.byteLength) / PAGE);
    if (more > 0) this.memory.grow(more);
    new Uint8Array(this.memory.buffer, at, this.top - at).fill(0);
    return at;
  }

  /** A block for a state with room for so many moving sprites. */
  block(room) {
    const format = (at) => Number(this.call.tick_format_blocks(this.game, BigInt(at), BigInt(room), 0n, 1n));
    const bytes = format(this.zeros(4096));
    const at = this.zeros(bytes);
    format(at);
    return at;
  }

  copyState(to, from) {
    return Number(this.call.tick_copy_state(this.game, BigInt(to), BigInt(from)));
  }

  /** The used part of a state block. */
  used(at) {
    const {state} = this.image;
    const slots = this.view.getInt32(at + state.slots, true);
    const size = this.view.getInt32(at + state.at_sprites, true) + slots * this.job.sprite_bytes;
    return new Uint8Array(this.memory.buffer, at, size);
  }

  ended(at) {
    return this.view.getInt32(at + this.image.state.ended, true) !== 0;
  }

  /** Repeat a play; the answer as `replay.Record`, with the address of the last block. */
  play({rng, aux, actions}) {
    this.clear();
    let room = this.image.room;
    let at = this.block(room), spare = this.block(room);
    this.copyState(at, this.image.initial);
    this.view.setBigInt64(at + this.image.state.rng, BigInt(rng), true);
    this.view.setBigInt64(at + this.image.state.aux, BigInt(aux), true);
    const checksums = [crc32(this.used(at))];
    for (const [first, second] of actions) {
      if (this.ended(at)) return {checksums, end: "over", at};
      for (;;) {
        const args = [at, spare, this.copy, first, second].map(BigInt);
        const status = Number(this.call.stepping_step(this.game, ...args)) & 15;
        if (status === OK) break;
        if (status !== GROW || room >= this.job.most) return {checksums, end: `status ${status}`, at};
        room *= 2;
        const before = spare;
        at = this.block(room);
        spare = this.block(room);
        this.copyState(at, before);
      }
      checksums.push(crc32(this.used(at)));
    }
    return {checksums, end: this.ended(at) ? "over" : "ticks", at};
  }

  /** Time random ticks. */
  speed({room, count, rng}) {
    this.clear();
    const [at, start, draws] = [this.block(room), this.block(room), this.zeros(8)];
    this.copyState(start, this.image.initial);
    this.view.setBigInt64(draws, BigInt(rng), true);
    const args = [at, start, draws, count, 0].map(BigInt);
    const before = process.cpuUsage();
    const status = Number(this.call.stepping_measure(this.game, ...args));
    const {user, system} = process.cpuUsage(before);
    return {status, seconds: (user + system) / 1e6};
  }
}

function answer(job) {
  const machine = new Machine(job);
  if (job.speed) {
    machine.speed(job.speed); // V8 compiles what runs often better, in the background
    return machine.speed(job.speed);
  }
  const plays = job.plays.map((play) => machine.play(play));
  if (!job.block) return {plays};
  return {plays, block: Buffer.from(machine.used(plays.at(-1).at)).toString("base64")};
}

for await (const line of readline.createInterface({input: process.stdin})) {
  let out;
  try {
    out = answer(JSON.parse(line));
  } catch (error) {
    out = {error: String(error)};
  }
  process.stdout.write(JSON.stringify(out) + "\n");
}
