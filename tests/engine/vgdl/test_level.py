"""Level texts (reference/language 2)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pcg.engine.vgdl import Diagnostic, GameDefinition, VGDLError, check_level, read_game, read_level
from pcg.engine.vgdl.level import MAX_SPRITES

SPRITES = "floor > Immovable\nrock > Passive\nhero > MovingAvatar\nodd > Portal\nghost >"
MAPPING = "h > floor hero\nr > floor rock\n. > floor\no > odd\ng > ghost\nu > unknown\ne >"


@pytest.fixture
def game(gvgai: Callable[..., GameDefinition]) -> GameDefinition:
    return gvgai(SPRITES, "", "", MAPPING)


def found(text: str, game: GameDefinition, reading: str = "gvgai") -> list[Diagnostic]:
    return check_level(text, game, reading=reading)


def test_placements_run_row_by_row_in_mapping_order(game: GameDefinition) -> None:
    level = read_level("h.\n r\n", game)
    names = [(game.types[t].name, x, y) for t, x, y in level.placements]
    assert names == [
        ("floor", 0, 0), ("hero", 0, 0), ("floor", 1, 0), ("floor", 1, 1), ("rock", 1, 1),
    ]  # fmt: skip
    assert (level.width, level.height, level.rows) == (2, 2, ("h.", " r"))


def test_the_default_mapping(game: GameDefinition) -> None:
    assert [game.types[t].name for t, _, _ in read_level("wA", game).placements] == ["wall", "avatar"]


@pytest.mark.parametrize(
    ("width", "height", "block"), [(30, 11, 26), (11, 30, 26), (1, 1, 800), (800, 1, 2), (401, 2, 2), (3, 3, 266)]
)
def test_the_block_size_fits_800_pixels(width: int, height: int, block: int, game: GameDefinition) -> None:
    text = "\n".join(["h" + "." * (width - 1)] + ["." * width] * (height - 1))
    assert read_level(text, game).block_size == block


def test_the_square_size_of_the_header_wins(gvgai: Callable[..., GameDefinition]) -> None:
    assert read_level("A..", gvgai(mapping=". > wall", header="BasicGame square_size=7")).block_size == 7


def test_short_rows_are_filled_and_long_ones_cut(game: GameDefinition) -> None:
    level = read_level("h..\n.\n....r\n", game, reading="gvgai")
    assert level.rows == ("h..", ".  ", "...")
    assert [d.rule for d in level.diagnostics] == ["language 2.1.3", "language 2.1.3"]
    assert [d.severity for d in found("h..\n.\n....r\n", game, "strict")] == ["error", "error"]


def test_a_final_line_end_makes_no_row_but_an_empty_line_does(game: GameDefinition) -> None:
    assert read_level("h.\n..\n", game).height == 2
    assert read_level("h.\n..\n\n", game, reading="gvgai").height == 3


def test_unmapped_characters(game: GameDefinition) -> None:
    level = read_level("h?.?", game, reading="gvgai")
    assert [(d.rule, d.column) for d in level.diagnostics] == [("language 2.1.4", 2), ("language 2.1.4", 4)]
    errors = found("h?.?", game, "strict")
    assert [(d.severity, d.line, d.column) for d in errors] == [("error", 1, 2), ("error", 1, 4)]
    assert errors[0].expected.startswith("one of . A")


def test_a_blank_and_an_empty_mapping_create_nothing_silently(game: GameDefinition) -> None:
    level = read_level("h e", game)
    assert len(level.placements) == 2 and level.diagnostics == ()


@pytest.mark.parametrize("reading", ["strict", "gvgai"])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hu", "`u` is mapped to the unknown sprite `unknown`"),
        ("ho", "`odd` has no `stype`, which a Portal needs"),
        ("hg", "`ghost` has no known class"),
        ("", "the level has no cells"),
        ("\n\n", "the level has no cells"),
        ("\n...", "the level has no cells"),
    ],
)
def test_levels_that_stop_the_reference(text: str, message: str, reading: str, game: GameDefinition) -> None:
    with pytest.raises(VGDLError) as caught:
        read_level(text, game, reading=reading, file="cave.txt")
    (finding,) = caught.value.diagnostics
    assert message in finding.message and finding.file == "cave.txt"


def test_the_number_of_avatars(game: GameDefinition) -> None:
    assert found("h.", game, "strict") == []
    (none,) = found("..", game, "strict")
    assert none.severity == "error" and "no avatar" in none.message
    (two,) = found("h.\n.h", game, "strict")
    assert two.severity == "error" and (two.line, two.column) == (2, 2)
    assert [d.severity for d in found("..", game) + found("hh", game)] == ["warning", "warning"]


def test_two_players_want_two_avatars(own_games: dict[str, tuple[str, str]]) -> None:
    text, level = own_games["duel"]
    game = read_game(text)
    assert read_level(level, game).diagnostics == ()
    (finding,) = check_level(level.replace("R", " "), game)
    assert finding.severity == "error" and "1 avatar(s) for 2 players" in finding.message


@pytest.mark.parametrize("reading", ["strict", "gvgai"])
def test_too_many_sprites_are_one_error(reading: str, game: GameDefinition) -> None:
    exact = ["." * 100] * (MAX_SPRITES // 100)
    exact[0] = "h" + "." * 98 + " "
    assert len(read_level("\n".join(exact), game, reading=reading).placements) == MAX_SPRITES
    with pytest.raises(VGDLError) as caught:
        read_level("\n".join(["r" * 250] * 200), game, reading=reading)
    (finding,) = caught.value.diagnostics
    assert "100000 sprites" in finding.message and "10000" in finding.expected


def test_too_many_cells_are_one_error(game: GameDefinition) -> None:
    (finding,) = found("\n".join([" " * 5000] * 250), game)
    assert "5000 x 250 cells" in finding.message


def test_too_many_pixels_are_one_error(gvgai: Callable[..., GameDefinition]) -> None:
    game = gvgai(header="BasicGame square_size=10000")
    (finding,) = found("\n".join(["A"] + [" "] * 200_000), game)
    assert "in a row" in finding.message


def test_a_level_file(tmp_path: Path, game: GameDefinition) -> None:
    path = tmp_path / "lvl0.txt"
    path.write_bytes(b"h.\r\n?.\r\n")
    assert read_level(path, game, reading="gvgai").width == 2
    (finding,) = check_level(path, game)
    assert (finding.file, finding.line, finding.column) == (str(path), 2, 1)
    path.write_bytes(b"h.\x00\n")
    (finding,) = check_level(path, game, reading="gvgai")
    assert "control character 0x00" in finding.message and finding.column == 3
