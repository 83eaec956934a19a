"""Solvability of a level while it is painted: the shortest win, searched in the background until the next stroke.

A question takes the place of the one that the same asker put before: its search ends at the next look at the clock,
every 20,000 forward-model calls, and is answered with `overtaken`. Levels with chance are not searched;
agents play them as in an evaluation. How far a search goes is a number of states, so the same level has the same answer
on every machine.
"""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from pcg.evaluators.agents import solve
from pcg.web.level_editor import LevelEditor

MAX_NODES = 200_000
"""States that a search meets at most."""
MEMORY = 64 * 2**20
"""Bytes of states that a search keeps."""
MOST_ASKERS = 64


class Overtaken(Exception):
    """A later question has come."""


class LevelSolver:
    """Answers to whether levels can be won, one at a time, the latest first of all.

    Args:
        max_nodes: states that a search meets at most.
    """

    def __init__(self, max_nodes: int = MAX_NODES) -> None:
        self.max_nodes = max_nodes
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="pcg-solve")
        self._latest: OrderedDict[str, int] = OrderedDict()
        self._asked = 0
        self._lock = threading.Lock()

    def close(self) -> None:
        """End all searches."""
        with self._lock:
            self._latest.clear()
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def answer(self, editor: Callable[[], LevelEditor], level: str, asker: str) -> dict[str, Any]:
        """Return what `solved` says of a level, or {`status`: "overtaken"}."""
        with self._lock:
            self._asked += 1
            number = self._latest[asker] = self._asked
            self._latest.move_to_end(asker)
            while len(self._latest) > MOST_ASKERS:
                self._latest.popitem(last=False)

        def check(*_: object) -> None:
            if self._latest.get(asker) != number:
                raise Overtaken

        def work() -> dict[str, Any]:
            try:
                check()
                return solved(editor(), level, max_nodes=self.max_nodes, progress=check)
            except Overtaken:
                return {"status": "overtaken"}

        return await asyncio.wrap_future(self._pool.submit(work))


def solved(
    editor: LevelEditor,
    text: str,
    *,
    max_nodes: int = MAX_NODES,
    progress: Callable[[object], object] | None = None,
) -> dict[str, Any]:
    r"""Search a level for the shortest win.

    Args:
        editor: of the game.
        text: of the level.
        max_nodes: states that the search meets at most.
        progress: called from time to time; what it raises ends the search.

    Returns:
        `status`: "solved" (with `actions`, `shortest`, and `path`, the cells [x, y] of the avatar from its start on),
        "unsolvable" (proved), "unknown", "open" (with `open`, the number of cells still to be filled in), or "error"
        (with `message`).

    Raises:
        Refused: for a text that is no grid.

    >>> import pcg
    >>> found = solved(LevelEditor(pcg.load("boxes")), "wwwwww\nwA.bow\nwwwwww")
    >>> found["status"], found["actions"], found["path"]
    ('solved', ['RIGHT', 'RIGHT'], [[1.0, 1.0], [2.0, 1.0]])
    """
    level = editor.tidy(text)
    if count := editor.opens(level):
        return {"status": "open", "open": count}
    errors = [one for one in editor.check(level) if one["severity"] == "error"]
    if errors:
        return {"status": "error", "message": errors[0]["message"]}
    seed = editor.seed
    found = solve(editor.game.start(level, seed=seed), max_nodes=max_nodes, memory=MEMORY, progress=progress)
    if found.status == "unsolvable":
        return {"status": "unsolvable"}
    if found.status == "solved":
        actions, shortest = list(found.actions), found.optimal
    else:
        evaluation = editor.evaluate(level)  # agents that know how to walk far, and games of chance
        actions, shortest = list(evaluation.actions), False
        if not actions:
            return {"status": "unknown"}
        seed = evaluation.seed
    return {
        "status": "solved",
        "actions": actions,
        "shortest": shortest,
        "chance": found.status == "stochastic",
        "path": _path(editor, level, seed, actions),
    }


def _path(editor: LevelEditor, level: str, seed: int, actions: list[str]) -> list[list[float]]:
    """The places of the avatar in a play, in cells; one that stays where it is once."""
    state = editor.game.start(level, seed=seed)
    found: list[list[float]] = []

    def note() -> None:
        x, y = state.observe().avatar_position
        if x >= 0:
            place = [round(x / state.block_size, 2), round(y / state.block_size, 2)]
            if not found or found[-1] != place:
                found.append(place)

    note()
    for action in actions:
        if state.is_over:
            break
        state.advance(action)
        note()
    return found
