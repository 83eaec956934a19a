"""Missions: graphs of what a player does before what, derived from a grammar by rewriting.

After Dormans' mission graphs (Adventures in Level Design, 2010; Level Design as Model Transformation, 2011). A
mission is a `networkx.MultiDiGraph` whose nodes carry a `symbol` and whose edges are keyed "->" (the way to the
second leads through the first; they form a tree) or "=>" (the first opens the second). It knows nothing of any game:
which symbols there may be is given, what they stand for is settled in `binding`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import networkx as nx
from networkx.algorithms.isomorphism import MultiDiGraphMatcher

from pcg.engine.lazy import cached_property
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.generators.levels.grammar.decisions import Decisions
from pcg.generators.levels.grammar.language import OPENS, THEN, LevelGrammar, Piece, Rule

MOST_STEPS = 1000
"""Productions after which a derivation ends by the shortest way."""
MOST_MATCHES = 200
"""Places of a mission looked at for one rewriting."""
EARLY = 0.1
"""By how much rarer what would end a mission before half its size is."""
_INFINITE = (math.inf, math.inf)


class Mission:
    """A mission graph. Nodes are numbers; `symbol(n)` tells what one is."""

    def __init__(self, graph: Any = None) -> None:
        self.graph = nx.MultiDiGraph() if graph is None else graph

    def symbol(self, node: int) -> str:
        """The symbol of a node."""
        return str(self.graph.nodes[node]["symbol"])

    def sprite(self, node: int) -> str:
        """The sprite type the grammar asked for there, "" for any."""
        return str(self.graph.nodes[node]["sprite"])

    def rename(self, node: int, symbol: str) -> None:
        """Make another symbol of a node; what it asked for is forgotten."""
        self.graph.nodes[node].update(symbol=symbol, sprite="")

    def nodes_with(self, symbol: str) -> list[int]:
        """The nodes with a symbol, in the order in which they came about."""
        return [n for n in self.graph if self.symbol(n) == symbol]

    def successors(self, node: int) -> list[int]:
        """Return the nodes that ways from a node lead to."""
        return [b for _, b, kind in self.graph.out_edges(node, keys=True) if kind == THEN]

    def predecessor(self, node: int) -> int | None:
        """Return the node that the way to a node comes from; None at the root."""
        return next((a for a, _, kind in self.graph.in_edges(node, keys=True) if kind == THEN), None)

    def keys_of(self, lock: int) -> list[int]:
        """The keys that open a lock."""
        return [a for a, _, kind in self.graph.in_edges(lock, keys=True) if kind == OPENS]

    def locks_of(self, key: int) -> list[int]:
        """The locks a key opens."""
        return [b for _, b, kind in self.graph.out_edges(key, keys=True) if kind == OPENS]

    def descendants(self, node: int) -> list[int]:
        """A node and all its way leads to, in that order."""
        found = [node]
        for n in found:
            found += self.successors(n)
        return found

    @property
    def root(self) -> int:
        """The node no way leads to."""
        return next(int(n) for n in self.graph if self.predecessor(n) is None)

    def depths(self) -> dict[int, int]:
        """Steps from the root to each node."""
        found = {self.root: 0}
        for n in self.descendants(self.root)[1:]:
            found[n] = found[self.predecessor(n) or 0] + 1
        return found

    def unlock(self, lock: int) -> None:
        """Make an ordinary place of a lock, and of its keys where they open nothing else."""
        for key in self.keys_of(lock):
            self.graph.remove_edge(key, lock, OPENS)
            if not self.locks_of(key):
                self.rename(key, "room")
        self.rename(lock, "room")

    def problem(self) -> str:
        """Return what keeps the mission from being done, "" if nothing does.

        There must be one start, from which every node can be come to, each lock after all its keys.
        """
        roots = [n for n in self.graph if self.predecessor(n) is None]
        if len(roots) != 1 or any(len(self._ways_in(n)) > 1 for n in self.graph):
            return "its ways are no tree"
        if self.symbol(roots[0]) != "start" or len(self.nodes_with("start")) != 1:
            return "it does not begin with `start`, or has another one later"
        for lock in self.nodes_with("lock"):
            if not self.keys_of(lock):
                return "a lock has no key"
        if any(not self.locks_of(key) for key in self.nodes_with("key")):
            return "a key opens nothing"
        reached, frontier, held = {roots[0]}, [roots[0]], True
        while held:
            # Shut locks are tried again whenever a round got further.
            held = False
            for n in frontier:
                for b in self.successors(n):
                    if b not in reached and all(k in reached for k in self.keys_of(b)):
                        reached.add(b)
                        frontier.append(b)
                        held = True
        return "" if len(reached) == len(self.graph) else "a key lies behind its own lock"

    def _ways_in(self, node: int) -> list[int]:
        return [a for a, _, kind in self.graph.in_edges(node, keys=True) if kind == THEN]

    def copy(self) -> Mission:
        """A mission of its own with the same nodes and edges."""
        return Mission(self.graph.copy())

    def to_json(self) -> dict[str, Any]:
        """As a JSON object: nodes with all that is known of them, edges as triples."""
        return {
            "nodes": [{"id": n, **dict(self.graph.nodes[n])} for n in self.graph],
            "edges": [[a, b, kind] for a, b, kind in self.graph.edges(keys=True)],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Mission:
        """The inverse of `to_json`."""
        made = cls()
        for node in data["nodes"]:
            made.graph.add_node(int(node["id"]), **{k: v for k, v in node.items() if k != "id"})
        for a, b, kind in data["edges"]:
            made.graph.add_edge(int(a), int(b), kind)
        return made

    def __repr__(self) -> str:
        def tell(n: int) -> str:
            below = [tell(b) for b in self.successors(n)]
            return self.symbol(n) + (
                f" -> {below[0]}" if len(below) == 1 else f" -> ({', '.join(below)})" if below else ""
            )

        return f"<Mission {tell(self.root)}>" if len(self.graph) else "<Mission of nothing>"


@dataclass(frozen=True)
class Derivation:
    """A grammar with the symbols a game offers: the source of missions."""

    grammar: LevelGrammar
    symbols: Collection[str]
    """The terminals that may occur."""
    _cache: dict[str, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if self.costs[self.grammar.axiom] == _INFINITE:
            lacking = sorted(self._terminals() - set(self.symbols))
            raise PcgError(
                f"{self.grammar.file}: no mission can be made for this game: every way to finish `{self.grammar.axiom}`"
                f" asks for {' or '.join(f'`{s}`' for s in lacking) or 'itself again'}, which the game does not offer"
            )

    def _terminals(self) -> set[str]:
        rules = [r for rules in self.grammar.productions.values() for r in rules if r.right is not None]
        return {n.symbol for r in rules for n in r.right.nodes if n.terminal}  # type: ignore[union-attr]

    @cached_property
    def costs(self) -> dict[str, tuple[float, float]]:
        """Symbol -> the fewest nodes it can become, and in how few steps (Knuth 1977)."""
        costs = dict.fromkeys(self.grammar.productions, _INFINITE)
        changed = True
        while changed:
            changed = False
            for symbol, rules in self.grammar.productions.items():
                best = min(self._cost(rule, costs) for rule in rules)
                if best < costs[symbol]:
                    costs[symbol], changed = best, True
        return costs

    def _cost(self, rule: Rule, costs: Mapping[str, tuple[float, float]]) -> tuple[float, float]:
        nodes, steps = 0.0, 0.0
        for node in rule.right.nodes if rule.right is not None else ():
            one = costs[node.symbol] if not node.terminal else (1.0, 0.0) if node.symbol in self.symbols else _INFINITE
            nodes, steps = nodes + one[0], max(steps, one[1])
        return nodes, steps + 1

    def mission(self, decisions: Decisions, size: int) -> Mission:
        """Derive a mission.

        Args:
            decisions: takes the choices.
            size: the number of nodes it is to have at most; it has more only where the grammar leaves no other way.

        Raises:
            PcgError: when what the grammar makes cannot be done (a key behind its own lock).
        """
        mission = self._produce(decisions, size)
        problem = mission.problem()
        if problem:
            raise PcgError(
                f"{self.grammar.file}: a mission made by this grammar cannot be done: {problem}: {mission!r}"
            )
        self._rewrite(mission, decisions, size)
        return mission

    @cached_property
    def growing(self) -> frozenset[str]:
        """The symbols that can become missions of any size."""
        graph = nx.DiGraph()
        for symbol, rules in self.grammar.productions.items():
            graph.add_edges_from((symbol, n.symbol) for r in rules if r.right is not None for n in r.right.nodes)
        loops = {n for part in nx.strongly_connected_components(graph) for n in part
                 if len(part) > 1 or graph.has_edge(n, n)}  # fmt: skip
        return frozenset(loops.union(*(nx.ancestors(graph, n) for n in sorted(loops))))

    def _ends(self, rule: Rule) -> bool:
        """Return whether a rule leaves nothing that grows."""
        return rule.right is None or not any(node.symbol in self.growing for node in rule.right.nodes)

    # -- productions ---------------------------------------------------------------------------------------------------

    def _produce(self, decisions: Decisions, size: int) -> Mission:
        mission = Mission()
        mission.graph.add_node(0, symbol=self.grammar.axiom, sprite="")
        fresh, used = 1, dict.fromkeys((id(r) for rules in self.grammar.productions.values() for r in rules), 0)
        for step in range(2 * MOST_STEPS):
            open_nodes = [n for n in mission.graph if mission.symbol(n)[:1].isupper()]
            if not open_nodes:
                break
            node = open_nodes[0]
            shortest = decisions.spent or step >= MOST_STEPS
            rule = self._choose(mission, node, used, decisions, size, shortest)
            used[id(rule)] += 1
            fresh = _replace(mission, node, rule.right, fresh)
        return mission

    def _choose(
        self, mission: Mission, node: int, used: Mapping[int, int], decisions: Decisions, size: int, shortest: bool
    ) -> Rule:
        rules = self.grammar.productions[mission.symbol(node)]
        costs = [self._cost(rule, self.costs) for rule in rules]
        cheapest = min(range(len(rules)), key=lambda i: (costs[i], i))
        if shortest:
            return rules[cheapest]
        sure = sum(self.costs[mission.symbol(n)][0] if mission.symbol(n)[:1].isupper() else 1 for n in mission.graph)
        room = size - (sure - self.costs[mission.symbol(node)][0])
        weights = [
            rule.weight if cost[0] <= room and (rule.most is None or used[id(rule)] < rule.most) else 0.0
            for rule, cost in zip(rules, costs, strict=True)
        ]
        others = any(mission.symbol(n) in self.growing for n in mission.graph if n != node)
        if not others and 2 * len(mission.graph) < size:
            # A mission that would end far below its size goes on where it can.
            weights = [w * (EARLY if self._ends(rule) else 1.0) for w, rule in zip(weights, rules, strict=True)]
        return rules[decisions.choose(weights)] if any(weights) else rules[cheapest]

    # -- rewritings ----------------------------------------------------------------------------------------------------

    def _rewrite(self, mission: Mission, decisions: Decisions, size: int) -> None:
        """Try every rewriting as often as it may be used; what it would spoil stays as it is."""
        for rule in self.grammar.rewritings:
            assert rule.right is not None
            if any(n.symbol not in self.symbols for n in rule.right.nodes):
                continue
            for _ in range(rule.most or 1):
                grown = len(mission.graph) + len(rule.right.nodes) - len(rule.left.nodes)
                matches = _matches(mission, rule.left) if grown <= size and not decisions.spent else []
                if not matches or decisions.choose((rule.weight, 1.0)) == 1:
                    break
                changed = mission.copy()
                _apply(changed, rule, matches[decisions.number(0, len(matches) - 1)])
                if not changed.problem():
                    mission.graph = changed.graph


def _replace(mission: Mission, node: int, piece: Piece | None, fresh: int) -> int:
    """Put a piece in the place of a node; tells the next free number."""
    graph = mission.graph
    before, after = mission.predecessor(node), mission.successors(node)
    graph.remove_node(node)
    if piece is None:
        for b in after:
            if before is not None:
                graph.add_edge(before, b, THEN)
        return fresh
    numbers = list(range(fresh, fresh + len(piece.nodes)))
    for number, part in zip(numbers, piece.nodes, strict=True):
        graph.add_node(number, symbol=part.symbol, sprite=part.sprite)
    if before is not None:
        graph.add_edge(before, numbers[0], THEN)
    for a, b, kind in piece.edges:
        graph.add_edge(numbers[a], numbers[b], kind)
    for b in after:
        graph.add_edge(numbers[piece.exit], b, THEN)
    return fresh + len(piece.nodes)


def _matches(mission: Mission, piece: Piece) -> list[tuple[int, ...]]:
    """Find the places of a mission in which a piece occurs: for each the nodes in the order of the piece's."""
    pattern = nx.MultiDiGraph()
    for i, part in enumerate(piece.nodes):
        pattern.add_node(i, symbol=part.symbol, sprite=part.sprite)
    for a, b, kind in piece.edges:
        pattern.add_edge(a, b, kind)

    def same_node(found: Mapping[str, str], wanted: Mapping[str, str]) -> bool:
        return found["symbol"] == wanted["symbol"] and wanted["sprite"] in ("", found["sprite"])

    def same_edges(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
        return set(wanted) <= set(found)

    matcher = MultiDiGraphMatcher(mission.graph, pattern, node_match=same_node, edge_match=same_edges)
    places = []
    for mapping in matcher.subgraph_monomorphisms_iter():
        inverse = {own: n for n, own in mapping.items()}
        places.append(tuple(inverse[i] for i in range(len(piece.nodes))))
        if len(places) == MOST_MATCHES:
            break
    return sorted(places)


def _apply(mission: Mission, rule: Rule, match: tuple[int, ...]) -> None:
    """Rewrite one place (Dormans 2010): its edges go, its nodes change symbol, new nodes and edges come."""
    assert rule.right is not None
    graph = mission.graph
    for a, b, kind in rule.left.edges:
        graph.remove_edge(match[a], match[b], kind)
    known = {part.name: n for part, n in zip(rule.left.nodes, match, strict=True)}
    fresh = max(graph) + 1
    numbers = []
    for part in rule.right.nodes:
        if part.name not in known:
            graph.add_node(fresh, symbol=part.symbol, sprite=part.sprite)
            known[part.name], fresh = fresh, fresh + 1
        elif part.symbol != mission.symbol(known[part.name]):
            graph.nodes[known[part.name]].update(symbol=part.symbol, sprite=part.sprite)
        numbers.append(known[part.name])
    for a, b, kind in rule.right.edges:
        graph.add_edge(numbers[a], numbers[b], kind)
