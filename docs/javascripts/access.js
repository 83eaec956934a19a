// What the theme leaves out for those who use a keyboard or a screen reader: its field for searching is a dialog without a
// name, and code and tables that are wider than their place cannot be reached by the Tab key.

document.querySelector(".md-search[role=dialog]")?.setAttribute("aria-label", "Search");
for (const box of document.querySelectorAll("pre > code, .md-typeset__scrollwrap")) {
  if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
}
