// What the theme leaves out for those who use a keyboard or a screen reader: its field for searching is a dialog without a
// name, the buttons at each piece of code are landmarks without one, code and tables that are wider than their place cannot
// be reached by the Tab key, and an empty corner of a table is a header that says nothing.

let named = 0;
function mend() {
  for (const box of document.querySelectorAll("pre > code, .md-typeset__scrollwrap")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  }
  for (const bar of document.querySelectorAll(".md-code__nav:not([aria-label])")) {
    bar.setAttribute("aria-label", `Buttons of code ${++named}`);
  }
}

document.querySelector(".md-search[role=dialog]")?.setAttribute("aria-label", "Search");
for (const corner of document.querySelectorAll("th:empty")) corner.replaceWith(document.createElement("td"));
mend();
window.addEventListener("resize", mend);
new MutationObserver(mend).observe(document.body, { childList: true, subtree: true }); // the theme adds both late
