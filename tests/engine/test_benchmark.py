"""Measurements of speed: what is measured, and what is said of it."""

from __future__ import annotations

from pcg.engine.benchmark import RATES, measure
from pcg.engine.game import load


def test_copies_are_of_the_tick_that_was_asked_for():
    game = load("invaders")
    late, early = measure(game, "invaders", 0.002), measure(game, "invaders", 0.002, copy_tick=0)
    assert (late.copy_tick, early.copy_tick) == (50, 0)
    assert measure(game, "invaders", 0.002, restart=2000).restart == 2000 and late.restart == 200
    # by tick 50 shots and bombs are flying
    assert late.state_bytes > early.state_bytes
    assert all(getattr(speed, name) > 0 for speed in (late, early) for name in RATES)


def test_the_spread_of_the_windows_is_told():
    assert measure(load("boxes"), "boxes", 0.002).as_dict()["spread"] >= 0
