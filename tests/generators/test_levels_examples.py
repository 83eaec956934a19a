"""Generators that learn from a game's own levels (wave function collapse, Markov chains), and completing drawings."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from pcg.engine.game import load
from pcg.engine.vgdl import check_level
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.level_grid import Grid, Mask, avatar_cells
from pcg.generators.levels import LevelContext, make_generator
from pcg.generators.levels.examples import ExampleGenerator, mirrored, symmetry_of
from pcg.generators.levels.markov.model import NEIGHBOURHOODS, Chain, offsets_of
from pcg.generators.levels.wfc.patterns import learn, with_outside
from pcg.generators.levels.wfc.solve import solve

GAMES = ["boxes", "crossing", "digger", "dungeon", "invaders", "spire"]
LEARNERS = ["wfc", "markov"]


@pytest.fixture(scope="module")
def contexts() -> dict[str, LevelContext]:
    return {name: LevelContext.of(load(name)) for name in GAMES}


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def numbers(*rows: str) -> Grid:
    """A level of small numbers, as its digits are written."""
    return np.array([[int(c) for c in row] for row in rows], np.int16)


def unlocked(height: int, width: int) -> tuple[Grid, Mask]:
    return np.zeros((height, width), np.int16), np.zeros((height, width), bool)


def windows(grid: Grid, size: int, tiles: int) -> set[bytes]:
    padded = with_outside(grid, tiles, max(1, size - 1))
    view = np.lib.stride_tricks.sliding_window_view(padded, (size, size))
    return {w.tobytes() for w in np.ascontiguousarray(view.reshape(-1, size * size))}


def learner(name: str, context: LevelContext, **params: object) -> ExampleGenerator:
    generator = make_generator(name, context, seed=1, **params)
    assert isinstance(generator, ExampleGenerator)
    return generator


# -- wave function collapse --------------------------------------------------------------------------------------------

RING = np.pad(np.zeros((9, 9), np.int16), 1, constant_values=1)
RING[5, 5] = 2


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("game", ["dungeon", "boxes", "spire"])
def test_every_window_of_a_solution_occurs_in_the_examples(
    contexts: dict[str, LevelContext], game: str, size: int
) -> None:
    context = contexts[game]
    tiles = len(context.palette.tiles)
    examples = mirrored(context.examples, "mirror")
    seen = set().union(*(windows(g, size, tiles) for g in examples))
    patterns = learn(examples, size, tiles)
    solved = 0
    for seed in range(4):
        found = solve(patterns, *unlocked(12, 15), frozenset(context.palette.avatars), rng(seed), restarts=6)
        if found is None:
            continue
        solved += 1
        assert windows(found, size, tiles) <= seen
        assert np.isin(found, context.palette.avatars).sum() <= 1
    assert solved >= 2


def test_single_tiles_stand_beside_those_they_were_seen_beside() -> None:
    # Columns 0, 1, 2 follow each other; a level can only go on like that.
    example = numbers("012012", "012012")
    found = solve(learn([example], 1, 3), *unlocked(3, 9), frozenset(), rng())
    assert found is not None
    assert {(a, b) for row in found.tolist() for a, b in pairwise(row)} <= {(0, 1), (1, 2), (2, 0)}
    assert (found[:, 0] == 0).all() and (found[:, -1] == 2).all()


def test_a_level_that_cannot_be_tiled_is_given_up() -> None:
    patterns = learn([numbers("0101", "1010")], 1, 2)
    assert solve(patterns, *unlocked(4, 4), frozenset(), rng()) is not None
    grid, locked = unlocked(1, 2)
    locked[:] = True
    assert solve(patterns, grid, locked, frozenset(), rng()) is None


def test_decisions_are_taken_back_until_a_solution_is_found() -> None:
    # Three colours, no two alike side by side, in a strip whose ends are given: chance alone runs into dead ends.
    colours = [numbers(a + b) for a in "012" for b in "012" if a != b]
    example = colours + [g.T.copy() for g in colours]
    patterns = learn(example, 1, 3)
    grid, locked = unlocked(5, 41)
    locked[:, ::4] = True  # every fourth column is given, 1 and 2 in turn: what lies between must fit in
    grid[:, ::4] = 1 + np.indices((5, 11)).sum(axis=0) % 2
    found = {}
    for patience in (0, 400):
        tried = [solve(patterns, grid, locked, frozenset(), rng(k), restarts=1, patience=patience) for k in range(10)]
        found[patience] = [level for level in tried if level is not None]
    assert len(found[400]) > len(found[0])
    for level in found[400]:
        assert (np.diff(level, axis=0) != 0).all() and (np.diff(level, axis=1) != 0).all()


def test_the_frame_is_learnt_with_the_rest() -> None:
    for size in (1, 2, 3):
        found = solve(learn([RING], size, 3), *unlocked(9, 11), frozenset(), rng(), restarts=10)
        assert found is not None
        assert (found[[0, -1]] == 1).all() and (found[:, [0, -1]] == 1).all()


def test_a_unique_tile_occurs_once() -> None:
    for seed in range(5):
        found = solve(learn([RING], 2, 3), *unlocked(9, 11), frozenset({2}), rng(seed), restarts=20)
        assert found is not None and (found == 2).sum() == 1
    many = [solve(learn([RING], 2, 3), *unlocked(25, 25), frozenset(), rng(seed)) for seed in range(5)]
    assert any(level is not None and (level == 2).sum() > 1 for level in many)


def test_frequent_patterns_come_more_often() -> None:
    mostly = numbers("0000000001", "0000000000", "0000010000", "0000000000")
    patterns = learn([mostly], 1, 2, loose=True)
    found = solve(patterns, *unlocked(20, 20), frozenset(), rng())
    assert found is not None
    assert 0.01 < found.mean() < 0.2


def test_symmetries_add_turned_examples(contexts: dict[str, LevelContext]) -> None:
    level = numbers("01", "23")
    assert len(mirrored([level], "none")) == 1
    assert [g.tolist() for g in mirrored([level], "mirror")] == [[[0, 1], [2, 3]], [[1, 0], [3, 2]]]
    assert len({g.tobytes() for g in mirrored([level], "all")}) == 8
    assert symmetry_of(contexts["dungeon"], "auto") == "mirror"
    assert symmetry_of(contexts["crossing"], "auto") == "none"  # its traffic runs left and right
    assert symmetry_of(contexts["crossing"], "all") == "all"


def test_a_wave_too_large_for_the_memory_is_refused(contexts: dict[str, LevelContext]) -> None:
    generator = make_generator("wfc", contexts["digger"], seed=1, size=4, min_width=200, min_height=200, symmetry="all")
    with pytest.raises(PcgError, match=r"200 x 200 .* smaller"):
        generator.ask(1)


# -- Markov chains -----------------------------------------------------------------------------------------------------


def test_a_bigram_counts_what_follows_what() -> None:
    chain = Chain([numbers("00100")], 2, offsets_of("row", 1), smoothing=0.0)
    padded = chain.padded(numbers("00100"))
    assert chain.chances(chain.context(padded, 0, 1)).tolist() == [0.5, 0.5]  # 0 is followed by 0 and by 1
    assert chain.chances(chain.context(padded, 0, 3)).tolist() == [1.0, 0.0]
    assert chain.chances(chain.context(padded, 0, 0)).tolist() == [1.0, 0.0]  # a row begins with 0


def test_shorter_contexts_smooth_longer_ones_after_witten_and_bell() -> None:
    chain = Chain([numbers("0011")], 2, offsets_of("row", 1), smoothing=1.0)
    context = chain.context(chain.padded(numbers("0011")), 0, 1)  # after a 0, not at the end
    # Nothing known: (2 of 0, 2 of 1), not smoothed. Below the level ends: cells 0, 1, 2, two kinds: (2, 1) of 3.
    base = np.array([0.5, 0.5])
    ends = (np.array([2, 1]) + 2 * base) / (3 + 2)
    band = (np.array([2, 1]) + 2 * ends) / (3 + 2)
    after = (np.array([1, 1]) + 2 * band) / (2 + 2)
    assert np.allclose(chain.chances(context), after)


def test_contexts_never_seen_back_off_to_shorter_ones() -> None:
    chain = Chain([numbers("0101", "0101")], 3, offsets_of("row", 2), smoothing=0.0)
    context = chain.context(chain.padded(numbers("0010", "0101")), 1, 2)
    unseen = (*context[:2], context[2], 2)
    assert not chain.knows(unseen) and chain.knows(context)
    assert (chain.chances(unseen) == chain.chances(context)).all()
    assert chain.chances((*context[:2], 2, 2)).sum() == pytest.approx(1)


@pytest.mark.parametrize("neighbourhood", NEIGHBOURHOODS)
@pytest.mark.parametrize("order", [1, 3])
def test_every_neighbourhood_looks_only_at_what_is_drawn_before(neighbourhood: str, order: int) -> None:
    offsets = offsets_of(neighbourhood, order)
    assert len(set(offsets)) == len(offsets)
    assert all(dy < 0 or (dy == 0 and dx < 0) for dy, dx in offsets)
    if neighbourhood in ("row", "column"):
        assert len(offsets) == order


def test_levels_of_a_chain_have_the_pairs_of_the_examples(contexts: dict[str, LevelContext]) -> None:
    context = contexts["dungeon"]
    tiles = len(context.palette.tiles)

    def new_windows(name: str) -> float:
        seen = set().union(*(windows(g, 2, tiles) for g in mirrored(context.examples, "mirror")))
        made = [context.palette.parse(c.level) for c in make_generator(name, context, seed=1).ask(8)]
        drawn = [windows(g, 2, tiles) for g in made]
        return float(np.mean([len(w - seen) / len(w) for w in drawn]))

    assert new_windows("markov") < 0.6 * new_windows("random")


# -- completing and repairing ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("game", GAMES)
def test_learnt_levels_are_sound(contexts: dict[str, LevelContext], name: str, game: str) -> None:
    context = contexts[game]
    levels = [c.level for c in make_generator(name, context, seed=3).ask(5)]
    assert len(set(levels)) == 5
    for level in levels:
        grid = context.palette.parse(level)
        assert check_level(level, context.definition, reading="strict") == []
        assert len(avatar_cells(context.palette, grid)) == 1
        assert context.requirements.shortfalls(context.palette.count_types(grid)) == []


@pytest.mark.parametrize("name", LEARNERS)
def test_of_several_draws_the_one_most_like_the_examples_is_kept(contexts: dict[str, LevelContext], name: str) -> None:
    def dissimilarity(draws: int) -> float:
        generator = learner(name, contexts["boxes"], draws=draws)
        levels = [generator.context.palette.parse(c.level) for c in generator.ask(12)]
        return float(np.mean([generator.dissimilarity(grid) for grid in levels]))

    assert dissimilarity(8) < dissimilarity(1)
    assert learner(name, contexts["boxes"]).dissimilarity(contexts["boxes"].examples[0]) < 0.3


@pytest.mark.parametrize(
    "params", [{"model": "tiled"}, {"size": 3}, {"symmetry": "all"}, {"restarts": 1, "patience": 0}]
)
def test_every_way_of_collapsing_makes_levels(contexts: dict[str, LevelContext], params: dict[str, object]) -> None:
    context = contexts["boxes"]
    for candidate in make_generator("wfc", context, seed=2, **params).ask(3):
        assert check_level(candidate.level, context.definition, reading="strict") == []


@pytest.mark.parametrize(
    "params", [{"neighbourhood": "wide", "order": 2}, {"bands": 4}, {"sweeps": 2}, {"smoothing": 0}, {"lookahead": 1}]
)
def test_every_kind_of_chain_makes_levels(contexts: dict[str, LevelContext], params: dict[str, object]) -> None:
    context = contexts["dungeon"]
    for candidate in make_generator("markov", context, seed=2, **params).ask(3):
        assert check_level(candidate.level, context.definition, reading="strict") == []


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("game", GAMES)
def test_a_drawing_is_completed_and_kept(contexts: dict[str, LevelContext], name: str, game: str) -> None:
    context = contexts[game]
    generator = learner(name, context)
    original = context.examples[0]
    for seed in range(3):
        locked = rng(seed).random(original.shape) < 0.25
        done = generator.complete(original, locked, rng(seed))
        assert (done[locked] == original[locked]).all()
        assert (generator.complete(original, locked, rng(seed)) == done).all()
        assert len(avatar_cells(context.palette, done)) == 1
        assert context.requirements.shortfalls(context.palette.count_types(done)) == []
        assert check_level(context.palette.text(done), context.definition, reading="strict") == []


@pytest.mark.parametrize("name", LEARNERS)
def test_a_drawing_unlike_any_level_is_completed_too(contexts: dict[str, LevelContext], name: str) -> None:
    context = contexts["dungeon"]
    grid = rng(5).integers(0, len(context.palette.tiles), (9, 12)).astype(np.int16)
    grid[np.isin(grid, context.palette.avatars)] = context.palette.empty
    locked = np.zeros(grid.shape, bool)
    locked[2:6, 3:8] = True
    done = learner(name, context).complete(grid, locked, rng())
    assert (done[locked] == grid[locked]).all()
    assert len(avatar_cells(context.palette, done)) == 1


@pytest.mark.parametrize("name", LEARNERS)
def test_what_is_wholly_locked_stays_as_it_is(contexts: dict[str, LevelContext], name: str) -> None:
    original = contexts["boxes"].examples[1]
    done = learner(name, contexts["boxes"]).complete(original, np.ones(original.shape, bool), rng())
    assert (done == original).all()


@pytest.mark.parametrize("name", LEARNERS)
def test_mistakes_in_drawings_are_refused(contexts: dict[str, LevelContext], name: str) -> None:
    context = contexts["boxes"]
    generator = learner(name, context)
    level = context.examples[0]
    with pytest.raises(PcgError, match="expected the same"):
        generator.complete(level, np.ones((2, 2), bool), rng())
    with pytest.raises(PcgError, match="outside 0 to"):
        generator.complete(np.full((5, 5), 99), np.ones((5, 5), bool), rng())
    with pytest.raises(PcgError, match="more than one avatar"):
        generator.complete(np.full((5, 5), context.palette.avatars[0]), np.ones((5, 5), bool), rng())


@pytest.mark.parametrize("name", LEARNERS)
def test_games_without_levels_are_refused_in_one_sentence(name: str) -> None:
    class Bare:
        definition = load("dungeon").definition
        levels = ()

    with pytest.raises(PcgError, match=r"has none .*constructive") as caught:
        make_generator(name, Bare(), seed=1)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", LEARNERS)
def test_every_reference_game_has_levels_to_learn_from(shared: Path, name: str) -> None:
    folder = shared / "gvgai" / "games" / "gridphysics"
    for path in sorted(p for p in folder.glob("*.txt") if "_" not in p.stem)[:: 4 if name == "wfc" else 5]:
        context = LevelContext.of(load(path, reading="gvgai"))
        for candidate in make_generator(name, context, seed=1).ask(1):
            grid = context.palette.parse(candidate.level)
            assert len(avatar_cells(context.palette, grid)) == 1, path.stem
            assert context.requirements.shortfalls(context.palette.count_types(grid)) == [], path.stem
