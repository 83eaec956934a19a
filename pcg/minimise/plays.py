"""Recorded plays, and whether another game plays them the same way.

Behaviour is what can be seen: which sprites are where (by the name of their type and their place in pixels), score,
outcome and whether the game is over, after every tick. A tick is kept as one number, a hash of all that.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcg.engine.arrays import StateArrays
from pcg.engine.coverage import Watch, rules_of
from pcg.engine.game import Game
from pcg.engine.kernel.ids import ACTION_ID
from pcg.engine.state import State
from pcg.evaluators.agents import make_agent, play

AGENTS = ("random", "onestep", "mcts", "guided")
"""The players: somebody who wanders, somebody greedy, a planner, and a planner that knows the goals."""
SEEDS = 2
BUDGET = 200
"""Forward-model calls per decision."""
MAX_TICKS = 300

_X, _Y, _MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F), np.uint64(0xFF51AFD7ED558CCD)
_SHIFT = np.uint64(33)


@dataclass(frozen=True, slots=True)
class Play:
    """One recorded play."""

    agent: str
    level: int
    """Index into the levels of the game."""
    seed: int
    actions: tuple[tuple[int, int], ...]
    """Codes of `kernel.ids.ACTIONS`, one pair per tick."""
    trace: tuple[int, ...]
    """The hash of every state, the first one included."""
    won: bool


@dataclass(frozen=True)
class Plays:
    """Plays of one game, and what of its rules they made use of."""

    plays: tuple[Play, ...]
    used: Mapping[int, int]
    """Line of the game text -> in how many plays it was used: a sprite was there, an effect took place, it ended the
    game."""

    @property
    def ticks(self) -> int:
        """Ticks of all plays together."""
        return sum(len(p.actions) for p in self.plays)

    def differing(self, game: Game, names: Mapping[str, str] | None = None, chance: Game | None = None) -> Play | None:
        """The first play that `game` does not play the same way, None if it plays all of them so.

        Args:
            game: with the same levels.
            names: its type names -> those of the recorded game, where they differ.
            chance: the recorded game, where each tick shall begin with the random numbers that it had there: then a
                rule may go that draws some of which nobody sees anything.
        """
        seeing: dict[int, _Eyes] = {}
        for one in self.plays:
            state = game.start(one.level, seed=one.seed)
            recorded = chance.start(one.level, seed=one.seed) if chance is not None else None
            eyes = seeing.get(one.level)
            if eyes is None:
                eyes = seeing[one.level] = _Eyes(state, names or {})
            if eyes.see(state) != one.trace[0]:
                return one
            two = game.players == 2
            for pair, expected in zip(one.actions, one.trace[1:], strict=True):
                if recorded is not None:
                    state.rng, state.aux = recorded.rng, recorded.aux
                    recorded.advance(pair if two else pair[0])
                state.advance(pair if two else pair[0])
                if eyes.see(state) != expected:
                    return one
        return None


class _Eyes:
    """Turns states of one game on one level into numbers."""

    def __init__(self, state: State, names: Mapping[str, str]) -> None:
        types = state.game.definition.types
        self._types = np.array([_name_hash(names.get(t.name, t.name)) for t in types], np.uint64)
        arrays = StateArrays(state)
        level, mortal = arrays.level, len(arrays.mortal_alive)
        hashes = self._hashes(level["type"], level["x"], level["y"])
        self._mortal = hashes[:mortal]
        self._lasting = int(hashes[mortal:].sum(dtype=np.uint64))
        self._looked_at: tuple[object, ...] = ()
        """State, address, offsets and number of slots that the views are of; a tick that needs room changes them."""
        self._moving, self._alive = arrays.moving, arrays.mortal_alive

    def _hashes(self, types: NDArray[Any], x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.uint64]:
        mixed: NDArray[np.uint64] = self._types[types] + x.astype(np.uint64) * _X
        mixed ^= mixed >> _SHIFT
        mixed += y.astype(np.uint64) * _Y
        mixed *= _MIX
        mixed ^= mixed >> _SHIFT
        mixed *= _X
        return mixed

    def see(self, state: State) -> int:
        """The hash of a state; equal whatever the ids of types and sprites are."""
        head = state.header
        of = (state, state.address, head.at_sprites, head.at_alive, head.slots)
        if of != self._looked_at:
            arrays = StateArrays(state)
            self._moving, self._alive, self._looked_at = arrays.moving, arrays.mortal_alive, of
        moving = self._moving
        there = moving["id"] >= 0
        if not there.all():
            moving = moving[there]
        total = self._lasting + int(self._hashes(moving["type"], moving["x"], moving["y"]).sum(dtype=np.uint64))
        if len(self._mortal):
            total += int(self._mortal[self._alive != 0].sum(dtype=np.uint64))
        total &= 2**64 - 1  # whichever of the parts a sprite is kept in
        return hash((total, head.score0, head.score1, head.win0, head.win1, bool(head.ended)))


def _name_hash(name: str) -> int:
    data = name.encode()
    return (zlib.crc32(data) << 32) | zlib.crc32(b"#" + data)


def record_plays(
    game: Game,
    levels: Sequence[int],
    *,
    agents: Sequence[str] = AGENTS,
    seeds: int = SEEDS,
    seed: int = 1,
    budget: int | str = BUDGET,
    max_ticks: int = MAX_TICKS,
    progress: Callable[[int, int], None] | None = None,
) -> Plays:
    """Let agents play, and record what happened.

    Args:
        game: to be played; a game of two players is played by two of the same agent.
        levels: indices of levels.
        agents: names as for `make_agent`.
        seeds: plays of every agent on every level.
        seed: of the first of them; the others follow.
        budget: forward-model calls per decision (or a text as for `Budget.read`; times are not reproducible).
        max_ticks: of a play.
        progress: called with plays done and plays in all.

    Raises:
        PcgError: unknown agents, levels that do not fit.
    """
    jobs = [(agent, level, seed + k) for level in levels for agent in agents for k in range(seeds)]
    rules = rules_of(game.definition)
    used: dict[int, int] = {}
    plays = []
    for number, (agent, level, chance) in enumerate(jobs):
        players = [make_agent(agent, seed=chance, budget=budget, player=k) for k in range(game.players)]
        done = play(game, players, level=level, seed=chance, max_ticks=max_ticks)
        codes = tuple(_codes(a) for a in done.actions)
        state = game.start(level, seed=chance)
        eyes, watch = _Eyes(state, {}), Watch(state, rules)
        trace = [eyes.see(state)]
        for pair in codes:
            before = state.copy()
            state.advance(pair if game.players == 2 else pair[0])
            watch.tick(before, state, pair)
            trace.append(eyes.see(state))
        for line in {rules[i].line for i in watch.coverage(state).used}:
            used[line] = used.get(line, 0) + 1
        plays.append(Play(agent, level, chance, codes, tuple(trace), _won(state)))
        if progress is not None:
            progress(number + 1, len(jobs))
    return Plays(tuple(plays), used)


def _codes(action: Any) -> tuple[int, int]:
    pair = [action] if isinstance(action, str) else list(action)
    codes = [ACTION_ID[a.removeprefix("ACTION_")] for a in pair]
    return codes[0], codes[1] if len(codes) > 1 else 0


def _won(state: State) -> bool:
    return bool(state.header.win0 == 1 or state.header.win1 == 1)
