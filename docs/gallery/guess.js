// Pairs of levels of which one is hand-made: each picture becomes a button, and right guesses are counted. Without this
// script the pictures are there all the same, with the answers folded.

const pairs = [...document.querySelectorAll(".pair")];
const tally = document.createElement("p");
tally.className = "tally";
tally.setAttribute("role", "status");

let guessed = 0;
let right = 0;

function tell() {
  tally.textContent = `${right} of ${guessed} right, ${pairs.length - guessed} to go`;
}

function guess(pair, buttons, chosen) {
  const handMade = pair.dataset.handMade === "first" ? 0 : 1;
  guessed += 1;
  right += chosen === handMade ? 1 : 0;
  buttons.forEach((button, k) => {
    button.setAttribute("aria-disabled", "true");
    const label = document.createElement("span");
    label.textContent = `${k === handMade ? "Hand-made" : "Generated"}${k === chosen ? ", your choice" : ""}`;
    button.append(label);
    button.classList.add(k === handMade ? "hand-made" : "generated");
    button.removeAttribute("aria-label");
  });
  pair.classList.add(chosen === handMade ? "right" : "wrong");
  pair.querySelector("details").open = true;
  tell();
}

pairs.forEach((pair) => {
  const buttons = [...pair.querySelectorAll("img")].map((image, k) => {
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-label", `${image.alt} is hand-made`);
    image.replaceWith(button);
    button.append(image);
    button.addEventListener("click", () => {
      if (!pair.matches(".right, .wrong")) guess(pair, buttons, k);
    });
    return button;
  });
});

if (pairs.length) {
  pairs[pairs.length - 1].after(tally);
  tell();
}
