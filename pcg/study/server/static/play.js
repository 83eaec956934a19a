// The page of one game: the player, and the way on once it was played for long enough. The server decides when that is;
// what is counted here only tells how long it will take.
import { PagePlay } from "./page_play.js";
import { Player } from "./player/player.js";

const part = (id) => document.getElementById(id);
const fill = (text, values) => text.replace(/\{(\w+)(?:\|([^{}|]*)\|([^{}|]*))?\}/g, (whole, name, one, many) =>
  !(name in values) ? whole : one === undefined ? values[name] : Number(values[name]) === 1 ? one : many);

const element = part("player");
const { words: given, home, socket, open, actions, token } = element.dataset;
const words = JSON.parse(given);
const addresses = {
  open, actions, token, away: `${words.connection_lost}. ${words.trying_again}`, spent: words.time_is_up,
};
let here = Boolean(open) && PagePlay.possible; // the game runs in the page, else on the server
// On a small screen board and controls fill it, and all else stands below.
const small = matchMedia("(max-width: 30rem), (max-height: 30rem)");
const player = new Player(element, socket, {
  speeds: false, help: false, words,
  open: (at) => (here ? new PagePlay(addresses, () => { here = false; }) : new WebSocket(at)),
  room: (stage) => (small.matches ? [stage.clientWidth, stage.clientHeight] : null),
});
const restart = element.querySelector("[data-restart]");

function arrange() {
  const place = small.matches ? element.querySelector(".pcg-buttons") : document.querySelector("section.onward");
  place.append(part("wait"), part("onward"));
}
arrange();
small.addEventListener("change", arrange);
player.addEventListener("ready", () => {
  const text = element.querySelector("[data-veil-text]");
  if (small.matches && !player.begun && !player.over) text.textContent = `${part("goal").textContent.trim()}\n\n${text.textContent}`;
});

let report = null;
let since = 0; // when the clock began to run, in milliseconds of this page
let played = 0; // seconds before that

function tellWait() {
  const left = report.minimum - played - (since ? (performance.now() - since) / 1000 : 0);
  part("wait").hidden = report.enough;
  part("wait").textContent = fill(words.wait_seconds, { seconds: Math.max(1, Math.ceil(left)) });
}

function take(fresh) {
  report = fresh;
  played = fresh.seconds;
  if (since) since = performance.now();
  const onward = part("onward");
  if (fresh.enough && onward.hidden) {
    onward.hidden = false;
    part("hint").hidden = true;
    part("said").textContent = onward.textContent;
  }
  player.allowRestart(fresh.restarts > 0);
  restart.textContent = fill(words.restarts_left, { count: fresh.restarts });
  if (fresh.spent) player.say(words.time_is_up);
  tellWait();
}

function run(running) {
  if (since) played += (performance.now() - since) / 1000;
  since = running ? performance.now() : 0;
}

player.addEventListener("message", ({ detail }) => {
  if (detail.type === "welcome") take(detail.study);
  else if (detail.type === "study") take(detail);
  else if (detail.type === "paused") run(!detail.paused);
  else if (detail.type === "end") run(false);
});
// The play is not this page's any more: the server knows where to go on.
player.addEventListener("gone", () => window.location.replace(home));
setInterval(() => report && !report.enough && tellWait(), 500);

// A page that comes back from the browser's memory may be one that was left behind long ago.
window.addEventListener("pageshow", (event) => event.persisted && window.location.reload());
