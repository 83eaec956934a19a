// A game on a level in WebAssembly: modules that share a memory and a function table, the image of the game in it, and
// blocks for states. Nothing here knows of pages or files: Node (`play.mjs`) and browsers (`pcg export`) use it alike.

export const OK = 0, GROW = 1;
const STACK = 65536, SLOTS = 1024, PAGE = 65536, MAX_PAGES = 32768, LINE = 64;

/** What kernels may call outside: the clock, by which agents with a budget of time stop. */
function outside(name) {
  if (name === "pcg_processor_time") return () => BigInt(Math.round(performance.now() * 1e6));
  return () => { throw new Error(`the kernels called ${name}, which is not provided`); };
}

export class Machine {
  /**
   * @param {{module: WebAssembly.Module, names: object}[]} modules the engine's first; `names` of functions that are
   *   called otherwise in a module than images call them.
   * @param {object} image what `Image.as_dict` says of it.
   * @param {Uint8Array} data its bytes.
   */
  constructor(modules, image, data) {
    this.image = image;
    this.memory = new WebAssembly.Memory({ initial: Math.ceil(image.end / PAGE) + 1, maximum: MAX_PAGES });
    this.table = new WebAssembly.Table({ initial: SLOTS, element: "anyfunc" });
    const stack = new WebAssembly.Global({ value: "i32", mutable: true }, STACK);
    this.call = {};
    for (const { module, names } of modules) {
      const env = { __linear_memory: this.memory, __indirect_function_table: this.table, __stack_pointer: stack };
      for (const { name, kind } of WebAssembly.Module.imports(module)) if (kind === "function") env[name] = outside(name);
      const { exports } = new WebAssembly.Instance(module, { env });
      Object.assign(this.call, exports);
      for (const [symbol, name] of Object.entries(names)) this.call[symbol] = exports[name];
    }
    this.slots = new Map();
    this.top = image.end;
    new Uint8Array(this.memory.buffer).set(data, image.base);
    for (const [at, symbol] of image.functions) this.point(at, symbol);
    this.game = BigInt(image.context);
    this.copy = BigInt(this.slot("tick_copy_state"));
    this.paths = image.paths; // to be found before the first tick
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

  /** Write the slot of a function to an address. */
  point(at, symbol) {
    this.view.setBigInt64(at, BigInt(this.slot(symbol)), true);
  }

  /**
   * Compute the path-finder's table, which images leave out when they travel: it is the square of the cells. Nobody
   * waits for it who only looks at a level; whoever plays ticks otherwise than by `step` calls this before.
   */
  findPaths() {
    if (!this.paths) return;
    const { at, blocked, columns, rows, sideways } = this.paths;
    const cells = columns * rows, before = this.top;
    this.paths = null;
    const walls = this.zeros(cells), heap = this.zeros(8 * (cells + 1));
    new Uint8Array(this.memory.buffer, walls, cells).set(blocked);
    new Uint8Array(this.memory.buffer, at, cells * cells).fill(255);
    this.call.paths_build_paths(...[walls, at, heap, columns, rows, sideways].map(BigInt));
    this.top = before;
  }

  /** Forget all blocks. */
  clear() {
    this.top = this.start;
  }

  /** Zeroed memory, on a line of the cache. */
  zeros(size) {
    const at = this.top;
    this.top = at + Math.ceil(size / LINE) * LINE;
    const more = Math.ceil((this.top - this.memory.buffer.byteLength) / PAGE);
    if (more > 0) this.memory.grow(more);
    new Uint8Array(this.memory.buffer, at, this.top - at).fill(0);
    return at;
  }

  /** A block for a state with room for so many moving sprites. */
  block(room) {
    const format = (at) => Number(this.call.tick_format_blocks(this.game, BigInt(at), BigInt(room), 0n, 1n));
    const before = this.top;
    const bytes = format(this.zeros(4096));
    this.top = before;
    const at = this.zeros(Math.max(bytes, 4096));
    format(at);
    return at;
  }

  copyState(to, from) {
    return Number(this.call.tick_copy_state(this.game, BigInt(to), BigInt(from)));
  }

  /** Play a tick, with a copy from before it in `spare`; returns the status. */
  step(at, spare, first, second) {
    this.findPaths();
    return Number(this.call.stepping_step(this.game, BigInt(at), BigInt(spare), this.copy, BigInt(first), BigInt(second))) & 15;
  }

  /** The used part of a state block; `bytes` is the size of a sprite. */
  used(at, bytes) {
    const { state } = this.image;
    const slots = this.view.getInt32(at + state.slots, true);
    return new Uint8Array(this.memory.buffer, at, this.view.getInt32(at + state.at_sprites, true) + slots * bytes);
  }

  ended(at) {
    return this.view.getInt32(at + this.image.state.ended, true) !== 0;
  }
}

const CRC = new Uint32Array(256).map((_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n;
});

/** CRC-32 of bytes, as Python's zlib has it. */
export function crc32(bytes) {
  let c = 0xffffffff;
  for (let i = 0; i < bytes.length; i++) c = CRC[(c ^ bytes[i]) & 255] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}
