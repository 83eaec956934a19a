"""The language of grammars: parser, and errors that name the place.

A grammar is data. Its language is in `syntax.lark`; the one that comes with the toolkit is `default.grammar`. Here a
text becomes a `LevelGrammar`, after a check of everything that can be told without a game. Deriving missions from it
is the business of `mission`, making places of them that of `space`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pcg.engine.vgdl.diagnostics import Diagnostic, PcgError, nearest

if TYPE_CHECKING:
    from lark import Lark, Token, Tree

TERMINALS: Mapping[str, str] = {
    "start": "where the avatar starts",
    "goal": "what winning takes, in the last place",
    "task": "something else that winning takes",
    "key": "what opens a lock",
    "lock": "what bars the way until its key is found",
    "warp": "a place entered by portal only",
    "test": "something that moves and harms",
    "trap": "something that stands still and harms",
    "reward": "something to be had that winning does not take",
    "room": "a place without a purpose of its own",
}
"""The symbols a finished mission is made of."""

THEN, OPENS = "->", "=>"
"""The way to the second leads through the first; the first opens the second."""

HERE, GAP, ARCH, PASSAGE = "here", "gap", "arch", "passage"
WIDEST = 20
"""Arches are at most so wide and passages so long."""
MOST_TEXT = 1 << 20
_WORDS = {
    "NONTERMINAL": "a symbol with a capital letter", "IDENTIFIER": "a name in small letters", "INT": "a whole number",
    "NUMBER": "a number", "RANGE": "a range such as 2..4", "ROW": "a row of . and #", "SPRITE": "the name of a sprite",
    "THEN": "`->`", "OPENS": "`=>`", "COLON": "`:`", "COMMA": "`,`", "VBAR": "`|`", "LSQB": "`[`", "RSQB": "`]`",
    "LPAR": "`(`", "RPAR": "`)`", "__ANON_0": "`::=`", "NOTHING": "`nothing`", "HERE": "`here`",
    "JOINT": "`gap`, `arch` or `passage`", "MISSION": "`mission`", "REWRITE": "`rewrite`", "SPACE": "`space`",
    "INSIDE": "`inside`", "SHAPE": "`shape`", "WEIGHT": "`weight`", "MOST": "`most`", "$END": "the end",
}  # fmt: skip
"""Names of the parser's terms in messages."""


@dataclass(frozen=True, slots=True)
class Node:
    """One node of a piece: its symbol and the sprite type that was asked for ("" for any)."""

    name: str
    symbol: str
    sprite: str = ""

    @property
    def terminal(self) -> bool:
        """True if nothing replaces it any more."""
        return not self.symbol[:1].isupper()


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a mission. The way comes in at the first node and goes out at the last one of the first chain."""

    nodes: tuple[Node, ...]
    edges: tuple[tuple[int, int, str], ...]
    """(node, node, THEN or OPENS)."""
    exit: int

    def ways(self) -> Iterator[tuple[int, int]]:
        """The edges along which the way leads."""
        return ((a, b) for a, b, kind in self.edges if kind == THEN)


@dataclass(frozen=True, slots=True)
class Rule:
    """Replaces a symbol or a piece (`left`) by a piece, or by nothing (None)."""

    left: Piece
    right: Piece | None
    weight: float
    most: int | None
    """Most uses in one mission, None for no limit."""
    line: int


@dataclass(frozen=True, slots=True)
class Joint:
    """One way to join a place to the one before it: `kind` and the range of its width (arch) or length (passage)."""

    kind: str
    low: int
    high: int
    weight: float


@dataclass(frozen=True)
class LevelGrammar:
    """A grammar that was read: rules for missions, joints and shapes for their places."""

    file: str
    axiom: str
    productions: Mapping[str, tuple[Rule, ...]]
    rewritings: tuple[Rule, ...]
    joints: Mapping[str, tuple[Joint, ...]]
    """Terminal -> how its place is joined; `gap` for those the text says nothing about."""
    fillings: Mapping[str, tuple[tuple[str, float], ...]]
    """Terminal -> names of shapes and their weights; none: left as it is."""
    shapes: Mapping[str, tuple[str, ...]]
    """Rows of `.` (open) and `#` (wall)."""
    text: str = field(repr=False)


def read_grammar(path: str = "") -> LevelGrammar:
    """Read a grammar from a file; without one, the grammar that comes with the toolkit.

    Raises:
        PcgError: when the file cannot be read, or for what is wrong in it, with its line and column.
    """
    if not path:
        return _default()
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise PcgError(f"cannot read the grammar {path}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise PcgError(f"{path}: the grammar is no text in UTF-8 (byte {error.start})") from None
    return parse_grammar(text, path)


@cache
def _default() -> LevelGrammar:
    path = Path(__file__).parent / "default.grammar"
    return parse_grammar(path.read_text(encoding="utf-8"), path.name)


@cache
def _lark() -> Lark:
    from lark import Lark

    syntax = (Path(__file__).parent / "syntax.lark").read_text(encoding="utf-8")
    return Lark(syntax, parser="lalr", propagate_positions=True)


def parse_grammar(text: str, file: str = "<grammar>") -> LevelGrammar:
    """Read a grammar.

    Args:
        text: in the language of `syntax.lark`.
        file: the name messages are to give the text.

    Raises:
        PcgError: for what is wrong in it: file, line, column, what was expected, the nearest known name.

    >>> parse_grammar("mission Level ::= start -> goal").productions["Level"][0].right.nodes[0].symbol
    'start'
    """
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

    if len(text) > MOST_TEXT:
        raise PcgError(f"{file}: the grammar has {len(text)} characters, expected at most {MOST_TEXT}")
    try:
        tree = _lark().parse(text)
    except UnexpectedToken as error:
        at_end = error.token.type == "$END"
        found = "the grammar ends too early" if at_end else f"unexpected `{error.token}`"
        rows = text.rstrip().split("\n")
        line, column = (len(rows), len(rows[-1]) + 1) if at_end else (int(error.line), int(error.column))
        near = nearest(str(error.token), _keywords(error.accepts or error.expected))
        raise _problem(text, file, line, column, found, _expected(error.accepts or error.expected), near) from None
    except UnexpectedCharacters as error:
        word = text[error.pos_in_stream or 0 :].split(None, 1)[0]
        found = f"unexpected `{word[:40]}`"
        near = nearest(word, _keywords(error.allowed or ()))
        raise _problem(text, file, error.line, error.column, found, _expected(error.allowed or ()), near) from None
    return _Reader(text, file).read(tree)


def _expected(terms: Any) -> str:
    return ", ".join(sorted(_WORDS.get(t, t.lower()) for t in terms))


def _keywords(terms: Any) -> list[str]:
    return [w for t in sorted(terms) for w in _WORDS.get(t, "").replace("`", "").replace(" or ", ", ").split(", ") if w]


def _problem(
    text: str, file: str, line: int, column: int, message: str, expected: str = "", suggestion: str = ""
) -> PcgError:
    lines = text.splitlines()
    shown = lines[line - 1] if 0 < line <= len(lines) else ""
    return PcgError(str(Diagnostic("error", message, file, line, column, shown, expected, suggestion)))


class _Reader:
    """Turns a syntax tree into a grammar, checking names and shapes on the way."""

    def __init__(self, text: str, file: str) -> None:
        self.text, self.file = text, file
        self.productions: dict[str, list[Rule]] = {}
        self.rewritings: list[Rule] = []
        self.joints: dict[str, tuple[Joint, ...]] = {}
        self.fillings: dict[str, tuple[tuple[str, float], ...]] = {}
        self.shapes: dict[str, tuple[str, ...]] = {}
        self._used: dict[str, Token] = {}
        self._drawn: dict[str, Token] = {}

    def read(self, tree: Tree[Token]) -> LevelGrammar:
        sections: dict[str, Any] = {
            "mission": self._production, "rewrite": self._rewriting, "space": self._joining, "inside": self._filling,
        }  # fmt: skip
        for section in tree.children:
            assert not isinstance(section, str)
            if section.data == "shape":
                self._shape(section)
                continue
            for part in section.children:
                sections[str(section.data)](part)
        if not self.productions:
            raise self._error(None, "the grammar has no mission", "`mission` and a production such as Level ::= start")
        for symbol, token in self._used.items():
            if symbol not in self.productions:
                near = nearest(symbol, self.productions)
                raise self._error(
                    token, f"nothing says what `{symbol}` becomes", f"a production {symbol} ::= ...", near
                )
        for name, token in self._drawn.items():
            if name not in self.shapes:
                expected = "one of the shapes " + (", ".join(self.shapes) or "of this grammar")
                raise self._error(token, f"there is no shape `{name}`", expected, nearest(name, self.shapes))
        return LevelGrammar(
            self.file, next(iter(self.productions)), {k: tuple(v) for k, v in self.productions.items()},
            tuple(self.rewritings), self.joints, self.fillings, self.shapes, self.text,
        )  # fmt: skip

    def _error(self, token: Token | None, message: str, expected: str = "", suggestion: str = "") -> PcgError:
        line, column = (token.line or 0, token.column or 0) if token is not None else (0, 0)
        return _problem(self.text, self.file, line, column, message, expected, suggestion)

    # -- missions ------------------------------------------------------------------------------------------------------

    def _production(self, tree: Any) -> None:
        symbol, *alternatives = tree.children
        left = Piece((Node(str(symbol), str(symbol)),), (), 0)
        for alternative in alternatives:
            self.productions.setdefault(str(symbol), []).append(self._rule(left, {}, alternative, symbol))

    def _rewriting(self, tree: Any) -> None:
        graph, *alternatives = tree.children
        left, names = self._piece(graph, {})
        token = _first_token(graph)
        if any(not n.terminal for n in left.nodes):
            raise self._error(
                token, "a rewriting looks for symbols of finished missions only", "symbols in small letters"
            )
        for alternative in alternatives:
            rule = self._rule(left, names, alternative, token)
            if rule.right is None:
                raise self._error(token, "a rewriting cannot become nothing", "the nodes that are kept")
            if not {n.name for n in left.nodes} <= {n.name for n in rule.right.nodes}:
                message = "a rewriting keeps the nodes it finds (they may change their symbol)"
                raise self._error(token, message, "each name on both sides")
            self.rewritings.append(rule)

    def _rule(self, left: Piece, names: Mapping[str, Node], alternative: Any, token: Token) -> Rule:
        body, *rest = alternative.children
        weight, most = self._options(rest[0] if rest else None)
        right = None if isinstance(body, str) else self._piece(body, names)[0]
        return Rule(left, right, weight, most, token.line or 0)

    def _piece(self, graph: Any, known: Mapping[str, Node]) -> tuple[Piece, dict[str, Node]]:
        """A piece; `known` are the named nodes of the other side, to which bare names may refer."""
        places: dict[str, int] = {}
        nodes: list[Node] = []
        edges: list[tuple[int, int, str]] = []
        named = dict(known)
        leaves = -1

        def place(tree: Any) -> int:
            *name, symbol = tree.children
            word, sprite = symbol.children[0], str(symbol.children[1]) if len(symbol.children) > 1 else ""
            text = str(word)
            if not name and text in named:
                if text not in places:
                    nodes.append(named[text])
                    places[text] = len(nodes) - 1
                return places[text]
            if not text[:1].isupper() and text not in TERMINALS:
                raise self._error(word, f"unknown symbol `{text}`", ", ".join(TERMINALS), nearest(text, TERMINALS))
            if text[:1].isupper():
                self._used.setdefault(text, word)
            label = str(name[0]) if name else f"{text}#{len(nodes)}"
            if label in places:
                raise self._error(name[0], f"`{label}` names two nodes", "another name")
            node = Node(label, text, sprite)
            named[label] = node
            nodes.append(node)
            places[label] = len(nodes) - 1
            return len(nodes) - 1

        for i, chain in enumerate(graph.children):
            before = place(chain.children[0])
            for edge, tree in zip(chain.children[1::2], chain.children[2::2], strict=True):
                token = edge.children[0]
                after = place(tree)
                kind = THEN if token.type == "THEN" else OPENS
                self._check_edge(token, nodes[before], nodes[after], kind)
                edges.append((before, after, kind))
                before = after
            if i == 0:
                leaves = before
        self._check_ways(graph, nodes, edges)
        return Piece(tuple(nodes), tuple(edges), leaves), named

    def _check_edge(self, token: Token, a: Node, b: Node, kind: str) -> None:
        if kind == OPENS and (a.symbol, b.symbol) != ("key", "lock"):
            raise self._error(token, f"`=>` leads from `{a.symbol}` to `{b.symbol}`", "from a key to a lock")
        if kind == THEN and b.symbol == "start":
            raise self._error(token, "a way leads to `start`", "`start` before all others")

    def _check_ways(self, graph: Any, nodes: list[Node], edges: list[tuple[int, int, str]]) -> None:
        entered: set[int] = set()
        for _, b, kind in edges:
            if kind == THEN:
                if b in entered:
                    symbol = nodes[b].symbol
                    raise self._error(_first_token(graph), f"two ways lead to one `{symbol}`", "one `->` to each node")
                entered.add(b)
        beginnings = [n for i, n in enumerate(nodes) if i not in entered]
        if len(beginnings) != 1 or 0 in entered:
            names = ", ".join(f"`{n.symbol}`" for n in beginnings[1:]) or f"`{nodes[0].symbol}`"
            raise self._error(
                _first_token(graph), f"the way to {names} does not come from the first node", "ways from the first node"
            )

    # -- places --------------------------------------------------------------------------------------------------------

    def _joining(self, tree: Any) -> None:
        names, *joints = tree.children
        found = tuple(self._joint(j) for j in joints)
        for symbol in self._symbols(names):
            if symbol in ("lock", "warp") and any(j.kind not in (GAP,) for j in found):
                raise self._error(_first_token(names), f"a {symbol} stands in a gap", f"{symbol} ::= gap")
            self.joints[symbol] = found

    def _joint(self, tree: Any) -> Joint:
        kind, *rest = tree.children
        low, high = {ARCH: (2, 3), PASSAGE: (1, 3)}.get(str(kind), (1, 1))
        if rest and isinstance(rest[0], str):
            token = rest.pop(0)
            if str(kind) in (HERE, GAP):
                raise self._error(token, f"`{kind}` takes no number", "arch or passage before a number")
            ends = [int(end) for end in str(token).split("..")]
            low, high = ends[0], ends[-1]
            if not 1 <= low <= high <= WIDEST:
                raise self._error(token, f"`{token}` is no range of cells", f"numbers from 1 to {WIDEST}, rising")
        weight, most = self._options(rest[0] if rest else None)
        if most is not None:
            raise self._error(kind, "`most` is for rules of missions", "weight")
        return Joint(str(kind), low, high, weight)

    def _filling(self, tree: Any) -> None:
        names, *drawings = tree.children
        found = []
        for drawing in drawings:
            name, *rest = drawing.children
            weight, _ = self._options(rest[0] if rest else None)
            self._drawn.setdefault(str(name), name)
            found.append((str(name), weight))
        for symbol in self._symbols(names):
            self.fillings[symbol] = tuple(found)

    def _symbols(self, names: Any) -> list[str]:
        for token in names.children:
            if str(token) not in TERMINALS:
                near = nearest(str(token), TERMINALS)
                raise self._error(token, f"unknown symbol `{token}`", ", ".join(TERMINALS), near)
        return [str(token) for token in names.children]

    def _shape(self, tree: Any) -> None:
        name, *rows = tree.children
        if str(name) in self.shapes:
            raise self._error(name, f"the shape `{name}` is drawn twice", "another name")
        for row in rows:
            if len(row) != len(rows[0]):
                raise self._error(row, f"this row has {len(row)} cells", f"{len(rows[0])}, as the first row")
        self.shapes[str(name)] = tuple(str(row) for row in rows)

    def _options(self, tree: Any) -> tuple[float, int | None]:
        weight, most = 1.0, None
        for option in tree.children if tree is not None else ():
            (value,) = option.children
            if option.data == "weight":
                weight = float(value)
            else:
                most = int(value)
            if float(value) <= 0:
                raise self._error(value, f"{option.data} is {value}", "a number above 0")
        return weight, most


def _first_token(tree: Any) -> Any:
    while not isinstance(tree, str):
        tree = tree.children[0]
    return tree
