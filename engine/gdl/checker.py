"""Checker of rule sheets: the language's restrictions (GDL specification, section 4), and the order of clauses.

`analyse` makes a `Program` of a sheet: its clauses in the order in which they can be evaluated, and which relations
depend on the state. `check` lists what is wrong or doubtful.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import networkx as nx

from pcg.engine.gdl.clauses import Clause, TooManyClauses, can_meet, clauses_of
from pcg.engine.gdl.errors import Diagnostic, GDLError
from pcg.engine.gdl.parser import read
from pcg.engine.gdl.tree import Literal, Not, Or, Rule, Sentence, Sheet, Variable, literal_variables, variables_of
from pcg.engine.vgdl.diagnostics import nearest

Relation = tuple[str, int]
"""Name and number of arguments."""

ARITIES: Mapping[str, int] = {
    "role": 1, "init": 1, "true": 1, "does": 2, "legal": 2, "next": 1, "terminal": 0, "goal": 2, "base": 1, "input": 2,
}  # fmt: skip
"""Keywords and their numbers of arguments."""

ROOTS: tuple[Relation, ...] = (("role", 1), ("init", 1), ("legal", 2), ("next", 1), ("goal", 2), ("terminal", 0))
"""Relations that a game asks of its rules."""

MAX_LITERALS = 256
"""Literals of one body, several times the longest known one."""
_MAX_FINDINGS = 100
_GIVEN = (("true", 1), ("does", 2))
_NEEDED = {"role": "who plays", "terminal": "when the game ends", "legal": "which moves there are", "goal": "who wins"}


@dataclass(frozen=True)
class Program:
    """A rule sheet, checked and put in order.

    Attributes:
        sheet: what was read.
        clauses: all clauses that a game can need, none unsafe.
        order: the relations they define, in groups that depend on each other, each group after those it needs.
        dynamic: relations that depend on the state or on moves.
        late: relations that depend on moves.
        warnings: what is doubtful.
    """

    sheet: Sheet
    clauses: tuple[Clause, ...]
    order: tuple[tuple[Relation, ...], ...]
    dynamic: frozenset[Relation]
    late: frozenset[Relation]
    warnings: tuple[Diagnostic, ...] = ()

    def defining(self) -> dict[Relation, list[Clause]]:
        """Clauses by the relation they define."""
        found: dict[Relation, list[Clause]] = {}
        for clause in self.clauses:
            found.setdefault(clause.head.key, []).append(clause)
        return found


@dataclass
class _Check:
    sheet: Sheet
    lines: list[str] = field(default_factory=list)
    findings: list[Diagnostic] = field(default_factory=list)

    def note(
        self, severity: str, message: str, at: Literal | Rule | None = None, expected: str = "", suggestion: str = ""
    ) -> None:
        if len(self.findings) >= _MAX_FINDINGS and not (severity == "error" and not self.failed):
            return
        line, column = (at.line, at.column) if at is not None else (0, 0)
        if not self.lines:
            self.lines = self.sheet.text.splitlines()
        shown = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        finding = Diagnostic(severity, message, self.sheet.file, line, column, shown, expected, suggestion)
        if finding not in self.findings[-20:]:
            self.findings.append(finding)

    def error(self, message: str, at: Literal | Rule | None = None, expected: str = "", suggestion: str = "") -> None:
        self.note("error", message, at, expected, suggestion)

    def warn(self, message: str, at: Literal | Rule | None = None, expected: str = "", suggestion: str = "") -> None:
        self.note("warning", message, at, expected, suggestion)

    @property
    def failed(self) -> bool:
        return any(finding.severity == "error" for finding in self.findings)


def check(source: str | Path) -> list[Diagnostic]:
    """Everything that is wrong or doubtful in a rule sheet (a file, or a text), errors first.

    >>> [finding.message for finding in check("(role x) (<= terminal (not open)) (legal x y) (goal x 1)")]
    ['no rule defines `open`; it never holds']
    """
    try:
        return sorted(analyse(read(source)).warnings, key=_severity)
    except GDLError as error:
        return sorted(error.diagnostics, key=_severity)


def _severity(finding: Diagnostic) -> bool:
    return finding.severity != "error"


def analyse(sheet: Sheet) -> Program:
    """Check a sheet and put its clauses in order.

    Raises:
        GDLError: it breaks a restriction of the language; carries every finding, warnings too.
    """
    state = _Check(sheet)
    for rule in sheet.rules:
        _check_words(state, rule)
    if state.failed:
        raise GDLError(state.findings)
    clauses: list[Clause] = []
    for rule in sheet.rules:
        try:
            clauses += clauses_of(rule, state.warn)
        except TooManyClauses:
            state.error("the rule has too many alternatives", rule, "fewer `or` in one rule")
    defined = {clause.head.key for clause in clauses}
    _check_relations(state, sheet, defined)
    graph = _dependencies(clauses)
    unclear = _check_dependencies(state, clauses, graph)
    needed = _reach(graph, ROOTS)
    kept = []
    for clause in clauses:
        if clause.head.key not in needed:
            continue
        for variable in clause.unbound()[:1]:
            rule = clause.rule or Rule(clause.head)
            state.error(
                f"the rule is not safe: nothing binds `{variable}`", rule, f"a positive sentence with {variable}"
            )
        kept.append(clause)
    if state.failed:
        raise GDLError(sorted(state.findings, key=_severity))
    _warn_of_recursion(state, kept, graph)
    inverse = graph.reverse(copy=False)
    dynamic = _reach(inverse, (*_GIVEN, *unclear)) - set(_GIVEN)
    late = _reach(inverse, _GIVEN[1:]) - set(_GIVEN)
    within = graph.subgraph(needed)
    condensed = nx.condensation(within)
    order = [tuple(sorted(condensed.nodes[node]["members"])) for node in reversed(list(nx.topological_sort(condensed)))]
    return Program(
        sheet,
        tuple(kept),
        tuple(group for group in order if not set(group) <= set(_GIVEN)),
        frozenset(dynamic & needed),
        frozenset(late & needed),
        tuple(state.findings),
    )


def _sentences(body: Iterable[Literal]) -> Iterable[Sentence]:
    for literal in body:
        if isinstance(literal, Sentence):
            yield literal
        elif isinstance(literal, Not):
            yield from _sentences((literal.body,))
        elif isinstance(literal, Or):
            yield from _sentences(literal.parts)


def _check_words(state: _Check, rule: Rule) -> None:
    """Keywords with the right numbers of arguments in the right places."""
    head = rule.head
    if head.name in ("true", "does"):
        state.error(f"`{head.name}` cannot be defined by a rule", head, "it to stand in the body")
    if len(rule.body) > MAX_LITERALS:
        state.error(f"the rule has {len(rule.body)} literals", rule, f"at most {MAX_LITERALS}")
    for sentence in (head, *_sentences(rule.body)):
        arity = ARITIES.get(sentence.name)
        if arity is not None and len(sentence.args) != arity:
            count = f"{arity} argument{'' if arity == 1 else 's'}"
            state.error(f"`{sentence.name}` has {len(sentence.args)} arguments", sentence, count)
    for sentence in _sentences(rule.body):
        if sentence.name == "next":
            state.error("`next` cannot be asked for in a body", sentence, "`true`, or a relation of its own")


def _check_relations(state: _Check, sheet: Sheet, defined: set[Relation]) -> None:
    """Everything that is used is defined, and what a game needs is there."""
    names = {name for name, _ in defined}
    for name, what in _NEEDED.items():
        if (name, ARITIES[name]) not in defined and not state.failed:
            close = nearest(name, names)
            state.error(f"no rule defines `{name}`: nothing says {what}", None, f"a rule for `{name}`", close)
    known = defined | set(_GIVEN)
    seen: set[Relation] = set()
    for rule in sheet.rules:
        for sentence in _sentences(rule.body):
            if sentence.key in known or sentence.key in seen or sentence.name in ("init", "base", "input"):
                continue
            seen.add(sentence.key)
            if len(seen) > _MAX_FINDINGS:
                return
            others = [arity for arity in range(9) if (sentence.name, arity) in defined]
            if others:
                state.warn(
                    f"`{sentence.name}` has {len(sentence.args)} arguments here and never holds", sentence,
                    f"{others[0]} arguments as where it is defined",
                )  # fmt: skip
            else:
                close = nearest(sentence.name, names | {"true", "does"})
                state.warn(f"no rule defines `{sentence.name}`; it never holds", sentence, "", close)


def _dependencies(clauses: Iterable[Clause]) -> nx.DiGraph:
    """From each relation to those in the bodies of its rules; `negative` is a negated sentence that makes the edge."""
    graph: nx.DiGraph = nx.DiGraph()
    graph.add_nodes_from((*ROOTS, *_GIVEN))
    for clause in clauses:
        head = clause.head.key
        graph.add_node(head)
        for sentence in clause.positive:
            if not graph.has_edge(head, sentence.key):
                graph.add_edge(head, sentence.key, negative=None)
        for sentence in clause.negative:
            graph.add_edge(head, sentence.key, negative=sentence)
    return graph


def _check_dependencies(state: _Check, clauses: list[Clause], graph: nx.DiGraph) -> set[Relation]:
    """Stratified negation, and what may depend on the state or on moves.

    Returns the relations that depend on their own negation by name, but not by the rules that can meet.
    """
    unclear: set[Relation] = set()
    for group in nx.strongly_connected_components(graph):
        within = graph.subgraph(group)
        negated = [edge for edge in within.edges(data="negative") if edge[2] is not None]
        if not negated:
            continue
        wrong = _negated_cycles(clauses, group)
        for head, body, sentence in negated:
            way = " -> ".join(name for name, _ in nx.shortest_path(within, body, head))
            message = f"`{head[0]}` depends on its own negation: {head[0]} -> not {way}"
            if wrong:
                state.error(message, sentence, "stratified negation")
            else:
                state.warn(f"{message}; only its arguments keep the two apart", sentence)
                unclear |= group
    for relation, given in (
        *((root, _GIVEN[1]) for root in (("legal", 2), ("goal", 2), ("terminal", 0))),
        *((root, way) for root in (("role", 1), ("init", 1)) for way in _GIVEN),
    ):
        if nx.has_path(graph, relation, given):
            path = nx.shortest_path(graph, relation, given)
            rule = next(
                c
                for c in clauses
                if c.head.key == path[0] and any(s.key == path[1] for s in (*c.positive, *c.negative))
            )
            way = " -> ".join(name for name, _ in path)
            state.error(f"`{relation[0]}` must not depend on `{given[0]}`: {way}", rule.rule)
    return unclear


def _negated_cycles(clauses: list[Clause], group: set[Relation]) -> bool:
    """Return true if a cycle through a negation is left when only clauses count whose heads can meet a sentence."""
    inside = [clause for clause in clauses if clause.head.key in group]
    graph: nx.DiGraph = nx.DiGraph()
    graph.add_nodes_from(range(len(inside)))
    for number, clause in enumerate(inside):
        for sentences, negative in ((clause.positive, False), (clause.negative, True)):
            for sentence in sentences:
                for other, target in enumerate(inside):
                    if target.head.key == sentence.key and can_meet(sentence, target.head):
                        negative = negative or graph.get_edge_data(number, other, {}).get("negative", False)
                        graph.add_edge(number, other, negative=negative)
    return any(
        negative
        for part in nx.strongly_connected_components(graph)
        for _, _, negative in graph.subgraph(part).edges(data="negative")
    )


def _reach(graph: nx.DiGraph, roots: Iterable[Relation]) -> set[Relation]:
    found: set[Relation] = set()
    for root in roots:
        if root in graph and root not in found:
            found |= {root, *nx.descendants(graph, root)}
    return found


def _warn_of_recursion(state: _Check, clauses: list[Clause], graph: nx.DiGraph) -> None:
    """The recursion restriction: arguments of a recursive call are bound outside of it, or come from the head."""
    group_of = {key: number for number, group in enumerate(nx.strongly_connected_components(graph)) for key in group}
    for clause in clauses:
        inside = [s for s in clause.positive if group_of[s.key] == group_of[clause.head.key]]
        if not inside:
            continue
        bound = {v for s in clause.positive if s not in inside for v in literal_variables(s)}
        for sentence in inside:
            for arg in sentence.args:
                free = [v for v in variables_of(arg) if v not in bound]
                if free and arg not in clause.head.args and not _is_plain(arg, clause):
                    state.warn(
                        f"the recursion of `{clause.head.name}` has no bound: nothing binds `{free[0]}` in {sentence}",
                        sentence, f"{free[0]} in the head, or in a sentence outside of the recursion",
                    )  # fmt: skip


def _is_plain(arg: object, clause: Clause) -> bool:
    """A bare variable in a body whose head only passes values on cannot make terms grow."""
    return isinstance(arg, Variable) and not any(isinstance(a, tuple) for a in clause.head.args)


__all__ = ["ARITIES", "ROOTS", "Program", "Relation", "analyse", "check"]
