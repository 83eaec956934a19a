// The clock of a play, and the sounds.

const LATE_MS = 250; // a play that fell behind by more does not hurry to catch up

export class Clock {
  /** @param {() => boolean} tick called when one is due; false stops the clock. */
  constructor(tick) {
    this.tick = tick;
    this.period = 50;
    this.due = 0;
  }

  start() {
    if (this.timer) return;
    this.due = Math.max(this.due, performance.now());
    this.wait();
  }

  wait() {
    this.timer = setTimeout(() => {
      this.timer = 0;
      const on = this.tick();
      this.due = Math.max(this.due + this.period, performance.now() - LATE_MS);
      if (on && !this.timer) this.wait();
    }, Math.max(0, this.due - performance.now()));
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = 0;
  }
}

let speaker = null;

/** A short tone. */
export function blip(pitch, seconds = 0.08) {
  speaker ??= new AudioContext();
  const tone = speaker.createOscillator(), gain = speaker.createGain();
  tone.type = "triangle";
  tone.frequency.value = pitch;
  gain.gain.setValueAtTime(0.12, speaker.currentTime);
  gain.gain.exponentialRampToValueAtTime(0.001, speaker.currentTime + seconds);
  tone.connect(gain).connect(speaker.destination);
  tone.start();
  tone.stop(speaker.currentTime + seconds);
}
