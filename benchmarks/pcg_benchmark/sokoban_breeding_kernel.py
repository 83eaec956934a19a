"""Trying Sokoban levels in compiled code until one is good and unlike those that are there.

A level is bred from one of the parents by moving, adding and taking away things in pairs, so that there are always one
player and as many boxes as goals. It is then solved as the benchmark solves it, and its plan compared with a table.
"""

from __future__ import annotations

import numpy as np

from benchmarks.pcg_benchmark.similarity_kernel import count_similar
from benchmarks.pcg_benchmark.sokoban_kernel import BOX, FLOOR, GOAL, PLAYER, SOLVED, WALL, level_at, plan_level
from pcg.engine.kernel.runtime import entry_point, inner, load8, store8, view_of

TRIAL = np.dtype(
    [
        ("level", "i8"),  # LEVEL of the solver
        ("plans", "i8"),  # PLAN_TABLE to be unlike
        ("height", "i8"),  # of a content, without the frame
        ("width", "i8"),
        ("parents", "i8"),  # int8[count * height * width]
        ("parent_count", "i8"),
        ("most_boxes", "i8"),
        ("wanted", "i8"),  # int8[most_boxes + 1]: whether a number of boxes is of use
        ("least_moves", "i8"),
        ("longest", "i8"),  # text of a plan
        ("limit", "i8"),  # how many of the plans it may be too like
        ("word", "i8"),  # state of the random numbers
        ("tries", "i8"),  # levels solved so far
        ("boxes", "i8"),  # of the level found
        ("alike", "i8"),  # how many of the plans it is too like
    ],
    align=True,
)

trial_at = view_of(TRIAL)


@inner
def _draw(trial: int, below: int) -> int:
    """A whole number from 0 to `below` - 1: Park and Miller's generator, its high bits mixed in."""
    t = trial_at(trial)
    t.word = t.word * 48271 % 2147483647
    return ((t.word >> 3) ^ (t.word << 7)) % below


@inner
def _cell(trial: int) -> int:
    """Place in the framed level of a cell drawn at random."""
    t = trial_at(trial)
    return (1 + _draw(trial, t.height)) * (t.width + 2) + 1 + _draw(trial, t.width)


@inner
def _put(trial: int, tile: int) -> int:
    """Put a thing on a cell without one; returns whether one was found."""
    v = level_at(trial_at(trial).level)
    for _ in range(40):
        cell = _cell(trial)
        if load8(v.tiles + cell) <= FLOOR:
            store8(v.tiles + cell, tile)
            return 1
    return 0


@inner
def _take(trial: int, tile: int) -> int:
    """Take away one thing of a kind, if chance finds one."""
    v = level_at(trial_at(trial).level)
    for _ in range(200):
        cell = _cell(trial)
        if load8(v.tiles + cell) == tile:
            store8(v.tiles + cell, FLOOR)
            return 1
    return 0


@inner
def _change(trial: int) -> None:
    """One change."""
    t = trial_at(trial)
    v = level_at(t.level)
    kind = _draw(trial, 12)
    if kind < 3:  # two cells change places
        one, other = _cell(trial), _cell(trial)
        held = load8(v.tiles + one)
        store8(v.tiles + one, load8(v.tiles + other))
        store8(v.tiles + other, held)
    elif kind < 7:  # a thing goes elsewhere
        tile = PLAYER + _draw(trial, 3)
        if _take(trial, tile):
            _put(trial, tile)
    elif kind < 10:  # a wall comes or goes
        cell = _cell(trial)
        tile = load8(v.tiles + cell)
        if tile <= FLOOR:
            store8(v.tiles + cell, FLOOR if tile == WALL else WALL)
    elif kind < 11:
        if _put(trial, BOX):
            _put(trial, GOAL)
    elif _take(trial, BOX):
        _take(trial, GOAL)


@inner
def _breed(trial: int) -> None:
    t = trial_at(trial)
    v = level_at(t.level)
    if t.parent_count == 0 or _draw(trial, 16) == 0:
        walls = _draw(trial, 8)
        for y in range(t.height):
            for x in range(t.width):
                store8(v.tiles + (y + 1) * v.width + x + 1, WALL if _draw(trial, 16) < walls else FLOOR)
        _put(trial, PLAYER)
        for _ in range(1 + _draw(trial, t.most_boxes)):
            _put(trial, BOX)
            _put(trial, GOAL)
        return
    source = t.parents + _draw(trial, t.parent_count) * t.height * t.width
    for y in range(t.height):
        for x in range(t.width):
            store8(v.tiles + (y + 1) * v.width + x + 1, load8(source + y * t.width + x))
    _change(trial)
    while _draw(trial, 5) < 3:
        _change(trial)


@inner
def _boxes(trial: int) -> int:
    """Number of boxes, or 0 when a solver need not be asked."""
    t = trial_at(trial)
    v = level_at(t.level)
    boxes = goals = players = 0
    for cell in range(v.height * v.width):
        tile = load8(v.tiles + cell)
        boxes += tile == BOX
        goals += tile == GOAL
        players += tile == PLAYER
    if players != 1 or boxes != goals or boxes > t.most_boxes:
        return 0
    return boxes if boxes > 0 and load8(t.wanted + boxes) else 0


@entry_point("i8(i8, i8)")
def explore(trial: int, tries: int) -> int:
    """Breed and solve levels until one is good and too like at most `limit` of the plans; 1 if found within `tries`."""
    t = trial_at(trial)
    v = level_at(t.level)
    for _ in range(tries):
        _breed(trial)
        t.boxes = _boxes(trial)
        if t.boxes == 0:
            continue
        t.tries += 1
        if plan_level(t.level) != SOLVED or v.length < t.least_moves:
            continue
        if v.text_length > t.longest:
            continue
        t.alike = count_similar(t.plans, v.text, v.text_length, t.limit)
        if t.alike <= t.limit:
            return 1
    return 0
