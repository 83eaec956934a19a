// Plays as links: level, seed and actions in the fragment of an address, "#play=2,7,R3_2U" (level 3, seed 7). A letter
// stands for an action, a number behind it says how often; with two players the second one's actions follow a comma.

const LETTERS = "_ULDRXE";
const LONGEST = 100000;

const shorten = (codes) => codes.map((code) => LETTERS[code]).join("").replace(/(.)\1+/g, (run, letter) => letter + run.length);

function lengthen(text) {
  if (!/^([_ULDRXE]\d{0,6})*$/.test(text)) return null;
  const found = [];
  for (const [, letter, count] of text.matchAll(/(.)(\d*)/g)) {
    const times = count ? Number(count) : 1;
    if (found.length + times > LONGEST) return null;
    for (let k = 0; k < times; k++) found.push(LETTERS.indexOf(letter));
  }
  return found;
}

/** The fragment for a play. */
export function fragmentOf(play) {
  const players = Array.from({ length: play.about.players }, (_, p) => shorten(play.taken.map((codes) => codes[p])));
  return `#play=${[play.number, play.seed, ...players].join(",")}`;
}

/** {level, seed, actions} of a fragment, or null where it is none that this game can play. */
export function playIn(fragment, about) {
  const found = /^#play=(\d{1,4}),(-?\d{1,10}),([^,]*)(?:,([^,]*))?$/.exec(fragment);
  if (!found) return null;
  const level = Number(found[1]), first = lengthen(found[3]);
  const second = found[4] === undefined ? [] : lengthen(found[4]);
  if (level >= about.levels.length || !first || !second) return null;
  return { level, seed: Number(found[2]), actions: first.map((code, k) => [code, second[k] ?? 0]) };
}
