"""Plays of one game by the agents of a ladder, in compiled code and within bounds (`kernel`).

A `Trials` owns the game compiled for its levels and the agents' memory; one evaluation uses it, in one thread. Equal
agent, number and seed give an equal play, whatever was played before.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pcg.engine.context import Context
from pcg.engine.game import Game
from pcg.engine.kernel.coverage import fired as ended_by
from pcg.engine.kernel.ids import ACTIONS
from pcg.engine.kernel.places import model_counts
from pcg.engine.kernel.protocol import GROW
from pcg.engine.kernel.random import scramble
from pcg.engine.kernel.runtime import invoke1, invoke2, invoke3
from pcg.engine.model import Model, Pool
from pcg.engine.state import State
from pcg.engine.vgdl.definition import Level
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.agents.base import Agent, AgentError
from pcg.evaluators.agents.compiled import CompiledAgent, Record, grow_model
from pcg.evaluators.agents.recorded_play import Replay
from pcg.evaluators.agents.registry import make_agent, read_agent
from pcg.evaluators.evaluation import LETTERS
from pcg.evaluators.games.kernel import AGENT_GROW, BROKEN, TRIAL, play_trial
from pcg.evaluators.metrics.profile import play_value

BOUNDED = ("nothing", "random", "onestep", "mcts", "enhanced", "olets")
"""Agents whose simulations stop where the allowance of a play ends; no others may play unknown games."""

_CODES = np.frombuffer("".join(LETTERS[name] for name in ACTIONS).encode(), np.uint8)


@functools.lru_cache(maxsize=8192)
def play_seed(seed: int, k: int) -> int:
    """Seed of the k-th play of an evaluation, as the game's generator takes it (31 bits)."""
    return int(np.random.SeedSequence([seed, k]).generate_state(1)[0] >> 1)


@dataclass(frozen=True, slots=True)
class Rung:
    """One agent of a ladder: what it is called in results, and its text as `make_agent` reads it."""

    name: str
    text: str


def read_ladder(text: str) -> tuple[Rung, ...]:
    """A ladder from the names of its agents, weakest first, separated by blanks.

    Agents may have parameters (`mcts:budget=100`); one that occurs twice is called by its whole text.

    Raises:
        PcgError: an unknown agent, one whose plays cannot be bounded, one twice, or not nothing and random first.

    >>> [rung.name for rung in read_ladder("nothing random mcts:budget=20 mcts:budget=200")]
    ['nothing', 'random', 'mcts:budget=20', 'mcts:budget=200']
    """
    texts = text.split()
    names = [read_agent(t).name for t in texts]
    for one, name in zip(texts, names, strict=True):
        if name not in BOUNDED:
            raise PcgError(f"ladder: the plays of `{name}` cannot be bounded, expected agents of {', '.join(BOUNDED)}")
        agent = make_agent(one)
        if not isinstance(agent, CompiledAgent) or not agent.reproducible:
            raise PcgError(f"ladder: `{one}` is not reproducible, expected a budget in forward-model calls")
        if texts.count(one) > 1:
            raise PcgError(f"ladder: `{one}` is there twice")
    if len(texts) < 3 or names[:2] != ["nothing", "random"]:
        raise PcgError(f"ladder: `{text}`, expected `nothing random` and at least one more agent, weakest first")
    return tuple(Rung(n if names.count(n) == 1 else t, t) for n, t in zip(names, texts, strict=True))


@dataclass(frozen=True, slots=True)
class Trial:
    """The record of one play."""

    level: int
    seed: int
    won: bool
    lost: bool
    score: float
    value: float
    """See `play_value`; a game that went on is half won."""
    ticks: int
    stop: int
    """The bound that ended the play: a constant of `kernel`."""
    ending: int
    """Number of the termination that ended the game, -1: none."""
    most: int
    """Most moving sprites at a time."""
    cells: float
    """Share of the level's cells that the avatar visited."""
    changes: int
    """Ticks that changed the score."""
    calls: int
    """Forward-model calls and ticks."""
    work: int
    actions: NDArray[np.int8]
    fired: NDArray[np.int8]
    """1 for every effect executed."""
    counts: NDArray[np.int32]
    """Living sprites of each type at the end."""

    @property
    def play(self) -> str:
        """The play as one letter per tick."""
        return _CODES[self.actions].tobytes().decode()

    @property
    def entropy(self) -> float:
        """Shannon entropy of the actions as a share of the largest possible (all seven actions alike), in [0, 1]."""
        if not len(self.actions):
            return 0.0
        shares = np.bincount(self.actions, minlength=len(ACTIONS)) / len(self.actions)
        shares = shares[shares > 0]
        return float(min(1.0, -(shares * np.log2(shares)).sum() / np.log2(len(ACTIONS)) + 0.0))


class Trials:
    """Plays of one game.

    Args:
        game: with one player.
        levels: read for the game.
        ladder: who plays.
        max_work: of a tick, in executions of effects; a tick of more is cut short and the play ends.
        max_moving: moving sprites; a play with more ends. A level that starts with many may have three times as many.

    Raises:
        PcgError: a level does not fit.
    """

    def __init__(
        self, game: Game, levels: Sequence[Level], ladder: Sequence[Rung], *, max_work: int, max_moving: int
    ) -> None:
        self.game = game
        self.ladder = ladder
        self.boards = [Board(game, level, max_work, max_moving) for level in levels]
        self.calls = tuple(_calls(rung) for rung in ladder)
        """Forward-model calls that a tick of each agent takes at most, the tick itself included."""
        self._agents: dict[tuple[int, int], CompiledAgent] = {}

    def _agent(self, rung: int, board: int, seed: int) -> CompiledAgent:
        agent = self._agents.get((rung, board))
        if agent is None:
            made: Agent = make_agent(self.ladder[rung].text, seed=seed)
            if not isinstance(made, CompiledAgent):
                raise AgentError(f"{made!r} is not compiled")
            agent = self._agents[rung, board] = made
        agent.seed = seed
        agent.reset(self.boards[board].first)
        return agent

    def play(self, rung: int, k: int, seed: int, *, max_ticks: int, allowance: int) -> Trial:
        """The k-th play of an agent.

        Args:
            rung: which agent of the ladder.
            k: plays with equal numbers have equal levels and seeds, whoever plays.
            seed: of the evaluation.
            max_ticks: the play ends here.
            allowance: work that the play may cost, simulations included.
        """
        number = k % len(self.boards)
        agent = self._agent(rung, number, play_seed(seed, 1000 * (rung + 1) + k))
        return self.boards[number].play(agent, number, play_seed(seed, k), max_ticks, max(1, allowance))

    def replay(self, number: int, play: str, seed: int, allowance: int) -> Trial:
        """A play that is known already, on a level.

        Args:
            number: of the level.
            play: one letter per tick, as `Trial.play`.
            seed: of the game's randomness.
            allowance: work that the play may cost.
        """
        agent = Replay(actions=play, seed=0)
        agent.reset(self.boards[number].first)
        return self.boards[number].play(agent, number, seed, max(1, len(play)), max(1, allowance))


def _calls(rung: Rung) -> int:
    agent = make_agent(rung.text)
    if not isinstance(agent, CompiledAgent):
        raise AgentError(f"{agent!r} is not compiled")
    free = {"nothing": 1, "random": 1, "onestep": 1 + len(ACTIONS)}
    return free.get(read_agent(rung.text).name, 1 + (agent.budget.calls or 0))


class Board:
    """A game on one level, with two state blocks and a record to play it."""

    def __init__(self, game: Game, level: Level, max_work: int, max_moving: int) -> None:
        self.context = context = Context(game.tables, level)
        moving = int(context.header(context.initial)["slots"])
        context.limit(max_work, max(max_moving, 3 * moving))
        self.model: Model = context.model()
        self.first = State(game, context, context.room)
        invoke3(context.copy_address, context.address, self.first.address, context.initial)
        self._cells = level.width * level.height
        self._types = len(game.definition.types)
        self._effects = len(game.definition.effects)
        self._room = 0
        self._pool: Pool | None = None
        self._record = Record(TRIAL, model=self.model.address, game=context.address)
        self.counts = np.zeros(self._types, np.int32)
        """Sprites of each type before the first tick."""
        invoke3(model_counts.address, context.address, context.initial, int(self.counts.ctypes.data))

    def _hold(self, address: int) -> None:
        """Make the live state equal to the state at an address, in blocks of the room that the model has now."""
        record = self._record
        while True:
            if self._pool is None or self._room != self.model.room or self._pool.address == address:
                self._room = self.model.room
                self._pool = self.model.pool(2)
            pool = self._pool
            if invoke3(self.context.copy_address, self.context.address, pool.address, address) != GROW:
                break
            grow_model(self.model, self._room)
        record.point_to_pool("live", pool)
        record["next"] = pool.address + pool.stride

    def play(self, agent: CompiledAgent, number: int, seed: int, max_ticks: int, allowance: int) -> Trial:
        record = self._record
        actions = np.zeros(max_ticks, np.int8)
        fired = np.zeros(self._effects, np.int8)
        counts = np.zeros(self._types, np.int32)
        for name, array in (("actions", actions), ("fired", fired), ("counts", counts)):
            record.point(name, array)
        record.point("visited", np.zeros(self._cells, np.int8))
        for name in ("decided", "ticks", "work", "cells", "changes", "stop"):
            record[name] = 0
        record["max_ticks"], record["allowance"] = max_ticks, allowance
        record["most"] = self.first.header.slots
        record["agent"] = agent.bind(self.model)
        record["budget"] = agent.budget.calls or 0
        head = self.first.header
        head.rng, head.aux = scramble(seed), scramble(seed * 1000 + 4)
        self._hold(self.first.address)
        while (status := invoke1(play_trial.address, record.address)) != 0:
            if status == BROKEN:
                raise AgentError(f"{self.context!r}: the kernel has left a table at tick {record['ticks']}")
            if status == AGENT_GROW:
                agent.enlarge()
            else:
                live = record["live"]
                keep = self._pool  # until the state has been moved
                grow_model(self.model, self._room)
                self._pool = None
                self._hold(live)
                del keep
        ticks, won, over = record["ticks"], record["outcome"] == 1, record["over"] != 0
        ending = -1
        if over and record["stop"] == 0:
            ending = int(invoke2(ended_by.address, self.context.address, record["live"]))
        lost = record["outcome"] == -1
        score = float(record["score"])
        return Trial(
            level=number,
            seed=seed,
            won=won,
            lost=lost,
            score=score,
            value=play_value(won, lost, score),
            ticks=ticks,
            stop=record["stop"],
            ending=ending,
            most=record["most"],
            cells=record["cells"] / self._cells,
            changes=record["changes"],
            calls=agent.calls + ticks,
            work=record["work"] + agent.work,
            actions=actions[:ticks],
            fired=fired,
            counts=counts,
        )
