"""The command line: what it prints, how it fails, and that failing leaves nothing behind."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer.core
import typer.main
from typer.testing import CliRunner, Result

import pcg
from pcg.cli import app
from pcg.engine.game import builtin_games

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in an empty folder; returns what it printed and its exit code."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def invoke(*arguments: str | Path) -> Result:
        result = CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)
        return result

    return invoke


GOOD = """\
BasicGame
    SpriteSet
        wall > Immovable
        gem > Immovable color=GOLD
        hero > MovingAvatar
    InteractionSet
        hero wall > stepBack
        gem hero > killSprite scoreChange=1
    LevelMapping
        w > wall
        g > gem
        A > hero
    TerminationSet
        SpriteCounter stype=gem limit=0 win=True
"""
LEVEL = "wwwww\nwA.gw\nwwwww\n"


def test_help_names_every_command(run: Run) -> None:
    result = run("--help")
    assert result.exit_code == 0
    for name in (
        "check",
        "format",
        "play",
        "levels",
        "resume",
        "bench",
        "conformance",
        "games",
        "agents",
        "list",
        "doctor",
    ):
        assert f" {name} " in result.output


def test_help_of_every_command_fits_a_terminal_of_80_columns(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    seen = 0

    def look(group: typer.core.TyperGroup, words: list[str]) -> None:
        nonlocal seen
        for name in group.commands:
            result, command = run(*words, name, "--help"), group.commands[name]
            assert result.exit_code == 0, (words, name)
            lines = result.output.splitlines()
            assert max(map(len, lines)) <= 80, (words, name)
            cut = [line for line in lines if "…" in line]
            assert not cut, (words, name, cut)
            seen += 1
            if isinstance(command, typer.core.TyperGroup):
                look(command, [*words, name])
            else:  # the sentences have most of the width
                assert max(len(line) - len(line.lstrip()) for line in lines if line.strip()) <= 40, (words, name)

    look(typer.main.get_command(app), [])
    assert seen > 60


def test_version_is_that_of_the_package(run: Run) -> None:
    assert run("--version").output == f"pcg {pcg.__version__}\n"


def test_unknown_command_names_the_nearest(run: Run) -> None:
    result = run("chek", "dungeon")
    assert result.exit_code == 2
    assert "check" in result.output


# --- check and format -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(builtin_games()))
def test_built_in_games_and_levels_check_without_warnings(run: Run, name: str) -> None:
    levels = sorted(builtin_games()[name].glob("lvl*.txt"))
    result = run("check", name, *levels)
    assert result.exit_code == 0
    assert "6 texts checked: 0 errors, 0 warnings" in result.output


def test_check_shows_line_caret_and_nearest_name(run: Run, tmp_path: Path) -> None:
    (tmp_path / "gems.vgdl").write_text(GOOD.replace("killSprite", "killsprite"))
    result = run("check", "gems.vgdl")
    assert result.exit_code == 2
    assert "gems.vgdl:8:" in result.stderr
    assert "did you mean `killSprite`" in result.stderr
    assert "^" in result.stderr
    assert "Traceback" not in result.output


def test_check_finds_a_character_that_the_game_does_not_know(run: Run, tmp_path: Path) -> None:
    (tmp_path / "gems.vgdl").write_text(GOOD)
    (tmp_path / "l.txt").write_text(LEVEL.replace(".", "?"))
    result = run("check", "gems.vgdl", "l.txt")
    assert result.exit_code == 2
    assert "l.txt:2:3" in result.stderr


def test_unknown_game_names_the_nearest_built_in_one(run: Run) -> None:
    result = run("check", "dungon")
    assert result.exit_code == 2
    assert "did you mean `dungeon`" in result.stderr


def test_format_prints_the_canonical_form_and_write_is_idempotent(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "gems.vgdl"
    path.write_text(GOOD.replace("    hero > MovingAvatar", "    hero   >   MovingAvatar"))
    printed = run("format", "gems.vgdl").output
    assert path.read_text() != printed
    assert run("format", "gems.vgdl", "--write").exit_code == 0
    assert path.read_text() == printed
    assert "already" in run("format", "gems.vgdl", "--write").output


def test_ontology_lists_everything_and_describes_one_entry(run: Run) -> None:
    everything = run("ontology").output
    assert "killSprite" in everything
    assert "FlakAvatar" in everything
    one = run("ontology", "FlakAvatar").output
    assert "stype" in one
    assert "required" in one
    wrong = run("ontology", "FlackAvatar")
    assert wrong.exit_code == 2
    assert "did you mean `FlakAvatar`" in wrong.stderr


# --- bad input --------------------------------------------------------------------------------------------------------

BAD_GAMES: dict[str, bytes] = {
    "empty": b"",
    "binary": bytes(range(256)) * 8,
    "long line": b"BasicGame " + b"x" * 10_000_000,
    "unknown class": GOOD.replace("MovingAvatar", "MovinAvatar").encode(),
    "no avatar": GOOD.replace("        hero > MovingAvatar\n", "").encode(),
    "recursion": b"BasicGame\n SpriteSet\n" + b"".join(b" " * (n + 2) + b"s%d > Immovable\n" % n for n in range(3000)),
}
BAD_LEVELS: dict[str, str] = {
    "unknown character": LEVEL.replace("g", "z"),
    "ragged": "wwwww\nwA.gwww\nww\n",
    "empty": "",
    "100,000 sprites": "A" + "g" * 399 + "\n" + ("g" * 400 + "\n") * 250,
}
COMMANDS: list[list[str]] = [
    ["check", "GAME", "LEVEL"],
    ["play", "GAME", "--level", "LEVEL", "--agent", "random"],
    ["render", "GAME", "LEVEL", "--out", "picture.png"],
    ["levels", "GAME", "--evaluations", "4", "--out", "made"],
]


def _no_traces_of_failure(result: Result, folder: Path, before: set[Path]) -> None:
    assert result.exit_code == 2, result.output
    assert result.stderr.strip()
    assert "Traceback" not in result.output
    assert set(folder.rglob("*")) == before


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: c[0])
@pytest.mark.parametrize("kind", BAD_GAMES)
def test_bad_game_gives_one_error_and_writes_nothing(run: Run, tmp_path: Path, kind: str, command: list[str]) -> None:
    (tmp_path / "game.vgdl").write_bytes(BAD_GAMES[kind])
    (tmp_path / "level.txt").write_text(LEVEL)
    before = set(tmp_path.rglob("*"))
    names = {"GAME": "game.vgdl", "LEVEL": "level.txt"}
    result = run(*(names.get(word, word) for word in command), "--reading", "strict")
    _no_traces_of_failure(result, tmp_path, before)


@pytest.mark.parametrize("command", COMMANDS[:3], ids=lambda c: c[0])
@pytest.mark.parametrize("kind", BAD_LEVELS)
def test_bad_level_gives_one_error_and_writes_nothing(run: Run, tmp_path: Path, kind: str, command: list[str]) -> None:
    (tmp_path / "game.vgdl").write_text(GOOD)
    (tmp_path / "level.txt").write_text(BAD_LEVELS[kind])
    before = set(tmp_path.rglob("*"))
    names = {"GAME": "game.vgdl", "LEVEL": "level.txt"}
    result = run(*(names.get(word, word) for word in command), "--reading", "strict")
    _no_traces_of_failure(result, tmp_path, before)


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "missing.vgdl"],
        ["check", "dungeon", "missing.txt"],
        ["format", "missing.vgdl"],
        ["format", "."],
        ["play", "dungeon", "--agent", "mtcs"],
        ["play", "dungeon", "--agent", "mcts:depht=3"],
        ["play", "dungeon", "--agent", "mcts", "--budget", "many"],
        ["play", "dungeon", "--level", "7", "--agent", "random"],
        ["play", "dungeon"],  # no keyboard here
        ["render", "dungeon", "9"],
        ["render", "dungeon", "0", "--out", "no/such/folder/a.png"],
        ["levels", "dungeon", "--generator", "evolv", "--out", "made"],
        ["levels", "dungeon", "--budget", "soon", "--out", "made"],
        ["levels", "dungeon", "--out", "no/such/../folder\0/x"],
        ["resume", "nowhere"],
        ["resume", "."],
        ["report", "nowhere"],
        ["conformance", "nowhere", "--games", "."],
        ["bench", "engine", "nothing.txt"],
    ],
    ids=" ".join,
)
def test_unusable_arguments_give_one_message(run: Run, tmp_path: Path, arguments: list[str]) -> None:
    _no_traces_of_failure(run(*arguments), tmp_path, set())


def test_errors_leave_the_process_with_code_2_and_no_traceback() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from pcg.cli import main; main()", "check", "dungon"], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("pcg: no game `dungon`")


# --- play and render --------------------------------------------------------------------------------------------------


def test_an_agent_plays_and_the_play_can_be_filmed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "gems.vgdl").write_text(GOOD)
    (tmp_path / "gems_lvl0.txt").write_text(LEVEL)
    result = run("play", "gems.vgdl", "--agent", "solver", "--gif", "film.gif")
    assert result.exit_code == 0
    assert "gems: won after 2 ticks, score 1" in result.output
    assert (tmp_path / "film.gif").read_bytes().startswith(b"GIF89a")


def test_the_same_seed_plays_the_same_game(run: Run) -> None:
    first = run("play", "hunt", "--agent", "mcts", "--budget", "50calls", "--seed", "4", "--max-ticks", "60").output
    assert (
        run("play", "hunt", "--agent", "mcts", "--budget", "50calls", "--seed", "4", "--max-ticks", "60").output
        == first
    )


def test_render_saves_a_picture_as_large_as_the_level(run: Run, tmp_path: Path) -> None:
    from PIL import Image

    assert run("render", "boxes", "1", "--out", "boxes.png", "--tile", "16").exit_code == 0
    rows = pcg.load("boxes").levels[1].split()
    with Image.open(tmp_path / "boxes.png") as image:
        assert image.size == (16 * len(rows[0]), 16 * len(rows))


def test_render_without_a_file_shows_the_level_in_the_terminal(run: Run) -> None:
    rows = pcg.load("boxes").levels[0].split()
    shown = run("render", "boxes", "0").output.splitlines()
    assert len(shown) >= len(rows)


def test_lists_name_every_game_agent_and_generator(run: Run) -> None:
    from pcg.evaluators.agents import AGENTS
    from pcg.generators.levels import GENERATORS

    for command, names in (("games", builtin_games()), ("agents", AGENTS), ("generators", GENERATORS)):
        output = run(command).output
        assert all(name in output for name in names), command


def test_help_of_levels_tells_where_the_generators_are_listed(run: Run) -> None:
    assert "pcg list generators" in " ".join(run("levels", "--help").output.split())


# --- conformance ------------------------------------------------------------------------------------------------------


@pytest.fixture
def recording(tmp_path: Path) -> tuple[Path, Path]:
    """Folders of games and traces with one play that only says what was done, not what came of it."""
    games, traces = tmp_path / "games", tmp_path / "traces"
    (games / "own").mkdir(parents=True)
    (games / "own" / "gems.txt").write_text(GOOD)
    (games / "own" / "gems_lvl0.txt").write_text(LEVEL)
    lines: list[dict[str, object]] = [{"format": 1, "game": "own/gems", "level": 0, "seed": 7}, {"t": -1}]
    lines += [{"t": t, "a": ["ACTION_RIGHT"]} for t in range(2)]
    write_trace(traces / "own" / "gems" / "lvl0_right.jsonl.gz", lines)
    return games, traces


def write_trace(path: Path, lines: list[dict]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress("".join(json.dumps(line) + "\n" for line in lines).encode()))


def read_trace(path: Path) -> list[dict]:
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def test_emitted_traces_replay_without_difference(run: Run, tmp_path: Path, recording: tuple[Path, Path]) -> None:
    games, traces = recording
    run("conformance", traces, "--games", games, "--emit", tmp_path / "ours")
    result = run("conformance", tmp_path / "ours", "--games", games, "--results", "result.json")
    assert result.exit_code == 0, result.output
    (row,) = json.loads((tmp_path / "result.json").read_text())
    assert row["ok"]
    assert row["ticks"] == 2
    lines = read_trace(tmp_path / "ours" / "own" / "gems" / "lvl0_right.jsonl.gz")
    assert lines[0].keys() >= {"players", "seed", "width", "height", "block_size", "types"}
    assert lines[1].keys() >= {"t", "score", "win", "rng", "s"}
    assert all(line.keys() >= {"t", "a", "score", "win", "ended", "rng", "d", "k", "counters"} for line in lines[2:])
    assert lines[-1]["win"] == ["PLAYER_WINS"]


def test_the_first_difference_is_named_and_the_exit_code_is_1(
    run: Run, tmp_path: Path, recording: tuple[Path, Path]
) -> None:
    games, traces = recording
    run("conformance", traces, "--games", games, "--emit", tmp_path / "ours")
    path = tmp_path / "ours" / "own" / "gems" / "lvl0_right.jsonl.gz"
    lines = read_trace(path)
    lines[3]["score"] = [99]
    write_trace(path, lines)
    result = run("conformance", tmp_path / "ours", "--games", games, "--results", "result.json")
    assert result.exit_code == 1
    assert "tick 1, score: expected [99], got [1]" in result.output
    (row,) = json.loads((tmp_path / "result.json").read_text())
    assert row["difference"] == {"tick": 1, "field": "score", "expected": [99], "got": [1]}


def test_two_processes_find_what_one_finds(run: Run, tmp_path: Path, recording: tuple[Path, Path]) -> None:
    games, traces = recording
    for name in ("gems.txt", "gems_lvl0.txt"):
        (games / "own" / name.replace("gems", "jewels")).write_bytes((games / "own" / name).read_bytes())
    target = traces / "own" / "jewels" / "lvl0_right.jsonl.gz"
    write_trace(target, read_trace(traces / "own" / "gems" / "lvl0_right.jsonl.gz"))
    outputs = [
        run("conformance", traces, "--games", games, "--workers", n, "--emit", tmp_path / f"by-{n}").output
        for n in (1, 2)
    ]
    assert outputs[0] == outputs[1]
    for path in (tmp_path / "by-1").rglob("*.gz"):
        assert (tmp_path / "by-2" / path.relative_to(tmp_path / "by-1")).read_bytes() == path.read_bytes()


def test_the_summary_says_what_the_traces_make_use_of(run: Run, tmp_path: Path, recording: tuple[Path, Path]) -> None:
    games, traces = recording
    run("conformance", traces, "--games", games, "--emit", tmp_path / "ours")
    result = run("conformance", tmp_path / "ours", "--games", games, "--summary-json", "summary.json")
    text = result.output[result.output.index("What the traces make use of") :]
    assert "5 of 6 lines are used" in text
    assert "effect, in the games, but used by no trace: stepBack" in text
    assert "1 of 1 traces match, 2 ticks compared" in text.splitlines()[-1]
    assert max(map(len, text.splitlines())) <= 80
    summary = json.loads((tmp_path / "summary.json").read_text())
    (unused,) = summary["unused"]
    assert unused == {
        "game": "own/gems",
        "line": 7,
        "kind": "effect",
        "name": "stepBack",
        "text": "hero wall > stepBack",
    }
    (kills,) = [row for row in summary["used"] if row["name"] == "killSprite"]
    assert kills == {
        "kind": "effect",
        "name": "killSprite",
        "traces": 1,
        "games": 1,
        "games_with": 1,
        "lines": 1,
        "lines_with": 1,
    }


def test_the_summary_can_be_left_out(run: Run, tmp_path: Path, recording: tuple[Path, Path]) -> None:
    games, traces = recording
    run("conformance", traces, "--games", games, "--emit", tmp_path / "ours")
    result = run("conformance", tmp_path / "ours", "--games", games, "--no-summary")
    assert "make use of" not in result.output
    assert "1 of 1 traces match" in result.output


def test_traces_without_a_game_have_a_summary_too(run: Run, tmp_path: Path, recording: tuple[Path, Path]) -> None:
    _, traces = recording
    (tmp_path / "empty").mkdir()
    result = run("conformance", traces, "--games", tmp_path / "empty")
    assert "0 of 0 lines are used" in result.output


def test_emitting_over_the_recordings_is_refused(run: Run, recording: tuple[Path, Path]) -> None:
    games, traces = recording
    before = {p: p.read_bytes() for p in traces.rglob("*.gz")}
    result = run("conformance", traces, "--games", games, "--emit", traces)
    assert result.exit_code == 2
    assert {p: p.read_bytes() for p in traces.rglob("*.gz")} == before


def test_a_trace_without_its_game_is_a_difference_not_a_crash(
    run: Run, tmp_path: Path, recording: tuple[Path, Path]
) -> None:
    _, traces = recording
    (tmp_path / "empty").mkdir()
    result = run("conformance", traces, "--games", tmp_path / "empty", "--results", "result.json")
    assert result.exit_code == 1
    (row,) = json.loads((tmp_path / "result.json").read_text())
    assert not row["ok"]
    assert "no such game file" in row["error"]
