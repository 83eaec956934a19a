"""Products that nobody sees: what a rule brings about, and what the next one, or the ground, takes away at once.

Rules run in the order in which they are written, and what one of them makes is there for those that follow. So what
appears under an avatar that takes it away is gone before the tick is over; what appears in a wall that destroys it, or
on ground that does, is gone one tick later.
"""

from __future__ import annotations

from pcg.evaluators.analysis import Source
from pcg.evaluators.effect_semantics import FIRST, SECOND, Consequence
from pcg.evaluators.judging.game_kinds import GameKinds

_GONE = ("kill", "transform")


def fleeting(kinds: GameKinds, source: Source) -> bool:
    """Return True where what comes about when two sprites meet is gone at once, by a rule that always applies.

    Args:
        kinds: of the game's sprites.
        source: a way in which something comes about.
    """
    made, partner = source.consequence, source.partner
    if made is None:
        return False
    if not source.consumes_partner and partner is not None:
        stands = not kinds.goes(partner) and kinds.kinds[partner] != "avatar"
        after = -1 if stands and not kinds.analysis.has(partner, "pushable") else made.effect
        if _removed(kinds, source.product, partner, after):
            return True
    return any(_removed(kinds, source.product, t, -1) for t in _under(kinds, source))


def _under(kinds: GameKinds, source: Source) -> set[int]:
    """Return the types that lie in every cell in which the levels have those of two sprites that stand still."""
    there: set[int] | None = None
    standing = {t for t in (source.maker, source.partner) if t is not None} - kinds.analysis.moved
    for level in kinds.levels:
        cells: dict[tuple[int, int], set[int]] = {}
        for t, column, row in level.placements:
            cells.setdefault((column, row), set()).add(t)
        for t in standing:
            for found in (found for found in cells.values() if t in found):
                there = found if there is None else there & found
    return (there or set()) - {source.maker} - ({source.partner} if source.consumes_partner else set())


def _removed(kinds: GameKinds, product: int, other: int, after: int) -> bool:
    """Return True where a rule after another one takes the product away for certain when it meets something."""
    meetings = kinds.analysis.meetings

    def sure(c: Consequence, side: str) -> bool:
        if c.kind not in _GONE or c.target != side or c.holding is not None or c.situational:
            return False
        return c.effect > after and product not in c.products

    return any(sure(c, FIRST) for c in meetings.get((product, other), ())) or any(
        sure(c, SECOND) for c in meetings.get((other, product), ())
    )
