"""Proofs that levels can be won: `prove` looks for a win with a portfolio of methods, and keeps it as a replay.

A proof holds for the seed that it names: where chance plays a part, the searches know the future of that seed
(`foresight`), so it says that the level can be won, not that a player who does not know what comes would win. Methods
take turns, cheapest first, each with three times the calls of its last turn, as portfolios and restarts double theirs
(Luby, Sinclair and Zuckerman, Optimal speedup of Las Vegas algorithms, 1993), and more as long as it comes nearer to a
win; what won other levels of the game has the first turn.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from pcg.engine.game import Game
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.agents import MAX_TICKS, replay
from pcg.evaluators.definition_cache import once_per_definition
from pcg.evaluators.evaluation import decode_play, encode_play
from pcg.evaluators.proving.methods import LATER_SHARES, SHARES, SLICE, GameMethods, Method
from pcg.evaluators.proving.shortening import shorten

BUDGET = 20_000_000
"""Forward-model calls of a proof by default: about a minute of a core in a game of usual size."""
TIDY = 30_000
"""Forward-model calls by default for making a win shorter."""
FIRST_TURN = 10_000
"""Forward-model calls of a method's first turn by default."""
GROWTH = 3
"""Times as many calls has a method made in all after each turn."""
LONG_TURN = 300_000
"""Forward-model calls that a method has made in all after a turn that may be made longer."""
LATE_TURN = 500_000
"""Forward-model calls of a turn from which on turns are shared out by `LATER_SHARES`."""
LONGER = 4
"""Times as long is a turn, at most, in whose second half the estimate of the ticks to a win falls on and on."""


@dataclass(frozen=True)
class Proof:
    """A win of a level.

    Args:
        level: text of the level.
        seed: of the game's randomness.
        play: the winning actions, one letter per tick (`evaluation.encode_play`); the agent `replay` plays them.
        method: that found it.
        calls: forward-model calls that all methods made until then.
        foresight: whether the level draws random numbers, which the methods foresaw.
    """

    level: str = field(repr=False)
    seed: int
    play: str
    method: str
    calls: int
    foresight: bool = False

    @property
    def ticks(self) -> int:
        """Length of the play."""
        return len(self.play)

    @property
    def sentence(self) -> str:
        """The proof in words."""
        found = f"won in {self.ticks} ticks by {self.method}, after {self.calls:,} forward-model calls"
        return f"{found}; with foresight of chance, seed {self.seed}" if self.foresight else found

    def holds(self, game: Game) -> bool:
        """Replay the actions; tell whether they win the level.

        Args:
            game: the game that was won.
        """
        end = replay(game.start(self.level, seed=self.seed), decode_play(self.play))[-1]
        return bool(end.winner == 1)

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON object."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Proof:
        """Return the proof of a JSON object; other keys are left out."""
        return cls(**{name: data[name] for name in cls.__dataclass_fields__ if name in data})


@dataclass
class Experience:
    """Experience with a game's levels: which methods win, and at what cost.

    Args:
        wins: for each method that has won, the forward-model calls that it alone needed each time.
    """

    wins: dict[str, list[int]] = field(default_factory=dict)

    def note(self, method: str, calls: int) -> None:
        """Remember a win.

        Args:
            method: that found it.
            calls: that it made.
        """
        self.wins.setdefault(method, []).append(calls)

    def favourites(self) -> list[tuple[str, int]]:
        """The methods that have won, most wins first, each with twice the calls of its dearest win.

        >>> experience = Experience({"waiting": [400], "astar": [90, 120]})
        >>> experience.favourites()
        [('astar', 240), ('waiting', 800)]
        """
        ranked = sorted(self.wins, key=lambda name: (-len(self.wins[name]), sum(self.wins[name]), name))
        return [(name, 2 * max(self.wins[name])) for name in ranked]


methods_of = once_per_definition(GameMethods)


def prove(
    game: Game,
    level: int | str = 0,
    *,
    seed: int = 1,
    budget: int = BUDGET,
    seconds: float | None = None,
    max_ticks: int = MAX_TICKS,
    tidy: int = TIDY,
    experience: Experience | None = None,
    progress: Callable[[str, int], object] | None = None,
    first_turn: int = FIRST_TURN,
) -> Proof | None:
    """Look for a win of a level.

    Args:
        game: a game of one player.
        level: number of one of the game's levels, or the text of one.
        seed: of the game's randomness and of everything that is drawn.
        budget: forward-model calls of all methods together, kept to within a slice of some thousand calls.
        seconds: processor time besides; without it the same arguments give the same answer everywhere.
        max_ticks: longest win.
        tidy: forward-model calls for making the win shorter (`shortening.shorten`).
        experience: of other levels of the game; its favourites have the first turn, and a win is added to it.
        progress: told the method at work and the calls made so far, every now and then; an exception ends the search.
        first_turn: forward-model calls of a method's first turn, times its share; a budget of fewer calls than a few
            such turns is spent by the first methods alone.

    Returns:
        The proof, None when no win was found within the budget, or when it is certain that there is none.

    Raises:
        PcgError: the game is not for one player, or the level cannot be read.

    >>> import pcg
    >>> game = pcg.load("boxes")
    >>> proof = prove(game, 0, budget=100_000)
    >>> proof.holds(game)
    True
    """
    if game.players != 1:
        raise PcgError(f"{game.name} has {game.players} players; proofs are for games with one player")
    text = game.levels[level] if isinstance(level, int) else level
    known = experience if experience is not None else Experience()
    return ProofSearch(game, text, seed, budget, seconds, max_ticks, tidy, known, progress, first_turn).result()


class ProofSearch:
    """The turns of the methods for one level."""

    def __init__(
        self,
        game: Game,
        text: str,
        seed: int,
        budget: int,
        seconds: float | None,
        max_ticks: int,
        tidy: int,
        experience: Experience,
        progress: Callable[[str, int], object] | None,
        first_turn: int = FIRST_TURN,
    ) -> None:
        self.text = text
        self.seed = seed
        self.budget = budget
        self.until = None if seconds is None else time.process_time() + seconds
        self.max_ticks = max_ticks
        self.tidy = tidy
        self.experience = experience
        self.progress = progress
        self.first_turn = max(1, first_turn)
        self.start = game.start(text, seed=seed)
        self.methods = methods_of(game.definition)
        self.names = [name for name in self.methods.names if self.methods.suits(name, self.start)]
        self.made: dict[str, Method] = {}
        self.calls = 0
        self.decided = False

    def result(self) -> Proof | None:
        for name, calls in self.experience.favourites():
            if name in self.names and (proof := self.turn(name, calls)) is not None:
                return proof
        total = self.first_turn
        while not self._finished():
            open_ones = [name for name in self.names if name not in self.made or not self.made[name].ended]
            fruitful = [name for name in open_ones if name not in self.made or not self.made[name].stale]
            if not open_ones:
                break
            shares = SHARES if total < LATE_TURN else LATER_SHARES
            for name in fruitful or open_ones:
                if (proof := self.turn(name, int(total * shares.get(name, 1.0)), not fruitful)) is not None:
                    return proof
                if self._finished():
                    break
            total *= GROWTH
        return None

    def _finished(self) -> bool:
        """True when it is known that there is no win, or nothing is left of the budget."""
        return self.decided or self.spent

    @property
    def spent(self) -> bool:
        """True when nothing is left of the budget."""
        return self.calls >= self.budget or (self.until is not None and time.process_time() >= self.until)

    def turn(self, name: str, total: int, insist: bool = False) -> Proof | None:
        """Let a method go on until it has made so many calls, or, unless one is to `insist`, nothing new turns up."""
        method = self.made.get(name)
        if method is None:
            method = self.made[name] = self.methods.make(name, self.start, self.seed, self.max_ticks)
        until, halfway = total, method.estimate
        while method.calls < until and not method.ended and not self.spent:
            before = method.calls
            actions = method.go_on(min(until, before + SLICE, before + self.budget - self.calls))
            self.calls += method.calls - before
            if actions is not None:
                self.experience.note(name, method.calls)
                actions, spent = shorten(self.start, actions, self.tidy)
                self.calls += spent
                play = encode_play(actions)
                return Proof(self.text, self.seed, play, name, self.calls, self.start.model.stochastic)
            if self.progress is not None:
                self.progress(name, self.calls)
            if method.stale and not insist:
                break
            if method.calls == before and not method.ended:
                break  # it has nothing to do with so few calls
            nearer = method.estimate < halfway < math.inf
            if nearer and until >= LONG_TURN and method.calls >= until < LONGER * total:
                until *= 2  # the next turn is shorter by as much
            if 2 * method.calls <= until:
                halfway = method.estimate
        self.decided = self.decided or method.proved_impossible
        return None
