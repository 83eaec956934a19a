"""The digests of reference/digests 13: plays of 48 games, every sprite of every tick, each in one number."""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np
import pytest

from pcg.engine.game import load
from pcg.engine.kernel import layout as L
from pcg.engine.kernel.ids import ACTIONS
from pcg.engine.state import Outcome

ROOT = Path(__file__).resolve().parent.parent.parent


def read_digests() -> dict[tuple[str, str], tuple[int, int, list[int]]]:
    """(collection, game) -> (CRC-32, bytes, results) from the table of the reference."""
    found = {}
    for line in (ROOT / "docs" / "reference" / "digests.md").read_text().splitlines():
        cells = [c.strip() for c in line.strip("|").split("|")]
        if len(cells) == 7 and cells[2].isdigit():
            found[cells[0], cells[1]] = (int(cells[4], 16), int(cells[5]), [int(v) for v in cells[6].split()])
    return found


def game_path(shared: Path, collection: str, name: str) -> Path:
    return shared / "gvgai" / "games" / collection / f"{name}.txt"


def sprite_text(r) -> bytes:
    return b"%d:%d:%d:%d:%d:%d:%d:%d;" % (
        r["type"], r["id"], r["x"], r["y"], r["w"], r["h"], r["hp"], 1 if r["bits"] & L.DISABLED else 0,
    )  # fmt: skip


class Describer:
    """Text of all sprites, of which only those that changed since the last call are written anew."""

    FIELDS = ("id", "type", "x", "y", "w", "h", "hp", "bits")

    def __init__(self, state) -> None:
        self.state = state
        self.context = state.context
        self.texts: dict[tuple[int, int], bytes] = {}
        self.before = None
        self.alive = None

    def __call__(self) -> bytes:
        moving = self.context.moving(self.state.address)
        record = self.context._record[0]
        head = self.context.header(self.state.address)
        n = int(record["n_mortal"])
        at = self.state.address + int(head["at_alive"])
        import ctypes

        alive = np.frombuffer((ctypes.c_char * n).from_address(at), np.uint8).copy() if n else np.zeros(0, np.uint8)
        same = self.before is not None and len(self.before) == len(moving) and np.array_equal(alive, self.alive)
        if not same:
            self.texts = {(int(r["type"]), int(r["id"])): sprite_text(r) for _, r in self.state.records()}
        else:
            changed = np.zeros(len(moving), bool)
            for name in self.FIELDS:
                changed |= moving[name] != self.before[name]
            if (moving["id"] != self.before["id"]).any():
                self.texts = {(int(r["type"]), int(r["id"])): sprite_text(r) for _, r in self.state.records()}
            else:
                for i in np.flatnonzero(changed & (moving["id"] >= 0)):
                    self.texts[int(moving[i]["type"]), int(moving[i]["id"])] = sprite_text(moving[i])
        self.before, self.alive = moving.copy(), alive
        return b"".join(self.texts.values())


def with_nil(state, player: int) -> list[str]:
    names = state.actions if state.game.players == 1 else state.actions[player]
    return [*names, "NIL"]


def digest(path: Path) -> tuple[int, int, list[int]]:
    game = load(path)
    state = game.start(0, 1234)
    describe = Describer(state)
    crc = size = 0
    players = game.players

    def each(value):
        return [value] if players == 1 else list(value)

    def add(label: str) -> None:
        nonlocal crc, size
        scores = each(state.score)
        if label == "E":
            # the result is handled before the last line: a win with nothing scored counts 1 (reference/loop 3.10)
            scores = [
                1 if w is Outcome.PLAYER_WINS and s <= 0 else s for s, w in zip(scores, each(state.winner), strict=True)
            ]
        text = f"{label}|{','.join(str(int(s)) for s in scores)}|".encode() + describe() + b"\n"
        crc, size = zlib.crc32(text, crc), size + len(text)
        final.append([int(s) for s in scores])

    final: list[list[int]] = []
    while not state.is_over:
        tick = state.tick + 1
        avatars = each(state.avatar)
        if avatars[0] is not None and not avatars[0].disabled:
            add(str(tick))
        joint = []
        for p in range(players):
            names = with_nil(state, p)
            joint.append(ACTIONS.index(names[(7 * tick + 3 + 5 * p) % len(names)]))
        state.advance(joint if players > 1 else joint[0])
    add("E")
    result = []
    for p in range(players):
        result += [int(each(state.winner)[p]), final[-1][p], state.tick]
    return crc, size, result


DIGESTS = read_digests()


def test_the_table_of_the_reference_is_read_to_its_end():
    assert len(DIGESTS) == 48


@pytest.mark.parametrize(("collection", "name"), sorted(DIGESTS), ids=str)
def test_digest_equals_the_reference(shared, collection, name):
    assert digest(game_path(shared, collection, name)) == DIGESTS[collection, name]
