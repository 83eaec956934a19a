"""Metrics and fitness functions of users: by decorator, in a file of `--load`, and as entry points."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pcg import load
from pcg.cli import app
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.fitness_functions import FITNESS_FUNCTIONS, fitness_function
from pcg.evaluators.metrics import METRICS, AgentPlays, LevelText, Metric, WonPlay, metric
from pcg.evaluators.parameters import Setting
from pcg.evaluators.target_parsing import parse_targets
from pcg.generators.levels import make_generator
from pcg.generators.levels.qd.generator import MapElitesGenerator
from pcg.runs.cache import settings_key

PLUGIN = """
from pcg.evaluators.fitness_functions import fitness_function
from pcg.evaluators.metrics import metric

@metric("boxes_left_half", "boxes in the left half of the level", whole=True, unit="sprites")
def boxes_left_half(level):
    rows = level.text.splitlines()
    return sum(row[: len(row) // 2].count("b") for row in rows)

@fitness_function("constant")
def constant(metrics, settings):
    return 0.25
"""


@pytest.fixture
def clean() -> Iterator[None]:
    """Take away what a test registers."""
    before = set(METRICS), set(FITNESS_FUNCTIONS)
    yield
    for name in set(METRICS) - before[0]:
        METRICS.unregister(name)
    for name in set(FITNESS_FUNCTIONS) - before[1]:
        FITNESS_FUNCTIONS.unregister(name)


@pytest.fixture
def boxes(clean: None) -> Metric:
    @metric("box_count", "boxes at the start", whole=True)
    def box_count(level: LevelText) -> float:
        return level.count("box")

    return box_count


def test_a_metric_of_ones_own_is_measured_and_can_be_a_target(boxes: Metric) -> None:
    game = load("boxes")
    evaluator = LevelEvaluator(game, "box_count=1..2")
    found = evaluator.evaluate(game.levels[0], seed=1)
    number = game.levels[0].count("b")
    assert found.metrics["box_count"] == found.measure("box_count") == number
    assert found.targets == {"box_count": pytest.approx(evaluator.targets[0].satisfaction(number))}
    with pytest.raises(PcgError, match="box_count is at least 0"):
        parse_targets("box_count=-3", evaluator.analysis)
    with pytest.raises(PcgError, match="did you mean `box_count`"):
        parse_targets("box_cuont=1", evaluator.analysis)


def test_a_metric_of_ones_own_spreads_an_archive(boxes: Metric) -> None:
    game = load("boxes")
    generator = make_generator("map-elites", game, seed=1, measures="box_count:0..8:8")
    assert isinstance(generator, MapElitesGenerator)
    values = []
    for candidate in generator.ask(4):
        grid = generator.context.palette.parse(candidate.level)
        values += generator.measuring.of_text(grid)
        assert values[-1] == LevelEvaluator(game).text.measure(grid)["box_count"]
    assert len(values) == 4


def test_metrics_of_plays_and_of_agents(clean: None) -> None:
    @metric("turns", "changes of direction", stage="play", whole=True)
    def turns(play: WonPlay) -> float:
        return sum(a != b for a, b in zip(play.actions, play.actions[1:], strict=False))

    @metric("idle_score", "mean score of doing nothing", float("-inf"), stage="agents")
    def idle_score(plays: AgentPlays) -> float | None:
        return sum(p.score for p in plays.idle) / len(plays.idle) if plays.idle else None

    game = load("boxes")
    evaluator = LevelEvaluator(game)
    found = evaluator.evaluate(game.levels[0], seed=1)
    assert found.metrics["turns"] == sum(a != b for a, b in zip(found.actions, found.actions[1:], strict=False)) > 0
    assert found.metrics["idle_score"] == 0
    lost = evaluator.evaluate(game.levels[0].replace("A", "."), seed=1)
    assert "turns" not in lost.metrics and "idle_score" not in lost.metrics


def test_a_fitness_function_of_ones_own_judges_feasible_levels(clean: None) -> None:
    @fitness_function("short")
    def short(metrics: Mapping[str, float], settings: Mapping[str, Setting]) -> float:
        return 1.0 - metrics["solution_length"] / float(settings["max_length"])

    game = load("boxes")
    found = LevelEvaluator(game, fitness="short").evaluate(game.levels[0], seed=1)
    assert found.feasible and found.fitness == 1.0 - found.metrics["solution_length"] / 400
    plain = LevelEvaluator(game, fitness="quality").evaluate(game.levels[0], seed=1)
    assert plain.fitness == LevelEvaluator(game).evaluate(game.levels[0], seed=1).fitness != found.fitness
    with pytest.raises(PcgError, match="unknown fitness function `shor`, did you mean `short`"):
        LevelEvaluator(game, fitness="shor")


def test_a_fitness_beyond_its_range_is_an_error(clean: None) -> None:
    @fitness_function("large")
    def large(metrics: Mapping[str, float], settings: Mapping[str, Setting]) -> float:
        return 2.0

    game = load("boxes")
    with pytest.raises(PcgError, match=r"fitness function `large` gave 2.0, expected a number in \[0, 1\]"):
        LevelEvaluator(game, fitness="large").evaluate(game.levels[0], seed=1)


@pytest.mark.parametrize(
    ("declare", "message"),
    [
        (lambda: metric("a=b", "bad"), "cannot be called 'a=b'"),
        (lambda: metric("mechanic.x", "bad"), "mechanic"),
        (lambda: metric("fine", "bad", stage="tekst"), "unknown stage `tekst`, did you mean `text`"),
        (lambda: metric("fine", "bad", 2, 1), "the range 2..1 is empty"),
        (lambda: metric("density", "bad")(lambda level: 0.0), "there is a metric `density` already"),
    ],
)
def test_bad_declarations_are_refused(declare: Callable[[], object], message: str) -> None:
    with pytest.raises(PcgError, match=message):
        declare()


def test_a_metric_that_gives_no_number_is_named(clean: None) -> None:
    @metric("wrong", "gives a text")
    def wrong(level: LevelText) -> float:
        return "three"  # type: ignore[return-value]

    game = load("boxes")
    with pytest.raises(PcgError, match="metric `wrong` gave 'three', expected a number or None"):
        LevelEvaluator(game).evaluate(game.levels[0], seed=1)


def test_caches_tell_evaluations_with_other_metrics_apart(clean: None) -> None:
    plain = settings_key(["same"])

    @metric("another", "nothing")
    def another(level: LevelText) -> float:
        return 0.0

    assert settings_key(["same"]) == settings_key(["same"]) != plain
    METRICS.unregister("another")
    assert settings_key(["same"]) == plain


def test_a_metric_may_be_declared_again_as_in_a_notebook(clean: None) -> None:
    def declare(value: float) -> Metric:
        @metric("again", "changes")
        def again(level: LevelText) -> float:
            return value

        return again

    declare(1.0)
    declare(2.0)
    game = load("boxes")
    evaluator = LevelEvaluator(game)
    assert evaluator.text.measure(evaluator.palette.parse(game.levels[0]), ["again"]) == {"again": 2.0}


def test_measure_and_metrics_load_files(tmp_path: Path, clean: None) -> None:
    plugin = tmp_path / "my_metrics_of_boxes.py"
    plugin.write_text(PLUGIN, encoding="utf-8")
    runner = CliRunner()
    listed = runner.invoke(app, ["metrics", "--load", str(plugin), "--json"])
    assert listed.exit_code == 0, listed.output
    assert json.loads(listed.stdout)["metrics"][-1]["name"] == "boxes_left_half"
    given = ["measure", "boxes", "0", "--load", str(plugin), "--target", "boxes_left_half=0..9", "--json"]
    measured = runner.invoke(app, given)
    assert measured.exit_code == 0, measured.output
    (level,) = json.loads(measured.stdout)["levels"]
    assert level["wants"] == {"boxes_left_half": 1.0} and level["metrics"]["boxes_left_half"] >= 0
    table = runner.invoke(app, ["measure", "boxes", "0", "--load", str(plugin)])
    assert table.exit_code == 0 and "boxes_left_half" in table.output
    missing = runner.invoke(app, ["metrics", "--load", str(tmp_path / "none.py")])
    assert missing.exit_code == 2 and "no such Python file" in missing.output


def test_installed_packages_declare_entry_points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clean: None) -> None:
    (tmp_path / "an_installed_package.py").write_text(PLUGIN, encoding="utf-8")
    info = tmp_path / "an_installed_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: an-installed-package\nVersion: 1.0\n", encoding="utf-8"
    )
    entries = (
        "[pcg.metrics]\nboxes_left_half = an_installed_package:boxes_left_half\n"
        "[pcg.fitness]\nconstant = an_installed_package:constant\n"
    )
    (info / "entry_points.txt").write_text(entries, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    for registry in (METRICS, FITNESS_FUNCTIONS):
        monkeypatch.setattr(registry, "_installed", None)  # looked up once per process
    game = load("boxes")
    found = LevelEvaluator(game, "boxes_left_half>=0", fitness="constant").evaluate(game.levels[0], seed=1)
    assert found.targets == {"boxes_left_half": 1.0}
    assert found.fitness == 0.5 + 0.5 * 0.25
