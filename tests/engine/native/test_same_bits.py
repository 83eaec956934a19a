"""The comparison of kernels finds what differs, when, and in which fields."""

from __future__ import annotations

import base64
import importlib.util
import json
import sys

import pytest

from pcg.engine.game import load
from pcg.engine.kernel import layout as L
from pcg.engine.native.replay import Native, Play
from pcg.engine.vgdl.diagnostics import PcgError


@pytest.fixture(scope="module")
def same_bits(repo_root):
    spec = importlib.util.spec_from_file_location("same_bits", repo_root / "benchmarks" / "same_bits.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(same_bits, monkeypatch, *words) -> None:
    monkeypatch.setattr(sys, "argv", ["same_bits", *map(str, words)])
    same_bits.main()


@pytest.fixture
def recording(same_bits, monkeypatch, tmp_path):
    path = tmp_path / "one.json.gz"
    run(same_bits, monkeypatch, "record", path, "--games", "boxes", "duel", "--ticks", 20)
    return same_bits.read(path)


def test_a_recording_repeats_itself(same_bits, monkeypatch, tmp_path, recording, capsys):
    one, other = tmp_path / "one.json.gz", tmp_path / "other.json"
    run(same_bits, monkeypatch, "record", other, "--like", one, "--name", "again")
    with pytest.raises(SystemExit) as caught:
        run(same_bits, monkeypatch, "compare", one, other)
    assert not caught.value.code
    assert "again" in capsys.readouterr().out
    row, lines = same_bits.compare(recording, same_bits.read(other))
    assert (row["games"], row["levels"], row["plays"], row["different"], lines) == (2, 10, 20, 0, [])
    assert row["ticks"] == 400 and all(len(e["actions"]) == 2 for e in recording["plays"]["duel:0"])


def test_the_first_tick_and_the_fields_that_differ_are_named(same_bits, recording):
    entry = recording["plays"]["boxes:2"][1]
    context = load("boxes").context(2)
    block = bytearray(Native().block(context, Play(entry["seed"], tuple(entry["actions"])), 7))
    block[L.RNG_AT] ^= 1
    changed = json.loads(json.dumps(recording))
    wrong = changed["plays"]["boxes:2"][1]
    text = wrong["checksums"]
    wrong |= {"checksums": text[:56] + "00000000" + text[64:], "digest": "another"}
    row, lines = same_bits.compare(recording, changed)
    assert lines == ["boxes:2 seed 1: differs after tick 7\n    (record it with --like to see which fields)"]
    assert (row["games_different"], row["different"], row["identical"]) == (1, 1, 19)
    wrong["block"] = base64.b64encode(block).decode()
    _, (line,) = same_bits.compare(recording, changed)
    assert line.startswith("boxes:2 seed 1: differs after tick 7\n    state: rng ") and line.count("\n") == 1


def test_plays_that_end_differently_differ(same_bits, recording):
    changed = json.loads(json.dumps(recording))
    changed["plays"]["boxes:0"][0]["end"] = "over"
    _, (line,) = same_bits.compare(recording, changed)
    assert line.startswith("boxes:0 seed 0: ends differently after tick 20: ticks, over")


def test_other_plays_are_not_compared(same_bits, recording):
    changed = json.loads(json.dumps(recording))
    changed["plays"]["boxes:0"][0]["actions"] = ["5" * 20]
    with pytest.raises(PcgError, match="different plays"):
        same_bits.compare(recording, changed)


def test_files_that_are_no_recordings_are_refused(same_bits, tmp_path):
    for name, content in (("a.json", b"[]"), ("b.json.gz", b"no"), ("c.json", b"{")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(PcgError, match=name):
            same_bits.read(tmp_path / name)
    with pytest.raises(PcgError, match="no game `boxer`"):
        same_bits.game_paths(None, ["boxer"])
