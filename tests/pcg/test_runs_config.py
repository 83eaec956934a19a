"""Configurations: what a file may say, and what it may not."""

from __future__ import annotations

from pathlib import Path

import pytest

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.runs import LevelRun, parse_seconds


def test_a_configuration_survives_its_file(tmp_path: Path) -> None:
    config = LevelRun(
        'a "quoted" game\\name', generator="ca", count=3, seed=2**40, seconds=1.5, evaluations=9,
        generator_parameters={"walls": 0.5, "steps": 2}, evaluation_parameters={"min_length": 3},
    )  # fmt: skip
    path = tmp_path / "config.toml"
    path.write_text(config.to_toml())
    assert LevelRun.read(path) == config


def test_a_short_file_means_the_defaults(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('[run]\ngame = "boxes"\n[budget]\nevaluations = 10\n')
    assert LevelRun.read(path) == LevelRun("boxes", evaluations=10)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no game"),
        ('[run]\ngame = "boxes"\n', "no budget"),
        ("[run\n", "not a TOML file"),
        ("[rnu]\n", r"did you mean \[run\]"),
        ("run = 3\n", r"expected a section \[run\]"),
        ('[run]\ngame = "boxes"\nsede = 3\n', "did you mean `seed`"),
        ('[run]\ngame = "boxes"\nseed = -1\n[budget]\nseconds = 1\n', "`seed` is -1"),
        ('[run]\ngame = "boxes"\ncount = "many"\n[budget]\nseconds = 1\n', "`count` is 'many'"),
        ('[run]\ngame = "boxes"\n[budget]\nseconds = -3\n', "`seconds` is -3"),
    ],
)
def test_mistakes_in_the_file_are_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(text)
    with pytest.raises(PcgError, match=message):
        LevelRun.read(path)


def test_a_missing_or_binary_file_is_an_error_not_a_crash(tmp_path: Path) -> None:
    with pytest.raises(PcgError, match="cannot read"):
        LevelRun.read(tmp_path / "none.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(PcgError, match="not a TOML file"):
        LevelRun.read(tmp_path / "binary.toml")


@pytest.mark.parametrize(("text", "seconds"), [("60s", 60), ("90", 90), ("2m", 120), ("1.5h", 5400), (" 3 s ", 3)])
def test_times_are_read_with_their_unit(text: str, seconds: float) -> None:
    assert parse_seconds(text) == seconds


@pytest.mark.parametrize("text", ["", "0", "0s", "-3s", "3 days", "s"])
def test_other_texts_are_no_times(text: str) -> None:
    with pytest.raises(PcgError, match="no time"):
        parse_seconds(text)
