"""The contract of level generators: what holds for each of them and every game, pair by pair (`pairwise.covered`)."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from pairwise import covered

from pcg.engine.game import builtin_games, load
from pcg.engine.vgdl import check_level, read_game
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.level_grid import GATE, Grid, avatar_cells
from pcg.generators.levels import GENERATORS, Candidate, LevelContext, LevelGenerator, make_generator
from pcg.generators.levels.level_builder import LevelBuilder
from pcg.generators.levels.level_conventions import reach_with_keys

GAMES = ["boxes", "crossing", "digger", "dungeon", "hunt", "invaders", "portals", "survival"]
BUILDERS = ["constructive", "ca", "noise", "bsp", "wfc", "markov", "evolve"]


@pytest.fixture(scope="module")
def contexts() -> dict[str, LevelContext]:
    return {name: LevelContext.of(load(name)) for name in GAMES}


def checked(context: LevelContext, candidates: list[Candidate]) -> list[Grid]:
    """The grids of levels, which the strict reading accepts without a warning and which have one avatar."""
    grids = []
    for candidate in candidates:
        assert check_level(candidate.level, context.definition, reading="strict") == []
        grids.append(context.palette.parse(candidate.level))
        assert len(avatar_cells(context.palette, grids[-1])) == 1
    return grids


class BareGame:
    """A game without levels of its own."""

    def __init__(self, name: str) -> None:
        self.definition = load(name).definition
        self.levels: tuple[str, ...] = ()


def judged(candidate: Candidate) -> Evaluation:
    """A verdict that only depends on the text, so that evolution can be tested without playing."""
    feasible = candidate.level.count("w") % 3 != 0
    value = (sum(map(ord, candidate.level)) % 97) / 97
    return Evaluation(feasible, value if feasible else 0.0, 1.0 if feasible else value, {}, {}, "static")


def run(generator: LevelGenerator, count: int, size: int = 7) -> list[Candidate]:
    made: list[Candidate] = []
    while len(made) < count:
        candidates = generator.ask(min(size, count - len(made)))
        generator.tell(candidates, [judged(c) for c in candidates])
        made += candidates
    return made


SMALL: dict[str, float] = {
    **{"population": 10, "offspring": 10, "initial": 12, "vectors": 5, "delay": 6},
    **{"drafts": 0.3, "polish": 8, "tries": 8},
}
"""Sizes of generations and delays, so that few levels are several; and little effort for each level."""


def small(name: str, context: LevelContext, seed: int, **more: object) -> LevelGenerator:
    """A generator with what it has of `SMALL`."""
    params = {p.name: min(SMALL[p.name], p.default) for p in GENERATORS[name].parameters if p.name in SMALL}
    return make_generator(name, context, seed=seed, **params, **more)


# -- games -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "game"), covered(list(GENERATORS), GAMES, 0, 3))
def test_levels_pass_the_strict_check_without_a_warning(
    contexts: dict[str, LevelContext], name: str, game: str
) -> None:
    checked(contexts[game], run(small(name, contexts[game], 3), 5))


@pytest.mark.parametrize(("name", "game"), covered(list(GENERATORS), GAMES, 1, 3))
def test_levels_have_the_size_asked_for(contexts: dict[str, LevelContext], name: str, game: str) -> None:
    generator = small(name, contexts[game], 4, min_width=9, max_width=11, min_height=8, max_height=8)
    for grid in checked(contexts[game], run(generator, 5)):
        assert 9 <= grid.shape[1] <= 11 and grid.shape[0] == 8


@pytest.mark.parametrize(("name", "game"), covered(list(GENERATORS), GAMES, 2, 3))
def test_games_without_levels_get_some_or_a_reason(name: str, game: str) -> None:
    context = LevelContext.of(BareGame(game))
    assert context.statistics is None
    if GENERATORS[name].needs_levels:
        with pytest.raises(PcgError, match=f"{name} learns from a game's own levels"):
            make_generator(name, context, seed=2)
        return
    grids = checked(context, run(small(name, context, 2), 6))
    kept = sum(not context.requirements.shortfalls(context.palette.count_types(grid)) for grid in grids)
    assert kept >= 5


OTHERS = [name for name in builtin_games() if name not in GAMES]


@pytest.mark.parametrize("game", OTHERS)
def test_every_other_built_in_game_gets_levels_or_a_reason(game: str) -> None:
    """From about every fifth generator, another fifth for the next game."""
    other = load(game)
    if other.players != 1:
        with pytest.raises(PcgError, match="2 players"):
            make_generator("constructive", other, seed=1)
        return
    context = LevelContext.of(other)
    for name, _ in covered(list(GENERATORS), [game], OTHERS.index(game) % 5, 5):
        checked(context, run(small(name, context, 1), 3))


@pytest.mark.parametrize(("name", "game"), covered(BUILDERS, GAMES, 0, 2))
def test_builders_keep_frames_and_what_the_rules_call_for(
    contexts: dict[str, LevelContext], name: str, game: str
) -> None:
    context = contexts[game]
    kept = []
    for grid in checked(context, run(make_generator(name, context, seed=5), 50 if name == "evolve" else 20)):
        for cell, tile in LevelBuilder(context, grid).frame_cells().items():
            assert grid[cell] == tile or context.palette.access[grid[cell]] == GATE
        kept.append(not context.requirements.shortfalls(context.palette.count_types(grid)))
    assert sum(kept) >= 0.9 * len(kept)


@pytest.mark.parametrize(
    ("name", "game"),
    covered(BUILDERS, ["boxes", "digger", "dungeon", "hunt", "portals", "survival"], 1, 2),
)
def test_what_must_be_reached_is_within_reach(contexts: dict[str, LevelContext], name: str, game: str) -> None:
    context = contexts[game]
    out_of_reach = 0
    candidates = run(make_generator(name, context, seed=6), 20)
    for candidate in candidates:
        builder = LevelBuilder(context, context.palette.parse(candidate.level))
        there, shut = reach_with_keys(builder)  # a thing behind a door is within reach where the key is
        required = context.palette.lookup(context.required_tiles)[builder.grid]
        touched = (builder.distances() >= 0) | shut
        out_of_reach += int((required & ~there & ~touched).sum())
    assert out_of_reach <= len(candidates) // 10


@pytest.mark.corpus
def test_every_reference_game_gets_levels(shared: Path) -> None:
    folder = shared / "gvgai" / "games" / "gridphysics"
    poor = Counter[str]()
    for path in sorted(p for p in folder.glob("*.txt") if "_" not in p.stem):
        game = load(path, reading="gvgai")
        context = LevelContext.of(game)
        for name in ("random", "constructive", "ca"):
            for candidate in run(make_generator(name, context, seed=1), 2):
                grid = context.palette.parse(candidate.level)
                assert len(avatar_cells(context.palette, grid)) == 1, path.stem
                short = context.requirements.shortfalls(context.palette.count_types(grid))
                poor[path.stem] += bool(short)
    assert not poor.total(), poor.most_common(10)


# -- ask and tell ------------------------------------------------------------------------------------------------------


def number(name: str, learning: int) -> int:
    """So many levels of a generator that learns; of others half, as they make one like the other."""
    return learning if GENERATORS[name].learns else learning // 2


@pytest.mark.parametrize(("name", "game"), covered(list(GENERATORS), ["dungeon", "hunt"], 0, 2))
def test_levels_depend_on_the_seed_and_not_on_how_many_are_asked_for_at_once(
    contexts: dict[str, LevelContext], name: str, game: str
) -> None:
    count = number(name, 25)
    first, again = (run(small(name, contexts[game], 1), count, size) for size in (7, 1))
    assert first == again
    assert [c.id for c in first] == list(range(count))
    other = run(small(name, contexts[game], 2), 12)
    assert [c.level for c in first[:12]] != [c.level for c in other]


@pytest.mark.parametrize(("name", "game"), covered(list(GENERATORS), ["boxes", "survival"], 0, 2))
def test_a_restored_state_goes_on_as_if_nothing_had_happened(
    contexts: dict[str, LevelContext], name: str, game: str
) -> None:
    generator = small(name, contexts[game], 9)
    run(generator, number(name, 23))
    out = generator.ask(5)
    restored = small(name, contexts[game], 9)
    restored.load_state_dict(json.loads(json.dumps(generator.state_dict())))
    for each in (generator, restored):
        each.tell(out, [judged(c) for c in out])
    assert run(generator, number(name, 16)) == run(restored, number(name, 16))
    assert generator.state_dict() == restored.state_dict()


# -- games of some kinds ----------------------------------------------------------------------------------------------


def test_traffic_runs_on_whole_roads_and_one_kind_per_lane(contexts: dict[str, LevelContext]) -> None:
    context = contexts["crossing"]
    road = {t for lane in context.lanes for t in (lane.ground, *lane.movers)}
    traffic = {t for lane in context.lanes for t in lane.movers}
    assert traffic
    for candidate in run(make_generator("constructive", context, seed=1), 20):
        for row in context.palette.parse(candidate.level):
            on_road = [context.ground_under[t] in road for t in row]
            assert all(on_road) or not any(on_road)
            assert len({t for t in row if t in traffic}) <= 1


def test_a_cannon_starts_on_the_bottom_line_below_its_targets(contexts: dict[str, LevelContext]) -> None:
    context = contexts["invaders"]
    for candidate in run(make_generator("constructive", context, seed=1), 20):
        grid = context.palette.parse(candidate.level)
        ((row, _),) = avatar_cells(context.palette, grid)
        assert row == grid.shape[0] - 2
        aliens = [y for y, line in enumerate(candidate.level.split("\n")) for c in line if c in "srm"]
        assert aliens and max(aliens) < row - 1


def test_doors_stand_in_walls(contexts: dict[str, LevelContext]) -> None:
    context = contexts["dungeon"]
    in_walls = Counter[bool]()
    for candidate in run(make_generator("constructive", context, seed=1), 40):
        rows = candidate.level.split("\n")
        for y, line in enumerate(rows):
            for x, char in enumerate(line):
                if char == "d":
                    across = 0 < x < len(line) - 1 and line[x - 1] == line[x + 1] == "w"
                    along = 0 < y < len(rows) - 1 and rows[y - 1][x] == rows[y + 1][x] == "w"
                    in_walls[across or along] += 1
    assert in_walls[True] >= 0.8 * in_walls.total()


def test_enemies_start_away_from_the_avatar(contexts: dict[str, LevelContext]) -> None:
    context = contexts["hunt"]
    for candidate in run(make_generator("constructive", context, seed=1), 40):
        builder = LevelBuilder(context, context.palette.parse(candidate.level))
        steps = builder.distances()
        for y, line in enumerate(candidate.level.split("\n")):
            for x, char in enumerate(line):
                assert char != "d" or steps[y, x] < 0 or steps[y, x] >= 3


# -- mistakes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("evolv", {}, "did you mean `evolve`"),
        ("evolve", {"populaton": 3}, "did you mean `population`"),
        ("evolve", {"population": 1}, "at least|from 4"),
        ("constructive", {"style": "room"}, "did you mean `rooms`"),
        ("random", {"min_width": 12, "max_width": 9}, "min_width is 12"),
        ("ca", {"max_height": 3}, "at least 6"),
    ],
)
def test_mistakes_in_names_and_parameters_are_refused(
    contexts: dict[str, LevelContext], name: str, params: dict[str, object], message: str
) -> None:
    with pytest.raises(PcgError, match=message):
        make_generator(name, contexts["dungeon"], seed=1, **params)


def test_games_with_two_players_are_refused() -> None:
    class Two:
        definition = read_game(
            load("boxes").definition.source.replace("BasicGame", "BasicGame no_players=2"), reading="gvgai"
        )
        levels = ()

    with pytest.raises(PcgError, match="2 players"):
        make_generator("random", Two(), seed=1)


def test_every_generator_says_what_it_does_and_where_it_comes_from() -> None:
    for name, kind in GENERATORS.items():
        assert kind.name == name and kind.help and kind.papers
        assert all(p.help for p in kind.parameters)
