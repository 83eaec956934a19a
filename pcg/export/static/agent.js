// Agents in the page: memory laid out as `pcg.export.agent_images` describes it, decisions by the kernels.

import { GROW, OK } from "./machine.mjs";

const MOST_ROOM = 65536;

export class Agent {
  /** An agent that plays `player` in a play from where it is now. */
  constructor(play, image, seed = 0) {
    this.play = play;
    this.image = image;
    this.born = play.born;
    this.room = play.room;
    const { machine, game } = play;
    this.at = image.blocks.map(([size]) => machine.zeros(Math.max(size, 8)));
    const bytes = new Uint8Array(machine.memory.buffer);
    image.blocks.forEach(([, piece], k) => piece >= 0 && bytes.set(game.piece(piece), this.at[k]));
    const write = (block, offset, value) => machine.view.setBigInt64(this.at[block] + offset, BigInt(value), true);
    for (const [block, offset, target] of image.links) write(block, offset, this.at[target]);
    for (const [block, offset, symbol] of image.functions) machine.point(this.at[block] + offset, symbol);
    for (const [block, offset] of image.models) write(block, offset, play.level.model);
    this.write = write;
    this.spots = play.about.layout.decision;
    write(0, this.spots.random, (BigInt(seed) ^ 0x5deece66dn) & ((1n << 48n) - 1n));
    this.makePools();
  }

  /** Memory for simulated states, as large as they have become. */
  makePools() {
    const { machine } = this.play;
    for (const [block, offset, count] of this.image.pools) {
      const first = machine.block(this.room);
      for (let k = 1; k < count; k++) machine.block(this.room); // one behind the other: blocks are whole lines
      this.write(block, offset, first);
    }
  }

  /** The action code for the state that the play has come to; ticks it may simulate: `budget`. */
  decide(budget = this.image.budget) {
    const { machine } = this.play;
    this.write(0, this.spots.budget, budget);
    for (;;) {
      const status = Number(machine.call.decision_decide(BigInt(this.at[0]), BigInt(this.play.at)));
      if (status === OK) break;
      if (status !== GROW || this.room >= MOST_ROOM) throw new Error(`the agent gave up with status ${status}`);
      this.room *= 2;
      this.makePools();
      this.write(0, this.spots.resume, 0);
    }
    return Number(machine.view.getBigInt64(this.at[0] + this.spots.chosen, true));
  }
}
