"""Designs of choices among several items: the set that a participant is shown next, and the order within it.

As the designs of pairs (`designs`), these are functions of the seed, the participant and the choices so far, and sets
that are out with somebody count as if they were on their way. A set is built item by item; all its items may stand
beside one another, and no participant gets a set twice. The order within a set is drawn by lot.

    balanced   items that stood beside those already in the set least often, of these the ones shown least often: sets
               as near to a balanced incomplete block design as the number of participants allows (Cochran, Cox:
               Experimental Designs, 1957, chapter 11)
    random     by lot; `full` is the same, up to every set that there is
    adaptive   items that add most to what the choice is expected to teach about the order of all pairs (`adaptive`),
               with the Fisher information diag(p) - p p' of Luce's model for the whole set
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from pcg.engine.vgdl.diagnostics import PcgError, did_you_mean
from pcg.evaluators.preferences.adaptive import DESIGNS, Belief
from pcg.evaluators.preferences.choices import Choice, ChoiceTable
from pcg.evaluators.preferences.davidson import Array, one_thread
from pcg.evaluators.preferences.designs import Pair, participant_words

EXPLORE, LEAST, WIDTH = 0.05, 2, 2.0
"""Share of balanced sets under adaptive, how often each item is shown before, and the prior's deviation."""
_TIELESS = -50.0


class SetDesign:
    """Chooses sets of items.

    Args:
        name: of the design, as of those of pairs.
        items: all items of the study.
        size: of a set.
        seed: equal seeds give equal sets.
        pairs: the pairs of items that may stand in one set, in any order; all without it.

    Raises:
        PcgError: for an unknown name, an item twice, and when no set can be made.

    >>> SetDesign("balanced", "abcdef", 4, seed=1).next_set("p1", [])
    ('d', 'a', 'e', 'b')
    """

    def __init__(
        self, name: str, items: Sequence[str], size: int, seed: int = 0, *, pairs: Iterable[Pair] | None = None
    ) -> None:
        if name not in DESIGNS:
            hint = did_you_mean(name, DESIGNS, f" (there are: {', '.join(DESIGNS)})")
            raise PcgError(f"no design `{name}`{hint}")
        self.name, self.items, self.size, self.seed = name, tuple(items), size, seed
        self._index = {item: k for k, item in enumerate(self.items)}
        if len(self._index) < len(self.items):
            raise PcgError("an item is there twice")
        n = len(self.items)
        self._beside = np.zeros((n, n), bool) if pairs is not None else ~np.eye(n, dtype=bool)
        for one, other in pairs or ():
            i, j = self._index[one], self._index[other]
            self._beside[i, j] = self._beside[j, i] = i != j
        if self.count(1) < 1:
            raise PcgError(f"there are no {size} items that may all be compared with one another")

    def count(self, most: int) -> int:
        """Return the number of different sets, counted up to `most`."""
        return len(list(islice(self._sets([]), most)))

    def can_show(self, item: str) -> bool:
        """Return True if there is a set with an item."""
        return next(self._sets([self._index[item]]), None) is not None

    def _sets(self, begun: list[int], above: int = -1) -> Iterator[frozenset[int]]:
        """All sets with these items; those added are in the order of the items."""
        if len(begun) == self.size:
            yield frozenset(begun)
            return
        for k in np.flatnonzero(self._open(begun)).tolist():
            if k > above:
                yield from self._sets([*begun, k], k)

    def _open(self, begun: Sequence[int]) -> NDArray[np.bool_]:
        """True for the items that may stand beside all of these."""
        return np.asarray(self._beside[list(begun)].all(axis=0))

    def next_set(
        self, participant: str, choices: Sequence[Choice], *, pending: Iterable[tuple[str, Sequence[str]]] = ()
    ) -> tuple[str, ...] | None:
        """Return the next set for a participant in the order of display; None when they have seen all.

        Args:
            participant: id.
            choices: all choices so far, of everybody, in any order; those with unknown items do not count.
            pending: sets that are out with somebody: participant and items.
        """
        known = [c for c in choices if all(i in self._index for i in c.items)]
        out = [(who, [self._index[i] for i in s]) for who, s in pending if all(i in self._index for i in s)]
        shown = [(c.participant, [self._index[i] for i in c.items]) for c in known] + out
        n = len(self.items)
        together, own = np.zeros((n, n)), np.zeros(n)
        for who, members in shown:
            together[np.ix_(members, members)] += 1
            own[members] += who == participant
        seen = {frozenset(members) for who, members in shown if who == participant}
        rng = np.random.default_rng([self.seed, 5, *participant_words(participant), len(seen)])
        lots = rng.random(n)
        begun: list[int] = []
        if self.name == "adaptive" and together.diagonal().min() >= LEAST and rng.random() >= EXPLORE:
            gains = _Gains(known, self.items, [members for _, members in out])
            options = np.argwhere(np.triu(self._beside)).tolist()
            begun = self._first([options[k] for k in np.argsort(-gains.of(options), kind="stable")], seen)
            while 0 < len(begun) < self.size:
                options = [[*begun, k] for k in np.flatnonzero(self._open(begun)).tolist()]
                begun = self._first([options[k] for k in np.argsort(-gains.of(options), kind="stable")], seen)
        else:
            while len(begun) < self.size and (len(begun) > 0 or self._leads_on([], seen)):
                left = np.flatnonzero(self._open(begun))
                order: tuple[Array, ...] = (lots[left],)
                if self.name in ("balanced", "adaptive"):
                    beside = together[left][:, begun].sum(axis=1)
                    order = (lots[left], own[left], together.diagonal()[left], beside)
                begun = self._first([[*begun, k] for k in left[np.lexsort(order)].tolist()], seen)
        return tuple(self.items[k] for k in rng.permutation(begun).tolist()) if begun else None

    def _first(self, options: Iterable[list[int]], seen: set[frozenset[int]]) -> list[int]:
        """Return the first of these beginnings that leads to a set that the participant has not seen."""
        return next((one for one in options if self._leads_on(one, seen)), [])

    def _leads_on(self, begun: list[int], seen: set[frozenset[int]]) -> bool:
        """Return True if there is a set with these items that the participant has not seen."""
        return any(found not in seen for found in islice(self._sets(begun), len(seen) + 1))


class _Gains:
    """Expected information of sets about the order of all pairs of items, from the choices so far.

    Args:
        choices: so far.
        items: of the study.
        out: sets that are on their way, whose expected information is taken as had.
    """

    def __init__(self, choices: Sequence[Choice], items: Sequence[str], out: Iterable[list[int]]) -> None:
        with one_thread():
            fitted = ChoiceTable(choices, items).fit(WIDTH)
            self.theta = fitted.theta
            covariance = np.asarray(np.linalg.inv(fitted.information), np.float64)
            for members in out:
                across, information = covariance[:, members], self._information(np.array([members]))[0]
                inner = np.eye(len(members)) + covariance[np.ix_(members, members)] @ information
                covariance = covariance - across @ information @ np.linalg.solve(inner, across.T)
            belief = Belief(self.theta, covariance, _TIELESS, *np.triu_indices(len(items), 1))
            belief.weigh_orders()
        self.covariance, self.spread = covariance, belief.spread

    def _information(self, sets: NDArray[np.intp]) -> Array:
        """Fisher information of a choice from each set about the utilities of its members, (sets, size, size)."""
        strength = self.theta[sets]
        share = np.exp(strength - strength.max(axis=1, keepdims=True))
        share /= share.sum(axis=1, keepdims=True)
        return np.asarray(share[:, :, None] * np.eye(sets.shape[1]) - share[:, :, None] * share[:, None, :])

    def of(self, sets: Sequence[Sequence[int]]) -> Array:
        """Return the gain of each of several sets of one size, in nats, (sets,)."""
        members = np.array(sets, np.intp)
        rows, columns = members[:, :, None], members[:, None, :]
        information = self._information(members)
        inner = np.eye(members.shape[1]) + self.covariance[rows, columns] @ information
        weighted = self.spread[rows, columns] @ information @ np.linalg.inv(inner)
        return np.asarray(np.trace(weighted, axis1=1, axis2=2))
