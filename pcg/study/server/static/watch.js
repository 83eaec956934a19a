// The researcher's page keeps itself up to date; what cannot be had is said.
const EVERY_MS = 5000;
const live = document.getElementById("live");
const stale = document.getElementById("stale");

async function refresh() {
  if (document.hidden) return;
  try {
    const answer = await fetch(document.body.dataset.live, { headers: { accept: "text/html" } });
    if (answer.status === 403) return window.location.reload();
    if (!answer.ok) throw new Error(answer.statusText);
    const text = await answer.text();
    if (!live.contains(document.activeElement)) live.innerHTML = text; // nothing moves under somebody who reads with the keyboard
    stale.hidden = true;
  } catch {
    stale.hidden = false;
  }
}

setInterval(refresh, EVERY_MS);
document.addEventListener("visibilitychange", refresh);
