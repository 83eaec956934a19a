"""Replaying traces: the corpus replays exactly, and a difference is found, named and placed."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from texts import PUSH, PUSH_LEVEL, game

from pcg.engine.conformance import find_traces, read_trace, replay, replay_game
from pcg.engine.vgdl.diagnostics import PcgError

ACTIONS = ["RIGHT", "RIGHT", "DOWN", "LEFT", "UP", "NIL", "RIGHT"]


def write_trace(path: Path, lines: list[dict]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="ascii") as stream:
        stream.writelines(json.dumps(line) + "\n" for line in lines)
    return path


@pytest.fixture
def recorded(tmp_path):
    """A trace of our own play, as the engine itself emits it."""
    push = game(PUSH, PUSH_LEVEL)
    bare = [{"format": 1, "game": "x/push", "level": 0, "seed": 3, "aux_seed": 4}]
    bare += [{"t": -1}] + [{"t": t, "a": [f"ACTION_{a}"]} for t, a in enumerate(ACTIONS)]
    path = write_trace(tmp_path / "bare.jsonl.gz", bare)
    replay(push, path, emit=tmp_path / "traces" / "x" / "push" / "lvl0_own.jsonl.gz")
    return push, tmp_path / "traces" / "x" / "push" / "lvl0_own.jsonl.gz"


def test_an_emitted_trace_replays_without_a_difference(recorded):
    push, path = recorded
    result = replay(push, path)
    assert result.ok and result.ticks == len(ACTIONS)


def test_emitting_twice_gives_the_same_bytes(recorded, tmp_path):
    push, path = recorded
    replay(push, path, emit=tmp_path / "again.jsonl.gz")
    assert (tmp_path / "again.jsonl.gz").read_bytes() == path.read_bytes()


def test_an_emitted_trace_has_what_independent_programs_need(recorded):
    _, path = recorded
    header, start, *ticks = read_trace(path)
    assert {"players", "seed", "width", "height", "block_size", "types"} <= header.keys()
    assert {"t", "score", "win", "rng", "s"} <= start.keys()
    for tick in ticks:
        assert {"t", "a", "score", "win", "ended", "rng", "d", "k", "counters"} <= tick.keys()


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("score", lambda line: line.update(score=[5])),
        ("rng", lambda line: line.update(rng=line["rng"] + 1)),
        ("win", lambda line: line.update(win=["PLAYER_WINS"])),
        ("ended", lambda line: line.update(ended=True)),
        ("k", lambda line: line.update(k=[7])),
        ("d", lambda line: line.update(d=[[*line["d"][0][:2], 999, *line["d"][0][3:]]] if line["d"] else [[1]])),
        ("d", lambda line: line.update(d=[])),
        ("counters", lambda line: line.update(counters=[1])),
    ],
)
def test_any_changed_field_is_found_at_its_tick(recorded, tmp_path, field, change):
    push, path = recorded
    lines = list(read_trace(path))
    if field == "ended":
        # a game that ends without a winner counts as stopped by the reference's message limit
        lines[4]["win"] = lines[4]["win"]
    change(lines[3])
    result = replay(push, write_trace(tmp_path / "changed.jsonl.gz", lines))
    if field == "ended":
        assert result.ok and result.ticks == 1
    else:
        assert not result.ok
        assert (result.difference.tick, result.difference.field) == (1, field)


def test_another_initial_state_is_found_before_the_first_tick(recorded, tmp_path):
    push, path = recorded
    lines = list(read_trace(path))
    lines[1]["s"][0][2] += 1
    result = replay(push, write_trace(tmp_path / "changed.jsonl.gz", lines))
    assert (result.difference.tick, result.difference.field) == (-1, "s")


def test_files_that_are_no_traces_are_refused(tmp_path):
    (tmp_path / "a.jsonl.gz").write_bytes(b"not gzip")
    with pytest.raises(PcgError):
        list(read_trace(tmp_path / "a.jsonl.gz"))
    with pytest.raises(PcgError, match="not a JSON line"):
        list(read_trace(_gz(tmp_path / "b.jsonl.gz", b"{oops\n")))
    with pytest.raises(PcgError, match="no such folder"):
        find_traces(tmp_path / "nowhere")
    with pytest.raises(PcgError, match="match nothing"):
        find_traces(tmp_path, "nothing")


def _gz(path: Path, data: bytes) -> Path:
    path.write_bytes(gzip.compress(data))
    return path


def test_a_trace_without_its_game_is_an_error_not_a_crash(recorded, tmp_path):
    _, path = recorded
    traces = path.parents[2]
    (result,) = replay_game(tmp_path / "games", traces, [path.relative_to(traces)])
    assert not result.ok and "no such game file" in result.error


PLAYS = [
    "gridphysics/aliens/lvl0_random", "gridphysics/boulderdash/lvl1_sticky", "gridphysics/pacman/lvl0_random",
    "gridphysics/digdug/lvl0_random", "contphysics/mario/lvl0_sticky", "contphysics/arkanoid/lvl0_random",
    "2player/klax/lvl0_random", "2player/mimic/lvl0_random", "2player/rockpaperscissors/lvl2_long",
]  # fmt: skip


@pytest.mark.parametrize("play", PLAYS)
def test_recorded_plays_of_the_reference_replay_to_the_last_bit(shared, play):
    traces = shared / "gvgai" / "traces"
    (path,) = traces.glob(f"{play}*")
    (result,) = replay_game(shared / "gvgai" / "games", traces, [path.relative_to(traces)])
    assert result.ok, str(result.difference or result.error)
    assert result.ticks > 0


def test_find_traces_understands_alternatives(shared):
    found = find_traces(shared / "gvgai" / "traces", "gridphysics/{aliens,zelda}/*")
    assert {p.parent.name for p in found} == {"aliens", "zelda"}
