"""Agents as memory images: the records and arrays that a compiled agent decides with, for a page that lays them out.

A `CompiledAgent` is a DECISION record, the records and arrays it points to, and blocks for states. An image lists them
with the places that hold addresses of others, of functions and of the model, so that a page needs to know nothing of
any particular search: it lays the blocks out, fills the places in, and calls ``decision_decide``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pcg.engine.game import Game
from pcg.engine.kernel.runtime import EntryPoint
from pcg.engine.model import Pool
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.agents import make_agent
from pcg.evaluators.agents.compiled import CompiledAgent, Record
from pcg.evaluators.agents.kernel.decision import DECISION
from pcg.export.kernels import exported
from pcg.export.pieces import Pieces

OFFSETS = {name: int(spec[1]) for name, spec in (DECISION.fields or {}).items()}
"""Places in a DECISION record."""
_OWN = frozenset({"random", "budget", "player", "players", "calls", "spent"})
"""Fields of it that are never addresses."""


@dataclass(slots=True)
class AgentImage:
    """The memory of one agent for one model. Places are pairs of a block's number and an offset in it.

    Attributes:
        name: of the agent, as `make_agent` takes it.
        budget: forward-model calls per decision, as a number, or milliseconds, as `make_agent` takes them: ``"40ms"``.
        blocks: of each block its size in bytes and the number of the piece with its content, -1 for zeros. The first
            is the DECISION record.
        links: (block, offset, block that the address there is of).
        functions: (block, offset, symbol of the function whose address belongs there).
        models: (block, offset) of addresses of the model.
        pools: (block, offset, states of the pool whose address belongs there).
    """

    name: str
    budget: int | str
    blocks: list[tuple[int, int]] = field(default_factory=list)
    links: list[tuple[int, int, int]] = field(default_factory=list)
    functions: list[tuple[int, int, str]] = field(default_factory=list)
    models: list[tuple[int, int]] = field(default_factory=list)
    pools: list[tuple[int, int, int]] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


def agent_image(name: str, game: Game, level: int, pieces: Pieces, *, budget: int | str, player: int = 0) -> AgentImage:
    """Return the image of an agent that plays a level of a game.

    Args:
        name: of a compiled agent, with parameters as in ``mcts:depth=12``.
        game: the game.
        level: number of a level.
        pieces: where the contents of its arrays go.
        budget: forward-model calls per decision, with which pages decide alike on every machine, or a time such as
            ``"40ms"``, for memory as large as agents have it that search until it is over.
        player: whom it plays, from 0.

    Raises:
        PcgError: for agents that do not decide in compiled code alone, or whose functions pages do not have.
    """
    agent = make_agent(name, seed=0, budget=budget, player=player)
    timed = agent.budget.milliseconds is not None
    if not isinstance(agent, CompiledAgent) or not (timed or agent.reproducible):
        raise PcgError(f"`{name}` does not decide in compiled code alone, so it cannot play in a page")
    state = game.start(level)
    agent.reset(state)
    image = AgentImage(name, budget)
    _Walk(image, pieces, int(state.model.address)).visit(agent._record)
    missing = sorted({symbol for _, _, symbol in image.functions if not exported(symbol)})
    if missing:
        raise PcgError(f"`{name}` needs `{missing[0]}`, which the kernels of pages do not have")
    return image


class _Walk:
    """Goes through the records of an agent and writes down what is where."""

    def __init__(self, image: AgentImage, pieces: Pieces, model: int) -> None:
        self.image, self.pieces, self.model = image, pieces, model
        self.entries = {e._address: e.symbol for e in EntryPoint.registry if e._address}
        self.known: dict[int, int] = {}

    def block(self, content: np.ndarray) -> tuple[int, int]:
        """Bytes of a block, and the number of its piece; -1 for zeros, which need no content."""
        return content.nbytes, self.pieces.add(content.tobytes()) if content.view(np.uint8).any() else -1

    def visit(self, record: Record) -> int:
        """Number of the block of a record, with everything that it points to."""
        memory = record._memory
        at = self.image.blocks
        number = self.known[record.address] = len(at)
        at.append((0, -1))  # those it points to come behind it
        copy = memory.copy()
        fields = memory.dtype.fields or {}
        for name, (kind, offset, *_) in fields.items():
            value = record[name]
            if kind != np.dtype("i8") or value == 0 or (name in _OWN and memory.dtype == DECISION):
                continue
            kept: Any = record._kept.get(name)
            if isinstance(kept, Pool):
                if name != "work":
                    raise PcgError(f"an agent that keeps states in `{name}` cannot play in a page")
                self.image.pools.append((number, offset, kept.count))
            elif value in self.known:
                self.image.links.append((number, offset, self.known[value]))
            elif isinstance(kept, Record):
                self.image.links.append((number, offset, self.visit(kept)))
            elif isinstance(kept, np.ndarray):
                self.known[value] = len(at)
                self.image.links.append((number, offset, len(at)))
                at.append(self.block(kept.ravel()))
            elif value in self.entries:
                self.image.functions.append((number, offset, self.entries[value]))
            elif value == self.model:
                self.image.models.append((number, offset))
            else:
                continue
            copy[0][name] = 0
        if memory.dtype == DECISION:
            copy[0]["random"] = 0  # its own stream is set by whoever plays
        at[number] = self.block(copy)
        return number
