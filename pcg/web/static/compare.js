// Two levels side by side, with what the judge says of both, and votes between them from which a preference is fitted.

import { get, make, number, post, t, titled, words } from "./api.js";

const EFFORT = ["nodes", "calls"]; // what the evaluation took, which says nothing of the level

export class Comparison {
  /** `attempt(work)` tells errors, `show(key)` shows a level, `picture(key)` is the address of its picture. */
  constructor({ part, attempt, show, picture }) {
    Object.assign(this, { part, attempt, show, picture, pinned: null, pair: null, hint: part("compare-hint").textContent });
    part("suggest-pair").addEventListener("click", () => attempt(() => this.suggested()));
    for (const button of document.querySelectorAll("#pair [data-answer]")) {
      button.addEventListener("click", () => attempt(() => this.vote(button.dataset.answer)));
    }
  }

  /** The next level that is chosen is compared with this one. */
  pin(level) {
    this.pinned = level;
    this.part("compare-hint").textContent = t("Now choose the level to compare “{0}” with.", titled(level.title));
    this.part("pin").setAttribute("aria-pressed", "true");
  }

  chosen(level) {
    if (!this.pinned || this.pinned.digest === level.digest) return;
    const first = this.pinned;
    this.pinned = null;
    this.part("pin").removeAttribute("aria-pressed");
    this.part("compare-hint").textContent = this.hint;
    this.compare(first, level);
    this.part("compare").scrollIntoView({ block: "nearest" });
  }

  async suggested() {
    const { pair } = await get("/api/votes");
    if (!pair) throw new Error(t("There are no two feasible levels left that you have not compared."));
    this.compare(...(await Promise.all(pair.map((key) => get(`/api/levels/${key}`)))));
  }

  compare(first, second) {
    this.pair = [first, second];
    this.part("pair").hidden = false;
    this.part("said").textContent = "";
    this.part("duel").replaceChildren(...this.pair.map((level, k) =>
      make("figure", {}, make("img", { class: "pixels", src: this.picture(level.key), alt: k ? t("the right level") : t("the left level") }),
        make("figcaption", {}, make("button", { type: "button", click: () => this.show(level.key) }, `${titled(level.title)}${level.feasible ? `, ${t("fitness")} ${number(level.fitness)}` : ""}`)))));
    this.part("difference").replaceChildren(this.table(first, second));
  }

  /** Parts of the judgement of both, and the measures in which they differ most. */
  table(first, second) {
    const value = (list, name) => list.find((one) => one.name === name)?.value;
    const names = [...new Set([...first.parts, ...second.parts].map(({ name }) => name))];
    const parts = names.map((name) => [t("judge: {0}", words(name)), value(first.parts, name), value(second.parts, name), true]);
    const measured = first.metrics.filter(({ name, group }) => group !== "judgement" && !EFFORT.includes(name)).map(({ name }) => [words(name), value(first.metrics, name), value(second.metrics, name)])
      .filter(([, a, b]) => b !== undefined && a !== b)
      .map((row) => [row, Math.abs(row[1] - row[2]) / (Math.abs(row[1]) + Math.abs(row[2]))])
      .sort((a, b) => b[1] - a[1]).slice(0, 10).map(([row]) => row);
    const cell = (one, other, judged) => make("td", { class: judged && one > other ? "good" : "" }, one === undefined ? "–" : number(one));
    return make("table", {},
      make("thead", {}, make("tr", {}, make("td", {}), make("th", { scope: "col" }, t("left")), make("th", { scope: "col" }, t("right")))),
      make("tbody", {}, ...[...parts, ...measured].map(([name, a, b, judged]) =>
        make("tr", {}, make("th", { scope: "row" }, name), cell(a, b, judged), cell(b, a, judged)))));
  }

  async vote(answer) {
    const [first, second] = this.pair;
    const known = await post("/api/vote", { first: first.key, second: second.key, answer });
    this.tell(known);
    this.part("said").textContent = t("Noted. Votes so far: {0}", known.votes);
    if (known.pair) await this.suggested();
  }

  async refresh() {
    this.tell(await get("/api/votes"));
  }

  tell({ votes, preference }) {
    if (!preference.length) {
      this.part("liking").replaceChildren(make("p", { class: "hint" }, votes ? t("Nothing that is sure yet.") : t("Nothing is known yet.")));
      return;
    }
    const most = Math.max(...preference.map(({ weight }) => Math.abs(weight)));
    this.part("liking").replaceChildren(make("p", { class: "hint" }, t("From {0} {0|vote|votes}; the tables are votes.csv and features.csv of the run, for `pcg prefer fit`.", votes)),
      make("table", {}, make("tbody", {}, ...preference.map(({ name, weight, help }) => {
        const bar = make("span", { class: weight < 0 ? "bar less" : "bar", "aria-hidden": "true" });
        bar.style.width = `${(6 * Math.abs(weight)) / most}rem`;
        return make("tr", {}, make("th", { scope: "row" }, t(weight < 0 ? "less {0}" : "more {0}", words(name)), make("small", {}, help)), make("td", {}, bar, ` ${number(weight)}`));
      }))));
  }
}
