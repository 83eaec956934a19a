"""After `pcg warmup` no command builds or compiles anything; the list of commands is held against the command line."""

from __future__ import annotations

import gzip
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import urllib.request
from importlib.util import find_spec
from pathlib import Path

import pytest
from tiers import first_fast

from pcg.cli import app
from pcg.cli.vocabulary import GROUPS, commands
from pcg.engine.kernel.runtime import CHECKED, MODE
from pcg.engine.native import objects
from pcg.engine.native.loader import inventory, prepare
from pcg.evaluators.preferences import Vote, write_votes

ahead = pytest.mark.skipif(MODE != "aot" or CHECKED, reason="nothing is built ahead of time in this mode")

COMMANDS = {
    "Play": (
        "export boxes -o boxes.html",
        "export hunt --site gallery",
        "play boxes --agent mcts --budget 50calls --seed 1",
        "play hunt --agent pcg --budget 50calls --seed 1",
        "play connect-four --agent uct;flatmc --budget 50calls --seed 1",
        "render boxes --out boxes.png",
        "describe boxes",
        "minimise boxes --levels 0 --agents random --seeds 1 --max-ticks 10 --out small.txt",
        "connectx run random random",
        "connectx evaluate random random -n 1",
        "connectx play random",
        "connectx agents",
        "gdl match connect-four random uct --start-clock 1 --play-clock 1",
    ),
    "Make": (
        "levels boxes --generator evolve -n 2 --evaluations 8 --seed 1 --workers 2 --out evolved",
        "levels boxes --generator wfc -n 2 --evaluations 8 --seed 1 --workers 1 --out collapsed",
        "resume evolved --evaluations 10",
        "rules boxes --budget 6evaluations --out rules",
        "games evolve boxes hunt --budget 3evaluations --out games",
        "tune hunt --params termination.0.limit=100,200 --target win_rate:random=0.5 --levels 0 --budget 2evaluations "
        "--out tuned",
        "repair boxes 0 --out repaired",
        "convert boxes 0 -o boxes.ldtk",
    ),
    "Judge": (
        "measure boxes 0",
        "judge boxes --effort 0.01",
        "prove boxes 0 --budget 2000calls",
        "tournament --agents random,onestep,olets --games boxes --out cup --repeats 1 --budget 20calls --levels 0",
        "levels boxes --generator constructive -n 2 --evaluations 6 --seed 1 --workers 1 --out run",
        "report run",
        "table run -o run.csv",
    ),
    "Ask people": (
        "study new duel --items boxes --items hunt --check auto --no-measure --pairs 1 --minimum 0",
        "study check duel",
        "study show duel",
        "study list",
        "study token duel",
        "study open duel",
        "study simulate duel --participants 2 --seed 1",
        "study export duel --people all --out exported",
        "study report duel --people all",
        "study pause duel",
        "study replay duel --verify",
        "study pack duel --out packed.zip",
        "study load packed.zip copy",
        "study participant duel {participant}",
        "study close duel",
        "prefer power --items 3 --participants 5 --studies 2",
        "prefer fit votes.csv --features features.csv --folds 2 --out model.json",
        "prefer show model.json",
        "prefer report votes.csv --samples 100",
        "study delete duel --yes",
    ),
    "Language": ("check boxes", "format game.vgdl", "ontology"),
    "Tools": (
        "list",
        "generators",
        "rule-generators",
        "optimisers",
        "games generators",
        "agents",
        "metrics",
        "doctor",
        "warmup",
        "kernels list",
        "bench engine boxes --seconds 0.01",
        "bench gdl connect-four.kif --seconds 0.01",
        "conformance traces --games sheets",
        *(("yardstick zelda-v0 --contents 1 --evaluations 5",) if find_spec("pcg_benchmark") else ()),
    ),
}
"""Lines of commands by the group of the command, in an order in which later ones find what earlier ones wrote."""
SERVERS = {
    "studio boxes --no-open --port 0": ("", "kernels.wasm", "exported/player.css"),
    "play boxes --browser --port 0": ("",),
    "breed boxes --population 4 --port 0 --out bred": ("",),
    "archive run --port 0": ("",),
    "study serve duel --port 0": ("",),
}
"""Lines of commands that serve pages until they are interrupted, and what is asked of them."""
NOT_RUN = {
    "kernels build": "builds what it is asked for",
    "kernels clean": "removes what is built",
    **({} if find_spec("pcg_benchmark") else {"yardstick": "needs the PCG Benchmark, which no package index has"}),
    "gdl serve-player": "is `gdl match` of another machine; tests/pcg/test_ggp.py plays with it",
}
"""Commands that are left out, and why."""
EDITOR = "lsp"
"""The line that editors start, which is spoken to on standard input."""
PREPARATION = (
    "levels boxes --generator constructive -n 1 --evaluations 4 --seed 1 --workers 1 --out run",
    "study new duel --items boxes --items hunt --no-measure",
)
"""Commands that prepare what the servers need."""

RUN = """
import json, os, shlex, sys
from pathlib import Path
from typer.testing import CliRunner
from pcg.cli import app

def state():
    return set(Path(os.environ["PCG_CACHE_DIR"], "kernels").glob("*.kernels")), "numba" in sys.modules

for line in sys.argv[1:]:
    before, words = state(), line
    if "{participant}" in line:
        words = line.format(participant=Path("exported", "participants.csv").read_text().splitlines()[1].split(",")[0])
    done = CliRunner().invoke(app, shlex.split(words))
    built, compiler = sorted(p.name for p in state()[0] - before[0]), state()[1] and not before[1]
    print(json.dumps({"line": line, "code": done.exit_code, "out": done.output, "built": built, "compiler": compiler}))
"""


def leaves() -> set[str]:
    """Every command of the command line."""
    return {" ".join(words) for words, info in commands(app) if getattr(info, "typer_instance", None) is None}


def command_of(line: str) -> str:
    """The command of a line."""
    words = line.split()
    return next(name for n in (2, 1) if (name := " ".join(words[:n])) in leaves())


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a user who has called `pcg warmup`: a cache folder with what it builds, and no more."""
    prepare()
    folder = tmp_path_factory.mktemp("cache")
    (folder / "kernels").mkdir(mode=0o700)
    for row in inventory():
        name = objects.file_name(row.package, row.digest, row.target, False)
        if row.origin == "built here":
            shutil.copy(objects.cache_folder() / name, folder / "kernels")
    return {**os.environ, "PCG_CACHE_DIR": str(folder), "BROWSER": "true"}


def prepare_files(folder: Path, games: Path) -> None:
    """Write the files that the commands name: a rule sheet, a game, votes, and a recorded play."""
    shutil.copy(games / "gdl" / "connect-four.kif", folder)
    shutil.copy(games / "vgdl" / "boxes" / "game.vgdl", folder)
    items = [f"item{k}" for k in range(6)]
    pairs = [(a, b) for a in items for b in items if a < b]
    write_votes(
        [Vote(f"p{k}", *pair, "first" if k % 3 else "second") for k, pair in enumerate(pairs)], folder / "votes.csv"
    )
    rows = [f"{item},{k % 3},{k}" for k, item in enumerate(items)]
    (folder / "features.csv").write_text("\n".join(["item,gap,size", *rows]) + "\n")
    sheets, trace = folder / "sheets" / "own", folder / "traces" / "own" / "boxes" / "lvl0_right.jsonl.gz"
    sheets.mkdir(parents=True)
    shutil.copy(games / "vgdl" / "boxes" / "game.vgdl", sheets / "boxes.txt")
    shutil.copy(games / "vgdl" / "boxes" / "lvl0.txt", sheets / "boxes_lvl0.txt")
    trace.parent.mkdir(parents=True)
    lines = [{"format": 1, "game": "own/boxes", "level": 0, "seed": 7}, {"t": -1}, {"t": 0, "a": ["ACTION_RIGHT"]}]
    trace.write_bytes(gzip.compress("".join(json.dumps(line) + "\n" for line in lines).encode()))


def test_every_command_is_listed() -> None:
    listed = {command_of(line) for line in [*sum(COMMANDS.values(), ()), *SERVERS, EDITOR]}
    assert listed | set(NOT_RUN) == leaves()
    assert not listed & set(NOT_RUN)
    assert set(COMMANDS) == set(GROUPS)


@ahead
@pytest.mark.parametrize("group", first_fast(COMMANDS))
def test_no_command_builds_or_compiles_after_warmup(group: str, warm: dict[str, str], tmp_path: Path, repo_root: Path):
    prepare_files(tmp_path, repo_root / "games")
    done = subprocess.run(
        [sys.executable, "-c", RUN, *COMMANDS[group]],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=warm,
        check=True,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"line": ')]
    assert [answer["line"] for answer in answers] == list(COMMANDS[group])
    for answer in answers:
        assert answer["code"] in (0, 1), answer  # 1: so few tries gave nothing feasible
        assert answer["built"] == [] and not answer["compiler"], answer
        assert "building" not in answer["out"] and "building" not in done.stderr, answer


@ahead
@pytest.mark.full
@pytest.mark.skipif(find_spec("pygls") is None, reason="needs pygls")
def test_an_editor_builds_and_compiles_nothing_after_warmup(
    warm: dict[str, str], tmp_path: Path, repo_root: Path
) -> None:
    prepare_files(tmp_path, repo_root / "games")
    game = {"uri": (tmp_path / "game.vgdl").as_uri(), "languageId": "vgdl", "version": 1}
    text = (tmp_path / "game.vgdl").read_text().replace("MovingAvatar", "MovingAvater")
    messages = [
        {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}},
        {"method": "initialized", "params": {}},
        {"method": "textDocument/didOpen", "params": {"textDocument": game | {"text": text}}},
        {"id": 2, "method": "textDocument/formatting", "params": {"textDocument": game, "options": {"tabSize": 4}}},
        {"id": 3, "method": "shutdown"},
        {"method": "exit"},
    ]
    packed = [json.dumps({"jsonrpc": "2.0", **message}).encode() for message in messages]
    given = b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(one), one) for one in packed)
    before = set(Path(warm["PCG_CACHE_DIR"], "kernels").glob("*.kernels"))
    done = subprocess.run(
        [sys.executable, "-c", "from pcg.cli import main; main()", EDITOR],
        input=given, capture_output=True, cwd=tmp_path, env=warm, timeout=120, check=True,
    )  # fmt: skip
    assert b"did you mean `MovingAvatar`" in done.stdout and b"building" not in done.stderr
    assert set(Path(warm["PCG_CACHE_DIR"], "kernels").glob("*.kernels")) == before


@ahead
@pytest.mark.full
def test_no_server_builds_or_compiles_after_warmup(warm: dict[str, str], tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", RUN, *PREPARATION], cwd=tmp_path, env=warm, check=True, capture_output=True)
    kernels = Path(warm["PCG_CACHE_DIR"], "kernels")
    before = set(kernels.glob("*.kernels"))
    for line, pages in SERVERS.items():
        program = "from pcg.cli import main; main()"
        with subprocess.Popen(
            [sys.executable, "-c", program, *shlex.split(line)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path, env=warm,
        ) as server:  # fmt: skip
            try:
                assert server.stdout is not None
                address = next((word for text in server.stdout for word in text.split() if "http://" in word), "")
                assert address, (line, server.stderr and server.stderr.read())
                for page in pages:
                    with urllib.request.urlopen(address.rstrip("/") + "/" + page) as answer:
                        assert len(answer.read()) > 100, (line, page)
                server.send_signal(signal.SIGINT)
                _, errors = server.communicate(timeout=60)
            finally:
                server.kill()
        assert server.returncode == 0 and "building" not in errors, (line, errors)
    assert set(kernels.glob("*.kernels")) == before
