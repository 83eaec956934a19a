"""Pictures of missions."""

from __future__ import annotations

from pcg.generators.levels.grammar import Mission
from pcg.report.missions import draw_mission, places


def mission() -> Mission:
    made = Mission()
    for n, symbol in enumerate(("start", "room", "lock", "goal", "key")):
        made.graph.add_node(n, symbol=symbol, sprite="coin" if symbol == "goal" else "")
    for a, b, kind in ((0, 1, "->"), (1, 2, "->"), (2, 3, "->"), (1, 4, "->"), (4, 2, "=>")):
        made.graph.add_edge(a, b, kind)
    return made


def test_nodes_stand_by_their_depth_and_nowhere_twice() -> None:
    at = places(mission())
    assert {n: x for n, (x, _) in at.items()} == {0: 0.0, 1: 1.0, 2: 2.0, 3: 3.0, 4: 2.0}
    assert len(set(at.values())) == 5
    assert at[1][1] == (at[2][1] + at[4][1]) / 2


def test_a_picture_names_what_is_in_the_mission_and_is_always_the_same() -> None:
    drawn = draw_mission(mission())
    assert drawn == draw_mission(mission().to_json())
    for word in ("start", "lock", "key", "goal", "coin"):
        assert f">{word}<" in drawn
    assert drawn.startswith("<svg")
    assert draw_mission(mission(), standalone=True).startswith("<?xml")
