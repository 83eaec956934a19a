"""States with equal keys behave alike: whatever is played from them leads to states with equal keys again."""

from __future__ import annotations

import random
from typing import Any

import pytest

from pcg.engine.game import load

PUSHED = """
BasicGame
    SpriteSet
        box > Passive color=ORANGE
        slow > Passive cooldown=3 color=RED
        ball > Missile speed=0 color=BLUE
        mark > Immovable color=GREEN
        stored > Passive color=WHITE
        hero > MovingAvatar {hero} color=PINK
    InteractionSet
        hero wall > stepBack
        box hero > bounceForward
        slow hero > bounceForward
        ball hero > bounceForward
        stored hero > bounceForward
        box slow ball stored wall > undoAll
        box mark > transformTo stype=stored {transform}
        {more}
    LevelMapping
        b > box
        s > slow
        m > ball
        o > mark
        A > hero
    TerminationSet
        Timeout limit=500 win=False
"""
YARD = "wwwwwwwww\nwA b   ow\nw  s m  w\nw  b   ow\nwwwwwwwww"


def pushed(hero: str = "", transform: str = "", more: str = "") -> Any:
    return load(PUSHED.format(hero=hero, transform=transform, more=more), levels=[YARD])


def alike(game: Any, plays: int = 12, ticks: int = 120) -> int:
    """Plays at random; compares what follows states with equal keys, and returns how many pairs there were."""
    known: dict[int, Any] = {}
    pairs = 0
    for seed in range(plays):
        draw = random.Random(seed)
        state = game.start()
        for _ in range(ticks):
            if state.is_over:
                break
            key = state.key()
            other = known.setdefault(key, state.copy())
            if other.tick != state.tick:
                pairs += 1
                for action in (*state.actions, "NIL"):
                    here, there = state.copy(), other.copy()
                    here.advance(action)
                    there.advance(action)
                    assert here.key() == there.key(), action
                    assert here.score - state.score == there.score - other.score
                    assert here.is_over == there.is_over
            state.advance(draw.choice([*state.actions, "NIL"]))
    return pairs


@pytest.mark.parametrize("name", ["boxes", "digger"])
def test_equal_keys_mean_equal_futures_in_our_games(name: str) -> None:
    assert alike(load(name), plays=6) > 0


@pytest.mark.parametrize(
    "about",
    [
        {},
        {"hero": "cooldown=3"},
        {"hero": "speed=0.5"},
        {"transform": "forceOrientation=True"},
        {"more": "box wall > reverseDirection"},
        {"more": "box ball > bounceForward"},
        {"more": "slow box > transformTo stype=ball"},
    ],
)
def test_equal_keys_mean_equal_futures_where_things_are_pushed(about: dict[str, str]) -> None:
    # the time matters to a game with a time limit, and no two states of a play would ever be alike
    game = pushed(**about)
    text = game.definition.source.replace("Timeout limit=500 win=False", "SpriteCounter stype=hero limit=0 win=False")
    assert alike(load(text, levels=[YARD])) > 0


@pytest.mark.parametrize(("more", "forgotten"), [("", True), ("box wall > reverseDirection", False)])
def test_which_way_a_box_was_pushed_is_forgotten_when_nothing_asks(more: str, forgotten: bool) -> None:
    text = PUSHED.format(hero="", transform="", more=more)
    text = text.replace("Timeout limit=500 win=False", "SpriteCounter stype=hero limit=0 win=False")
    game = load(text, levels=["wwwwwww\nw     w\nw  A  w\nw  b  w\nw     w\nw     w\nwwwwwww"])
    keys = []
    # the box is pushed down and then right, or right and then down, to the same cell
    for way in ("DOWN LEFT DOWN RIGHT", "LEFT DOWN RIGHT UP RIGHT DOWN LEFT DOWN"):
        state = game.start()
        for action in way.split():
            state.advance(action)
        assert sorted((s.name, s.x, s.y) for s in state.sprites() if s.name in ("box", "hero")) == [
            ("box", 4 * state.block_size, 4 * state.block_size),
            ("hero", 3 * state.block_size, 4 * state.block_size),
        ]
        keys.append(state.key())
    assert (keys[0] == keys[1]) is forgotten
