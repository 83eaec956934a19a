"""Pushing puzzles: rules found by experiment, solutions that win in the engine, pulls that agree with pushes."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import pcg
from pcg.engine.kernel.runtime import COMPILED
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.agents import replay
from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.proving import GameMethods, prove
from pcg.evaluators.pushing import (
    PullTable,
    PushBoard,
    PushSearch,
    difficulty,
    difficulty_of,
    push_rules,
    solve_pushes,
)
from pcg.evaluators.pushing.assignment import least_total
from pcg.evaluators.pushing.kernel import ALL_BOXES, ALL_GOALS, FAR, FILLS, SINKS, STAYS, STICKS
from pcg.evaluators.pushing.solver import MOST_GOALS

pytestmark = pytest.mark.kernel

RULES = """\
BasicGame
    SpriteSet
        floor > Immovable color=LIGHTGRAY
        mark > Immovable color=RED
        wall > Immovable color=BROWN
        mud > Immovable color=BLACK
        stored > Immovable color=GREEN
        crate > Passive
            box > color=ORANGE
            home > color=GREEN
        hero > MovingAvatar color=BLUE
        dog > RandomNPC color=RED
    InteractionSet
        hero wall stored > stepBack
        hero mud > killSprite
        crate hero > bounceForward
        crate wall crate stored > undoAll
        {fate}
    LevelMapping
        . > floor
        w > wall
        o > {under}mark
        b > floor box
        m > floor mud
        A > floor hero
        d > floor dog
    TerminationSet
        SpriteCounter stype={wanted} limit=0 win=True
"""
TURNS = "box mark > transformTo stype=home scoreChange=1\n        home floor > transformTo stype=box"
KINDS = {
    STAYS: (TURNS, "", "box", ALL_BOXES),
    SINKS: ("box mark > killSprite", "floor ", "box", ALL_BOXES),
    FILLS: ("mark box > killBoth", "floor ", "mark", ALL_GOALS),
    STICKS: ("box mark > transformTo stype=stored killSecond=True", "floor ", "mark", ALL_GOALS),
}
"""The rule of goals, what lies under them, what must go to win, and what that comes to."""
LEVEL = """\
wwwwwwwww
wA..w...w
w.b.w.o.w
w.......w
w.b.w...w
w..ww.o.w
wwwwwwwww"""
TANGLE = """\
#######
#@    #
# $$  #
#  .. #
#     #
#######"""


def game_with(fate: int) -> pcg.Game:
    text, under, wanted, _ = KINDS[fate]
    return pcg.load(RULES.format(fate=text, under=under, wanted=wanted), levels=[LEVEL])


@pytest.mark.parametrize("fate", KINDS)
def test_experiments_tell_what_a_goal_does_to_a_box(fate: int) -> None:
    rules = push_rules(game_with(fate).definition)
    assert rules is not None and rules.wall == "w" and rules.floor == "."
    (kind,) = rules.kinds
    assert (kind.box, kind.goal, kind.fate, kind.need) == ("b", "o", fate, KINDS[fate][3])


@pytest.mark.parametrize("fate", KINDS)
@pytest.mark.parametrize("objective", ["pushes", "moves"])
def test_solutions_win_when_they_are_played(fate: int, objective: str) -> None:
    game = game_with(fate)
    rules = push_rules(game.definition)
    assert rules is not None
    board = rules.board(game.start(0, seed=1))
    assert board is not None
    solution = solve_pushes(board, objective)
    assert solution.status == "solved" and solution.pushes == len(solution.route)
    states = replay(game.start(0, seed=1), solution.actions)
    assert states[-1].winner == 1 and states[-1].tick + 1 == solution.moves


def test_a_level_with_something_that_moves_by_itself_has_no_board() -> None:
    game = game_with(STAYS)
    rules = push_rules(game.definition)
    assert rules is not None
    assert rules.board(game.start(LEVEL.replace("wA..w", "wA.dw"), seed=1)) is None


def test_what_kills_the_avatar_is_walked_around() -> None:
    game = game_with(STAYS)
    rules = push_rules(game.definition)
    assert rules is not None
    board = rules.board(game.start("wwwwww\nwA.b.w\nwm...w\nwo...w\nwwwwww", seed=1))
    assert board is not None and board.ground[2, 1] == 0


def test_a_game_without_boxes_to_push_home_has_no_rules_of_pushing() -> None:
    assert push_rules(pcg.load("hunt").definition) is None


def test_boards_read_back_as_they_were_written() -> None:
    game = game_with(STAYS)
    rules = push_rules(game.definition)
    assert rules is not None
    board = rules.board(game.start(0, seed=1))
    assert board is not None and rules.text(board, rules.kinds[0]) == LEVEL
    with pytest.raises(PcgError, match="no tile of their own"):
        rules.text(board.moved([board.goals[0]], board.avatar), rules.kinds[0])


def brute_force(board: PushBoard) -> dict[tuple[frozenset[tuple[int, int]], tuple[int, int]], int]:
    """Fewest moves from the start to every position, by trying everything."""
    floor = board.floor
    start = (frozenset(board.boxes), board.avatar)
    found = {start: 0}
    frontier = [start]
    while frontier:
        following = []
        for boxes, (y, x) in frontier:
            for dy, dx in ((-1, 0), (1, 0), (0, -1), (0, 1)):
                there, beyond = (y + dy, x + dx), (y + 2 * dy, x + 2 * dx)
                if there not in floor:
                    continue
                after = boxes
                if there in boxes:
                    if beyond not in floor or beyond in boxes:
                        continue
                    after = boxes - {there} | {beyond}
                if (after, there) not in found:
                    found[after, there] = found[boxes, (y, x)] + 1
                    following.append((after, there))
        frontier = following
    return found


def test_the_fewest_moves_are_those_of_trying_everything() -> None:
    board = PushBoard.drawn(TANGLE)
    least = min(n for (boxes, _), n in brute_force(board).items() if boxes == frozenset(board.goals))
    assert solve_pushes(board, "moves").moves == least


def test_pulls_meet_every_position_from_which_pushes_lead_home_and_no_other() -> None:
    board = PushBoard.drawn(TANGLE)
    table = PullTable(board)
    assert table.complete and table.pushes.tolist() == sorted(table.pushes.tolist())
    places = sorted(board.floor)
    checked = {True: 0, False: 0}
    for boxes in list(combinations(places, 2))[:: 5 if COMPILED else 9]:
        avatar = next(cell for cell in places if cell not in boxes)
        here = board.moved(boxes, avatar)
        node, solution = table.node(here), solve_pushes(here)
        checked[node is not None] += 1
        assert (node is not None) == (solution.status == "solved")
        if node is not None:
            assert int(table.pushes[node]) == solution.pushes == len(table.line(node))
            assert 0 <= table.estimate(node) <= solution.pushes
    assert min(checked.values()) > 3


def test_boxes_that_vanish_cannot_be_pulled() -> None:
    game = game_with(SINKS)
    rules = push_rules(game.definition)
    assert rules is not None
    board = rules.board(game.start(0, seed=1))
    assert board is not None
    with pytest.raises(PcgError, match="cannot be pulled"):
        PullTable(board)


def test_a_box_in_a_corner_is_proved_to_be_lost() -> None:
    board = PushBoard.drawn("######\n#$   #\n# @ .#\n######")
    assert solve_pushes(board).status == "unsolvable"


def test_too_few_positions_decide_nothing() -> None:
    solution = solve_pushes(PushBoard.drawn(TANGLE), max_positions=4)
    assert solution.status == "budget" and not solution.actions


def test_a_search_that_pauses_finds_the_same() -> None:
    whole = solve_pushes(PushBoard.drawn(TANGLE))
    search = PushSearch(PushBoard.drawn(TANGLE))
    found, steps = None, 0
    while found is None:
        steps += 1
        found = search.go_on(steps)
    assert steps > 1 and found == whole


def test_a_box_that_must_leave_its_goal_is_counted() -> None:
    # the nearer goal is the only way to the further one
    found = difficulty(PushBoard.drawn("#########\n#@$.$ . #\n#### ####\n#########"))
    assert found is None
    found = difficulty(PushBoard.drawn("########\n#@ *  .#\n#  $   #\n#   ####\n########"))
    assert found is not None and found.off_goal >= 1 and found.detour >= 0


def test_the_cheapest_assignment_is_scipys() -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        price = rng.integers(0, rng.integers(1, 40), size=rng.integers(1, 8, size=2))
        price[rng.random(price.shape) < 0.2] = FAR
        assert least_total(price.tolist()) == price[linear_sum_assignment(price)].sum()


def test_a_box_at_home_that_is_never_pushed_is_idle() -> None:
    found = difficulty(PushBoard.drawn("########\n#@ $ . #\n#     *#\n########"))
    assert found is not None and found.idle_boxes == 1 and "need no push" in found.sentences()[-1]


@pytest.mark.parametrize("text", ["@   .\n  $  \n     ", "@ *  \n  $. \n     ", " @\n$ \n. "])
def test_a_board_without_walls_around_it_is_measured_as_one_with_them(text: str) -> None:
    rows = text.splitlines()
    edge = "#" * (len(rows[0]) + 2)
    walled = "\n".join([edge, *(f"#{row}#" for row in rows), edge])
    found = difficulty(PushBoard.drawn(text))
    assert found is not None and found == difficulty(PushBoard.drawn(walled))


def test_levels_are_measured_as_puzzles() -> None:
    game = pcg.load("boxes")
    metrics = LevelEvaluator(game).text.measure(LevelEvaluator(game).palette.parse(game.levels[1]))
    assert metrics["pushes"] == 10 and metrics["push_moves"] == 24 and 0 <= metrics["push_dead_ends"] <= 1
    hunt = pcg.load("hunt")
    evaluator = LevelEvaluator(hunt)
    assert "pushes" not in evaluator.text.measure(evaluator.palette.parse(hunt.levels[0]))


def test_the_prover_wins_by_pushes() -> None:
    game = game_with(STAYS)
    methods = GameMethods(game.definition)
    state = game.start(0, seed=1)
    assert methods.suits("pushes", state)
    actions = methods.make("pushes", state).go_on(10_000)
    assert actions is not None and replay(state, actions)[-1].winner == 1
    proof = prove(game, 0, budget=60_000)
    assert proof is not None and proof.holds(game)


def test_pushing_gives_up_where_the_board_has_no_solution_without_calling_the_level_impossible() -> None:
    game = pcg.load("boxes")
    state = game.start(2, seed=1)  # a pit must be filled, which a board does not show
    method = GameMethods(game.definition).make("pushes", state)
    assert method.go_on(100_000) is None
    assert method.ended and not method.proved_impossible


def test_a_board_with_more_goals_than_a_search_keeps_is_none_and_the_level_is_tried_otherwise() -> None:
    game = pcg.load("boxes")
    board = push_rules(game.definition).board  # type: ignore[union-attr]
    for goals in (MOST_GOALS, MOST_GOALS + 1):
        rows = ["A", "", "b" * goals, "", "o" * goals, ""]
        text = "\n".join(row.ljust(MOST_GOALS + 2, ".") for row in rows)
        state = game.start(text, seed=1)
        kept = goals <= MOST_GOALS
        assert (board(state) is not None) == GameMethods(game.definition).suits("pushes", state) == kept
        assert difficulty_of(game.definition, text, 10) is None
        prove(game, text, seed=1, budget=100)
