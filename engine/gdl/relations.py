"""Relations of a grounding: terms as numbers, relations as matrices of numbers.

A term is interned once and is a number from then on. A relation is a growing matrix with a row for each atom, kept in
parts by the functor of its last argument: a rule about ``(true (cell ...))`` never looks at ``(true (step ...))``.
A `View` is what a sentence with variables sees of a relation: one column per variable.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pcg.engine.gdl.errors import GroundingLimit
from pcg.engine.gdl.tree import Sentence, Term, Variable, term_text, variables_of

Array = np.ndarray[Any, Any]

MAX_TERM_DEPTH = 48
"""Nesting of a ground term; more is taken for a term that grows without bound."""
_PACKED_BITS = 62


class Growing:
    """A matrix that grows at its end."""

    def __init__(self, width: int, dtype: Any = np.int32) -> None:
        self._memory = np.zeros((8, width), dtype=dtype)
        self.count = 0

    @property
    def rows(self) -> Array:
        """All rows, (count, width)."""
        return self._memory[: self.count]

    def append(self, rows: Array) -> None:
        """Add rows at the end."""
        after = self.count + len(rows)
        if after > len(self._memory):
            memory = np.zeros((max(after, 2 * len(self._memory)), self._memory.shape[1]), dtype=self._memory.dtype)
            memory[: self.count] = self._memory[: self.count]
            self._memory = memory
        self._memory[self.count : after] = rows
        self.count = after


def bits_for(count: int) -> int:
    """Bits of a column of numbers below `count`, with room to grow."""
    return max(8, int(count).bit_length() + 1)


def pack(columns: Sequence[Array], bits: int) -> Array | None:
    """Columns as one column of int64 keys; None when they do not fit."""
    if len(columns) * bits > _PACKED_BITS:
        return None
    keys = columns[0].astype(np.int64)
    for column in columns[1:]:
        keys <<= bits
        keys |= column
    return keys


def common_keys(left: Sequence[Array], right: Sequence[Array], bits: int) -> tuple[Array, Array]:
    """Keys of the rows on two sides: equal rows, and only those, have equal keys."""
    a, b = pack(left, bits), pack(right, bits)
    if a is not None and b is not None:
        return a, b
    a, b = left[0].astype(np.int64), right[0].astype(np.int64)
    for one, other in zip(left[1:], right[1:], strict=True):
        both = np.concatenate([(a << 32) | one, (b << 32) | other])
        numbers = np.unique(both, return_inverse=True)[1]
        a, b = numbers[: len(a)].astype(np.int64), numbers[len(a) :].astype(np.int64)
    return a, b


def distinct_rows(columns: Sequence[Array], bits: int) -> Array:
    """Indices of the first of each group of equal rows, ascending."""
    keys = pack(columns, bits)
    if keys is None:
        keys, _ = common_keys(columns, [c[:0] for c in columns], bits)
    return np.sort(np.unique(keys, return_index=True)[1])


class Functor:
    """A name with a number of arguments, and the ground terms that have it."""

    def __init__(self, name: str, arity: int) -> None:
        self.name = name
        self.arity = arity
        self.table = Table(arity)
        self.ids = Growing(1)


class Terms:
    """All ground terms, numbered."""

    def __init__(self) -> None:
        self._constants: dict[str, int] = {}
        self._terms: list[Term] = []
        self._shape = Growing(3)  # functor (0: a constant), row in it, depth
        self.functors: list[Functor] = [Functor("", 0)]
        self._functor_ids: dict[tuple[str, int], int] = {}

    def __len__(self) -> int:
        return len(self._terms)

    @property
    def bits(self) -> int:
        """Bits of a column of terms."""
        return bits_for(len(self._terms))

    @property
    def functor(self) -> Array:
        """For each term the number of its functor, 0 for constants."""
        return self._shape.rows[:, 0]

    @property
    def row(self) -> Array:
        """For each compound term its row among those of its functor."""
        return self._shape.rows[:, 1]

    def term(self, number: int) -> Term:
        """The term of a number."""
        return self._terms[number]

    def text(self, number: int) -> str:
        """Its KIF text."""
        return term_text(self._terms[number])

    def functor_id(self, name: str, arity: int) -> int:
        """The number of a functor, from 1."""
        found = self._functor_ids.get((name, arity))
        if found is None:
            found = self._functor_ids[name, arity] = len(self.functors)
            self.functors.append(Functor(name, arity))
        return found

    def constant(self, name: str) -> int:
        """The number of a constant."""
        found = self._constants.get(name)
        if found is None:
            found = self._constants[name] = len(self._terms)
            self._terms.append(name)
            self._shape.append(np.array([[0, 0, 1]]))
        return found

    def ground(self, term: Term) -> int:
        """The number of a term without variables."""
        if not isinstance(term, tuple):
            return self.constant(term)
        rows = np.array([[self.ground(part) for part in term[1:]]], dtype=np.int32)
        return int(self.compound(self.functor_id(term[0], len(term) - 1), rows)[0])

    def compound(self, functor: int, rows: Array) -> Array:
        """The numbers of the compound terms with these rows of arguments."""
        kind = self.functors[functor]
        new, where = kind.table.add(rows, self.bits)
        if new:
            added = kind.table.rows[-new:]
            depth = self._shape.rows[:, 2][added].max(axis=1) + 1
            if depth.max() > MAX_TERM_DEPTH:
                deepest = (kind.name, *(self._terms[i] for i in added[depth.argmax()]))
                raise GroundingLimit(f"terms grow without bound: {term_text(deepest)[:120]} ...")
            first = len(self._terms)
            numbers = np.arange(first, first + new)
            terms = self._terms
            terms += [(kind.name, *map(terms.__getitem__, row)) for row in added.tolist()]
            firsts = np.arange(kind.ids.count, kind.ids.count + new)
            kind.ids.append(numbers[:, None])
            self._shape.append(np.stack([np.full(new, functor), firsts, depth], axis=1))
        return kind.ids.rows[:, 0][where]


class Table:
    """A set of rows, numbered in the order in which they came."""

    def __init__(self, width: int) -> None:
        self.width = width
        self._matrix = Growing(width)
        self._bits = 0
        self._keys = np.zeros(0, dtype=np.int64)
        self._order = np.zeros(0, dtype=np.int64)
        self._wide: dict[bytes, int] | None = None

    @property
    def rows(self) -> Array:
        """All rows, int32 (count, width)."""
        return self._matrix.rows

    @property
    def count(self) -> int:
        """Number of rows."""
        return self._matrix.count

    def _prepare(self, bits: int) -> None:
        """Make keys for columns of so many bits."""
        if self._wide is not None or bits <= self._bits:
            return
        if self.width * (bits + 2) > _PACKED_BITS:
            if self.width * bits > _PACKED_BITS:
                self._wide = {row.tobytes(): number for number, row in enumerate(self.rows)}
                return
            self._bits = bits
        else:
            self._bits = bits + 2
        keys = self._pack(self.rows)
        self._order = np.argsort(keys, kind="stable")
        self._keys = keys[self._order]

    def _pack(self, rows: Array) -> Array:
        keys = np.zeros(len(rows), dtype=np.int64)
        for column in range(self.width):
            keys <<= self._bits
            keys |= rows[:, column]
        return keys

    def add(self, rows: Array, bits: int) -> tuple[int, Array]:
        """Add what is not there yet; returns how many are new, and the number of each row."""
        self._prepare(bits)
        if self._wide is not None:
            return self._add_wide(np.ascontiguousarray(rows, dtype=np.int32))
        keys = self._pack(rows)
        at = np.searchsorted(self._keys, keys)
        if len(self._keys):
            known = self._keys[np.minimum(at, len(self._keys) - 1)] == keys
        else:
            known = np.zeros(len(keys), dtype=bool)
        if known.all():
            return 0, self._order[at]
        fresh, first, numbers = np.unique(keys[~known], return_index=True, return_inverse=True)
        # new rows are numbered in the order in which they came, whatever their keys are
        rank = np.empty(len(first), dtype=np.int64)
        rank[np.argsort(first, kind="stable")] = np.arange(self.count, self.count + len(first))
        where = np.empty(len(keys), dtype=np.int64)
        if known.any():
            where[known] = self._order[at[known]]
        where[~known] = rank[numbers]
        self._matrix.append(np.asarray(rows)[~known][np.sort(first)])
        places = np.searchsorted(self._keys, fresh)
        self._keys = np.insert(self._keys, places, fresh)
        self._order = np.insert(self._order, places, rank)
        return len(first), where

    def _add_wide(self, rows: Array) -> tuple[int, Array]:
        assert self._wide is not None
        known = self._wide
        before = len(known)
        where = np.empty(len(rows), dtype=np.int64)
        new = []
        for number, row in enumerate(rows):
            key = row.tobytes()
            at = known.get(key)
            if at is None:
                at = known[key] = len(known)
                new.append(number)
            where[number] = at
        if new:
            self._matrix.append(rows[new])
        return len(known) - before, where

    def find(self, rows: Array, bits: int) -> Array:
        """The number of each row, -1 for those that are not there."""
        self._prepare(bits)
        if self._wide is not None:
            rows = np.ascontiguousarray(rows, dtype=np.int32)
            return np.array([self._wide.get(row.tobytes(), -1) for row in rows], dtype=np.int64)
        if not len(self._keys):
            return np.full(len(rows), -1, dtype=np.int64)
        keys = self._pack(rows)
        at = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[at] == keys, self._order[at], -1)


class Part:
    """The atoms of a relation whose last argument has one functor (0: is a constant, or there is none)."""

    def __init__(self, number: int, width: int) -> None:
        self.number = number
        self.table = Table(width)


class Relation:
    """The atoms of a relation."""

    def __init__(self, name: str, arity: int) -> None:
        self.name = name
        self.arity = arity
        self.parts: dict[int, Part] = {}
        self.count = 0

    def __repr__(self) -> str:
        return f"<relation {self.name}/{self.arity}: {self.count} atoms>"


class View:
    """View of a relation through a sentence: a column for each of its variables, and a reference to the atom.

    A reference is ``part << 32 | row``. Views only grow.
    """

    def __init__(self, store: Store, relation: Relation, args: tuple[Term, ...]) -> None:
        self.store = store
        self.relation = relation
        self.args = args
        self.variables = list(dict.fromkeys(v for arg in args for v in variables_of(arg)))
        self._columns = Growing(len(self.variables))
        self._refs = Growing(1, np.int64)
        self._consumed: dict[int, int] = {}
        self._seen = 0
        self._indexes: dict[tuple[int, ...], tuple[int, int, Array, Array]] = {}

    @property
    def count(self) -> int:
        """Rows so far."""
        return self._columns.count

    def column(self, number: int, start: int = 0) -> Array:
        """The values of a variable."""
        return self._columns.rows[start:, number]

    def refs(self, start: int = 0) -> Array:
        """The atoms."""
        return self._refs.rows[start:, 0]

    def update(self) -> int:
        """Take in what is new in the relation; returns the number of rows."""
        if self._seen == self.relation.count:
            return self._columns.count
        self._seen = self.relation.count
        wanted = self.args[-1] if self.args else None
        if isinstance(wanted, tuple):
            numbers = [self.store.terms.functor_id(wanted[0], len(wanted) - 1)]
        elif isinstance(wanted, Variable):
            numbers = list(self.relation.parts)
        else:
            numbers = [0]
        for functor in numbers:
            part = self.relation.parts.get(functor)
            if part is not None and part.table.count > self._consumed.get(functor, 0):
                self._consume(functor, part)
        return self._columns.count

    def _consume(self, functor: int, part: Part) -> None:
        start = self._consumed.get(functor, 0)
        rows = part.table.rows[start:]
        self._consumed[functor] = part.table.count
        columns, chosen = self.store.match(self.args, [rows[:, k] for k in range(rows.shape[1])], len(rows))
        matrix = np.empty((len(chosen), len(self.variables)), dtype=np.int32)
        for k, variable in enumerate(self.variables):
            matrix[:, k] = columns[variable]
        self._columns.append(matrix)
        self._refs.append(((part.number << 32) | (chosen + start))[:, None])

    def index(self, columns: tuple[int, ...], bits: int) -> tuple[Array, Array] | None:
        """Sorted keys of some columns and the rows they stand for; None when keys do not fit."""
        found = self._indexes.get(columns)
        if found is None or found[0] != self.count or found[1] != bits:
            keys = pack([self.column(k) for k in columns], bits)
            if keys is None:
                return None
            order = np.argsort(keys, kind="stable")
            found = self._indexes[columns] = (self.count, bits, keys[order], order)
        return found[2], found[3]


class Store:
    """All relations of a sheet, over one set of terms."""

    def __init__(self) -> None:
        self.terms = Terms()
        self.relations: dict[tuple[str, int], Relation] = {}
        self.parts: list[tuple[Relation, int, Part]] = []
        self._views: dict[tuple[Any, ...], View] = {}

    def relation(self, name: str, arity: int) -> Relation:
        """The relation, empty at first."""
        found = self.relations.get((name, arity))
        if found is None:
            found = self.relations[name, arity] = Relation(name, arity)
        return found

    def part(self, relation: Relation, functor: int) -> Part:
        """The part of a relation for a functor."""
        found = relation.parts.get(functor)
        if found is None:
            found = relation.parts[functor] = Part(len(self.parts), relation.arity)
            self.parts.append((relation, functor, found))
        return found

    def view(self, sentence: Sentence) -> tuple[View, list[Variable]]:
        """The view of a sentence, and the sentence's names for its variables."""
        names = list(dict.fromkeys(v for arg in sentence.args for v in variables_of(arg)))
        short = {name: Variable(f"?{k}") for k, name in enumerate(names)}
        args = tuple(_renamed(arg, short) for arg in sentence.args)
        key = (sentence.name, *args)
        found = self._views.get(key)
        if found is None:
            found = self._views[key] = View(self, self.relation(*sentence.key), args)
        return found, names

    def match(
        self, patterns: Sequence[Term], given: Sequence[Array], count: int
    ) -> tuple[dict[Variable, Array], Array]:
        """Match rows with patterns: the values of their variables, and which rows match."""
        chosen = np.arange(count)
        columns: dict[Variable, Array] = {}
        pending: list[tuple[Term, Array]] = list(zip(patterns, given, strict=True))
        while pending:
            pattern, column = pending.pop()
            mask: Array | None = None
            if isinstance(pattern, Variable):
                if pattern in columns:
                    mask = columns[pattern] == column
                else:
                    columns[pattern] = column
            elif isinstance(pattern, tuple):
                functor = self.terms.functor_id(pattern[0], len(pattern) - 1)
                mask = self.terms.functor[column] == functor
                if not mask.all():
                    column = column[mask]
                rows = self.terms.functors[functor].table.rows[self.terms.row[column]]
            else:
                mask = column == self.terms.constant(pattern)
            if mask is not None and not mask.all():
                chosen = chosen[mask]
                columns = {v: c[mask] for v, c in columns.items()}
                pending = [(p, c[mask]) for p, c in pending]
            if isinstance(pattern, tuple):
                pending += [(part, rows[:, k]) for k, part in enumerate(pattern[1:])]
        return columns, chosen

    def build(self, term: Term, columns: dict[Variable, Array], count: int) -> Array:
        """A column of ground terms from the values of variables."""
        if isinstance(term, Variable):
            return columns[term]
        if isinstance(term, tuple):
            parts = [self.build(part, columns, count) for part in term[1:]]
            return self.terms.compound(self.terms.functor_id(term[0], len(parts)), np.stack(parts, axis=1))
        return np.full(count, self.terms.constant(term), dtype=np.int32)

    def add(self, relation: Relation, columns: Sequence[Array], count: int) -> int:
        """Add atoms; returns how many are new."""
        rows = np.stack(columns, axis=1) if columns else np.zeros((min(count, 1), 0), dtype=np.int32)
        if not len(rows):
            return 0
        new = 0
        for functor, chosen in self._by_functor(rows):
            new += self.part(relation, functor).table.add(chosen, self.terms.bits)[0]
        relation.count += new
        return new

    def _by_functor(self, rows: Array) -> list[tuple[int, Array]]:
        if rows.shape[1] == 0:
            return [(0, rows)]
        functors = self.terms.functor[rows[:, -1]]
        first = int(functors[0])
        if (functors == first).all():
            return [(first, rows)]
        return [(int(f), rows[functors == f]) for f in np.unique(functors)]

    def refs(self, relation: Relation, columns: Sequence[Array], count: int) -> Array:
        """References to atoms, -1 for those that are not there."""
        rows = np.stack(columns, axis=1) if columns else np.zeros((count, 0), dtype=np.int32)
        found = np.full(count, -1, dtype=np.int64)
        functors = self.terms.functor[rows[:, -1]] if rows.shape[1] else np.zeros(count, dtype=np.int32)
        for functor in np.unique(functors):
            part = relation.parts.get(int(functor))
            if part is None:
                continue
            mask = functors == functor
            at = part.table.find(rows[mask], self.terms.bits)
            found[mask] = np.where(at >= 0, (part.number << 32) | at, -1)
        return found


def _renamed(term: Term, names: dict[Variable, Variable]) -> Term:
    if isinstance(term, Variable):
        return names[term]
    if isinstance(term, tuple):
        return (term[0], *(_renamed(part, names) for part in term[1:]))
    return term


__all__ = ["Array", "Growing", "Relation", "Store", "Table", "Terms", "View", "common_keys", "distinct_rows", "pack"]
