"""Random games over the whole ontology: nothing crashes, hangs, grows, or depends on how the engine keeps its sprites.

`make check` runs this also without the compiler and with bounds checks. tests/fuzz/README.md tells how to look further.
"""

from __future__ import annotations

import gc
import weakref
from collections import Counter

import pytest
from choices import DrawnChoices, SeededChoices
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from plays import begin, check, light, ticks, trace
from random_games import RandomPlay, random_play
from random_texts import mutated_play
from tiers import examples

from pcg.engine import context
from pcg.engine.game import load
from pcg.engine.kernel.runtime import COMPILED
from pcg.engine.vgdl import analysis_flags, ontology, read_game
from pcg.engine.vgdl.diagnostics import VGDLError

# all plays are bounded by what this run can reach
pytestmark = [pytest.mark.kernel, pytest.mark.usefixtures("limits")]

PORTION = 40 if COMPILED else 10
"""Plays of one test; plain Python is a hundred times slower."""
SLOW_TO_DRAW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]


@st.composite
def random_plays(draw) -> RandomPlay:
    return random_play(DrawnChoices(draw), ticks=20, cells=8)


@given(random_plays())
@settings(
    max_examples=examples(2 * PORTION), suppress_health_check=[*SLOW_TO_DRAW, HealthCheck.function_scoped_fixture]
)
def test_drawn_games_keep_their_promises(play):
    check(play)


@pytest.mark.fuzz
@pytest.mark.parametrize("portion", range(4))
def test_seeded_games_keep_their_promises(portion):
    played = 0
    for seed in range(portion * PORTION, (portion + 1) * PORTION):
        last = check(random_play(SeededChoices(seed)))
        played += last is not None and last.tick >= 0
    assert played > PORTION // 2


@pytest.mark.fuzz
def test_mutated_games_keep_their_promises():
    plays = [mutated_play(SeededChoices(seed)) for seed in range(2 * PORTION)]
    played = [state for play in plays if (state := check(play)) is not None]
    assert len(played) > PORTION // 2


@pytest.mark.full
def test_random_games_use_the_whole_ontology():
    used: Counter[str] = Counter()
    refused = 0
    for seed in range(700):
        play = random_play(SeededChoices(seed))
        try:
            game = read_game(play.game, reading="gvgai")
        except VGDLError:
            refused += 1
            continue
        for kind in game.types:
            if kind.class_name:
                used.update([kind.class_name, *(f"{kind.class_name}.{key}" for key in kind.params)])
        for rule in (*game.effects, *game.terminations):
            used.update([rule.name, *(f"{rule.name}.{key}" for key in rule.params)])
        used.update(f"TIME.{key}" for timed in game.time_effects for key in timed.params)
        used.update(list(game.header))
        used[f"players={game.players}"] += 1
        used["EOS"] += len(game.eos_types)
        used["TIME"] += len(game.time_effects)
        used["GameSpace"] += game.class_name == "GameSpace"
        used["singleton"] += any(t.singleton for t in game.types)
        used["deep"] += any(len(t.path) > 2 for t in game.types)
    named = [*ontology.SPRITE_CLASSES, *ontology.EFFECTS, *ontology.TERMINATIONS, *ontology.GAME_PARAMS]
    for table in (ontology.SPRITE_CLASSES, ontology.EFFECTS, ontology.TERMINATIONS):
        named += [f"{name}.{key}" for name, spec in table.items() for key in spec.own]
    named += [f"TIME.{key}" for key in ontology.TIME_EFFECT_PARAMS]
    named += ["players=1", "players=2", "EOS", "TIME", "GameSpace", "singleton", "deep"]
    assert [name for name in named if not used[name]] == []
    assert refused < 70


def all_moving(definition, sprites, effects):
    """The analysis of a game in which everything might move: no sprite is kept in the level, none is left alone."""
    roles = true_role_sets(definition, sprites, effects)
    roles.level = roles.idle = roles.producer = roles.glider = 0
    return roles


true_role_sets = analysis_flags.role_sets


@pytest.mark.fuzz
@pytest.mark.parametrize("way", ["nothing kept in the level", "always by cell", "never by cell"])
def test_how_sprites_are_kept_and_found_changes_nothing(way, monkeypatch):
    plays = [play for seed in range(2 * PORTION) if (play := light(random_play(SeededChoices(seed)))) is not None]
    expected = [trace(play, exact=False) for play in plays]
    if way == "nothing kept in the level":
        monkeypatch.setattr(analysis_flags, "role_sets", all_moving)
    else:
        monkeypatch.setattr(context, "_MANY", 0 if way == "always by cell" else 1 << 20)
    assert [trace(play, exact=False) for play in plays] == expected
    assert len(plays) > PORTION


def test_playing_again_takes_no_more_memory():
    slabs: dict[str, list[int]] = {}
    for seed in range(PORTION // 3):
        play = random_play(SeededChoices(seed))
        state = begin(play)
        if state is None:
            continue
        for _ in range(8):
            copy = state.copy()
            for action in ticks(copy, play):
                copy.advance(action)
            found = slabs.setdefault(play.game, [])
            found.append(sum(len(arena._slabs) for arena in state.context._arenas.values()))
    assert slabs and all(len(set(found)) == 1 for found in slabs.values())


def test_a_game_that_is_gone_leaves_nothing():
    state = begin(random_play(SeededChoices(0)))
    assert state is not None
    state.advance("NIL")
    state.model.pool(3)
    held = weakref.ref(state.context)
    gc.disable()
    try:
        del state
        assert held() is None, "its memory waits for the garbage collector"
    finally:
        gc.enable()


def test_many_levels_of_a_game_are_not_all_kept():
    game = load(random_play(SeededChoices(0)).game, reading="gvgai")
    for width in range(1, 100):
        game.start("." * width + "\n")
    assert len(game._contexts) <= 64
