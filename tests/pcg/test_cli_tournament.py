"""`pcg tournament` and `pcg agents`: what they print and write, that a killed tournament goes on, and how they fail."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from pcg.cli import app
from pcg.evaluators.agents import AGENTS
from pcg.evaluators.tournament import Rules
from pcg.runs import resume
from pcg.runs.experiments.tournament import plan, read_tournament, run_tournament

Run = Callable[..., Result]

SMALL = ("--levels", "0", "--budget", "20calls", "--max-ticks", "40")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in an empty folder; returns what it printed and its exit code."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return lambda *arguments: CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    """A small tournament with a game for one and one for two players."""
    out = tmp_path_factory.mktemp("tournament") / "out"
    arguments = ["tournament", "--games", "hunt,duel", "--agents", "mcts:c=0.5,depth=6,random", "--agents", "onestep"]
    return out, CliRunner().invoke(app, [*arguments, *SMALL, "--workers", "2", "--out", str(out)])


def test_a_tournament_prints_standings_and_writes_every_file(played: tuple[Path, Result]) -> None:
    out, result = played
    assert result.exit_code == 0, result.output
    assert "9 of 9 matches" in result.output and "mcts:c=0.5,depth=6" in result.output
    names = {"results.csv", "games.csv", "standings.csv", "standings.tex", "win-rates.svg", "games.svg", "report.html"}
    assert names <= {p.name for p in out.iterdir()}
    rows = list(csv.DictReader((out / "results.csv").open()))
    assert len(rows) == 3 + 6 * 2
    standings = list(csv.DictReader((out / "standings.csv").open()))
    assert {row["agent"] for row in standings} == {"mcts:c=0.5,depth=6", "random", "onestep"}
    assert sum(float(row["points"]) for row in standings) == pytest.approx(2 * (25 + 18 + 15), abs=1e-3)
    for row in standings:
        mine = [r for r in rows if r["agent"] == row["agent"]]
        assert (
            (int(row["plays"]), int(row["wins"]))
            == (len(mine), sum(r["outcome"] == "won" for r in mine))
            == (5, int(row["wins"]))
        )
        assert float(row["low"]) <= float(row["win_rate"]) <= float(row["high"])


def test_the_page_needs_nothing_else_and_shows_every_agent_and_game(played: tuple[Path, Result]) -> None:
    page = (played[0] / "report.html").read_text()
    assert not re.search(r"(?:src|href)=[\"'](?!data:|#)", page)
    for text in ("hunt", "duel", "mcts:c=0.5,depth=6", "random", "onestep", "Glicko-2", "<svg"):
        assert text in page
    assert "pcg tournament --games hunt,duel --agents" in page


def test_the_latex_table_is_complete_and_escaped(played: tuple[Path, Result]) -> None:
    table = (played[0] / "standings.tex").read_text()
    rows = [line for line in table.splitlines() if line.endswith(r"\\")]
    assert len(rows) == 4 and len({row.count(" & ") for row in rows}) == 1
    assert r"\%" in table and not re.search(r"(?<!\\)[%#_]", table) and r"$\pm$" in table


def test_the_same_command_again_plays_nothing_and_writes_the_same(played: tuple[Path, Result], tmp_path: Path) -> None:
    out = tmp_path / "copy"
    shutil.copytree(played[0], out)
    before = {p.name: p.read_bytes() for p in out.iterdir()}
    result = CliRunner().invoke(app, ["tournament", "--out", str(out)])
    assert result.exit_code == 0
    assert {p.name: p.read_bytes() for p in out.iterdir()} == before


def test_resume_goes_on_with_a_tournament(played: tuple[Path, Result], tmp_path: Path) -> None:
    out = tmp_path / "stopped"
    shutil.copytree(played[0], out)
    written = {p.name: p.read_bytes() for p in out.iterdir()}
    log = (out / "results.jsonl").read_bytes().splitlines(keepends=True)
    (out / "results.jsonl").write_bytes(b"".join(log[:4]) + log[4][:20])  # killed in the middle of a line
    result = CliRunner().invoke(app, ["resume", str(out), "--workers", "1"])
    assert result.exit_code == 0 and "9 of 9 matches" in result.output
    assert {p.name: p.read_bytes() for p in out.iterdir() if p.name != "timing.jsonl"} == {
        name: data for name, data in written.items() if name != "timing.jsonl"
    }


def test_report_writes_what_a_tournament_writes(played: tuple[Path, Result], tmp_path: Path) -> None:
    out = tmp_path / "copy"
    shutil.copytree(played[0], out)
    written = {p.name: p.read_bytes() for p in out.iterdir()}
    for name in set(written) - {"run.json", "results.jsonl", "timing.jsonl"}:
        (out / name).unlink()
    result = CliRunner().invoke(app, ["report", str(out)])
    assert result.exit_code == 0 and result.output.strip() == str(out / "report.html")
    assert {p.name: p.read_bytes() for p in out.iterdir()} == written


@pytest.mark.parametrize(
    "option",
    [
        ("--budget", "60s"),
        ("--evaluations", "5"),
        ("--executor", "threads"),
        ("--cluster", "local:2"),
        ("--cache", "c"),
    ],
)
def test_resume_refuses_for_a_tournament_what_only_runs_have(
    played: tuple[Path, Result], option: tuple[str, ...]
) -> None:
    result = CliRunner().invoke(app, ["resume", str(played[0]), *option])
    assert result.exit_code == 2 and f"plays a tournament, for which there is no {option[0]}" in result.output


def test_the_one_resume_goes_on_with_tournaments_too(played: tuple[Path, Result]) -> None:
    state = resume(played[0], workers=1)
    assert len(state.results) == state.total


def test_another_tournament_in_the_same_folder_is_refused(played: tuple[Path, Result], run: Run) -> None:
    result = run("tournament", "--games", "hunt,duel", "--agents", "mcts,random", *SMALL, "--out", played[0])
    assert result.exit_code == 2 and "agents differ" in result.output


@pytest.mark.full
def test_a_changed_game_is_noticed(tmp_path: Path) -> None:
    import pcg

    game = pcg.load("hunt")
    (tmp_path / "mine.txt").write_text(game.definition.source)
    (tmp_path / "mine_lvl0.txt").write_text(game.levels[0])
    wanted = plan([str(tmp_path / "mine.txt")], ["nothing"], rules=Rules(max_ticks=3))
    assert len(run_tournament(wanted, tmp_path / "out", workers=1).results) == 1
    (tmp_path / "mine_lvl0.txt").write_text(game.levels[1])
    code = (
        "import sys; from pcg.runs.experiments.tournament import run_tournament\n"
        "from pcg.engine.vgdl.diagnostics import PcgError\n"
        "try: run_tournament(None, sys.argv[1])\n"
        "except PcgError as e: print(e)\n"
    )  # in another process, as this one has loaded the game
    done = subprocess.run([sys.executable, "-c", code, tmp_path / "out"], capture_output=True, text=True, check=True)
    assert "has changed since it began" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--games", "hunt"), "--agents is missing"),
        (("--agents", "mcts"), "--games is missing"),
        ((), "holds no tournament"),
        (("--games", "hunnt", "--agents", "mcts"), "did you mean `hunt`"),
        (("--games", "hunt", "--agents", "mtcs"), "did you mean `mcts`"),
        (("--games", "hunt", "--agents", "mcts:deph=3"), "did you mean `depth`"),
        (("--games", "hunt", "--agents", "mcts", "--levels", "9"), "none of the levels 9"),
        (("--games", "hunt", "--agents", "mcts", "--budget", "soon"), "expected forward-model calls"),
        (("--games", "hunt", "--agents", "mcts", "--load", "no.py"), "no such Python file"),
        (("--games", "duel", "--agents", "mcts"), "at least two agents"),
    ],
)
def test_mistakes_are_reported_and_leave_nothing(run: Run, arguments: tuple[str, ...], message: str) -> None:
    result = run("tournament", *arguments, "--out", "out")
    assert result.exit_code == 2 and message in result.output
    assert not Path("out").exists()


def test_a_folder_with_something_else_in_it_is_left_alone(run: Run) -> None:
    Path("out").mkdir()
    Path("out/thesis.tex").write_text("precious")
    result = run("tournament", "--games", "hunt", "--agents", "nothing", "--out", "out")
    assert result.exit_code == 2 and "not empty" in result.output
    assert [p.name for p in Path("out").iterdir()] == ["thesis.tex"]


def start(out: Path, *arguments: str) -> subprocess.Popen[str]:
    # Ctrl-C is interrupt_check as in a terminal: a shell that starts the tests in the background has them ignore it
    program = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from pcg.cli import main; main()"
    )
    command = [sys.executable, "-c", program, "tournament", "--out", str(out), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


LONG = (
    "--games",
    "hunt,dungeon",
    "--agents",
    "mcts,onestep",
    "--budget",
    "100calls",
    "--repeats",
    "3",
    "--levels",
    "0-2",
)


def wait_for_results(process: subprocess.Popen[str], log: Path, count: int) -> None:
    deadline = time.monotonic() + 300
    while not log.exists() or log.read_bytes().count(b"\n") < count:
        assert process.poll() is None and time.monotonic() < deadline, "the tournament ended or hangs"
        time.sleep(0.01)


@pytest.mark.fuzz
def test_killed_and_interrupted_tournaments_go_on_to_the_same_bytes(tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    done = start(whole, *LONG, "--workers", "1")
    assert done.communicate()[0] and done.returncode == 0

    process = start(broken, *LONG, "--workers", "1")
    wait_for_results(process, broken / "results.jsonl", 4)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    with open(broken / "results.jsonl", "ab") as log:
        log.write(b'{"id": 5, "game": "hu')  # the last line torn
    kept = len(read_tournament(broken).results)
    assert 4 <= kept < 36

    process = start(broken, "--workers", "1")
    wait_for_results(process, broken / "results.jsonl", kept + 4)
    os.kill(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130 and "goes on" in said and "Traceback" not in said
    assert kept < len(read_tournament(broken).results) < 36

    done = start(broken, "--workers", "2")
    assert done.communicate()[0] and done.returncode == 0
    for name in ("run.json", "results.jsonl", "results.csv", "standings.csv", "report.html", "games.svg"):
        assert (broken / name).read_bytes() == (whole / name).read_bytes(), name


@pytest.mark.full
def test_no_two_processes_play_the_same_tournament(tmp_path: Path) -> None:
    endless = [word.replace("100calls", "5000calls") for word in LONG]
    process = start(tmp_path / "out", *endless, "--workers", "1")
    try:
        wait_for_results(process, tmp_path / "out" / "results.jsonl", 1)
        result = CliRunner().invoke(app, ["tournament", "--out", str(tmp_path / "out")])
        assert result.exit_code == 2 and "another process is writing the run" in result.output
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.mark.full
def test_matches_and_seconds_limit_a_session(tmp_path: Path) -> None:
    wanted = plan(["hunt"], ["nothing"], levels="0", repeats=8, rules=Rules(max_ticks=3))
    assert len(run_tournament(wanted, tmp_path / "a", workers=1, matches=3).results) == 3
    state = run_tournament(wanted, tmp_path / "a", workers=1, seconds=0)
    assert (len(state.results), state.stopped) == (3, "time")
    assert len(run_tournament(None, tmp_path / "a", workers=1).results) == 8
    lines = (tmp_path / "a" / "results.jsonl").read_text().splitlines()
    assert [json.loads(line)["seed"] for line in lines] == list(range(1, 9))


def test_sets_are_played_and_ranked_each_by_itself(run: Run) -> None:
    result = run("tournament", "--sets", "training,validation", "--agents", "nothing,random", *SMALL, "--workers", "1",
                 "--out", "out")  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "40 of 40 matches" in result.output
    assert "set training" in result.output and "set validation" in result.output
    for name in ("training", "validation"):
        rows = list(csv.DictReader(Path(f"out/standings-{name}.csv").read_text().splitlines()))
        assert [int(row["plays"]) for row in rows] == [10, 10]
    assert json.loads(Path("out/run.json").read_text())["sets"]["training"][0] == "alchemy"
    assert run("tournament", "--sets", "training,test", "--agents", "random", "--out", "no").exit_code == 2


@pytest.mark.full
def test_ratings_choose_the_pairs_and_a_stopped_tournament_goes_on(tmp_path: Path) -> None:
    wanted = plan(["duel", "tag"], ["nothing", "random", "onestep"], levels="0-1", rules=Rules(max_ticks=9), meetings=5)
    whole = run_tournament(wanted, tmp_path / "whole", workers=1)
    assert (len(whole.results), whole.total, whole.stopped) == (20, 20, "")
    for matches in (3, 4, 11):
        run_tournament(wanted, tmp_path / "parts", workers=2, matches=matches)
    resume(tmp_path / "parts")
    assert (tmp_path / "parts" / "results.jsonl").read_bytes() == (tmp_path / "whole" / "results.jsonl").read_bytes()
    standings = read_tournament(tmp_path / "parts").standings.overall
    ratings = [s.rating.rating for s in standings if s.rating]
    assert len(ratings) == 3 and ratings == sorted(ratings, reverse=True)


def test_faults_are_reported_with_agent_game_level_and_tick(run: Run) -> None:
    Path("mine.py").write_text(
        "from pcg.evaluators.agents import Agent, register\n"
        "@register('bad_of_a_test', 'raises')\n"
        "class Bad(Agent):\n"
        "    def act(self, state):\n"
        "        if state.tick == 6: raise ValueError('<b>[bold]$x_1$')\n"
    )
    try:
        result = run("tournament", "--games", "hunt", "--agents", "bad_of_a_test,nothing", "--load", "mine.py", *SMALL,
                     "--workers", "1", "--out", "out")  # fmt: skip
    finally:
        AGENTS.unregister("bad_of_a_test")
    assert result.exit_code == 0
    said = (
        "disqualified: bad_of_a_test in hunt, level 0, seed 1, tick 7: raised: ValueError: <b>[bold]$x_1$ (mine.py:5)"
    )
    assert said in result.output
    page = Path("out/report.html").read_text()
    assert "&lt;b&gt;[bold]$x_1$ (mine.py:5)" in page
    assert "disqualified" in Path("out/results.csv").read_text()


# --- agents -----------------------------------------------------------------------------------------------------------


def test_agents_are_listed_with_type_default_range_meaning_and_paper(run: Run) -> None:
    output = run("agents").output
    for entry in AGENTS.values():
        assert entry.name in output
        for param in entry.params:
            assert param.name in output
    assert "1 to 10000" in output and "visits, value" in output and "Kocsis" in output


def test_one_agent_is_described(run: Run) -> None:
    result = run("agents", "mcts")
    assert result.exit_code == 0
    assert "Monte Carlo tree search" in result.output and "Kocsis" in result.output and "mcts:c=" in result.output
    assert "onestep" not in result.output
    wrong = run("agents", "mtcs")
    assert wrong.exit_code == 2 and "did you mean `mcts`" in wrong.output


def test_parameters_may_follow_an_agent_wherever_it_is_named(run: Run) -> None:
    played = run("play", "hunt", "--agent", "mcts:c=1.0,depth=4,budget=10", "--max-ticks", "5")
    assert played.exit_code == 0 and "5 ticks" in played.output
    wrong = run("play", "hunt", "--agent", "mcts:dept=4", "--max-ticks", "5")
    assert wrong.exit_code == 2 and "did you mean `depth`" in wrong.output
