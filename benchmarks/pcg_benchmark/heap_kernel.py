"""The binary heap of Python's `heapq` in compiled code: among entries of equal worth the same one comes first.

An entry is one word, its worth above the number of a node; only the worth is compared.
"""

from __future__ import annotations

from pcg.engine.kernel.runtime import inner, load64, store64

_NUMBER = 0xFFFFFFFF


@inner
def _sift_up(heap: int, at: int, entry: int) -> None:
    """Let an entry rise from a place of the heap, past those that it comes before."""
    worth = entry >> 32
    while at > 0:
        above = (at - 1) >> 1
        held = load64(heap + 8 * above)
        if worth >= held >> 32:
            break
        store64(heap + 8 * at, held)
        at = above
    store64(heap + 8 * at, entry)


@inner
def heap_push(heap: int, size: int, worth: int, number: int) -> int:
    """Add a node to a heap (int64[...]) of so many; returns how many there are now."""
    _sift_up(heap, size, worth * (1 << 32) + number)
    return size + 1


@inner
def heap_pop(heap: int, size: int) -> int:
    """Take the first node of so many: the last one takes its place, sinks along the lesser children, and rises."""
    last_place = size - 1
    last = load64(heap + 8 * last_place)
    if last_place == 0:
        return last & _NUMBER
    first = load64(heap)
    at = 0
    child = 1
    while child < last_place:
        held = load64(heap + 8 * child)
        if child + 1 < last_place:
            # either child may be the lesser one: adding what the comparison says is faster than a branch that guesses
            child += 1 if held >> 32 >= load64(heap + 8 * (child + 1)) >> 32 else 0
            held = load64(heap + 8 * child)
        store64(heap + 8 * at, held)
        at = child
        child = 2 * at + 1
    _sift_up(heap, at, last)
    return first & _NUMBER
