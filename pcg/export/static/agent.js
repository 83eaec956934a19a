// Agents in the page: memory laid out as `pcg.export.agent_images` describes it, decisions by the kernels.

import { GROW, OK } from "./machine.mjs";

const MOST_ROOM = 65536;
// budgets of time are kept as `pcg.evaluators.agents.compiled` keeps them
const FIRST_SLICE = 32; // simulated ticks
const DEADLINE = 0.9; // share after which kernels simulate no further tick: what they have begun must still be ended
const CAUTION = 1.5; // a slice begins only when so many times the time of the last one is left
const SHORT = 1 / 40; // a slice that took a smaller share is followed by one of twice the size

export class Agent {
  /**
   * An agent that plays `player` in a play from where it is now.
   * @param {number | string} budget per decision: simulated ticks, those of its image when none are given, or a time
   *   such as "40ms", after which it decides with what it has found.
   * @param {Agent | undefined} former of the same play, no longer needed: its memory is used again where it fits.
   */
  constructor(play, about, seed = 0, budget = about.budget, former = undefined) {
    this.play = play;
    this.about = about;
    this.budget = budget;
    this.milliseconds = /^\d+(\.\d+)?ms$/.test(budget) ? parseFloat(budget) : 0;
    this.image = this.milliseconds ? about.timed : about;
    this.born = play.born;
    const { machine, game } = play, fits = former?.image === this.image && former.born === this.born && former.room >= play.room;
    this.room = fits ? former.room : play.room;
    this.at = fits ? former.at : this.image.blocks.map(([size]) => machine.zeros(Math.max(size, 8)));
    const bytes = new Uint8Array(machine.memory.buffer);
    this.image.blocks.forEach(([size, piece], k) => {
      if (piece >= 0) bytes.set(game.piece(piece), this.at[k]);
      else if (fits) bytes.fill(0, this.at[k], this.at[k] + size);
    });
    for (const [block, offset, target] of this.image.links) this.write(block, offset, this.at[target]);
    for (const [block, offset, symbol] of this.image.functions) machine.point(this.at[block] + offset, symbol);
    for (const [block, offset] of this.image.models) this.write(block, offset, play.level.model);
    this.spots = play.about.layout.decision;
    this.set("random", (BigInt(seed) ^ 0x5deece66dn) & ((1n << 48n) - 1n));
    this.pools = fits ? former.pools : this.makePools();
    this.image.pools.forEach(([block, offset], k) => this.write(block, offset, this.pools[k]));
  }

  write(block, offset, value) {
    this.play.machine.view.setBigInt64(this.at[block] + offset, BigInt(value), true);
  }

  set(name, value) {
    this.write(0, this.spots[name], value);
  }

  get(name) {
    return Number(this.play.machine.view.getBigInt64(this.at[0] + this.spots[name], true));
  }

  /** Memory for simulated states, as large as they have become. */
  makePools() {
    const { machine } = this.play;
    return this.image.pools.map(([, , count]) => {
      const first = machine.block(this.room);
      for (let k = 1; k < count; k++) machine.block(this.room); // one behind the other: blocks are whole lines
      return first;
    });
  }

  /** The action code for the state that the play has come to, within `times` the budget. */
  decide(times = 1) {
    if (this.milliseconds) this.searchFor(times * this.milliseconds);
    else {
      this.set("budget", times * this.budget);
      this.search();
    }
    return this.get("chosen");
  }

  /** Search until the budget of ticks is spent, or the deadline is over. */
  search() {
    const { machine } = this.play;
    machine.findPaths();
    for (;;) {
      const status = Number(machine.call.decision_decide(BigInt(this.at[0]), BigInt(this.play.at)));
      if (status === OK) break;
      if (status !== GROW || this.room >= MOST_ROOM) throw new Error(`the agent gave up with status ${status}`);
      this.room *= 2;
      this.pools = this.makePools();
      this.image.pools.forEach(([block, offset], k) => this.write(block, offset, this.pools[k]));
      this.set("resume", 0);
    }
  }

  /** Search in slices until the next one might end too late; the kernels look at the clock between ticks as well. */
  searchFor(milliseconds) {
    const started = performance.now();
    this.set("deadline", Math.round((started + DEADLINE * milliseconds) * 1e6));
    for (let slice = FIRST_SLICE, budget = slice, before = started; ; ) {
      this.set("budget", budget);
      this.search();
      const now = performance.now(), took = now - before;
      if (this.get("calls") < this.get("budget")) break; // nothing is left to search
      if (now - started >= DEADLINE * milliseconds || now - started + CAUTION * took >= milliseconds) break;
      if (took < SHORT * milliseconds) slice *= 2;
      budget = this.get("calls") + slice;
      before = now;
      this.set("resume", 1);
    }
    this.set("resume", 0);
    this.set("deadline", 0);
  }
}
