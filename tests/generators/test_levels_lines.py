"""Belts and paths that a game's own levels have whole, in drafts and levels of the portfolio."""

from __future__ import annotations

import numpy as np
import pytest

import pcg
from pcg.engine.game import Game
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.portfolio.families import FAMILIES, Workshop
from pcg.generators.levels.portfolio.game_kinds import game_kinds
from pcg.generators.levels.portfolio.lines import Lines, part_sizes

POST = """
BasicGame
    SpriteSet
        floor > Immovable
        belt > Immovable
        house > Immovable
        bin > Immovable
        parcel > Missile orientation=RIGHT speed=0.5
        hero > MovingAvatar
        wall > Immovable
    InteractionSet
        hero wall > stepBack
        parcel floor > stepBack
        house parcel > killSprite scoreChange=1
        parcel bin > killSprite
    LevelMapping
        . > floor
        w > wall
        A > floor hero
        b > belt
        s > belt parcel
        h > floor house
        d > floor bin
    TerminationSet
        SpriteCounter stype=house win=True
        SpriteCounter stype=parcel win=False
"""
LEVELS = [
    "wwwwwwwwwwwwwww\nw.............w\nwsbbbbbbbbb...w\nw....b....b...w\nw....b....b...w\nw..A.d....bbh.w\n"
    "w.............w\nwwwwwwwwwwwwwww",
    "wwwwwwwwwwwwwww\nw.....d.......w\nw.....b....A..w\nwsbbbbbbbb....w\nw........b....w\nw........bbbh.w\n"
    "w.............w\nwwwwwwwwwwwwwww",
    "wwwwwwwwwwwwwwwww\nw...............w\nwsbbbb...bbbbbh.w\nw....b...b......w\nw....bbbbb..A...w\nw......b........w\n"
    "w......d........w\nwwwwwwwwwwwwwwwww",
]


@pytest.fixture(scope="module")
def post() -> Game:
    return pcg.load(POST, levels=LEVELS)


@pytest.fixture(scope="module")
def lines(post: Game) -> Lines:
    context = LevelContext.of(post)
    return Lines(context, context.examples)


def chars(lines: Lines, tiles: np.ndarray) -> str:
    return "".join(sorted(lines.context.palette.tiles[k].char for k in np.flatnonzero(tiles)))


def test_lines_and_what_stands_at_their_ends_are_read_from_the_levels(lines: Lines) -> None:
    assert [chars(lines, kind) for kind in lines.kinds] == ["bs"]
    assert chars(lines, lines.attached) == "dh"
    assert [lines.faults(grid) for grid in lines.context.examples] == [0, 0, 0]


@pytest.mark.parametrize("name", ["dungeon", "boxes", "bazaar", "crossing", "digger", "invaders", "snakes"])
def test_walls_water_and_rows_are_no_lines(name: str) -> None:
    context = LevelContext.of(pcg.load(name))
    assert not Lines(context, context.examples).kinds


def test_a_line_in_pieces_has_faults_and_so_has_a_thing_apart_from_it(lines: Lines) -> None:
    palette = lines.context.palette
    whole = LEVELS[0]
    assert lines.faults(palette.parse(whole)) == 0
    assert lines.faults(palette.parse(whole.replace("wsbbbbbbbbb", "ws.bbbbbbbb"))) > 0
    assert lines.faults(palette.parse(whole.replace("w.............w\nwww", "w.h...........w\nwww"))) == 1
    assert lines.faults(palette.parse(whole.replace("b", ".").replace("s", "."))) >= 1


def test_stretched_levels_have_whole_lines_of_other_lengths(lines: Lines) -> None:
    palette = lines.context.palette
    rng = np.random.default_rng(1)
    seen = set()
    for _ in range(60):
        height, width = int(rng.integers(8, 11)), int(rng.integers(13, 20))
        level = lines.level(rng, height, width)
        if level is None:
            continue
        assert level.shape == (height, width) and lines.faults(level) == 0
        assert len(part_sizes(lines.of_lines[level])) == 1
        assert np.count_nonzero(palette.is_avatar[level]) == 1
        text = palette.text(level)
        assert text.count("s") == text.count("h") == 1 and text.count("d") <= 1
        seen.add(text)
    assert len(seen) > 40 and len({text.count("d") for text in seen}) == 2  # branches come and go


def test_lines_are_drawn_over_a_level_with_cut_ones(lines: Lines, post: Game) -> None:
    from pcg.generators.levels.level_builder import LevelBuilder

    grid = lines.context.palette.parse(LEVELS[0].replace("wsbbbbbbbbb", "ws.bb.bbb.b"))
    builder = LevelBuilder(lines.context, grid)
    assert lines.faults(grid) > 0 and lines.draw(builder, np.random.default_rng(2))
    assert lines.faults(builder.grid) == 0 and builder.grid.shape == grid.shape


def test_the_portfolio_keeps_lines_whole(post: Game) -> None:
    generator = pcg.make_generator("portfolio", post, seed=2)
    assert "stretched" in generator.bandit.arms
    made = generator.ask(10)
    faults = [generator.workshop.lines.faults(generator.context.palette.parse(one.level)) for one in made]
    assert sum(map(bool, faults)) <= 1, [one.level for one in made]


def test_games_without_lines_have_no_stretched_levels() -> None:
    context = LevelContext.of(pcg.load("dungeon"))
    assert FAMILIES["stretched"].suits(context, game_kinds(context)) == 0.0
    workshop = Workshop(context, context.widths, context.heights)
    level = workshop.stretched(np.random.default_rng(1), [])  # a quilt then
    assert level.ndim == 2
