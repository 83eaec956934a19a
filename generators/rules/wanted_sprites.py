"""Numbers of sprites that levels of a game want beyond what its rules cannot do without.

A level that is drawn by the numbers of other levels often lacks half of the cast: the one monster that the rules are
about, or a second box to push. Here every sprite with a part is there, what has to be gathered comes in numbers, and
who has to stay alive has something to run away from. From level to level there is more of it.
"""

from __future__ import annotations

import dataclasses

from pcg.evaluators.judging.game_rules import RuleReading
from pcg.evaluators.requirements import CountRule
from pcg.generators.levels.context import LevelContext

_SEVERAL = 3
"""Sprites of a goal from which on there have to be several, where the sprites' own levels have as many."""
_STEPS = 3
"""Further sprites of a kind in the hardest levels, at most."""
_SCENERY = ("avatar", "frame", "floor")


def wanted_sprites(context: LevelContext, reading: RuleReading, step: int) -> tuple[CountRule, ...]:
    """Return the least numbers of sprites that a level should have.

    Args:
        context: of levels of the game.
        reading: of its rules, on the levels of the sprites.
        step: 0 for an easy level; the larger, the more there is.
    """
    kinds = reading.kinds
    analysis = kinds.analysis
    more = min(step, _STEPS)
    surviving = any(e.kind == "timeout" for e in analysis.wins)
    counted = {t for e in analysis.wins if e.kind == "vanish" for t in e.types}
    fleeing = {t.id for t in kinds.definition.types if t.class_name == "Fleeing"}
    objects = set(context.objects)
    found = []
    for t in kinds.present:
        tiles = [k for k in context.palette.by_type.get(t, ()) if k in objects]
        if kinds.kinds[t] in _SCENERY or t in reading.aimless or not tiles:
            continue
        own = max((count.get(t, 0) for count in reading.counts), default=0)
        least = 1
        most = None
        if t in counted or analysis.has(t, "goal"):
            moves = analysis.has(t, "mover") and not analysis.has(t, "spawner")
            least = _SEVERAL + more if own >= _SEVERAL or moves else max(1, own)
            if t in fleeing:  # who runs as fast as the player takes long to catch
                least = 1 + more
            most = None if own != 1 or moves else 1  # one place to get to stays one
        if analysis.has(t, "pushable"):
            least = max(least, min(own, 2) + more)
        if surviving and analysis.has(t, "harmful") and not analysis.has(t, "hazard"):
            least = 2 + more
        elif analysis.has(t, "harmful") and analysis.has(t, "mover") and t not in counted:
            least = 1 + more // 2
        found.append(CountRule((t,), least, most, "wanted"))
    return tuple(found)


def with_wanted_sprites(context: LevelContext, reading: RuleReading, step: int) -> LevelContext:
    """Return a context whose levels have the sprites that a game is about; see `wanted_sprites`."""
    rules = wanted_sprites(context, reading, step)
    required = dataclasses.replace(context.requirements, counts=(*context.requirements.counts, *rules))
    return dataclasses.replace(context, requirements=required)
