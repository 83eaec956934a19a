"""The table at the top of every page of results, and their overview: what was measured, when, and how to repeat it.

Most pages of results are written by programs, which write them anew, so the tables come from one file beside them,
`docs/results/measurements.toml`. mkdocs calls `on_page_markdown`.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent / "results"
LIST = "<!-- all results -->"
"""Where the overview has the list of all pages."""


def measurements() -> dict[str, dict[str, Any]]:
    """The entries of the file by the page's path below `docs/results`, without its suffix."""
    return tomllib.loads((ROOT / "measurements.toml").read_text(encoding="utf-8"))


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Put the table under the title of a page (a hook of mkdocs)."""
    path = page.file.src_uri
    if not path.startswith("results/"):
        return markdown
    if path == "results/index.md":
        return markdown.replace(LIST, overview())
    return with_table(markdown, measurements()[path.removeprefix("results/").removesuffix(".md")])


def with_table(markdown: str, entry: dict[str, Any]) -> str:
    """A page's text with the table of its entry under the title."""
    commands = "<br>".join(f"`{command}`" for command in entry["repeat"])
    rows = [("what", entry["what"]), ("when", entry["when"]), ("repeat", commands)]
    if "needs" in entry:
        rows.append(("needs", entry["needs"]))
    table = "| measured | |\n|---|---|\n" + "".join(f"| {name} | {text} |\n" for name, text in rows)
    title, _, rest = markdown.partition("\n")
    return f"{title}\n\n{table}\n{rest.lstrip()}"


def overview() -> str:
    """The table of all pages."""
    rows = [
        f"| [{entry['title']}]({path}.md) | {entry['what']} | {entry['when']} |"
        for path, entry in measurements().items()
    ]
    return "\n".join(["| page | what was measured | when |", "|---|---|---|", *rows])
