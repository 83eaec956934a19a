"""What the page for generating asks for, as the command that does it.

The studio starts nothing but commands, so a run that it makes is the run that its command makes, byte by byte.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pcg.engine.game import builtin_games
from pcg.evaluators.metrics.registry import AGENTS, METRICS, PLAY, TEXT
from pcg.studio.workspace import Workspace
from pcg.web.guard import Refused, take

PRODUCTS: Mapping[str, tuple[str, str]] = {
    "levels": ("Levels", "levels"),
    "course": ("A course of levels", "course"),
    "rules": ("Rules for a game", "rules"),
    "games": ("Whole games", "games"),
}
"""What can be made: its title, and the end of the name of its run."""
UNITS: Mapping[str, str] = {"evaluations": "tries", "s": "seconds", "m": "minutes"}
"""Units of a budget, as the command line takes them, with their titles."""
MOST_EVALUATIONS, LONGEST_S = 1_000_000, 7 * 24 * 3600
LARGEST: Mapping[str, float] = {"enemies": 12, "collectables": 20, "goals": 10, "loops": 12, "solution_length": 200,
                                "mechanics": 20, "pairs": 20, "walls": 120, "width": 40, "height": 30}  # fmt: skip
"""Ends of the sliders of measures that have no upper bound of their own; others have no slider."""


@dataclass(frozen=True)
class Choice:
    """A choice made on the page, checked.

    Attributes:
        what: one of `PRODUCTS`.
        game: name of a game: one that is written in the workspace, or a built-in one.
        others: games that whole games are made of as well.
        generator: its name; "" for the usual one.
        count: levels or games wanted.
        seed: equal seeds give equal results.
        budget: as in "300evaluations" or "60s".
        wants: what levels are to be like.
        sketch: of a level, or "".
    """

    what: str
    game: str
    others: tuple[str, ...]
    generator: str
    count: int
    seed: int
    budget: str
    wants: str
    sketch: str

    @classmethod
    def read(cls, data: dict[str, Any]) -> Choice:
        """Read the choice that a page sends.

        Raises:
            Refused: for anything missing or out of range.
        """
        what = take(data, "what", str, "levels")
        if what not in PRODUCTS:
            raise Refused(f"`what` is {what[:40]!r}, expected one of {', '.join(PRODUCTS)}")
        others = take(data, "others", list, [], most=20)
        if not all(isinstance(name, str) for name in others):
            raise Refused("`others` holds something that is no name of a game")
        return cls(
            what, take(data, "game", str, most=100), tuple(others), take(data, "generator", str, "", most=60),
            _number(data, "count", 5, 1, 1000), _number(data, "seed", 1, 0, 2**31), _budget(data),
            take(data, "wants", str, "", most=1000) if what in ("levels", "course") else "",
            take(data, "sketch", str, "", most=20_000) if what in ("levels", "course") else "",
        )  # fmt: skip

    def arguments(self, workspace: Workspace, name: str) -> list[str]:
        """Return the arguments of the command; what it reads is kept in the workspace.

        Args:
            workspace: whose folder the command runs in.
            name: of the run.

        Raises:
            Refused: when there is no such game.
        """
        games = [_file_of(workspace, game) for game in (self.game, *self.others)]
        if self.what == "games":
            words = ["games", "evolve", *games]
        else:
            words = [{"course": "levels"}.get(self.what, self.what), games[0]]
        if self.what == "course":
            words.append("--progression")
        if self.generator:
            words += ["--generator", self.generator]
        words += ["--count", str(self.count), "--seed", str(self.seed), "--budget", self.budget]
        if self.wants.strip():
            words += ["--want", self.wants.strip()]
        if self.sketch.strip():
            words += ["--sketch", workspace.sketch(self.sketch).as_posix()]
        return [*words, "--out", name]

    @property
    def run_name(self) -> str:
        """Return the name that its run is to have."""
        return f"{self.game}-{PRODUCTS[self.what][1]}"


def _number(data: dict[str, Any], name: str, default: int, least: int, most: int) -> int:
    value = int(take(data, name, int, default, most=most))
    if value < least:
        raise Refused(f"`{name}` is {value}, expected {least} to {most}")
    return value


def _budget(data: dict[str, Any]) -> str:
    unit = take(data, "unit", str, "evaluations", most=20)
    if unit not in UNITS:
        raise Refused(f"`unit` is {unit!r}, expected one of {', '.join(UNITS)}")
    most = {"evaluations": MOST_EVALUATIONS, "s": LONGEST_S, "m": LONGEST_S // 60}[unit]
    return f"{_number(data, 'budget', 100, 1, most)}{unit}"


def _file_of(workspace: Workspace, game: str) -> str:
    """Return how a command names a game: one that is written here by a copy that will not change."""
    own = workspace.read_game(game)
    if own is not None:
        return workspace.snapshot(game, own["text"], own["levels"]).as_posix()
    if game not in builtin_games():
        raise Refused(f"there is no game {game[:60]!r} here", 404)
    return game


def command_line(arguments: Sequence[str]) -> str:
    """Return a command as one types it.

    >>> command_line(["levels", "boxes", "--want", "enemies=3, loops>=1"])
    "pcg levels boxes --want 'enemies=3, loops>=1'"
    """
    return shlex.join(["pcg", *arguments])


def sliders() -> list[dict[str, Any]]:
    """Return the measures that a want can be about: `name`, `help`, `group`, `low`, `high`, `step` of the slider."""
    found = []
    for metric in METRICS.values():
        high = metric.high if metric.high is not None else LARGEST.get(metric.name)
        if metric.stage not in (TEXT, PLAY, AGENTS) or high is None or metric.name in ("playability", "proof"):
            continue
        low = max(metric.low, 0.0)
        step = 1.0 if metric.whole else 0.05
        found.append({"name": metric.name, "help": metric.help, "group": metric.stage, "low": low, "high": float(high),
                      "step": step, "unit": metric.unit})  # fmt: skip
    return found
