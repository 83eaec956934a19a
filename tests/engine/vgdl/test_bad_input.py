"""Input that is no game at all ends in one clear error."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from pcg.engine.vgdl import VGDLError, check_game, read_game
from pcg.engine.vgdl.source import MAX_GAME, MAX_LINE
from pcg.engine.vgdl.sprite_set import MAX_OPTIONS, MAX_TYPES

BOTH = pytest.mark.parametrize("reading", ["strict", "gvgai"])


def only_error(source: str | Path, reading: str = "gvgai") -> str:
    with pytest.raises(VGDLError) as caught:
        read_game(source, reading=reading)
    (finding,) = caught.value.diagnostics
    assert finding in check_game(source, reading=reading)
    return str(finding)


@BOTH
@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the text is empty"),
        (b"\n \n\t\n", "the text is empty"),
        (b"\x7fELF\x02\x01\x01\x00\x00", "control character 0x7f"),
        (b"BasicGame\n  Sprite\x00Set\n", ":2:9: error: not a text: control character 0x00"),
        (b"BasicGame\n  Sp\xffriteSet\n", ":2:5: error: not a text file: byte 0xff is not UTF-8"),
        (b"\x89PNG\r\n\x1a\n", "byte 0x89 is not UTF-8"),
        (b"x" * (10 * 1024 * 1024), "larger than"),
        (b"BasicGame\n" + b"a" * (MAX_LINE + 1), f"the line has {MAX_LINE + 1} characters"),
    ],
)
def test_files(data: bytes, message: str, reading: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.vgdl"
    path.write_bytes(data)
    shown = only_error(path, reading)
    assert message in shown and str(path) in shown and len(shown) < 2000


@BOTH
def test_a_long_line_in_a_text(reading: str) -> None:
    assert "line 2 has 9000000 characters" in only_error("BasicGame\n" + "a" * 9_000_000, reading)


@BOTH
def test_a_text_out_of_all_proportion(reading: str) -> None:
    text = "BasicGame\n  SpriteSet\n" + "    a > Door\n" * (MAX_GAME // 12)
    assert f"at most {MAX_GAME}" in only_error(text, reading)


@BOTH
@pytest.mark.parametrize("source", ["no_such_file.vgdl", "BasicGame", "x" * 5000, Path("no_such_file.vgdl"), Path(".")])
def test_what_is_no_file(source: str | Path, reading: str) -> None:
    only_error(source, reading)


@BOTH
def test_a_recursive_sprite_tree(reading: str) -> None:
    text = "BasicGame\n  SpriteSet\n    a > Door\n      b >\n        a >\n"
    assert ":5:9: error: `a` is defined below itself" in only_error(text, reading)


def test_bounds_of_the_sprite_set() -> None:
    many = "".join(f"    s{i} > Door\n" for i in range(MAX_TYPES))
    assert f"more than {MAX_TYPES} sprites" in only_error("BasicGame\n  SpriteSet\n" + many)
    keys = "BasicGame\n  SpriteSet\n    a > Door\n"
    for start in range(0, MAX_OPTIONS + 1, 100):
        keys += (
            " " * (5 + start // 100) + f"a{start} > " + " ".join(f"k{i}=1" for i in range(start, start + 100)) + "\n"
        )
    assert f"at most {MAX_OPTIONS}" in only_error(keys)


def test_a_game_without_sprites() -> None:
    assert "no SpriteSet is read" in only_error("BasicGame\n  LevelMapping\n    a > b\n")


def test_errors_survive_a_trip_between_processes() -> None:
    with pytest.raises(VGDLError) as caught:
        read_game("Basicgame\n")
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.diagnostics == caught.value.diagnostics and str(again) == str(caught.value)


def test_a_line_that_shows_is_clipped_around_the_column() -> None:
    text = "BasicGame\n  SpriteSet\n    a > Missile " + "x" * 300 + "=1\n"
    shown = check_game(text, reading="gvgai")[0]
    assert all(len(line) < 500 for line in str(shown).split("\n"))
    assert str(shown).split("\n")[-1].strip() == "^"
