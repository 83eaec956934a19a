// Asking the server. Errors come back as {"error": message} and are thrown as Error(message).

export const root = document.body.dataset.root;

const WORDS = JSON.parse(document.getElementById("words")?.textContent ?? "{}");

/** A text in the language of the page; {0}, {1} ... are filled in, {0|edit|edits} is a word by a number. */
export function t(text, ...filled) {
  return (WORDS[text] ?? text).replace(/\{(\d)(?:\|([^{}|]*)\|([^{}|]*))?\}/g, (whole, k, one, many) =>
    !(k in filled) ? whole : one === undefined ? filled[k] : Number(filled[k]) === 1 ? one : many);
}

export async function get(path) {
  return answer(await reach(fetch(root + path)));
}

export async function post(path, data, signal = undefined) {
  const request = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(data), signal };
  return answer(await reach(fetch(root + path, request)));
}

async function reach(request) {
  try {
    return await request;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error(t("The server does not answer. Is it still running?"));
  }
}

async function answer(response) {
  const data = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(data.error || `the server answered ${response.status}`);
  return data;
}

/** A number with three digits that matter. */
export function number(value) {
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString("en");
  return String(Number(value.toPrecision(3)));
}

/** An element with attributes (functions are listeners) and children (elements or text). */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** The title of a level in the language of the page, where it is that of a group or of a cell. */
export const titled = (title) => title
  .replace(/^(.+), number (\d+)$/, (_, group, n) => t("{0}, number {1}", t(group), n))
  .replace(/^cell ([\d, ]+)$/, (_, place) => t("cell {0}", place));

/** `solution_length` as people write it. */
export const words = (name) => t(name.replaceAll("_", " "));

/** The parts of a judgement as a table: each with its sentence and its value. */
export function judgement(parts) {
  return make("table", {}, make("tbody", {}, ...parts.map(({ name, value, weight, sentence }) =>
    make("tr", {}, make("th", { scope: "row" }, words(name), make("small", {}, sentence)),
      make("td", { title: t("weight {0}", number(weight)) }, value.toFixed(2))))));
}
