"""Workers: what they do when one of them dies, and what they say when there are none."""

from __future__ import annotations

import importlib
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import ExitStack, closing, contextmanager
from multiprocessing import util
from pathlib import Path
from typing import Any

import pytest

from pcg.engine import model as models
from pcg.engine.game import load
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.runs import dask_cluster, process_pool, workers
from pcg.runs.executors import open_workers
from pcg.runs.process_pool import ProcessPool
from pcg.runs.workers import Lost

WORK = """
import os
import time
from pathlib import Path

def square(number):
    return number * number, os.getpid()

def die(number):
    os._exit(number)

def die_once(mark):
    try:
        Path(mark).touch(exist_ok=False)
    except FileExistsError:
        return "survived"
    os._exit(1)

def hold(seconds):
    time.sleep(seconds)

def slow(number):
    time.sleep(1.0)
    return number

def fail(message):
    raise ValueError(message)
"""


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A module that other processes find, which the tests themselves are not."""
    folder = tmp_path_factory.mktemp("modules")
    (folder / "pcg_test_work.py").write_text(WORK)
    sys.path.insert(0, str(folder))
    yield importlib.import_module("pcg_test_work")
    sys.path.remove(str(folder))


@pytest.mark.parametrize("where", [None, "threads", "processes"])
def test_work_is_done_and_errors_of_the_work_come_back(work: Any, where: str | None) -> None:
    with closing(open_workers(where, 2)) as crew:
        tickets = [crew.submit(f"square {k}", work.square, k) for k in range(8)]
        assert [crew.result(ticket)[0] for ticket in tickets] == [k * k for k in range(8)]
        with pytest.raises(ValueError, match="no luck"):
            crew.result(crew.submit("failure", work.fail, "no luck"))
    left = [thread for thread in threading.enumerate() if type(thread).__name__ == "_ExecutorManagerThread"]
    assert not left  # a thread that is still closing pipes can keep the interpreter from ending


@pytest.mark.full
def test_a_killed_process_is_replaced_and_its_work_done_again(work: Any, tmp_path: Path) -> None:
    with closing(open_workers("processes", 2)) as crew:
        first = crew.submit("first", work.square, 3)
        os.kill(crew.result(first)[1], signal.SIGKILL)
        tickets = [crew.submit(f"square {k}", work.square, k) for k in range(10)]
        tickets.append(crew.submit("dies once", work.die_once, str(tmp_path / "mark")))
        assert [crew.result(ticket)[0] for ticket in tickets[:-1]] == [k * k for k in range(10)]
        assert crew.result(tickets[-1]) == "survived"
        assert crew.lost > 0


@pytest.mark.full
def test_an_old_loss_does_not_touch_the_executor_that_has_taken_over(work: Any) -> None:
    with closing(open_workers("processes", 1)) as crew:
        pid = crew.result(crew.submit("first", work.square, 3))[1]
        held = crew.submit("held", work.hold, 60)
        os.kill(pid, signal.SIGKILL)
        assert held.future is not None
        assert held.future.exception(timeout=60) is not None
        tickets = [crew.submit(f"square {k}", work.square, k) for k in range(40)]
        held.function, held.arguments = work.square, (7,)
        sound = crew._executor
        assert crew.result(held)[0] == 49
        assert crew._executor is sound
        assert [crew.result(ticket)[0] for ticket in tickets] == [k * k for k in range(40)]


@pytest.mark.full
def test_a_pool_that_does_not_notice_a_death_is_replaced(work: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_pool, "GRACE", 0.2)
    with closing(open_workers("processes", 2)) as crew:
        pid = crew.result(crew.submit("first", work.square, 3))[1]
        held = crew.submit("held", work.hold, 60)
        # stands for what stops the thread of Python's pool: it looks at its workers, and here it sees none
        assert isinstance(held.executor, ProcessPool)
        held.executor._executor_manager_thread.terminate_broken = lambda cause: None  # type: ignore[attr-defined]
        tickets = [crew.submit(f"square {k}", work.square, k) for k in range(10)]
        held.function, held.arguments = work.square, (7,)
        os.kill(pid, signal.SIGKILL)
        assert crew.result(held)[0] == 49
        assert [crew.result(ticket)[0] for ticket in tickets] == [k * k for k in range(10)]
        assert crew.lost > 0


@pytest.mark.full
def test_a_pool_that_breaks_while_it_starts_a_worker_is_replaced(work: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    begin = util.spawnv_passfds

    def begin_later(*args: Any) -> int:
        # what comes of a queue that Python's own thread closes meanwhile, as it has seen a worker die
        monkeypatch.setattr(util, "spawnv_passfds", begin)
        raise ValueError("bad value(s) in fds_to_keep")

    with closing(open_workers("processes", 2)) as crew:
        broken = crew._executor
        monkeypatch.setattr(util, "spawnv_passfds", begin_later)
        assert crew.result(crew.submit("first", work.square, 3))[0] == 9
        assert crew._executor is not broken


@pytest.mark.full
def test_work_that_waits_in_a_pool_which_another_submission_leaves_is_done(work: Any) -> None:
    with closing(open_workers("processes", 1)) as crew:
        held = crew.submit("held", work.hold, 600)
        tickets = [crew.submit(f"square {k}", work.square, k) for k in range(8)]
        waiting = tickets[-1].future
        assert waiting is not None
        crew._executor.shutdown(wait=False, cancel_futures=True)
        with pytest.raises(CancelledError):
            waiting.result(timeout=60)  # the pool's own thread takes it off, some time later
        tickets.append(crew.submit("late", work.square, 8))
        held.function, held.arguments = work.square, (9,)
        assert tickets[-2].future is waiting
        assert [crew.result(ticket)[0] for ticket in [*tickets[::-1], held]] == [*(k * k for k in range(8, -1, -1)), 81]


@pytest.mark.full
class Together(Executor):
    """An executor that keeps work back, and cancels all that it kept at once: a batch of a cluster."""

    def __init__(self) -> None:
        self.holds = True
        self.batch: list[Future[Any]] = []

    def submit(self, function: Any, /, *arguments: Any, **named: Any) -> Future[Any]:
        batch = self.batch

        class Part(Future[Any]):
            def cancel(self) -> bool:
                return all(Future.cancel(part) for part in batch)

        part = Part()
        if self.holds:
            batch.append(part)
        else:
            part.set_result(function(*arguments, **named))
        return part


def test_work_that_is_cancelled_together_for_the_sake_of_other_work_is_all_done_again() -> None:
    executor = Together()
    with closing(workers.Workers(lambda: executor, count=1)) as crew:
        tickets = [crew.submit(f"square {k}", pow, k, 2) for k in range(4)]
        executor.holds = False
        tickets[0].future, tickets[0].alone = None, True  # its worker died
        assert [crew.result(ticket) for ticket in tickets] == [0, 1, 4, 9]


def test_closing_ends_although_a_worker_dies(work: Any) -> None:
    crew = open_workers("processes", 2)
    pid = crew.result(crew.submit("first", work.square, 3))[1]
    futures = [crew.submit(f"held {k}", work.hold, 600).future for k in range(2)]
    while not all(future is not None and future.running() for future in futures):
        time.sleep(0.01)  # closing would take off what has not begun, and nobody would be left to be killed
    threading.Timer(0.5, os.kill, (pid, signal.SIGKILL)).start()
    crew.close()
    assert multiprocessing.active_children() == []


@pytest.mark.full
def test_work_that_kills_its_workers_is_named_and_the_others_are_done(work: Any) -> None:
    with closing(open_workers("processes", 1)) as crew:
        tickets = [crew.submit(f"square {k}", work.square, k) for k in range(3)]
        bad = crew.submit("the seventh level", work.die, 7)
        after = crew.submit("after", work.square, 9)
        assert [crew.result(ticket)[0] for ticket in tickets] == [0, 1, 4]
        with pytest.raises(PcgError, match="the seventh level ends its worker every time"):
            crew.result(bad)
        crew.open.remove(bad)
        assert crew.result(after)[0] == 81


def test_waiting_for_a_result_ends_in_time() -> None:
    held = threading.Event()
    with closing(open_workers("threads", 1)) as crew:
        ticket = crew.submit("held", held.wait)
        with pytest.raises(FutureTimeout):
            crew.result(ticket, timeout=0.05)
        held.set()
        assert crew.result(ticket, timeout=120) is True


def test_an_executor_that_is_closed_is_an_error_and_not_a_hang(work: Any) -> None:
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    with closing(open_workers(pool)) as crew, pytest.raises(Lost, match="takes no more work"):
        crew.submit("late", work.square, 1)


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("thread", "did you mean `threads`"),
        ("cloud", "there are: threads, processes, local:N, tcp://HOST:PORT"),
        ("local:0", "1 to 1024 workers"),
        ("local:many", "as in local:4"),
        ("tcp://host", "as in tcp://host:8786"),
        ("http://host:80", "as in tcp://host:8786"),
    ],
)
def test_a_place_that_does_not_exist_is_named(where: str, message: str) -> None:
    with pytest.raises(PcgError, match=message):
        open_workers(where)


def test_numbers_of_workers_are_checked() -> None:
    with pytest.raises(PcgError, match="at least 1"):
        open_workers("threads", 0)
    with pytest.raises(PcgError, match="leave out workers=3"):
        open_workers("local:2", 3)


def test_without_dask_a_cluster_is_refused_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(PcgError, match=r"pip install 'pcg-toolkit\[cluster\]'"):
        open_workers("local:2")


def test_a_scheduler_out_of_reach_is_an_error_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(dask_cluster, "CONNECT_SECONDS", 0.5)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(PcgError, match=rf"cannot reach the scheduler at tcp://127.0.0.1:{port}"):
        open_workers(f"tcp://127.0.0.1:{port}")


def test_a_scheduler_without_workers_is_an_error_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(dask_cluster, "CONNECT_SECONDS", 1.0)
    with (
        distributed.LocalCluster(n_workers=0, host="127.0.0.1", protocol="tcp://", dashboard_address=None) as cluster,
        pytest.raises(PcgError, match="has no workers: start some with `dask worker"),
    ):
        open_workers(cluster.scheduler_address)


@pytest.mark.full
def test_a_cluster_survives_dead_workers_and_names_the_work_that_kills_them(work: Any) -> None:
    pytest.importorskip("distributed")
    with closing(open_workers("local:2")) as crew:
        assert crew.count == 2
        first = crew.submit("first", work.square, 3)
        os.kill(crew.result(first)[1], signal.SIGKILL)
        tickets = [crew.submit(f"square {k}", work.square, k) for k in range(6)]
        assert [crew.result(ticket)[0] for ticket in tickets] == [k * k for k in range(6)]
        many = [crew.submit(f"square {k}", work.square, k) for k in range(150)]
        wrong = crew.submit("wrong", work.fail, "an error of its own")
        assert [crew.result(ticket)[0] for ticket in many] == [k * k for k in range(150)]
        assert len({id(ticket.future.batch) for ticket in many if ticket.future}) < 75, "work is sent in batches"
        with pytest.raises(ValueError, match="an error of its own"):
            crew.result(wrong)
        crew.open.remove(wrong)
        many = [crew.submit(f"square {k}", work.square, k) for k in range(150)]
        wrong = crew.submit("wrong", work.fail, "an error of its own")
        assert len({id(ticket.future.batch) for ticket in many if ticket.future}) < 75, "work is sent in batches"
        assert [crew.result(ticket)[0] for ticket in many] == [k * k for k in range(150)]
        with pytest.raises(ValueError, match="an error of its own"):
            crew.result(wrong)
        crew.open.remove(wrong)
        bad = crew.submit("the seventh level", work.die, 7)
        after = crew.submit("after", work.square, 9)
        with pytest.raises(PcgError, match="the seventh level ends its worker every time"):
            crew.result(bad)
        crew.open.remove(bad)
        assert crew.result(after)[0] == 81


@pytest.mark.full
def test_work_goes_on_when_a_scheduler_comes_back(work: Any) -> None:
    pytest.importorskip("distributed")
    place = f"tcp://127.0.0.1:{_free_port()}"
    with ExitStack() as stack:
        scheduler = stack.enter_context(_dask("scheduler", "--port", place.rpartition(":")[2]))
        stack.enter_context(_dask("worker", place, "--nthreads", "1", "--no-nanny"))
        crew = stack.enter_context(closing(_open_soon(place)))
        assert crew.result(crew.submit("before", work.square, 3))[0] == 9
        tickets = [crew.submit(f"slow {k}", work.slow, k) for k in range(4)]
        scheduler.kill()
        scheduler.wait()
        stack.enter_context(_dask("scheduler", "--port", place.rpartition(":")[2]))
        stack.enter_context(_dask("worker", place, "--nthreads", "1", "--no-nanny"))
        assert [crew.result(ticket) for ticket in tickets] == [0, 1, 2, 3]
        assert crew.lost == 0


@pytest.mark.full
def test_a_scheduler_that_stays_away_is_an_error(work: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    place = f"tcp://127.0.0.1:{_free_port()}"
    monkeypatch.setattr(dask_cluster, "LOST_SECONDS", 1.0)
    with ExitStack() as stack:
        scheduler = stack.enter_context(_dask("scheduler", "--port", place.rpartition(":")[2]))
        stack.enter_context(_dask("worker", place, "--nthreads", "1", "--no-nanny"))
        crew = stack.enter_context(closing(_open_soon(place)))
        monkeypatch.setattr(dask_cluster, "CONNECT_SECONDS", 0.5)
        ticket = crew.submit("slow", work.slow, 1)
        scheduler.kill()
        with pytest.raises(Lost, match="the cluster was lost, and not found again in 1 s: cannot reach the scheduler"):
            crew.result(ticket)


class _Connection:
    """A connection to a scheduler, as far as an executor needs one: sound, or gone in some way."""

    def __init__(self, *, takes: bool = True, answers: bool = True) -> None:
        self.takes = takes
        self.answers = answers
        self.closed = False

    def nthreads(self) -> dict[str, int]:
        if not self.takes:
            raise OSError("the connection is broken")
        return {"a worker": 1}

    def submit(self, function: Any, batch: Any, *, pure: bool) -> Future[Any]:
        done: Future[Any] = Future()
        if self.answers:
            done.set_result(function(batch))
        else:
            lost = CancelledError()
            lost.reason = "scheduler-connection-lost"  # type: ignore[attr-defined]
            done.set_exception(lost)
        return done

    def close(self, timeout: float) -> None:
        self.closed = True
        if not (self.takes and self.answers):
            raise TimeoutError(f"timed out after {timeout} s.")


@pytest.mark.parametrize("gone", [{"answers": False}, {"takes": False}])
def test_a_scheduler_that_is_gone_need_not_say_goodbye(gone: dict[str, bool]) -> None:
    first, second = connections = [_Connection(**gone), _Connection()]
    coming = iter(connections)
    crew = workers.Workers(lambda: dask_cluster._Dask(next(coming)), count=1, fetch=dask_cluster._fetch)
    assert [crew.result(crew.submit(f"square {k}", pow, k, 2)) for k in range(3)] == [0, 1, 4]
    assert first.closed and not second.closed and crew.lost == 0
    crew.close()
    assert second.closed


def test_a_connection_that_does_not_close_ends_no_run() -> None:
    connection = _Connection()
    crew = workers.Workers(lambda: dask_cluster._Dask(connection), count=1, fetch=dask_cluster._fetch)
    assert crew.result(crew.submit("a square", pow, 3, 2)) == 9
    connection.takes = False
    crew.close()
    assert connection.closed


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def _dask(what: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a scheduler or worker of its own process."""
    command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *arguments, "--no-dashboard"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def _open_soon(place: str) -> workers.Workers:
    """Connect to a scheduler that has just been started."""
    for _ in range(8):
        try:
            return open_workers(place)
        except PcgError:
            time.sleep(0.5)
    return open_workers(place)


def test_the_module_needs_no_dask() -> None:
    assert "distributed" not in vars(importlib.import_module("pcg.runs.workers"))


def test_threads_of_a_run_use_the_memory_of_earlier_evaluations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "RESERVE", models.Reserve(1 << 26))
    monkeypatch.setattr("pcg.runs.executors.RESERVE", models.RESERVE)
    model = load("boxes").start(0, seed=1).model

    def evaluate() -> int:
        with models.RESERVE.open():
            return model.pool(1000).address

    with closing(open_workers("threads", 1)) as workers:
        addresses = [workers.result(workers.submit("an evaluation", evaluate)) for _ in range(3)]
        assert len(set(addresses)) == 1 and models.RESERVE.nbytes > 0
    assert models.RESERVE.nbytes == 0
