"""Players that press the keys in the plays of simulated participants.

`random` presses any key four times a second, `idle` none. An agent by name plays along: it has the game, level and seed
of its own, decides there, and presses the key; after each frame it looks which of its ideas of what happened agrees
with what is shown. Where none does (a key came too late more than once) it goes on at random.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from pcg.engine.game import Game
from pcg.engine.state import State
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.agents import Human, make_agent
from pcg.evaluators.evaluation import decode_play
from pcg.study.checks import game_of
from pcg.study.client import KeySource
from pcg.study.rows import StudyItem

EVERY = 5
"""Ticks between two keys of a random player, a quarter of a second."""
BUDGET = "200"
"""Forward-model calls of an agent for each decision, unless it says otherwise."""

PLAYERS = ("random", "idle")
"""Those that are no agents."""

SeedOf = Callable[[], tuple[int, str]]


class RandomKeys:
    """Any key now and then."""

    def __init__(self, seed: int) -> None:
        self._lots = random.Random(seed)
        self._actions: list[str] = []
        self._wait = 0

    def begin(self, welcome: Mapping[str, Any]) -> None:
        """A play begins."""
        self._by_turn = bool(welcome["pace"]["by_turn"])

    def keys(self, frame: Mapping[str, Any]) -> list[str]:
        """A key every few ticks; in a game by turns every turn."""
        self._actions = [a for a in frame.get("actions", self._actions) if a not in ("NIL", "ESCAPE")]
        self._wait -= 1
        if not self._actions or (self._wait > 0 and not self._by_turn):
            return []
        self._wait = self._lots.randint(1, 2 * EVERY - 1)
        return [self._lots.choice(self._actions)]


class IdleKeys:
    """No key at all."""

    def begin(self, welcome: Mapping[str, Any]) -> None:
        """A play begins."""

    def keys(self, frame: Mapping[str, Any]) -> list[str]:
        """None."""
        return []


class AgentKeys:
    """An agent that plays along.

    Args:
        name: of the agent, with parameters as in "mcts:depth=12".
        seed: of its decisions.
        item: what is played.
        seed_of: tells seed and actions so far of the play.
    """

    def __init__(self, name: str, seed: int, item: StudyItem, seed_of: SeedOf) -> None:
        self.name, self.item, self._seed_of = name, item, seed_of
        self._agent = make_agent(name, seed=seed, budget=None if "budget" in name else BUDGET)
        self._fallback = RandomKeys(seed)
        self._state: State | None = None
        self._asked = "NIL"
        self.strayed = False

    def begin(self, welcome: Mapping[str, Any]) -> None:
        """Go to where the play is."""
        self._fallback.begin(welcome)
        seed, actions = self._seed_of()
        self._state = game_for(self.item.rules, self.item.reading, self.item.game).start(self.item.level, seed=seed)
        for action in decode_play(actions):
            self._state.advance(action)
        self.strayed = not _agrees(self._state, self._state, welcome["frame"])
        self._agent.reset(self._state)
        self._asked = "NIL"
        self._late = ""

    def keys(self, frame: Mapping[str, Any]) -> list[str]:
        """The key that the agent presses after what it sees."""
        state = self._state
        if state is None or self.strayed:
            return self._fallback.keys(frame)
        if "whole" not in frame:
            state = self._follow(state, frame)
            if state is None:
                self.strayed = True
                return self._fallback.keys(frame)
        self._state = state
        if state.is_over or self._late:
            return []
        self._asked = self._agent.act(state) or "NIL"
        return [] if self._asked in ("NIL", "ESCAPE") else [self._asked]

    def _follow(self, state: State, frame: Mapping[str, Any]) -> State | None:
        """The state that a frame shows, whichever key was in time."""
        for action in dict.fromkeys((self._late or self._asked, "NIL")):
            trial = state.copy()
            trial.advance(action)
            if _agrees(state, trial, frame):
                # A key that was not played yet will be, at the next tick.
                self._late = self._asked if action == "NIL" and self._asked != "NIL" and not self._late else ""
                return trial
        return None


def _agrees(before: State, after: State, frame: Mapping[str, Any]) -> bool:
    """Return True if a frame agrees with this state in tick, score, end, and the avatar's place."""
    if frame.get("tick", before.tick + 1) != after.tick + 1 or frame.get("score", before.score) != after.score:
        return False
    if bool(frame.get("over", before.is_over)) != after.is_over:
        return False
    then, now = before.avatar, after.avatar
    if then is None or now is None:
        return True
    x, y = next(((put[2], put[3]) for put in frame.get("put", ()) if put[0] == now.id), (then.x, then.y))
    return (x, y) == (now.x, now.y)


@cache
def game_for(rules: str, reading: str, name: str) -> Game:
    """Return the game of a text, read once for all who play it."""
    return game_of(StudyItem(name, "", name, "", rules, "", reading))


def check_player(name: str) -> None:
    """Raises PcgError for a name that is no player."""
    if name not in PLAYERS and isinstance(make_agent(name), Human):
        raise PcgError(f"{name} needs a person; expected {', '.join(PLAYERS)} or another agent")


def make_player(name: str, seed: int, item: StudyItem, seed_of: SeedOf) -> KeySource:
    """A player by name.

    Args:
        name: "random", "idle", or an agent, with parameters as in "mcts:depth=12".
        seed: of its decisions.
        item: what is played.
        seed_of: tells seed and actions so far of the play.
    """
    if name == "random":
        return RandomKeys(seed)
    if name == "idle":
        return IdleKeys()
    return AgentKeys(name, seed, item, seed_of)
