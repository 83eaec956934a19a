"""Estimates of the distance to a win, for the solver: weights of numbers and distances of sprites, and pairs to join.

Read from the rules alone; see `agents.solver.solve` for how a search uses it.
"""

from __future__ import annotations

from pcg.evaluators.agents import Pair
from pcg.evaluators.analysis import GameAnalysis
from pcg.evaluators.requirements import Requirements

LATER = 0.45
"""Weight of the distance of something that can only be had after something else, as a share of that one's."""
PER_GOAL = 10.0
"""Ticks that a sprite which must vanish or appear stands for."""
APART = 2.0
"""Ticks that a cell between two things that must be brought together stands for."""


def distance_weights(analysis: GameAnalysis, required: Requirements) -> list[float]:
    """Weights of state features (numbers of each type, distance of the nearest) that tell the solver what winning
    is near.

    Goals weigh ten ticks each and their distance, what must be fetched half of that; distances of what can only be
    had later weigh less, so that the next thing draws more than all that follow. The plans found this
    way are a little longer than the shortest ones, and are found in levels with a hundred times more states.
    """
    weights = [0.0] * (2 * len(analysis.definition.types))
    for ending in analysis.wins:
        for t in ending.types:
            if ending.kind == "vanish":
                weights[2 * t], weights[2 * t + 1] = PER_GOAL, 1.0 * LATER ** required.before.get(t, 0)
            elif ending.kind == "appear":
                for made, steps in _steps_to(analysis, required, t).items():
                    weights[2 * made] = min(weights[2 * made], -PER_GOAL * steps)
    for need in required.needs:
        if analysis.has(need.other, "collectable") and not weights[2 * need.other]:
            later = LATER ** required.before.get(need.other, 0)
            weights[2 * need.other], weights[2 * need.other + 1] = 5.0, 0.5 * later
    return weights


def pairs(analysis: GameAnalysis, required: Requirements) -> tuple[Pair, ...]:
    """Kinds of things, one of which can be pushed, that must meet for what has to appear to come about.

    What comes of a thing that stays where it is will be there as well, so the way to it is known beforehand.
    """
    found: dict[tuple[int, int], None] = {}
    made = [t for ending in analysis.wins if ending.kind == "appear" for t in ending.types]
    parts: dict[int, set[int]] = {t: set() for t in made}
    for product in made:  # grows on the way
        for source in analysis.sources:
            if source.product != product or source.partner is None:
                continue
            pair = (source.maker, source.partner)
            if set(pair) & set(analysis.avatars):
                continue
            if any(analysis.has(t, "pushable") for t in pair):
                found[pair] = None
            parts[product] |= {t for t in pair if not analysis.has(t, "pushable")} or set(pair)
            for t in pair:
                if t not in parts and t not in required.placeable:
                    parts[t] = set()
                    made.append(t)

    def places(t: int) -> tuple[int, ...]:
        known = {t}
        while more := {part for k in known for part in parts.get(k, ())} - known:
            known |= more
        return tuple(sorted(known))

    return tuple((places(first), places(second), APART) for first, second in found)


def _steps_to(analysis: GameAnalysis, required: Requirements, product: int) -> dict[int, int]:
    """Sprites that have to be made on the way to `product`, each with how many things are made for it, itself included.

    What a level can start with is not made. Of several ways the one with the fewest steps counts.
    """
    given = {*required.placeable, *analysis.avatars}
    parts: dict[int, list[list[int]]] = {}
    for source in analysis.sources:
        if source.product not in given:
            needed = {source.maker, source.partner} - {None, source.product}
            parts.setdefault(source.product, []).append(sorted(t for t in needed if t is not None and t not in given))
    steps: dict[int, int] = {}
    best: dict[int, list[int]] = {}
    made = {product, *parts, *(t for ways in parts.values() for way in ways for t in way)}
    for t in made - given - parts.keys():
        steps[t] = 1  # nobody knows how
    changed = True
    while changed:
        changed = False
        for t, ways in parts.items():
            for way in ways:
                if all(part in steps for part in way):
                    total = 1 + sum(steps[part] for part in way)
                    if total < steps.get(t, total + 1):
                        steps[t], best[t], changed = total, way, True
    found: dict[int, int] = {}
    front = [product] if product not in given else []
    for t in front:  # grows on the way
        if t not in found:
            found[t] = steps.get(t, 1)
            front += best.get(t, ())
    return found
