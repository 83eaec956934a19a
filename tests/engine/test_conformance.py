"""Replaying traces: the corpus replays exactly, and a difference is found, named and placed."""

from __future__ import annotations

import gzip
import json
import random
import re
from pathlib import Path

import pytest
from texts import PUSH, PUSH_LEVEL, game

from pcg.engine import conformance
from pcg.engine.conformance import find_traces, replay, replay_game
from pcg.engine.traces import read_trace
from pcg.engine.vgdl.diagnostics import PcgError

ACTIONS = ["RIGHT", "RIGHT", "DOWN", "LEFT", "UP", "NIL", "RIGHT"]

RICH = """BasicGame square_size=10 no_counters=2
    SpriteSet
        coin > Resource limit=9
        ghost > RandomNPC speed=0.3 healthPoints=3
        dart > Missile orientation=LEFT speed=0.3333333333333333
        spark > Flicker limit=2
        avatar > ShootAvatar stype=spark healthPoints=9
    InteractionSet
        avatar EOS > stepBack
        ghost EOS > stepBack
        dart EOS > wrapAround
        avatar coin > changeResource resource=coin value=1 killResource=True scoreChange=2 counter=1,0
        ghost spark > subtractHealthPoints value=1 counter=0,-1
        ghost avatar > reverseDirection
    LevelMapping
        A > avatar
        c > coin
        g > ghost
        d > dart
    TerminationSet
        Timeout limit=12 win=True
"""
"""Its traces have all there is: resources, counters, health, long fractions, -0.0, sprites that come and go."""
RICH_LEVEL = "..g..g\n.cAcc.\nd..d..\n......"
RICH_ACTIONS = ["RIGHT", "USE", "RIGHT", "USE", "LEFT", "LEFT", "USE", "DOWN", "NIL", "UP", "USE", "LEFT", "LEFT"]

COMPACT = (",", ":")
SPACED = (", ", ": ")
"""Lines in this form are never recognised in their text, but read and compared field by field."""
FORMS = pytest.mark.parametrize("separators", [COMPACT, SPACED], ids=["compact", "spaced"])


def write_trace(path: Path, lines: list[dict], separators: tuple[str, str] = COMPACT) -> Path:
    return write_text(path, "".join(json.dumps(line, separators=separators) + "\n" for line in lines))


def write_text(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode("ascii"), compresslevel=1))
    return path


def read_text(path: Path) -> list[str]:
    return gzip.decompress(path.read_bytes()).decode("ascii").splitlines()


def record(played, actions: list[str], target: Path) -> Path:
    """A trace of our own play, as the engine itself emits it."""
    bare = [{"format": 1, "game": "x/game", "level": 0, "seed": 3, "aux_seed": 4}, {"t": -1}]
    bare += [{"t": t, "a": [f"ACTION_{a}"]} for t, a in enumerate(actions)]
    replay(played, write_trace(target.with_name("bare.jsonl.gz"), bare), emit=target)
    return target


@pytest.fixture
def recorded(tmp_path):
    """A game and a trace of it below a folder of traces."""
    push = game(PUSH, PUSH_LEVEL)
    return push, record(push, ACTIONS, tmp_path / "traces" / "x" / "push" / "lvl0_own.jsonl.gz")


@pytest.fixture
def rich(tmp_path):
    """A game and a trace of it that has every field, as (game, path, lines of text)."""
    played = game(RICH, RICH_LEVEL)
    path = record(played, RICH_ACTIONS, tmp_path / "rich.jsonl.gz")
    return played, path, read_text(path)


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


@FORMS
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
        ("aux", lambda line: line.update(aux=5)),
        ("acts", lambda line: line.update(acts=[["ACTION_UP"]])),
    ],
)
def test_any_changed_field_is_found_at_its_tick(recorded, tmp_path, field, change, separators):
    push, path = recorded
    lines = list(read_trace(path))
    if field == "ended":
        # a game that ends without a winner counts as stopped by the reference's message limit
        lines[4]["win"] = lines[4]["win"]
    change(lines[3])
    result = replay(push, write_trace(tmp_path / "changed.jsonl.gz", lines, separators))
    if field == "ended":
        assert result.ok and result.ticks == 1
    else:
        assert not result.ok
        assert (result.difference.tick, result.difference.field) == (1, field)


@FORMS
def test_another_initial_state_is_found_before_the_first_tick(recorded, tmp_path, separators):
    push, path = recorded
    lines = list(read_trace(path))
    lines[1]["s"][0][2] += 1
    result = replay(push, write_trace(tmp_path / "changed.jsonl.gz", lines, separators))
    assert (result.difference.tick, result.difference.field) == (-1, "s")


@pytest.mark.kernel
def test_a_play_of_every_field_replays_in_any_form(rich, tmp_path):
    played, path, _ = rich
    lines = list(read_trace(path))
    spaced = write_trace(tmp_path / "spaced.jsonl.gz", lines, SPACED)
    turned = write_trace(tmp_path / "turned.jsonl.gz", [dict(reversed(line.items())) for line in lines])
    for trace in (path, spaced, turned):
        result = replay(played, trace)
        assert result.ok, str(result.difference)
        assert result.ticks == len(RICH_ACTIONS)


def test_lines_that_agree_are_recognised_in_their_text(rich, monkeypatch):
    played, path, _ = rich
    read = []
    monkeypatch.setattr(
        conformance,
        "tick_line",
        lambda before, after, a, f=conformance.tick_line: read.append(after.tick) or f(before, after, a),
    )
    assert replay(played, path).ok
    assert read == [len(RICH_ACTIONS) - 1]  # the end is always looked at


@pytest.mark.kernel
@pytest.mark.parametrize("tick", [-1, 0, 5, 6])
def test_every_digit_counts(rich, tmp_path, tick):
    played, _, text = rich
    line = text[tick + 2]
    for place in [m.start() for m in re.finditer(r"\d", line)]:
        other = str((int(line[place]) + 1) % 10)
        changed = line[:place] + other + line[place + 1 :]
        try:
            if json.loads(changed) == json.loads(line):
                continue
        except ValueError:
            continue
        path = write_text(tmp_path / "changed.jsonl.gz", "\n".join([*text[: tick + 2], changed, *text[tick + 3 :]]))
        result = replay(played, path)
        assert not result.ok, changed
        assert result.difference.tick == json.loads(changed)["t"]


@pytest.mark.kernel
def test_the_sign_of_zero_counts(rich, tmp_path):
    played, _, text = rich
    assert "-0.0" in text[7]
    for old, new in (("-0.0", "0"), ("-0.0", "0.0"), (",0,0,", ",-0.0,0,")):
        assert old in text[7]
        changed = [*text[:7], text[7].replace(old, new, 1), *text[8:]]
        result = replay(played, write_text(tmp_path / "changed.jsonl.gz", "\n".join(changed)))
        assert (result.difference.tick, result.difference.field) == (5, "d")


@pytest.mark.full
def test_recognising_a_line_finds_what_reading_it_finds(rich, tmp_path):
    """Damage of many kinds has the same outcome in both forms."""
    played, _, text = rich
    draw = random.Random(8)

    def outcome(lines: list[dict], separators: tuple[str, str]) -> tuple:
        try:
            result = replay(played, write_trace(tmp_path / "changed.jsonl.gz", lines, separators))
        except PcgError as error:
            return (str(error),)
        return result.difference, result.ticks

    found = 0
    while found < 200:
        changed = [json.loads(line) for line in text]
        damage(changed[draw.randrange(1, len(text))], draw)
        compact = outcome(changed, COMPACT)
        assert compact == outcome(changed, SPACED)
        found += compact[0] is not None


def damage(value, draw: random.Random) -> None:
    """Change something somewhere in a JSON value."""
    keys = list(value) if isinstance(value, dict) else range(len(value))
    if not keys:
        return
    key = draw.choice(keys)
    inner = value[key]
    if isinstance(inner, (dict, list)) and draw.random() < 0.9:
        damage(inner, draw)
    elif isinstance(inner, (dict, list)):
        if inner and isinstance(inner, list):
            del inner[draw.randrange(len(inner))]
    elif isinstance(inner, bool) or inner is None or isinstance(inner, str):
        value[key] = draw.choice([None, True, "NaN", "ACTION_NIL", 0])
    else:
        value[key] = draw.choice([inner + 1, -inner, inner + 0.5, str(inner), None, inner * 10**16])


def test_a_line_that_is_missing_is_found(rich, tmp_path):
    played, _, text = rich
    for number, where in ((1, (-1, "t")), (4, (3, "t"))):
        path = write_text(tmp_path / "changed.jsonl.gz", "\n".join([*text[:number], *text[number + 1 :]]))
        difference = replay(played, path).difference
        assert (difference.tick, difference.field) == where


def test_a_file_that_breaks_off_is_compared_up_to_there_and_then_refused(rich, tmp_path):
    played, path, text = rich
    short = tmp_path / "short.jsonl.gz"
    short.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(PcgError, match="cannot be read as a trace"):
        replay(played, short)
    changed = [*text[:2], text[2].replace('"score":[2]', '"score":[3]'), *text[3:]]
    write_text(short, "\n".join(changed))
    short.write_bytes(short.read_bytes()[:-12])
    assert replay(played, short).difference.field == "score"


@pytest.mark.parametrize(
    "line",
    [
        "7",
        "[]",
        '{"a":["ACTION_NIL"]}',
        '{"t":0}',
        '{"t":0,"a":[]}',
        '{"t":0,"a":"NIL"}',
        '{"t":0,"a":[{}]}',
        '{"t":0,"a":["ACTION_JUMP"]}',
    ],
)
def test_lines_that_mean_nothing_are_refused(rich, tmp_path, line):
    played, _, text = rich
    target = tmp_path / "ours.jsonl.gz"
    with pytest.raises(PcgError):
        replay(played, write_text(tmp_path / "changed.jsonl.gz", "\n".join([*text[:2], line])), emit=target)
    assert not list(tmp_path.glob("ours*"))


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
