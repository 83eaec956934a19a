"""Wave function collapse in compiled code: observe, propagate, and take back.

The wave is a grid of cells, each with the patterns it may still become. Observing a cell settles it; propagation bans
what no neighbour supports any more, by counting supports as in the arc-consistency algorithm AC-4 (Mohr and Henderson
1986). Every ban is written on a trail, so that a contradiction is undone back to the latest decision, whose choice is
then banned as well. What patterns are and which may stand side by side is none of this module's business.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.exponents import logarithm
from pcg.engine.kernel.runtime import (
    entry_point,
    inner,
    load8,
    load16,
    load32,
    load_double,
    store8,
    store16,
    store32,
    store_double,
    view_of,
)

SOLVED, IMPOSSIBLE, GAVE_UP = range(3)
"""Results of `collapse`: every cell settled, no way to settle them all, or too many decisions taken back."""

WAVE = np.dtype(
    [
        ("height", "i8"),
        ("width", "i8"),
        ("patterns", "i8"),
        ("weight", "i8"),  # double[patterns]: how often each was seen
        ("surprise", "i8"),  # double[patterns]: weight * log(weight)
        ("unique", "i8"),  # int8[patterns]: 1 if at most one cell may settle on a pattern so marked
        ("first", "i8"),  # int32[4 * patterns + 1]: where the list of each (direction, pattern) begins in `beside`
        ("beside", "i8"),  # int32[]: the patterns that may stand above, right, below, left of a pattern
        ("start", "i8"),  # int8[cells * patterns]: what each cell may become to begin with
        ("noise", "i8"),  # double[cells]: breaks ties between cells
        ("draws", "i8"),  # double[drawn]: uniform numbers in [0, 1), used in turn
        ("drawn", "i8"),
        ("patience", "i8"),  # decisions that may be taken back
        ("open", "i8"),  # int8[cells * patterns]: what each cell may still become
        ("left", "i8"),  # int32[cells]: how many patterns that is
        ("sum", "i8"),  # double[cells]: their weights
        ("sum_surprise", "i8"),  # double[cells]
        ("support", "i8"),  # int16[cells * patterns * 4]: patterns of the neighbour in a direction that allow this one
        ("trail", "i8"),  # int32[cells * patterns]: bans in order, as cell * patterns + pattern
        ("marks", "i8"),  # int32[2 * cells]: of each decision, the length of the trail before it and what was chosen
        ("banned", "i8"),  # length of the trail
        ("spread", "i8"),  # how much of it has been propagated
        ("broken", "i8"),  # whether some cell has nothing left
        ("taken_back", "i8"),
    ],
    align=True,
)

wave_at = view_of(WAVE)


@inner
def _neighbour(wave: int, cell: int, direction: int) -> int:
    """The cell above (0), right (1), below (2) or left (3) of a cell; -1 beyond the edge."""
    w = wave_at(wave)
    x = cell % w.width
    if direction == 0:
        return cell - w.width if cell >= w.width else -1
    if direction == 1:
        return cell + 1 if x + 1 < w.width else -1
    if direction == 2:
        return cell + w.width if cell + w.width < w.height * w.width else -1
    return cell - 1 if x > 0 else -1


@inner
def _ban(wave: int, cell: int, pattern: int) -> None:
    """Take a pattern away from a cell."""
    w = wave_at(wave)
    place = cell * w.patterns + pattern
    if load8(w.open + place) == 0:
        return
    store8(w.open + place, 0)
    store32(w.trail + 4 * w.banned, place)
    w.banned = w.banned + 1
    left = load32(w.left + 4 * cell) - 1
    store32(w.left + 4 * cell, left)
    store_double(w.sum + 8 * cell, load_double(w.sum + 8 * cell) - load_double(w.weight + 8 * pattern))
    store_double(
        w.sum_surprise + 8 * cell, load_double(w.sum_surprise + 8 * cell) - load_double(w.surprise + 8 * pattern)
    )
    if left == 0:
        w.broken = 1


@inner
def _keep_unique(wave: int, cell: int) -> None:
    """If a cell has just settled on a unique pattern, ban the unique patterns everywhere else."""
    w = wave_at(wave)
    for pattern in range(w.patterns):
        if load8(w.open + cell * w.patterns + pattern) != 0:
            if load8(w.unique + pattern) == 0:
                return
            break
    for pattern in range(w.patterns):
        if load8(w.unique + pattern) != 0:
            for other in range(w.height * w.width):
                if other != cell:
                    _ban(wave, other, pattern)


@inner
def _propagate(wave: int) -> None:
    """Ban what has lost its support, until nothing changes or a cell has nothing left."""
    w = wave_at(wave)
    while w.spread < w.banned and w.broken == 0:
        place = load32(w.trail + 4 * w.spread)
        w.spread = w.spread + 1
        cell = place // w.patterns
        pattern = place - cell * w.patterns
        for direction in range(4):
            other = _neighbour(wave, cell, direction)
            if other < 0:
                continue
            entry = direction * w.patterns + pattern
            back = (direction + 2) % 4
            for at in range(load32(w.first + 4 * entry), load32(w.first + 4 * entry + 4)):
                allowed = load32(w.beside + 4 * at)
                counter = w.support + 2 * ((other * w.patterns + allowed) * 4 + back)
                support = load16(counter) - 1
                store16(counter, support)
                if support == 0:
                    _ban(wave, other, allowed)
        if load32(w.left + 4 * cell) == 1:
            _keep_unique(wave, cell)


@inner
def _take_back(wave: int, mark: int) -> None:
    """Undo all bans beyond the first `mark`."""
    w = wave_at(wave)
    while w.banned > mark:
        w.banned = w.banned - 1
        place = load32(w.trail + 4 * w.banned)
        cell = place // w.patterns
        pattern = place - cell * w.patterns
        store8(w.open + place, 1)
        store32(w.left + 4 * cell, load32(w.left + 4 * cell) + 1)
        store_double(w.sum + 8 * cell, load_double(w.sum + 8 * cell) + load_double(w.weight + 8 * pattern))
        store_double(
            w.sum_surprise + 8 * cell, load_double(w.sum_surprise + 8 * cell) + load_double(w.surprise + 8 * pattern)
        )
        if w.banned < w.spread:
            for direction in range(4):
                other = _neighbour(wave, cell, direction)
                if other < 0:
                    continue
                entry = direction * w.patterns + pattern
                back = (direction + 2) % 4
                for at in range(load32(w.first + 4 * entry), load32(w.first + 4 * entry + 4)):
                    counter = w.support + 2 * ((other * w.patterns + load32(w.beside + 4 * at)) * 4 + back)
                    store16(counter, load16(counter) + 1)
    if w.spread > mark:
        w.spread = mark
    w.broken = 0


@inner
def _begin(wave: int) -> None:
    """Everything open, all supports there; then ban what the start rules out or nothing supports."""
    w = wave_at(wave)
    patterns = w.patterns
    total, surprise = 0.0, 0.0
    for pattern in range(patterns):
        total += load_double(w.weight + 8 * pattern)
        surprise += load_double(w.surprise + 8 * pattern)
    for cell in range(w.height * w.width):
        store32(w.left + 4 * cell, patterns)
        store_double(w.sum + 8 * cell, total)
        store_double(w.sum_surprise + 8 * cell, surprise)
        for pattern in range(patterns):
            store8(w.open + cell * patterns + pattern, 1)
            for direction in range(4):
                # In a direction, as many patterns support this one as may stand beside it there.
                entry = direction * patterns + pattern
                number = load32(w.first + 4 * entry + 4) - load32(w.first + 4 * entry)
                store16(w.support + 2 * ((cell * patterns + pattern) * 4 + direction), number)
    w.banned, w.spread, w.broken, w.taken_back = 0, 0, 0, 0
    for cell in range(w.height * w.width):
        for pattern in range(patterns):
            lost = load8(w.start + cell * patterns + pattern) == 0
            for direction in range(4):
                if _neighbour(wave, cell, direction) >= 0:
                    entry = direction * patterns + pattern
                    if load32(w.first + 4 * entry + 4) == load32(w.first + 4 * entry):
                        lost = True
            if lost:
                _ban(wave, cell, pattern)
    if patterns == 1:
        _keep_unique(wave, 0)


@inner
def _most_certain(wave: int) -> int:
    """The unsettled cell with the least entropy; -1 when all are settled."""
    w = wave_at(wave)
    best, least = -1, 0.0
    for cell in range(w.height * w.width):
        if load32(w.left + 4 * cell) > 1:
            total = load_double(w.sum + 8 * cell)
            entropy = logarithm(total) - load_double(w.sum_surprise + 8 * cell) / total
            entropy += load_double(w.noise + 8 * cell)
            if best < 0 or entropy < least:
                best, least = cell, entropy
    return best


@inner
def _drawn_pattern(wave: int, cell: int, number: float) -> int:
    """One of a cell's patterns by weight; `number` is uniform in [0, 1)."""
    w = wave_at(wave)
    rest = number * load_double(w.sum + 8 * cell)
    chosen = -1
    for pattern in range(w.patterns):
        if load8(w.open + cell * w.patterns + pattern) != 0:
            chosen = pattern
            rest -= load_double(w.weight + 8 * pattern)
            if rest < 0.0:
                break
    return chosen


@entry_point("i8(i8)")
def collapse(wave: int) -> int:
    """Settle every cell of the wave; returns SOLVED, IMPOSSIBLE or GAVE_UP."""
    w = wave_at(wave)
    _begin(wave)
    _propagate(wave)
    if w.broken != 0:
        return IMPOSSIBLE
    decisions, used = 0, 0
    while True:
        cell = _most_certain(wave)
        if cell < 0:
            return SOLVED
        chosen = _drawn_pattern(wave, cell, load_double(w.draws + 8 * (used % w.drawn)))
        used += 1
        store32(w.marks + 8 * decisions, w.banned)
        store32(w.marks + 8 * decisions + 4, cell * w.patterns + chosen)
        decisions += 1
        for pattern in range(w.patterns):
            if pattern != chosen:
                _ban(wave, cell, pattern)
        _propagate(wave)
        while w.broken != 0:
            if decisions == 0:
                return IMPOSSIBLE
            if w.taken_back >= w.patience:
                return GAVE_UP
            decisions -= 1
            w.taken_back = w.taken_back + 1
            _take_back(wave, load32(w.marks + 8 * decisions))
            place = load32(w.marks + 8 * decisions + 4)
            _ban(wave, place // w.patterns, place % w.patterns)
            _propagate(wave)
