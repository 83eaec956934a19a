"""The commands `describe` and `minimise`: what they print and write, and how they fail."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from pcg.cli import app
from pcg.engine.vgdl import read_game

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)


def test_describe_prints_a_game(run: Run) -> None:
    result = run("describe", "dungeon", "--level", "1")
    assert result.exit_code == 0
    assert "You win when no door is left." in result.output and "at the start" in result.output


def test_describe_speaks_chinese(run: Run) -> None:
    result = run("describe", "dungeon", "--language", "zh")
    assert result.exit_code == 0
    assert "门一个也不剩时，您获胜。" in result.output
    page = run("describe", "boxes", "--language", "zh", "--format", "html", "-o", "a.html")
    assert page.exit_code == 0 and "箱子" in Path("a.html").read_text(encoding="utf-8")


def test_describe_writes_every_format_and_diagrams(run: Run) -> None:
    assert json.loads(run("describe", "boxes", "--format", "json").output)["win"]
    assert run("describe", "boxes", "--format", "markdown", "-o", "a.md", "--diagram", "a.png").exit_code == 0
    assert "](a.png)" in Path("a.md").read_text() and Path("a.png").read_bytes().startswith(b"\x89PNG")
    assert run("describe", "boxes", "--format", "html", "-o", "a.html", "--diagram", "a.svg").exit_code == 0
    assert "<svg" in Path("a.html").read_text() and "<svg" in Path("a.svg").read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("describe", "dungen"), "did you mean `dungeon`?"),
        (("describe", "boxes", "--level", "9"), "has no level 9"),
        (("describe", "boxes", "--level", "none.txt"), "none.txt"),
        (("describe", "boxes", "--format", "pdf"), "pdf"),
        (("describe", "boxes", "--language", "tlh"), "`tlh`, only in en, zh"),
        (("describe", "boxes", "--diagram", "a.gif"), ".svg or .png"),
        (("describe", "boxes", "-o", "no/folder/a.txt"), "no/folder"),
        (("describe", "bad.txt"), "unknown effect `kilSprite`"),
        (("minimise", "nothing"), "no game"),
        (("minimise", "boxes", "--levels", "0,x"), "levels `0,x`: `x`"),
        (("minimise", "boxes", "--levels", "8"), "boxes has none of the levels 8"),
        (("minimise", "boxes", "--agents", "mtcs"), "did you mean `mcts`?"),
        (("minimise", "boxes", "--levels", "0", "--agents", "mcts:deep=3"), "deep"),
        (("minimise", "boxes", "--levels", "0", "--budget", "much"), "much"),
        (("minimise", "boxes", "--max-ticks", "0"), "max-ticks"),
    ],
)  # fmt: skip
def test_bad_input_is_one_message_and_exit_code_2(run: Run, arguments: tuple[str, ...], said: str) -> None:
    Path("bad.txt").write_text(
        "BasicGame\n  SpriteSet\n    a > Immovable\n  InteractionSet\n    a a > kilSprite\n", encoding="utf-8"
    )
    result = run(*arguments, *(("--reading", "strict") if "bad.txt" in arguments else ()))
    assert result.exit_code == 2
    assert said in result.output and "Traceback" not in result.output
    assert not Path("a.gif").exists()


def test_minimise_writes_a_strict_game_and_says_what_went(run: Run) -> None:
    quick = ("--levels", "0", "--agents", "random,onestep", "--seeds", "1", "--max-ticks", "40")
    result = run("minimise", "dungeon", *quick, "--rename", "-o", "small.txt")
    assert result.exit_code == 0 and "saved small.txt" in result.output
    assert "looked at 2 plays" in result.output and "removed " in result.output and "hero to avatar" in result.output
    read_game(Path("small.txt"), reading="strict")
    printed = run("minimise", "dungeon", *quick, "--rename")
    assert Path("small.txt").read_text() in printed.output


def test_an_interrupted_search_still_writes(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from pcg.minimise.minimiser import _Search

    whole = _Search.remove

    def interrupted(self: _Search, parts: object) -> bool:
        whole(self, parts)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    monkeypatch.setattr(_Search, "remove", interrupted)
    result = run(
        "minimise", "dungeon", "--levels", "0", "--agents", "random", "--seeds", "1", "--max-ticks", "20", "-o", "x.txt"
    )
    assert result.exit_code == 130 and "best so far" in result.output
    read_game(Path("x.txt"), reading="strict")
