// The page of one level: nothing but the player.
import { Player } from "./player/player.js";

const element = document.getElementById("player");
new Player(element, element.dataset.socket);
