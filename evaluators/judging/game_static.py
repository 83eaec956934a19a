"""Parts of the value of a game, and faults, that can be read off its rules and levels without playing.

They take a few milliseconds, so that a search can judge thousands of games by them; the parts that need plays are in
`games`.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pcg.engine.game import Game
from pcg.engine.vgdl.definition import Level
from pcg.evaluators.judging.game_assignment import Cell, EffectUse, assignment, effect_use
from pcg.evaluators.judging.game_conventions import Conventions, Usage, conventions, usage
from pcg.evaluators.judging.game_kinds import GameKinds, game_kinds
from pcg.evaluators.judging.game_rules import RuleReading

_WEIGHTS = Path(__file__).with_name("game_weights.json")

PartValue = tuple[float, str]
"""A value in [0, 1] and its sentence."""


@dataclass(frozen=True)
class Customs:
    """Counts of what people write: rules, and where they use effects."""

    conventions: Conventions
    uses: EffectUse

    def without(self, game: GameKinds) -> Customs:
        """Return what the other games say, for a game that was counted."""
        return Customs(self.conventions.without(game), self.uses.without(game))


def customs() -> Customs:
    """The counts that come with the toolkit."""
    return Customs(conventions(), effect_use())


@dataclass(frozen=True)
class RuleFindings:
    """Findings about the rules and levels of a game, made without playing."""

    kinds: GameKinds
    reading: RuleReading
    usage: Usage
    uses: EffectUse

    @classmethod
    def of(cls, game: Game, levels: Sequence[Level], known: Customs | None = None) -> RuleFindings:
        """Read a game.

        Args:
            game: with one player.
            levels: read for it.
            known: what people write, by default what comes with the toolkit.
        """
        kinds = game_kinds(game.definition, levels)
        known = known or customs()
        return cls(kinds, RuleReading(kinds, levels), usage(kinds, known.conventions), known.uses)

    def problem(self) -> str:
        """Return the first fault for which no play is needed, "" for none."""
        kinds, reading = self.kinds, self.reading
        analysis = kinds.analysis
        if not analysis.wins:
            return "No termination can be won."
        if not reading.goals:
            return f"Nothing brings about a win: {'; '.join(analysis.how_to_win)}."
        if reading.paid_deaths:
            return f"Dying pays: {line_of(kinds, reading.paid_deaths[0])}."
        if reading.paid_bumps:
            return f"Bumping into things pays: {line_of(kinds, reading.paid_bumps[0])}."
        for thing in (t for t in kinds.present if analysis.has(t, "pushable")):
            for wall in kinds.of("frame"):
                if not analysis.meetings.get((thing, wall)) and not analysis.meetings.get((wall, thing)):
                    return f"Nothing stops {kinds.name(thing)}, which is pushed, at {kinds.name(wall)}."
        only = [e for e in analysis.wins if not set(e.types) & set(reading.scenery)]
        if reading.scenery and not only:
            names = ", ".join(kinds.name(t) for t in reading.scenery)
            return f"The goal counts scenery: {names}."
        return ""

    def part(self, name: str) -> PartValue:
        """Return the value and the sentence of a part.

        Args:
            name: of `STATIC`.
        """
        value, sentence = STATIC[name](self)
        return max(0.0, min(1.0, value)), sentence

    def value(self) -> float:
        """Return the mean of the parts by the weights of the judge, in [0, 1]."""
        weights = fitted_weights()
        total = math.fsum(weights.get(name, 1.0) for name in STATIC)
        return math.fsum(weights.get(name, 1.0) * self.part(name)[0] for name in STATIC) / total


def line_of(kinds: GameKinds, effect: int) -> str:
    """Return the line of an effect as the game has it."""
    lines = kinds.definition.source.splitlines()
    at = kinds.definition.effects[effect].line
    return " ".join(lines[at - 1].split("#")[0].split()) if 0 < at <= len(lines) else ""


def _goal(f: RuleFindings) -> PartValue:
    endings = f.kinds.analysis.endings
    can = [e for e in endings if f.reading.can_happen(e) and not f.reading.at_once(e)]
    share = len(can) / max(1, len(endings))
    blame = 0.5 if f.reading.scenery else 1.0
    text = f"{len(can)} of {len(endings)} terminations can happen"
    names = ", ".join(f.kinds.name(t) for t in f.reading.scenery)
    return share * blame, f"{text}, and they count scenery: {names}." if names else f"{text}."


def _rules(f: RuleFindings) -> PartValue:
    line = f.usage.strangest
    return (f.usage.rules - 0.3) / 0.5, f"The least usual of the rules is {line.text}." if line else "There is no rule."


def assignment_part(f: RuleFindings) -> PartValue:
    """Value and sentence of effects that suit their sprites better than those of the other rules.

    It takes longer than the other parts that need no play, so it is not in `STATIC`.
    """
    found = assignment(f.kinds, f.uses)
    if found.better is None:
        return found.value, "No two rules would be more usual with their effects exchanged."
    one, other = (_rule(f.kinds, cell) for cell in found.better)
    return found.value, f"{one} and {other} would be more usual with their effects exchanged."


def _rule(kinds: GameKinds, cell: Cell) -> str:
    first, second, effect = cell
    partner = kinds.name(second) if second >= 0 else "EOS"
    return f"{kinds.name(first)} {partner} > {kinds.definition.effects[effect].name}"


def _points(f: RuleFindings) -> PartValue:
    paying = f.reading.paying
    return f.usage.points * (1.0 if paying else 0.6), f"{paying} rules raise the score."


def _meetings(f: RuleFindings) -> PartValue:
    if f.usage.silent is None:
        return f.usage.told, "Every meeting that calls for a rule has one."
    one, other = f.usage.silent
    what = (
        f"{f.kinds.name(one)} and {f.kinds.name(other)} meet" if other >= 0 else f"{f.kinds.name(one)} leaves the map"
    )
    return f.usage.told, f"Nothing happens when {what}."


def _purpose(f: RuleFindings) -> PartValue:
    idle = f.reading.aimless
    all_types = max(1, len(f.reading.with_a_part))
    names = ", ".join(f.kinds.name(t) for t in idle[:4])
    return 1.0 - len(idle) / all_types, f"Without a purpose: {names}." if idle else "Every sprite has a purpose."


def _live(f: RuleFindings) -> PartValue:
    idle, number = f.reading.idle_rules, max(1, len(f.kinds.definition.effects))
    text = f"{len(idle)} of {number} rules can do nothing, the first: {line_of(f.kinds, idle[0])}." if idle else ""
    return 1.0 - len(idle) / number, text or "Every rule can do something."


STATIC: Mapping[str, Callable[[RuleFindings], PartValue]] = {
    "goal": _goal, "rules": _rules, "points": _points, "meetings": _meetings, "purpose": _purpose, "live": _live,
}  # fmt: skip
"""The parts that need no play."""


@functools.lru_cache(1)
def fitted_weights() -> Mapping[str, float]:
    """The weights of the parts that come with the toolkit; where they come from is in the file beside this module."""
    if not _WEIGHTS.is_file():
        return {}
    data: Mapping[str, Mapping[str, float]] = json.loads(_WEIGHTS.read_text(encoding="utf-8"))
    return data["weights"]
