"""Knowledge-based Fast Evolutionary MCTS: memory and parameters around `kernel.fast_evo`."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from pcg.engine.kernel.runtime import EntryPoint
from pcg.engine.model import Model
from pcg.evaluators.agents.base import GameState
from pcg.evaluators.agents.compiled import CompiledAgent, Record
from pcg.evaluators.agents.fast_evo_knowledge import EVENT_ROOM, KNOWLEDGE
from pcg.evaluators.agents.fast_evo_policy import POLICY
from pcg.evaluators.agents.kernel.fast_evo import FAST_EVO, decide_fast_evo
from pcg.evaluators.agents.registry import AgentType, register
from pcg.evaluators.parameters import Parameter

_TIMED_NODES = 65_536
_UNNAMED_KINDS = 64  # kinds there is room for in a game that does not name its own


class FastEvo(CompiledAgent):
    """Tree search whose rollouts evolve and which learns what the things of a game do.

    The two halves are the switches `evolve` and `knowledge`: with both off this is `mcts`. What was learnt lasts for a
    play, and with `keep` for all plays of a game by the same agent object.

    Args:
        evolve: rollouts follow a softmax policy over distances whose weights a (1+1)-ES improves; else uniform.
        knowledge: rollouts that leave the score alone are rewarded by curiosity and experience.
        alpha: weight of curiosity, for what happened seldom.
        beta: weight of experience, for coming near what is unknown or was worth something.
        contacts: count standing on a sprite of a kind never met as meeting it, though no rule mentions the pair; else
            such kinds stay unknown and attract the avatar for ever.
        sigma: standard deviation of a mutation of the weights, per cell of distance.
        rollouts: rollouts that judge one offspring.
        refresh: ticks of a rollout that share the distances of the first of them; 1 as published. Measuring distances
            costs more than a tick in games of many sprites.
        keep: keep weights and knowledge over the plays of a game.
        c: exploration constant K of UCB1.
        depth: ticks looked ahead, tree and rollout together.
        recommend: "visits" or "value", what the best action is chosen by.
        win_bonus: added to the score of a won game, subtracted from that of a lost one.
        max_nodes: bound of the tree; 0 lets the budget decide. A full tree is searched on without growing.
    """

    entry_point: ClassVar[EntryPoint] = decide_fast_evo

    def __init__(
        self,
        *,
        evolve: bool = True,
        knowledge: bool = True,
        alpha: float = 0.66,
        beta: float = 0.33,
        contacts: bool = True,
        sigma: float = 0.02,
        rollouts: int = 1,
        refresh: int = 1,
        keep: bool = False,
        c: float = math.sqrt(2),
        depth: int = 10,
        recommend: str = "visits",
        win_bonus: float = 1e7,
        max_nodes: int = 0,
        **common: Any,
    ) -> None:
        self.evolve = evolve
        self.knowledge = knowledge
        self.alpha = alpha
        self.beta = beta
        self.contacts = contacts
        self.sigma = sigma
        self.rollouts = rollouts
        self.refresh = refresh
        self.keep = keep
        self.c = c
        self.depth = depth
        self.recommend = recommend
        self.win_bonus = win_bonus
        self.max_nodes = max_nodes
        self._game: object = None
        self._policy = Record(POLICY)
        self._knowledge = Record(KNOWLEDGE)
        super().__init__(**common)

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
        game = (model.definition, model.categories, model.action_names)
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
        for field in ("total", "low", "high"):
            search.point(field, np.empty(room, dtype=np.float64))
        search.point("visits", np.empty(room, dtype=np.int64))
        search.point("path", np.zeros(self.depth + 1, dtype=np.int32))
        search.own("policy", self._policy)
        search.own("knowledge", self._knowledge)
        record.own("search", search)
        record["kind_count"] = kinds
        record.point("features", np.zeros(2 * kinds, dtype=np.float64))

    def _learn_anew(self, model: Model, kinds: int) -> None:
        actions = len(model.action_names)
        self._policy = policy = Record(POLICY, kinds=kinds, actions=actions, sigma=self.sigma, rollouts=self.rollouts)
        size = kinds * actions
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
        knowledge.point("saved", np.zeros(4 * kinds, dtype=np.int64))
        knowledge.point("before", np.zeros(2 * kinds, dtype=np.int64))
        knowledge.point("distances", np.zeros(kinds, dtype=np.float64))
        knowledge.point("events", np.zeros((EVENT_ROOM, 4), dtype=np.int64))


register(
    AgentType(
        "kbfastevo",
        FastEvo,
        "tree search with evolving rollouts and a knowledge base of what things do",
        (
            Parameter("evolve", True, "rollouts follow a softmax policy evolved by a (1+1)-ES, not a uniform one"),
            Parameter("knowledge", True, "reward curiosity and experience where the score does not change"),
            Parameter("alpha", 0.66, "weight of curiosity, for what happened seldom", low=0, high=1e6),
            Parameter("beta", 0.33, "weight of experience, for nearing what is unknown or worth it", low=0, high=1e6),
            Parameter("contacts", True, "learn from standing on a kind of sprite that no event mentions, too"),
            Parameter("sigma", 0.02, "standard deviation of a mutation, per cell of distance", low=0, high=100),
            Parameter("rollouts", 1, "rollouts that judge one offspring", low=1, high=10_000),
            Parameter("refresh", 1, "ticks of a rollout that share the distances of the first", low=1, high=10_000),
            Parameter("keep", False, "keep weights and knowledge over the plays of a game"),
            Parameter("c", math.sqrt(2), "exploration constant of UCB1", low=0, high=1e6),
            Parameter("depth", 10, "ticks looked ahead, tree and rollout together", low=1, high=10_000),
            Parameter("recommend", "visits", "what the action is chosen by", choices=("visits", "value")),
            Parameter("win_bonus", 1e7, "added to the score of a won game, subtracted of a lost one", low=0),
            Parameter("max_nodes", 0, "bound of the tree, 0: as the budget allows", low=0, high=1 << 24),
        ),
        "Perez, Samothrakis and Lucas, Knowledge-based Fast Evolutionary MCTS for General Video Game Playing, 2014; "
        "Lucas, Samothrakis and Perez, Fast Evolutionary Adaptation for Monte Carlo Tree Search, 2014",
    )
)
