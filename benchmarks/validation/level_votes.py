"""People's votes about levels, as pairs for the fit of the judge of levels.

A vote for one of two levels of a game is a pair like those of a designer's and a generated level of V1: what was
preferred should be worth more (Bradley and Terry 1952). A tie says that neither should be, and counts half for each.
Votes on levels of different games say which game is liked, and are left out.

Votes are read from the folder of a study (`pcg study`) or from a folder that `pcg study export` wrote. Those about
games that V1 holds out have no part in the fit, as those games' levels have none, unless it is asked for; the report
says how many of the votes the judge foretells, of those fitted on (by item, with its votes left out) and of the others.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.validation.level_fit import Measured, Preferences, measure, rows
from benchmarks.validation.split import held_out
from pcg.engine.game import Game, builtin_games, load
from pcg.engine.lazy import cached_property
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.judging.level_model import LevelModel, enough
from pcg.evaluators.preferences.votes import Vote, preferences, read_votes

Floats = NDArray[np.float64]
WEIGHT = 0.04
"""Weight of a vote in the loss: that of a pair of V1, where 25 pairs of a game and a source weigh 1."""
FOLDS = 5
"""Parts that items are divided into to foretell votes on items that had no part in a fit."""
RESAMPLES = 2000
"""Resamples of the bootstrap over participants."""
_FIELDS = tuple(field.name for field in fields(Vote))


@dataclass(frozen=True)
class VotedLevel:
    """A level that people voted on."""

    name: str
    game: str
    level: str
    rules: str = ""
    """Rules of the game; empty where only its name is known."""
    reading: str = ""


@dataclass(frozen=True)
class VotedGame:
    """The levels of one game that were voted on, and the votes."""

    game: str
    measured: Measured
    """Measures of each level, under the level's name."""
    votes: tuple[Vote, ...]

    @property
    def held_out(self) -> bool:
        """True where V1 keeps the game from fitting."""
        return held_out(self.game)

    def without(self, items: Iterable[str]) -> VotedGame:
        """Return the same without the votes on some items."""
        left_out = set(items)
        return replace(self, votes=tuple(v for v in self.votes if not {v.first, v.second} & left_out))

    def preferences(self, model: LevelModel, weight: float, *, alone: bool = False) -> Preferences:
        """Return the votes as differences of measures and their weights.

        Args:
            model: of which the spreads count.
            weight: of one vote.
            alone: compare levels with all games, as if this one had no levels.
        """
        scores = rows(model, self.measured, alone=alone)
        differences, weights = [], []
        for vote in self.votes:
            difference = scores[vote.first][0] - scores[vote.second][0]
            if vote.preferred is None:
                differences += [difference, -difference]
                weights += [weight / 2.0, weight / 2.0]
            else:
                differences.append(difference if vote.preferred == vote.first else -difference)
                weights.append(weight)
        shape = (len(differences), 2 * len(model.mean))
        return Preferences(np.array(differences).reshape(shape), np.array(weights))


@dataclass(frozen=True)
class VotedLevels:
    """The votes of some studies."""

    games: tuple[VotedGame, ...]
    weight: float
    across_games: int
    """Votes on levels of different games, which are left out."""
    sources: tuple[str, ...]
    """Names of the studies."""
    every_game: bool = False
    """Votes about games that V1 holds out are fitted on too."""

    @cached_property
    def fitted(self) -> tuple[VotedGame, ...]:
        """The games whose votes are fitted on."""
        return tuple(game for game in self.games if self.every_game or not game.held_out)

    def pairs(self, model: LevelModel, *, alone: bool = False) -> list[Preferences]:
        """Return the pairs that are fitted on.

        Args:
            model: of which the spreads count.
            alone: compare levels with all games. Without it games without levels of their own say nothing.
        """
        games = [game for game in self.fitted if game.votes and (alone or len(game.measured.own))]
        return [game.preferences(model, self.weight, alone=alone) for game in games]

    def provenance(self) -> dict[str, Any]:
        """Return where the votes of a fit are from, for the model's file."""
        votes = [vote for game in self.fitted for vote in game.votes]
        return {
            "studies": list(self.sources),
            "votes": len(votes),
            "ties": sum(vote.preferred is None for vote in votes),
            "participants": len({vote.participant for vote in votes}),
            "games": [game.game for game in self.fitted if game.votes],
            "weight_of_a_vote": self.weight,
            "not_fitted_on": {
                "about_games_held_out": sum(len(g.votes) for g in self.games if g not in self.fitted),
                "across_games": self.across_games,
            },
        }


# -- reading -----------------------------------------------------------------------------------------------------------


def read_voted(
    folders: Sequence[Path], corpus: Path, *, weight: float = WEIGHT, question: str | None = None, people: str = "",
    every_game: bool = False,
) -> VotedLevels:  # fmt: skip
    """Read the votes of studies, and measure the levels that they are about.

    Args:
        folders: of studies, or of their exports.
        corpus: in whose `games` games are looked for by name, beside the built-in ones.
        weight: of one vote; a pair of V1 weighs 0.04.
        question: which one; see `preferences`.
        people: `real`, `simulated` or `all` participants; without it the real ones, if there are any.
        every_game: fit on votes about games that V1 holds out too.

    Raises:
        PcgError: for a folder without votes, and a level whose game is not known.
    """
    if weight <= 0.0:
        raise PcgError(f"the weight of a vote is {weight}, expected a number above 0")
    found: list[VotedGame] = []
    across = 0
    for folder in folders:
        votes, levels = read_study(folder, people)
        known = {level.name: level for level in levels}
        chosen = preferences(votes, question)
        for vote in chosen:
            for name in (vote.first, vote.second):
                if name not in known:
                    raise PcgError(f"{folder}: a vote is about `{name}`, which is none of its {len(known)} levels")
        of = {name: (level.game, level.rules, level.reading) for name, level in known.items()}
        across += sum(of[vote.first] != of[vote.second] for vote in chosen)
        for key in dict.fromkeys(of[vote.first] for vote in chosen):
            own = [vote for vote in chosen if of[vote.first] == of[vote.second] == key]
            names = sorted({name for vote in own for name in (vote.first, vote.second)})
            if own:
                evaluator = LevelEvaluator(game_of(known[names[0]], corpus))
                measured = measure(key[0], evaluator, {name: [known[name].level] for name in names})
                found.append(VotedGame(key[0], measured, tuple(own)))
    return VotedLevels(tuple(found), weight, across, tuple(folder.name for folder in folders), every_game)


def read_study(folder: Path, people: str = "") -> tuple[list[Vote], list[VotedLevel]]:
    """Read the votes and levels of a study, or of its export.

    Raises:
        PcgError: it is neither.
    """
    from pcg.study.exporting import study_data  # which needs what studies need
    from pcg.study.folders import is_study, open_study

    if is_study(folder):
        store = open_study(folder)
        votes = [Vote(**{name: row[name] for name in _FIELDS}) for row in study_data(store, people).votes]
        return votes, [VotedLevel(i.name, i.game, i.level, i.rules, i.reading) for i in store.items]
    items = folder / "items.jsonl"
    if not (folder / "votes.jsonl").is_file() or not items.is_file():
        raise PcgError(f"{folder} is neither a study nor the export of one (with votes.jsonl and items.jsonl)")
    if people:
        raise PcgError(f"{folder} is an export, whose participants were chosen when it was made: leave out `{people}`")
    table = [json.loads(line) for line in items.read_text(encoding="utf-8").splitlines()]
    return read_votes(folder / "votes.jsonl"), [VotedLevel(row["item"], row["game"], row["level"]) for row in table]


def game_of(level: VotedLevel, corpus: Path) -> Game:
    """Return the game of a level, with levels of its own where it is a built-in one or one of the corpus.

    Raises:
        PcgError: nothing but the name is known, and no game has it.
    """
    named: list[tuple[Path | str, str]] = [(level.game, "strict")] if level.game in builtin_games() else []
    named += [(path, "gvgai") for path in sorted((corpus / "games").glob(f"**/{level.game}.txt"))]
    for what, reading in named:
        game = load(what, reading=level.reading or reading)
        if not level.rules or game.definition.source.strip() == level.rules.strip():
            return game
    if not level.rules:
        raise PcgError(
            f"no game is called `{level.game}`: name the study's folder, which has the rules, not its export"
        )
    return load(level.rules, levels=[], reading=level.reading or "strict")


# -- reporting ---------------------------------------------------------------------------------------------------------


def values(model: LevelModel, game: VotedGame) -> dict[str, float]:
    """Return the value of the text of each level that was voted on."""
    measured = game.measured
    weights = model.weights if len(measured.own) else model.alone
    found = {name: float(one[0] @ weights.ravel()) for name, one in rows(model, measured).items()}
    if not len(measured.own):
        return found
    own = model.own_values(measured.own)
    return {name: min(value, enough(own[measured.others[name][0]])) for name, value in found.items()}


def foretold(model: LevelModel, game: VotedGame) -> list[tuple[str, float]]:
    """Return for each vote that is no tie the participant, and 1 if the level preferred has the higher value, 0 if
    the lower, one half if neither.
    """
    worth = values(model, game)
    found = []
    for vote in game.votes:
        if vote.preferred is not None:
            other = vote.second if vote.preferred == vote.first else vote.first
            found.append((vote.participant, float(np.sign(worth[vote.preferred] - worth[other])) / 2.0 + 0.5))
    return found


def foretold_anew(fit: Callable[[VotedLevels], LevelModel], voted: VotedLevels) -> list[tuple[str, float]]:
    """Return the same of the votes fitted on, each by a model that was fitted without the votes on its first level.

    Args:
        fit: fits a model with the votes given.
        voted: of which the votes of `fitted` are foretold.
    """
    found = []
    for k in range(FOLDS):
        left_out = {v.first for game in voted.fitted for v in game.votes if item_fold(v.first) == k}
        if left_out:
            model = fit(replace(voted, games=tuple(game.without(left_out) for game in voted.games)))
            for game in voted.fitted:
                asked = tuple(vote for vote in game.votes if vote.first in left_out)
                found += foretold(model, replace(game, votes=asked))
    return found


def item_fold(item: str) -> int:
    """Return the fold of an item, from 0, by the digest of its name."""
    return int.from_bytes(sha256(item.encode()).digest()[:4], "big") % FOLDS


def agreement(told: Sequence[tuple[str, float]]) -> dict[str, Any]:
    """Return the share of votes foretold, with a 95 % interval by bootstrap over participants.

    >>> agreement([("p1", 1.0), ("p2", 1.0), ("p2", 0.0)])["share"]
    0.6666666666666666
    """
    by: Mapping[str, list[float]] = {who: [] for who, _ in told}
    for who, right in told:
        by[who].append(right)
    right, number = (np.array([f(v) for v in by.values()], np.float64) for f in (sum, len))
    if not len(number):
        return {"votes": 0, "share": None, "interval": None}
    drawn = np.random.default_rng(1).integers(len(number), size=(RESAMPLES, len(number)))
    low, high = np.quantile(right[drawn].sum(axis=1) / number[drawn].sum(axis=1), (0.025, 0.975))
    share = float(right.sum() / number.sum())
    return {"votes": int(number.sum()), "share": share, "interval": [float(low), float(high)]}
