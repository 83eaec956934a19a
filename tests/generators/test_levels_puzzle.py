"""The puzzle generator: levels that are proved, need all their boxes, and are the same for the same seed."""

from __future__ import annotations

import numpy as np
import pytest

import pcg
from pcg.engine.kernel.runtime import COMPILED
from pcg.evaluators.pushing import PushBoard, difficulty, push_rules, solve_pushes
from pcg.generators.levels.constructive.generator import ConstructiveGenerator
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.portfolio.families import FAMILIES
from pcg.generators.levels.portfolio.game_kinds import game_kinds
from pcg.generators.levels.puzzle.generator import PuzzleGenerator
from pcg.generators.levels.puzzle.layouts import changed, draw_layout
from pcg.generators.levels.puzzle.search import puzzle_of, simplified

compiled = pytest.mark.skipif(not COMPILED, reason="searches of thousands of positions take minutes without a compiler")
SIDES = {"min_width": 8, "max_width": 8, "min_height": 8, "max_height": 8}


@compiled
def test_puzzles_are_solved_need_every_box_and_come_again() -> None:
    game = pcg.load("boxes")
    rules = push_rules(game.definition)
    assert rules is not None
    texts = [pcg.make_generator("puzzle", game, seed=3, boxes=3, tries=10, **SIDES).ask(2) for _ in range(2)]
    assert texts[0] == texts[1]
    for candidate in texts[0]:
        assert candidate.level.count("b") == candidate.level.count("o") == 3
        board = rules.board(game.start(candidate.level, seed=1))
        assert board is not None and board.ground.shape == (8, 8)
        found = difficulty(board)
        assert found is not None and found.idle_boxes == 0 and found.pushes >= 6


@pytest.mark.full
@compiled
def test_more_tries_make_harder_puzzles() -> None:
    game = pcg.load("boxes")
    rules = push_rules(game.definition)
    assert rules is not None
    effort = {}
    for tries in (8, 60):
        made = pcg.make_generator("puzzle", game, seed=1, boxes=3, tries=tries, **SIDES).ask(8)
        boards = [rules.board(game.start(one.level, seed=1)) for one in made]
        effort[tries] = float(np.median([solve_pushes(board).expanded for board in boards if board is not None]))
    assert effort[60] > effort[8]


def test_a_game_without_boxes_gets_levels_of_constructive() -> None:
    game = pcg.load("hunt")
    puzzle, usual = (pcg.make_generator(name, game, seed=5) for name in ("puzzle", "constructive"))
    assert isinstance(puzzle, PuzzleGenerator) and isinstance(usual, ConstructiveGenerator)
    assert puzzle.generate(np.random.default_rng(1)) == usual.generate(np.random.default_rng(1))


def test_changes_keep_the_floor_in_one_piece_with_all_goals_on_it() -> None:
    rng = np.random.default_rng(1)
    layout = None
    while layout is None:
        layout = draw_layout(rng, 9, 9, 3)
    seen = set()
    for _ in range(60):
        other = changed(rng, layout)
        if other is None:
            continue
        layout = other
        seen.add(layout.floor.tobytes())
        assert all(layout.floor[goal] for goal in layout.goals) and len(layout.goals) == 3
        assert not layout.floor[[0, -1]].any() and not layout.floor[:, [0, -1]].any()
    assert len(seen) > 10


def test_what_the_solution_does_not_need_goes() -> None:
    puzzle = puzzle_of(PushBoard.drawn("#########\n#@ $ .###\n#   ## ##\n###### ##\n#########"))
    assert puzzle is not None
    simple = simplified(puzzle)
    assert simple.solution.pushes == puzzle.solution.pushes
    assert simple.board.floor < puzzle.board.floor


def test_the_default_makes_puzzles_of_games_of_pushing_only() -> None:
    shares = {}
    for name in ("boxes", "hunt"):
        context = LevelContext.of(pcg.load(name))
        shares[name] = FAMILIES["puzzle"].suits(context, game_kinds(context))
    assert shares["boxes"] > 0.0 == shares["hunt"]
