// Sort a table by the column whose heading was chosen: numbers from high to low first, text from A to Z first.
for (const table of document.querySelectorAll("table.sortable")) {
  const headings = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  headings.forEach((heading, column) => {
    heading.querySelector("button").addEventListener("click", () => {
      const rows = [...body.rows];
      const numeric = rows.some((row) => row.cells[column].dataset.value !== undefined);
      const before = heading.getAttribute("aria-sort");
      const direction = before === null ? (numeric ? "descending" : "ascending") : before === "ascending" ? "descending" : "ascending";
      const sign = direction === "ascending" ? 1 : -1;
      const key = (row) => (numeric ? Number(row.cells[column].dataset.value ?? -Infinity) : row.cells[column].textContent);
      rows.sort((a, b) => sign * (numeric ? key(a) - key(b) : key(a).localeCompare(key(b))));
      headings.forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", direction);
      body.append(...rows);
    });
  });
}
