"""Effects where people put them: how much more usual the rules of a game would be with their effects dealt otherwise.

A game whose effects are dealt out wrongly has every effect and every pair of sprites that it should have, so counts of
single rules (`game_conventions`) say little about it. This compares a game with itself: what people write for such
sprites, class by class and by what is won and lost with them, is counted in games that people made, and of all ways to
deal the effects of the game to its pairs of sprites the most usual one is found (Kuhn: The Hungarian Method for the
Assignment Problem, 1955). It knows nothing of names or of numbers. That counts of human games can tell how natural a
rule is follows GAVEL (Todd, Padula, Stephenson, Piette, Soemers, Togelius: GAVEL, Generating Games via Evolution and
Language Models, 2024).
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pcg.engine.vgdl.definition import GameDefinition
from pcg.evaluators.effect_semantics import first_number, type_ids
from pcg.evaluators.judging.game_conventions import FEW
from pcg.evaluators.judging.game_kinds import EDGE, GameKinds

VIEWS: Mapping[str, str] = {
    "first": "effects on a kind of sprite",
    "classes": "effects between two classes of sprites",
    "relation": "effects of a kind of sprite on its own type, its family, its siblings, or others",
    "role": "effects of sprites that a termination counts, or does not count",
    "points": "points for an effect on sprites that a termination counts, or does not count",
    "points of": "the same by the other sprite",
    "kin": "whether what an effect names is of the family of one of the two",
    "product": "kinds that an effect on such a sprite names",
    "alike": "effects that siblings have as well",
}
"""Views of an effect on two sprites; all but the last are counted in games that people made."""

Seen = tuple[str, tuple[str, ...], str]
"""A view, its context, and what is seen there."""
Cell = tuple[int, int, int]
"""The types of a rule, the second -1 for the edge, and the index of its effect."""

_FILE = Path(__file__).with_name("game_assignment.json")
_PRIOR, _UNSEEN = 2.0, 0.5
"""Games that count for what holds whatever the context, and for what nobody has written."""


def cells(kinds: GameKinds) -> list[Cell]:
    """Return the rules of a game, one for each pair of types and effect, without those of timers."""
    definition = kinds.definition
    found = [(pair.first, pair.second, e) for pair in definition.pairs for e in dict.fromkeys(pair.effects)]
    return found + [(t, -1, e) for t, listed in definition.eos_effects.items() for e in dict.fromkeys(listed)]


def _parent(definition: GameDefinition, t: int) -> int:
    path = definition.types[t].path
    return path[-2] if len(path) > 1 else -1


def _siblings(definition: GameDefinition, one: int, other: int) -> bool:
    return one != other and _parent(definition, one) == _parent(definition, other) >= 0


def _relation(definition: GameDefinition, one: int, other: int) -> str:
    """Kinship of two types: same, family, sibling or other; edge for no type."""
    if other < 0:
        return EDGE
    if one == other:
        return "same"
    if one in definition.types[other].path or other in definition.types[one].path:
        return "family"
    return "sibling" if _siblings(definition, one, other) else "other"


def _kind(kinds: GameKinds, t: int) -> str:
    return EDGE if t < 0 else kinds.kinds[t]


def _class_name(kinds: GameKinds, t: int) -> str:
    return EDGE if t < 0 else kinds.definition.types[t].class_name or kinds.kinds[t]


def _roles(kinds: GameKinds) -> dict[int, str]:
    """The kind of each type, and whether a termination that wins or loses counts such sprites."""
    analysis, found = kinds.analysis, {-1: EDGE}
    for t, sprite in enumerate(kinds.definition.types):
        below, kind = set(sprite.subtypes), kinds.kinds[t]
        won = any(below & set(e.types) for e in analysis.wins)
        lost = kind != "avatar" and any(below & set(e.types) for e in analysis.losses)
        found[t] = kind + " won" * won + " lost" * lost
    return found


def _views(kinds: GameKinds, cell: Cell, roles: Mapping[int, str]) -> Iterator[Seen]:
    """Views of an effect on two types."""
    definition = kinds.definition
    first, second, index = cell
    effect = definition.effects[index]
    name, kind = effect.name, _kind(kinds, first)
    points = first_number(effect.params.get("scoreChange"), 0)
    sign = "more" if points > 0 else "less" if points < 0 else "none"
    yield "first", (kind,), name
    yield "classes", (_class_name(kinds, first), _class_name(kinds, second)), name
    yield "relation", (_relation(definition, first, second), _kind(kinds, second)), name
    yield "role", (kind, roles[second]), name
    yield "points", (name, roles[first]), sign
    yield "points of", (name, roles[second]), sign
    for key, value in effect.params.items():
        if key == "scoreChange" or not (named := type_ids(definition, value)):
            continue
        kin = f"{_relation(definition, first, named[0])} {_relation(definition, named[0], second)}"
        yield "kin", (name,), kin
        yield "product", (name, roles[first]), _kind(kinds, named[0])


def _seen(kinds: GameKinds) -> set[Seen]:
    roles = _roles(kinds)
    return {seen for cell in cells(kinds) for seen in _views(kinds, cell, roles)}


@dataclass
class EffectUse:
    """Counts of where people use effects.

    Attributes:
        games: how many games were counted.
        seen: how many of them show this.
        weights: of the views, by name.
    """

    games: int = 0
    seen: Mapping[Seen, int] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=lambda: dict.fromkeys(VIEWS, 0.5))

    def __post_init__(self) -> None:
        self._contexts: Counter[tuple[str, tuple[str, ...]]] = Counter()
        self._wider: Counter[Seen] = Counter()
        for (view, context, what), number in self.seen.items():
            self._contexts[view, context] += number
            self._wider[view, _wider(view, context), what] += number
        self._wider_sums: Counter[tuple[str, tuple[str, ...]]] = Counter()
        self._outcomes: Counter[tuple[str, tuple[str, ...]]] = Counter()
        for (view, context, _), number in self._wider.items():
            self._wider_sums[view, context] += number
            self._outcomes[view, context] += 1
        self._known: dict[Seen, float] = {}

    def likelihood(self, seen: Seen) -> float:
        """Return the logarithm of the share of what is seen in a context, drawn to the share in any."""
        found = self._known.get(seen)
        if found is None:
            view, context, what = seen
            wide = view, _wider(view, context)
            share = (self._wider[*wide, what] + _UNSEEN) / (
                self._wider_sums[wide] + _UNSEEN * (self._outcomes[wide] + 1)
            )
            found = math.log(
                (self.seen.get(seen, 0) + _PRIOR * share) / (self._contexts[view, context] + _PRIOR)
            )  # fmt: skip
            self._known[seen] = found
        return found

    def without(self, game: GameKinds) -> EffectUse:
        """Return the counts without a game that was counted, so that it can be judged by the others."""
        own = _seen(game)
        seen = {key: number - (key in own) for key, number in self.seen.items()}
        return EffectUse(self.games - 1, {key: number for key, number in seen.items() if number > 0}, self.weights)

    def to_json(self) -> dict[str, object]:
        """As a JSON object."""
        rows = sorted([view, *context, what, number] for (view, context, what), number in self.seen.items())
        return {"games": self.games, "weights": dict(self.weights), "seen": rows}

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> EffectUse:
        """The inverse of `to_json`."""
        rows: list[list[str]] = data["seen"]  # type: ignore[assignment]
        seen = {(view, tuple(context), what): int(number) for view, *context, what, number in rows}
        return cls(data["games"], seen, data["weights"])  # type: ignore[arg-type]


def _wider(view: str, context: tuple[str, ...]) -> tuple[str, ...]:
    """The context whose share is taken where a context has not been seen."""
    return context[:1] if view in ("points", "points of", "product") else ()


def count_uses(games: Iterable[GameKinds]) -> EffectUse:
    """Count where effects are used in games that people made; a game counts each use once."""
    seen: Counter[Seen] = Counter()
    number = 0
    for kinds in games:
        number += 1
        seen.update(_seen(kinds))
    return EffectUse(number, seen)


@lru_cache(1)
def effect_use() -> EffectUse:
    """The counts that come with the toolkit; their provenance is in the file beside this module."""
    if not _FILE.is_file():
        return EffectUse()
    return EffectUse.from_json(json.loads(_FILE.read_text(encoding="utf-8")))


def assignment_views(kinds: GameKinds, known: EffectUse) -> NDArray[np.float64]:
    """Return how well each rule's effect suits each rule's sprites, view by view.

    Returns:
        logarithms of shape (views, rules, rules): of the sprites of one with the effect of the other.
    """
    listed, roles, definition = cells(kinds), _roles(kinds), kinds.definition
    order = {view: k for k, view in enumerate(VIEWS)}
    number = len(listed)
    found = np.zeros((len(VIEWS), number, number))
    made: dict[Cell, list[float]] = {}
    for i, (first, second, _) in enumerate(listed):
        for j, (_, _, effect) in enumerate(listed):
            cell = first, second, effect
            if cell not in made:
                sums = made[cell] = [0.0] * len(VIEWS)
                for seen in _views(kinds, cell, roles):
                    sums[order[seen[0]]] += known.likelihood(seen)
            found[:, i, j] = made[cell]
    if number:
        found[order["alike"]] = _alike(definition, listed)
    return found


def _alike(definition: GameDefinition, listed: list[Cell]) -> NDArray[np.float64]:
    """Logarithms of how much likelier an effect is where siblings have it, of the other rules, not of the two."""
    effects = [definition.effects[e] for *_, e in listed]
    named = [(e.name, first_number(e.params.get("scoreChange"), 0) != 0) for e in effects]
    same = np.array([[one == other for other in named] for one in named], dtype=float)

    def near(one: int, other: int) -> bool:
        return one == other or (one >= 0 and other >= 0 and _siblings(definition, one, other))

    related = np.array(
        [[p[:2] != q[:2] and near(p[0], q[0]) and near(p[1], q[1]) for q in listed] for p in listed], dtype=float
    )
    share = same.mean(axis=0)
    others = related.sum(axis=1, keepdims=True) - related
    found: NDArray[np.float64] = np.log((related @ same - related + share) / (others + 1.0) / share)
    return found


def exchange_margins(views: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return what each two rules lose by exchanging their effects, view by view.

    Args:
        views: of `assignment_views`.

    Returns:
        differences of shape (pairs, views), of pairs that differ in anything, and the two rules of each.
    """
    as_is = np.einsum("vii->vi", views)
    lost = as_is[:, :, None] + as_is[:, None, :] - views - views.transpose(0, 2, 1)
    one, other = np.triu_indices(views.shape[1], 1)
    margins = lost[:, one, other].T
    differ = np.abs(margins).sum(axis=1) > 1e-9
    return margins[differ], np.column_stack([one, other])[differ]


@dataclass(frozen=True)
class Assignment:
    """Likeness of a game's rules to those that people write, against the same rules with their effects dealt anew.

    Attributes:
        value: in [0, 1), near 1 where no other assignment of the effects to the pairs of sprites would be more usual;
            less in a game of few rules, which leave little to assign.
        better: the two rules that would gain most by exchanging their effects, None where no two would.
    """

    value: float
    better: tuple[Cell, Cell] | None


def assignment(kinds: GameKinds, known: EffectUse) -> Assignment:
    """Compare the rules of a game with the most usual assignment of their effects, by the Hungarian method."""
    from scipy.optimize import linear_sum_assignment  # a tenth of the memory of a run, and levels need none of it

    views = assignment_views(kinds, known)
    weights = np.array([known.weights.get(view, 0.0) for view in VIEWS])
    suits = np.tensordot(weights, views, 1)
    number = len(suits)
    if not number:
        return Assignment(0.0, None)
    best = suits[linear_sum_assignment(suits, maximize=True)].sum() - np.trace(suits)
    margins, pairs = exchange_margins(views)
    lost = margins @ weights
    better = None
    if len(pairs) and lost.min() < 0.0:
        listed = cells(kinds)
        one, other = pairs[int(np.argmin(lost))]
        better = listed[one], listed[other]
    return Assignment(math.exp(-max(0.0, float(best)) / number) * number / (number + FEW), better)
