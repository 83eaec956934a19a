"""Limits of time: a test or a command that hangs is ended, named, and shown with its stacks."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import time_limits

ROOT = Path(__file__).resolve().parent.parent
LIMIT = [sys.executable, str(ROOT / "tools" / "time_limit.py")]

HANGS = """
    import threading
    import pytest

    def test_before():
        pass

    def test_hangs():
        threading.Thread(target=another, daemon=True).start()
        threading.Event().wait()

    def another():
        threading.Event().wait()

    @pytest.fixture
    def server():
        yield
        threading.Event().wait()

    def test_fails_and_its_server_hangs(server):
        assert False

    def test_after():
        pass
"""


def program(folder: Path, text: str) -> tuple[list[str], dict[str, str]]:
    """A command that runs these tests with the plug-in, and its environment."""
    file = folder / "test_some.py"
    file.write_text(textwrap.dedent(text), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "tests" / "support")}
    environment.pop("PYTEST_ADDOPTS", None)
    options = ["-p", "no:cacheprovider", "-p", "time_limits", "-c", os.devnull, "--rootdir", str(folder)]
    return [sys.executable, "-m", "pytest", *options, str(file)], environment


def pytest_of(folder: Path, text: str, *words: str) -> tuple[int, str]:
    """The exit code and all output of a run of these tests with a limit of one second."""
    command, environment = program(folder, text)
    done = subprocess.run([*command, *words], env={**environment, "PCG_TEST_LIMIT": "1"}, timeout=240, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip
    return done.returncode, done.stdout


def test_a_test_that_hangs_ends_with_the_stacks_of_all_threads(tmp_path: Path) -> None:
    code, out = pytest_of(tmp_path, HANGS)
    assert code == 1 and "Timeout (0:00:01)!" in out
    assert "in test_hangs" in out and "in another" in out


@pytest.mark.full
def test_other_tests_go_on_when_one_hangs_in_a_worker(tmp_path: Path) -> None:
    code, out = pytest_of(tmp_path, HANGS, "-n", "1", "-rf")
    assert code == 1 and "crashed while running 'test_some.py::test_hangs'" in out
    assert "crashed while running 'test_some.py::test_fails_and_its_server_hangs'" in out  # in its teardown
    assert "in server" in out and "2 passed" in out


@pytest.mark.full
def test_an_interpreter_that_does_not_end_is_ended_with_its_stacks(tmp_path: Path) -> None:
    text = """
        import threading, time_limits
        time_limits.EXIT = 1.0

        def wait():
            threading.Event().wait()

        def test_leaves_a_thread_behind():
            threading.Thread(target=wait).start()
    """
    code, out = pytest_of(tmp_path, text)
    assert code == 1 and "1 passed" in out and "Timeout (0:00:01)!" in out and "in wait" in out


def test_limits_are_longer_in_the_full_tier_and_on_a_busy_machine(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    def limit(waiting: float) -> float:
        monkeypatch.setattr(os, "getloadavg", lambda: (waiting, waiting, waiting))
        return time_limits.seconds(request.node)

    monkeypatch.delenv("PCG_TEST_LIMIT", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert [limit(waiting) for waiting in (0.1, 2.0, 5.0, 100.0)] == [300.0, 300.0, 750.0, 1200.0]
    request.node.add_marker("full")
    assert limit(0.1) == 900.0
    monkeypatch.setenv("PCG_TEST_LIMIT", "7")
    assert limit(5.0) == 7.0


def test_a_command_at_its_limit_is_ended() -> None:
    done = subprocess.run([*LIMIT, "1", "sh", "-c", "sleep 1000 & wait"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 124 and "is not finished after 1 s" in done.stderr and "sleep 1000" in done.stderr


def test_what_a_command_leaves_behind_is_named_and_ended() -> None:
    done = subprocess.run(
        [*LIMIT, "600", "sh", "-c", "sleep 1000 & exit 5"], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 5 and "left behind and ended" in done.stderr and "sleep 1000" in done.stderr


@pytest.mark.full
def test_tests_under_way_are_named_with_their_processes_and_stacks(tmp_path: Path) -> None:
    text = """
        import subprocess, sys

        def test_hangs():
            code = "import os, time; print('child', os.getpid(), flush=True); time.sleep(1000)"
            subprocess.run([sys.executable, "-c", code])
    """
    command, environment = program(tmp_path, text)
    process = subprocess.Popen([*LIMIT, "600", *command, "-s"], env=environment, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
    assert process.stdout is not None
    child = next(int(line.split("child ")[1]) for line in process.stdout if "child " in line)
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 124 and "was told to end" in errors
    assert "test_some.py::test_hangs" in errors and "in test_hangs" in errors  # its name, and its stack
    assert errors.count("Stacks of process") == 2 and f"Stacks of process {child} " in errors
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(child)], capture_output=True, text=True, timeout=60).stdout
    assert state.strip()[:1] in ("", "Z")  # it has ended, though perhaps nobody has asked how


def test_a_command_that_ends_in_time_gives_its_exit_code_and_says_nothing() -> None:
    done = subprocess.run([*LIMIT, "60", "sh", "-c", "exit 3"], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "")


def test_every_step_of_the_checks_has_a_limit() -> None:
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    calls = [line for line in lines if re.search(r"\bmake ", line) and not line.lstrip().startswith(("#", "echo"))]
    assert calls and all("tools/time_limit.py" in line for line in calls)
