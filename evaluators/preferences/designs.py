"""Designs of comparisons: the pair that a participant is shown next, and the order of the two.

A design is a function of the seed, the participant and the votes so far: it keeps nothing between calls, so that
several server processes agree, and a study goes on after a crash as if nothing had happened. Pairs that are out with
somebody (`pending`) count as if they were on their way, so that participants who come at the same moment are not all
sent the same pair. Every design puts that item of a pair first which has been first less often, and draws lots where
that is even; the order of the pairs of one call is shuffled.

`adaptive` is in `pcg.evaluators.preferences.adaptive`.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from pcg.engine.vgdl.diagnostics import PcgError, did_you_mean
from pcg.evaluators.preferences.votes import FOUR_WAY, PairCounts, Vote, cells_of, pair_items, preferences

Pair = tuple[str, str]
"""(item shown first, item shown second)."""
Pending = tuple[str, str, str]
"""(participant, item shown first, item shown second)."""


class Tally:
    """Votes counted as designs need them; grows by one vote at a time, or by many.

    Args:
        items: of the study; votes about others are not counted.
        question: see `preferences`.

    >>> tally = Tally(["a", "b", "c"])
    >>> tally.add([Vote("p1", "b", "a", "both")])
    >>> tally.judged("p1").tolist(), tally.shown.tolist()
    ([1, 0, 0], [1, 0, 0])
    """

    def __init__(self, items: Sequence[str], question: str | None = None) -> None:
        self.items = tuple(items)
        self.question = question
        n = len(self.items)
        self._index = {item: k for k, item in enumerate(self.items)}
        self.shown = np.zeros(n * (n - 1) // 2, np.int64)
        """Number of times each pair was shown, in the order (0, 1), (0, 2), ..."""
        self.order = np.zeros_like(self.shown)
        """Excess of times that the first of the two items in `items` was shown first."""
        self._cells = np.zeros((len(self.shown), 2 * len(FOUR_WAY)), np.int64)
        self._own: dict[str, list[int]] = {}

    def add(self, votes: Iterable[Vote]) -> None:
        """Count more votes."""
        chosen = preferences(votes, self.question)
        chosen = [v for v in chosen if v.first in self._index and v.second in self._index]
        if not chosen:
            return
        pair, cell = cells_of(chosen, self.items)
        np.add.at(self._cells, (pair, cell), 1)
        np.add.at(self.shown, pair, 1)
        np.add.at(self.order, pair, np.where(cell < len(FOUR_WAY), 1, -1))
        for vote, one in zip(chosen, pair.tolist(), strict=True):
            self._own.setdefault(vote.participant, []).append(one)

    def judged(self, participant: str) -> NDArray[np.int64]:
        """Number of times the participant was shown each pair."""
        return np.bincount(np.array(self._own.get(participant, []), np.intp), minlength=len(self.shown))

    def counts(self) -> PairCounts:
        """The votes of the pairs that were answered."""
        pairs = np.flatnonzero(self.shown)
        one, two = pair_items(pairs, len(self.items))
        return PairCounts(self.items, one, two, self._cells[pairs].reshape(-1, 2, len(FOUR_WAY)).astype(np.float64))


@dataclass(slots=True)
class Table:
    """The state that a design chooses from: the votes, and the pairs that are out on top of them."""

    tally: Tally
    out: NDArray[np.intp]
    """Numbers of the pairs that are out."""
    shown: NDArray[np.int64]
    """Number of times each pair was shown."""
    order: NDArray[np.int64]
    """Excess of times that its first item was shown first."""
    own: NDArray[np.int64]
    """Number of times the participant was shown it."""
    free: NDArray[np.bool_]
    """True where it may be chosen now."""

    def take(self, pair: int) -> None:
        """Note that a pair was chosen."""
        self.free[pair] = False
        self.shown[pair] += 1
        self.own[pair] += 1


class Design(ABC):
    """Chooses pairs.

    Args:
        items: all items of the study, two or more.
        seed: equal seeds give equal pairs.
        pairs: the pairs that may be shown, in any order of the two items; all without it. See `pairs_between`.
        question: whose votes count; see `preferences`.

    Raises:
        PcgError: for fewer than two items, an item twice, or pairs with an unknown item.
    """

    name: ClassVar[str]
    help: ClassVar[str]

    def __init__(
        self,
        items: Sequence[str],
        seed: int = 0,
        *,
        pairs: Iterable[Pair] | None = None,
        question: str | None = None,
    ) -> None:
        self.items, self.seed, self.question = tuple(items), seed, question
        if len(set(self.items)) < len(self.items):
            twice = next(item for item in self.items if self.items.count(item) > 1)
            raise PcgError(f"the item `{twice}` is there twice")
        if len(self.items) < 2:
            raise PcgError(f"a design of pairs needs two items or more, there are {len(self.items)}")
        self.one, self.two = np.triu_indices(len(self.items), 1)
        self.allowed = np.ones(len(self.one), bool) if pairs is None else self._allowed(pairs)
        if not self.allowed.any():
            raise PcgError("a design of pairs needs at least one pair that may be shown")
        self.place = _schedule(len(self.items), np.random.default_rng([seed, 1]))

    def _allowed(self, pairs: Iterable[Pair]) -> NDArray[np.bool_]:
        index = {item: k for k, item in enumerate(self.items)}
        allowed = np.zeros(len(self.one), bool)
        for pair in pairs:
            for item in pair:
                if item not in index:
                    raise PcgError(f"no item `{item}`" + did_you_mean(item, index))
            i, j = sorted(index[item] for item in pair)
            if i == j:
                raise PcgError(f"the pair of `{pair[0]}` with itself cannot be shown")
            allowed[i * len(self.items) - i * (i + 1) // 2 + j - i - 1] = True
        return allowed

    @property
    def pairs(self) -> int:
        """Number of pairs."""
        return int(self.allowed.sum())

    def next_pairs(
        self, participant: str, votes: Sequence[Vote] | Tally, n: int = 1, *, pending: Iterable[Pending] = ()
    ) -> list[Pair]:
        """The next pairs for a participant, none of which they were shown before.

        Args:
            participant: id.
            votes: all votes so far, of everybody, in any order; or a tally of them, which is not changed.
            n: how many pairs.
            pending: pairs that are out with somebody and not answered yet, of this participant too.

        Returns:
            (item shown first, item shown second); fewer than `n` when the participant has seen all the others.
        """
        if isinstance(votes, Tally):
            tally = votes
        else:
            tally = Tally(self.items, self.question)
            tally.add(votes)
        table = self._table(participant, tally, pending)
        rng = np.random.default_rng([self.seed, 2, *participant_words(participant), int(table.own.sum())])
        count = min(n, int(table.free.sum()))
        chosen = self._choose(table, count, rng) if count > 0 else []
        return self._turned([chosen[k] for k in rng.permutation(len(chosen))], table.order, rng)

    def _table(self, participant: str, tally: Tally, pending: Iterable[Pending]) -> Table:
        known = set(self.items)
        sent = [Vote(*one, "first") for one in pending if one[1] in known and one[2] in known]
        out, cell = cells_of(sent, self.items)
        shown, order, own = tally.shown.copy(), tally.order.copy(), tally.judged(participant)
        np.add.at(shown, out, 1)
        np.add.at(order, out, np.where(cell < len(FOUR_WAY), 1, -1))
        np.add.at(own, out[[vote.participant == participant for vote in sent]], 1)
        return Table(tally, out, shown, order, own, self.allowed & (own == 0))

    @abstractmethod
    def _choose(self, table: Table, n: int, rng: np.random.Generator) -> list[int]:
        """Numbers of `n` different pairs that are free; there are enough. May change the table."""

    def _balanced(self, table: Table, free: NDArray[np.bool_]) -> int:
        """Of the pairs shown least often that whose items the participant knows least, then by the schedule."""
        candidates = np.flatnonzero(free)
        shown = table.shown[candidates]
        candidates = candidates[shown == shown.min()]
        n, own = len(self.items), table.own
        seen = np.bincount(self.one, own, n) + np.bincount(self.two, own, n)
        known = seen[self.one[candidates]] + seen[self.two[candidates]]
        candidates = candidates[known == known.min()]
        return int(candidates[self.place[candidates].argmin()])

    def _turned(self, chosen: Sequence[int], order: NDArray[np.int64], rng: np.random.Generator) -> list[Pair]:
        """The pairs with the item first that has been first less often: in this pair, then in all."""
        n = len(self.items)
        lead = np.bincount(self.one, order, n) - np.bincount(self.two, order, n)
        found = []
        for pair in chosen:
            i, j = int(self.one[pair]), int(self.two[pair])
            balance = int(order[pair]) or int(lead[i] - lead[j])
            if balance > 0 or (balance == 0 and rng.random() < 0.5):
                i, j = j, i
            lead[i] += 1
            lead[j] -= 1
            found.append((self.items[i], self.items[j]))
        return found


class Full(Design):
    """Every participant judges every pair, each in an order of their own; who stops early saw a random part."""

    name = "full"
    help = "every participant judges every pair"

    def _choose(self, table: Table, n: int, rng: np.random.Generator) -> list[int]:
        return [int(k) for k in rng.choice(np.flatnonzero(table.free), n, replace=False)]


class Balanced(Design):
    """Incomplete blocks, balanced: a participant judges some pairs, and all pairs are judged equally often.

    Of the pairs shown least often, those come next whose items the participant has seen least, in the order of a
    round-robin schedule (each round has every item once). While votes come in for all pairs that are shown, the
    numbers of two pairs never differ by more than one; after a drop-out the gap is filled first. This is a balanced
    incomplete block design with blocks of two items, handed out so that each participant's share of it is balanced too
    (David: The Method of Paired Comparisons, 1988, chapter 5).
    """

    name = "balanced"
    help = "all pairs are judged equally often, some by each participant (balanced incomplete blocks)"

    def _choose(self, table: Table, n: int, rng: np.random.Generator) -> list[int]:
        chosen = []
        for _ in range(n):
            chosen.append(self._balanced(table, table.free))
            table.take(chosen[-1])
        return chosen


class Random(Design):
    """Pairs by lot, without regard to what was judged already."""

    name = "random"
    help = "pairs by lot"

    def _choose(self, table: Table, n: int, rng: np.random.Generator) -> list[int]:
        return [int(k) for k in rng.choice(np.flatnonzero(table.free), n, replace=False)]


def pairs_between(groups: Mapping[str, str], within: Mapping[str, str] | None = None) -> list[Pair]:
    """The pairs of items of different groups, as when generators compete.

    Args:
        groups: item -> group.
        within: item -> what both items of a pair must have in common, such as the game.

    >>> pairs_between({"a1": "a", "a2": "a", "b1": "b"})
    [('a1', 'b1'), ('a2', 'b1')]
    """
    items = list(groups)
    return [
        (one, two)
        for k, one in enumerate(items)
        for two in items[k + 1 :]
        if groups[one] != groups[two] and (within is None or within[one] == within[two])
    ]


def participant_words(text: str) -> list[int]:
    """Return four words of 32 bits from an id, for seeds."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return [int.from_bytes(digest[k : k + 4], "big") for k in range(0, 16, 4)]


def _schedule(n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """The place of each pair in a round robin of shuffled items (circle method), shape (pairs,)."""
    names = rng.permutation(n).tolist()
    ring = names if n % 2 == 0 else [*names, -1]
    place = np.zeros(n * (n - 1) // 2, np.int64)
    at = 0
    for _ in range(len(ring) - 1):
        for k in range(len(ring) // 2):
            i, j = sorted((ring[k], ring[-1 - k]))
            if i >= 0:
                place[i * n - i * (i + 1) // 2 + j - i - 1] = at
                at += 1
        ring = [ring[0], ring[-1], *ring[1:-1]]
    return place
