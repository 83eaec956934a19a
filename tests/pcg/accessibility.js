// The rules behind accessibility.py: a function of a page, evaluated in the browser, that returns its faults in words.
() => {
  const faults = [], all = (s) => [...document.querySelectorAll(s)];
  const seen = (e) => e.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && e.getClientRects().length > 0;
  const what = (e) => `<${e.tagName.toLowerCase()}${e.id ? " #" + e.id : ""}${e.className && e.className.baseVal === undefined ? " ." + e.className : ""}> ${(e.textContent || "").trim().slice(0, 40)}`;
  const name = (e) => {
    const by = e.getAttribute("aria-labelledby");
    if (by) return by.split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join(" ").trim();
    return (e.getAttribute("aria-label") || [...(e.labels ?? [])].map((l) => l.textContent).join(" ") || e.textContent ||
      [...e.querySelectorAll("img")].map((i) => i.alt).join(" ") || e.getAttribute("title") || "").trim();
  };
  if (!document.documentElement.lang) faults.push("the page has no language");
  if (!document.title.trim()) faults.push("the page has no title");
  const heads = all("h1").filter(seen);
  if (heads.length !== 1) faults.push(`${heads.length} main headings`);
  if (all("main, [role=main]").filter(seen).length < 1) faults.push("no main landmark");
  for (const e of all("button, a[href], select, textarea, input:not([type=hidden]), [role=tab], [role=application], canvas[tabindex], canvas[role]").filter(seen)) {
    if (!name(e)) faults.push(`no name: ${what(e)}`);
  }
  for (const e of all("img").filter(seen)) if (!e.hasAttribute("alt")) faults.push(`picture without a text: ${e.src}`);
  for (const e of all("section[aria-label], section[aria-labelledby], nav, [role=group], [role=tablist], [role=radiogroup], [role=grid]").filter(seen)) {
    if (!e.getAttribute("aria-label") && !name(e)) faults.push(`region without a name: ${what(e)}`);
  }
  const ids = all("[id]").map((e) => e.id);
  for (const id of new Set(ids)) if (ids.filter((other) => other === id).length > 1) faults.push(`id twice: ${id}`);
  for (const attribute of ["aria-labelledby", "aria-describedby", "aria-controls", "for"]) {
    for (const e of all(`[${attribute}]`)) {
      for (const id of e.getAttribute(attribute).split(" ")) if (id && !document.getElementById(id)) faults.push(`${attribute} of nothing: ${id}`);
    }
  }
  for (const e of all("[tabindex]")) if (Number(e.getAttribute("tabindex")) > 0) faults.push(`a tab order of its own: ${what(e)}`);
  for (const e of all("[role=tab]")) if (!e.closest("[role=tablist]")) faults.push(`tab without a list: ${what(e)}`);
  for (const e of all("[role=gridcell]")) if (!e.closest("[role=row]")) faults.push(`cell without a row: ${what(e)}`);
  for (const e of all("pre, code").filter(seen)) {
    const over = getComputedStyle(e).overflowX;
    if ((over === "auto" || over === "scroll") && e.scrollWidth > e.clientWidth + 1 && e.tabIndex < 0) faults.push(`scrolls, but not by keyboard: ${what(e)}`);
  }
  const numbers = (c) => {
    const m = c.match(/rgba?\(([^)]+)\)/);
    if (!m) return null;
    const p = m[1].split(/[ ,/]+/).filter(Boolean).map(Number);
    return [p[0], p[1], p[2], p[3] ?? 1];
  };
  const over = (top, under) => [0, 1, 2].map((k) => top[k] * top[3] + under[k] * (1 - top[3])).concat(1);
  const light = (c) => [0.2126, 0.7152, 0.0722].reduce((sum, w, k) => sum + w * ((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))(c[k] / 255), 0);
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const e = node.parentElement;
    if (!node.textContent.trim() || !seen(e) || e.closest("script, [aria-hidden=true], option, .pcg-veil, .visually-hidden, :disabled, .stale, .skip, textarea, .paper")) continue;
    const style = getComputedStyle(e), layers = [];
    let picture = false;
    for (let at = e; at; at = at.parentElement) {
      const s = getComputedStyle(at);
      if (s.backgroundImage !== "none") picture = true;
      const c = numbers(s.backgroundColor);
      if (c && c[3] > 0) layers.push(c);
      if (c && c[3] === 1) break;
    }
    if (picture) continue;
    const back = layers.reverse().reduce((under, top) => over(top, under), [255, 255, 255, 1]);
    const ink = numbers(style.color);
    if (!ink) continue;
    const [a, b] = [light(over(ink, back)), light(back)].sort((x, y) => y - x);
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < (large ? 3 : 4.5) - 0.01) faults.push(`contrast ${ratio.toFixed(2)}: ${what(e)}`);
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push(`wider than the window: ${document.documentElement.scrollWidth}`);
  return [...new Set(faults)];
}
