"""Pairs with the avatar's fact, as width 1.5 asks for them: most are never written down.

The first node of a pass that has a fact of the avatar stands for its pairs with all other facts of the node. Of a later
node with the avatar's fact only what the first one lacks is paired, one by one: most states with the avatar in one
place are much alike. A table of tuples has a bound that all pairs count towards; where it could come near, all are
written down.
"""

from __future__ import annotations

from pcg.engine.kernel.runtime import inner, load64, store64
from pcg.evaluators.agents.kernel.decision import decision_at
from pcg.evaluators.agents.kernel.kept_news import WITH_FIRST, news_beside
from pcg.evaluators.agents.kernel.novelty import (
    VALUE_BITS,
    describe,
    entry_of,
    facts_at,
    see_each,
    with_avatar,
)
from pcg.evaluators.agents.kernel.width_tree import address_of, search_at


@inner
def see_all_pairs(decision: int, state: int) -> int:
    """Enter the avatar's pairs with all other facts of a state; 1 when any was new."""
    d = decision_at(decision)
    facts = search_at(d.search).facts
    avatar = describe(facts, d.model, state, d.player)
    f = facts_at(facts)
    return see_each(facts, f.list + 8, f.list + 8 * f.count, with_avatar(avatar))


@inner
def spell_out(decision: int, first: int) -> None:
    """Enter the pairs that a node stands for, which it does no longer."""
    d = decision_at(decision)
    f = facts_at(search_at(d.search).facts)
    at = f.first + 16 * first
    node = load64(at + 8)
    if node >= 0:
        store64(at + 8, -1)
        f.implied = f.implied - f.list_room
        see_all_pairs(decision, address_of(d.search, node))


@inner
def make_sure(decision: int) -> None:
    """Write all pairs down where the bound of the table could otherwise be passed unseen by the next state."""
    f = facts_at(search_at(decision_at(decision).search).facts)
    if f.spelt == 0 and f.used + f.implied + 4 * f.list_room >= f.most:
        f.spelt = 1
        for first in range(f.firsts):
            spell_out(decision, first)


@inner
def see_avatar_pairs(decision: int, node: int, avatar: int) -> int:
    """Enter the avatar's pairs of a node whose single facts have been entered; 1 when any was new."""
    d = decision_at(decision)
    facts = search_at(d.search).facts
    f = facts_at(facts)
    state = address_of(d.search, node)
    entry = entry_of(facts, avatar)
    if entry == 0:  # the table was full before
        return 0
    first = (load64(entry + 8) & ((1 << VALUE_BITS) - 1)) - 1
    if first < 0 and f.spelt == 0:
        store64(f.first + 16 * f.firsts, avatar)
        store64(f.first + 16 * f.firsts + 8, node)
        f.firsts = f.firsts + 1
        f.implied = f.implied + f.list_room
        store64(entry + 8, load64(entry + 8) + f.firsts)
        return 1
    if first >= 0:
        other = load64(f.first + 16 * first + 8)
        if other >= 0 and news_beside(decision, node, other, 0, WITH_FIRST) >= 0:
            return see_each(facts, f.news + 8, f.news + 8 * f.news_count, with_avatar(avatar))
        spell_out(decision, first)
    return see_all_pairs(decision, state)
