// What the page does when its scripts are there; tests and other scripts find the parts under `window.pcg`.

import { Agent } from "./agent.js";
import { Game, Play } from "./game.js";
import { begin } from "./page.js";

const game = await Game.open(window.pcg.about, window.pcg.data);
Object.assign(window.pcg, { game, Play, Agent, Game });
window.pcg.page = await begin(document.getElementById("pcg"), game);
