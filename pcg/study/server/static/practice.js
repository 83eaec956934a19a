// The page of a level for practice: the player without a minimum, and the way on whenever one likes.
import { PagePlay } from "./page_play.js";
import { Player } from "./player/player.js";

const element = document.getElementById("player");
const { words, home, socket, open, token } = element.dataset;
let here = Boolean(open) && PagePlay.possible;
const small = matchMedia("(max-width: 30rem), (max-height: 30rem)");
const player = new Player(element, socket, {
  speeds: false, help: false, words: JSON.parse(words),
  open: (at) => (here ? new PagePlay({ open, token }, () => { here = false; }) : new WebSocket(at)),
  room: (stage) => (small.matches ? [stage.clientWidth, stage.clientHeight] : null),
});
const form = document.getElementById("onward-form");
const button = document.getElementById("onward");
button.setAttribute("form", form.id); // it stands where there is room, and sends its form all the same

function arrange() {
  (small.matches ? element.querySelector(".pcg-buttons") : form).append(button);
}
arrange();
small.addEventListener("change", arrange);
player.addEventListener("ready", () => {
  const text = element.querySelector("[data-veil-text]");
  const goal = document.getElementById("goal").textContent.trim();
  if (small.matches && !player.begun && !player.over) text.textContent = `${goal}\n\n${text.textContent}`;
});
player.addEventListener("gone", () => window.location.replace(home));
window.addEventListener("pageshow", (event) => event.persisted && window.location.reload());
