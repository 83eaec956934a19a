"""The schedule of a tournament: every agent on every level, for two players every pair of agents with sides swapped.

In games of more players, which rule sheets can have, every agent meets every other one in every role: it plays one role
and the other agent plays all the rest.

The order goes around all games and levels before it repeats, so that the part of a tournament that has been played
says as much about one game as about another. It is part of a tournament's identity: match k is always the same match.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.tournament.games import Entry

_COUNTED = {2: "two", 3: "three", 4: "four"}


@dataclass(frozen=True, slots=True)
class Match:
    """One play of a tournament.

    Attributes:
        id: place in the schedule.
        game: name of the entry.
        level: number of the level.
        repeat: how often this was played before.
        seed: of the game's randomness; the same for all agents, so that all have the same luck.
        agents: one per player, as they were named.
    """

    id: int
    game: str
    level: int
    repeat: int
    seed: int
    agents: tuple[str, ...]

    def agent_seed(self, player: int) -> int:
        """Seed of a player's own randomness, another one than the game's."""
        return (self.seed << 8) + 101 + player


def meetings_of(agents: Sequence[str], players: int) -> list[tuple[str, ...]]:
    """The agents in their seats, for every match of one level.

    >>> meetings_of(["a", "b"], 2)
    [('a', 'b'), ('b', 'a')]
    >>> meetings_of(["a", "b"], 3)
    [('a', 'b', 'b'), ('b', 'a', 'b'), ('b', 'b', 'a'), ('b', 'a', 'a'), ('a', 'b', 'a'), ('a', 'a', 'b')]
    """
    if players == 1:
        return [(agent,) for agent in agents]
    if players == 2:
        return [side for a, b in itertools.combinations(agents, 2) for side in ((a, b), (b, a))]
    return [
        tuple(one if seat == role else rest for seat in range(players))
        for one, rest in itertools.permutations(agents, 2)
        for role in range(players)
    ]


def schedule(
    entries: Sequence[Entry], agents: Sequence[str], levels: Mapping[str, Sequence[int]], repeats: int, seed: int = 1
) -> list[Match]:
    """All matches of a tournament in their order: repetition, level, game, agents.

    A game for two players is played by every pair of agents, on every level, twice: with sides swapped and the same
    seed. A game for n players is played by every ordered pair of agents n times: the first agent in one role, the
    second in all others. Repetition r is played with seed ``seed + r``.

    Raises:
        PcgError: a game for several players and fewer than two agents, or nothing to play.

    >>> hunt = Entry("hunt", "hunt", "", 1, 5, "")
    >>> [(m.level, m.seed, *m.agents) for m in schedule([hunt], ["mcts", "random"], {"hunt": [0]}, repeats=2)]
    [(0, 1, 'mcts'), (0, 1, 'random'), (0, 2, 'mcts'), (0, 2, 'random')]
    """
    if repeats < 1:
        raise PcgError(f"repeats is {repeats}, expected at least 1")
    for entry in entries:
        if entry.players > 1 and len(agents) < 2:
            count = _COUNTED.get(entry.players, entry.players)
            raise PcgError(f"{entry.name} is for {count} players: expected at least two agents")
    numbers = sorted({level for chosen in levels.values() for level in chosen})
    meetings = [
        (entry.name, level, repeat, meeting)
        for repeat in range(repeats)
        for level in numbers
        for entry in entries
        if level in levels[entry.name]
        for meeting in meetings_of(agents, entry.players)
    ]
    return [
        Match(k, game, level, repeat, seed + repeat, meeting)
        for k, (game, level, repeat, meeting) in enumerate(meetings)
    ]
