"""Mutated games and levels: whatever the text, the outcome is a game or a VGDLError, in both readings.

2,400 cases in a normal run. `HYPOTHESIS_PROFILE=explore` looks at other ones.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import TypeVar

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tiers import examples

from pcg.engine.vgdl import (
    GameDefinition,
    Level,
    VGDLError,
    check_game,
    check_level,
    dumps,
    loads,
    ontology,
    read_game,
    read_level,
)

Read = TypeVar("Read", GameDefinition, Level)

# What is put into texts: everything with a meaning, near misses, and what no reader expects.
WORDS = [
    *list(ontology.SPRITE_CLASSES)[::4], *list(ontology.EFFECTS)[::3], *ontology.TERMINATIONS,
    "BasicGame", "GameSpace", "SpriteSet", "InteractionSet", "TerminationSet", "LevelMapping", "ParameterSet",
    "spriteset", "EOS", "TIME", "eos", "wall", "avatar", "ghost", ">", ">>", "=", "x=", "=x", "a==b", "#", "##",
    "stype=wall", "stype=ghost", "stype=wall,avatar", "speed=-1", "speed=NaN", "cooldown=2.5", "limit=99999999999",
    "repeat=1000000", "repeat=-1", "repeating=True", "timer=0", "ftype=addTimer", "ftype=killAll", "no_players=2",
    "no_players=9", "no_counters=-1", "square_size=0", "square_size=99999", "obs=wall", "singleton=true", "win=1",
    "scoreChange=a,b", "counter=1,1", "values=1:1:3", "values=3:0:1", "orientation=UP", "color=RED", "é", "\u2028", "١",
]  # fmt: skip
CHARACTERS = ["\t", " ", "\n", "\r", "\r\n", "\x00", "\x0b", "\x85", "\u00a0", "\ufeff", "#", "=", ">", "A", ".", "ÿ"]


def mutated(text: str, rng: random.Random, changes: int) -> str:
    """`text` after some random edits of characters, words and lines."""
    for _ in range(changes):
        kind = rng.randrange(8)
        lines = text.split("\n")
        at = rng.randrange(len(lines))
        if kind == 0:  # a character
            i = rng.randrange(len(text) + 1)
            text = text[:i] + rng.choice(CHARACTERS) + text[i + rng.randrange(2) :]
        elif kind == 1:  # a cut
            i = rng.randrange(len(text) + 1)
            text = text[:i] + text[i + rng.randrange(40) :]
        elif kind in (2, 3):  # a word
            parts = re.split(r"(\s+)", text)
            parts[rng.randrange(len(parts))] = rng.choice(WORDS)
            text = "".join(parts)
        elif kind == 4:  # a line moved or copied
            lines.insert(rng.randrange(len(lines) + 1), lines[at] if rng.random() < 0.5 else lines.pop(at))
            text = "\n".join(lines)
        elif kind == 5:  # indentation
            lines[at] = " " * rng.randrange(14) + lines[at].strip()
            text = "\n".join(lines)
        elif kind == 6:  # a word more
            lines[at] += " " + rng.choice(WORDS)
            text = "\n".join(lines)
        else:  # a line gone
            del lines[at]
            text = "\n".join(lines) or "\n"
    return text


def or_error(read: Callable[[], Read]) -> Read | VGDLError:
    """Return what `read` gives, or the error it raises, which must say something."""
    try:
        return read()
    except VGDLError as error:
        if not error.diagnostics or not all(d.message and str(d) for d in error.diagnostics):
            raise AssertionError("an error without a finding") from error
        return error


cases = st.tuples(st.sampled_from(("herding", "duel")), st.randoms(use_true_random=False), st.integers(1, 12))


@given(cases)
@settings(max_examples=examples(1000))
def test_mutated_games(own_games: dict[str, tuple[str, str]], case: tuple[str, random.Random, int]) -> None:
    name, rng, changes = case
    text, level = own_games[name]
    text = mutated(text, rng, changes) + "\n"
    for reading in ("strict", "gvgai"):
        found = check_game(text, reading=reading)
        errors = [finding for finding in found if finding.severity == "error"]
        game = or_error(lambda reading=reading: read_game(text, reading=reading))
        if isinstance(game, VGDLError):
            assert errors
            continue
        assert not errors and found == list(game.diagnostics)
        assert_sound(game)
        check_level(level, game, reading=reading)


@given(cases)
@settings(max_examples=examples(600))
def test_mutated_levels(own_games: dict[str, tuple[str, str]], case: tuple[str, random.Random, int]) -> None:
    name, rng, changes = case
    text, level = own_games[name]
    game = read_game(text)
    level = mutated(level, rng, changes)
    for reading in ("strict", "gvgai"):
        read = or_error(lambda reading=reading: read_level(level, game, reading=reading))
        if isinstance(read, VGDLError):
            continue
        assert len(read.rows) == read.height and {len(row) for row in read.rows} == {read.width}
        assert all(0 <= x < read.width and 0 <= y < read.height for _, x, y in read.placements)


@given(st.text(max_size=400))
@settings(max_examples=examples(400))
@example("BasicGame\n" + " SpriteSet\n" * 50)
@example("BasicGame\n SpriteSet\n" + "".join(f"{' ' * i}s{i} >\n" for i in range(2, 60)))
def test_any_text(text: str) -> None:
    for reading in ("strict", "gvgai"):
        assert isinstance(check_game(text + "\n", reading=reading), list)


@given(cases)
@settings(max_examples=examples(400))
def test_mutated_games_survive_formatting(
    own_games: dict[str, tuple[str, str]], case: tuple[str, random.Random, int]
) -> None:
    name, rng, changes = case
    text = mutated(own_games[name][0], rng, changes)
    try:
        tree = loads(text)
    except VGDLError:
        return
    formatted = dumps(tree)
    assert loads(formatted) == tree
    assert dumps(loads(formatted)) == formatted


def assert_sound(game: GameDefinition) -> None:
    """Check what the engine relies on, whatever the text was."""
    count = len(game.types)
    assert [t.id for t in game.types] == list(range(count)) and game.types[0].name == "wall"
    assert game.type_index == {t.name: t.id for t in game.types}
    assert set(game.draw_order) <= set(range(count)) and game.draw_order[-1] == 1
    for sprite in game.types:
        assert sprite.path[-1] == sprite.id and sprite.id in sprite.subtypes
        assert len(set(sprite.subtypes)) == len(sprite.subtypes) and set(sprite.subtypes) <= set(range(count))
        allowed = ontology.SPRITE_CLASSES[sprite.class_name].params if sprite.class_name else ()
        assert set(sprite.params) <= set(allowed)
    for number, effect in enumerate(game.effects):
        spec = ontology.EFFECTS[effect.name]
        assert effect.index == number and set(effect.params) <= set(spec.params)
        assert set(spec.required) <= set(effect.params)
        assert (effect.inner is not None) == (effect.name == "addTimer")
        for key in spec.own:
            if spec.params[key].must_exist and effect.params.get(key):
                assert effect.params[key] in game.type_index
    listed = [e for pair in game.pairs for e in pair.effects] + [t.effect for t in game.time_effects]
    listed += [e for effects in game.eos_effects.values() for e in effects]
    assert set(listed) <= set(range(len(game.effects)))
    assert set(game.eos_types) == set(game.eos_effects)
    assert all(-1 <= t.bound < count for t in game.time_effects)
    assert 1 <= game.players <= 2 and game.counters >= 0


@pytest.mark.parametrize("reading", ["strict", "gvgai"])
def test_the_unmutated_games_are_sound(own_game: tuple[str, str], reading: str) -> None:
    assert_sound(read_game(own_game[0], reading=reading))
