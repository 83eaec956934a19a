"""Guidance of an exploration by the rules: which states to tell apart, and what must come together to win."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pcg.evaluators.agents import Pair
from pcg.evaluators.analysis import GameAnalysis
from pcg.evaluators.effect_semantics import Consequence, first_number
from pcg.evaluators.proving.contacts import Contacts
from pcg.evaluators.proving.exploration import Cells
from pcg.evaluators.proving.way import own_products
from pcg.evaluators.requirements import Requirements

PERIOD = 10
"""Ticks that a place stays the same cell where surviving wins."""
WAIT = 16
"""Ticks that a place stays the same cell where the way has to be waited for."""

_RELEVANT = frozenset({"collectable", "pushable", "gate", "breakable", "resource"})


def cells_of(
    analysis: GameAnalysis, required: Requirements, grain: str = "coarse", contacts: Contacts | None = None
) -> dict[str, Cells]:
    """The ways to tell states of a game apart that explorations use, coarser ones first.

    Args:
        analysis: of the game.
        required: what its levels need.
        grain: of the avatar's place (`exploration.GRAINS`), finer than "coarse" where it can stand between two cells.
        contacts: of the avatar, None where it makes none that last.
    """
    wanted = {t for ending in analysis.wins for t in ending.types}
    relevant = {t for ending in analysis.endings for t in ending.types} | set(analysis.avatars)
    relevant |= {t for t in analysis.concrete if analysis.roles[t] & _RELEVANT}
    for need in required.needs:
        relevant |= {need.base, need.other}
    thrown = own_products(analysis)
    built = {s.product for s in analysis.sources if {s.maker, s.partner} & thrown} - thrown
    counted = tuple(
        t
        for t in analysis.concrete
        if t in built | relevant and (t in wanted | built or "mover" not in analysis.roles[t])
    )
    pushed = analysis.having("pushable")
    changing = {r.victim for r in analysis.removals} | {s.product for s in analysis.sources} | set(analysis.moved)
    placed = tuple(
        t for t in analysis.concrete if t in changing and t not in analysis.avatars and "mover" not in analysis.roles[t]
    )
    found: dict[str, Cells] = {}
    if any(ending.kind == "timeout" for ending in analysis.wins):
        found["time"] = Cells("coarse", (*analysis.avatars, *sorted(built)), period=PERIOD, holdings=False)
    found["coarse"] = Cells("coarse", counted, health=False)
    if Outlasting.of(analysis) is not None:
        found["outlasting"] = Cells("coarse", counted, period=WAIT, health=False)
    if grain != "coarse":
        found["place"] = Cells(grain, counted, health=False)
    if contacts is not None:
        found["contacts"] = Cells(
            "coarse", counted, contacts.placed, contacts.turned, contacts.making, regions=True, health=False
        )
    if analysis.having("mover"):
        found["timed"] = Cells(grain, counted, period=WAIT, health=False)
    if pushed:
        found["pushed"] = Cells(grain, counted, pushed, health=False)
    if set(placed) - set(pushed):
        found["placed"] = Cells(grain, counted, placed, health=False)
    found["free"] = Cells("coarse", counted)
    found["fine"] = Cells("fine", counted, placed)
    found["whole"] = Cells("whole")
    return found


@dataclass(frozen=True)
class Outlasting:
    """Time that passes until what must be gone, and goes only by bringing all of its sprites forth, has run out.

    Args:
        pause: ticks between two of these sprites, the least of all kinds.
        end: ticks from the start until the last of them.
    """

    pause: float
    end: int

    @classmethod
    def of(cls, analysis: GameAnalysis) -> Outlasting | None:
        """Return the time for a game, None where nothing has to be outlasted.

        Args:
            analysis: of the game.
        """
        pauses, ends = [], []
        for ending in analysis.wins:
            for t in ending.types if ending.kind == "vanish" else ():
                ways = [r.partner for r in analysis.removals if r.victim == t]
                if analysis.has(t, "spawner") and ways and all(way is None for way in ways):
                    params = analysis.definition.types[t].params
                    share = params.get("prob", 1.0)
                    share = float(share) if isinstance(share, int | float) and 0 < share <= 1 else 1.0
                    pauses.append(max(1, first_number(params.get("cooldown"), 1)) / share)
                    ends.append(math.ceil(pauses[-1] * first_number(params.get("total"), 0)))
        return cls(min(pauses), max(ends)) if pauses else None


def meetings_to_win(analysis: GameAnalysis) -> tuple[Pair, ...]:
    """Kinds of things that must go and what makes them go, where that is neither the avatar nor what it throws.

    Args:
        analysis: of the game.

    Returns:
        Pairs as `agents.solve` takes them, a tick for every cell.
    """
    own = {*analysis.avatars, *own_products(analysis)}
    found = []
    for ending in analysis.wins:
        for t in ending.types if ending.kind == "vanish" else ():
            partners = {
                r.partner for r in analysis.removals
                if r.victim == t and r.partner is not None and not _only_turns(r.consequence, ending.types)
            }  # fmt: skip
            apart = tuple(sorted(partners - {t}))
            if apart and not partners & own and any(analysis.can_meet(t, p) for p in apart):
                found.append(((t,), apart, 1.0))
    return tuple(found)


def _only_turns(c: Consequence | None, wanted: Sequence[int]) -> bool:
    """Tell whether what happens turns one thing that must go into another one."""
    return c is not None and c.kind == "transform" and bool(c.products) and set(c.products) <= set(wanted)
