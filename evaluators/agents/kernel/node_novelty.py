"""Novelty of a node: its state's tuples are entered, and what was looked up is kept for the passes to come.

Where chance plays no part, every pass of every decision looks again at nodes that are kept; comparing their states, and
reading them at all, costs more than the search itself.
"""

from __future__ import annotations

from pcg.engine.kernel.protocol import LOST, WON, is_over, outcome, state_key
from pcg.engine.kernel.runtime import inner, load32, load64, store32, store64
from pcg.evaluators.agents.kernel.avatar_pairs import make_sure, see_avatar_pairs
from pcg.evaluators.agents.kernel.decision import decision_at
from pcg.evaluators.agents.kernel.kept_news import WITH_PARENT, news_beside
from pcg.evaluators.agents.kernel.novelty import (
    WIDTH_ALL,
    WIDTH_AVATAR,
    WIDTH_TWO,
    avatar_of,
    describe,
    facts_at,
    note_parent,
    see,
    see_all,
    see_each,
    see_pairs,
)
from pcg.evaluators.agents.kernel.width_tree import (
    LOST_END,
    OTHER_END,
    RUNNING,
    WON_END,
    address_of,
    search_at,
)

_MASK = (1 << 61) - 1


@inner
def note_end(decision: int, node: int) -> int:
    """Note how the game has ended in the state of a node, if it has; returns that."""
    d = decision_at(decision)
    s = search_at(d.search)
    state = address_of(d.search, node)
    end = RUNNING
    if is_over(d.model, state) != 0:
        result = outcome(d.model, state, d.player)
        end = OTHER_END
        if result == WON:
            end = WON_END
        elif result == LOST:
            end = LOST_END
    store32(s.end + 4 * node, end)
    return end


@inner
def place_key(decision: int, state: int) -> int:
    """Return the avatar's position: its fact, or the whole state without an avatar."""
    d = decision_at(decision)
    s = search_at(d.search)
    avatar = avatar_of(s.facts, d.model, state, d.player)
    if avatar > 0:
        return avatar
    return state_key(d.model, state) & _MASK


@inner
def key_of(decision: int, node: int) -> int:
    """Return the key of a node's state."""
    d = decision_at(decision)
    s = search_at(d.search)
    key = load64(s.key + 8 * node)
    if key < 0:
        key = state_key(d.model, address_of(d.search, node)) & _MASK
        store64(s.key + 8 * node, key)
    return key


@inner
def note_place_of(decision: int, node: int, avatar: int) -> None:
    """Note where a node's avatar is, which has this fact: by the whole state without one."""
    s = search_at(decision_at(decision).search)
    if load64(s.place + 8 * node) < 0:
        store64(s.place + 8 * node, avatar if avatar > 0 else key_of(decision, node))


@inner
def is_new(decision: int, node: int) -> int:
    """Enter the tuples of a node's state that the width is about, and note its place; 1 when any was new."""
    d = decision_at(decision)
    s = search_at(d.search)
    f = facts_at(s.facts)
    state = address_of(d.search, node)
    parent = load32(s.parent + 4 * node)
    if s.width == WIDTH_ALL:
        if load64(s.place + 8 * node) < 0:
            note_place_of(decision, node, avatar_of(s.facts, d.model, state, d.player))
        return see(s.facts, key_of(decision, node))
    if f.since == 0:
        avatar = describe(s.facts, d.model, state, d.player)
        note_place_of(decision, node, avatar)
        return see_all(s.facts, s.width)
    avatar = -1
    before = 0
    if s.width == WIDTH_AVATAR:
        make_sure(decision)
    if parent >= 0:
        # a kept root is another state than the one that its children were made of, though it behaves alike
        later = 1 if parent != s.root or s.chance == 1 else 0
        before = address_of(d.search, parent)
        avatar = news_beside(decision, node, parent, later, WITH_PARENT)
    if avatar < 0:  # nothing is known of the parent
        if before != 0 and s.width == WIDTH_TWO:
            describe(s.facts, d.model, before, d.player)
            note_parent(s.facts)
        avatar = describe(s.facts, d.model, state, d.player)
        note_place_of(decision, node, avatar)
        if s.width == WIDTH_TWO:
            return see_all(s.facts, s.width)
        new = see_each(s.facts, f.list, f.list + 8 * f.count, 0)
        if s.width == WIDTH_AVATAR:
            new = new | see_avatar_pairs(decision, node, avatar)
        return new
    note_place_of(decision, node, avatar)
    news = f.news
    if avatar > 0 and avatar == load64(s.place + 8 * parent):
        news += 8
    end = f.news + 8 * f.news_count
    if news == end:
        return 0
    new = see_each(s.facts, news, end, 0)
    if s.width == WIDTH_AVATAR:
        new = new | see_avatar_pairs(decision, node, avatar)
    elif s.width == WIDTH_TWO:
        describe(s.facts, d.model, state, d.player)
        for at in range(news, end, 8):
            new = new | see_pairs(s.facts, load64(at))
    return new
