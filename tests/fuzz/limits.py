"""Bounds of the kernel, and smaller bounds for plain Python, in which a million executions take a minute."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

from pcg.engine import state
from pcg.engine.kernel import bounds


@dataclass(frozen=True)
class Limits:
    """Sprites that the count allows, moving sprites that there can be, and work of one tick."""

    sprites: int
    moving: int
    work: int


REAL = Limits(bounds.MAX_SPRITES, bounds.MAX_MOVING, bounds.MAX_WORK)
SMALL = Limits(sprites=150, moving=200, work=3_000)


def shrink(put: Callable[[ModuleType, str, int], None] = setattr) -> Limits:
    """Put the small bounds in place of the real ones, wherever a kernel has taken them; only without the compiler."""
    values = {"MAX_SPRITES": SMALL.sprites, "MAX_MOVING": SMALL.moving, "MAX_WORK": SMALL.work, "MAX_ROOM": 256}
    kernels = [module for name, module in sys.modules.items() if name.startswith("pcg.engine.kernel.")]
    for module in [*kernels, state]:
        for name, value in values.items():
            if hasattr(module, name):
                put(module, name, value)
    return SMALL
