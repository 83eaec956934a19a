// The heat-map: a grid of buttons over two measures. Arrow keys move over it, enter opens a cell.

import { make, number, t, words } from "./api.js";

const RAMP = [[59, 58, 143], [42, 120, 142], [34, 168, 132], [150, 210, 80], [253, 231, 37]];

function colour(share) {
  const at = Math.max(0, Math.min(1, share)) * (RAMP.length - 1);
  const k = Math.min(RAMP.length - 2, Math.floor(at));
  const mixed = RAMP[k].map((from, i) => Math.round(from + (RAMP[k + 1][i] - from) * (at - k)));
  return `rgb(${mixed.join(" ")})`;
}

/** Edges worth a label: at most `most`, evenly spread, as [share of the axis, text]. */
function labelled(edges, most) {
  const step = Math.ceil((edges.length - 1) / most);
  return edges.map((edge, k) => [k / (edges.length - 1), number(edge), k]).filter(([, , k]) => k % step === 0);
}

const range = (axis, k) => t("{0} {1} to {2}", words(axis.name), number(axis.edges[k]), number(axis.edges[k + 1]));

export class HeatMap {
  /** `choose` is called with a cell of `data.cells`; `picture(key)` is the address of a level's picture, if cells show any. */
  constructor(element, data, choose, picture = null) {
    this.data = data;
    this.choose = choose;
    this.columns = data.x.edges.length - 1;
    this.rows = data.y.edges.length - 1;
    const found = new Map(data.cells.map((cell) => [cell.j * this.columns + cell.i, cell]));
    const values = data.cells.filter((cell) => cell.feasible).map((cell) => cell.fitness);
    this.low = Math.min(...values, 1);
    this.high = Math.max(...values, 0);
    const cells = make("div", { class: "map-cells", role: "grid", "aria-label": t("map of the levels") });
    cells.style.gridTemplateColumns = `repeat(${this.columns}, minmax(0, 1fr))`;
    if (this.columns > 30) cells.style.gap = "1px";
    this.buttons = [];
    for (let j = this.rows - 1; j >= 0; j--) {
      const row = make("div", { role: "row", class: "map-row" });
      for (let i = 0; i < this.columns; i++) row.append(this.cell(i, j, found.get(j * this.columns + i)));
      cells.append(row);
    }
    const ticksUp = make("div", { class: "ticks", "aria-hidden": "true" });
    for (const [share, text] of labelled(data.y.edges, 8)) {
      const tick = make("span", {}, text);
      tick.style.bottom = `${share * 100}%`;
      ticksUp.append(tick);
    }
    const across = make("div", { class: "ticks map-across", "aria-hidden": "true" });
    for (const [share, text] of labelled(data.x.edges, element.clientWidth < 420 ? 5 : 9)) {
      const tick = make("span", {}, text);
      tick.style.left = `${share * 100}%`;
      across.append(tick);
    }
    const up = make("div", { class: "map-up", "aria-hidden": "true" }, make("b", {}, words(data.y.name)), ticksUp);
    const name = make("div", { class: "map-name", "aria-hidden": "true" }, words(data.x.name));
    const bar = make("i", {});
    bar.style.background = `linear-gradient(to right, ${RAMP.map((c) => `rgb(${c.join(" ")})`).join(", ")})`;
    const legend = values.length
      ? make("p", { class: "legend" }, `${t("fitness")} ${number(this.low)}`, bar, number(this.high))
      : make("p", { class: "legend" }, t("no feasible level yet"));
    const frame = make("div", { class: "map" }, up, cells, across, name);
    // Square cells, none larger than a thumb, and the whole map on one screen.
    frame.style.maxWidth = `calc(min(${this.columns} * 4.5rem, ${this.columns / this.rows} * 58vh) + 5rem)`;
    element.replaceChildren(frame, legend);
    if (data.cells.some((cell) => !cell.feasible)) legend.append(make("span", {}, t("· striped: not feasible")));
    const first = this.buttons.find((button) => button.cell) || this.buttons[0];
    if (first) first.tabIndex = 0;
    cells.addEventListener("keydown", (event) => this.move(event));
    if (picture) this.drawPictures(picture);
  }

  /** The best level of each cell, with its colour as a frame; a few at a time, those that can be seen first. */
  drawPictures(picture) {
    const waiting = this.buttons.filter((button) => button.cell?.keys?.length);
    const next = () => {
      const button = waiting.shift();
      if (!button?.isConnected) return;
      const image = make("img", { src: picture(button.cell.keys[0]), alt: "", load: next, error: next });
      button.classList.add("pictured");
      button.append(image);
    };
    for (let k = 0; k < 3; k++) next();
  }

  cell(i, j, cell) {
    const place = `${range(this.data.x, i)}, ${range(this.data.y, j)}`;
    const button = make("button", { type: "button", role: "gridcell", tabindex: "-1" });
    if (cell) {
      const quality = cell.feasible ? t("best fitness {0}", number(cell.fitness)) : t("not feasible");
      const label = t("{0}: {1} {1|level|levels}, {2}", place, cell.levels, quality);
      button.setAttribute("aria-label", label);
      button.title = label;
      const share = this.high > this.low ? (cell.fitness - this.low) / (this.high - this.low) : 1;
      if (cell.feasible) button.style.backgroundColor = colour(share);
      else {
        button.classList.add("infeasible");
        button.style.backgroundColor = "#767b88";
      }
      button.addEventListener("click", () => this.open(button));
    } else {
      button.setAttribute("aria-label", t("{0}: empty", place));
      button.setAttribute("aria-disabled", "true");
    }
    Object.assign(button, { cell, i, j });
    this.buttons.push(button);
    return button;
  }

  open(button) {
    for (const other of this.buttons) other.removeAttribute("aria-current");
    button.setAttribute("aria-current", "true");
    this.reach(button);
    this.choose(button.cell);
  }

  /** Mark the cell that holds a level. */
  mark(key) {
    for (const button of this.buttons) {
      if (button.cell?.keys.includes(key)) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
  }

  reach(button) {
    for (const other of this.buttons) other.tabIndex = -1;
    button.tabIndex = 0;
  }

  move(event) {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    const from = event.target;
    if (!step || from.i === undefined) return;
    event.preventDefault();
    const to = this.buttons.find((button) => button.i === from.i + step[0] && button.j === from.j + step[1]);
    if (!to) return;
    this.reach(to);
    to.focus();
  }
}
