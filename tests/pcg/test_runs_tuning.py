"""Runs that tune a game: files, resuming, workers, the command line and the report."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import pytest
from kill_resume import kill_and_resume
from run_folders import files
from tiers import first_fast
from typer.testing import CliRunner

import pcg
from pcg.cli import app
from pcg.engine.vgdl import PcgError, read_game
from pcg.report import write_report
from pcg.runs import TuningRun, resume, run_tuning

CHEAP = {"plays": 2, "budget": 5, "max_ticks": 40}
PARAMS = "sprite.dog.cooldown=2..6 sprite.hen.cooldown=1..4 termination.2.limit=10..40:10"


def config(**changes: object) -> TuningRun:
    given = {
        "params": PARAMS, "target": "duration:random=20..25", "evaluations": 30, "levels": "0-1", "checkpoint": 4,
        "confirm": 6,
        "evaluation_parameters": CHEAP,
    }  # fmt: skip
    return TuningRun("hunt", **{**given, **changes})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run with its report."""
    where = tmp_path_factory.mktemp("tuning") / "run"
    run_tuning(config(), where, workers=1)
    write_report(where)
    return where


def test_a_run_leaves_a_game_a_table_and_a_page(folder: Path) -> None:
    summary = json.loads((folder / "summary.json").read_text())
    best = pcg.load(folder / "best.txt")
    assert len(best.levels) == 5
    chosen = summary["after"]["values"]
    game = read_game((folder / "best.txt").read_text(), reading="strict")
    assert str(game.types[game.type_index["dog"]].params["cooldown"]) == chosen["sprite.dog.cooldown"]
    assert str(game.terminations[2].params["limit"]) == chosen["termination.2.limit"]
    with open(folder / "settings.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == summary["settings"] and sum(int(row["samples"]) for row in rows) == 30
    assert summary["before"]["values"]["termination.2.limit"] == "800"
    assert summary["before"]["targets"][0]["measure"] > 25 >= summary["after"]["targets"][0]["measure"] >= 15
    page = (folder / "report.html").read_text()
    for text in ("sprite.dog.cooldown", "Before and after", "duration:random=20..25", "What the parameters do", "<svg"):
        assert text in page


def test_every_event_can_be_played_again(folder: Path) -> None:
    from pcg.generators.tuning import GameSpace, Objective, evaluate_game

    game = pcg.load("hunt")
    space, objective = GameSpace.of(game, PARAMS.split()), Objective("duration:random=20..25")
    for line in (folder / "events.jsonl").read_text().splitlines()[::7]:
        event = json.loads(line)
        judged = evaluate_game(
            space.instantiate(event["values"]), game.levels, objective, numbers=[0, 1], reading="strict", seed=1,
            sample=event["sample"], settings=CHEAP,
        )  # fmt: skip
        assert judged.to_json().items() <= event.items()


@pytest.mark.parametrize("executor", first_fast(["threads", "processes"]))
def test_the_number_and_kind_of_workers_change_nothing(folder: Path, tmp_path: Path, executor: str) -> None:
    run_tuning(config(), tmp_path / "run", workers=2, executor=executor)
    write_report(tmp_path / "run")
    assert files(tmp_path / "run") == files(folder)


@pytest.mark.full
@pytest.mark.parametrize("optimiser", first_fast(["ntbea", "rmhc", "cmaes", "ucb"]))
def test_a_larger_budget_is_as_if_it_had_been_given_at_once(tmp_path: Path, optimiser: str) -> None:
    run_tuning(config(optimiser=optimiser), tmp_path / "whole", workers=2)
    run_tuning(config(optimiser=optimiser, evaluations=13), tmp_path / "parts", workers=2)
    resume(tmp_path / "parts", evaluations=30, workers=1)
    assert files(tmp_path / "parts") == files(tmp_path / "whole")


@pytest.mark.fuzz
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_run_killed_again_and_again_ends_with_the_same_files(tmp_path: Path) -> None:
    given = config(evaluations=60, checkpoint=7)
    run_tuning(given, tmp_path / "whole", workers=1)
    logged = kill_and_resume(given, tmp_path / "run", tmp_path / "whole", kills=8)
    assert len(logged) == 8
    assert files(tmp_path / "run") == files(tmp_path / "whole")


def test_a_function_is_kept_with_the_run(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def short(plays):\n    return 1 / (1 + sum(p.ticks for p in plays['random']) / 100)\n")
    target = f"{file}:short:random"
    run_tuning(config(target=target), tmp_path / "whole", workers=1)
    run_tuning(config(target=target, evaluations=9), tmp_path / "parts", workers=1)
    file.unlink()
    resume(tmp_path / "parts", evaluations=30, workers=2)
    assert files(tmp_path / "parts") == files(tmp_path / "whole")


def test_the_configuration_is_read_back(folder: Path) -> None:
    assert TuningRun.read(folder / "config.toml") == config()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"params": ""}, "hunt has no ParameterSet"),
        ({"target": ""}, "no target"),
        ({"optimiser": "ntbae"}, "did you mean `ntbea`"),
        ({"levels": "7"}, "none of the levels 7"),
        ({"optimiser_parameters": {"kk": 1}}, "did you mean `k`"),
        ({"evaluation_parameters": {"playz": 1}}, "did you mean `plays`"),
        ({"evaluations": 0}, "no budget"),
        ({"window": 0}, "expected a whole number from 1"),
    ],
)
def test_mistakes_show_before_anything_is_written(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    with pytest.raises(PcgError) as caught:
        run_tuning(config(**changes), tmp_path / "run", workers=1)
    assert message in str(caught.value)
    assert not (tmp_path / "run").exists()


def test_games_for_two_players_and_without_levels_are_refused(tmp_path: Path) -> None:
    with pytest.raises(PcgError, match="only games for one player"):
        run_tuning(TuningRun("duel", "rule.0.scoreChange=1..3", "win_rate:mcts=0.5", evaluations=5), tmp_path / "run")
    file = tmp_path / "alone.txt"
    file.write_text(pcg.load("hunt").definition.source)
    with pytest.raises(PcgError, match="has no levels to play"):
        run_tuning(config().__class__(str(file), PARAMS, "win_rate:mcts=0.5", evaluations=5), tmp_path / "run")


def test_tuning_has_no_cache_of_evaluations(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(PcgError, match="tunes a game, has no option cache"):
        resume(folder, cache=tmp_path)


def invoke(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


def test_the_command_tunes_goes_on_and_reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "params.toml").write_text('[params]\nsprite.dog.cooldown = "2..6"\n')
    arguments = ["tune", "hunt", "--params", "params.toml", "--params", "termination.2.limit=10..40:10", "--target"]
    arguments += [
        "duration:random=20..25",
        "--optimiser",
        "rmhc",
        "--budget",
        "8evaluations",
        "--levels",
        "0",
        "--out",
        "run",
    ]
    arguments += ["--set", "evaluation.plays=2", "--set", "evaluation.max_ticks=50", "--set", "run.confirm=4"]
    code, output = invoke(*arguments)
    assert code == 0 and "8 evaluations of" in output and "before," in output and "report: run" in output
    code, output = invoke("resume", "run", "--evaluations", "12")
    assert code == 0 and "12 evaluations of" in output
    assert invoke("report", "run") == (0, "run/report.html\n")
    assert invoke(*arguments)[0] == 2  # the folder holds a run
    code, output = invoke("archive", "run")
    assert code == 2 and "'tuning'" in output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--params", "sprite.dgo.cooldown=1..3"], "did you mean `dog`"),
        (["--params", "sprite.dog.cooldown=1..3", "--budget", "soon"], "expected a time such as 5m"),
        (["--params", "sprite.dog.cooldown=1..3", "--budget", "0evaluations"], "at least one evaluation"),
        (["--params", "sprite.dog.cooldown=1..3", "--set", "plays=3"], "optimiser.k=0.1"),
        (["--params", "sprite.dog.cooldown=1..3", "--set", "runs.confirm=3"], "did you mean [run]"),
    ],
)
def test_bad_input_is_one_message_and_exit_code_2(tmp_path: Path, arguments: list[str], message: str) -> None:
    code, output = invoke("tune", "hunt", "--target", "win_rate:mcts=0.5", *arguments, "--out", str(tmp_path / "run"))
    assert code == 2 and message in output and "Traceback" not in output


def test_the_optimisers_are_listed() -> None:
    code, output = invoke("optimisers")
    assert code == 0
    for name in ("ntbea", "rmhc", "cmaes", "ucb", "random", "grid", "win_rate", "skill_depth"):
        assert name in output
