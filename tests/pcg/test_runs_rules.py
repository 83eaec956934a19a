"""Runs that make rules: what they leave behind, that workers and kills do not show, and the command."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from run_folders import files
from typer.testing import CliRunner

import pcg
from pcg.cli import app
from pcg.engine.vgdl import check_game
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.games import GameEvaluation
from pcg.generators.rules import RuleSet
from pcg.generators.rules.genes import shape_distance, shape_of
from pcg.report import write_report
from pcg.runs import resume
from pcg.runs.experiments.rules import initial_rules, run_rules
from pcg.runs.experiments.rules_config import RulesRun
from pcg.runs.game_text import GameText

CHEAP = {"ladder": "nothing random onestep mcts:budget=20", "plays": 2, "max_plays": 2, "max_ticks": 80,
         "min_rules": 0.5, "random_ticks": 40, "min_win": 0, "astray": 0.5}  # fmt: skip
RUN = RulesRun(
    "boxes", count=3, seed=5, evaluations=90, levels="0-1", checkpoint=20, confirm=4, finalists=3, distance=0.2,
    judge=0, make_levels=0,
    generator_parameters={"population": 20, "offspring": 20}, evaluation_parameters=CHEAP,
)  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rules") / "run"
    seen: list[float] = []
    result = run_rules(RUN, folder, workers=1, progress=lambda state: seen.append(state.fraction))
    assert result.evaluations == 90 and result.stopped == "evaluations"
    assert len(seen) == 90 and seen == sorted(seen) and seen[-1] == 1.0
    return folder


def test_a_run_leaves_games_that_read_without_a_warning(whole: Path) -> None:
    index = json.loads((whole / "games" / "index.json").read_text())["games"]
    assert 1 <= len(index) <= 3
    for k, entry in enumerate(index):
        path = whole / "games" / f"game{k}.txt"
        assert entry["file"] == path.name and entry["feasible"]
        assert check_game(path) == []
        game = pcg.load(path, reading="strict")
        assert game.levels == tuple(level for level in pcg.load("boxes").levels[:2])
        genotype = RuleSet.from_json(entry["genotype"])
        assert [str(r) for r in RuleSet.of(path.read_text()).rules] == [str(r) for r in genotype.rules]
        best = GameEvaluation.from_json(entry).best
        assert best is not None
        state = game.start(level=best.level, seed=best.seed)
        for action in best.actions:
            state.advance(action)
        assert (state.winner == 1) == best.won and state.score == best.score  # without its needless sprites, too
    # all are played four times; which of the better half is the first is settled by eight plays
    assert [entry["confirmed"]["profile"][0]["plays"] for entry in index] == [8, 8, 4][-len(index) :]
    shapes = [shape_of(RuleSet.from_json(entry["genotype"])) for entry in index]
    for a in range(len(shapes)):
        assert all(shape_distance(shapes[a], shapes[b]) >= 0.2 for b in range(a))


def test_the_log_tells_of_every_game_that_was_tried(whole: Path) -> None:
    events = [json.loads(line) for line in (whole / "events.jsonl").read_text().splitlines()]
    assert [event["id"] for event in events] == list(range(90))
    summary = json.loads((whole / "summary.json").read_text())
    assert any(event["origin"] == "again" for event in events)
    assert summary["feasible"] == sum(event["feasible"] for event in events if event["origin"] != "again")
    assert summary["repeated"] == 90 - len({json.dumps(event["genotype"]) for event in events})
    assert sum(summary["reasons"].values()) >= sum(not event["feasible"] for event in events)
    assert all(parent < event["id"] for event in events for parent in event["parents"])


@pytest.mark.full
def test_workers_do_not_show(whole: Path, tmp_path: Path) -> None:
    run_rules(RUN, tmp_path / "two", workers=2)
    assert files(tmp_path / "two") == files(whole)
    run_rules(RUN, tmp_path / "processes", workers=2, executor="processes")
    assert files(tmp_path / "processes") == files(whole)


@pytest.mark.full
@pytest.mark.parametrize("lines", [0, 7, 33, 60, 89])
def test_a_run_that_lost_its_end_goes_on_to_the_same_files(whole: Path, tmp_path: Path, lines: int) -> None:
    """As after `kill -9`: the log ends in the middle of a line, and checkpoints may be of any age or missing."""
    folder = tmp_path / "run"
    for name, data in files(whole).items():
        if name != "summary.json" and not name.startswith("games/"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
    log = (whole / "events.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "events.jsonl").write_bytes(b"".join(log[:lines]) + log[lines][:40])
    if lines != 60:
        (folder / "checkpoint.json").unlink()
    resume(folder, workers=2)
    assert files(folder) == files(whole)


def test_a_finished_run_can_be_given_more(whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole, tmp_path / "run")
    longer = resume(tmp_path / "run", evaluations=110, workers=2)
    assert longer.evaluations == 110
    log = (tmp_path / "run" / "events.jsonl").read_text().splitlines()
    assert log[:90] == (whole / "events.jsonl").read_text().splitlines() and len(log) == 110


def test_a_search_can_begin_with_a_games_own_rules_less_some_of_them() -> None:
    game = GameText.of(pcg.load("dungeon"))
    own = RuleSet.of(game.source)
    assert initial_rules(RulesRun("dungeon", evaluations=1), game) == ()
    assert initial_rules(RulesRun("dungeon", evaluations=1, start="own"), game) == (own,)
    (less,) = initial_rules(RulesRun("dungeon", evaluations=1, start="own", drop=0.3), game)
    assert set(less.rules) < set(own.rules) and len(less.rules) == len(own.rules) - round(0.3 * len(own.rules))
    assert less.terminations == own.terminations


@pytest.mark.full
def test_the_report_shows_every_game(whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole, tmp_path / "run")
    page = write_report(tmp_path / "run")
    text = page.read_text()
    index = json.loads((whole / "games" / "index.json").read_text())["games"]
    for k, entry in enumerate(index):
        assert f'id="game{k}"' in text and (page.parent / "games" / f"game{k}.png").is_file()
        assert (page.parent / "games" / f"game{k}_strong.gif").is_file()
        assert str(entry["edits"]) in text
    assert "Family" in text and "You win when" in text
    assert write_report(tmp_path / "run").read_text() == text
    first = {name: data for name, data in files(tmp_path / "run").items() if name.startswith("games/")}
    assert first.keys() >= {"games/game0.txt", "games/game0_lvl0.txt", "games/game0_lvl1.txt"}


def test_configurations_survive_their_file(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(RUN.to_toml())
    assert RulesRun.read(tmp_path / "config.toml") == RUN


# -- the command -------------------------------------------------------------------------------------------------------


def test_the_command_makes_rules(tmp_path: Path) -> None:
    options = [
        "rules",
        "dungeon",
        "--generator",
        "constructive",
        "--budget",
        "40evaluations",
        "--level",
        "0",
        "-n",
        "2",
    ]
    options += ["--out", str(tmp_path / "run")]
    for key, value in CHEAP.items():
        options += ["--set", f"evaluation.{key}={value}"]
    options += ["--set", "run.make_levels=0"]
    options += ["--set", "run.confirm=2", "--set", "run.judge=0"]
    done = CliRunner().invoke(app, options)
    assert done.exit_code == 0, done.output
    assert "games feasible" in done.output and (tmp_path / "run" / "report.html").is_file()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["nogame"], "no game `nogame`"),
        (["boxes", "--generator", "evolv"], "did you mean `evolve`"),
        (["boxes", "--level", "9"], "boxes has none of the levels 9"),
        (["boxes", "--start", "mine"], "expected one of nothing, own"),
        (["boxes", "--budget", "soon"], "expected a time such as 5m"),
        (["boxes", "--set", "run.drop=0.5"], "does not start with the game's own rules"),
        (["boxes", "--set", "evaluation.ladder=random nobody"], "nobody"),
        (["boxes", "--set", "generator.popultion=3"], "did you mean `population`"),
        (["relay2p"], "no game `relay2p`"),
    ],
)
def test_mistakes_end_with_one_message_and_code_2(options: list[str], message: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["rules", *options, "--out", str(tmp_path / "run")])
    assert done.exit_code == 2 and message in " ".join(done.output.split()), done.output
    assert "Traceback" not in done.output and not (tmp_path / "run").exists()


def test_a_game_for_two_and_a_folder_of_something_else_are_refused(tmp_path: Path, whole: Path) -> None:
    two = next(name for name in pcg.engine.game.builtin_games() if pcg.load(name).players == 2)
    with pytest.raises(PcgError, match="one player"):
        run_rules(RulesRun(two, evaluations=5), tmp_path / "run")
    with pytest.raises(PcgError, match="holds a run already"):
        run_rules(RUN, whole)
