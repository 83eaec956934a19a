// Keys, buttons, swipes and gamepads made into actions. A key that goes down gives one action, however short it is
// held. Held on, it repeats after a moment where one action is a whole step, and at once where it is a part of one; of
// several held keys the last one counts. These are the rules of `pcg.web.player.session`.

import { ACTIONS } from "./game.js";

const HOLD_S = 0.18, QUEUE = 4, SWIPE_PX = 22;
const FIRST = { ArrowUp: 1, ArrowLeft: 2, ArrowDown: 3, ArrowRight: 4, Space: 5 };
const SECOND = { KeyW: 1, KeyA: 2, KeyS: 3, KeyD: 4, KeyF: 5 };
const ALONE = { ...FIRST, KeyW: 1, KeyA: 2, KeyS: 3, KeyD: 4 };

/** The hands of one player: what is held, and what was pressed and has not been played yet. */
export class Hands {
  constructor() {
    this.release();
  }

  release() {
    this.held = [];
    this.queue = [];
    this.waited = 0;
  }

  down(action) {
    if (this.held.includes(action)) return;
    this.held.push(action);
    if (this.queue.length < QUEUE) this.queue.push(action);
  }

  up(action) {
    this.held = this.held.filter((other) => other !== action);
    this.waited = 0;
  }

  get busy() {
    return this.queue.length > 0 || this.held.length > 0;
  }

  /** The action of the next tick; `wholeSteps` when one action is a whole step. */
  choose(ticksPerSecond, wholeSteps) {
    if (this.queue.length) {
      this.waited = 0;
      return this.queue.shift();
    }
    if (!this.held.length) return 0;
    this.waited += 1;
    return this.waited > (wholeSteps ? Math.round(HOLD_S * ticksPerSecond) : 0) ? this.held.at(-1) : 0;
  }
}

/**
 * Listen to everything a person can play with.
 * @param {HTMLElement} page for keys; @param {HTMLElement} stage for swipes; @param {HTMLElement} pad its buttons have
 *   data-action; @param {number} players; @param {object} to `down(player, action)`, `up(player, action)`, `release()`, `tap(by a
 *   finger)`, `command(name)` for keys that are no actions, returning true when it was taken.
 */
export function listen(page, stage, pad, players, to) {
  const maps = players > 1 ? [FIRST, SECOND] : [ALONE];
  const find = (code) => {
    for (let p = 0; p < maps.length; p++) if (code in maps[p]) return [p, maps[p][code]];
    return null;
  };
  const pressed = new Map();
  page.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("select, summary, a, input, textarea, [role=application], [role=grid]")) return;
    if (!stage.checkVisibility()) return; // another part of an application is shown
    const found = find(event.code), onButton = event.target.closest("button");
    if (found && !(onButton && event.code === "Space")) {
      event.preventDefault();
      if (!event.repeat) {
        pressed.set(event.code, found);
        to.down(...found);
      }
    } else if (to.command(event.code, event.repeat, Boolean(onButton))) event.preventDefault();
  });
  page.addEventListener("keyup", (event) => {
    const found = pressed.get(event.code);
    if (pressed.delete(event.code)) to.up(...found);
  });
  window.addEventListener("blur", () => {
    pressed.clear();
    to.release();
  });
  for (const button of pad.querySelectorAll("[data-action]")) {
    const action = ACTIONS.indexOf(button.dataset.action);
    button.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      button.setPointerCapture(event.pointerId);
      button.classList.add("down");
      to.down(0, action);
    });
    for (const kind of ["pointerup", "pointercancel", "lostpointercapture"]) {
      button.addEventListener(kind, () => {
        button.classList.remove("down");
        to.up(0, action);
      });
    }
    button.addEventListener("contextmenu", (event) => event.preventDefault());
    button.addEventListener("click", (event) => {
      if (event.detail) return; // by keyboard or screen reader
      to.down(0, action);
      to.up(0, action);
    });
  }
  swipes(stage, to);
  gamepads(players, to);
}

/** A finger that moves holds a direction until it stops or turns; one that only taps acts. */
function swipes(stage, to) {
  let from = null, held = 0;
  stage.addEventListener("pointerdown", (event) => {
    if (event.target.closest("button")) return;
    from = [event.clientX, event.clientY];
    held = 0;
    stage.setPointerCapture(event.pointerId);
  });
  stage.addEventListener("pointermove", (event) => {
    if (!from) return;
    const x = event.clientX - from[0], y = event.clientY - from[1];
    if (Math.max(Math.abs(x), Math.abs(y)) < SWIPE_PX) return;
    from = [event.clientX, event.clientY];
    const action = Math.abs(x) > Math.abs(y) ? (x > 0 ? 4 : 2) : y > 0 ? 3 : 1;
    if (action === held) return;
    if (held) to.up(0, held);
    to.down(0, (held = action));
  });
  const end = (event) => {
    if (!from) return;
    if (held) to.up(0, held);
    else if (event.type === "pointerup") to.tap(event.pointerType !== "mouse");
    from = null;
  };
  stage.addEventListener("pointerup", end);
  stage.addEventListener("pointercancel", end);
}

/** Gamepads are asked, as they tell nothing by themselves; only while one is there. */
function gamepads(players, to) {
  const before = new Map();
  let asking = false;
  const ask = () => {
    const pads = navigator.getGamepads().filter(Boolean);
    if (!pads.length) return (asking = false);
    pads.slice(0, players).forEach((pad, player) => {
      const on = (k) => pad.buttons[k]?.pressed, [x = 0, y = 0] = pad.axes;
      const now = [0, on(12) || y < -0.5, on(14) || x < -0.5, on(13) || y > 0.5, on(15) || x > 0.5, on(0) || on(1)];
      for (let action = 1; action < 6; action++) {
        const was = before.get(player * 8 + action);
        if (now[action] && !was) to.down(player, action);
        if (!now[action] && was) to.up(player, action);
        before.set(player * 8 + action, now[action]);
      }
      const start = on(9);
      if (start && !before.get(player * 8)) to.command("KeyP", false, false);
      before.set(player * 8, start);
    });
    requestAnimationFrame(ask);
  };
  window.addEventListener("gamepadconnected", () => {
    if (!asking) requestAnimationFrame(ask);
    asking = true;
  });
}
