"""Monte Carlo tree search: memory, options and presets around `kernel.mcts`."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from pcg.engine.kernel.runtime import EntryPoint
from pcg.engine.model import Model
from pcg.evaluators.agents.base import (
    CHANCE,
    NO_RULES,
    RULES,
    AgentError,
    GameState,
    parameter,
    select,
    with_defaults,
)
from pcg.evaluators.agents.compiled import Record
from pcg.evaluators.agents.goal_heuristic import goal_weights
from pcg.evaluators.agents.heuristics import prepare_features, prepare_weights
from pcg.evaluators.agents.kernel.avatar_position import position_and_orientation
from pcg.evaluators.agents.kernel.knowledge_evaluation import KNOWLEDGE, MOST_EVENTS
from pcg.evaluators.agents.kernel.mcts import decide_mcts
from pcg.evaluators.agents.kernel.move_statistics import ENTRY, HEAD, MOVE_STATISTICS, NEIGHBOURS
from pcg.evaluators.agents.kernel.novelty_pruning import NOVELTY, STATE_NUMBERS
from pcg.evaluators.agents.kernel.temporal_difference import RETURNS
from pcg.evaluators.agents.kernel.tree import TRANSPOSITIONS, TREE
from pcg.evaluators.agents.observed_chance import ChanceAware, chance_parameter
from pcg.evaluators.agents.registry import register

_NODE_ARRAYS: dict[str, type] = {
    **dict.fromkeys(("first", "sibling", "action"), np.int32),
    **dict.fromkeys(("visits", "total", "low", "high"), np.float64),
    "mark": np.int8,
}
_TIMED_NODES = 65_536
_TIMED_STATES = 4_096
_INITIAL_WEIGHTS = {"npc": 0.1, "movable": 0.25, "static": 0.25, "resource": 1.0, "portal": 1.0}
"""Weight of a kind of things, by category, before one was met; 0 for others."""
_NOT_WITH_TD = ("closed_loop", "guidance", "samples", "loss_avoidance", "knowledge", "transpositions")
_SOEMERS = "Soemers, Sironi, Schuster and Winands 2016"


@register(
    "mcts",
    "Monte Carlo tree search with UCB1 and short random rollouts",
    paper="Kocsis and Szepesvari, Bandit Based Monte-Carlo Planning, 2006; Perez Liebana et al., Open Loop Search for "
    "General Video Game Playing, 2015",
)
class MCTS(ChanceAware):
    """Monte Carlo tree search with UCB1 (reference/agents 11.6): open loop, depth-limited, values normalised.

    As published, a lost end weighs so much that an agent that sees one hardly sees the score; a `win_bonus` near the
    scores of the game, and some guidance, make it bolder. The parameters after `max_nodes` switch on enhancements of
    the literature; with their defaults the search is the published one, draw by draw.

    `reuse` expects that the chosen action is played; `reset` begins anew. It needs an open loop: a stored state is what
    was imagined, not what happened.

    `td` replaces the back-up by that of SARSA-UCT(lambda), see the agent `sarsauct`; then values are sums of rewards to
    come, and the enhancements that back up something else cannot be had.

    Raises:
        AgentError: `reuse` with `closed_loop`; `td` with what does not go with it.
    """

    entry_point: ClassVar[EntryPoint] = decide_mcts

    c: float = parameter(math.sqrt(2), "exploration constant of UCB1", low=0, high=1e6)
    depth: int = parameter(10, "ticks looked ahead, tree and rollout together", low=1, high=10_000)
    closed_loop: bool = parameter(False, "keep the state of every node instead of playing its path again")
    recommend: str = parameter("visits", "what the action is chosen by", choices=("visits", "value"))
    win_bonus: float = parameter(1e7, "added to the score of a won game, subtracted of a lost one", low=0)
    guidance: float = parameter(
        0.0, "points of score that a tick of estimated way to the goals costs; 0 as published", low=0
    )
    max_nodes: int = parameter(
        0, "bound of the tree, 0: as the budget allows; a full tree is searched on without growing", low=0, high=1 << 24
    )
    opponent: str = parameter(
        "random",
        "the other players' next move: any, or any that does not lose at once (Gaina, Perez Liebana and Lucas 2016)",
        choices=("random", "careful"),
    )
    history: float = parameter(
        0.0, "weight W of progressive history, 0: off (Nijssen and Winands 2011)", low=0, high=1e6
    )
    nst: bool = parameter(False, "N-gram selection in rollouts (Tak, Winands and Bjornsson 2012)")
    nst_epsilon: float = parameter(0.5, "nst: chance of a random move", low=0, high=1)
    nst_visits: int = parameter(7, "nst: occurrences that N-grams of two and more moves need", low=1, high=1_000_000)
    nst_length: int = parameter(3, "nst: the longest N-gram, in moves", low=1, high=8)
    reuse: bool = parameter(False, f"keep the subtree of the action played; open loop only ({_SOEMERS})")
    decay: float = parameter(
        0.6,
        f"weight of values of earlier decisions, per decision; 1 in games without chance ({_SOEMERS})",
        low=0,
        high=1,
    )
    samples: int = parameter(
        0,
        f"breadth-first initialisation: simulations per action before the search, with safety pre-pruning; 0: off, "
        f"at most 1 in games without chance ({_SOEMERS})",
        low=0,
        high=1000,
    )
    loss_avoidance: bool = parameter(False, f"replace the last move of lost simulations by a better one ({_SOEMERS})")
    novelty: bool = parameter(False, f"prune nodes that show nothing new (Geffner and Geffner 2015; {_SOEMERS})")
    knowledge: bool = parameter(False, f"knowledge-based evaluation (Perez, Samothrakis and Lucas 2014; {_SOEMERS})")
    transpositions: bool = parameter(
        False, "nodes of one state share their values, in games without chance (Childs, Brodeur and Kocsis 2008: UCT2)"
    )
    chance: str = chance_parameter()

    @property
    def _asks_for_chance(self) -> bool:
        """True when an option is on that works differently in games without chance."""
        return self.reuse or self.nst or self.history > 0 or self.samples > 0 or self.transpositions

    @property
    def rules_read(self) -> str:
        """Part of the rules that it reads: the way to the goals with `guidance`, chance for some of the options."""
        if self.guidance:
            return RULES
        return CHANCE if self._asks_for_chance and self.chance == "rules" else NO_RULES

    td: bool = parameter(
        False, "back up lambda-returns, as SARSA-UCT does (Vodopivec, Samothrakis and Ster 2017); open loop only"
    )
    trace: float = parameter(0.9, "td: lambda, how much a value learns from what happens later", low=0, high=1)
    discount: float = parameter(0.99, "td: gamma, worth of a reward one tick later", low=0, high=1)
    others: float = parameter(
        0.0, "td, several players: share of the best other player's gain that counts as a loss", low=0, high=1
    )

    def set_up(self) -> None:
        unfit = [name for name in _NOT_WITH_TD if getattr(self, name)]
        if self.td and unfit:
            raise AgentError(f"mcts: `td` does not go with `{unfit[0]}`, which backs up something else")
        if self.reuse and self.closed_loop:
            raise AgentError("mcts: `reuse` needs an open loop, and `closed_loop` is set")
        self._trees: list[Record] = []
        self._prepared: Model | None = None

    def forget_model(self) -> None:
        """Make the trees anew: what is kept from decision to decision depends on whether there is chance."""
        super().forget_model()
        self._prepared = None

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
            self.prepare_guidance(model, record)
        for tree in self._trees:
            if self.closed_loop:
                pool = tree.point_to_pool("states", model.pool(self.tree_room))
                tree["stride"] = pool.stride
            if self.loss_avoidance:
                pool = tree.point_to_pool("avoidance", model.pool(2))
                tree["spare"] = pool.stride

    def prepare_guidance(self, model: Model, record: Record) -> None:
        """Let the heuristic of the decisions estimate the ticks to a win, if the search is to be guided."""
        weights = goal_weights(model) if self.guidance else None
        if weights is not None:
            prepare_weights(record, weights)

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
        for field, kind in _NODE_ARRAYS.items():
            tree.point(field, np.zeros(room, dtype=kind))
        tree.point("path", np.zeros(self.depth + 1, dtype=np.int32))
        if self.reuse:
            tree.point("origin", np.zeros(room, dtype=np.int32))
        if model.engine == "vgdl":
            tree["place"] = position_and_orientation.address
        return tree

    def _prepare_options(self, model: Model, tree: Record) -> None:
        """Memory of the options that every tree has for itself."""
        room = self.tree_room
        without_chance = self._asks_for_chance and not self.expects_chance(model)
        tree["decay"] = 1.0 if without_chance else self.decay
        tree["samples"] = min(self.samples, 1) if without_chance else self.samples
        tree["pruning"] = int(self.novelty or self.samples > 0)
        tree.point("losses", np.zeros(model.max_actions + 1, dtype=np.int64))
        if self.opponent == "careful" and model.players > 1:
            safe = tree.point("safe", np.zeros((model.players, model.max_actions + 2), dtype=np.int64))
            tree["safe_stride"] = safe.strides[0]
        if self.td:
            returns = Record(RETURNS, trace=self.trace, discount=self.discount, others=self.others)
            returns.point("rewards", np.zeros(self.depth + 1, dtype=np.float64))
            tree.own("returns", returns)
        if self.novelty:
            width = STATE_NUMBERS + 2 * len(model.categories)
            novelty = Record(NOVELTY, width=width)
            novelty.point("rows", np.empty((room, width), dtype=np.int32))
            tree.own("novelty", novelty)
        if self.transpositions and without_chance:
            places = 1 << (2 * room).bit_length()
            shared = Record(TRANSPOSITIONS, mask=places - 1)
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
                MOVE_STATISTICS,
                history=self.history,
                ngrams=int(self.nst),
                epsilon=self.nst_epsilon,
                least=self.nst_visits,
                longest=self.nst_length,
                decay=self._trees[0]["decay"],
            )
            entries = 1 << 15 if self.budget.calls is None or self.budget.calls > 4000 else 1 << 12
            moves["mask"] = entries - 1
            size = HEAD + ENTRY * (entries + NEIGHBOURS)
            for field in ("table", "committed"):
                moves.point(field, np.zeros(size // 8, dtype=np.int64))
            moves.point("played", np.zeros(self.depth + 1, dtype=np.int64))
            for tree in self._trees:
                tree.own("moves", moves)
        if self.knowledge:
            kinds = len(model.categories)
            knowledge = Record(KNOWLEDGE, kinds=kinds)
            knowledge.point(
                "initial", np.array([_INITIAL_WEIGHTS.get(c, 0.0) for c in model.categories], dtype=np.float64)
            )
            for field in ("weights", "committed", "before"):
                knowledge.point(field, np.zeros(2 * kinds, dtype=np.float64))
            knowledge.point("events", np.zeros((MOST_EVENTS, 4), dtype=np.int64))
            for tree in self._trees:
                tree.own("knowledge", knowledge)


@register(
    "enhanced",
    "MCTS with progressive history, N-grams, reuse, safety, loss avoidance, novelty and knowledge",
    paper="Soemers, Sironi, Schuster and Winands, Enhancements for Real-Time Monte-Carlo Tree Search in General Video "
    "Game Playing, 2016",
)
class Enhanced(MCTS):
    """MCTS with the enhancements that Soemers et al. 2016 found best together."""

    reads_rules: ClassVar[str] = CHANCE

    parameters = with_defaults(
        MCTS.parameters,
        history=1.0,
        nst=True,
        reuse=True,
        samples=3,
        loss_avoidance=True,
        novelty=True,
        knowledge=True,
    )


@register(
    "sarsauct",
    "SARSA-UCT(lambda): tree search with temporal-difference back-up, for one or two players",
    paper="Vodopivec, Samothrakis and Ster, On Monte Carlo Tree Search and Reinforcement Learning, 2017; method of "
    "ToVo2, winner of the two-player competitions of WCCI 2016 and CEC 2017",
)
class SarsaUCT(MCTS):
    """MCTS whose values learn by temporal differences, as SARSA(lambda) does.

    An action's value learns the reward of its own tick, what the tree already says of the next action, and a share
    lambda of what the simulation saw later, all discounted; plain MCTS learns the sum at the end alone. Other players
    move at random, or carefully (`opponent`).
    """

    parameters = with_defaults(
        select(
            MCTS.parameters, "c", "depth", "trace", "discount", "others", "opponent", "recommend", "win_bonus",
            "reuse", "decay", "history", "nst", "nst_epsilon", "nst_visits", "nst_length", "max_nodes",
        ),
        win_bonus=1000.0,
    )  # fmt: skip
    td: bool = True
