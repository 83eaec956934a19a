"""The recording of a person's play: enough to replay it exactly, and to notice a stored result that is not its own.

The engine is deterministic, so game, level, seed and one action per tick are the whole play; the keys, with the tick
before which each went down or up, are kept beside it for those who study players.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pcg.engine.game import Game
from pcg.engine.state import State
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.evaluation import decode_play, encode_play

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Result:
    """State of a play after its last tick."""

    ticks: int
    score: float
    winner: int
    """-1 nobody (yet), 0 lost, 1 won."""
    over: bool
    key: int
    """`State.key()`: two plays with the same key are in the same situation."""

    @classmethod
    def of(cls, state: State) -> Result:
        """The result a state shows."""
        return cls(state.tick + 1, float(state.score), int(state.winner), state.is_over, state.key())

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object; the key as hexadecimal text, as JavaScript has no integers of 62 bits."""
        return {"ticks": self.ticks, "score": self.score, "winner": self.winner, "over": self.over,
                "key": f"{self.key:016x}"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Press:
    """A key that went down or up after so many ticks."""

    ticks: int
    action: str
    down: bool


@dataclass(frozen=True, slots=True)
class Recording:
    """One play from the start of a level.

    Attributes:
        game: name of the game.
        digest: of the game's text (`Game.digest`).
        level: level text.
        seed: of the play.
        actions: one name per tick.
        result: how it ended, or stood when it was broken off.
        presses: the keys.
    """

    game: str
    digest: str
    level: str = field(repr=False)
    seed: int
    actions: tuple[str, ...] = field(repr=False)
    result: Result
    presses: tuple[Press, ...] = field(default=(), repr=False)

    def replay(self, game: Game) -> State:
        """The state at the end of the play, played again.

        Raises:
            PcgError: when the record belongs to another game, or does not lead to its own result.
        """
        if game.digest != self.digest:
            raise PcgError(f"this play was recorded in another version of {self.game} than the given {game.name}")
        state = game.start(self.level, seed=self.seed)
        for action in self.actions:
            state.advance(action)
        found = Result.of(state)
        for name in ("ticks", "score", "winner", "over", "key"):
            told, is_now = getattr(self.result, name), getattr(found, name)
            if told != is_now:
                raise PcgError(
                    f"the record of a play of {self.game} is not true: played again, its {name} is {is_now}, "
                    f"but it says {told}"
                )
        return state

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object: actions as one letter each, presses as [ticks, letter, 1 (down) or 0 (up)]."""
        return {
            "format": FORMAT,
            "game": self.game,
            "digest": self.digest,
            "level": self.level,
            "seed": self.seed,
            "play": encode_play(self.actions),
            "result": self.result.to_json(),
            "presses": [[p.ticks, encode_play([p.action]), int(p.down)] for p in self.presses],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Recording:
        """The inverse of `to_json`.

        Raises:
            PcgError: when it is no record of a play.
        """
        try:
            if data["format"] != FORMAT:
                raise PcgError(f"a record of a play has format {data['format']!r}, expected {FORMAT}")
            result = data["result"]
            return cls(
                str(data["game"]),
                str(data["digest"]),
                str(data["level"]),
                int(data["seed"]),
                tuple(decode_play(data["play"])),
                Result(
                    int(result["ticks"]),
                    float(result["score"]),
                    int(result["winner"]),
                    bool(result["over"]),
                    int(result["key"], 16),
                ),
                tuple(Press(int(t), decode_play(letter)[0], bool(down)) for t, letter, down in data["presses"]),
            )
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise PcgError(f"this is not the record of a play: {type(error).__name__}: {error}") from None
