"""Numbers of objects in a level: drawn from the statistics of the game's own levels, then brought in line with its
rules.

For games without levels of their own the shares of reference/generators 12.3 serve, in the sensible reading (sprites
that come about in play count once, not by a flag that is 0 or 2). Where the objects go is the business of
`object_placement`.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pcg.evaluators.level_grid import GATE
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.level_builder import weighted_choice

MAX_COVER = 0.1
"""Largest share of a level that objects cover in games without levels of their own (reference/generators 12.3)."""

Counts = dict[int, int]
"""Tile -> how many of it."""


def draw_object_scale(rng: np.random.Generator) -> float:
    """Draw the number of objects as a multiple of what is usual: less in four levels of ten.

    The game's own levels were made for people. What agents can win is often a level with a few of each thing.
    """
    return float(rng.uniform(0.1, 0.7)) if rng.random() < 0.4 else 1.0


def draw_counts(context: LevelContext, rng: np.random.Generator, area: int, plenty: float = 1.0) -> Counts:
    """Numbers of object tiles for a level with `area` cells inside its frame; together they keep all requirements.

    Args:
        context: of the game.
        rng: draws.
        area: cells inside the frame.
        plenty: number of objects as a multiple of what is usual for the game.
    """
    draw = _like_own_levels if context.statistics is not None else _by_priority
    return fit_counts(context, rng, draw(context, rng, area, plenty))


def _like_own_levels(context: LevelContext, rng: np.random.Generator, area: int, plenty: float) -> Counts:
    statistics = context.statistics
    assert statistics is not None
    counts: Counts = {}
    for tile in context.objects:
        used = float(statistics.used[tile])
        # A tile the game's levels never show still turns up once in a while.
        if rng.random() >= max(used, 0.1):
            continue
        mean = float(statistics.share[tile]) / used * area if used else 1.0
        drawn = mean * plenty * rng.uniform(0.6, 1.5)
        number = int(drawn) + int(rng.random() < drawn - int(drawn))
        counts[tile] = int(np.clip(number, 1, max(2, round(1.5 * float(statistics.most[tile])))))
    return counts


def _by_priority(context: LevelContext, rng: np.random.Generator, area: int, plenty: float) -> Counts:
    analysis, tiles = context.analysis, context.palette.tiles
    weights, harmful, collectable = [], 0.0, 0.0
    for tile in context.objects:
        content = tiles[tile].content
        busy = sum(any(c in key for c in content) for key in analysis.meetings)
        weight = (busy + 1.0) / (3.0 if any(analysis.has(c, "spawned") for c in content) else 1.0)
        harmful += weight * any(analysis.has(c, "harmful") for c in content)
        collectable += weight * any(analysis.has(c, "collectable") for c in content)
        weights.append(weight)
    cover = MAX_COVER * (collectable + 1) / (harmful + collectable + 1) * rng.uniform(0.8, 1.2) + 0.02
    counts: Counts = {}
    for _ in range(max(1, round(cover * plenty * area))):
        place = weighted_choice(rng, np.array(weights))
        if place is not None:
            tile = context.objects[place]
            counts[tile] = counts.get(tile, 0) + 1
    return counts


def count_sprites(context: LevelContext, counts: Mapping[int, int]) -> dict[int, int]:
    """The sprites that tiles in these numbers create, the avatar included."""
    totals = np.zeros(len(context.definition.types), np.int64)
    for tile, number in counts.items():
        totals += number * context.palette.type_counts[tile]
    if not any(tile in context.palette.avatars for tile in counts):
        totals += context.palette.type_counts[context.palette.avatars[0]]
    return {int(t): int(totals[t]) for t in np.flatnonzero(totals)}


def fit_counts(context: LevelContext, rng: np.random.Generator, counts: Mapping[int, int]) -> Counts:
    """The smallest change of `object_counts` that keeps every count rule and need, as far as objects can, leaves no
    key without a gate and no second exit where all own levels have one, and equal what is equal in these.
    """
    fitted = {tile: number for tile, number in counts.items() if number > 0}
    objects = set(context.objects)
    filler = {} if context.filler is None else {context.filler: round(context.filler_share * 20)}
    for _ in range(8):
        changed = False
        for rule in context.requirements.counts[1:]:
            present = count_sprites(context, fitted | filler)
            number = sum(present.get(t, 0) for t in rule.types)
            choices = [i for t in rule.types for i in context.palette.by_type.get(t, ()) if i in objects]
            while number < rule.minimum and choices:
                room = [i for i in choices if not _too_many(context, i, fitted | filler)]
                tile = _pick(context, rng, room or choices, fitted)
                fitted[tile] = fitted.get(tile, 0) + 1
                number += 1
                changed = True
            while rule.maximum is not None and number > rule.maximum:
                surplus = [i for i in choices if fitted.get(i, 0) > 0]
                if not surplus:
                    break
                tile = surplus[int(rng.integers(len(surplus)))]
                fitted[tile] -= 1
                number -= 1
                changed = True
        for need in context.requirements.all_needs:
            present = count_sprites(context, fitted | filler)
            missing = need.wanted(present.get(need.base, 0)) - present.get(need.other, 0)
            choices = [i for i in context.palette.by_type.get(need.other, ()) if i in objects]
            if missing > 0 and choices:
                fitted[choices[0]] = fitted.get(choices[0], 0) + missing
                changed = True
        if not changed:
            break
    for key in lone_keys(context, count_sprites(context, fitted)):
        for tile in context.palette.by_type.get(key, ()):
            fitted.pop(tile, None)
    fitted = _with_counterparts(context, rng, _with_usual_numbers(context, fitted))
    return {tile: number for tile, number in sorted(fitted.items()) if number > 0}


def _with_usual_numbers(context: LevelContext, counts: Counts) -> Counts:
    """Return numbers that are no larger than in the game's own levels where these have one number
    (`LevelContext.usual_numbers`). What would break a rule is left.
    """
    for tile, number in context.usual_numbers.items():
        if counts.get(tile, 0) > number:
            tried = {**counts, tile: number}
            if _broken(context, tried) <= _broken(context, counts):
                counts = tried
    return counts


def _with_counterparts(context: LevelContext, rng: np.random.Generator, counts: Counts) -> Counts:
    """Return numbers that are equal where those of the game's own levels are (`LevelContext.counterparts`), by taking
    away or else adding; what opens gates goes by these. What would break a rule is left.
    """
    for one, other in context.counterparts:
        numbers = [sum(counts.get(tile, 0) for tile in kind) for kind in (one, other)]
        if numbers[0] == numbers[1]:
            continue
        gates = any(context.palette.access[tile] == GATE for tile in other)
        broken = _broken(context, counts)
        for number in numbers[1:] if gates else sorted(numbers):
            tried = dict(counts)
            for kind in (one, other):
                _bring_to(context, rng, tried, kind, number)
            if _broken(context, tried) <= broken:
                counts = tried
                break
    return counts


def _broken(context: LevelContext, counts: Mapping[int, int]) -> int:
    """Return the number of rules that tiles in these numbers break."""
    return len(context.requirements.shortfalls(count_sprites(context, counts)))


def keeps_counterparts(context: LevelContext, counts: Mapping[int, int]) -> bool:
    """Tell whether tiles in these numbers are equal where those of the game's own levels are."""
    return all(
        sum(counts.get(tile, 0) for tile in one) == sum(counts.get(tile, 0) for tile in other)
        for one, other in context.counterparts
    )


def _bring_to(
    context: LevelContext, rng: np.random.Generator, counts: Counts, kind: frozenset[int], number: int
) -> None:
    """Bring the number of things of a kind to what is wanted, in place."""
    tiles = sorted(kind)
    total = sum(counts.get(tile, 0) for tile in tiles)
    for _ in range(number - total):
        tile = _pick(context, rng, tiles, counts)
        counts[tile] = counts.get(tile, 0) + 1
    for _ in range(total - number):
        present = [tile for tile in tiles for _ in range(counts.get(tile, 0))]
        counts[present[int(rng.integers(len(present)))]] -= 1


def lone_keys(context: LevelContext, present: Mapping[int, int]) -> list[int]:
    """Return the types of keys that have no gate to open among sprites in these numbers, where the game's own levels
    have none of them and no rule asks for one.
    """
    return [
        key
        for key, gates in context.keys.items()
        if present.get(key)
        and not any(present.get(gate) for gate in gates)
        and not any(rule.minimum > 0 and key in rule.types for rule in context.requirements.counts)
    ]


def _too_many(context: LevelContext, tile: int, counts: Mapping[int, int]) -> bool:
    """Return whether one more of a tile breaks the upper bound of a rule that is kept so far."""
    created = context.palette.type_counts[tile]
    bounded = [rule for rule in context.requirements.counts[1:] if rule.maximum is not None and any(
        created[t] for t in rule.types)]  # fmt: skip
    if not bounded:
        return False
    present = count_sprites(context, counts)
    return any(sum(present.get(t, 0) for t in rule.types) >= (rule.maximum or 0) for rule in bounded)


def _pick(context: LevelContext, rng: np.random.Generator, choices: list[int], counts: Mapping[int, int]) -> int:
    """One of `choices`: as often as the game's own levels show it, those already in the level first."""
    weights = np.ones(len(choices))
    if context.statistics is not None:
        weights = context.statistics.share[choices] + 1e-6
    weights = weights * np.array([10.0 if counts.get(i) else 1.0 for i in choices])
    place = weighted_choice(rng, weights)
    return choices[place or 0]
