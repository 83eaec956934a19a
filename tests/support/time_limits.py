"""Limits on the time of tests: a pytest plug-in under which no hang goes unexplained.

Each of the three phases of a test (setup, call, teardown) has a limit. When it is over, the stacks of all threads are
printed to the real standard error and the process ends. Under pytest-xdist that fails the test by its name ("worker
'gw0' crashed while running ..."), another process takes the worker's place and the run goes on; without it the run
ends there. A C thread keeps the limit, so that it also holds in compiled code, in `join`, and with signals blocked;
signals are left to the tests. The end of the interpreter, where executors and threads are waited for, has a limit too.

With ``PCG_UNDER_WAY=FOLDER`` each process writes the test that it runs to a file named after its process id, where
`tools/time_limit.py` finds it.
"""

from __future__ import annotations

import faulthandler
import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

FAST, FULL, EXIT = 300.0, 900.0, 120.0
"""Seconds of a phase of a test of the fast tier, of one of the full tier, and of the end of the interpreter.

No test needs a tenth of that on a calm machine: these limits find hangs, not slow tests.
"""

PATIENCE = 4.0
"""Times that a limit is multiplied by on a busy machine, at most."""

_stderr = pytest.StashKey[int]()


def seconds(item: pytest.Item) -> float:
    """Return the limit of each phase of a test: ``$PCG_TEST_LIMIT``, or the one of its tier.

    The latter is longer where more processes want to run than there are processors, by as many times.
    """
    if given := os.environ.get("PCG_TEST_LIMIT"):
        return float(given)
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    busy = min(PATIENCE, max(1.0, load / (os.cpu_count() or 1)))
    return busy * (FULL if item.get_closest_marker("full") else FAST)


@contextmanager
def limited(item: pytest.Item) -> Iterator[None]:
    """End this process with the stacks of all threads if the block takes longer than the test may."""
    faulthandler.dump_traceback_later(seconds(item), exit=True, file=item.config.stash[_stderr])
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


def pytest_configure(config: pytest.Config) -> None:
    """Keep the real standard error: while tests run, pytest catches what is written to the usual one."""
    config.stash[_stderr] = os.dup(2)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Write down which test is under way, where somebody asks for it."""
    folder = os.environ.get("PCG_UNDER_WAY")
    if folder is None:
        return (yield)
    file = Path(folder, str(os.getpid()))
    file.write_text(item.nodeid, encoding="utf-8")
    try:
        return (yield)
    finally:
        file.unlink(missing_ok=True)


# One limit for each phase and not one for all three: pytest takes a limit away when a phase fails, and a teardown that
# waits for a server is most likely to hang after a failure.
@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, None, None]:
    """Limit the setup of a test with its fixtures."""
    with limited(item):
        return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Limit the test itself."""
    with limited(item):
        return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, None, None]:
    """Limit the teardown of a test, and of the module or session if it is their last."""
    with limited(item):
        return (yield)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Limit the end of the interpreter; xdist's workers are left out, which wait for each other and are then ended."""
    if not hasattr(config, "workerinput"):
        faulthandler.dump_traceback_later(EXIT, exit=True, file=config.stash[_stderr])
