"""Knowledge-based Fast Evolutionary MCTS: memory and parameters around `kernel.fast_evo`."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from pcg.engine.kernel.features import distances_of_types
from pcg.engine.kernel.runtime import EntryPoint, invoke5
from pcg.engine.model import Model
from pcg.evaluators.agents.base import GameState, parameter
from pcg.evaluators.agents.compiled import CompiledAgent, Record
from pcg.evaluators.agents.kernel.fast_evo import FAST_EVO, SOURCES, decide_fast_evo
from pcg.evaluators.agents.kernel.knowledge_base import EVENT_ROOM, KNOWLEDGE
from pcg.evaluators.agents.kernel.rollout_policy import POLICY
from pcg.evaluators.agents.registry import register
from pcg.evaluators.agents.tables import first_logarithms

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

    The two halves are the switches `evolve` and `knowledge`: vanilla is ``evolve=false,knowledge=false``, and with
    ``ends=bonus`` too it is `mcts`, draw by draw. Features, the sign of the softmax and the kinds of sprites that
    knowledge is about are those of the text on planning in GVGAI. Weights and knowledge last from decision to decision
    for a play, and with `keep` for all plays of a game by the same agent object.

    The rewards of the knowledge base are about 1. A bonus of `win_bonus` for an end, as `mcts` has it, makes them
    vanish in every decision that sees one; so ends are kept apart by default (docs/results/kbfastevo.md). Without
    `contacts` a kind of sprite that no rule mentions stays unknown and attracts the avatar for ever. `refresh` is 1 as
    published; measuring distances costs more than a tick in games of many sprites.
    """

    entry_point: ClassVar[EntryPoint] = decide_fast_evo

    evolve: bool = parameter(True, "rollouts follow a softmax policy evolved by a (1+1)-ES, not a uniform one")
    knowledge: bool = parameter(True, "reward curiosity and experience where the score does not change")
    alpha: float = parameter(0.66, "weight of curiosity, for what happened seldom", low=0, high=1e6)
    beta: float = parameter(0.33, "weight of experience, for nearing what is unknown or worth it", low=0, high=1e6)
    contacts: bool = parameter(True, "learn from standing on a kind of sprite that no event mentions, too")
    kinds: str = parameter(
        "interactive",
        "kinds of sprites that policy and knowledge are about: all, or NPCs, resources, non-static objects and portals",
        choices=("all", "interactive"),
    )
    softmax: str = parameter(
        "minus", "probability of action i: proportional to e^a_i (plus) or e^-a_i (minus)", choices=("plus", "minus")
    )
    sigma: float = parameter(0.02, "standard deviation of a mutation, per cell of distance", low=0, high=100)
    rollouts: int = parameter(1, "rollouts that judge one offspring", low=1, high=10_000)
    refresh: int = parameter(1, "ticks of a rollout that share the distances of the first", low=1, high=10_000)
    keep: bool = parameter(False, "keep weights and knowledge over the plays of a game")
    c: float = parameter(math.sqrt(2), "exploration constant of UCB1", low=0, high=1e6)
    depth: int = parameter(10, "ticks looked ahead, tree and rollout together", low=1, high=10_000)
    recommend: str = parameter("visits", "what the action is chosen by", choices=("visits", "value"))
    ends: str = parameter(
        "apart",
        "how won and lost ends join the rewards: one range of the other rewards above the best and below the worst "
        "(apart), or as `win_bonus` points, beside which nothing else is seen (bonus)",
        choices=("apart", "bonus"),
    )
    win_bonus: float = parameter(1e7, "added to the score of a won game, subtracted of a lost one", low=0)
    max_nodes: int = parameter(
        0, "bound of the tree, 0: as the budget allows; a full tree is searched on without growing", low=0, high=1 << 24
    )

    def set_up(self) -> None:
        self._game: object = None
        self._policy = Record(POLICY)
        self._knowledge = Record(KNOWLEDGE)
        self._sources = np.zeros(len(SOURCES), dtype=np.int64)

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
        self._sources[:] = 0
        super().reset(state)

    @property
    def reward_sources(self) -> dict[str, int]:
        """Iterations of the last decision by what their reward came from.

        Returns:
            `ended` (a won or lost end), `scored` (a change of score), `curious` (curiosity, with experience or
            without), `nearer` (experience alone) and `nothing`, each with a number; all 0 before the first decision.

        >>> import pcg
        >>> agent = pcg.make_agent("kbfastevo", seed=1, budget=100)
        >>> action = agent.act(pcg.load("hunt").start(seed=1))
        >>> sum(agent.reward_sources.values()) >= 10  # iterations have ten ticks at most
        True
        """
        return dict(zip(SOURCES, self._sources.tolist(), strict=True))

    def rollout_probabilities(self, state: GameState) -> dict[str, float]:
        """Probability of each available action in a rollout from the state, by the weights that evolved so far.

        Without weights for what is there, all actions are equally probable, as they are without `evolve`. There are
        none when the game is over.
        """
        model = state.model
        self.bind(model)
        policy = self._policy
        kinds, actions = policy["kinds"], policy["actions"]
        lasting = policy.kept("lasting")
        columns = lasting[1 : 1 + kinds]
        weights = lasting[1 + kinds :].view(np.float64).reshape(kinds, actions)
        pairs = np.full((kinds, 2), -1.0)
        record = model.record
        room = int(pairs.ctypes.data), pairs.size
        invoke5(int(record["features"]), int(record["game"]), state.address, self.player, *room)
        there = (columns >= 0) & (pairs[:, 1] >= 0) & (self._knowledge.kept("used") != 0)
        strengths = policy["sign"] * pairs[there, 1] @ weights[columns[there]]
        names = list(state.actions)
        if not names:
            return {}
        own = strengths[[model.action_names.index(name) for name in names]]
        shares = np.exp(own - own.max())
        return dict(zip(names, (shares / shares.sum()).tolist(), strict=True))

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
            observe=distances_of_types.address if model.engine == "vgdl" else 0,
            refresh=self.refresh,
            exploration=self.c,
            depth=self.depth,
            win_bonus=self.win_bonus,
            by_value=int(self.recommend == "value"),
            apart=int(self.ends == "apart"),
            room=room,
        )
        search["logged"] = len(search.point("logs", first_logarithms()))
        for field in ("first", "sibling", "action"):
            search.point(field, np.empty(room, dtype=np.int32))
        for field in ("visits", "total", "low", "high", "ends", "ended", "judged"):
            search.point(field, np.empty(room, dtype=np.float64))
        search.point("mark", np.empty(room, dtype=np.int8))
        search.point("sources", self._sources)
        search.point("path", np.zeros(self.depth + 1, dtype=np.int32))
        search.own("policy", self._policy)
        search.own("base", self._knowledge)
        record.own("search", search)
        record["kind_count"] = kinds
        record.point("features", np.full(2 * kinds, -1.0))

    def _learn_anew(self, model: Model, kinds: int) -> None:
        actions = len(model.action_names)
        self._policy = policy = Record(POLICY, kinds=kinds, actions=actions, sigma=self.sigma, rollouts=self.rollouts)
        size = kinds * actions
        named = self.kinds == "all" or not model.categories
        used = [named or category in _INTERACTIVE for category in model.categories or (None,) * kinds]
        policy["sign"] = 1.0 if self.softmax == "plus" else -1.0
        policy["chosen_count"] = len(policy.point("chosen", np.flatnonzero(used).astype(np.int64)))
        lasting = policy.point("lasting", np.zeros(1 + kinds + size, dtype=np.int64))
        lasting[1 : 1 + kinds] = -1
        policy["seen"] = policy["lasting"]
        policy["columns"] = policy["lasting"] + 8
        policy["parent"] = policy["lasting"] + 8 * (1 + kinds)
        policy.point("saved", lasting.copy())
        policy.point("child", np.zeros(size, dtype=np.float64))
        policy.point("played", np.zeros(actions, dtype=np.int8))
        policy.point("rest", np.zeros((size // 2 + 1, 4), dtype=np.float64))
        policy.point("terms", np.zeros(2 * kinds, dtype=np.int64))
        for field in ("values", "weights"):
            policy.point(field, np.zeros(model.max_actions + 1, dtype=np.float64))
        self._knowledge = knowledge = Record(KNOWLEDGE, kinds=kinds, alpha=self.alpha, beta=self.beta)
        knowledge.point("counts", np.zeros(4 * kinds, dtype=np.int64))
        knowledge["gains"] = knowledge["counts"] + 16 * kinds
        knowledge.point("used", np.array(used, dtype=np.int8))
        knowledge.point("saved", np.zeros(4 * kinds, dtype=np.int64))
        knowledge.point("before", np.zeros(2 * kinds, dtype=np.int64))
        knowledge.point("distances", np.zeros(kinds, dtype=np.float64))
        knowledge.point("events", np.zeros((EVENT_ROOM, 4), dtype=np.int64))
