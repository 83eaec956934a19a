"""Pairs of agents that ratings choose: who should play next in a game for two players.

With every new submission a whole round robin would have to be played again; the two-player competitions therefore let
a Glicko-2 rating choose the next pair in their training and validation sets, and ranked by it (Perez Liebana et al.,
General Video Game Artificial Intelligence, 2019, chapter 2, section 4). The text does not say how it chooses. Here the
agent that is known least plays the opponent that tells most about it.

A meeting is one pair on all levels of one game, twice with sides swapped, and a rating period. In every round each game
is played once, by the pair at hand the one that it has met in least. The results so far decide all that follows, so
that a tournament can be gone on with.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.tournament.games import Entry
from pcg.evaluators.tournament.match import MatchResult
from pcg.evaluators.tournament.ranking import duel_score
from pcg.evaluators.tournament.ratings import SCALE, Rating, rate
from pcg.evaluators.tournament.schedule import Match


def information(player: Rating, opponent: Rating) -> float:
    """Return what one game against an opponent tells about a player: g^2 E (1 - E), the inverse of Glicko-2's v.

    The most comes from opponents that are as strong and well known.

    >>> near, far = Rating(1500, 50), Rating(2100, 50)
    >>> information(Rating(), near) > information(Rating(), far)
    True
    >>> information(Rating(), near) > information(Rating(), Rating(1500, 350))
    True
    """
    g = 1 / math.sqrt(1 + 3 * (opponent.deviation / SCALE / math.pi) ** 2)
    expected = 1 / (1 + math.exp(-g * (player.rating - opponent.rating) / SCALE))
    return g * g * expected * (1 - expected)


def choose_pair(
    agents: Sequence[str], ratings: Mapping[str, Rating], met: Mapping[frozenset[str], int]
) -> tuple[str, str]:
    """Return who plays next: the agent with the largest deviation and the opponent that tells most about it.

    Of equal ones the pair that has met less often comes first, then the order of the agents decides.

    Args:
        agents: at least two.
        ratings: those of agents without one are as at the beginning.
        met: how often pairs have met.

    >>> ratings = {"a": Rating(1500, 60), "b": Rating(1520, 60), "c": Rating(2000, 200)}
    >>> choose_pair(["a", "b", "c"], ratings, {})
    ('c', 'b')
    """
    one = max(agents, key=lambda name: ratings.get(name, Rating()).deviation)  # max takes the first of equal ones
    others = [name for name in agents if name != one]
    mine = ratings.get(one, Rating())
    other = max(
        others, key=lambda name: (information(mine, ratings.get(name, Rating())), -met.get(frozenset((one, name)), 0))
    )
    return one, other


def meetings(results: Iterable[MatchResult]) -> list[list[MatchResult]]:
    """Return the results of each meeting, in their order."""
    grouped = itertools.groupby(results, key=lambda result: (result.match.game, result.match.repeat))
    return [list(group) for _, group in grouped]


def ratings_of(results: Iterable[MatchResult]) -> Mapping[str, Rating]:
    """Return the ratings after the meetings of these results, each a rating period."""
    return rate(
        [[(*r.match.agents, duel_score(*r.outcomes)) for r in group] for group in meetings(results)]  # type: ignore[misc]
    )


def length_of(entries: Sequence[Entry], levels: Mapping[str, Sequence[int]], count: int) -> int:
    """Return the number of matches in so many meetings."""
    return sum(2 * len(levels[entries[k % len(entries)].name]) for k in range(count))


def chosen_matches(
    entries: Sequence[Entry],
    agents: Sequence[str],
    levels: Mapping[str, Sequence[int]],
    count: int,
    seed: int = 1,
    results: Sequence[MatchResult] = (),
) -> list[Match]:
    """Return the matches that are decided by the results so far: those of all meetings played, and of the next one.

    Args:
        entries: games for two players, each played once in every round.
        agents: at least two.
        levels: numbers of the levels, by name of the game.
        count: meetings in all.
        seed: of the first round of all games; each further round has the next one.
        results: of the first matches, in their order; those of a meeting that is not complete decide nothing yet.

    Raises:
        PcgError: fewer than two agents, a game that is not for two players, or no meeting.
    """
    if count < 1:
        raise PcgError(f"meetings is {count}, expected at least 1")
    if len(agents) < 2:
        raise PcgError("ratings choose pairs of at least two agents")
    wrong = next((entry for entry in entries if entry.players != 2), None)
    if wrong is not None:
        raise PcgError(f"ratings choose pairs for games of two players, and {wrong.name} is for {wrong.players}")
    matches: list[Match] = []
    met: Counter[frozenset[str]] = Counter()
    met_in: Counter[tuple[frozenset[str], str]] = Counter()
    left: list[Entry] = []
    for k in range(count):
        if len(matches) > len(results):
            break
        if k % len(entries) == 0:
            left = list(entries[: count - k])  # the last round may be shorter
        one, other = choose_pair(agents, ratings_of(results[: len(matches)]), met)
        pair = frozenset((one, other))
        entry = min(left, key=lambda game: met_in[pair, game.name])  # of equal ones the first
        left.remove(entry)
        met[pair] += 1
        met_in[pair, entry.name] += 1
        repeat = k // len(entries)
        for level in levels[entry.name]:
            for sides in ((one, other), (other, one)):
                matches.append(Match(len(matches), entry.name, level, repeat, seed + repeat, sides))
    return matches
