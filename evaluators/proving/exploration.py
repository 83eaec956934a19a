"""Exploration of a level from remembered states: memory and parameters around `kernel`.

`Exploration` looks for a win of one state by the loop of Go-Explore (Ecoffet et al. 2021). It can be gone on with bit
by bit; what it does depends on its arguments and the forward-model calls it may make, never on the clock. Where chance
plays a part it explores the one future that the state's own random generator holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pcg.engine.kernel.places import FACING, PRODUCT, mark_settings
from pcg.engine.kernel.protocol import GROW
from pcg.engine.kernel.random import scramble
from pcg.engine.kernel.runtime import invoke1, invoke2, invoke3
from pcg.engine.model import Pool
from pcg.evaluators.agents import Pair
from pcg.evaluators.agents.base import AgentError, GameState
from pcg.evaluators.agents.compiled import Array, Record
from pcg.evaluators.agents.graph_search import prepare_pair_distances
from pcg.evaluators.agents.heuristics import prepare_weights
from pcg.evaluators.agents.kernel.decision import DECISION
from pcg.evaluators.proving import kernel
from pcg.evaluators.proving.contacts import Contacts
from pcg.evaluators.proving.way import Way

GRAINS: dict[str, int] = {
    "coarse": kernel.COARSE, "place": kernel.PLACE, "fine": kernel.FINE, "whole": kernel.WHOLE,
}  # fmt: skip
"""Keys that tell cells apart: the avatar's cell; its type and pixel; facing and cooldown besides; the whole state."""
LEVELS = 256
"""Facts for one thing that is held, one for each number of it; those for the avatar's health come first."""
MEMORY = 128 * 2**20
"""Bytes of remembered states at most."""

_CELLS = 1 << 19
_NODES = 1 << 23
_TRAIL = 4096
_FIRST_BLOCKS = 512
_SPARE_BLOCKS = 64
"""Blocks that are free, at least, when more are got: an expansion seldom meets more cells."""
_BITS = 7
MOST_ROOM = 4096
"""Moving sprites of a state beyond which exploring goes no further."""


@dataclass(frozen=True)
class Cells:
    """The key by which an exploration tells cells apart.

    Args:
        grain: one of `GRAINS`.
        counted: types whose numbers tell cells apart.
        placed: types whose places tell cells apart.
        turned: types whose orientations do so.
        making: spawners, of which what they bring forth does so.
        period: ticks after which the same place is another cell, 0: never.
        holdings: whether what the avatar holds, and counters, tell cells apart.
        health: whether the avatar's health does so.
        regions: whether the avatar's region takes the place of its cell.
    """

    grain: str = "coarse"
    counted: tuple[int, ...] = ()
    placed: tuple[int, ...] = ()
    turned: tuple[int, ...] = ()
    making: tuple[int, ...] = ()
    period: int = 0
    holdings: bool = True
    health: bool = True
    regions: bool = False


class Exploration:
    """A search for a win from one state.

    Args:
        state: where to begin; not changed.
        cells: what is told apart.
        weights: of the features of a state, whose sum estimates the ticks to a win; None: points lead instead.
        pairs: kinds of things to bring together, which the estimate takes in.
        contacts: kinds of things to touch or hit; the region in which the avatar walks about takes the place of its
            cell then. None: actions are tried.
        way: kinds of things to go to, whose distance around the walls takes the place of that as the crow flies.
        seed: of what is drawn.
        led: of 8 choices of the next cell, how many are led by the estimate.
        hold: ticks for which an action is tried at first.
        reach: ticks that a play goes on without meeting anything new.
        haste: estimated ticks to a win that every tick played takes off: 1 where surviving wins.
        hasty: ticks from the start for which it does so, None: always.
        later: estimated ticks to a win that every tick after those takes off.
        patience: estimated ticks that a visit costs a cell.
        max_ticks: longest play.
        memory: bytes of remembered states at most.

    Raises:
        AgentError: a game of several players, or not on a grid of cells.
    """

    def __init__(
        self,
        state: GameState,
        cells: Cells,
        *,
        weights: Sequence[float] | None = None,
        pairs: Sequence[Pair] = (),
        way: Way | None = None,
        contacts: Contacts | None = None,
        seed: int = 0,
        led: int = 5,
        hold: int = 6,
        reach: int = 24,
        haste: float = 0.0,
        hasty: int | None = None,
        later: float = 0.0,
        patience: float = 1.0,
        max_ticks: int = 2000,
        memory: int = MEMORY,
    ) -> None:
        model = state.model
        if model.players != 1 or not model.size[0]:
            raise AgentError(f"exploration is for games of one player on a grid of cells, not for {model!r}")
        self.model = model
        self._memory = memory
        decision = self._decision = Record(DECISION, model=model.address, players=1)
        decision.point("own", np.zeros(model.max_actions + 1, dtype=np.int64))
        decision.point("joint", np.zeros(1, dtype=np.int64))
        if weights is not None:
            prepare_weights(decision, np.array(weights, dtype=np.float64))
            if pairs:
                prepare_pair_distances(model, decision, pairs)
            if way is not None:
                way.prepare(model, decision)
        types = len(model.categories)
        first, end = model.holdings if cells.holdings else (0, 0)
        fact_room = 2 + (end - first) // LEVELS
        if end and not cells.health:
            first += LEVELS
        words = -(-model.size[0] * model.size[1] // 8)
        record = self.record = Record(
            kernel.EXPLORATION,
            random=scramble(seed),
            grain=GRAINS[cells.grain],
            place_facts=model.place_facts,
            period=cells.period,
            types=types,
            words=words,
            fact_room=fact_room,
            first_fact=first,
            end_fact=end,
            haste=haste,
            hasty=max_ticks if hasty is None else hasty,
            later=later,
            patience=patience,
            led=led,
            hold=hold,
            reach=reach,
            max_ticks=max_ticks,
            room=_CELLS,
            node_room=_NODES,
            trail_room=_TRAIL,
        )
        record.own("decision", decision)
        if contacts is not None:
            record.own("region", contacts.record(model))
        counted = record.point("counted", np.zeros(types, dtype=np.int8))
        counted[list(cells.counted)] = 1
        if cells.placed or cells.turned or cells.making:
            flags = np.zeros(types, dtype=np.int8)
            for k, kind in enumerate(cells.placed):
                flags[kind] = 1 << k % _BITS  # so that most kinds that take one another's place differ
            record.point("placed", flags)
        if cells.turned or cells.making:
            settings = record.point("settings", np.zeros(types, dtype=np.int8))
            settings[list(cells.turned)] = FACING
            settings[list(cells.making)] = PRODUCT
            record["mark_settings"] = mark_settings.address
        record.point("marks", np.zeros(8 * words, dtype=np.int8))
        record.point("counts", np.zeros(types, dtype=np.int32))
        record.point("facts", np.zeros(record["fact_room"], dtype=np.int64))
        kinds = {"key": np.int64, "points": np.float64, "estimate": np.float64}
        for field in ("key", "node", "block", "visits", "ticks", "points", "estimate"):
            record.point(field, np.empty(_CELLS, dtype=kinds.get(field, np.int32)))
        record.point("table", np.empty(2 * _CELLS, dtype=np.int32))
        record.point("parent", np.empty(_NODES, dtype=np.int32))
        record.point("action", np.empty(_NODES, dtype=np.int8))
        record.point("trail", np.zeros(_TRAIL, dtype=np.int8))
        self._states = self._get_blocks(_FIRST_BLOCKS)
        answer = invoke2(kernel.begin_exploration.address, record.address, state.address)
        while answer == GROW:
            model.grow()
            self._states = self._get_blocks(_FIRST_BLOCKS)
            answer = invoke2(kernel.begin_exploration.address, record.address, state.address)
        self._answer = int(answer)

    @property
    def calls(self) -> int:
        """Forward-model calls made so far."""
        return int(self.record["calls"])

    @property
    def cells(self) -> int:
        """Cells met so far."""
        return int(self.record["used"])

    @property
    def least_estimate(self) -> float:
        """The least estimate of the ticks to a win of all cells."""
        best = self.record["best"]
        return float(self.record._kept["estimate"][best]) if best >= 0 else float("inf")  # type: ignore[index]

    @property
    def solved(self) -> bool:
        """True once a win is found."""
        return self._answer == kernel.SOLVED

    @property
    def ended(self) -> bool:
        """True when going on would change nothing: a win is found, or the archive is full."""
        return self._answer in (kernel.SOLVED, kernel.SPENT)

    def go_on(self, calls: int) -> bool:
        """Explore until so many forward-model calls are made in all, or a win is found; returns whether one is."""
        record = self.record
        record["pause_at"] = calls
        while not self.ended and record["calls"] < calls:
            self._answer = int(invoke1(kernel.explore.address, record.address))
            if self._answer == kernel.CROWDED:
                self._lay_out(2 * record["blocks"])
            elif self._answer == GROW and self.model.room < MOST_ROOM:
                self.model.grow()
                self._move(record["blocks"])
        return self.solved

    def actions(self) -> tuple[str, ...]:
        """The actions of the win found, or else those that lead to the most promising cell."""
        record = self.record
        node = record["goal"]
        if not self.solved:
            node = int(self._array("node")[record["best"]]) if record["best"] >= 0 else -1
        length = invoke3(kernel.way_to.address, record.address, node, 0)
        out = np.zeros(max(1, length), dtype=np.int8)
        invoke3(kernel.way_to.address, record.address, node, int(out.ctypes.data))
        return tuple(self.model.action_names[code] for code in out[:length])

    def _array(self, field: str) -> Array:
        array = self.record._kept[field]
        assert isinstance(array, np.ndarray)
        return array

    def _get_blocks(self, wanted: int) -> Pool:
        """Get memory for as many states as are allowed, and one more to play in; use it for so many of them."""
        record = self.record
        self._most = max(_FIRST_BLOCKS, min(_CELLS, self._memory // self.model.stride))
        count = min(wanted, self._most)
        pool = self.model.pool(self._most + 1, ready=count + 1, small_pages=True)
        if record["blocks"] and count < record["blocks_used"]:
            self._array("block")[self._array("owner")[count : record["blocks_used"]]] = -1
            record["blocks_used"] = count
        record["stride"] = pool.stride
        record["work"] = pool.address
        record["states"] = pool.address + pool.stride
        self._use(count)
        return pool

    def _use(self, count: int) -> None:
        """Let the kernel use so many of the blocks there are."""
        record = self.record
        owner = np.zeros(count, dtype=np.int32)
        if record["blocks"]:
            kept = record["blocks_used"]
            owner[:kept] = self._array("owner")[:kept]
        record.point("owner", owner)
        record["blocks"] = count
        record["crowded_at"] = count - _SPARE_BLOCKS if count < self._most else count + 1

    def _lay_out(self, wanted: int) -> None:
        """Use more blocks of the memory there is."""
        count = min(wanted, self._most)
        self._states.lay_out(count + 1)
        self._use(count)

    def _move(self, wanted: int) -> None:
        """Move to other blocks; what they have no room for is forgotten."""
        old = self._states
        self._states = self._get_blocks(wanted)
        invoke3(kernel.move_archive.address, self.record.address, old.address + old.stride, old.stride)
