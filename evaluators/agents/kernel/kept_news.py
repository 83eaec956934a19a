"""Comparisons of nodes of a width-based search, kept with the nodes for as long as both are there."""

from __future__ import annotations

from pcg.engine.kernel.runtime import inner, load32, load64, store32, store64
from pcg.evaluators.agents.kernel.decision import decision_at
from pcg.evaluators.agents.kernel.novelty import facts_at, find_news
from pcg.evaluators.agents.kernel.width_tree import MOST_NEWS, address_of, search_at

WITH_PARENT, WITH_FIRST = 0, 1
"""Others that a node is compared with: its parent, and the first node with the same fact of the avatar."""


@inner
def news_beside(decision: int, node: int, other: int, later: int, kind: int) -> int:
    """Write the facts of a node that another may lack, as `find_news` does; `kind` is WITH_PARENT or WITH_FIRST."""
    d = decision_at(decision)
    s = search_at(d.search)
    state = address_of(d.search, node)
    if s.chance == 1:
        return find_news(s.facts, d.model, address_of(d.search, other), state, d.player, later)
    f = facts_at(s.facts)
    serial = load64(s.serial + 8 * other)
    compared = s.compared + 16 * node + 8 * kind
    kept = s.news + 4 * (1 + MOST_NEWS) * (2 * node + kind)
    if load64(compared) == serial:
        f.news_count = load32(kept)
        for k in range(load32(kept)):
            store64(f.news + 8 * k, load32(kept + 4 + 4 * k))
        return load64(f.news)
    avatar = find_news(s.facts, d.model, address_of(d.search, other), state, d.player, later)
    if avatar >= 0 and f.news_count <= MOST_NEWS:
        store64(compared, serial)
        store32(kept, f.news_count)
        for k in range(f.news_count):
            store32(kept + 4 + 4 * k, load64(f.news + 8 * k))
    return avatar
