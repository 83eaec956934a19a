"""The value-field agent: memory, parameters and the reading of the rules around `kernel.value_field`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from pcg.engine.elementary import powers
from pcg.engine.kernel.layout import CONTEXT
from pcg.engine.kernel.protocol import GROW, MODEL
from pcg.engine.kernel.runtime import EntryPoint, invoke3, structure
from pcg.engine.model import Model, Pool
from pcg.engine.vgdl.definition import GameDefinition
from pcg.evaluators.agents.base import RULES, parameter, with_defaults
from pcg.evaluators.agents.compiled import Array, CompiledAgent, Record
from pcg.evaluators.agents.kernel import value_field_record as graph
from pcg.evaluators.agents.kernel.playout import duplicate
from pcg.evaluators.agents.kernel.value_field import CLOSED, decide_value_field
from pcg.evaluators.agents.registry import register
from pcg.evaluators.definition_cache import once_per_definition
from pcg.evaluators.effect_semantics import FIRST

_NODES = 8192
"""Nodes of a movement graph at most; what lies beyond them the agent does not know."""
_WAITING = 256
"""Nodes whose moves wait to be tried, at most."""
_PLANS = 2048
"""Nodes of a look-ahead at most."""
_LEAST_PLANS = 256
_TIMED_BYTES = 1 << 26
"""Bytes of their states, where the budget is time: getting more takes longer than an agent has to be made."""
_HASTY = 16
"""States that are moved to larger blocks where the budget is time: moving 256 took 70 ms."""
_TIMED_QUOTA = 400
"""Forward-model calls for learning per decision when the budget is time."""
_LURING = ("resource", "portal")
"""Categories of features that are worth being near when there are no rules to read."""


_AIMS = ("all", "nearest", "chain")
_EATEN = ("both", "after", "never")
_SPREADS = ("cells", "moves", "straight")
"""Choices of parameters, in the order of their codes in the record."""


@dataclass(frozen=True, slots=True)
class _Rules:
    """Facts of the game analysis, by type id."""

    kind_of: Array
    """int32: number of the avatar type, -1."""
    worth: Array
    """float64: points for collecting one, 0 for what is not to be collected."""
    harmful: Array
    """int32: 1 for what moves, or brings forth what moves, and harms the avatar."""
    lures: Array
    """float64, two per type: the worth of being near a goal, in a game in which there is nothing to collect."""
    trap: Array
    """int32: 1 for what comes into being in play and holds or kills what moves and harms, such as a dug hole."""
    hold: int
    """Ticks the avatar takes to cross a cell."""


@once_per_definition
def _rules_of(definition: GameDefinition) -> _Rules:
    # the analysis brings a graph library along, which most plays do not need
    from pcg.evaluators.analysis import analyse

    analysis = analyse(definition)
    count = len(definition.types)
    kind_of = np.full(count, -1, dtype=np.int32)
    worth = np.zeros(count, dtype=np.float64)
    harmful = np.zeros(count, dtype=np.int32)
    lures = np.zeros(2 * count, dtype=np.float64)
    for number, avatar in enumerate(analysis.avatars):
        kind_of[avatar] = number
    for t in analysis.having("harmful"):
        harmful[t] = not analysis.has(t, "avatar") and (analysis.has(t, "mover") or analysis.has(t, "spawner"))
    for t in analysis.having("collectable"):
        pairs = [(t, a) for a in analysis.avatars] + [(a, t) for a in analysis.avatars]
        scores = [c.score for pair in pairs for c in analysis.meetings.get(pair, ())]
        worth[t] = 0.0 if scores and min(scores) < 0 else max(1.0, float(max(scores, default=0)))
    if not worth.any():
        for t in analysis.having("goal"):
            if not (analysis.has(t, "harmful") or analysis.has(t, "avatar")):
                lures[t] = 1.0
    trap = np.zeros(count, dtype=np.int32)
    for t in analysis.having("spawned"):
        trap[t] = harmful[t] == 0 and any(
            c.kind == "kill" or (c.kind == "transform" and not any(harmful[p] for p in c.products))
            for monster in np.flatnonzero(harmful)
            for c in analysis.meetings.get((int(monster), t), ())
            if c.target == FIRST
        )
    avatars = [definition.types[t] for t in analysis.start_avatars]
    speeds = [a.params.get("speed") for a in avatars]
    slowest = min((float(s) for s in speeds if isinstance(s, int | float) and s > 0), default=1.0)
    return _Rules(kind_of, worth, harmful, lures, trap, min(8, math.ceil(1 / slowest)))


def _awaited(field: Record, most: int) -> list[int]:
    """Return the places of nodes that wait for their moves to be tried; all but the first `most` are to be met anew.

    A decision that ran out of room goes back to what was known at its start.
    """
    if field["blocks"] == 0:  # without places there is no graph
        return []
    when = "" if field["open"] == CLOSED else "_before"
    done, waiting = field.kept(f"done{when}"), field.kept("waiting")
    places = [entry % len(waiting) for entry in range(field[f"head{when}"], field[f"tail{when}"])]
    for place in places[most:]:
        done[waiting[place]] = graph.NEW
    field[f"tail{when}"] = field[f"head{when}"] + len(places[:most])
    return places[:most]


@register(
    "valuefield",
    "dynamic programming over a few moves, led by distance maps from everything to be collected",
    paper="Bellman, Dynamic Programming, 1957",
)
class ValueField(CompiledAgent):
    """Discounted dynamic programming over a few moves, and a value field for what lies beyond them.

    Learns how the avatar gets about from the forward model while it plays (`value_field_graph`), grows distance maps
    backwards from everything that can be collected, and looks a few moves ahead (`kernel.value_field`). Works best in
    games on a grid in which things are collected; where the model does not tell places (games that are not VGDL), the
    features of the state take the place of the maps.
    """

    entry_point: ClassVar[EntryPoint] = decide_value_field
    reads_rules: ClassVar[str] = RULES

    horizon: int = parameter(8, "moves looked ahead", low=1, high=100)
    inflation: float = parameter(0.95, "worth of a point one move later, in the look-ahead", low=0, high=1)
    field_inflation: float = parameter(
        0.93, "worth of a collectable one tick farther away, in the value field", low=0, high=0.9999
    )
    strategy: float = parameter(1.0, "weight of the value field beside the score", low=0)
    danger: float = parameter(0.5, "points that a tick beside a monster costs", low=0)
    radius: int = parameter(4, "steps from which a monster is felt", low=0, high=graph.RADIUS)
    win_bonus: float = parameter(100.0, "points for a won game, and for not losing", low=0)
    learning: float = parameter(0.6, "share of the budget for learning the level, until it is known", low=0, high=1)
    starvation: int = parameter(100, "ticks without a point until one target alone counts", low=1, high=100_000)
    nearest_moves: int = parameter(40, "ticks for which one target alone counts", low=0, high=100_000)
    local_maximum: bool = parameter(False, "standing on a local maximum of the field counts as being stuck at once")
    gold_reward: float = parameter(0.0, "points for every collectable, in place of the score; 0 for the score", low=0)
    death_cost: float = parameter(
        0.0, "points lost with the game or a health point; 0 for win_bonus, and not to look at health", low=0
    )
    field_height: float = parameter(1.0, "worth of a collectable one row lower, in the value field", low=0, high=1)
    field_from: str = parameter("all", "whose fields are summed", choices=_AIMS)
    chain_length: int = parameter(6, "collectables of a chain", low=1, high=graph.LINKS)
    field_counts: str = parameter(
        "moves", "differences of the field at every move, or its value at the end", choices=("moves", "end")
    )
    eaten: str = parameter(
        "both",
        "field of what is taken in the look-ahead: left out of both sides of a difference, of the later alone, or kept",
        choices=_EATEN,
    )
    monster_penalty: float = parameter(
        0.0, "points that a tick on a monster costs, falling linearly to nothing beyond the radius", low=0
    )
    monsters_stay: bool = parameter(False, "for that penalty monsters are taken to stay where they are")
    spread: str = parameter("cells", "over what a monster's steps are measured", choices=_SPREADS)
    trap_bonus: float = parameter(0.0, "points a tick for a hole between the avatar and a monster on its line", low=0)
    trap_reach: int = parameter(4, "cells within which a monster counts for that", low=1, high=1000)
    suicide: int = parameter(
        0, "decisions without a way or a point after which to be thrown elsewhere; 0: such throws are moves", low=0
    )
    frozen_after: int = parameter(
        0, "decisions after which another player that stands still is a wall; 0: they are left as they are", low=0
    )

    def set_up(self) -> None:
        self._field: Record | None = None
        self._pool: Pool | None = None
        self._outgrown: list[Pool] = []
        self._field_model: Model | None = None

    def reset(self, state: Any) -> None:
        """Forget the level, start the random stream again and get memory for the state's model."""
        self._field = None
        self._model = None
        self._outgrown.clear()
        super().reset(state)

    @property
    def known_places(self) -> int:
        """Nodes of the movement graph learnt so far."""
        return int(self._field["used"]) if self._field is not None else 0

    def prepare(self, model: Model, record: Record) -> None:
        if self._field is None or self._field_model is None or self._field_model.address != model.address:
            self._field_model = model
            self._pool = None
            self._field = self._new_field(model)
        field = self._field
        # the blocks grow, what was learnt stays
        before = self._pool
        waiting = field["blocks"]
        pool = field.point_to_pool("states", model.pool(waiting + 1 + field["depth_room"] + 1))
        if before is not None:
            hasty = self.budget.milliseconds is not None
            if hasty:
                self._outgrown.append(before)  # giving it back takes up to 20 ms
            for k in _awaited(field, _HASTY if hasty else waiting):
                if invoke3(duplicate.address, model.address, pool.address + k * pool.stride,
                           before.address + k * before.stride) == GROW:  # fmt: skip
                    raise AssertionError("a larger block has no room for what a smaller one holds")
        self._pool = pool
        field["stride"] = pool.stride
        field["spare"] = pool.address + waiting * pool.stride
        field["plan_states"] = pool.address + (waiting + 1) * pool.stride
        kinds = max(len(model.categories), 1)
        record["kind_count"] = kinds
        record.own("search", field)

    def _new_field(self, model: Model) -> Record:
        definition = model.definition if isinstance(model.definition, GameDefinition) else None
        calls = self.budget.calls
        plans = min(_PLANS, calls + 16 if calls is not None else max(_LEAST_PLANS, _TIMED_BYTES // model.stride))
        width = len(model.action_names)
        field = Record(
            graph.FIELD,
            horizon=self.horizon,
            inflation=self.inflation,
            win_bonus=self.win_bonus,
            strategy=self.strategy,
            danger=self.danger,
            radius=self.radius,
            starvation=self.starvation,
            nearest_moves=self.nearest_moves,
            gold_reward=self.gold_reward,
            death_cost=self.death_cost,
            monster_penalty=self.monster_penalty,
            monsters_stay=self.monsters_stay,
            spread=_SPREADS.index(self.spread),
            trap_bonus=self.trap_bonus,
            trap_reach=self.trap_reach,
            eaten=_EATEN.index(self.eaten),
            at_end=self.field_counts == "end",
            aim=_AIMS.index(self.field_from),
            chain_length=self.chain_length,
            local_maximum=self.local_maximum,
            suicide=self.suicide,
            leaps=self.suicide > 0 or self.death_cost > 0,
            frozen_after=self.frozen_after,
            quota=_TIMED_QUOTA if calls is None else int(self.learning * calls),
            hold=1,
            stochastic=int(model.stochastic),
            width=width,
            depth_room=plans,
            only=-1,
            refused=-1,
            aimed=-1,
        )
        for name, dtype, size in (
            ("depth", np.int32, plans + 1),
            ("place", np.int32, plans + 1),
            ("digest", np.int64, plans + 1),
            ("left", np.int64, plans + 1),
            ("ended", np.int8, plans + 1),
            ("child", np.int32, (plans + 1) * width),
            ("reward", np.float64, (plans + 1) * width),
            ("value", np.float64, plans + 1),
            ("total", np.float64, width),
            ("rival_cell", np.int64, model.players),
            ("rival_still", np.int64, model.players),
        ):
            field.point(name, np.zeros(size, dtype=dtype))
        inflation = powers(self.field_inflation, graph.FAR + 1)
        inflation[graph.FAR] = 0.0
        field.point("powers", inflation)
        kinds = max(len(model.categories), 1)
        field.point("here", np.zeros(2 * kinds, dtype=np.float64))
        field.point("there", np.zeros(2 * kinds, dtype=np.float64))
        if definition is not None:
            self._add_level(field, model, definition)
        elif any(c in _LURING for c in model.categories):
            field.point("lures", np.array([float(c in _LURING) for c in model.categories]))
        return field

    def _add_level(self, field: Record, model: Model, definition: GameDefinition) -> None:
        """Memory for the level of a VGDL game: graph, maps and watcher."""
        rules = _rules_of(definition)
        game = structure(MODEL).from_address(model.address).game
        context = structure(CONTEXT).from_address(game)
        columns, rows = int(context.columns), int(context.rows)
        cells = columns * rows
        names = cells * int(rules.kind_of.max() + 1) * 5
        room = max(1, min(_NODES, names))
        for key, value in {
            "positions": 1, "hold": rules.hold, "types": len(rules.kind_of), "cells": cells, "columns": columns,
            "rows": rows, "room": room, "blocks": _WAITING, "kinds": int(rules.kind_of.max() + 1),
        }.items():  # fmt: skip
            field[key] = value
        shown = ~np.array(model.hidden, dtype=bool)
        field.point("kind_of", rules.kind_of)
        field.point("worth", rules.worth * shown)
        field.point("harmful", rules.harmful * shown)
        field.point("trap", rules.trap)
        field.point("heights", powers(self.field_height, rows))
        if rules.lures.any():
            field.point("lures", rules.lures[: len(rules.kind_of)].copy())
        edges = room * graph.MOVES
        for name, dtype, size, fill in (
            ("passable", np.int8, cells, 0),
            ("index", np.int32, max(names, 1), -1),
            ("name", np.int32, room, 0),
            ("done", np.int8, room, 0),
            ("done_before", np.int8, room, 0),
            ("to", np.int32, edges, -1),
            ("to_before", np.int32, edges, -1),
            ("cost", np.int16, edges, 0),
            ("cost_before", np.int16, edges, 0),
            ("waiting", np.int32, _WAITING, 0),
            ("start", np.int32, room + 2, 0),
            ("origin", np.int32, edges, 0),
            ("span", np.int16, edges, 0),
            ("queue", np.int32, max(room, cells) + 1, 0),
            ("queued", np.int8, room, 0),
            ("target_id", np.int64, graph.TARGETS, 0),
            ("target_cell", np.int64, graph.TARGETS, 0),
            ("target_worth", np.float64, graph.TARGETS, 0),
            ("drawn_cell", np.int64, graph.TARGETS, -1),
            ("id_table", np.int64, graph.IDS, -1),
            ("id_target", np.int64, graph.IDS, 0),
            ("ways", np.int16, graph.TARGETS * room, graph.FAR),
            ("felt", np.int8, cells * cells, 0),
            ("felt_known", np.int8, cells, 0),
            ("trail", np.int64, graph.TRAIL, -1),
            ("blocked", np.int8, cells, 0),
            ("monster_cell", np.int64, graph.MONSTERS, 0),
            ("chain_of", np.int64, graph.CHAINED, 0),
            ("chain_gap", np.int64, (graph.CHAINED + 1) * graph.CHAINED, 0),
            ("chain_pick", np.int64, graph.LINKS + 1, 0),
            ("chain_sum", np.int64, graph.LINKS + 1, 0),
        ):
            field.point(name, np.full(size, fill, dtype=dtype))


@register(
    "loderunnerbot",
    "the value-field agent with the rewards and constants of a dynamic-programming bot for Lode Runner",
    paper="Bellman, Dynamic Programming, 1957",
)
class LodeRunnerBot(ValueField):
    """The bot of a text on Lode Runner, with its constants, as a preset of `ValueField`.

    Eight moves, E = 0.95, G = 100 a nugget, 100500 for a death, 100500 (4 - d) / 4 for each monster within three steps,
    measured over the moves a monster can make from where it stands; a bonus for a hole in between; the sum of fields
    worth G_s E_s^d E_h^y as differences per move. The text leaves G_s ("several times less than real gold"), E_s, E_h
    and the bonus open; they are ours. Its switches, such as suicide, take effect in games that have such rules.
    """

    parameters = with_defaults(
        ValueField.parameters,
        horizon=8,
        inflation=0.95,
        gold_reward=100.0,
        death_cost=100500.0,
        win_bonus=0.0,
        strategy=25.0,
        field_height=0.97,
        danger=0.0,
        monster_penalty=100500.0,
        radius=3,
        monsters_stay=True,
        spread="moves",
        trap_bonus=30000.0,
        local_maximum=True,
        suicide=120,
        frozen_after=10,
    )
