"""Limits on the time of tests: a pytest plug-in under which no hang goes unexplained.

Each test has a limit, with its setup and teardown. When it is over, the stacks of all threads are printed to the real
standard error and the process ends. Under pytest-xdist that fails the test by its name ("worker 'gw0' crashed while
running ..."), another process takes the worker's place and the run goes on; without it the run ends there. A C thread
keeps the limit, so that it also holds in compiled code, in `join`, and with signals blocked; signals are left to the
tests. The end of the interpreter, where executors and threads are waited for, has a limit too.

With ``PCG_UNDER_WAY=FOLDER`` each process writes the test that it runs to a file named after its process id, where
`tools/time_limit.py` finds it.
"""

from __future__ import annotations

import faulthandler
import os
from collections.abc import Generator
from pathlib import Path

import pytest

FAST, FULL, EXIT = 300.0, 900.0, 120.0
"""Seconds of a test of the fast tier, of one of the full tier, and of the end of the interpreter.

No test needs a tenth of that on a calm machine: these limits find hangs, not slow tests.
"""

PATIENCE = 4.0
"""Times that a limit is multiplied by on a busy machine, at most."""

_stderr = pytest.StashKey[int]()


def seconds(item: pytest.Item) -> float:
    """Return the limit of a test: ``$PCG_TEST_LIMIT``, or the one of its tier.

    The latter is longer where more processes want to run than there are processors, by as many times.
    """
    if given := os.environ.get("PCG_TEST_LIMIT"):
        return float(given)
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    busy = min(PATIENCE, max(1.0, load / (os.cpu_count() or 1)))
    return busy * (FULL if item.get_closest_marker("full") else FAST)


def limit(item: pytest.Item) -> None:
    """From now on, end this process with the stacks of all threads if the test takes longer than it may."""
    faulthandler.dump_traceback_later(seconds(item), exit=True, file=item.config.stash[_stderr])


def pytest_configure(config: pytest.Config) -> None:
    """Keep the real standard error: while tests run, pytest catches what is written to the usual one."""
    config.stash[_stderr] = os.dup(2)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Limit a test with its fixtures, and write down that it is under way where somebody asks for that."""
    folder = os.environ.get("PCG_UNDER_WAY")
    file = Path(folder, str(os.getpid())) if folder else None
    if file:
        file.write_text(item.nodeid, encoding="utf-8")
    limit(item)
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()
        if file:
            file.unlink(missing_ok=True)


@pytest.hookimpl(trylast=True)
def pytest_exception_interact(node: pytest.Item | pytest.Collector) -> None:
    """Begin the limit anew after a failure, when pytest takes it away and a teardown is most likely to hang."""
    if isinstance(node, pytest.Item):
        limit(node)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Limit the end of the interpreter; xdist's workers are left out, which wait for each other and are then ended."""
    if not hasattr(config, "workerinput"):
        faulthandler.dump_traceback_later(EXIT, exit=True, file=config.stash[_stderr])
