"""Genotypes of rules: the lines of an InteractionSet and a TerminationSet as plain, hashable data.

A gene is one rule for one ordered pair of sprites, or one termination; a genotype is a list of each. They turn into the
syntax tree's lines, into text and into JSON, and come from any game (a line with several second sprites becomes several
genes, which means the same: reference/language 1.6).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.engine.vgdl.parser import parse
from pcg.engine.vgdl.tree import InteractionLine, Option, Section, TerminationLine, Tree, Word

Params = tuple[tuple[str, str], ...]
"""`key=value` texts in the order in which they are written."""

EOS, TIME = "EOS", "TIME"
"""Names of the edge of the screen and of time in the place of a sprite."""
_CACHED = 1 << 12


@dataclass(frozen=True, slots=True)
class Rule:
    """`first second > effect key=value ...`."""

    first: str
    second: str
    effect: str
    params: Params = ()

    @property
    def pair(self) -> tuple[str, str]:
        """Names of the two types that meet."""
        return self.first, self.second

    def get(self, key: str) -> str | None:
        """The text of a parameter, None when it is not given."""
        return dict(self.params).get(key)

    def __str__(self) -> str:
        return " ".join([self.first, self.second, ">", self.effect, *(f"{k}={v}" for k, v in self.params)])


@dataclass(frozen=True, slots=True)
class Termination:
    """A termination: `Class key=value ...`."""

    name: str
    params: Params = ()

    def get(self, key: str) -> str | None:
        """The text of a parameter, None when it is not given."""
        return dict(self.params).get(key)

    @property
    def wins(self) -> bool:
        """True if the first player wins by it."""
        return (self.get("win") or "").split(",")[0].strip().lower() == "true"

    def __str__(self) -> str:
        return " ".join([self.name, *(f"{k}={v}" for k, v in self.params)])


def none_left(names: Sequence[str], limit: str = "0") -> Termination:
    """Return the termination by which the player wins when no more than `limit` sprites of one to three types are left.

    >>> print(none_left(["key"]), "|", none_left(["key", "coin"]))
    SpriteCounter stype=key limit=0 win=True | MultiSpriteCounter stype1=key stype2=coin limit=0 win=True
    """
    rest = ("limit", limit), ("win", "True")
    if len(names) == 1:
        return Termination("SpriteCounter", (("stype", names[0]), *rest))
    return Termination("MultiSpriteCounter", (*((f"stype{k + 1}", name) for k, name in enumerate(names)), *rest))


Gene = Rule | Termination


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The genotype: rules in the order in which they run, and terminations in the order in which they are tested."""

    rules: tuple[Rule, ...]
    terminations: tuple[Termination, ...]

    def __len__(self) -> int:
        return len(self.rules) + len(self.terminations)

    def genes(self) -> Iterator[Gene]:
        """All genes, rules first."""
        yield from self.rules
        yield from self.terminations

    def __str__(self) -> str:
        return "\n".join(str(gene) for gene in self.genes())

    @property
    def lines(self) -> tuple[tuple[InteractionLine, ...], tuple[TerminationLine, ...]]:
        """As lines of a syntax tree; equal genes share a line."""
        return tuple(map(interaction_line, self.rules)), tuple(map(termination_line, self.terminations))

    def to_json(self) -> list[list[list[Any]]]:
        """As JSON arrays."""
        return [
            [[r.first, r.second, r.effect, *(f"{k}={v}" for k, v in r.params)] for r in self.rules],
            [[e.name, *(f"{k}={v}" for k, v in e.params)] for e in self.terminations],
        ]

    @classmethod
    def from_json(cls, data: Sequence[Sequence[Sequence[str]]]) -> RuleSet:
        """The inverse of `to_json`."""
        rules, terminations = data
        return cls(
            tuple(Rule(first, second, effect, _params(rest)) for first, second, effect, *rest in rules),
            tuple(Termination(name, _params(rest)) for name, *rest in terminations),
        )

    @classmethod
    def of(cls, source: Tree | str) -> RuleSet:
        r"""The rules of a game.

        >>> game = "BasicGame\n SpriteSet\n  a > Missile\n InteractionSet\n  a wall EOS > killSprite\n"
        >>> print(RuleSet.of(game))
        a wall > killSprite
        a EOS > killSprite
        """
        tree = parse(source) if isinstance(source, str) else source
        rules: list[Rule] = []
        terminations: list[Termination] = []
        for section in tree.header.children:
            for line in section.children if isinstance(section, Section) else ():
                if isinstance(line, InteractionLine) and line.effects:
                    params = tuple((o.key, o.value) for o in line.options)
                    rules += [Rule(line.first.text, b.text, line.effects[-1].text, params) for b in line.seconds]
                elif isinstance(line, TerminationLine):
                    terminations.append(Termination(line.name.text, tuple((o.key, o.value) for o in line.options)))
        return cls(tuple(rules), tuple(terminations))


def _params(texts: Iterable[str]) -> Params:
    pairs = (text.partition("=") for text in texts)
    return tuple((key, value) for key, _, value in pairs)


def _options(params: Params) -> tuple[Option, ...]:
    return tuple(Option(key, value) for key, value in params)


@lru_cache(_CACHED)
def interaction_line(rule: Rule) -> InteractionLine:
    """The line of a rule."""
    return InteractionLine(
        first=Word(rule.first), seconds=(Word(rule.second),), effects=(Word(rule.effect),), arrow=Word(">"),
        options=_options(rule.params),
    )  # fmt: skip


@lru_cache(_CACHED)
def termination_line(termination: Termination) -> TerminationLine:
    """The line of a termination."""
    return TerminationLine(name=Word(termination.name), options=_options(termination.params))


def with_params(params: Params, changes: Mapping[str, str | None]) -> Params:
    """Parameters with some set (at the end, when new) or left out (None).

    >>> with_params((("stype", "a"), ("limit", "2")), {"limit": None, "win": "True"})
    (('stype', 'a'), ('win', 'True'))
    """
    kept = [(key, changes.get(key, value)) for key, value in params]
    known = {key for key, _ in params}
    kept += [(key, value) for key, value in changes.items() if key not in known]
    return tuple((key, value) for key, value in kept if value is not None)


def replace_rules(tree: Tree, genotype: RuleSet) -> Tree:
    """The game of a tree with other rules: its header, sprites and mapping as they are.

    Raises:
        PcgError: for a game without a SpriteSet.
    """
    sections = [s for s in tree.header.children if isinstance(s, Section)]
    kept = [s for s in sections if s.identifier not in ("InteractionSet", "TerminationSet")]
    if not any(s.identifier == "SpriteSet" for s in kept):
        raise PcgError(f"{tree.file} has no SpriteSet, so no rules can be made for it")
    rules, terminations = genotype.lines
    mapping = [s for s in kept if s.identifier == "LevelMapping"]
    made = [s for s in kept if s.identifier != "LevelMapping"]
    if rules:
        made.append(Section(name=Word("InteractionSet"), children=rules))
    if terminations:
        made.append(Section(name=Word("TerminationSet"), children=terminations))
    return Tree(replace(tree.header, children=(*made, *mapping)), file=tree.file)


Shape = tuple[frozenset[Gene], frozenset[tuple[str, ...]]]
"""Phenotype that `shape_distance` compares: genes of a rule set, and its genes without parameters."""


def shape_of(genotype: RuleSet) -> Shape:
    """Return the phenotype that `shape_distance` compares."""
    kinds = {(r.first, r.second, r.effect) for r in genotype.rules} | {(e.name,) for e in genotype.terminations}
    return frozenset(genotype.genes()), frozenset(kinds)


def shape_distance(one: Shape, other: Shape) -> float:
    """Return the distance of two rule sets, in [0, 1]: the share of their genes they do not have in common (Jaccard),
    averaged over genes as they are and genes without parameters. Order does not count.

    >>> a, b = Rule("a", "b", "killSprite"), Rule("a", "b", "killSprite", (("scoreChange", "1"),))
    >>> shape_distance(shape_of(RuleSet((a,), ())), shape_of(RuleSet((b,), ())))
    0.5
    """
    shares = [len(a & b) / len(a | b) if a or b else 1.0 for a, b in zip(one, other, strict=True)]
    return 1.0 - sum(shares) / len(shares)


def edits(one: RuleSet, other: RuleSet) -> int:
    """Lines to insert, delete or change to make one rule set of another; a move counts nothing."""
    gone, new = Counter(one.genes()), Counter(other.genes())
    return max((gone - new).total(), (new - gone).total())
