"""Small rule sheets of our own, and the folder of the reference's where it is at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

# One role, arithmetic by table, a counter.
COUNTDOWN = """
(role runner)
(init (left 3))
(<= (legal runner (take ?n)) (true (left ?m)) (size ?n) (not (smaller ?m ?n)))
(<= (next (left ?k)) (does runner (take ?n)) (true (left ?m)) (sum ?n ?k ?m))
(<= terminal (true (left 0)))
(<= (goal runner 100) (true (left 0)))
(<= (goal runner 0) (not (true (left 0))))
(size 1) (size 2)
(succ 0 1) (succ 1 2) (succ 2 3)
(number 0) (number 1) (number 2) (number 3)
(<= (smaller ?a ?b) (succ ?a ?b))
(<= (smaller ?a ?b) (succ ?a ?c) (smaller ?c ?b))
(<= (sum 0 ?a ?a) (number ?a))
(<= (sum ?a ?b ?c) (succ ?d ?a) (sum ?d ?b ?e) (succ ?e ?c))
"""

# Two roles that move at once, negation, `or`, `distinct`, a frame axiom over cells.
CLAIM = """
(role red) (role blue)
(place a) (place b) (place c) (place d)
(<= (init (free ?p)) (place ?p))
(<= (legal ?r (claim ?p)) (role ?r) (true (free ?p)))
(<= (next (owns ?r ?p)) (does ?r (claim ?p)) (not (contested ?p)))
(<= (next (owns ?r ?p)) (true (owns ?r ?p)))
(<= (next (free ?p)) (true (free ?p)) (not (claimed ?p)))
(<= (claimed ?p) (does ?r (claim ?p)))
(<= (contested ?p) (does ?r (claim ?p)) (does ?s (claim ?p)) (distinct ?r ?s))
(<= open (true (free ?p)))
(<= terminal (not open))
(<= (has ?r) (true (owns ?r ?p)))
(<= (pair ?r) (true (owns ?r ?p)) (true (owns ?r ?q)) (distinct ?p ?q))
(<= (goal ?r 100) (pair ?r))
(<= (goal ?r 50) (has ?r) (not (pair ?r)))
(<= (goal ?r 0) (role ?r) (not (has ?r)))
"""

# Turns, compound terms in moves and facts, `or`, and a line of sight that goes around in a ring: a positive cycle.
RING = """
(role one) (role two)
(init (control one)) (init (at one (pos 0))) (init (at two (pos 2)))
(edge 0 1) (edge 1 2) (edge 2 3) (edge 3 0)
(cell 0) (cell 1) (cell 2) (cell 3)
(init (open 0)) (init (open 1)) (init (open 2)) (init (open 3)) (init (clock 0))
(tick 0 1) (tick 1 2) (tick 2 3) (tick 3 4) (tick 4 5) (tick 5 6)
(<= (way ?a ?b) (edge ?a ?b) (true (open ?a)) (true (open ?b)))
(<= (reach ?a ?b) (way ?a ?b))
(<= (reach ?a ?c) (reach ?a ?b) (way ?b ?c))
(<= (legal ?r (go (pos ?a) (pos ?b))) (true (control ?r)) (true (at ?r (pos ?a))) (or (reach ?a ?b) (edge ?a ?b)))
(<= (legal ?r (shut ?a)) (true (control ?r)) (true (open ?a)) (not (stood ?a)))
(<= (legal ?r wait) (role ?r) (not (true (control ?r))))
(<= (stood ?a) (true (at ?r (pos ?a))))
(<= (next (at ?r ?p)) (does ?r (go ?q ?p)))
(<= (next (at ?r ?p)) (true (at ?r ?p)) (not (moves ?r)))
(<= (moves ?r) (does ?r (go ?q ?p)))
(<= (next (open ?a)) (true (open ?a)) (not (shuts ?a)))
(<= (shuts ?a) (does ?r (shut ?a)))
(<= (next (control two)) (true (control one)))
(<= (next (control one)) (true (control two)))
(<= (next (clock ?n)) (true (clock ?m)) (tick ?m ?n))
(<= met (true (at one ?p)) (true (at two ?p)))
(<= terminal met)
(<= terminal (true (clock 6)))
(<= (goal one 100) met)
(<= (goal one 30) (not met))
(<= (goal two 0) met)
(<= (goal two 70) (not met))
"""

SHEETS = {"countdown": COUNTDOWN, "claim": CLAIM, "ring": RING}


@pytest.fixture(params=sorted(SHEETS))
def sheet(request: pytest.FixtureRequest) -> str:
    """The text of a faultless sheet."""
    return SHEETS[request.param]


@pytest.fixture(scope="session")
def gdl_shared(shared: Path) -> Path:
    """Reference rule sheets with recorded plays."""
    if not (shared / "gdl").is_dir():
        pytest.skip("needs the reference rule sheets")
    return shared / "gdl"
