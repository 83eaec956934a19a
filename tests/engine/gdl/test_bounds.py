"""With bounds checks on, an index that leaves a table of a network is an error and not an access somewhere else.

Checks are frozen into compiled code, so the cases are played by another process, without the compiler.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SHEET = Path(__file__).resolve().parents[3] / "games" / "gdl" / "nim.kif"
PLAY = """
import json, sys
from pcg.engine.gdl import load

def play(sheet, table, how, number):
    game = load(sheet)
    tables = game.tables
    if table in tables._lane_literals:
        tables._lane_literals[table][0] = number
    elif table:
        array = next(a for a in tables._kept if a.ctypes.data == tables.game[0][table])
        array.reshape(-1)[len(array) // 2 :] = number
    if how == "state":
        state = game.start()
        while not state.is_over:
            state.advance([None] * game.players)
    else:
        game.playouts(70, seed=1, batched=how == "batched")
    return "played"

for case in json.loads(sys.argv[2]):
    try:
        print(play(sys.argv[1], *case))
    except Exception as error:
        print(repr(error))
"""
SOUND = [("", how, 0) for how in ("single", "batched", "state")]
FAULTY = [
    (table, how, number)
    for table, how in (
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
    )
    for number in (2**30, -(2**30))
]


@pytest.fixture(scope="module")
def results() -> dict[tuple[str, str, int], str]:
    """Results of each case."""
    cases = SOUND + FAULTY
    done = subprocess.run(
        [sys.executable, "-c", PLAY, str(SHEET), json.dumps(cases)],
        env={**os.environ, "PCG_KERNELS": "python", "PCG_BOUNDSCHECK": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return dict(zip(cases, done.stdout.splitlines(), strict=True))


@pytest.mark.parametrize("case", SOUND, ids=str)
def test_a_sound_network_is_played(case: tuple[str, str, int], results: dict[tuple[str, str, int], str]) -> None:
    assert results[case] == "played"


@pytest.mark.parametrize("case", FAULTY, ids=str)
def test_an_index_outside_its_table_is_an_error(
    case: tuple[str, str, int], results: dict[tuple[str, str, int], str]
) -> None:
    assert "outside the tables of a network" in results[case]
