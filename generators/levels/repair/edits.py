"""Edits of a repair, cell by cell and with a reason, as objects, text and JSON; and the removal of needless ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.level_grid import Grid, Mask, Palette, avatar_cells
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.level_builder import LevelBuilder

MOST_TRIMMED = 60
"""With more edits than this, none is taken back to see whether it was needed."""

Judge = Callable[[Grid], Sequence[str]]
"""Tells what is wrong with a level, in sentences; nothing for a sound one."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One changed cell. Rows and columns count from 1."""

    row: int
    column: int
    before: str
    """The character that stood there; "" where the text ended before."""
    after: str
    why: str = ""
    """Fault that would be there without this edit."""

    def __str__(self) -> str:
        before = f"`{self.before}`" if self.before else "nothing"
        reason = f" ({self.why})" if self.why else ""
        return f"row {self.row}, column {self.column}: {before} becomes `{self.after}`{reason}"

    def to_json(self) -> dict[str, Any]:
        """As a JSON object."""
        return {
            "row": self.row, "column": self.column, "before": self.before, "after": self.after, "why": self.why,
        }  # fmt: skip


@dataclass(frozen=True)
class Repaired:
    """A level made sound."""

    level: str
    edits: tuple[Edit, ...]
    method: str
    """Method: "none" (it was sound), "mend", "solver" or "search"."""
    fewest: bool = False
    """True if no repair with less cost exists (proved by the solver, for its constraints)."""

    def __str__(self) -> str:
        count = f"{len(self.edits)} edits" if len(self.edits) != 1 else "1 edit"
        return "\n".join([f"{count}, by {self.method}", *map(str, self.edits)])

    def to_json(self) -> dict[str, Any]:
        """As a JSON object."""
        return {
            "level": self.level, "method": self.method, "fewest": self.fewest,
            "edits": [e.to_json() for e in self.edits],
        }  # fmt: skip


@dataclass(frozen=True)
class Draft:
    """A level text as far as it can be read."""

    text: str
    grid: Grid
    """Its tiles; ground where the text says nothing that can be read."""
    unreadable: Mask
    """Cells whose character is no tile of the game, or is missing."""
    free: Mask
    """Cells left open by a question mark."""

    def characters(self) -> NDArray[np.str_]:
        """The characters as they stand, "" where there is none, shape (rows, columns)."""
        height, width = self.grid.shape
        found = np.full((height, width), "", "<U1")
        for y, row in enumerate(self.text.splitlines()):
            for x, char in enumerate(row[:width]):
                found[y, x] = char
        return found


def read_draft(palette: Palette, text: str) -> Draft:
    """Read a level text in which anything may be wrong. `?` leaves a cell open, unless it is a tile of the game.

    Raises:
        PcgError: for a text without any character.
    """
    rows = text.splitlines()
    width = max((len(row) for row in rows), default=0)
    if not width:
        raise PcgError("the level is empty: expected at least one row of at least one character")
    known = {t.char: i for i, t in enumerate(palette.tiles)}
    grid = np.full((len(rows), width), palette.empty, np.int16)
    unreadable, free = np.ones(grid.shape, bool), np.zeros(grid.shape, bool)
    for y, row in enumerate(rows):
        for x, char in enumerate(row):
            if char in known:
                grid[y, x], unreadable[y, x] = known[char], False
            elif char == "?":
                free[y, x], unreadable[y, x] = True, False
    return Draft("\n".join(rows), grid, unreadable, free)


def edits_of(draft: Draft, palette: Palette, grid: Grid) -> tuple[Edit, ...]:
    """The cells in which a level differs from a draft, in reading order, without reasons."""
    before = draft.characters()
    found = []
    for y, x in np.ndindex(grid.shape):
        after = palette.tiles[int(grid[y, x])].char
        if before[y, x] != after:
            found.append(Edit(y + 1, x + 1, str(before[y, x]), after))
    return tuple(found)


def trimmed(draft: Draft, palette: Palette, grid: Grid, judge: Judge) -> tuple[Grid, tuple[Edit, ...]]:
    """Take back every edit that is not needed, and say of the others what they are for.

    Args:
        draft: the level before.
        palette: of the game.
        grid: a level that `judge` finds nothing wrong with.
        judge: see `Judge`.

    Returns:
        The level with as few of the edits as can be reached by taking them back one by one, and these edits.
    """
    grid = grid.copy()
    edits = edits_of(draft, palette, grid)
    if len(edits) > MOST_TRIMMED:
        return grid, edits
    reasons: dict[tuple[int, int], str] = {}
    for edit in edits:
        cell = edit.row - 1, edit.column - 1
        if draft.unreadable[cell] or draft.free[cell]:
            reasons[cell] = "left open" if draft.free[cell] else "no tile of the game stood there"
            continue
        kept = int(grid[cell])
        grid[cell] = draft.grid[cell]
        wrong = judge(grid)
        if wrong:
            grid[cell] = kept
            reasons[cell] = "; ".join(wrong)
    left = edits_of(draft, palette, grid)
    return grid, tuple(replace(e, why=reasons.get((e.row - 1, e.column - 1), "")) for e in left)


def faults(context: LevelContext, grid: Grid) -> list[str]:
    """Return the faults of a level that can be seen without playing it, in sentences."""
    palette, analysis = context.palette, context.analysis
    found = []
    avatars = len(avatar_cells(palette, grid))
    if avatars != 1:
        found.append(f"{avatars} avatars instead of one")
    found += [f for f in context.requirements.shortfalls(palette.count_types(grid)) if "one avatar per player" not in f]
    builder = LevelBuilder(context, grid)
    open_frame = sum(
        bool(palette.access[tile] > palette.access[grid[cell]] or grid[cell] in palette.grounds)
        for cell, tile in builder.frame_cells().items()
        if grid[cell] != tile and palette.access[tile] == palette.access.max()
    )
    if open_frame:
        found.append("the frame has a hole")
    if avatars == 1 and analysis.mobility == "freely":
        steps = builder.distances()
        lost = [
            palette.tiles[t].char for t in sorted(context.required_tiles) if bool(((grid == t) & (steps < 0)).any())
        ]
        # What lies behind a door is reached once it is open; only the solver follows that.
        behind_gates = bool((palette.access[grid] == 2).any())
        if lost and not behind_gates and not context.has_portals:
            found.append("out of reach: " + ", ".join(f"`{c}`" for c in lost))
    return found
