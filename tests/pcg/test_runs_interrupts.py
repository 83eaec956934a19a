"""Ctrl-C ends a run cleanly wherever it comes."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from pcg.runs.experiments.rules import run_rules
from pcg.runs.experiments.rules_config import RulesRun
from pcg.runs.interrupts import interrupt_check, uninterrupted


class Presses:
    """Its finalizer is where Ctrl-C comes; Python swallows what is raised there."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


@pytest.fixture
def listening():
    """Ctrl-C as in a terminal: where tests run in the background it is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_ctrl_c_in_a_finalizer_is_not_lost(listening: None, tmp_path: Path) -> None:
    def press(state: object) -> None:
        if getattr(state, "evaluations", 0) == 5:
            Presses()

    cheap = {"ladder": "nothing random onestep", "plays": 1, "max_plays": 1, "max_ticks": 20}
    config = RulesRun("boxes", levels="0", evaluations=40, confirm=0, evaluation_parameters=cheap)
    result = run_rules(config, tmp_path / "run", workers=1, progress=press)
    assert (result.stopped, result.evaluations) == ("interrupted", 5)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_what_was_swallowed_is_raised_in_the_next_round(listening: None) -> None:
    with interrupt_check() as check:
        check()
        Presses()
        with pytest.raises(KeyboardInterrupt):
            check()
    with pytest.raises(KeyboardInterrupt), interrupt_check():
        signal.raise_signal(signal.SIGINT)


def test_a_signal_that_is_ignored_stays_ignored(listening: None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with interrupt_check() as check:
        signal.raise_signal(signal.SIGINT)
        check()
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_ctrl_c_waits_for_what_must_not_be_torn_apart(listening: None) -> None:
    done = []

    def work() -> None:
        with uninterrupted():
            signal.raise_signal(signal.SIGINT)
            done.append(1)

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == [1]
