// The player of exported pages inside a page: one for the page, given one game after the other.

import { root } from "./api.js";

let kernels = null;

export class Exported {
  static possible = typeof WebAssembly === "object";

  /** Fills `element`, which may hold something else in between. */
  constructor(element) {
    this.element = element;
    this.page = null;
  }

  /** Play what the server says of a game: `about`, and `data` in base64. Returns what ends the play when it is closed. */
  async play({ about, data }) {
    const [{ Game }, { begin, sheetOf }] = await Promise.all([import(`${root}/exported/game.js`), import(`${root}/exported/page.js`)]);
    kernels ??= WebAssembly.compileStreaming(fetch(`${root}/kernels.wasm`));
    const game = Game.told(about, await kernels, data);
    if (this.page) {
      this.element.replaceChildren(this.place);
      this.page.replace(game, await sheetOf(game));
    } else {
      this.place = document.createElement("div");
      this.place.className = "pcg-app inset";
      this.element.replaceChildren(this.place);
      this.page = await begin(this.place, game);
      this.place.querySelector(".pcg-main").removeAttribute("role"); // it is a part of the page, not the page
    }
    return { close: () => this.page?.setPaused(true) };
  }

  /** Something else has taken its place. */
  forget() {
    this.page?.setPaused(true);
  }
}
