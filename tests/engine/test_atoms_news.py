"""Facts that a state has and another lacks: no more and no fewer than the lists of all facts say."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from pcg.engine.game import load
from pcg.engine.kernel.atoms import facts_beside, facts_since
from pcg.engine.kernel.runtime import EntryPoint, invoke5, invoke6

pytestmark = pytest.mark.kernel

GAMES = ("boxes", "crossing", "digger", "dungeon", "hunt", "invaders", "lode_runner", "moonbase", "relay", "snakes")
ROOM = 4096


def facts_of(state: Any) -> list[int]:
    record = state.model.record
    out = np.zeros(ROOM, dtype=np.int64)
    count = invoke5(int(record["atoms"]), int(record["game"]), state.address, 0, int(out.ctypes.data), ROOM)
    return out[:count].tolist()


def told_by(entry: EntryPoint, before: Any, state: Any, room: int = ROOM) -> list[int] | None:
    """The facts that an entry point writes; None where it writes none."""
    out = np.zeros(room, dtype=np.int64)
    at = int(out.ctypes.data)
    count = invoke6(entry.address, int(state.model.record["game"]), before.address, state.address, 0, at, room)
    return None if count < 0 else out[:count].tolist()


def plays(name: str, level: int, ticks: int) -> Iterator[Any]:
    """The states of a play at random."""
    draw = random.Random(level)
    state = load(name).start(level, seed=level)
    for _ in range(ticks):
        yield state
        if state.is_over:
            break
        state = state.copy()
        state.advance(draw.choice([*state.actions, "NIL"]))


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("level", [0, 1])
def test_news_are_what_the_facts_of_two_states_differ_by(name: str, level: int) -> None:
    states = list(plays(name, level, 40))
    told = 0
    for before, state in pairwise(states):
        facts, known = facts_of(state), set(facts_of(before))
        news = told_by(facts_since, before, state)
        if news is not None:
            told += 1
            assert news[0] == facts[0]
            assert set(facts) - known <= set(news) <= set(facts)
    assert told > 0
    draw = random.Random(1)
    for _ in range(100):
        before, state = draw.choice(states), draw.choice(states)
        facts, known = facts_of(state), set(facts_of(before))
        news = told_by(facts_beside, before, state)
        if news is not None:
            assert news[0] == facts[0]
            assert set(news[1:]) == set(facts[1:]) - known


def test_nothing_is_told_where_the_facts_do_not_fit() -> None:
    first, second = list(plays("hunt", 0, 2))
    assert told_by(facts_since, first, second, room=8) is None
    assert told_by(facts_beside, second, first, room=8) is None
    assert len(facts_of(first)) > 8


def test_another_avatar_has_facts_of_its_own() -> None:
    game = load(
        """
BasicGame
    SpriteSet
        hero > MovingAvatar color=BLUE
            small > color=BLUE
            large > color=RED
        pill > Immovable color=GREEN
    InteractionSet
        hero wall > stepBack
        small pill > transformTo stype=large
    LevelMapping
        A > small
        p > pill
    TerminationSet
        Timeout limit=50 win=False
""",
        levels=["wwwwww\nwAp  w\nwwwwww"],
    )
    before = game.start()
    state = before.copy()
    state.advance("RIGHT")
    assert facts_of(before)[0] != facts_of(state)[0]
    for first, second in ((before, state), (state, before)):
        news = told_by(facts_beside, first, second)
        assert news is not None and set(news) == set(facts_of(second)) - set(facts_of(first))
    news = told_by(facts_since, before, state)
    assert news is not None and set(facts_of(state)) - set(facts_of(before)) <= set(news) <= set(facts_of(state))
