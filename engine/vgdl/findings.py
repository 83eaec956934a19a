"""Findings of a reading: the same doubt is a warning in `gvgai` and an error in `strict`.

The `gvgai` reading must do what the reference does and may only remark on it; the `strict` reading refuses.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NoReturn, Protocol

from pcg.engine.vgdl.diagnostics import Diagnostic, PcgError, VGDLError, nearest

READINGS = ("strict", "gvgai")
MAX_FINDINGS = 100
"""Most errors, and most warnings, that are reported of one text."""


class Placed(Protocol):
    """Anything with a line and a column: words, options, lines, remarks."""

    @property
    def line(self) -> int: ...

    @property
    def column(self) -> int: ...


def check_reading(reading: str) -> str:
    """`reading` if it is one, else PcgError."""
    if reading in READINGS:
        return reading
    hint = nearest(reading, READINGS)
    raise PcgError(
        f"unknown reading `{reading}`, expected strict or gvgai" + (f"; did you mean `{hint}`?" if hint else "")
    )


class Findings:
    """Diagnostics of one text in one reading."""

    def __init__(self, reading: str, file: str, lines: list[str]) -> None:
        self.strict = check_reading(reading) == "strict"
        self.file = file
        self.lines = lines
        self.items: list[Diagnostic] = []
        self.meant: set[str] = set()
        """Sprites and sets that a line means to define and, by a mistake that is reported, does not."""
        self._seen: set[tuple[int, int, str]] = set()
        self._count = {"error": 0, "warning": 0}

    @property
    def full(self) -> bool:
        """No further doubt will be kept, so it need not be put into words."""
        return self._count["error" if self.strict else "warning"] >= MAX_FINDINGS

    def _place(self, at: Placed | None) -> tuple[int, int]:
        """Line and column that a finding names, from 1; 0 for none."""
        return (at.line, at.column) if at is not None else (0, 0)

    def _add(
        self,
        severity: str,
        message: str,
        at: Placed | None,
        rule: str,
        expected: str,
        known: Iterable[str],
        name: str,
        lost: bool = False,
    ) -> None:
        line, column = self._place(at)
        key = (line, column, message)
        if key in self._seen or self._count[severity] >= MAX_FINDINGS:
            return
        self._seen.add(key)
        self._count[severity] += 1
        shown = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        suggestion = nearest(name, known) if name else ""
        cited = "" if self.strict else rule
        self.items.append(
            Diagnostic(severity, message, self.file, line, column, shown, expected, suggestion, cited, name, lost)
        )

    def again(self, item: Diagnostic, line: int, column: int, shown: str) -> None:
        """A finding of an earlier reading, in the place it has in this text."""
        key = (line, column, item.message)
        if key in self._seen or self._count[item.severity] >= MAX_FINDINGS:
            return
        self._seen.add(key)
        self._count[item.severity] += 1
        self.items.append(replace(item, file=self.file, line=line, column=column, source_line=shown))

    def error(
        self,
        message: str,
        at: Placed | None = None,
        rule: str = "",
        *,
        expected: str = "",
        known: Iterable[str] = (),
        name: str = "",
    ) -> None:
        """Something neither reading accepts. `name` is the wrong name, `known` the right ones."""
        self._add("error", message, at, rule, expected, known, name)

    def warning(self, message: str, at: Placed | None = None, rule: str = "") -> None:
        """Something both readings accept."""
        self._add("warning", message, at, rule, "", (), "")

    def doubt(
        self,
        message: str,
        at: Placed | None = None,
        rule: str = "",
        *,
        so: str = "",
        expected: str = "",
        known: Iterable[str] = (),
        name: str = "",
        lost: bool = False,
    ) -> None:
        """An error in the strict reading, else a warning.

        `so` says what the reference makes of it; `lost` that it leaves out what the author surely meant.
        """
        if self.strict:
            self._add("error", message, at, rule, expected, known, name)
        else:
            self._add("warning", f"{message}; {so}" if so else message, at, rule, expected, known, name, lost)

    def strict_error(self, message: str, at: Placed | None = None, *, expected: str = "") -> None:
        """Something only the strict reading objects to."""
        if self.strict:
            self._add("error", message, at, "", expected, (), "")

    def crash(
        self,
        message: str,
        at: Placed | None = None,
        rule: str = "",
        *,
        expected: str = "",
        known: Iterable[str] = (),
        name: str = "",
    ) -> NoReturn:
        """Something that stops the reference itself: raises VGDLError with all errors so far."""
        self._count["error"] = 0  # the last word must not be lost among many
        self.error(message, at, rule, expected=expected, known=known, name=name)
        self.raise_errors()
        # it only follows from a mistake that is a warning in this reading, and so is not among what is shown
        raise VGDLError([item for item in self.items if item.severity == "error"])

    def raise_errors(self) -> None:
        """Raises VGDLError when there are errors, in file order."""
        errors = [item for item in self.sorted() if item.severity == "error"]
        if errors:
            raise VGDLError(errors)

    def sorted(self) -> tuple[Diagnostic, ...]:
        """Everything but what only follows from a mistake that is reported where it stands, in file order."""
        shown = [item for item in self.items if item.name not in self.meant or not item.message.startswith("unknown")]
        return tuple(sorted(shown, key=lambda d: (d.line, d.column)))

    @staticmethod
    def renamed(items: Iterable[Diagnostic], file: str) -> tuple[Diagnostic, ...]:
        """The same findings under another file name."""
        return tuple(replace(item, file=file) for item in items)
