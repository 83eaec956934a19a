"""Differences of two state blocks of the same game and level, in words: fields of the header, groups, sprites."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise
from typing import Any

import numpy as np

from pcg.engine.arrays import sprite_record
from pcg.engine.context import Context
from pcg.engine.kernel import layout as L


def differences(context: Context, one: bytes, other: bytes, most: int = 8) -> list[str]:
    """Return the first fields that differ between the used parts of two state blocks, with both values.

    Args:
        context: the game on its level.
        one: a block up to the end of its sprites (`image.used_bytes`).
        other: another one.
        most: how many differences to return.
    """
    return list(islice(_differences(context, one, other), most))


def _differences(context: Context, one: bytes, other: bytes) -> Iterator[str]:
    heads = [np.frombuffer(block, L.STATE, 1) for block in (one, other)]
    yield from _fields("state", *heads)
    if heads[0]["at_sprites"] != heads[1]["at_sprites"]:
        yield "the blocks have different room, so only headers were compared"
        return
    names = context.tables.names
    groups = [np.frombuffer(block, L.GROUP, len(names), L.GROUPS_AT) for block in (one, other)]
    for k, name in enumerate(names):
        yield from _fields(f"group `{name}`", groups[0][k : k + 1], groups[1][k : k + 1])
    yield from _sections(heads[0], one, other)
    yield from _sprites(context, heads, one, other)


def _sections(head: Any, one: bytes, other: bytes) -> Iterator[str]:
    """Differences in the sections between groups and sprites, by byte."""
    starts = sorted((int(head[name][0]), name) for name in L.STATE.names or () if name.startswith("at_"))
    for (start, name), (end, _) in pairwise(starts):
        a, b = one[start:end], other[start:end]
        if name != "at_sprites" and a != b:
            first = next(k for k in range(len(a)) if a[k] != b[k])
            yield f"section `{name.removeprefix('at_')}` from byte {first} on"


def _sprites(context: Context, heads: list[Any], one: bytes, other: bytes) -> Iterator[str]:
    kind = sprite_record(context.tables.stride)
    count = min(int(head["slots"][0]) for head in heads)
    start = int(heads[0]["at_sprites"][0])
    sprites = [np.frombuffer(block, kind, count, start) for block in (one, other)]
    names = context.tables.names
    for k in range(count):
        type_id = int(sprites[0]["type"][k])
        name = names[type_id] if 0 <= type_id < len(names) else "?"
        yield from _fields(f"sprite in slot {k} (`{name}`)", sprites[0][k : k + 1], sprites[1][k : k + 1])


def _fields(what: str, a: Any, b: Any) -> Iterator[str]:
    """Differences between two records: bits count, so that -0.0 differs from 0.0 and equal NaNs are equal."""
    for name in a.dtype.names:
        if a[name].tobytes() != b[name].tobytes():
            yield f"{what}: {name} {a[name][0].item()!r} != {b[name][0].item()!r}"
