"""Runs that make rules: last plays, early ends, archives, and that neither workers nor restarts change anything."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import pcg
from pcg.engine.kernel.runtime import COMPILED
from pcg.evaluators.games import GameEvaluation
from pcg.generators.rules import RULE_GENERATORS, RuleCandidate, RuleSet
from pcg.generators.rules.genes import Rule, shape_of
from pcg.runs import resume
from pcg.runs.experiments.game_search import GameSearch
from pcg.runs.experiments.kept_games import KeptGame, judgement_of
from pcg.runs.experiments.presentation import ShownGame
from pcg.runs.experiments.rules import RuleSearch, evaluate_rules, run_rules
from pcg.runs.experiments.rules_config import RulesRun

pytestmark = pytest.mark.skipif(not COMPILED, reason="takes too long without the compiler")
CHEAP = {"ladder": "nothing random onestep", "max_ticks": 60, "min_ticks": 20, "random_ticks": 30, "min_win": 0,
         "usual": 0.0, "astray": 0.5}  # fmt: skip


def config(generator: str = "evolve", **more: object) -> RulesRun:
    settings = {"game": "boxes", "levels": "0", "count": 4, "evaluations": 120, "confirm": 0, "judge": 0, **more}
    parameters = {"population": 10, "offspring": 10} if RULE_GENERATORS[generator].learns else {}
    return RulesRun(generator=generator, generator_parameters=parameters, evaluation_parameters=CHEAP, **settings)  # type: ignore[arg-type]


def events(folder: Path) -> str:
    return (folder / "events.jsonl").read_text()


@pytest.mark.full
@pytest.mark.parametrize("generator", ["evolve", "novelty", "map-elites"])
def test_neither_workers_nor_a_pause_change_anything(generator: str, tmp_path: Path) -> None:
    if generator == "map-elites":
        pytest.importorskip("ribs")
    run_rules(config(generator), tmp_path / "one", workers=1)
    run_rules(config(generator), tmp_path / "two", workers=2)
    run_rules(config(generator, evaluations=47), tmp_path / "paused", workers=2)
    resume(tmp_path / "paused", evaluations=120, workers=1)
    assert events(tmp_path / "one") == events(tmp_path / "two") == events(tmp_path / "paused")
    games = sorted(p.name for p in (tmp_path / "one" / "games").iterdir())
    assert "game0.txt" in games and ("archive.json" in games) == (generator == "map-elites")
    for name in games:
        assert (tmp_path / "one/games" / name).read_text() == (tmp_path / "paused/games" / name).read_text()


def test_hopeless_games_are_left_early_and_are_not_feasible(tmp_path: Path) -> None:
    # of few parents the worst is good, so that many a child has no hope
    few = replace(config(), generator_parameters={"population": 3, "offspring": 10})
    run_rules(few, tmp_path / "run", workers=2)
    found = [json.loads(line) for line in events(tmp_path / "run").splitlines()]
    left = [event for event in found if "cannot reach" in event["reason"]]
    assert left and not any(event["feasible"] for event in left)


def last_plays(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Numbers of the plays of each agent in the last plays of runs to come, in which whatever chance wins stays."""
    played: list[int] = []

    def evaluate(*arguments: Any) -> Any:
        if arguments[2]:
            played.append(arguments[2])
        return evaluate_rules(*arguments)

    monkeypatch.setattr("pcg.runs.experiments.rules.evaluate_rules", evaluate)
    monkeypatch.setattr("pcg.runs.experiments.game_search.KeptGame.lucky", False)
    monkeypatch.setattr("pcg.runs.experiments.game_search.KeptGame.stood", True)
    return played


@pytest.mark.full
def test_finalists_are_halved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twelve are played five times, six of them ten times and three twenty times, which are wanted; of these the better
    two are played forty times more, to tell which is the first.
    """
    played = last_plays(monkeypatch)
    given = config(evaluations=300, confirm=20, finalists=12, count=3, distance=0.05)
    result = run_rules(given, tmp_path / "run", workers=1)
    assert played == [5] * 12 + [10] * 6 + [20] * 3 + [40] * 2
    assert [one.confirmed and one.confirmed.profile[0].plays for one in result.games] == [40, 40, 20]
    for one, other in pairwise(result.games):
        assert one.rank > other.rank
    game = pcg.load(tmp_path / "run" / "games" / "game0.txt")
    assert not game.definition.diagnostics


@pytest.mark.full
def test_judged_games_that_are_kept_are_played_in_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All finalists are played a quarter as often as is asked for, and only what is kept by the judge's value in full:
    also a game that takes the place of one that was too like a better one, or that chance wins.
    """
    played = last_plays(monkeypatch)
    monkeypatch.setattr("pcg.runs.experiments.game_search.NEARLY", 0.6)  # so that some are too like a better one
    given = config(evaluations=300, confirm=8, finalists=9, count=3, distance=0.05, judge=1, finish=0, dress=0)
    result = run_rules(given, tmp_path / "run", workers=1)
    assert played[:9] == [2] * 9 and set(played[9:]) <= {2, 8}
    assert 3 < played.count(8) <= 12, "as many as finalists and wanted games together suffice"
    assert [one.confirmed and one.confirmed.profile[0].plays for one in result.games] == [8] * len(result.games)
    assert all(one.value >= other.value for one, other in pairwise(result.games))


@pytest.mark.full
def test_games_that_fail_in_the_last_plays_make_way_for_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three finalists the first two fail: two that were none are played, and nobody sees the failed ones."""
    asked: list[str] = []

    def evaluate(work: Any, genotype: Any, plays: int, *others: Any) -> Any:
        verdict, seconds = evaluate_rules(work, genotype, plays, *others)
        if not plays:
            return verdict, seconds
        if (name := str(genotype)) not in asked:
            asked.append(name)
        constraints = dict.fromkeys(verdict.constraints, 0.5 if asked.index(name) < 2 else 1.0)
        failed = asked.index(name) < 2
        return replace(verdict, feasible=not failed, constraints=constraints), seconds

    monkeypatch.setattr("pcg.runs.experiments.rules.evaluate_rules", evaluate)
    monkeypatch.setattr(
        "pcg.runs.experiments.game_search.judgement_of", lambda *given: {**judgement_of(*given), "feasible": True}
    )
    monkeypatch.setattr("pcg.runs.experiments.game_search.KeptGame.lucky", False)
    given = config(evaluations=300, confirm=4, finalists=3, count=3, distance=0.05, judge=1, finish=0, dress=0)
    result = run_rules(given, tmp_path / "run", workers=1)
    assert len(asked) > 3 and result.games
    shown = [str(game.candidate.genotype) for game in result.games]
    assert not set(shown) & set(asked[:2])
    assert all(game.stood for game in result.games)
    assert result.summary["reasons"]["not feasible in the last plays"] >= 2


@pytest.mark.full
def test_finalists_are_the_best_by_the_judge_of_several_times_as_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values: list[float] = []

    def judgement(*given: Any) -> Any:
        number = len(values)
        found = {**judgement_of(*given), "feasible": number % 4 != 3, "value": number * 37 % 100 / 100}
        values.append(found["value"] if found["feasible"] else 0.0)
        return found

    played = last_plays(monkeypatch)
    monkeypatch.setattr("pcg.runs.experiments.game_search.judgement_of", judgement)
    given = config(evaluations=300, confirm=4, finalists=2, count=2, distance=0.05, judge=1, finish=0, dress=0)
    result = run_rules(given, tmp_path / "run", workers=1)
    assert 4 < len(values) <= 8 and played[:2] == [1, 1], "four are judged for each that is played"
    assert result.games[0].value == max(values)
    assert result.summary["reasons"]["refused by the judge of games"] == values.count(0.0) - 1


@pytest.mark.full
def test_a_family_of_goals_whose_games_are_less_fit_reaches_the_judge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fittest games are all of one family: of another one is judged and kept, for its value is higher."""

    def evaluate(work: Any, genotype: Any, plays: int, *others: Any) -> Any:
        verdict, seconds = evaluate_rules(work, genotype, plays, *others)
        rare = sum(map(ord, str(genotype))) % 10 == 0
        fitness = verdict.fitness * (0.1 if rare else 1.0)
        return replace(verdict, fitness=fitness, metrics={**verdict.metrics, "goal": 6.0 if rare else 5.0}), seconds

    monkeypatch.setattr("pcg.runs.experiments.rules.evaluate_rules", evaluate)
    monkeypatch.setattr("pcg.runs.experiments.game_search.KeptGame.lucky", False)
    monkeypatch.setattr("pcg.runs.experiments.game_search.KeptGame.stood", True)
    given = config(evaluations=300, confirm=4, finalists=2, count=2, distance=0.05, judge=1, finish=0, dress=0)
    result = run_rules(given, tmp_path / "run", workers=1)
    assert {game.kind[0] for game in result.games} == {5.0, 6.0}


@pytest.mark.full
def test_variants_of_games_are_judged_where_few_are_unlike_one_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All are alike, and the fittest of each family fail: what is kept are variants of these."""
    judged: list[str] = []
    fittest: set[str] = set()

    def judgement(text: str, *given: Any) -> Any:
        judged.append(text)
        return {**judgement_of(text, *given), "feasible": True}

    def evaluate(work: Any, genotype: Any, plays: int, *others: Any) -> Any:
        verdict, seconds = evaluate_rules(work, genotype, plays, *others)
        lost = bool(plays) and str(genotype) in fittest
        constraints = dict.fromkeys(verdict.constraints, 0.5 if lost else 1.0)
        return (replace(verdict, feasible=not lost, constraints=constraints) if plays else verdict), seconds

    def best(run: GameSearch) -> Any:
        found = of_families(run)
        fittest.update(str(game.candidate.genotype) for game in found)
        return found

    of_families = GameSearch._best
    monkeypatch.setattr(GameSearch, "_best", best)
    monkeypatch.setattr("pcg.runs.experiments.rules.evaluate_rules", evaluate)
    monkeypatch.setattr("pcg.runs.experiments.game_search.judgement_of", judgement)
    monkeypatch.setattr("pcg.runs.experiments.game_search.KeptGame.lucky", False)
    given = config(evaluations=300, confirm=4, finalists=3, count=3, distance=0.99, judge=1, finish=0, dress=0)
    result = run_rules(given, tmp_path / "run", workers=1)
    assert len(fittest) < len(judged) <= 12, "four are judged for each finalist, as far as there are so many"
    assert result.games and not fittest & {str(game.candidate.genotype) for game in result.games}


@pytest.mark.full
def test_what_promises_more_than_what_is_kept_takes_a_place_that_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Finalists lose most of their value when they are presented: the others that were judged get their turn."""
    values = itertools.count()

    def judgement(*given: Any) -> Any:
        return {**judgement_of(*given), "feasible": True, "value": 0.9 - 0.01 * next(values)}

    def present(run: GameSearch, games: Any) -> None:
        for game in games:
            number = game.candidate.id
            run.shown[number] = ShownGame(run._final(game.candidate)[0])
            fallen = len(run.shown) <= 2
            run.judgements[number] = {**run.judgements[number], "value": 0.2 if fallen else game.value}

    played = last_plays(monkeypatch)
    monkeypatch.setattr("pcg.runs.experiments.game_search.judgement_of", judgement)
    monkeypatch.setattr(GameSearch, "_present", present)
    monkeypatch.setattr(GameSearch, "_is_double", lambda *given: False)
    given = config(evaluations=300, confirm=4, finalists=2, count=2, distance=0.05, judge=1, finish=0, dress=0)
    result = run_rules(given, tmp_path / "run", workers=1)
    assert all(game.value > 0.8 for game in result.games)
    assert played.count(4) == 4, "as many as finalists and wanted games together"


def test_a_game_that_is_like_a_double_alone_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second is nearly the first, and the third nearly the second, which nobody sees, but not the first."""
    lines = [Rule("hero", name, "killSprite") for name in ("wall", "ghost", "coin", "door", "crab", "bee")]
    games = [
        KeptGame(
            RuleCandidate(number, RuleSet(tuple(lines[number : number + 4]), ()), "random"),
            GameEvaluation(True, 0.5, 1.0, {}, "", "complete", (), {}),
        )
        for number in range(3)
    ]  # fmt: skip
    run = RuleSearch.__new__(RuleSearch)
    run.doubles, run.shown = set(), {number: ShownGame("") for number in range(3)}
    monkeypatch.setattr(run, "games", lambda: games)
    monkeypatch.setattr(run, "_bare", lambda game: shape_of(game.candidate.genotype))
    run._find_doubles()
    assert run.doubles == {1}
