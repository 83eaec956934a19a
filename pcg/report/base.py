"""Base of all reports: one page that needs no other file and no network.

A report is a template in `templates/` that extends `base.html.jinja`, and a function that fills it from the folder of
a run. Only what is in the folder is shown, and nothing that differs between equal runs (no times), so equal runs have
equal pages.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.runs.store import Places, read_json

PAGE = "report.html"
"""Name of the page in the folder."""
Settings = list[tuple[str, list[tuple[str, str]]]]
"""Tables of names and values under their titles, at the end of a page."""


@dataclass(frozen=True, slots=True)
class Column:
    """Column of a table.

    Attributes:
        title: its heading.
        help: a sentence about it, shown when the pointer rests there.
    """

    title: str
    help: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """Cell of a table.

    Attributes:
        text: shown.
        number: to sort by; None for text.
    """

    text: str
    number: float | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """Table of a page, and of a file."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    note: str = ""

    def csv(self) -> str:
        r"""Return the table as CSV, numbers with all their digits.

        >>> Table("items", [Column("item"), Column("share")], [[Cell("a"), Cell("33 %", 1 / 3)]]).csv()
        'item,share\na,0.3333333333333333\n'
        """
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(column.title for column in self.columns)
        writer.writerows([cell.text if cell.number is None else cell.number for cell in row] for row in self.rows)
        return text.getvalue()


def number_cell(value: float, text: str | None = None) -> Cell:
    """Return the cell of a number, as a whole one unless a text is given."""
    return Cell(text if text is not None else f"{value:,.0f}", value)


def interval_cell(ends: Sequence[float], form: str = "{:.0%}") -> Cell:
    """Return the cell of an interval, its ends in a format."""
    low, high = (form.format(end).replace("-", "−") for end in ends)
    return Cell(f"{low} to {high}")


def signed_cell(value: float) -> Cell:
    """Return the cell of a number with its sign and two digits."""
    return number_cell(value, f"{value:+.2f}".replace("-", "−"))


def render_page(template: str, **context: Any) -> str:
    """Return a page as HTML.

    Args:
        template: name of the template, without its ending: "levels".
        context: its variables. All templates need `version`, `title`, `lead` (a sentence) and `facts` (names and
            values); with `command` (how to do this again) also `settings`. Text is escaped; `Markup` is for our own
            drawings only.
    """
    page = _environment().get_template(f"{template}.html.jinja")
    return str(page.render({"command": "", "settings": [], **context}))


@cache
def _environment() -> Any:
    import jinja2
    from markupsafe import Markup

    here = resources.files("pcg.report")
    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        loader=jinja2.FunctionLoader(lambda name: (here / "templates" / name).read_text(encoding="utf-8")),
    )
    # our own files, not text of the run
    for variable, name in (("css", "page.css"), ("script", "page.js")):
        environment.globals[variable] = Markup((here / name).read_text(encoding="utf-8"))
    return environment


def read_run(folder: Path, *needed: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the manifest and the summary of a run that has stopped.

    Args:
        folder: of the run.
        needed: further files that must be there.

    Raises:
        PcgError: when a file is missing or damaged.
    """
    for name in ("run.json", "events.jsonl", "summary.json", *needed):
        if not (folder / name).is_file():
            raise PcgError(f"`{folder}` is not the folder of a finished run: it has no {name}")
    return read_json(folder / "run.json"), read_json(folder / "summary.json")


def read_events(folder: Path, places: Places | None = None) -> Iterator[dict[str, Any]]:
    """Yield the events of a run, one by one: a log can be far larger than memory.

    Args:
        folder: of the run.
        places: gets the place of each event in the log.

    Raises:
        PcgError: when the log is damaged.
    """
    path = folder / "events.jsonl"
    place = 0
    with open(path, "rb") as file:
        for line in file:
            try:
                event: dict[str, Any] = json.loads(line)
            except ValueError as error:
                raise PcgError(f"{path} is damaged: {error}") from None
            if places is not None:
                places.add(place)
            place += len(line)
            yield event


class LoggedEvents(Mapping[int, Mapping[str, Any]]):
    """Events of a run by number, read from its log when they are asked for the first time.

    Args:
        folder: of the run.
        places: of all its events.
    """

    def __init__(self, folder: Path, places: Places) -> None:
        self._path = folder / "events.jsonl"
        self._places = places
        self._known: dict[int, Mapping[str, Any]] = {}

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self)))

    def __contains__(self, number: object) -> bool:
        return number in range(len(self))

    def __getitem__(self, number: int) -> Mapping[str, Any]:
        if number not in self:
            raise KeyError(number)
        if number not in self._known:
            with open(self._path, "rb") as file:
                self._places.find(file, number)
                self._known[number] = json.loads(file.readline())
        return self._known[number]


def plural(count: int, noun: str) -> str:
    """Return a number with its noun.

    >>> plural(1, "level"), plural(1200, "level")
    ('1 level', '1,200 levels')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def value_text(value: Any) -> str:
    """Return a value as people read it: numbers with three significant digits and no exponent.

    >>> value_text(True), value_text(None), value_text(12345), value_text(0.123456), value_text("mcts")
    ('yes', '—', '12,345', '0.123', 'mcts')
    """
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "—"}[value]
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{float(f'{value:.3g}'):,.6g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def stopped_text(reason: str) -> str:
    """Return why a run stopped, in words."""
    words = {"evaluations": "budget spent", "seconds": "time is up", "enough": "enough found"}
    return words.get(reason, reason)


def settings_tables(tables: Mapping[str, Mapping[str, Any]]) -> Settings:
    """Return tables of settings as text, those without entries left out.

    Args:
        tables: by title, values by name.
    """
    return [
        (title, [(name.replace("_", " "), value_text(value)) for name, value in table.items()])
        for title, table in tables.items()
        if table
    ]
