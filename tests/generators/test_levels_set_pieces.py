"""Set pieces: what stands in the same order in all levels of a game is found, and drafts have it whole."""

from __future__ import annotations

import numpy as np
import pytest

import pcg
from pcg.engine.game import Game
from pcg.generators.levels import make_generator
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.level_builder import LevelBuilder
from pcg.generators.levels.portfolio.set_pieces import SetPieces

PENS = """
BasicGame
    SpriteSet
        floor > Immovable
        pellet > Resource
        ghost >
            first > RandomNPC cooldown=4
            second > RandomNPC cooldown=3
        hero > MovingAvatar
        wall > Immovable
    InteractionSet
        hero wall > stepBack
        ghost wall > stepBack
        pellet hero > killSprite scoreChange=1
        hero ghost > killSprite
    LevelMapping
        . > floor pellet
        + > floor
        w > wall
        A > floor hero
        1 > floor first
        2 > floor second
    TerminationSet
        SpriteCounter stype=pellet win=True
        SpriteCounter stype=hero win=False
"""
LEVELS = [
    "wwwwwwwwwwwww\nw...........w\nw.ww.www.ww.w\nw...++++++..w\nw.w.+w++w+w.w\nw...+w12w+..w\nw.w.+wwww+w.w\nw...++++++..w\n"
    "w.ww.www.ww.w\nw....A......w\nwwwwwwwwwwwww",
    "wwwwwwwwwwwww\nw...........w\nw.w.wwwww.w.w\nw.w.++++++w.w\nw.w.+w++w+w.w\nw...+w12w+..w\nw.w.+wwww+w.w\nw.w.++++++w.w\n"
    "w.w.wwwww.w.w\nw......A....w\nwwwwwwwwwwwww",
    "wwwwwwwwwwwww\nw...w...w...w\nw.w.w.w.w.w.w\nw...++++++..w\nwww.+w++w+www\nw...+w12w+..w\nw.w.+wwww+w.w\nw...++++++..w\n"
    "w.w.w.w.w.w.w\nw.A.........w\nwwwwwwwwwwwww",
]  # fmt: skip
PEN = "++++++\n+w++w+\n+w12w+\n+wwww+\n++++++"


@pytest.fixture(scope="module")
def context() -> LevelContext:
    return LevelContext.of(pens())


def pens(levels: list[str] = LEVELS) -> Game:
    return pcg.load(PENS, levels=levels)


def test_what_is_the_same_around_things_in_their_order_is_the_piece(context: LevelContext) -> None:
    [piece] = SetPieces(context).pieces
    # Around the pen there is a pellet on the left in all levels, and next to it another one.
    text = context.palette.text(piece.block)
    assert all(row.endswith(pen) for row, pen in zip(text.split("\n"), PEN.split("\n"), strict=True))
    assert {context.palette.tiles[k].char for k in piece.tiles} == {"1", "2"}


@pytest.mark.parametrize(
    "levels",
    [
        LEVELS[:2],
        [*LEVELS[:2], LEVELS[2].replace("12", "21")],
        [*LEVELS[:2], LEVELS[2].replace("+w12w+", "+w1+w+").replace("w.A.", "w2A.")],
        [*LEVELS[:2], LEVELS[2].replace(".A..", ".A12")],
    ],
    ids=["two levels", "another order", "apart", "two of each"],
)
def test_there_is_no_piece_without_three_levels_that_have_it(levels: list[str]) -> None:
    assert SetPieces(LevelContext.of(pens(levels))).pieces == ()


def test_levels_that_are_all_one_board_have_no_pieces() -> None:
    levels = [LEVELS[0].replace("w....A......w", row) for row in ("w....A......w", "w.....A.....w", "w......A....w")]
    assert SetPieces(LevelContext.of(pens(levels))).pieces == ()


def test_a_torn_piece_is_put_whole_where_a_level_has_it(context: LevelContext) -> None:
    pieces = SetPieces(context)
    [piece] = pieces.pieces
    torn = LEVELS[0].replace("+w12w+", "+w1+w+").replace("w.ww.www.ww.w\nw....", "w.ww.www.ww.w\nw.2..")
    builder = LevelBuilder(context, context.palette.parse(torn))
    assert piece.found(builder.grid) is None and not pieces.cells(builder.grid).any()
    pieces.place(builder, np.random.default_rng(1))
    assert piece.found(builder.grid) == piece.found(context.examples[0])
    assert all(np.count_nonzero(builder.grid == tile) == 1 for tile in piece.tiles)
    assert pieces.cells(builder.grid).sum() == piece.block.size
    whole = builder.grid.copy()
    pieces.place(builder, np.random.default_rng(2))
    assert np.array_equal(builder.grid, whole)  # a level that has it stays as it is


@pytest.mark.parametrize("family", ["pieces", "halves", "windows", "variation", "caves"])
def test_drafts_of_families_that_build_from_parts_have_the_piece(context: LevelContext, family: str) -> None:
    generator = make_generator("portfolio", context, seed=1)
    [piece] = generator.workshop.set_pieces.pieces
    made = [generator._best_draft(np.random.default_rng(seed), family)[0] for seed in range(4)]
    assert sum(piece.found(context.palette.parse(text)) is not None for text in made) >= 3
