// Plays games in WebAssembly for pcg.engine.native.replay: a line of JSON in is a job, a line of JSON out its answer.
//
// A job names the file of a memory image and what `Image.as_dict` says of it, and then either plays to be repeated
// ({rng, aux, actions}; optionally the last one's block) or a number of random ticks to be timed.

import fs from "fs";
import readline from "readline";

import { GROW, Machine, OK, crc32 } from "./machine.mjs";

const modules = process.argv.slice(2).map((file) => ({ module: new WebAssembly.Module(fs.readFileSync(file)), names: {} }));

/** A machine that repeats the plays of a job. */
class Player extends Machine {
  constructor(job) {
    super(modules, job.image, fs.readFileSync(job.file));
    this.job = job;
  }

  /** Repeat a play; the answer as `replay.Record`, with the address of the last block. */
  play({rng, aux, actions}) {
    this.clear();
    let room = this.image.room;
    let at = this.block(room), spare = this.block(room);
    this.copyState(at, this.image.initial);
    this.view.setBigInt64(at + this.image.state.rng, BigInt(rng), true);
    this.view.setBigInt64(at + this.image.state.aux, BigInt(aux), true);
    const checksums = [crc32(this.used(at, this.job.sprite_bytes))];
    for (const [first, second] of actions) {
      if (this.ended(at)) return {checksums, end: "over", at};
      for (;;) {
        const status = this.step(at, spare, first, second);
        if (status === OK) break;
        if (status !== GROW || room >= this.job.most) return {checksums, end: `status ${status}`, at};
        room *= 2;
        const before = spare;
        at = this.block(room);
        spare = this.block(room);
        this.copyState(at, before);
      }
      checksums.push(crc32(this.used(at, this.job.sprite_bytes)));
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
  const machine = new Player(job);
  if (job.speed) {
    machine.speed(job.speed); // V8 compiles what runs often better, in the background
    return machine.speed(job.speed);
  }
  const plays = job.plays.map((play) => machine.play(play));
  if (!job.block) return {plays};
  return {plays, block: Buffer.from(machine.used(plays.at(-1).at, job.sprite_bytes)).toString("base64")};
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
