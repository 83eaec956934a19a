"""Kinds of games, read off their rules: puzzle, chase, shooter, traffic, platform, lock and key, waiting, collecting.

A game can be of several kinds, and is of one at least. Nothing is played, and no name of a game or of a sprite counts:
what moves by itself, what can be pushed, what the avatar brings forth, and which endings win.
"""

from __future__ import annotations

from collections.abc import Mapping

from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.grammar.game_elements import PUSHED, game_elements

KINDS: Mapping[str, str] = {
    "puzzle": "things are to be pushed, or nothing moves but the avatar",
    "chase": "something that moves by itself kills or is to be caught",
    "shooter": "what the avatar brings forth removes what wins or what kills",
    "traffic": "rows of things that travel in one direction are to be crossed",
    "platform": "the avatar falls and jumps",
    "lock and key": "something bars the way until something else opens it",
    "waiting": "time alone can win",
    "collecting": "things that stand still are to be taken",
}
"""The kinds and what they mean."""


def game_kinds(context: LevelContext) -> frozenset[str]:
    """Return the kinds that a game is of.

    >>> import pcg
    >>> sorted(game_kinds(LevelContext.of(pcg.load("boxes"))))
    ['puzzle']
    """
    analysis = context.analysis
    placed = {c for tile in context.objects for c in context.palette.tiles[tile].content}
    moving = {c for c in analysis.concrete if analysis.has(c, "mover")}
    harmful = {c for c in analysis.concrete if analysis.has(c, "harmful")}
    counted = {t for ending in analysis.wins for t in ending.types}
    shot = {s.product for s in analysis.sources if s.maker in analysis.avatars}
    removed_by_shots = {r.victim for r in analysis.removals if r.partner in shot}
    found = set()
    pushed = any(analysis.has(c, "pushable") for c in placed)
    if pushed or not (moving - shot):
        found.add("puzzle")
    if analysis.mobility == "freely" and (moving & (harmful | counted)) - shot:
        found.add("chase")
    if removed_by_shots & (counted | harmful):
        found.add("shooter")
    if context.lanes:
        found.add("traffic")
    if analysis.mobility == "platform":
        found.add("platform")
    if any(key.how != PUSHED for barrier in game_elements(context).barriers for key in barrier.keys):
        found.add("lock and key")
    if any(ending.kind == "timeout" for ending in analysis.wins):
        found.add("waiting")
    if any(analysis.has(t, "collectable") and t not in moving for t in counted):
        found.add("collecting")
    return frozenset(found or {"puzzle"})
