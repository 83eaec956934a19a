"""Plays repeated with a checksum of the state after every tick, by the kernels of this process or in Node.

Two builds of the kernels are the same when every checksum is. Each play begins in fresh memory, zeroed, and grows as
`pcg.engine.state` does, so that not even bytes that nobody reads depend on what was played before.
"""

from __future__ import annotations

import base64
import json
import random
import subprocess
import tempfile
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol

import numpy as np

from pcg.engine.arrays import view_memory
from pcg.engine.context import Context
from pcg.engine.kernel import stepping
from pcg.engine.kernel.bounds import MAX_ROOM
from pcg.engine.kernel.protocol import GROW, OK
from pcg.engine.kernel.random import scramble
from pcg.engine.kernel.runtime import invoke3, invoke6
from pcg.engine.native.image import image_of, used_bytes
from pcg.engine.vgdl.diagnostics import PcgError

SCRIPT = Path(__file__).with_name("play.mjs")
_ACTIONS = 6
"""Actions that are drawn: all but ESCAPE."""
_HABIT = 0.8
"""Probability with which a player with habits repeats the last action."""


@dataclass(frozen=True, slots=True)
class Play:
    """Input of a play: the seed of the game and the action codes, a digit each, of each player."""

    seed: int
    actions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """Outcome of a play: checksums of the state before the first tick and after every tick, and the reason of its end.

    `end` is "over", "ticks" (no more actions) or "status" with the number that the kernel gave up with.
    """

    checksums: tuple[int, ...]
    end: str

    @property
    def ticks(self) -> int:
        """Ticks played."""
        return len(self.checksums) - 1


class Player(Protocol):
    """Kernels that can repeat plays."""

    def play(self, context: Context, plays: Sequence[Play]) -> list[Record]:
        """Repeat plays from the beginning."""

    def block(self, context: Context, play: Play, tick: int) -> bytes:
        """Return the used part of the state block after so many ticks of a play."""


def random_play(players: int, seed: int, ticks: int) -> Play:
    """Return a play of random actions: uniform ones for even seeds, repeated ones for odd seeds."""
    draw = random.Random(seed)
    found = []
    for _ in range(players):
        last = 0
        actions = []
        for _ in range(ticks):
            if seed % 2 == 0 or draw.random() > _HABIT:
                last = draw.randrange(_ACTIONS)
            actions.append(str(last))
        found.append("".join(actions))
    return Play(seed, tuple(found))


class Native:
    """The kernels of this process."""

    def play(self, context: Context, plays: Sequence[Play]) -> list[Record]:
        """Repeat plays from the beginning."""
        return [self._play(context, play) for play in plays]

    def block(self, context: Context, play: Play, tick: int) -> bytes:
        """Return the used part of the state block after so many ticks of a play."""
        state = _Blocks(context, play.seed)
        for actions in list(_pairs(play))[:tick]:
            state.advance(*actions)
        return state.used()

    def _play(self, context: Context, play: Play) -> Record:
        state = _Blocks(context, play.seed)
        checksums = [zlib.crc32(state.used())]
        for actions in _pairs(play):
            if context.header(state.address)["ended"]:
                return Record(tuple(checksums), "over")
            status = state.advance(*actions)
            if status != OK:
                return Record(tuple(checksums), f"status {status}")
            checksums.append(zlib.crc32(state.used()))
        return Record(tuple(checksums), "over" if context.header(state.address)["ended"] else "ticks")


def _pairs(play: Play) -> Iterator[tuple[int, int]]:
    second = play.actions[1] if len(play.actions) > 1 else "0" * len(play.actions[0])
    return ((int(a), int(b)) for a, b in zip(play.actions[0], second, strict=True))


class _Blocks:
    """A state in memory of its own, with a second block for the copy from before the tick."""

    def __init__(self, context: Context, seed: int) -> None:
        self._context = context
        self.room = context.room
        self._one, self._two = self._block(), self._block()
        invoke3(context.copy_address, context.address, self.address, context.initial)
        header = context.header(self.address)
        header["rng"], header["aux"] = scramble(seed), scramble(seed * 1000 + 4)

    def _block(self) -> np.ndarray[Any, Any]:
        memory = np.zeros(self._context.block_bytes(self.room) // 8 + 8, np.int64)
        self._context.format(_aligned(memory), self.room, 0, 1)
        return memory

    @property
    def address(self) -> int:
        """Address of the state."""
        return _aligned(self._one)

    def used(self) -> bytes:
        """The bytes of the state that are in use."""
        size = used_bytes(self._context, self.address)
        return bytes(view_memory(self._one, self.address, np.dtype(np.uint8), size))

    def advance(self, first: int, second: int) -> int:
        """Play a tick, with more room when it does not fit; returns the status."""
        context = self._context
        while True:
            copy = _aligned(self._two)
            result = invoke6(
                context.step_address, context.address, self.address, copy, context.copy_address, first, second
            )
            status = int(result) & 15
            if status != GROW or self.room >= MAX_ROOM:
                return status
            before = self._two
            self.room *= 2
            self._one, self._two = self._block(), self._block()
            invoke3(context.copy_address, context.address, self.address, _aligned(before))


def _aligned(memory: np.ndarray[Any, Any]) -> int:
    return (int(memory.ctypes.data) + 63) & ~63


def advances(context: Context, room: int, count: int) -> tuple[int, float]:
    """Play random ticks at full speed (`stepping.measure`); returns the status and the processor seconds."""
    blocks = [np.zeros(context.block_bytes(room) // 8 + 8, np.int64) for _ in range(2)]
    state, start = (_aligned(memory) for memory in blocks)
    for address in (state, start):
        context.format(address, room, 0, 1)
    invoke3(context.copy_address, context.address, start, context.initial)
    draws = np.array([scramble(1)], np.int64)
    began = time.process_time()
    status = invoke6(stepping.measure.address, context.address, state, start, int(draws.ctypes.data), count, -200)
    return status, time.process_time() - began


def ticks_for(context: Context, seconds: float) -> tuple[int, int]:
    """Return the room of a state and a number of random ticks that fit into it and take so long, for `advances`.

    Args:
        context: of the game.
        seconds: of processor time that the ticks shall take at least.

    Raises:
        PcgError: the kernels give up.
    """
    room, count = context.room, 64
    while True:
        status, taken = advances(context, room, count)
        if status == GROW:
            room *= 2
        elif status != OK:
            raise PcgError(f"{context!r}: the kernel gave up with status {status}")
        elif taken < seconds:
            count *= 2
        else:
            return room, count


class Node:
    """Kernels in WebAssembly, run by Node; a context manager.

    Args:
        modules: files of modules that share memory and table: the engine's, with all its entry points exported, and
            those with functions of users. Each must have been linked for places of its own, below address 32,768 for
            data (the stack grows down from 65,536) and below slot 1,024 for functions.
        node: the program.
    """

    def __init__(self, *modules: Path, node: str = "node") -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="pcg-node-")
        self._process = subprocess.Popen(
            [node, str(SCRIPT), *map(str, modules)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> Node:
        return self

    def __exit__(self, *_: object) -> None:
        self._pipes()[0].close()
        self._process.wait()
        self._pipes()[1].close()
        self._folder.cleanup()

    def play(self, context: Context, plays: Sequence[Play]) -> list[Record]:
        """Repeat plays from the beginning."""
        answers = self._ask(context, plays=[_as_dict(p) for p in plays])
        return [Record(tuple(a["checksums"]), a["end"]) for a in answers["plays"]]

    def block(self, context: Context, play: Play, tick: int) -> bytes:
        """Return the used part of the state block after so many ticks of a play."""
        cut = Play(play.seed, tuple(actions[:tick] for actions in play.actions))
        return base64.b64decode(self._ask(context, plays=[_as_dict(cut)], block=True)["block"])

    def advances(self, context: Context, room: int, count: int) -> tuple[int, float]:
        """Play random ticks at full speed; returns the status and the processor seconds."""
        answer = self._ask(context, speed={"room": room, "count": count, "rng": str(scramble(1))})
        return answer["status"], answer["seconds"]

    def _pipes(self) -> tuple[IO[str], IO[str]]:
        if self._process.stdin is None or self._process.stdout is None:
            raise PcgError("Node was started without pipes")
        return self._process.stdin, self._process.stdout

    def _ask(self, context: Context, **job: Any) -> Any:
        image = image_of(context)
        path = Path(self._folder.name) / "image"
        path.write_bytes(image.data)
        job |= {"file": str(path), "image": image.as_dict(), "sprite_bytes": context.tables.stride, "most": MAX_ROOM}
        to, answers = self._pipes()
        try:
            to.write(json.dumps(job) + "\n")
            to.flush()
            line = answers.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise PcgError("Node has stopped; its error is printed above")
        answer = json.loads(line)
        if "error" in answer:
            raise PcgError(f"{context!r} in Node: {answer['error']}")
        return answer


def _as_dict(play: Play) -> dict[str, Any]:
    seeds = {"rng": str(scramble(play.seed)), "aux": str(scramble(play.seed * 1000 + 4))}
    return {**seeds, "actions": [list(pair) for pair in _pairs(play)]}
