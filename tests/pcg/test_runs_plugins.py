"""Generators, metrics and fitness functions of users, named by `--load`: in commands, in workers, in runs resumed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from run_folders import files
from tiers import first_fast
from typer.testing import CliRunner

from pcg.cli import app
from pcg.engine import registry as plugins
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.agents import AGENTS
from pcg.evaluators.fitness_functions import FITNESS_FUNCTIONS
from pcg.evaluators.metrics import METRICS, LevelText, metric
from pcg.generators.games import GAME_GENERATORS
from pcg.generators.levels import GENERATORS
from pcg.generators.rules import RULE_GENERATORS
from pcg.generators.tuning import OPTIMISERS
from pcg.runs import LevelRun, run_levels

LEVELS = """
from pcg.generators.levels import register
from pcg.generators.levels.minimal.generator import MinimalGenerator

@register
class Mine(MinimalGenerator):
    name = "mine"
    help = "levels of my own"
"""
RULES = """
from pcg.generators.rules import register
from pcg.generators.rules.random.generator import RandomRules

@register
class Mine(RandomRules):
    name = "mine"
    help = "rules of my own"
"""
GAMES = """
from pcg.generators.games import register
from pcg.generators.games.variation.generator import GameVariations

@register
class Mine(GameVariations):
    name = "mine"
    help = "games of my own"
"""
TUNING = """
from pcg.evaluators.agents import Agent, register as register_agent
from pcg.generators.tuning import register
from pcg.generators.tuning.random.optimiser import {optimiser}

@register
class Mine({optimiser}):
    name = "mine"
    help = "points of my own"

@register_agent("still", "presses one key all the time")
class Still(Agent):
    def act(self, state):
        return state.actions[0]
"""
METRIC = """
from pcg.evaluators.fitness_functions import fitness_function
from pcg.evaluators.metrics import metric

@metric("mine", "boxes, a count of my own", whole=True, unit="sprites")
def mine(level):
    return level.count("box")

@fitness_function("mine")
def fewer_boxes(metrics, settings):
    return 1 / (1 + metrics["mine"])
"""
SMALL = ("--seed", "3")
COMMANDS = {
    "levels": (LEVELS, ("levels", "boxes", "--generator", "mine", "-n", "20"), ("--evaluations", "8"), "generators"),
    "rules": (
        RULES, ("rules", "hunt", "--generator", "mine", "--level", "0"), ("--budget", "8evaluations"),
        "rule-generators",
    ),
    "games": (
        GAMES, ("games", "evolve", "hunt", "--generator", "mine", "--levels", "0"), ("--budget", "8evaluations"),
        "games generators",
    ),
    "tune": (
        TUNING,
        ("tune", "hunt", "--params", "sprite.dog.cooldown=2..6", "--target", "duration:still=20..25", "--optimiser",
         "mine", "--levels", "0", "--set", "evaluation.plays=2", "--set", "run.confirm=0"),
        ("--budget", "8evaluations"),
        "optimisers",
    ),
    "metric": (
        METRIC,
        ("levels", "boxes", "--generator", "evolve", "-n", "20", "--target", "mine>=2", "--set",
         "evaluation.fitness=mine", "--set", "generator.population=4", "--set", "generator.offspring=4"),
        ("--evaluations", "8"),
        "metrics",
    ),
}  # fmt: skip


@pytest.fixture
def _nothing_loaded() -> Iterator[None]:
    """Forget what a test has loaded, as a new process would."""
    modules = set(sys.modules)
    yield
    forget(modules)


def half(number: str) -> str:
    """Return half of a number of evaluations, with its unit."""
    return f"{int(number.removesuffix('evaluations')) // 2}{'evaluations' * number.endswith('evaluations')}"


def forget(modules: set[str]) -> None:
    for table in (GENERATORS, RULE_GENERATORS, GAME_GENERATORS, OPTIMISERS):
        table.unregister("mine")
    AGENTS.unregister("still")
    METRICS.unregister("mine")
    FITNESS_FUNCTIONS.unregister("mine")
    for name in set(sys.modules) - modules:
        if name.startswith("plugin_of_"):
            del sys.modules[name]
    for path in plugins.loaded_plugins():
        if Path(path).stem.startswith("plugin_of_"):
            del plugins._plugins[path]


def pcg_command(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    return result.exit_code, result.output


def source_of(kind: str) -> str:
    from pcg.generators.tuning.random import PROVIDES

    return COMMANDS[kind][0].replace("{optimiser}", PROVIDES["random"].partition(":")[2])


@pytest.mark.usefixtures("_nothing_loaded")
@pytest.mark.parametrize("kind", first_fast(COMMANDS, 2))
def test_a_loaded_generator_is_listed_run_and_resumed(kind: str, tmp_path: Path) -> None:
    file = tmp_path / f"plugin_of_{kind}.py"
    file.write_text(source_of(kind))
    _, command, budget, listing = COMMANDS[kind]
    modules = set(sys.modules)
    code, told = pcg_command(*listing.split(), "--load", str(file))
    assert code == 0 and "mine" in told and "of my own" in told
    forget(modules)
    code, told = pcg_command(*command, *SMALL, *budget, "--out", str(tmp_path / "unknown"))
    assert code == 2 and ("`mine`" in told or "`still`" in told)
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    option, number = budget
    made = (*command, *SMALL, "--workers", "1", "--load", str(file))
    assert pcg_command(*made, option, number, "--out", str(whole))[0] in (0, 1)
    assert pcg_command(*made, option, half(number), "--out", str(parts))[0] in (0, 1)
    forget(modules)
    evaluations = number.removesuffix("evaluations")
    assert pcg_command("resume", str(parts), "--evaluations", evaluations, "--workers", "1")[0] in (0, 1)
    assert "mine" in (parts / "config.toml").read_text() and str(file) in (parts / "config.toml").read_text()
    assert files(parts) == files(whole)


@pytest.mark.full
@pytest.mark.parametrize("kind", ["levels", "tune", "metric"])
def test_worker_processes_load_the_file_too(kind: str, tmp_path: Path) -> None:
    """Evaluations of `tune` need the agent, those of `metric` the metric that the file registers, in every process."""
    file = tmp_path / f"plugin_of_{kind}.py"
    file.write_text(source_of(kind))
    _, command, budget, _ = COMMANDS[kind]
    made = (*command, *SMALL, *budget, "--load", file.name)
    processes = ("--executor", "processes", "--workers", "2")
    outputs = []
    for name, how in (("one", ("--workers", "1")), ("two", processes)):
        done = subprocess.run(
            [sys.executable, "-c", "from pcg.cli import main; main()", *made, *how, "--out", name],
            cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode in (0, 1), done.stderr
        outputs.append({k: v for k, v in files(tmp_path / name).items() if k != "report.html"})
    assert outputs[0] == outputs[1]


@pytest.mark.usefixtures("_nothing_loaded")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "no such Python file"),
        ("1 +", "SyntaxError"),
        ("raise ValueError('not today')", "ValueError: not today"),
        ("from pcg.generators.levels import register\nregister(int)", "int is no level generator"),
        (LEVELS.replace('"mine"', '"constructive"'), "there is a level generator `constructive` already"),
    ],
)
@pytest.mark.parametrize("command", [("levels", "boxes", "--evaluations", "2"), ("generators",)])
def test_a_bad_plugin_is_one_line_and_exit_code_2(
    command: tuple[str, ...], text: str | None, message: str, tmp_path: Path
) -> None:
    file = tmp_path / "plugin_of_nobody.py"
    if text is not None:
        file.write_text(text)
    out = ("--out", str(tmp_path / "run")) if command[0] == "levels" else ()
    code, told = pcg_command(*command, "--load", str(file), *out)
    assert code == 2 and message in told and str(file) in told
    assert len(told.strip().splitlines()) == 1 and not (tmp_path / "run").exists()


@pytest.mark.usefixtures("_nothing_loaded")
def test_a_resumed_run_without_its_plugin_says_so(tmp_path: Path) -> None:
    file = tmp_path / "plugin_of_levels.py"
    file.write_text(LEVELS)
    modules = set(sys.modules)
    _, command, budget, _ = COMMANDS["levels"]
    assert pcg_command(*command, *SMALL, *budget, "--load", str(file), "--out", str(tmp_path / "run"))[0] in (0, 1)
    file.unlink()
    forget(modules)
    code, told = pcg_command("resume", str(tmp_path / "run"), "--evaluations", "12")
    assert code == 2 and f"{file}: no such Python file" in told


@pytest.mark.usefixtures("_nothing_loaded")
def test_configurations_keep_full_paths_and_those_that_load_nothing_do_not_say_so(tmp_path: Path) -> None:
    file = tmp_path / "plugin_of levels.py"
    file.write_text(LEVELS)
    config = LevelRun("boxes", evaluations=1, load=f"'{file}'")
    (tmp_path / "config.toml").write_text(config.to_toml())
    assert LevelRun.read(tmp_path / "config.toml") == config and str(file) in config.to_toml()
    assert "load" not in LevelRun("boxes", evaluations=1).to_toml()
    with pytest.raises(PcgError, match=r"No closing quotation, expected names of files"):
        LevelRun("boxes", evaluations=1, load="'plugin.py")


def test_workers_without_a_metric_of_this_process_are_refused(registrations: None, tmp_path: Path) -> None:
    @metric("boxes_here", "boxes at the start", whole=True)
    def boxes_here(level: LevelText) -> float:
        return level.count("box")

    cheap = {"nodes": 300, "budget": 20, "planner_budget": 20, "max_length": 40, "weak_plays": 1}
    config = LevelRun("boxes", generator="random", count=1, seed=1, evaluations=3, evaluation_parameters=cheap)
    run_levels(config, tmp_path / "threads", workers=1)
    with pytest.raises(PcgError, match="has not the same metrics and fitness functions of your own"):
        run_levels(config, tmp_path / "processes", workers=1, executor="processes")
