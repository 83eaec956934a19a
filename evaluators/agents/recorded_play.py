"""A recorded play as a player: `Replay` takes its actions from a list or a file, for any game and any player of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from pcg.engine.kernel.runtime import EntryPoint
from pcg.engine.model import Model
from pcg.evaluators.agents.base import AgentError, parameter
from pcg.evaluators.agents.compiled import CompiledAgent, Record
from pcg.evaluators.agents.kernel.replay import RECORDING, decide_replay
from pcg.evaluators.agents.registry import register
from pcg.evaluators.evaluation import LETTERS, decode_play


@register("replay", "plays a recorded list of actions, then nothing")
class Replay(CompiledAgent):
    """Plays a recorded list of actions, and does nothing after its end.

    Args:
        actions: one letter per tick, as `evaluation.encode_play` writes them: . NIL, U UP, L LEFT, D DOWN, R RIGHT,
            X USE, E ESCAPE; or a sequence of action names.
        file: the same from a file, see `read_actions`.

    >>> Replay(actions="R.X", seed=0).recorded
    ('RIGHT', 'NIL', 'USE')
    """

    entry_point: ClassVar[EntryPoint] = decide_replay

    actions: str = parameter("", "one letter per tick: . waits, U L D R move, X uses, E ends the game")
    file: str = parameter("", "file of such letters, a line per player, or of action names, a line per tick")

    def __init__(self, *, actions: str | Sequence[str] = "", file: str | Path = "", **common: Any) -> None:
        super().__init__(actions=actions if isinstance(actions, str) else "", file=str(file), **common)
        if file:
            self.recorded = tuple(read_actions(file, self.player))
        elif isinstance(actions, str):
            self.recorded = tuple(_letters(actions, "agent replay: actions"))
        else:
            self.recorded = tuple(actions)

    def set_up(self) -> None:
        self._recording = Record(RECORDING)

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
