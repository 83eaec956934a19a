"""The terminal view: how large it is, what it says, and that colour can be left out."""

from __future__ import annotations

import re

import numpy as np
import pytest

from pcg.engine.game import Game, load
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.render import render_ansi, rgb_array
from pcg.render.terminal import LETTER_VIEW, fitting_cell, half_blocks

NAMES = ("boxes", "crossing", "digger", "dungeon", "hunt", "invaders", "portals", "survival")
SGR = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture(scope="module")
def dungeon() -> Game:
    return load("dungeon")


def visible(text: str) -> list[str]:
    return [SGR.sub("", line) for line in text.split("\n")]


@pytest.mark.parametrize("cell", [2, 4, 6, 8, 16])
@pytest.mark.parametrize("name", NAMES)
def test_the_coloured_view_has_the_size_asked_for(name: str, cell: int) -> None:
    state = load(name).start(level=0, seed=1)
    lines = visible(render_ansi(state, cell=cell))
    assert len(lines) == state.height * cell // 2
    assert {len(line) for line in lines} == {state.width * cell}


@pytest.mark.parametrize("name", NAMES)
def test_without_colour_a_new_state_reads_like_its_level(name: str) -> None:
    game = load(name)
    for number, text in enumerate(game.levels):
        assert render_ansi(game.start(level=number, seed=1), colour=False) == text.rstrip("\n")


def test_without_colour_what_stands_on_something_else_is_shown(dungeon: Game) -> None:
    state = dungeon.start(level=0, seed=1)
    before = render_ansi(state, colour=False)
    state.advance("DOWN")
    rows = render_ansi(state, colour=False).split("\n")
    assert before.split("\n")[2][2] == "A"
    assert (rows[2][2], rows[3][2]) == (".", "A")


def test_the_letter_view_names_things_and_shows_where_the_avatar_looks(dungeon: Game) -> None:
    state = dungeon.start(level=0, seed=1)
    state.advance("LEFT")
    text = "\n".join(visible(render_ansi(state)))
    assert "@<" in text
    for sign in ("Ke", "Do", "Co", "Ba", "Sl"):
        assert sign in text
    assert "Wa" not in text
    assert "Fl" not in text


def test_every_line_ends_with_a_reset(dungeon: Game) -> None:
    state = dungeon.start(level=0, seed=1)
    for cell in (2, 8):
        assert all(line.endswith("\x1b[0m") for line in render_ansi(state, cell=cell).split("\n"))


def test_half_blocks_carry_the_colours_of_two_rows() -> None:
    pixels = np.array([[[1, 2, 3], [1, 2, 3]], [[4, 5, 6], [7, 8, 9]]], dtype=np.uint8)
    assert half_blocks(pixels) == "\x1b[38;2;1;2;3m\x1b[48;2;4;5;6m▀\x1b[48;2;7;8;9m▀\x1b[0m"


def test_the_picture_view_is_the_picture(dungeon: Game) -> None:
    state = dungeon.start(level=0, seed=1)
    assert render_ansi(state, cell=8) == half_blocks(rgb_array(state, tile=8))


@pytest.mark.parametrize("cell", [0, 3, -2])
def test_an_odd_cell_width_is_an_error(dungeon: Game, cell: int) -> None:
    with pytest.raises(PcgError, match=f"cell={cell}"):
        render_ansi(dungeon.start(level=0, seed=1), cell=cell)


def test_the_view_fits_the_window(dungeon: Game) -> None:
    state = dungeon.start(level=0, seed=1)
    for columns, lines in ((80, 24), (100, 40), (200, 60), (400, 120)):
        cell = fitting_cell(state, columns, lines)
        assert cell == LETTER_VIEW or (state.width * cell <= columns and state.height * cell // 2 <= lines)
    assert fitting_cell(state, 400, 120) == 16
    assert fitting_cell(state, 10, 5) == LETTER_VIEW
