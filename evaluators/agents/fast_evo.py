"""Knowledge-based Fast Evolutionary MCTS: memory and parameters around `kernel.fast_evo`."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from pcg.engine.kernel.runtime import EntryPoint
from pcg.engine.model import Model
from pcg.evaluators.agents.base import GameState, parameter
from pcg.evaluators.agents.compiled import CompiledAgent, Record
from pcg.evaluators.agents.kernel.fast_evo import FAST_EVO, decide_fast_evo
from pcg.evaluators.agents.kernel.knowledge_base import EVENT_ROOM, KNOWLEDGE
from pcg.evaluators.agents.kernel.rollout_policy import POLICY
from pcg.evaluators.agents.registry import register

_TIMED_NODES = 65_536
_UNNAMED_KINDS = 64  # kinds there is room for in a game that does not name its own
_INTERACTIVE = ("npc", "resource", "movable", "portal")
"""Categories whose sprites the paper's features and knowledge are about."""


@register(
    "kbfastevo",
    "tree search with evolving rollouts and a knowledge base of what things do",
    paper="Perez, Samothrakis and Lucas, Knowledge-based Fast Evolutionary MCTS for General Video Game Playing, 2014; "
    "Lucas, Samothrakis and Perez, Fast Evolutionary Adaptation for Monte Carlo Tree Search, 2014",
)
class FastEvo(CompiledAgent):
    """Tree search whose rollouts evolve and which learns what the things of a game do.

    The two halves are the switches `evolve` and `knowledge`: with both off this is `mcts`. What was learnt lasts for a
    play, and with `keep` for all plays of a game by the same agent object. Without `contacts` a kind of sprite that no
    rule mentions stays unknown and attracts the avatar for ever. `refresh` is 1 as published; measuring distances costs
    more than a tick in games of many sprites. ``kinds=interactive, softmax=minus`` is the reading of the text on
    planning in GVGAI: features and knowledge are about NPCs, resources, non-static objects and portals.
    """

    entry_point: ClassVar[EntryPoint] = decide_fast_evo

    evolve: bool = parameter(True, "rollouts follow a softmax policy evolved by a (1+1)-ES, not a uniform one")
    knowledge: bool = parameter(True, "reward curiosity and experience where the score does not change")
    alpha: float = parameter(0.66, "weight of curiosity, for what happened seldom", low=0, high=1e6)
    beta: float = parameter(0.33, "weight of experience, for nearing what is unknown or worth it", low=0, high=1e6)
    contacts: bool = parameter(True, "learn from standing on a kind of sprite that no event mentions, too")
    kinds: str = parameter(
        "all",
        "kinds of sprites that policy and knowledge are about: all, or NPCs, resources, non-static objects and portals",
        choices=("all", "interactive"),
    )
    softmax: str = parameter(
        "plus", "probability of action i: proportional to e^a_i (plus) or e^-a_i (minus)", choices=("plus", "minus")
    )
    sigma: float = parameter(0.02, "standard deviation of a mutation, per cell of distance", low=0, high=100)
    rollouts: int = parameter(1, "rollouts that judge one offspring", low=1, high=10_000)
    refresh: int = parameter(1, "ticks of a rollout that share the distances of the first", low=1, high=10_000)
    keep: bool = parameter(False, "keep weights and knowledge over the plays of a game")
    c: float = parameter(math.sqrt(2), "exploration constant of UCB1", low=0, high=1e6)
    depth: int = parameter(10, "ticks looked ahead, tree and rollout together", low=1, high=10_000)
    recommend: str = parameter("visits", "what the action is chosen by", choices=("visits", "value"))
    win_bonus: float = parameter(1e7, "added to the score of a won game, subtracted of a lost one", low=0)
    max_nodes: int = parameter(
        0, "bound of the tree, 0: as the budget allows; a full tree is searched on without growing", low=0, high=1 << 24
    )

    def set_up(self) -> None:
        self._game: object = None
        self._policy = Record(POLICY)
        self._knowledge = Record(KNOWLEDGE)

    @property
    def tree_room(self) -> int:
        """Nodes the tree has room for. Every iteration makes a call and adds a node at most."""
        wanted = _TIMED_NODES if self.budget.calls is None else min(self.budget.calls + 1, 1 << 24)
        return min(wanted, self.max_nodes) if self.max_nodes else wanted

    def reset(self, state: GameState) -> None:
        """Start the agent's random stream again, and forget what was learnt unless it is to be kept."""
        if not self.keep:
            self._game = None
            self._model = None
        super().reset(state)

    def prepare(self, model: Model, record: Record) -> None:
        kinds = len(model.categories) or _UNNAMED_KINDS
        # levels of a game are models of their own; engines without rules to compare have at least kinds and actions
        game = (model.game, model.categories, model.action_names)
        if self._game != game:  # larger blocks for the same game leave untouched what was learnt
            self._game = game
            self._learn_anew(model, kinds)
        room = self.tree_room
        search = Record(
            FAST_EVO,
            evolve=int(self.evolve),
            know=int(self.knowledge),
            contacts=int(self.contacts),
            refresh=self.refresh,
            exploration=self.c,
            depth=self.depth,
            win_bonus=self.win_bonus,
            by_value=int(self.recommend == "value"),
            room=room,
        )
        for field in ("first", "sibling", "action"):
            search.point(field, np.empty(room, dtype=np.int32))
        for field in ("visits", "total", "low", "high"):
            search.point(field, np.empty(room, dtype=np.float64))
        search.point("mark", np.empty(room, dtype=np.int8))
        search.point("path", np.zeros(self.depth + 1, dtype=np.int32))
        search.own("policy", self._policy)
        search.own("base", self._knowledge)
        record.own("search", search)
        record["kind_count"] = kinds
        record.point("features", np.zeros(2 * kinds, dtype=np.float64))

    def _learn_anew(self, model: Model, kinds: int) -> None:
        actions = len(model.action_names)
        self._policy = policy = Record(POLICY, kinds=kinds, actions=actions, sigma=self.sigma, rollouts=self.rollouts)
        size = kinds * actions
        named = self.kinds == "all" or not model.categories
        used = [named or category in _INTERACTIVE for category in model.categories or (None,) * kinds]
        policy["sign"] = 1.0 if self.softmax == "plus" else -1.0
        policy.point("used", np.array(used, dtype=np.int8))
        lasting = policy.point("lasting", np.zeros(1 + kinds + size, dtype=np.int64))
        lasting[1 : 1 + kinds] = -1
        policy["seen"] = policy["lasting"]
        policy["columns"] = policy["lasting"] + 8
        policy["parent"] = policy["lasting"] + 8 * (1 + kinds)
        policy.point("saved", lasting.copy())
        policy.point("child", np.zeros(size, dtype=np.float64))
        policy.point("values", np.zeros(model.max_actions + 1, dtype=np.float64))
        self._knowledge = knowledge = Record(KNOWLEDGE, kinds=kinds, alpha=self.alpha, beta=self.beta)
        knowledge.point("counts", np.zeros(4 * kinds, dtype=np.int64))
        knowledge["gains"] = knowledge["counts"] + 16 * kinds
        knowledge.point("used", np.array(used, dtype=np.int8))
        knowledge.point("saved", np.zeros(4 * kinds, dtype=np.int64))
        knowledge.point("before", np.zeros(2 * kinds, dtype=np.int64))
        knowledge.point("distances", np.zeros(kinds, dtype=np.float64))
        knowledge.point("events", np.zeros((EVENT_ROOM, 4), dtype=np.int64))
