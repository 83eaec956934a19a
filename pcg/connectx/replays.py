"""Reading recorded episodes: the steps of a replay, of ours or of the original environment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pcg.connectx.configuration import STATUSES
from pcg.connectx.struct import Struct, structured
from pcg.engine.boards import ConnectX
from pcg.engine.vgdl.diagnostics import PcgError

_FIELDS = {"action": 0, "reward": 0, "status": "DONE"}


def read_steps(steps: Any, game: ConnectX) -> list[list[Struct]]:
    """The states of recorded steps, each agent with an observation of its own.

    In replays of the original only the first agent has the board; it is given to the other one too.

    Raises:
        PcgError: something else than steps, or boards that do not fit the configuration.
    """
    if isinstance(steps, str | Mapping) or not isinstance(steps, Sequence):
        raise PcgError("steps are the list `steps` of a recorded episode")
    return [_state(number, step, game) for number, step in enumerate(steps)]


def _state(number: int, step: Any, game: ConnectX) -> list[Struct]:
    where = f"step {number}"
    if isinstance(step, str) or not isinstance(step, Sequence) or len(step) != 2:
        raise PcgError(f"{where}: expected a list of 2 states, one for each agent")
    made = []
    for place, given in enumerate(step):
        if not isinstance(given, Mapping) or not isinstance(given.get("observation"), Mapping):
            raise PcgError(f"{where}, agent {place + 1}: expected a dictionary with an observation")
        agent = structured(given)
        for name, default in _FIELDS.items():
            agent.setdefault(name, default)
        agent.setdefault("info", Struct())
        if agent.status not in STATUSES:
            raise PcgError(
                f"{where}, agent {place + 1}: status {agent.status!r}, expected one of {', '.join(STATUSES)}"
            )
        made.append(agent)
    cells = made[0].observation.get("board")
    if not isinstance(cells, list):
        raise PcgError(f"{where}: the first agent's observation has no board")
    try:
        game.position(cells)
    except PcgError as error:
        raise PcgError(f"{where}: {error}") from None
    for place, agent in enumerate(made):
        seen = agent.observation
        seen["board"] = [int(cell) for cell in cells]
        seen["mark"] = place + 1
        seen.setdefault("step", number)
        seen.setdefault("remainingOverageTime", 60)
    return made
