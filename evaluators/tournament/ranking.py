"""Rankings of agents: per game by wins, score and time, over all games by points, as in the competitions.

Per game agents are ranked by share of wins, then mean score, then mean time steps (t of a won play, 2000 - t of any
other; fewer are better: win soon, lose late). Places earn points as in Formula 1; equal agents share a place, and the
points of all places they take are added up and divided equally among them (the dead-heat rule of the FIA's sporting
regulations). Over all games points count, then the number of first places, then of second places and so on.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pcg.evaluators.agents.playout import MAX_TICKS
from pcg.evaluators.tournament.match import MatchResult
from pcg.evaluators.tournament.ratings import Rating, rate, wilson
from pcg.evaluators.tournament.rules import DISQUALIFIED, LOST, WON

POINTS = (25, 18, 15, 12, 10, 8, 6, 4, 2, 1)
"""Points of the first ten places."""


@dataclass(frozen=True)
class Tally:
    """The plays of one agent of one game, or of all games.

    Attributes:
        plays: how many.
        wins: plays won.
        losses: plays lost.
        disqualified: plays in which the agent was disqualified.
        score: mean score.
        steps: mean of t for won plays and of 2000 - t for others.
        ticks: mean length in ticks.
    """

    plays: int = 0
    wins: int = 0
    losses: int = 0
    disqualified: int = 0
    score: float = 0.0
    steps: float = 0.0
    ticks: float = 0.0

    @property
    def rate(self) -> float:
        """Share of plays won, in [0, 1]."""
        return self.wins / self.plays if self.plays else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """95 % Wilson interval of `rate`."""
        return wilson(self.wins, self.plays)

    @property
    def order(self) -> tuple[float, float, float]:
        """The key that agents are ranked by: the smaller, the better."""
        return (-self.rate, -self.score, self.steps)

    @classmethod
    def of(cls, plays: Iterable[tuple[int, float, int]]) -> Tally:
        """The tally of plays given as (outcome, score, ticks)."""
        all_plays = list(plays)
        count = len(all_plays)
        if not count:
            return cls()
        outcomes = [outcome for outcome, _, _ in all_plays]
        steps = [t if outcome == WON else max(0, MAX_TICKS - t) for outcome, _, t in all_plays]
        return cls(
            count,
            outcomes.count(WON),
            outcomes.count(LOST),
            outcomes.count(DISQUALIFIED),
            math.fsum(score for _, score, _ in all_plays) / count,
            sum(steps) / count,
            sum(t for _, _, t in all_plays) / count,
        )


@dataclass(frozen=True, slots=True)
class Place:
    """An agent's place in one game. `rank` counts from 1; `points` may be a fraction when a place is shared."""

    agent: str
    rank: int
    points: Fraction
    tally: Tally


@dataclass(frozen=True, slots=True)
class Standing:
    """An agent over all games.

    Attributes:
        agent: its name.
        rank: from 1; agents that no rule tells apart share it.
        points: over all games.
        places: how often it came first, second, ...
        tally: over all plays.
        rating: Glicko-2 from games for two players, None without any.
        faults: matches it spoiled.
    """

    agent: str
    rank: int
    points: Fraction
    places: tuple[int, ...]
    tally: Tally
    rating: Rating | None = None
    faults: int = 0


@dataclass(frozen=True)
class Standings:
    """The outcome of a tournament, or of the part of it that was played.

    Attributes:
        overall: agents, best first.
        games: per game the agents that played it, best first; games in the order in which they were first played.
    """

    overall: tuple[Standing, ...]
    games: Mapping[str, tuple[Place, ...]]


def shared_points(orders: Sequence[tuple[float, ...]]) -> list[tuple[int, Fraction]]:
    """Rank and points of each entry of a sorted sequence; equal entries share.

    >>> shared_points([(1,), (2,), (2,), (3,)])
    [(1, Fraction(25, 1)), (2, Fraction(33, 2)), (2, Fraction(33, 2)), (4, Fraction(12, 1))]
    """
    placed: list[tuple[int, Fraction]] = []
    for _, group in itertools.groupby(orders):
        size = len(list(group))
        first = len(placed)
        points = Fraction(sum(POINTS[first : first + size]), size)
        placed += [(first + 1, points)] * size
    return placed


def rank(
    results: Iterable[MatchResult],
    agents: Sequence[str] = (),
    *,
    games: Collection[str] | None = None,
    ratings: Mapping[str, Rating] | None = None,
) -> Standings:
    """Rank agents by what they played.

    Args:
        results: of matches, in the order of the schedule (ratings depend on it a little).
        agents: in the order in which equals are listed; by default as they first occur.
        games: names of the games that count; by default all.
        ratings: rank by these instead of points, as the two-player competitions do where ratings choose the pairs;
            without them games for two players are rated game by game, and points decide.
    """
    plays: dict[str, dict[str, list[tuple[int, float, int]]]] = {}
    faults: dict[str, int] = {}
    duels: dict[str, list[tuple[str, str, float]]] = {}
    for result in results:
        game = result.match.game
        if games is not None and game not in games:
            continue
        for player, agent in enumerate(result.match.agents):
            entry = (result.outcomes[player], result.scores[player], result.ticks)
            plays.setdefault(game, {}).setdefault(agent, []).append(entry)
        if result.fault is not None:
            faults[result.fault.agent] = faults.get(result.fault.agent, 0) + 1
        if len(result.match.agents) == 2:
            duels.setdefault(game, []).append((*result.match.agents, duel_score(*result.outcomes)))
    known = list(dict.fromkeys([*agents, *(agent for game in plays.values() for agent in game)]))
    tallies = {game: {agent: Tally.of(own) for agent, own in by_agent.items()} for game, by_agent in plays.items()}
    overall = {agent: Tally.of(p for game in plays.values() for p in game.get(agent, ())) for agent in known}
    if ratings is not None:
        return rank_tallies(tallies, overall, ratings=ratings, faults=faults, by_rating=True)
    return rank_tallies(tallies, overall, ratings=rate(duels.values()), faults=faults)


def rank_tallies(
    games: Mapping[str, Mapping[str, Tally]],
    overall: Mapping[str, Tally],
    *,
    ratings: Mapping[str, Rating] | None = None,
    faults: Mapping[str, int] | None = None,
    by_rating: bool = False,
) -> Standings:
    """Rank agents by the tallies of their plays.

    Args:
        games: per game the tally of every agent that played it.
        overall: per agent the tally of all its plays; equals are listed in this order.
        ratings: per agent, from games for two players.
        faults: per agent the matches that it spoiled.
        by_rating: the rating decides before the points.
    """
    places = {game: _rank_game(by_agent, list(overall)) for game, by_agent in games.items()}
    return Standings(tuple(_overall(overall, places, ratings or {}, faults or {}, by_rating)), places)


def duel_score(mine: int, theirs: int) -> float:
    """1 for the player whose outcome is better, 0 for the other, one half each when both are equal."""
    return 0.5 if mine == theirs else float(_worth(mine) > _worth(theirs))


def _worth(outcome: int) -> int:
    """Won before undecided before lost before disqualified."""
    return {WON: 3, LOST: 1, DISQUALIFIED: 0}.get(outcome, 2)


def _rank_game(
    by_agent: Mapping[str, Tally], known: Sequence[str]
) -> tuple[Place, ...]:  # fmt: skip
    tallies = [(agent, by_agent[agent]) for agent in known if agent in by_agent]
    tallies.sort(key=lambda pair: pair[1].order)
    placed = shared_points([tally.order for _, tally in tallies])
    return tuple(
        Place(agent, position, points, tally)
        for (agent, tally), (position, points) in zip(tallies, placed, strict=True)
    )


def _overall(
    tallies: Mapping[str, Tally],
    games: Mapping[str, tuple[Place, ...]],
    ratings: Mapping[str, Rating],
    faults: Mapping[str, int],
    by_rating: bool,
) -> list[Standing]:
    rows = []
    for agent, tally in tallies.items():
        mine = [place for places in games.values() for place in places if place.agent == agent]
        points = sum((place.points for place in mine), Fraction(0))
        counts = tuple(sum(place.rank == k for place in mine) for k in range(1, len(tallies) + 1))
        strength = ratings.get(agent, Rating()).rating if by_rating else 0.0
        rows.append((strength, points, counts, agent, tally))
    rows.sort(key=lambda row: (-row[0], -row[1], tuple(-count for count in row[2])))
    order = [row[:3] for row in rows]
    standings: list[Standing] = []
    for k, (_, points, counts, agent, tally) in enumerate(rows):
        place = standings[-1].rank if k and order[k - 1] == order[k] else k + 1
        standings.append(Standing(agent, place, points, counts, tally, ratings.get(agent), faults.get(agent, 0)))
    return standings
