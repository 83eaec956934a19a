"""Agents that take their actions from elsewhere: a recorded play, or a person at the keyboard.

Both serve any game and any player of it (reference/agents 11.3). The terminal player of `pcg play` shows pictures and
reads single keys; `Human` needs no more than a prompt, so that a person can also play against agents.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from pcg.engine.kernel.runtime import EntryPoint
from pcg.engine.model import Model
from pcg.evaluators.agents.base import Agent, AgentError, Budget, GameState
from pcg.evaluators.agents.compiled import CompiledAgent, Record
from pcg.evaluators.agents.kernel import replay as replay_kernel
from pcg.evaluators.agents.registry import AgentType, register
from pcg.evaluators.evaluation import LETTERS, decode_play
from pcg.evaluators.parameters import Parameter


class Replay(CompiledAgent):
    """Plays a recorded list of actions, and does nothing after its end.

    Args:
        actions: one letter per tick, as `evaluation.encode_play` writes them: . NIL, U UP, L LEFT, D DOWN, R RIGHT,
            X USE, E ESCAPE; or a sequence of action names.
        file: the same from a file, see `read_actions`.

    >>> Replay(actions="R.X", seed=0).recorded
    ('RIGHT', 'NIL', 'USE')
    """

    entry_point: ClassVar[EntryPoint] = replay_kernel.decide_replay

    def __init__(self, *, actions: str | Sequence[str] = "", file: str | Path = "", **common: Any) -> None:
        self._recording = Record(replay_kernel.RECORDING)
        super().__init__(**common)
        if file:
            self.recorded = tuple(read_actions(file, self.player))
        elif isinstance(actions, str):
            self.recorded = tuple(_letters(actions, "agent replay: actions"))
        else:
            self.recorded = tuple(actions)

    def __repr__(self) -> str:
        return f"<agent Replay of {len(self.recorded)} actions>"

    def _restart(self) -> None:
        super()._restart()
        self._recording["at"] = 0

    def prepare(self, model: Model, record: Record) -> None:
        known = {name: code for code, name in enumerate(model.action_names)}
        wrong = next((name for name in self.recorded if name not in known), None)
        if wrong is not None:
            raise AgentError(f"agent replay: `{wrong}`, expected one of {', '.join(known)}")
        self._recording["count"] = len(self.recorded)
        self._recording.point("actions", np.array([known[name] for name in self.recorded], dtype=np.int64))
        record.own("search", self._recording)


def read_actions(file: str | Path, player: int = 0) -> list[str]:
    """The actions of one player from a file.

    Two kinds of file are read. Letters (`evaluation.encode_play`), a line per player. Or names with a line per tick,
    such as ``LEFT`` or ``ACTION_LEFT``, for several players separated by spaces, after lines of numbers that are
    skipped: the action logs of the reference (reference/agents 11.1).

    Raises:
        AgentError: when it cannot be read, holds something else, or has no such player.
    """
    path = Path(file)
    try:
        lines = [line.split() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise AgentError(f"cannot read the recorded play {path}: {error}") from None
    named = [[word.removeprefix("ACTION_") for word in line] for line in lines if not _number(line[0])]
    if not named:
        raise AgentError(f"{path} holds no actions")
    if named[0][0] in LETTERS:
        for line in named:
            wrong = next((word for word in line if word not in LETTERS), None)
            if wrong is not None or player >= len(line):
                what = f"`{wrong}`" if wrong is not None else f"{len(line)} actions, none of player {player}"
                raise AgentError(f"{path}: {what}, expected per line an action of each player ({', '.join(LETTERS)})")
        return [line[player] for line in named]
    if player >= len(named):
        raise AgentError(f"{path} has {len(named)} lines of letters, none of player {player}")
    return _letters("".join(named[player]), str(path))


def _number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _letters(text: str, where: str) -> list[str]:
    try:
        return decode_play(text)
    except KeyError as error:
        known = " ".join(f"{letter} {name}" for name, letter in LETTERS.items())
        raise AgentError(f"{where}: {error.args[0]!r} is no action, expected {known}") from None


class Human(Agent):
    """A person, asked for every action at a prompt.

    An action may be shortened ("l" for LEFT); nothing is NIL; "q", or the end of the input, ends the game (ESCAPE).

    Args:
        read: shows a text and returns an answer; by default `input`.
        seed: not used.
        budget: not used.
        player: whom the person plays.
    """

    def __init__(
        self,
        *,
        read: Callable[[str], str] | None = None,
        seed: int = 0,
        budget: Budget | None = None,
        player: int = 0,
    ) -> None:
        self.seed = seed
        self.player = player
        self._read = read

    def act(self, state: GameState) -> str:
        """The action that the person names."""
        several = state.model.players > 1
        own = list(state.actions[self.player] if several else state.actions)
        score = state.score[self.player] if several else state.score
        who = f"player {self.player}, " if several else ""
        question = f"{who}tick {state.tick + 1}, score {score:g}: {' '.join(own)} > "
        while True:
            try:
                answer = (self._read or input)(question).strip().upper()
            except EOFError:
                return "ESCAPE"
            if answer in ("Q", "QUIT"):
                return "ESCAPE"
            meant = [name for name in (*own, "NIL") if name.startswith(answer)] if answer else ["NIL"]
            if len(meant) == 1:
                return meant[0]
            question = f"{answer}: expected one of {' '.join(own)}, nothing to wait, q to quit > "


register(
    AgentType(
        "replay",
        Replay,
        "plays a recorded list of actions, then nothing",
        (
            Parameter("actions", "", "one letter per tick: . waits, U L D R move, X uses, E ends the game"),
            Parameter("file", "", "file of such letters, a line per player, or of action names, a line per tick"),
        ),
    )
)
register(AgentType("human", Human, "asks a person for every action"), attended=True)
