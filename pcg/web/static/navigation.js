// The navigation of the studio: its language, which is that of the player on exported pages too.

const shown = document.documentElement.lang;

function keep(language) {
  document.cookie = `pcg-language=${language}; path=/; max-age=31536000; samesite=strict`;
  try { localStorage.setItem("pcg language", language); } catch { /* then the cookie alone keeps it */ }
}

document.getElementById("language").addEventListener("click", () => {
  keep(shown === "zh" ? "en" : "zh");
  location.reload();
});

try {
  const player = localStorage.getItem("pcg language");
  if ((player === "en" || player === "zh") && player !== shown && !document.cookie.includes("pcg-language=")) {
    keep(player);
    location.reload();
  }
} catch { /* the browser keeps nothing */ }
