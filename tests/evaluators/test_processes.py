"""Worker processes that are copies of one that has imported what they need."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pcg.evaluators import processes

PROGRAM = """
import os, signal, sys
from pathlib import Path
from pcg.evaluators import processes
from pcg.runs.process_pool import ProcessPool

def look():
    known = sys.modules.get("pcg_test_known")
    blocked = signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    return known and known.WHERE, known and known.PID == os.getpid(), blocked, os.getcwd()

if __name__ == "__main__":
    processes.processors = lambda: 2
    processes.begin_fork_server(["pcg_test_known", "no_such_module"], int(sys.argv[1]))
    print(processes.copies())
    assert not {"PYTHONSAFEPATH"} & set(os.environ)
    os.chdir("elsewhere")
    with ProcessPool(2) as pool:
        print(*pool.submit(look).result())
        worker = pool.submit(os.getpid).result()
        os.kill(worker, signal.SIGKILL)
        try:
            pool.submit(os.getpid).result()
        except Exception as error:
            print(type(error).__name__)
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A program in a folder of its own, and one that is the current folder, with another module of the same name."""
    known = "import os\nWHERE, PID = {!r}, os.getpid()\n"
    for name in ("program", "current", "current/elsewhere"):
        (tmp_path / name).mkdir()
    (tmp_path / "program" / "pcg_test_known.py").write_text(known.format("program"))
    (tmp_path / "current" / "pcg_test_known.py").write_text(known.format("current"))
    (tmp_path / "program" / "main.py").write_text(PROGRAM)
    return tmp_path / "program" / "main.py"


def output(program: Path, workers: int) -> list[str]:
    """Return the lines that the program prints."""
    current = program.parent.parent / "current"
    done = subprocess.run(
        [sys.executable, str(program), str(workers)], cwd=current, capture_output=True, text=True, timeout=120
    )
    assert not done.returncode, done.stderr
    return done.stdout.split("\n")


@pytest.mark.skipif(sys.platform != "linux", reason="only there processes are copied")
def test_workers_are_copies_of_a_process_that_has_imported_modules(program: Path) -> None:
    count, seen, death, _ = output(program, 2)
    where, imported_here, blocked, folder = seen.split()
    assert count == "2"
    assert where == "program", "modules are looked for where the program does, not in the current folder"
    assert (imported_here, blocked) == ("False", "True")
    assert Path(folder).name == "elsewhere"
    assert death == "BrokenProcessPool"


def test_a_single_worker_is_no_copy(program: Path) -> None:
    assert output(program, 1)[:2] == ["0", f"None None True {program.parent.parent / 'current' / 'elsewhere'}"]


def test_this_process_has_none_to_copy() -> None:
    assert not processes.copies()
