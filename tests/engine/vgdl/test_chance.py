"""Chance is found per level: by the sprites that are there, and those that can come to be."""

from __future__ import annotations

import pytest

from pcg.engine.game import load
from pcg.engine.vgdl.chance import level_draws, possible_types
from pcg.engine.vgdl.facts import SpriteFacts, facts_of_effects, set_of
from pcg.evaluators.agents import solve

TEXT = """
BasicGame no_players=1
    SpriteSet
        ghost > RandomNPC color=WHITE
        egg > Immovable color=YELLOW
        nest > SpawnPoint stype=bee prob=1 total=1 color=BROWN
        hive > SpawnPoint stype=bee prob=0.5 color=GOLD
        bee > Missile orientation=LEFT speed=1 color=ORANGE
        warm > Immovable color=RED
        cold > Immovable color=BLUE
        ice > Immovable color=GRAY
        flower > Immovable color=GREEN
        hero > MovingAvatar color=PINK
    InteractionSet
        hero wall > stepBack
        egg warm > transformTo stype=ghost
        ice hero > spawn stype=ghost prob=0
        hero cold > flipDirection
        bee EOS > transformTo stype=ghost
        flower hero > killSprite scoreChange=1
    LevelMapping
        g > ghost
        e > egg
        n > nest
        h > hive
        b > bee
        r > warm
        c > cold
        i > ice
        f > flower
        A > hero
    TerminationSet
        SpriteCounter stype=flower limit=0 win=True
"""


def stochastic(sprites: str) -> bool:
    row = f"wA{sprites}fw"
    wall = "w" * len(row)
    return load(TEXT, levels=[f"{wall}\n{row}\n{wall}"]).start().model.stochastic


@pytest.mark.parametrize(
    ("sprites", "chance"),
    [
        ("", False),
        ("g", True),  # draws itself
        ("e", False),  # would become a ghost, of something that is not there
        ("er", True),  # and that is there
        ("r", False),
        ("c", True),  # an effect that draws
        ("i", True),
        ("h", True),  # draws whether to spawn
        ("n", True),  # certain to spawn, but its bee becomes a ghost at the edge of the screen
        ("b", True),
    ],
)
def test_a_level_is_a_game_of_chance_when_something_can_come_to_draw(sprites: str, chance: bool) -> None:
    assert stochastic(sprites) is chance


def test_what_can_be_there_follows_every_way_of_coming_into_being() -> None:
    definition = load(TEXT, levels=["wAw"]).definition
    index = definition.type_index

    def names(*placed: str) -> set[str]:
        return {definition.types[t].name for t in possible_types(definition, [index[n] for n in placed])}

    assert names("hero") == {"hero"}
    assert names("hero", "nest") == {"hero", "nest", "bee", "ghost"}
    assert names("egg", "warm") == {"egg", "warm", "ghost"}
    assert names("egg", "ice", "hero") == {"egg", "ice", "hero", "ghost"}
    sprites = SpriteFacts(definition)
    placed = set_of([index["hero"], index["egg"]])
    assert not level_draws(definition, sprites, facts_of_effects(sprites, definition), placed)


def test_a_level_without_chance_can_be_solved_in_a_game_with_it() -> None:
    game = load(TEXT, levels=["wwwwwww\nwA  efw\nwwwwwww", "wwwwwww\nwA  gfw\nwwwwwww"])
    solution = solve(game.start(0))
    assert (solution.status, len(solution.actions)) == ("solved", 4)
    assert solve(game.start(1)).status == "stochastic"


@pytest.mark.parametrize("name", ["crossing", "digger"])
def test_equal_plays_of_such_levels_do_not_depend_on_the_seed(name: str) -> None:
    game = load(name)
    assert not game.start(0).model.stochastic
    states = [game.start(0, seed=s) for s in (1, 2)]
    for k in range(60):
        for state in states:
            actions = state.actions
            if actions:
                state.advance(actions[k * 7 % len(actions)])
        assert states[0].key() == states[1].key()
