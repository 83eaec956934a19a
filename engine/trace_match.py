"""Comparison of states with the text of a trace: a tick that agrees needs no Python objects for its sprites.

A `LineMatcher` writes the short part of a line as this engine would, has the long part (the sprites) compared by the
compiled `pcg.engine.kernel.compare`, and says "surely the same" or "look closer". It never says that something differs:
that, and every line in an unusual form, is for `pcg.engine.conformance` to decide.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import numpy as np

from pcg.engine.kernel import compare
from pcg.engine.kernel.ids import ACTION_ID
from pcg.engine.kernel.runtime import invoke4, invoke5
from pcg.engine.state import Outcome, State
from pcg.engine.traces import TraceText, json_number, same


class LineMatcher:
    """Compares the lines of one trace with the states of a replay."""

    def __init__(self, text: TraceText, players: int) -> None:
        self._data = text.data
        self._players = players
        self._text = np.frombuffer(text.data or b"\n", np.uint8)
        self._base = int(self._text.ctypes.data)
        self._work = np.zeros(compare.WORK_WORDS, np.int64)
        self._work_address = int(self._work.ctypes.data)
        self._left = self._work.data[compare.LEFT_AT :]
        self._left_doubles = self._work.view(np.float64).data[compare.LEFT_AT :]

    def start(self, state: State, begin: int, end: int) -> bool:
        """Return true if a line surely describes the state before tick 0."""
        head = f'{{"t":-1,{self._status(state)},"rng":{state.rng},"aux":{state.aux},"s":['.encode()
        if not self._data.startswith(head, begin):
            return False
        at = begin + len(head)
        size = invoke4(
            compare.match_start.address, state.context.address, state.address, self._base + at, self._work_address
        )
        return size >= 0 and self._ends(at + size, end, b"]}") and self._numbers_agree(at)

    def actions(self, tick: int, begin: int) -> tuple[bytes, tuple[int, int]] | None:
        """Return the actions of a tick, as the line puts them and as action codes; None when they are not plain."""
        head = b'{"t":%d,"a":[' % tick
        if not self._data.startswith(head, begin):
            return None
        at = begin + len(head)
        text = self._data[at : self._data.find(b"]", at)]
        codes = _codes(text, self._players)
        return None if codes is None else (text, codes)

    def tick(self, before: State, after: State, actions: bytes, begin: int, end: int) -> bool:
        """Return true if a line surely describes the tick that led from one state to another, and is not the last."""
        header = after.header
        rng, aux = header.rng, header.aux
        drawn = "" if aux == before.header.aux else f',"aux":{aux}'
        head = (
            f'{{"t":{header.tick},"a":[{actions.decode()}],{self._status(after)},"ended":false,"rng":{rng}{drawn},"d":['
        ).encode()
        if not self._data.startswith(head, begin) or header.ended:
            return False
        at = begin + len(head)
        size = invoke5(
            compare.match_tick.address,
            after.context.address,
            before.address,
            after.address,
            self._base + at,
            self._work_address,
        )
        if size < 0:
            return False
        counters = ",".join(map(str, after.counters)) if after.context.tables.definition.counters else ""
        return self._ends(at + size, end, b'],"counters":[%s]}' % counters.encode()) and self._numbers_agree(at)

    def _status(self, state: State) -> str:
        header = state.header
        first = _status_text(header.avatar0 >= 0, str(header.score0), header.win0)
        if self._players == 1:
            return f'"score":[{first[0]}],"win":[{first[1]}]'
        second = _status_text(header.avatar1 >= 0, str(header.score1), header.win1)
        return f'"score":[{first[0]},{second[0]}],"win":[{first[1]},{second[1]}]'

    def _ends(self, at: int, end: int, tail: bytes) -> bool:
        return at + len(tail) == end and self._data.startswith(tail, at)

    def _numbers_agree(self, at: int) -> bool:
        """Compare the numbers that the kernel has left over."""
        for k in range(1, 3 * self._left[0], 3):
            place = at + self._left[k]
            try:
                expected = json.loads(self._data[place : place + self._left[k + 1]])
            except ValueError:
                return False
            if not same(expected, json_number(self._left_doubles[k + 2])):
                return False
        return True


@lru_cache(maxsize=4096)
def _status_text(here: bool, score: str, win: int) -> tuple[str, str]:
    """Score and win state of a player as JSON. The score comes as text, because -0.0 equals 0.0."""
    if not here:
        return "null", "null"
    return json.dumps(json_number(float(score))), json.dumps(Outcome(win).name)


@lru_cache(maxsize=4096)
def _codes(text: bytes, players: int) -> tuple[int, int] | None:
    """Action codes of a list of action names without its brackets; None when it is anything else."""
    try:
        names: Any = json.loads(b"[" + text + b"]")
    except ValueError:
        return None
    if len(names) != players:
        return None
    codes = [0, 0]
    for player, name in enumerate(names):
        if name is not None:
            code = ACTION_ID.get(name.removeprefix("ACTION_")) if isinstance(name, str) else None
            if code is None:
                return None
            codes[player] = code
    return codes[0], codes[1]
