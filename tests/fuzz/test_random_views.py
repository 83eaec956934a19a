"""Random games as pictures and as environments: whatever the rules make of the sprites, they can be observed."""

from __future__ import annotations

import numpy as np
import pytest
from choices import SeededChoices
from plays import begin, light, ticks
from random_games import RandomPlay, random_play

from pcg.engine.context import Context
from pcg.engine.envs.pictures import Pictures
from pcg.engine.game import Game, load
from pcg.engine.kernel.runtime import COMPILED
from pcg.envs import TileRenderer, vector_env
from pcg.render import rgb_array

# all plays are bounded by what this run can reach
pytestmark = [pytest.mark.kernel, pytest.mark.usefixtures("limits")]

PORTION = 30 if COMPILED else 4


def some_plays(first: int) -> list[RandomPlay]:
    """Plays that stay small, of games for one player."""
    found = (light(random_play(SeededChoices(seed), ticks=8)) for seed in range(first, first + PORTION))
    return [play for play in found if play is not None and load(play.game, reading="gvgai").players == 1]


def painted(game: Game, context: Context, state) -> np.ndarray:
    """The picture that environments give."""
    return Pictures([context], TileRenderer().stamps(game, 4), 4).paint(state)


def test_compiled_pictures_are_those_of_the_renderer():
    for play in some_plays(300):
        state = begin(play)
        for action in ticks(state, play):
            state.advance(action)
        picture = painted(state.game, state.context, state)
        assert picture.shape == (4 * state.height, 4 * state.width, 3)
        assert np.array_equal(picture, rgb_array(state, tile=4))


@pytest.mark.parametrize("observation", ["planes", "entities", "rgb"])
def test_environments_of_random_games_observe_what_their_spaces_say(observation):
    for play in some_plays(400):
        game = load(play.game, [play.level], reading="gvgai")
        env = vector_env(game, 3, observation=observation, **({"tile": 4} if observation == "rgb" else {}))
        seen, _ = env.reset(seed=play.seed)
        assert env.observation_space.contains(seen)
        count = env.single_action_space.n
        for one, two in play.actions:
            seen, rewards, *_ = env.step(np.array([one % count, two % count, (one + 1) % count]))
            assert env.observation_space.contains(seen)
            assert np.isfinite(rewards).all()
        env.close()


@pytest.mark.parametrize("size", ["1000", "1e9", "Infinity", "-1", "NaN", "0.001"])
def test_giants_and_dwarfs_are_drawn(size):
    text = (
        "BasicGame square_size=10\n    SpriteSet\n        floor > Immovable\n"
        f"        cloud > Missile orientation=LEFT wMult={size} hMult={size}\n        hero > MovingAvatar\n"
        "    LevelMapping\n        A > hero floor\n        . > floor\n        c > cloud\n"
        "    InteractionSet\n        cloud EOS > wrapAround\n"
    )
    state = load(text, ["....\n.c..\n..A."]).start()
    state.advance("NIL")
    picture = painted(state.game, state.context, state)
    assert np.array_equal(picture, rgb_array(state, tile=4))
