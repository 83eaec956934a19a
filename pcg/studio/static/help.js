// Help while a game is written: words that can stand at the caret, and what the word under caret or mouse means.

import { root, t } from "../static/api.js";

const QUIET_MS = 120; // after the last key, before words are proposed
const REST_MS = 400; // of the mouse, before a word is explained
const MOST = 12; // proposals shown at once

/** The help of a text field. It asks the server, which knows the language; `changed` is told when a word was put in. */
export class Help {
  /** @param {HTMLTextAreaElement} area @param {HTMLElement} list @param {HTMLElement} card */
  constructor(area, list, card, changed) {
    Object.assign(this, { area, list, card, changed, on: false, found: [], at: -1, written: "", spot: null, asked: 0, timer: 0 });
    area.addEventListener("input", (event) => this.typed(event));
    area.addEventListener("keydown", (event) => this.key(event), true);
    area.addEventListener("mousemove", (event) => this.over(event));
    area.addEventListener("blur", (event) => event.relatedTarget !== card && this.close());
    card.addEventListener("blur", () => this.close());
    card.addEventListener("keydown", (event) => event.key === "Escape" && area.focus());
    area.addEventListener("scroll", () => {
      for (const box of [list, card]) { // the field scrolls to the caret when the box stands there already
        if (!box.hidden && !this.beside(box, this.spot)) this.close();
      }
    });
    area.addEventListener("mouseleave", () => clearTimeout(this.timer));
    area.addEventListener("mousedown", () => this.close());
    list.addEventListener("mousedown", (event) => {
      event.preventDefault(); // the field keeps the focus
      const item = event.target.closest("[role=option]");
      if (item) this.take([...list.children].indexOf(item));
    });
  }

  /** Line and column of a place in the text, from 0. */
  place(offset) {
    const before = this.area.value.slice(0, offset).split("\n");
    return { line: before.length - 1, column: before.at(-1).length };
  }

  async ask({ line, column }) {
    const number = ++this.asked;
    const body = JSON.stringify({ text: this.area.value, line, column });
    try {
      const response = await fetch(`${root}/api/help`, { method: "POST", headers: { "Content-Type": "application/json" }, body });
      return response.ok && number === this.asked ? await response.json() : null;
    } catch {
      return null; // the page says already that the server does not answer
    }
  }

  close() {
    clearTimeout(this.timer);
    this.asked++;
    this.found = [];
    this.at = -1;
    this.list.hidden = this.card.hidden = true;
    this.area.removeAttribute("aria-activedescendant");
  }

  // -- proposals ------------------------------------------------------------------------------------------------------

  typed(event) {
    this.close();
    if (!this.on || !["insertText", "deleteContentBackward"].includes(event.inputType)) return;
    this.timer = setTimeout(() => this.propose(false), QUIET_MS);
  }

  async propose(wanted) {
    const here = this.place(this.area.selectionStart), answer = await this.ask(here);
    if (!answer) return;
    const exact = answer.proposals.some((one) => one.text === answer.written);
    if (!answer.proposals.length || (!wanted && (!answer.written || exact))) return;
    this.found = answer.proposals.slice(0, MOST);
    this.written = answer.written;
    this.list.replaceChildren(...this.found.map((one, k) => {
      const item = document.createElement("li"), name = document.createElement("b"), detail = document.createElement("small");
      Object.assign(item, { id: `proposal-${k}`, role: "option", title: one.help });
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", "false");
      name.textContent = one.text;
      name.className = one.kind;
      detail.textContent = one.detail;
      item.append(name, " ", detail);
      return item;
    }));
    this.card.hidden = true;
    this.list.hidden = false;
    this.spot = { line: here.line, column: here.column - answer.written.length };
    this.beside(this.list, this.spot);
  }

  choose(at) {
    this.at = (at + this.found.length) % this.found.length;
    [...this.list.children].forEach((item, k) => item.setAttribute("aria-selected", String(k === this.at)));
    this.list.children[this.at].scrollIntoView({ block: "nearest" });
    this.area.setAttribute("aria-activedescendant", `proposal-${this.at}`);
  }

  take(at) {
    const end = this.area.selectionStart, word = this.found[at].text;
    this.area.setRangeText(word, end - this.written.length, end, "end");
    this.close();
    this.changed();
  }

  key(event) {
    const keys = { ArrowDown: () => this.choose(this.at + 1), ArrowUp: () => this.choose(this.at < 0 ? -1 : this.at - 1),
                   Tab: () => this.take(Math.max(0, this.at)), Escape: () => this.close() };
    if (this.at >= 0) keys.Enter = () => this.take(this.at);
    const open = !this.list.hidden && !event.ctrlKey && !event.shiftKey && keys[event.key];
    const asked = this.on && event.ctrlKey && (event.code === "Space" ? () => this.propose(true) : event.key === "i" && (() => this.explain(this.area.selectionStart)));
    const act = open || asked;
    if (!act) {
      if (event.key === "Escape" && !this.card.hidden) this.close();
      return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
    act();
  }

  // -- explanations ---------------------------------------------------------------------------------------------------

  over(event) {
    clearTimeout(this.timer);
    if (!this.on || !this.list.hidden || event.buttons) return;
    const { x, y } = this.measure(), box = this.area.getBoundingClientRect();
    const line = Math.floor((event.clientY - box.top + this.area.scrollTop - y.from) / y.step);
    const column = Math.floor((event.clientX - box.left + this.area.scrollLeft - x.from) / x.step);
    this.timer = setTimeout(() => this.show({ line, column }), REST_MS);
  }

  explain(offset) {
    return this.show(this.place(offset));
  }

  async show(place) {
    const text = this.area.value.split("\n")[place.line];
    if (text === undefined || place.column < 0 || place.column > text.length) return;
    const answer = await this.ask(place);
    this.card.hidden = !answer?.explained;
    if (this.card.hidden) return;
    this.card.replaceChildren(...paragraphs(answer.explained.text));
    this.spot = { line: place.line, column: answer.explained.start };
    this.beside(this.card, this.spot);
  }

  // -- places ---------------------------------------------------------------------------------------------------------

  measure() {
    const style = getComputedStyle(this.area), pen = document.createElement("canvas").getContext("2d");
    pen.font = `${style.fontSize} ${style.fontFamily}`;
    return { x: { from: parseFloat(style.paddingLeft), step: pen.measureText("0".repeat(50)).width / 50 },
             y: { from: parseFloat(style.paddingTop), step: parseFloat(style.lineHeight) } };
  }

  /** Put a box below a place of the text, or above it where there is more room. Return whether the place is in sight. */
  beside(box, { line, column }) {
    const { x, y } = this.measure(), area = this.area;
    const top = y.from + line * y.step - area.scrollTop, left = x.from + column * x.step - area.scrollLeft;
    const below = area.clientHeight - top - y.step;
    box.style.maxHeight = `${Math.max(below, top) - 8}px`;
    box.style.left = `${Math.max(4, Math.min(left, area.clientWidth - box.offsetWidth - 4))}px`;
    box.style.top = `${below >= top ? top + y.step + 2 : Math.max(2, top - box.offsetHeight - 2)}px`;
    return top > -y.step && below > -y.step;
  }
}

/** Elements for the Markdown that the server writes: paragraphs, lists, bold words, code. */
function paragraphs(text) {
  const found = [];
  let list = null, code = null;
  for (const line of text.split("\n")) {
    if (line.startsWith("```")) {
      code = code ? null : found[found.push(document.createElement("pre")) - 1];
    } else if (code) {
      code.textContent += line;
    } else if (line.startsWith("- ")) {
      list ??= found[found.push(document.createElement("ul")) - 1];
      list.append(withWords(document.createElement("li"), line.slice(2)));
    } else {
      list = null;
      if (line) found.push(withWords(document.createElement("p"), line));
    }
  }
  return found;
}

function withWords(element, text) {
  for (const piece of text.split(/(\*\*[^*]+\*\*|`[^`]+`)/)) {
    const kind = { "**": "b", "`": "code" }[piece.startsWith("**") ? "**" : piece[0]];
    if (!kind) {
      element.append(piece);
      continue;
    }
    const part = document.createElement(kind);
    part.textContent = piece.replace(/^\*\*|\*\*$|`/g, "");
    element.append(part);
  }
  return element;
}

/** Pieces of a line with a colour for each word of a known role: [text, class], the class "" for what has none. */
export function coloured(line, number, words) {
  const pieces = [], hash = line.indexOf("#"), code = hash < 0 ? line : line.slice(0, hash);
  let at = 0;
  for (const [, start, word, role] of words.get(number) ?? []) {
    if (start < at || code.slice(start, start + word.length) !== word) continue; // changed since the server looked
    pieces.push([code.slice(at, start), ""], [word, role]);
    at = start + word.length;
  }
  pieces.push([code.slice(at), ""]);
  if (hash >= 0) pieces.push([line.slice(hash), "comment"]);
  return pieces.filter(([text]) => text);
}
