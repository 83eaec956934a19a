// Games played in the place of their pictures: a link of the class `play-here` around a picture gives way to the page that
// it leads to, in a frame; one in a text opens the frame below its paragraph. Without this script, and with a key held for
// another tab, they are links.

function frameOf(link, title) {
  const frame = document.createElement("iframe");
  frame.src = link.href;
  frame.title = title;
  frame.className = "play-frame";
  frame.addEventListener("load", () => frame.contentWindow.focus());
  return frame;
}

function play(link) {
  const picture = link.querySelector("img");
  const box = document.createElement("span");
  box.className = "play-box";
  const close = document.createElement("button");
  close.type = "button";
  close.textContent = picture ? "Show the picture" : "Close";
  box.append(frameOf(link, `${picture?.alt ?? link.title}, to play`), close);
  close.addEventListener("click", () => {
    if (picture) box.replaceWith(link);
    else box.remove();
    link.focus();
  });
  if (picture) link.replaceWith(box);
  else {
    document.querySelectorAll(".play-box.below").forEach((other) => other.remove());
    box.classList.add("below");
    (link.closest("details") ?? link.closest("p") ?? link).after(box);
  }
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a.play-here");
  if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  play(link);
});
