"""People's votes in the fit of the judge of levels: reading them, and what they do to the weights."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from study_walks import served

import pcg
from benchmarks.validation import eye
from benchmarks.validation import level_votes as lv
from benchmarks.validation import levels as v1
from benchmarks.validation.level_fit import HAND, SOURCES, Measured, fit, measure, rows
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.judging.level_model import NAMES, LevelModel
from pcg.evaluators.preferences.adaptive import make_design
from pcg.evaluators.preferences.simulation import Population, simulate_study
from pcg.evaluators.preferences.votes import Vote, write_votes
from pcg.study.exporting import export_study
from pcg.study.folders import open_study

NOWHERE = Path("no-corpus")
LIKED = NAMES.index("straight")
"""The measure that simulated people care about: how ragged walls are."""
SIDE = 1
"""Its lower side."""


def shuffled(level: str, seed: int) -> str:
    """The level with some of what is inside its edge put elsewhere."""
    cells = np.array([list(row) for row in level.rstrip("\n").split("\n")])
    inner = cells[1:-1, 1:-1]
    rng = np.random.default_rng(seed)
    flat = inner.ravel().copy()
    some = rng.permutation(len(flat))[: len(flat) * (1 + seed % 4) // 5]
    flat[some] = flat[rng.permutation(some)]
    cells[1:-1, 1:-1] = flat.reshape(inner.shape)
    return "\n".join("".join(row) for row in cells)


@pytest.fixture(scope="module")
def games() -> list[Measured]:
    """Two games, with levels of their own and levels that chance has made of them."""
    found = []
    for name in ("boxes", "digger"):
        evaluator = LevelEvaluator(pcg.load(name))
        own = list(evaluator.game.levels)
        made = [shuffled(level, 4 * k + 3) for k, level in enumerate(own)]
        found.append(measure(name, evaluator, {HAND: own, **dict.fromkeys(SOURCES, made)}))
    return found


@pytest.fixture(scope="module")
def fitted(games: list[Measured]) -> Callable[..., LevelModel]:
    """The fit on these two games, with the votes that it is given."""
    return partial(fit, games, [one.own for one in games], {"games": len(games)})


def write_export(folder: Path, game: str, levels: Sequence[str], votes: Sequence[Vote]) -> Path:
    """Write votes and levels as the export of a study has them."""
    folder.mkdir()
    items = [{"item": f"item{k:02d}", "game": game, "level": level} for k, level in enumerate(levels)]
    (folder / "items.jsonl").write_text("".join(json.dumps(one) + "\n" for one in items))
    write_votes(votes, folder / "votes.jsonl")
    return folder


@pytest.fixture(scope="module")
def opinions(tmp_path_factory: pytest.TempPathFactory, fitted: Callable[..., LevelModel]) -> Path:
    """Votes of simulated people who like straight walls, on levels of `digger`."""
    game = pcg.load("digger")
    levels = [shuffled(game.levels[k % 5], k) for k in range(20)]
    evaluator = LevelEvaluator(game)
    scores = rows(fitted(), measure("digger", evaluator, {f"item{k:02d}": [text] for k, text in enumerate(levels)}))
    liked = np.array([one[0][SIDE * len(NAMES) + LIKED] for one in scores.values()])
    people = Population(tuple(scores), 3.0 * (liked - liked.mean()) / liked.std(), {"tie": -1.0})
    votes = simulate_study(people, make_design("random", people.items, 1), 40, 10, 1)
    return write_export(tmp_path_factory.mktemp("votes") / "opinions", "digger", levels, votes)


def share(told: Sequence[tuple[str, float]]) -> float:
    return float(np.mean([right for _, right in told]))


def test_weights_move_to_what_people_like_and_the_model_says_how_many_voted(
    opinions: Path, fitted: Callable[..., LevelModel]
) -> None:
    voted = lv.read_voted([opinions], NOWHERE, every_game=True)
    without, light, heavy = (
        fitted(),
        fitted(votes=voted),
        fitted(votes=lv.read_voted([opinions], NOWHERE, weight=0.4, every_game=True)),
    )
    assert without.weights[SIDE, LIKED] < light.weights[SIDE, LIKED] < heavy.weights[SIDE, LIKED]
    assert heavy.weights.sum() == pytest.approx(1.0) and (heavy.weights >= 0.0).all()
    (game,) = voted.games
    assert share(lv.foretold(without, game)) < min(share(lv.foretold(model, game)) for model in (light, heavy))
    anew = lv.foretold_anew(lambda some: fitted(votes=some), voted)
    assert len(anew) == sum(vote.preferred is not None for vote in game.votes)
    assert share(anew) > share(lv.foretold(without, game))

    told = LevelModel.from_json(json.loads(json.dumps(light.to_json()))).provenance
    assert told["games"] == 2 and "people" not in without.provenance
    assert told["people"]["votes"] == 400 and told["people"]["participants"] == 40
    assert told["people"]["games"] == ["digger"] and told["people"]["studies"] == ["opinions"]
    assert told["people"]["ties"] == sum(vote.preferred is None for vote in game.votes) > 0


def test_the_command_fits_with_votes_and_writes_where_it_is_told(
    opinions: Path,
    games: list[Measured],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(v1, "own_measures", lambda corpus: {one.game: one.own for one in games})
    monkeypatch.setattr(v1, "held_out", lambda game: False)
    parser = argparse.ArgumentParser()
    v1.add_arguments(parser)
    out = tmp_path / "model.json"
    args = parser.parse_args(["--fit", "--votes", str(opinions), "--every-game", "--model", str(out)])
    found: dict[str, dict[str, dict[str, float]]] = {}
    before = v1.FILE.read_bytes()
    v1.fit_and_store(args, games, found)
    assert v1.FILE.read_bytes() == before
    assert json.loads(out.read_text())["provenance"]["people"]["votes"] == 400
    assert found["votes"]["fitted on, anew by level"]["share"] > found["votes"]["fitted on, without votes"]["share"]
    assert "400" in capsys.readouterr().out


def test_votes_about_games_that_are_held_out_are_foretold_and_not_fitted_on(
    opinions: Path, fitted: Callable[..., LevelModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lv, "held_out", lambda game: True)
    voted = lv.read_voted([opinions], NOWHERE)
    assert not voted.fitted and len(voted.games) == 1
    assert voted.provenance()["votes"] == 0 and voted.provenance()["not_fitted_on"]["about_games_held_out"] == 400
    assert (fitted(votes=voted).weights == fitted().weights).all()


def test_a_tie_draws_two_levels_together(tmp_path: Path, fitted: Callable[..., LevelModel]) -> None:
    levels = pcg.load("boxes").levels[:2]
    tie = write_export(tmp_path / "tie", "boxes", levels, [Vote("p", "item00", "item01", "neither")])
    voted = lv.read_voted([tie], NOWHERE, every_game=True)
    (pairs,) = voted.pairs(fitted())
    assert (pairs.differences[0] == -pairs.differences[1]).all() and pairs.weights.tolist() == [0.02, 0.02]
    assert lv.foretold(fitted(), voted.games[0]) == []


def test_levels_of_different_games_are_not_compared(tmp_path: Path) -> None:
    folder = write_export(tmp_path / "two", "boxes", pcg.load("boxes").levels[:2], [
        Vote("p", "item00", "item01", "first"), Vote("p", "item00", "other", "second"),
    ])  # fmt: skip
    with (folder / "items.jsonl").open("a") as file:
        file.write(json.dumps({"item": "other", "game": "digger", "level": pcg.load("digger").levels[0]}) + "\n")
    voted = lv.read_voted([folder], NOWHERE)
    assert voted.across_games == 1 and [len(game.votes) for game in voted.games] == [1]


def test_the_votes_of_a_study_and_of_its_export_are_the_same(tmp_path: Path) -> None:
    sources = tmp_path / "by-hand", tmp_path / "made"
    own = pcg.load("boxes").levels
    for folder, levels in zip(sources, (own[:2], [shuffled(level, 7) for level in own[2:4]]), strict=True):
        folder.mkdir()
        for k, level in enumerate(levels):
            (folder / f"lvl{k}.txt").write_text(level)
    eye.make_eye_study(tmp_path / "study", *sources, game="boxes", pairs=3)
    store = open_study(tmp_path / "study")
    with served(store) as another:
        for answers in (["first", "second", "both"], ["second", "second", "first"]):
            one = another().join().begin()
            for answer in answers:
                one.vote(answer)
    export_study(store, tmp_path / "export")
    (live,), (exported,) = (lv.read_voted([tmp_path / name], NOWHERE).games for name in ("study", "export"))
    assert live.votes == exported.votes and len(live.votes) == 6
    assert len(live.measured.own) == len(own)
    assert set(live.measured.levels) == {item.name for item in store.items}


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    levels = pcg.load("boxes").levels[:2]
    with pytest.raises(PcgError, match="neither a study nor the export of one"):
        lv.read_voted([tmp_path], NOWHERE)
    vote = [Vote("p", "item00", "item01", "first")]
    lost = write_export(tmp_path / "lost", "no-such-game", levels, vote)
    with pytest.raises(PcgError, match="no game is called `no-such-game`"):
        lv.read_voted([lost], NOWHERE)
    with pytest.raises(PcgError, match="the weight of a vote is 0"):
        lv.read_voted([lost], NOWHERE, weight=0.0)
    missing = write_export(tmp_path / "missing", "boxes", levels, [Vote("p", "item00", "item09", "first")])
    with pytest.raises(PcgError, match="a vote is about `item09`, which is none of its 2 levels"):
        lv.read_voted([missing], NOWHERE)
