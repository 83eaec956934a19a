"""The cheapest assignment of things to places, by the Hungarian method with potentials (Kuhn 1955, Munkres 1957).

SciPy has it, too, but importing `scipy.optimize` takes more memory than all boards of a run.
"""

from __future__ import annotations

from collections.abc import Sequence

_UNKNOWN = 1 << 62


def least_total(price: Sequence[Sequence[int]]) -> int:
    """Return the least total price at which each thing gets a place of its own, or each place a thing.

    Args:
        price: for each thing that of each place; all less than 2**61.

    >>> least_total([[4, 1, 3], [2, 0, 5], [3, 2, 2]])
    5
    >>> least_total([[7], [2]]), least_total([])
    (2, 0)
    """
    if price and len(price) > len(price[0]):
        price = list(zip(*price, strict=True))
    places = len(price[0]) if price else 0
    of_thing, of_place = [0] * len(price), [0] * (places + 1)  # potentials; the last place is where a search begins
    holder = [-1] * (places + 1)
    for thing in range(len(price)):
        holder[places] = thing
        place, seen = places, [False] * (places + 1)
        slack, before = [_UNKNOWN] * places, [places] * places
        while holder[place] >= 0:
            seen[place] = True
            here = holder[place]
            for k in range(places):
                over = price[here][k] - of_thing[here] - of_place[k]
                if not seen[k] and over < slack[k]:
                    slack[k], before[k] = over, place
            nearest = min((k for k in range(places) if not seen[k]), key=slack.__getitem__)
            step = slack[nearest]
            for k in range(places + 1):
                if seen[k]:
                    of_thing[holder[k]] += step
                    of_place[k] -= step
                elif k < places:
                    slack[k] -= step
            place = nearest
        while place != places:
            holder[place], place = holder[before[place]], before[place]
    return sum(price[holder[k]][k] for k in range(places) if holder[k] >= 0)
