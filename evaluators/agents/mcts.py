"""Monte Carlo tree search: memory, options and presets around `kernel.mcts`."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from pcg.engine.kernel.runtime import EntryPoint
from pcg.engine.model import Model
from pcg.engine.vgdl.definition import GameDefinition
from pcg.evaluators.agents.base import AgentError, GameState
from pcg.evaluators.agents.compiled import CompiledAgent, Record
from pcg.evaluators.agents.goals import goal_weights
from pcg.evaluators.agents.kernel import mcts as mcts_kernel
from pcg.evaluators.agents.kernel import mcts_knowledge as mcts_knowledge_kernel
from pcg.evaluators.agents.kernel import mcts_moves as mcts_moves_kernel
from pcg.evaluators.agents.kernel import mcts_novelty as mcts_novelty_kernel
from pcg.evaluators.agents.kernel.mcts_place import vgdl_place
from pcg.evaluators.agents.kernel.mcts_tree import SHARED, TREE
from pcg.evaluators.agents.registry import AgentType, register
from pcg.evaluators.agents.simple import prepare_features, prepare_weights
from pcg.evaluators.parameters import Parameter

_INT_ARRAYS = ("first", "sibling", "action")
_FLOAT_ARRAYS = ("visits", "total", "low", "high")
_TIMED_NODES = 65_536
_TIMED_STATES = 4_096
_WORTH = {"npc": 0.1, "movable": 0.25, "static": 0.25, "resource": 1.0, "portal": 1.0}
"""What a thing of a category seems worth before it was met; of others nothing."""


class MCTS(CompiledAgent):
    """Monte Carlo tree search with UCB1 (reference/agents 11.6): open loop, depth-limited, values normalised.

    As published, a lost end weighs so much that an agent that sees one hardly sees the score; a `win_bonus` near the
    scores of the game, and some guidance, make it bolder. The parameters after `max_nodes` switch on enhancements of
    the literature (named in the table of agents); with their defaults the search is the published one, draw by draw.

    Args:
        c: exploration constant K of UCB1.
        depth: ticks looked ahead, tree and rollout together.
        closed_loop: keep the state of every node instead of playing each path again.
        recommend: "visits" or "value", what the best action is chosen by.
        win_bonus: added to the score of a won game, subtracted from that of a lost one.
        guidance: points that a tick of estimated way to the goals costs (`goals.goal_weights`); 0 as published.
        max_nodes: bound of the tree; 0 lets the budget decide. A full tree is searched on without growing.
        opponent: how the other players of the next tick are imagined: "random", or "careful", who make no move that
            loses at once. Later ticks are random.
        history: weight W of progressive history, 0: off.
        nst: choose the moves of rollouts by N-grams.
        nst_epsilon, nst_visits, nst_length: chance of a random move all the same, occurrences that a longer N-gram
            needs to be asked, and the longest N-gram.
        reuse: keep the subtree of the action that was played. Open loop only: a stored state is what was imagined, not
            what happened. Expects that the chosen action is played; `reset` begins anew.
        decay: what values kept from earlier decisions (of reuse, history, nst) are multiplied by, once per decision;
            in games without chance they are kept whole.
        samples: breadth-first initialisation: simulations of each action of the root before the search, after which
            those that lost more often than others are pruned; 0: off. Games without chance need one.
        loss_avoidance: a simulation that ends in a loss takes another last move where one is better.
        novelty: prune nodes that show nothing new.
        knowledge: evaluate ends without a change of score by what the search has learned about things.
        transpositions: let nodes of one state share their values; without effect in games with chance.

    Raises:
        AgentError: `reuse` with `closed_loop`.
    """

    entry_point: ClassVar[EntryPoint] = mcts_kernel.decide_mcts

    def __init__(
        self,
        *,
        c: float = math.sqrt(2),
        depth: int = 10,
        closed_loop: bool = False,
        recommend: str = "visits",
        win_bonus: float = 1e7,
        guidance: float = 0.0,
        max_nodes: int = 0,
        opponent: str = "random",
        history: float = 0.0,
        nst: bool = False,
        nst_epsilon: float = 0.5,
        nst_visits: int = 7,
        nst_length: int = 3,
        reuse: bool = False,
        decay: float = 0.6,
        samples: int = 0,
        loss_avoidance: bool = False,
        novelty: bool = False,
        knowledge: bool = False,
        transpositions: bool = False,
        **common: Any,
    ) -> None:
        if reuse and closed_loop:
            raise AgentError("mcts: `reuse` needs an open loop, and `closed_loop` is set")
        self.c = c
        self.depth = depth
        self.closed_loop = closed_loop
        self.recommend = recommend
        self.win_bonus = win_bonus
        self.guidance = guidance
        self.max_nodes = max_nodes
        self.opponent = opponent
        self.history = history
        self.nst = nst
        self.nst_epsilon = nst_epsilon
        self.nst_visits = nst_visits
        self.nst_length = nst_length
        self.reuse = reuse
        self.decay = decay
        self.samples = samples
        self.loss_avoidance = loss_avoidance
        self.novelty = novelty
        self.knowledge = knowledge
        self.transpositions = transpositions
        self._trees: list[Record] = []
        self._prepared: Model | None = None
        super().__init__(**common)

    @property
    def tree_room(self) -> int:
        """Nodes the tree has room for. Every iteration makes a call and adds a node at most."""
        timed = _TIMED_STATES if self.closed_loop else _TIMED_NODES
        wanted = timed if self.budget.calls is None else min((self.budget.calls + 1) * (1 + self.reuse), 1 << 24)
        return min(wanted, self.max_nodes) if self.max_nodes else wanted

    def reset(self, state: GameState) -> None:
        """Start anew: the random stream, and nothing kept of earlier decisions."""
        super().reset(state)
        for tree in self._trees:
            tree["used"] = 0
            tree["decisions"] = 0
            tree["done"] = 1

    def prepare(self, model: Model, record: Record) -> None:
        if self._prepared is not model:  # states that outgrew their blocks leave the trees as they are
            self._prepared = model
            self._trees = [self._tree(model) for _ in range(1 + self.reuse)]
            for tree, other in zip(self._trees, reversed(self._trees), strict=True):
                if self.reuse:
                    tree["other"] = other.address
                self._prepare_options(model, tree)
            self.tree = record.own("search", self._trees[0])
            self._prepare_statistics(model)
            if self.knowledge or self.novelty:
                prepare_features(model, record)
            weights = goal_weights(model) if self.guidance else None
            if weights is not None:
                prepare_weights(record, weights)
        for tree in self._trees:
            if self.closed_loop:
                pool = tree.point_to_pool("states", model.pool(self.tree_room))
                tree["stride"] = pool.stride
            if self.loss_avoidance:
                pool = tree.point_to_pool("avoidance", model.pool(2))
                tree["spare"] = pool.stride

    def _tree(self, model: Model) -> Record:
        """An empty tree."""
        room = self.tree_room
        tree = Record(
            TREE,
            exploration=self.c,
            depth=self.depth,
            win_bonus=self.win_bonus,
            guidance=self.guidance,
            closed=int(self.closed_loop),
            by_value=int(self.recommend == "value"),
            room=room,
            done=1,
        )
        for field in _INT_ARRAYS:
            tree.point(field, np.empty(room, dtype=np.int32))
        for field in _FLOAT_ARRAYS:
            tree.point(field, np.empty(room, dtype=np.float64))
        tree.point("mark", np.empty(room, dtype=np.int8))
        tree.point("path", np.zeros(self.depth + 1, dtype=np.int32))
        if self.reuse:
            tree.point("origin", np.empty(room, dtype=np.int32))
        if isinstance(model.definition, GameDefinition):
            tree["place"] = vgdl_place.address
        return tree

    def _prepare_options(self, model: Model, tree: Record) -> None:
        """Memory of the options that every tree has for itself."""
        room = self.tree_room
        without_chance = not model.stochastic and model.players == 1
        tree["decay"] = 1.0 if without_chance else self.decay
        tree["samples"] = min(self.samples, 1) if without_chance else self.samples
        tree["pruning"] = int(self.novelty or self.samples > 0)
        tree.point("losses", np.zeros(model.max_actions + 1, dtype=np.int64))
        if self.opponent == "careful" and model.players > 1:
            safe = tree.point("safe", np.zeros((model.players, model.max_actions + 2), dtype=np.int64))
            tree["safe_stride"] = safe.strides[0]
        if self.novelty:
            width = mcts_novelty_kernel.FIXED + 2 * len(model.categories)
            novelty = Record(mcts_novelty_kernel.NOVELTY, width=width)
            novelty.point("rows", np.empty((room, width), dtype=np.int32))
            tree.own("novelty", novelty)
        if self.transpositions and without_chance:
            places = 1 << (2 * room).bit_length()
            shared = Record(SHARED, mask=places - 1)
            shared.point("table", np.empty(places, dtype=np.int32))
            shared.point("keys", np.empty(room, dtype=np.int64))
            shared.point("owner", np.empty(room, dtype=np.int32))
            shared.point("visits", np.empty(room, dtype=np.float64))
            shared.point("total", np.empty(room, dtype=np.float64))
            tree.own("shared", shared)

    def _prepare_statistics(self, model: Model) -> None:
        """Memory of what is learned from decision to decision, the same for all trees."""
        if self.history > 0 or self.nst:
            moves = Record(
                mcts_moves_kernel.MOVES,
                history=self.history,
                ngrams=int(self.nst),
                epsilon=self.nst_epsilon,
                least=self.nst_visits,
                longest=self.nst_length,
                decay=self._trees[0]["decay"],
            )
            entries = 1 << 15 if self.budget.calls is None or self.budget.calls > 4000 else 1 << 12
            moves["mask"] = entries - 1
            size = mcts_moves_kernel.HEAD + mcts_moves_kernel.ENTRY * (entries + mcts_moves_kernel.NEIGHBOURS)
            for field in ("table", "committed"):
                moves.point(field, np.zeros(size // 8, dtype=np.int64))
            moves.point("played", np.zeros(self.depth + 1, dtype=np.int64))
            for tree in self._trees:
                tree.own("moves", moves)
        if self.knowledge:
            kinds = len(model.categories)
            knowledge = Record(mcts_knowledge_kernel.KNOWLEDGE, kinds=kinds)
            knowledge.point("initial", np.array([_WORTH.get(c, 0.0) for c in model.categories], dtype=np.float64))
            for field in ("weights", "committed", "before"):
                knowledge.point(field, np.zeros(2 * kinds, dtype=np.float64))
            knowledge.point("events", np.zeros((mcts_knowledge_kernel.MOST_EVENTS, 4), dtype=np.int64))
            for tree in self._trees:
                tree.own("knowledge", knowledge)


class Enhanced(MCTS):
    """MCTS with the enhancements that Soemers et al. 2016 found best together; see `MCTS` for the parameters."""

    DEFAULTS: ClassVar[dict[str, float | bool]] = {
        "history": 1.0,
        "nst": True,
        "reuse": True,
        "samples": 3,
        "loss_avoidance": True,
        "novelty": True,
        "knowledge": True,
    }
    """What differs from the defaults of `MCTS`."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**{**self.DEFAULTS, **given})


_SOEMERS = "Soemers, Sironi, Schuster and Winands 2016"
_PARAMETERS = (
    Parameter("c", math.sqrt(2), "exploration constant of UCB1", low=0, high=1e6),
    Parameter("depth", 10, "ticks looked ahead, tree and rollout together", low=1, high=10_000),
    Parameter("closed_loop", False, "keep the state of every node instead of playing its path again"),
    Parameter("recommend", "visits", "what the action is chosen by", choices=("visits", "value")),
    Parameter("win_bonus", 1e7, "added to the score of a won game, subtracted of a lost one", low=0),
    Parameter("guidance", 0.0, "points of score that a tick of estimated way to the goals costs", low=0),
    Parameter("max_nodes", 0, "bound of the tree, 0: as the budget allows", low=0, high=1 << 24),
    Parameter(
        "opponent",
        "random",
        "the other players' next move: any, or any that does not lose at once (Gaina, Perez Liebana and Lucas 2016)",
        choices=("random", "careful"),
    ),
    Parameter("history", 0.0, "weight W of progressive history, 0: off (Nijssen and Winands 2011)", low=0, high=1e6),
    Parameter("nst", False, "N-gram selection in rollouts (Tak, Winands and Bjornsson 2012)"),
    Parameter("nst_epsilon", 0.5, "nst: chance of a random move", low=0, high=1),
    Parameter("nst_visits", 7, "nst: occurrences that N-grams of two and more moves need", low=1, high=1_000_000),
    Parameter("nst_length", 3, "nst: the longest N-gram, in moves", low=1, high=8),
    Parameter("reuse", False, f"keep the subtree of the action played; open loop only ({_SOEMERS})"),
    Parameter(
        "decay",
        0.6,
        f"weight of values of earlier decisions, per decision; 1 in games without chance ({_SOEMERS})",
        low=0,
        high=1,
    ),
    Parameter(
        "samples",
        0,
        f"breadth-first initialisation: simulations per action before the search, with safety pre-pruning; 0: off, "
        f"at most 1 in games without chance ({_SOEMERS})",
        low=0,
        high=1000,
    ),
    Parameter("loss_avoidance", False, f"replace the last move of lost simulations by a better one ({_SOEMERS})"),
    Parameter("novelty", False, f"prune nodes that show nothing new (Geffner and Geffner 2015; {_SOEMERS})"),
    Parameter("knowledge", False, f"knowledge-based evaluation (Perez, Samothrakis and Lucas 2014; {_SOEMERS})"),
    Parameter(
        "transpositions",
        False,
        "nodes of one state share their values, in games without chance (Childs, Brodeur and Kocsis 2008: UCT2)",
    ),
)

register(
    AgentType(
        "mcts",
        MCTS,
        "Monte Carlo tree search with UCB1 and short random rollouts",
        _PARAMETERS,
        "Kocsis and Szepesvari, Bandit Based Monte-Carlo Planning, 2006; Perez Liebana et al., Open Loop Search for "
        "General Video Game Playing, 2015",
    )
)

register(
    AgentType(
        "enhanced",
        Enhanced,
        "MCTS with progressive history, N-grams, reuse, safety, loss avoidance, novelty and knowledge",
        tuple(replace(p, default=Enhanced.DEFAULTS.get(p.name, p.default)) for p in _PARAMETERS),
        "Soemers, Sironi, Schuster and Winands, Enhancements for Real-Time Monte-Carlo Tree Search in General Video "
        "Game Playing, 2016",
    )
)
