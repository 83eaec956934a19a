"""The screen of a play in the terminal: a window of 80 x 24 holds every level, its legend and its figures."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pcg.cli import app
from pcg.engine.game import builtin_games, load
from pcg.render.terminal import legend, render_ansi, signs_of
from pcg.terminal import HELP, screen, wrapped_legend

ONE_PLAYER = [name for name in builtin_games() if load(name).players == 1]


def plain(text: str) -> list[str]:
    """Return the lines of a screen without its colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text).split("\n")


@pytest.mark.parametrize("name", ONE_PLAYER)
def test_every_level_fits_a_window_of_80_by_24_with_its_legend(name: str) -> None:
    game = load(name)
    for number in range(len(game.levels)):
        state = game.start(number, seed=1)
        lines = plain(screen(state, number, (80, 24), HELP))
        assert len(lines) <= 24 and max(map(len, lines)) <= 80
        assert lines[0].startswith(f"{name}  level {number}   tick 0") and lines[-1] == HELP
        assert wrapped_legend(state, 80)[0] in lines


@pytest.mark.parametrize("name", ONE_PLAYER)
def test_no_two_types_have_the_same_sign(name: str) -> None:
    definition = load(name).definition
    signs = signs_of(definition)
    assert set(signs) == {sprite.name for sprite in definition.types}
    assert len(set(signs.values())) == len(signs) and {len(sign) for sign in signs.values()} == {2}


def test_types_that_begin_alike_are_told_apart() -> None:
    text = "BasicGame\n SpriteSet\n  mine > Door\n  missile > Door\n  mist > Door\n  mi > Door\n  m > Door\n"
    signs = signs_of(load(text).definition)
    assert [signs[name] for name in ("mine", "missile", "mist", "mi", "m")] == ["Mi", "Ms", "Mt", "M0", "M1"]


def test_the_legend_names_what_is_there_and_the_avatar_first() -> None:
    state = load("dungeon").start(0, seed=1)
    shown = dict(legend(state))
    assert next(iter(shown.items())) == ("@", "hero") and shown["Ke"] == "key"
    text = "\n".join(plain(render_ansi(state)))
    assert all(sign in text for sign in shown)


def test_a_level_that_is_too_large_is_shown_around_the_avatar() -> None:
    row = "w" + "." * 98 + "w"
    rows = ["w" * 100, *[row] * 50, "w" * 100]
    rows[40] = row[:90] + "A" + row[91:]
    game = load("hunt")
    state = game.start("\n".join(rows), seed=1)
    lines = plain(screen(state, 0, (80, 24), HELP))
    assert len(lines) <= 24 and max(map(len, lines)) <= 80
    assert any("@" in line for line in lines[1:-2])


def test_ticks_on_the_screen_count_what_was_played() -> None:
    state = load("boxes").start(0, seed=1)
    for ticks in range(3):
        assert f"tick {ticks} " in plain(screen(state, 0, (80, 24), HELP))[0]
        state.advance("RIGHT")


def test_a_game_without_levels_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bare.vgdl").write_text(load("boxes").definition.source)
    result = CliRunner().invoke(app, ["play", "bare.vgdl"])
    assert result.exit_code == 2
    for text in ("bare has no levels", "bare_lvl0.txt", "--level", "pcg levels bare.vgdl"):
        assert text in result.stderr


def test_positions_are_told_in_cells() -> None:
    state = load("boxes").start("wwwww\nwA.bw\nwwwww", seed=1)
    box = state.sprites("box")[0]
    assert (state.cell_of(state.avatar), state.cell_of(box)) == ((1, 1), (3, 1))
