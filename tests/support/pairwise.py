"""Pairwise covering: which of all combinations of three lists are tried when all of them would be too many."""

from __future__ import annotations

from collections.abc import Sequence


def covered(first: Sequence[str], second: Sequence[str], number: int, of: int) -> list[tuple[str, str]]:
    """Choose pairs for one of several tests, so that each pair occurs in one of these tests.

    Each item of the first list meets each of the second in one test, and with at least `of` items in the lists each
    item occurs in every test: a pairwise covering of first x second x test with 1 / `of` of the combinations.

    Args:
        first: items, such as generators.
        second: others, such as games.
        number: of the test, from 0.
        of: how many tests there are.

    >>> covered(["a", "b"], ["x", "y"], 0, 2), covered(["a", "b"], ["x", "y"], 1, 2)
    ([('a', 'x'), ('b', 'y')], [('a', 'y'), ('b', 'x')])
    """
    return [(one, other) for i, one in enumerate(first) for j, other in enumerate(second) if (i + j) % of == number]
