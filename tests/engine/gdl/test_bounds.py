"""With bounds checks on, an index that leaves a table of a network is an error and not an access somewhere else.

Checks are frozen into compiled code, so each case has a process of its own, without the compiler.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SHEET = Path(__file__).resolve().parents[3] / "games" / "gdl" / "nim.kif"
PLAY = """
import sys
from pcg.engine.gdl import load

sheet, table, number, how = sys.argv[1:]
game = load(sheet)
tables = game.tables
if table in tables._lane_literals:
    tables._lane_literals[table][0] = int(number)
elif table:
    array = next(a for a in tables._kept if a.ctypes.data == tables.game[0][table])
    array.reshape(-1)[len(array) // 2 :] = int(number)
if how == "state":
    state = game.start()
    while not state.is_over:
        state.advance([None] * game.players)
else:
    game.playouts(70, seed=1, batched=how == "batched")
print("played")
"""


def play(table: str, number: int, how: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PLAY, str(SHEET), table, str(number), how],
        env={**os.environ, "PCG_KERNELS": "python", "PCG_BOUNDSCHECK": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize("how", ["single", "batched", "state"])
def test_a_sound_network_is_played(how: str) -> None:
    done = play("", 0, how)
    assert (done.returncode, done.stdout) == (0, "played\n"), done.stderr


@pytest.mark.parametrize(
    ("table", "how"),
    [
        ("readers", "single"),
        ("readers", "state"),
        ("outputs", "single"),
        ("outputs", "state"),
        ("fan", "single"),
        ("role_word", "single"),
        ("role_word", "state"),
        ("role_move", "single"),
        ("role_move", "batched"),
        ("start", "batched"),
        ("literals", "batched"),
        ("next_literals", "batched"),
        ("legal_literals", "batched"),
        ("goal_literals", "batched"),
        ("goal_role", "batched"),
    ],
)
@pytest.mark.parametrize("number", [2**30, -(2**30)])
def test_an_index_outside_its_table_is_an_error(table: str, how: str, number: int) -> None:
    done = play(table, number, how)
    assert done.returncode == 1, done.stderr
    assert "outside the tables of a network" in done.stderr.splitlines()[-1]
