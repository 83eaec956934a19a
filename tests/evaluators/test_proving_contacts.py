"""Explorations by contacts and those that outlast what must run out: what they tell apart, reach and wait for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import pcg
from pcg.evaluators.agents import replay
from pcg.evaluators.proving import Cells, Experience, Exploration, GameMethods
from pcg.evaluators.proving.contacts import Contacts, moves_by_itself
from pcg.evaluators.proving.guidance import Outlasting, meetings_to_win
from pcg.evaluators.proving.methods import Method
from pcg.evaluators.proving.prover import LONG_TURN, LONGER, ProofSearch
from pcg.evaluators.proving.way import Way

pytestmark = pytest.mark.kernel

BRIDGES = """\
BasicGame
    SpriteSet
        floor > Immovable color=GRAY
        hero > ShootAvatar color=BLUE stype=arrow
        arrow > Missile color=WHITE speed=1.0
        stone > Passive color=ORANGE
        pit > Immovable color=BLACK
        lamp > Immovable color=YELLOW
        lit > Immovable color=WHITE
        exit > Immovable color=GREEN
        dog > RandomNPC color=RED
    InteractionSet
        hero wall pit lamp lit > stepBack
        stone hero > bounceForward
        stone wall stone lamp lit exit > undoAll
        pit stone > killBoth
        lamp arrow > transformTo stype=lit
        arrow wall lamp lit stone EOS > killSprite
        exit hero > killSprite
        hero dog > killSprite
    LevelMapping
        . > floor
        A > floor hero
        o > floor stone
        p > floor pit
        l > floor lamp
        x > floor exit
        d > floor dog
    TerminationSet
        SpriteCounter stype=hero limit=0 win=False
        MultiSpriteCounter stype1=exit stype2=lamp limit=0 win=True
"""
"""A stone fills the pit before the exit; a lamp is lit by an arrow from afar."""
BRIDGE = "wwwwwwwww\nwA......w\nw...o...w\nw.......w\nwwpwwwwww\nw.x....lw\nwwwwwwwww"
CHAIN = "wwwwwwwww\nwA...p..w\nw.o..wlxw\nwwwwwwwww"

BURROW = """\
BasicGame
    SpriteSet
        hero > MovingAvatar color=BLUE
        burrow > SpawnPoint stype=mouse cooldown=12 total=3 color=BLACK
        mouse > Missile orientation=RIGHT speed=0.5 color=GRAY
    InteractionSet
        hero wall burrow > stepBack
        mouse wall > flipDirection
        mouse wall > stepBack
        mouse hero > killSprite scoreChange=1
    LevelMapping
        A > hero
        b > burrow
    TerminationSet
        MultiSpriteCounter stype1=burrow stype2=mouse limit=0 win=True
        SpriteCounter stype=hero limit=0 win=False
"""
"""Mice come out of a burrow, three in all, and every one must be caught."""
MEADOW = "wwwwwwwww\nwb......w\nw......Aw\nwwwwwwwww"

ROLLING = """\
BasicGame
    SpriteSet
        hero > OrientedAvatar color=BLUE rotateInPlace=false
        still > Missile speed=0.0 color=BROWN
        rolling > Missile speed=1.0 color=RED
        goal > Immovable color=GREEN
    InteractionSet
        hero wall > stepBack
        still hero > transformTo stype=rolling
        rolling hero > attractGaze
        hero still rolling > stepBack
        rolling wall > transformTo stype=still
        still wall > stepBack
        rolling goal > killSprite
    LevelMapping
        A > hero
        s > still
        g > goal
    TerminationSet
        SpriteCounter stype=hero limit=0 win=False
        MultiSpriteCounter stype1=still stype2=rolling limit=0 win=True
"""
"""A ball rolls on when it is touched, until it meets a wall; it must get into the goal."""

SWITCHES = """\
BasicGame
    SpriteSet
        hero > OrientedAvatar rotateInPlace=False color=BLUE
        arrow > Conveyor orientation=RIGHT color=YELLOW
        lever > Immovable color=WHITE
        source > SpawnPoint stype=red cooldown=10 total=6 spawnorientation=RIGHT color=BLACK
        ball > Missile speed=1.0
            red > color=RED
            blue > color=LIGHTBLUE
        hole > Immovable color=GREEN
    InteractionSet
        hero wall source hole ball > stepBack
        arrow hero > attractGaze
        lever hero > updateSpawnType stype=blue spawnPoint=source
        ball arrow > align
        hole blue > killBoth
        ball wall hole > killSprite
    LevelMapping
        A > hero
        a > arrow
        l > lever
        s > source
        h > hole
    TerminationSet
        SpriteCounter stype=hole limit=0 win=True
"""
"""An arrow sends balls the way it is walked over, a lever makes them blue; a blue one belongs in the hole."""
JUNCTION = "wwwwwwwwwww\nw....h....w\nw.........w\nw.........w\nws...a....w\nw.........w\nw.A.....l.w\nwwwwwwwwwww"


def names(rules: pcg.Game, types: tuple[int, ...]) -> set[str]:
    return {rules.definition.types[t].name for t in types}


def contacts_of(rules: pcg.Game) -> Contacts:
    found = Contacts.of(GameMethods(rules.definition).analysis)
    assert found is not None
    return found


def exploration(rules: pcg.Game, level: str, cells: Cells, seed: int = 0) -> Exploration:
    contacts = contacts_of(rules) if cells.regions else None
    return Exploration(rules.start(level, seed=1), cells, contacts=contacts, seed=seed)


def by_contacts(rules: pcg.Game) -> Cells:
    return Cells(placed=contacts_of(rules).placed, regions=True)


# --- contacts ---------------------------------------------------------------------------------------------------------


def test_the_rules_tell_what_is_in_the_way_and_what_is_worth_a_touch_or_a_shot() -> None:
    rules = pcg.load(BRIDGES, levels=[BRIDGE])
    found = contacts_of(rules)
    assert names(rules, found.solid) == {"wall", "pit", "lamp", "lit"}
    assert names(rules, found.touched) == {"stone", "exit"}
    assert names(rules, found.hit) == {"lamp"}
    assert names(rules, found.awaited) == {"arrow"}
    assert names(rules, found.placed) == {"stone", "lit"}
    assert found.throws and found.far


def test_a_ball_that_lies_still_is_placed_and_one_that_rolls_is_waited_for() -> None:
    rules = pcg.load(ROLLING, levels=["wwwww\nwAs.w\nwwwww"])
    found = contacts_of(rules)
    index = rules.definition.type_index
    assert index["still"] in found.placed and found.awaited == (index["rolling"],)
    analysis = GameMethods(rules.definition).analysis
    assert moves_by_itself(analysis, index["rolling"]) and not moves_by_itself(analysis, index["still"])


def test_a_game_in_which_nothing_is_pushed_or_hit_twice_has_no_contacts() -> None:
    rules = pcg.load(BURROW, levels=[MEADOW])
    methods = GameMethods(rules.definition)
    assert Contacts.of(methods.analysis) is None and "explore-contacts" not in methods.names


# --- explorations by contacts -----------------------------------------------------------------------------------------


def test_places_in_one_region_are_one_cell() -> None:
    rules = pcg.load(BRIDGES, levels=[BRIDGE])
    empty = "wwwwwww\nwA....w\nw.....w\nw..x..w\nwwwwwww\nwl....w\nwwwwwww"
    one, other = (exploration(rules, empty, cells) for cells in (by_contacts(rules), Cells()))
    for each in (one, other):
        each.go_on(400)
    assert one.cells == 1 < other.cells  # nothing is pushed, and the lamp cannot be hit


def test_a_stone_is_pushed_into_the_pit_and_the_lamp_lit_from_afar() -> None:
    rules = pcg.load(BRIDGES, levels=[BRIDGE])
    one = exploration(rules, BRIDGE, by_contacts(rules))
    assert one.go_on(20_000)
    assert replay(rules.start(0, seed=1), one.actions())[-1].winner == 1


def test_what_rolls_is_waited_for() -> None:
    level = "wwwwwwwwww\nw........w\nwA.s....gw\nw........w\nwwwwwwwwww"
    rules = pcg.load(ROLLING, levels=[level])
    one = exploration(rules, level, by_contacts(rules))
    assert one.go_on(400)  # three steps to the ball and five to the goal, and the ways around it


def test_contacts_are_made_where_something_moves_about() -> None:
    level = CHAIN.replace("...", "..d", 1)
    rules = pcg.load(BRIDGES, levels=[level])
    assert rules.start(0, seed=1).model.stochastic
    one = exploration(rules, level, by_contacts(rules))
    one.go_on(3_000)
    end = rules.start(0, seed=1)
    for action in one.actions():
        end.advance(action)
    assert one.cells > 2 and not end.is_over


def test_no_win_is_longer_than_the_longest_play() -> None:
    rules = pcg.load(ROLLING, levels=["wwwwwwwwww\nwAs.....gw\nwwwwwwwwww"])
    start = rules.start(0, seed=1)
    for ticks, wins in ((3, False), (12, True)):
        one = Exploration(start, by_contacts(rules), contacts=contacts_of(rules), max_ticks=ticks)
        assert one.go_on(2_000) == wins
        assert not wins or len(one.actions()) <= ticks


def test_what_is_turned_and_what_is_told_to_make_something_else_are_worth_a_touch() -> None:
    rules = pcg.load(SWITCHES, levels=[JUNCTION])
    found = contacts_of(rules)
    assert names(rules, found.turned) == {"arrow"} and names(rules, found.making) == {"source"}
    assert names(rules, found.touched) == {"arrow", "lever"}
    for other, level in ((BRIDGES, BRIDGE), (ROLLING, "wwwww\nwAs.w\nwwwww")):
        unturned = contacts_of(pcg.load(other, levels=[level]))
        assert unturned.turned == unturned.making == ()


def test_an_arrow_is_turned_and_a_lever_moved_before_the_ball_comes() -> None:
    rules = pcg.load(SWITCHES, levels=[JUNCTION])
    start = rules.start(0, seed=1)
    actions = GameMethods(rules.definition).make("explore-contacts", start, 1).go_on(20_000)
    assert actions is not None and replay(start, actions)[-1].winner == 1


def test_orientations_and_products_tell_cells_apart() -> None:
    rules = pcg.load(SWITCHES, levels=[JUNCTION])
    found = contacts_of(rules)
    met = {}
    for turned, making in ((False, False), (True, False), (True, True)):
        cells = Cells(turned=found.turned if turned else (), making=found.making if making else (), regions=True)
        one = exploration(rules, JUNCTION, cells)
        one.go_on(3_000)
        met[turned, making] = one.cells
    assert 1 <= met[False, False] < met[True, False] < met[True, True]


@pytest.mark.full
def test_the_kernel_explores_alike_with_the_compiler_off() -> None:
    program = (
        f"import sys, pcg\nsys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from test_proving_contacts import BRIDGE, BRIDGES, by_contacts, exploration\n"
        "rules = pcg.load(BRIDGES, levels=[BRIDGE])\n"
        "one = exploration(rules, BRIDGE, by_contacts(rules), seed=2)\none.go_on(600)\n"
        "print(one.solved, one.calls, one.cells, '.'.join(one.actions()))\n"
    )
    answers = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PCG_KERNELS": mode},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for mode in ("aot", "python")
    ]
    assert answers[0] == answers[1] and answers[0]


def test_there_is_no_way_to_a_cell_beyond_the_region() -> None:
    program = (
        f"import sys, pcg\nsys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from test_proving_contacts import BRIDGE, BRIDGES, contacts_of\n"
        "from pcg.evaluators.proving.region_kernel import spread_region, way_within\n"
        "rules = pcg.load(BRIDGES, levels=[BRIDGE])\nstate = rules.start(0, seed=1)\n"
        "region = contacts_of(rules).record(state.model)\n"
        "spread_region(region.address, state.address, 9 + 1)\n"
        "print(*(way_within(region.address, 9 * y + x) for x, y in ((1, 1), (1, 3), (7, 1), (2, 5))))\n"
    )
    environment = {**os.environ, "PCG_KERNELS": "python"}  # inner functions can be called there
    answer = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert answer.stdout == "0 2 6 -1\n"


# --- gates on the way -------------------------------------------------------------------------------------------------


def estimate(rules: pcg.Game, level: str, with_gates: bool) -> float:
    weights = [0.0] * (2 * len(rules.definition.types))
    weights[2 * rules.definition.type_index["exit"] + 1] = 1.0
    way = Way.of(GameMethods(rules.definition).analysis, weights, with_gates=with_gates)
    assert way is not None
    return Exploration(rules.start(level, seed=1), Cells(), weights=weights, way=way).least_estimate


def test_the_way_of_a_stone_to_the_pit_counts() -> None:
    rules = pcg.load(BRIDGES, levels=[BRIDGE])
    nearer = BRIDGE.replace("w...o...w\nw.......w", "w.......w\nw..o....w")
    assert estimate(rules, BRIDGE, False) == estimate(rules, nearer, False)
    assert estimate(rules, BRIDGE, True) > estimate(rules, BRIDGE, False)
    assert estimate(rules, BRIDGE, True) - estimate(rules, nearer, True) == 2.0  # cells that it is nearer


def test_a_pit_without_a_stone_is_as_good_as_a_wall() -> None:
    rules = pcg.load(BRIDGES, levels=[BRIDGE])
    without = BRIDGE.replace("o", ".")
    assert estimate(rules, without, True) > estimate(rules, without, False) + 40


def test_to_turn_one_thing_that_must_go_into_another_is_no_progress() -> None:
    rules = pcg.load(ROLLING, levels=["wwwww\nwAs.w\nwwwww"])
    joined = meetings_to_win(GameMethods(rules.definition).analysis)
    assert [names(rules, first) | names(rules, second) for first, second, _ in joined] == [{"rolling", "goal"}]


# --- outlasting -------------------------------------------------------------------------------------------------------


def test_what_runs_out_by_itself_has_to_be_outlasted() -> None:
    found = Outlasting.of(GameMethods(pcg.load(BURROW, levels=[MEADOW]).definition).analysis)
    assert found == Outlasting(pause=12.0, end=36)
    assert Outlasting.of(GameMethods(pcg.load(BRIDGES, levels=[BRIDGE]).definition).analysis) is None


def test_a_burrow_is_outlasted_and_every_mouse_caught() -> None:
    rules = pcg.load(BURROW, levels=[MEADOW])
    methods = GameMethods(rules.definition)
    assert "explore-outlasting" in methods.names
    start = rules.start(0, seed=1)
    actions = methods.make("explore-outlasting", start, 1, 200).go_on(30_000)
    assert actions is not None and len(actions) > 24  # the third mouse comes after two pauses
    assert replay(start, actions)[-1].winner == 1


# --- turns ------------------------------------------------------------------------------------------------------------


class Walking(Method):
    """A method that finds nothing; its estimate falls with every call up to a number of them."""

    def __init__(self, until: int) -> None:
        self._until = until

    def go_on(self, calls: int) -> tuple[str, ...] | None:
        self.calls = calls
        self.estimate = -float(min(calls, self._until))
        return None


@pytest.mark.parametrize(
    ("falls_until", "total", "made"),
    [(0, LONG_TURN, 1), (10**9, LONG_TURN, LONGER), (9 * LONG_TURN // 10, LONG_TURN, 2), (10**9, LONG_TURN // 2, 1)],
)
def test_a_turn_is_longer_as_long_as_it_comes_nearer(falls_until: int, total: int, made: int) -> None:
    rules = pcg.load(BURROW, levels=[MEADOW])
    search = ProofSearch(rules, MEADOW, 1, 10**9, None, 200, 0, Experience(), None)
    method = search.made["walking"] = Walking(falls_until)
    assert search.turn("walking", total) is None
    assert method.calls == made * total
