"""Iterated width agents, `iw` and `ybcriber`: memory and parameters around `kernel.width`."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from pcg.engine.kernel.atoms import facts_beside, facts_since
from pcg.engine.kernel.runtime import EntryPoint, invoke4
from pcg.engine.model import Model, Pool
from pcg.evaluators.agents.base import CHANCE, NO_RULES, RULES, GameState, parameter, with_defaults
from pcg.evaluators.agents.compiled import Array, Record
from pcg.evaluators.agents.goal_heuristic import goal_weights
from pcg.evaluators.agents.heuristics import prepare_features, prepare_weights
from pcg.evaluators.agents.kernel.distance_field import DISTANCE_FIELD
from pcg.evaluators.agents.kernel.learnt_maps import LEARNT_MAPS
from pcg.evaluators.agents.kernel.novelty import FACTS, WIDTH_ALL, WIDTH_AVATAR, WIDTH_ONE, WIDTH_TWO
from pcg.evaluators.agents.kernel.touch_statistics import KNOWLEDGE
from pcg.evaluators.agents.kernel.width import decide_width
from pcg.evaluators.agents.kernel.width_tree import BEEN_MARKS, MOST_NEWS, SEARCH, move_states
from pcg.evaluators.agents.observed_chance import ChanceAware, chance_parameter
from pcg.evaluators.agents.registry import register
from pcg.evaluators.agents.tables import first_powers

WIDTHS: dict[str, int] = {"1": WIDTH_ONE, "1.5": WIDTH_AVATAR, "2": WIDTH_TWO}
"""Novelty required of a state: a fact, a pair with the avatar's fact, any pair."""

_NODE_ARRAYS: dict[str, type] = {
    **dict.fromkeys(
        ("free", "parent", "first", "sibling", "action", "depth", "kept", "heir", "heap", "order", "end"), np.int32
    ),
    **dict.fromkeys(("met", "arrival", "place", "key", "choices", "serial"), np.int64),
    **dict.fromkeys(("points", "gain", "lean", "risk", "value"), np.float64),
}
_MOST_NODES = 1 << 13
_LEAST_TIMED_NODES = 1 << 9
_TIMED_NODES = 1 << 12
_MOST_TIMED_NODES = 1 << 15
_TIMED_BYTES = 1 << 26
"""Bytes of the nodes' states, where the budget is time: getting more takes longer than an agent has to be made."""
_FACTS = 512
_TUPLES = 1 << 20
_PLACES = 1 << 15
_EVENTS = 64


def _timed_nodes(model: Model, chance: bool) -> int:
    """Nodes of a search whose budget is time; where there is chance, a search is over after a few hundred."""
    return max(_LEAST_TIMED_NODES, min(_TIMED_NODES if chance else _MOST_TIMED_NODES, _TIMED_BYTES // model.stride))


class _Memory:
    """The records of a search and the states of its nodes; moves to larger states without losing anything."""

    def __init__(self, agent: IW, model: Model, record: Record) -> None:
        self.model = model
        chance = agent.expects_chance(model)
        calls = agent.budget.calls
        room = _timed_nodes(model, chance) if calls is None else min(_MOST_NODES, (1 if chance else 2) * calls + 16)
        self.search = search = Record(
            SEARCH,
            discount=agent.discount,
            win_bonus=agent.win_bonus,
            guidance=agent.guidance,
            attraction=agent.attraction,
            exploration=agent.exploration,
            safety=agent.safety,
            danger_depth=agent.danger_depth,
            wait=int(agent.wait),
            best_first=int(agent.order == "reward"),
            first_width=WIDTHS[agent.width],
            last_width=WIDTH_ALL if agent.iterate else WIDTHS[agent.width],
            chance=int(chance),
            timed=int(calls is None),
            room=room,
            been_size=_PLACES,
        )
        search["discounted"] = len(search.point("discounts", first_powers(agent.discount)))
        for field, kind in _NODE_ARRAYS.items():
            search.point(field, np.zeros(room, dtype=kind))
        search.point("compared", np.zeros((room, 2), dtype=np.int64))
        search.point("news", np.zeros((room, 2, 1 + MOST_NEWS), dtype=np.int32))
        search.point("dead", np.zeros(model.max_actions + 1, dtype=np.int64))
        search.point("sum", np.zeros(model.max_actions + 1, dtype=np.float64))
        search.point("been_key", np.zeros(_PLACES, dtype=np.int64))
        self.been = [
            search.point("been_count", np.zeros(_PLACES, dtype=np.int64)),
            search.point("been_marks", np.zeros(BEEN_MARKS, dtype=np.int8)),
        ]
        kinds = len(model.categories)
        self.facts = facts = search.own("facts", Record(FACTS, kinds=max(kinds, _FACTS // 2), list_room=_FACTS))
        facts.point("features", np.zeros(2 * facts["kinds"], dtype=np.float64))
        facts.point("list", np.zeros(_FACTS, dtype=np.int64))
        facts.point("parent_list", np.zeros(_FACTS + 3, dtype=np.int64))
        facts["parent_size"] = 4 * _FACTS
        facts.point("parent_key", np.zeros(4 * _FACTS, dtype=np.int64))
        facts.point("parent_mark", np.zeros(4 * _FACTS, dtype=np.int32))
        facts["size"] = _TUPLES
        facts["most"] = 3 * _TUPLES // 4
        facts.point("table", np.zeros((_TUPLES, 2), dtype=np.int64))
        facts.point("entered", np.zeros(_TUPLES // 4, dtype=np.int64))
        if model.engine == "vgdl":
            facts["since"], facts["beside"] = facts_since.address, facts_beside.address
        facts.point("first", np.zeros((room, 2), dtype=np.int64))
        facts.point("news", np.zeros(_FACTS, dtype=np.int64))
        learns = agent.attraction > 0
        self.knowledge = search.own("knowledge", Record(KNOWLEDGE, kinds=kinds * learns, event_room=_EVENTS))
        self.knowledge.point("events", np.zeros(4 * _EVENTS, dtype=np.int64))
        self.learnt = [
            self.knowledge.point(field, np.zeros(2 * kinds + 1, dtype=kind))
            for field, kind in (("touches", np.int64), ("deaths", np.int64), ("points", np.float64))
        ]
        self.worth = self.knowledge.point("worth", np.zeros(kinds + 1, dtype=np.float64))[:kinds]
        self.maps = self._learnt_maps(agent, model, record) if learns and agent.maps and model.size[0] else None
        self.states = self._point_to(model.pool(room))
        self.forget()

    def _learnt_maps(self, agent: IW, model: Model, record: Record) -> Record:
        """Memory of where the avatar has been and what is worth going to, and of the field that is grown there."""
        cells, kinds = model.size[0] * model.size[1], len(model.categories)
        maps = self.search.own("maps", Record(LEARNT_MAPS, cells=cells, kinds=kinds))
        self.places = [maps.point(field, np.zeros(n, np.int8)) for field, n in (("visited", cells), ("free", kinds))]
        maps.point("pull", np.zeros(cells, np.float64))
        self.field = Record(DISTANCE_FIELD, cells=cells, types=kinds)
        for field, kind, size in (
            ("flags", np.int8, kinds), ("weights", np.float64, kinds), ("counts", np.int32, kinds),
            ("marks", np.int8, cells), ("distance", np.float64, cells), ("queue", np.int32, cells),
        ):  # fmt: skip
            self.field.point(field, np.zeros(size, dtype=kind))
        return maps

    def _point_to(self, pool: Pool) -> Pool:
        self.search["stride"] = pool.stride
        return self.search.point_to_pool("states", pool)

    def forget_play(self) -> None:
        """Forget what was simulated, and where the play has been."""
        self.search["heir_root"] = -1
        self.search["broken"] = self.search["been_used"] = 0
        for array in self.been:
            array[:] = 0

    def serve_chance(self) -> bool:
        """Search from now on as where chance plays a part; False when other memory has to be got for that.

        In a hurry there is no time for getting memory, and a search that chance ends early needs less than there is.
        """
        if not self.search["timed"]:
            return False
        self.search["chance"] = 1
        self.search["room"] = min(self.states.count, self.search["room"], _timed_nodes(self.model, chance=True))
        self.forget()
        return True

    def forget(self) -> None:
        """Forget all that was learnt and simulated."""
        self.forget_play()
        for array in (*self.learnt, *(self.places if self.maps else ())):
            array[:] = 0

    def enlarge(self, model: Model, hasty: bool) -> None:
        """Move the nodes' states to blocks of the size that the model, the same game's and level's, gives now.

        In a hurry (`hasty`) there is no time for that, nor for getting memory: fewer, larger blocks of the old take
        over.
        """
        old = self.states
        self.model = model
        if hasty:
            self.states = self._point_to(self.model.pool_in(old))
            self.search["room"] = min(self.states.count, self.search["room"])
            self.search["heir_root"] = -1
            self.search["broken"] = 0
        else:
            self.states = self._point_to(self.model.pool(old.count))
            invoke4(move_states.address, self.search.address, self.model.address, old.address, old.stride)


@register(
    "iw",
    "iterated width: searches on only from states that are new in some way",
    paper="Lipovetzky and Geffner, Width and Serialization of Classical Planning Problems, 2012; Geffner and Geffner, "
    "Width-Based Planning for General Video-Game Playing, 2015",
)
class IW(ChanceAware):
    """Iterated width: goes on only from states with a new fact, or a new pair of facts, about them.

    The facts of a VGDL state are the avatar's place and facing, what it holds, counters, what is gone, and for every
    moving sprite its type and cell (`pcg.engine.kernel.atoms`). The path with the highest discounted reward is played.
    In deterministic games what was simulated is kept for later decisions, and once a width is exhausted the search goes
    on with the next one: 1, 1.5, 2, then every new state. In games of chance it is repeated on fresh samples.
    """

    entry_point: ClassVar[EntryPoint] = decide_width

    width: str = parameter("1", "what must be new: a fact, a pair with the avatar's, a pair", choices=tuple(WIDTHS))
    iterate: bool = parameter(True, "deterministic games: go on with greater widths within the budget")
    order: str = parameter("breadth", "of expansion; `reward`: the best path so far", choices=("breadth", "reward"))
    discount: float = parameter(0.99, "of rewards, per tick", low=0.0, high=1.0)
    win_bonus: float = parameter(1e7, "reward of a won end, penalty of a lost one", low=0)
    safety: int = parameter(
        10, "games of chance: samples of each action; the actions lost least often are searched", low=0, high=1000
    )
    danger_depth: int = parameter(
        1, "ticks ahead up to which actions are sampled so (deeper ones less often)", low=1, high=5
    )
    wait: bool = parameter(False, "doing nothing is a move")
    exploration: float = parameter(
        1e-3, "points that ending where the play has been costs per visit, up to 50 of them", low=0
    )
    attraction: float = parameter(0.0, "points that the pull of sprites worth touching counts at most", low=0)
    maps: bool = parameter(
        False, "pulls follow ways around what has blocked the avatar (`kernel.learnt_maps`), not straight lines"
    )
    guidance: float = parameter(
        0.0, "points of score that a tick of estimated way to the goals costs (`goal_weights`)", low=0
    )

    chance: str = chance_parameter()
    reads_rules: ClassVar[str] = CHANCE

    @property
    def rules_read(self) -> str:
        """Part of the rules that it reads: the way to the goals with `guidance`, else whether there is chance."""
        if self.guidance:
            return RULES
        return CHANCE if self.chance == "rules" else NO_RULES

    def set_up(self) -> None:
        self._memory: _Memory | None = None

    def forget_model(self) -> None:
        """Drop the search's memory, or lay it out anew: that depends on whether there is chance."""
        memory = self._memory
        if memory is None or not (self.expects_chance(memory.model) and memory.serve_chance()):
            self._memory = None
            super().forget_model()

    def worth(self) -> Array:
        """Return what each kind of sprite was worth by the last decision, -1 to 1; empty where nothing is learnt."""
        if self._memory is None or self.attraction <= 0:
            return np.zeros(0)
        return self._memory.worth

    def forget_play(self) -> None:
        """Forget where the play has been and what was simulated, and keep what was learnt of the sprites."""
        if self._memory is not None:
            self._memory.forget_play()

    def reset(self, state: GameState) -> None:
        """Forget all that was learnt, start the random stream again and get memory for the state's model."""
        super().reset(state)
        assert self._memory is not None
        self._memory.forget()

    def prepare(self, model: Model, record: Record) -> None:
        if self._memory is None or self._memory.model.address != model.address:
            self._memory = _Memory(self, model, record)
        elif self._memory.states.stride != model.stride:
            self._memory.enlarge(model, self.hasty)
        record.own("search", self._memory.search)
        if self._memory.maps:
            record.own("field", self._memory.field)
        prepare_features(model, record)
        record["heuristic"] = 0
        weights = goal_weights(model) if self.guidance else None
        if weights is not None:
            prepare_weights(record, weights)


@register(
    "ybcriber",
    "iterated width that avoids danger and is drawn to what is worth touching",
    paper="after YBCriber (I. and T. Geffner), as reported in Perez Liebana et al., General Video Game AI: a "
    "Multi-Track Framework, 2018",
)
class YBCriber(IW):
    """Iterated width with danger avoidance and a memory of what sprites are good for.

    What the simulations touch is remembered: how the score changed, and whether the avatar died. The paths searched are
    compared by their rewards first and then by how near they come to kinds of sprites that gave points or are still
    unknown. Waiting is a move, and actions are sampled for danger on the second tick as well.
    """

    parameters = with_defaults(IW.parameters, danger_depth=2, wait=True, exploration=0.02, attraction=0.5)
