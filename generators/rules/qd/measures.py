"""Features of games that an archive is spread over, as users write them: `rules:0..30:10, length:0..200:10,
gap.olets:-1..1:8`.

A feature is read from the rules and from what playing the game has shown, so it costs nothing besides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pcg.engine.vgdl.diagnostics import PcgError, nearest
from pcg.evaluators.agents.registry import AGENTS
from pcg.evaluators.games.behaviour import STATISTICS, effect_names
from pcg.evaluators.judging.concepts import DANGERS, GOALS
from pcg.generators.rules.genes import RuleSet

_WHOLE = {"goal": len(GOALS), "danger": len(DANGERS)}
"""Cells of features that are one of so many things."""
_ITEM = re.compile(
    r"(?P<name>(?:(?!\.\.)[\w.:=-])+?)(?::(?P<low>[^:.]*(?:\.\d+)?)\.\.(?P<high>[^:]+?))?(?::(?P<cells>\d+))?"
)
EFFECT, GAP = "effect.", "gap."
_OF_AGENTS = ("performance", *STATISTICS)


def _profile(verdict: Any) -> Any:
    return getattr(verdict, "profile", ())


def _mean_length(genotype: RuleSet, verdict: Any) -> float:
    played = _profile(verdict)
    return sum(agent.ticks for agent in played) / len(played) if played else 0.0


def _executed(genotype: RuleSet, verdict: Any) -> float:
    found = getattr(verdict, "behaviour", ())
    return float(sum(value > 0 for value in found[: len(effect_names())]))


def _metric(name: str) -> Callable[[RuleSet, Any], float]:
    return lambda genotype, verdict: float(getattr(verdict, "metrics", {}).get(name, 0.0))


@dataclass(frozen=True, slots=True)
class Feature:
    """Something that can be told of every game."""

    help: str
    low: float
    high: float
    value: Callable[[RuleSet, Any], float]
    """From the rules and the verdict."""


FEATURES: Mapping[str, Feature] = {
    "rules": Feature("number of rules", 0, 30, lambda genotype, _: len(genotype.rules)),
    "terminations": Feature("number of terminations", 0, 6, lambda genotype, _: len(genotype.terminations)),
    "kinds": Feature("number of different effects in the rules", 0, 15,
                     lambda genotype, _: len({rule.effect for rule in genotype.rules})),
    "length": Feature("mean length of the plays of all agents, in ticks", 0, 200, _mean_length),
    "executed": Feature("number of different effects executed in somebody's play", 0, 15, _executed),
    "spread": Feature("performance of the strongest agent less that of the weakest", 0, 1, _metric("spread")),
    "order": Feature("how well all agents are in order", 0, 1, _metric("order")),
    "certainty": Feature("how certain the order of the agents is", 0, 1, _metric("certainty")),
    "endings_seen": Feature("share of the terminations by which some play ended", 0, 1, _metric("endings_seen")),
    "most_sprites": Feature("most moving sprites at a time", 0, 100, _metric("most_sprites")),
    "goal": Feature("family of the goal: reach, collect, destroy and so on", 0, len(GOALS), _metric("goal")),
    "danger": Feature("source of danger: chasers, missiles, time and so on", 0, len(DANGERS), _metric("danger")),
    "fitness": Feature("fitness", 0, 1, lambda genotype, verdict: float(verdict.fitness)),
}  # fmt: skip
"""Features by name; besides there are `effect.<name>`, `<agent>.<statistic>` and `gap.<agent>`."""


@dataclass(frozen=True, slots=True)
class GameMeasure:
    """One axis of an archive: a feature, and how its range is cut into cells of equal width; values beyond the range
    count as the outermost cell's.
    """

    name: str
    low: float
    high: float
    cells: int

    def __str__(self) -> str:
        return f"{self.name}:{self.low:g}..{self.high:g}:{self.cells}"

    def of(self, genotype: RuleSet, verdict: Any) -> float:
        """The value of a game; 0 for what its evaluation did not get to."""
        feature = _feature(self.name)
        assert feature is not None
        return float(feature.value(genotype, verdict))


def _feature(name: str) -> Feature | None:
    """A feature by name, also those named after effects and agents."""
    if name in FEATURES:
        return FEATURES[name]
    if name.startswith(EFFECT) and name.removeprefix(EFFECT) in effect_names():
        place = effect_names().index(name.removeprefix(EFFECT))

        def share(genotype: RuleSet, verdict: Any) -> float:
            found = getattr(verdict, "behaviour", ())
            return float(found[place]) if place < len(found) else 0.0

        return Feature("share of the agents whose plays execute an effect", 0, 1, share)
    if name.startswith(GAP) and name.removeprefix(GAP).split(":")[0] in AGENTS:

        def gap(genotype: RuleSet, verdict: Any) -> float:
            played = _profile(verdict)
            place = _place(played, name.removeprefix(GAP))
            return played[place].performance - played[place - 1].performance if place > 0 else 0.0

        return Feature("performance of an agent less that of the one before it in the ladder", -1, 1, gap)
    agent, _, statistic = name.rpartition(".")
    if agent.split(":")[0] in AGENTS and statistic in _OF_AGENTS:

        def told(genotype: RuleSet, verdict: Any) -> float:
            played = _profile(verdict)
            place = _place(played, agent)
            if place < 0:
                return 0.0
            if statistic == "performance":
                return float(played[place].performance)
            at = len(effect_names()) + place * len(STATISTICS) + STATISTICS.index(statistic)
            return float(verdict.behaviour[at])

        return Feature("how the plays of an agent went", 0, 1, told)
    return None


def _place(played: Any, agent: str) -> int:
    """The place of an agent in a profile, -1 when it did not play."""
    return next((k for k, one in enumerate(played) if one.agent == agent), -1)


def parse_game_measures(text: str, cells: int) -> tuple[GameMeasure, ...]:
    """Read measures, separated by commas or blanks, each a name, perhaps `:LOW..HIGH`, perhaps `:CELLS`.

    Args:
        text: such as ``"rules:0..30:10, onestep.wins"``.
        cells: of a measure that does not say.

    Raises:
        PcgError: for what cannot be read, unknown names (with the nearest known one), empty ranges, one measure twice.

    >>> [str(m) for m in parse_game_measures("rules, olets.wins:0..0.5:4", 10)]
    ['rules:0..30:10', 'olets.wins:0..0.5:4']
    """
    made: list[GameMeasure] = []
    for item in text.replace(",", " ").split():
        match = _ITEM.fullmatch(item)
        if match is None:
            raise PcgError(f"measure `{item}` cannot be read, expected NAME, NAME:LOW..HIGH or NAME:LOW..HIGH:CELLS")
        name = match["name"]
        feature = _feature(name)
        if feature is None:
            known = [*FEATURES, *(f"{EFFECT}{e}" for e in effect_names()), *(f"{GAP}{a}" for a in AGENTS)]
            near = nearest(name, [*known, *(f"{a}.{s}" for a in AGENTS for s in _OF_AGENTS)])
            hint = f"did you mean `{near}`?" if near else f"expected one of {', '.join(FEATURES)}, or as in olets.wins"
            raise PcgError(f"unknown measure `{name}`, {hint}")
        try:
            low = float(match["low"]) if match["low"] else feature.low
            high = float(match["high"]) if match["high"] else feature.high
        except ValueError:
            raise PcgError(f"measure `{item}`: the range cannot be read, expected as in {name}:0..10") from None
        number = int(match["cells"] or _WHOLE.get(name, cells))
        if not low < high or not number:
            raise PcgError(f"measure `{item}` is empty, expected a smaller number, `..`, a larger one, and some cells")
        if any(one.name == name for one in made):
            raise PcgError(f"measure `{name}` is there twice")
        made.append(GameMeasure(name, low, high, number))
    if not made:
        raise PcgError("there are no measures, expected as in rules:0..30:10")
    return tuple(made)
