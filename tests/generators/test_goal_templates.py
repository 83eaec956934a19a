"""Goals of several rules: they fit their sprites, compile, and are of families that single rules do not make."""

from __future__ import annotations

import numpy as np
import pytest

import pcg
from pcg.generators.rules import RuleSpace
from pcg.generators.rules.goal_templates import draw_goal_template
from pcg.generators.rules.learned import LearnedSpace
from pcg.generators.rules.playability_repair import repair_playability


@pytest.mark.parametrize(("name", "families"), [("boxes", 1), ("dungeon", 4), ("survival", 2), ("invaders", 1)])
def test_goals_compile_and_can_be_won(name: str, families: int) -> None:
    game = pcg.load(name)
    space = LearnedSpace(RuleSpace.of(game.definition.source, game.levels[:2]))
    rng = np.random.default_rng(5)
    seen = set()
    for _ in range(12):
        goal = draw_goal_template(space, rng)
        assert goal is not None and any(ending.wins for ending in goal.terminations)
        whole = repair_playability(space, goal, rng, share=1.0, most=30)
        assert set(goal.rules) <= set(whole.rules)
        compiled = space.compile(whole)
        assert compiled.ok, compiled.diagnostics
        endings = tuple((ending.name, ending.wins) for ending in goal.terminations)
        seen.add((endings, tuple(rule.effect for rule in goal.rules)))
    effects = {effect for _, found in seen for effect in found}
    assert len(seen) >= families and ("bounceForward" in effects) == (name != "invaders")


def test_equal_seeds_draw_equal_goals() -> None:
    game = pcg.load("dungeon")
    space = LearnedSpace(RuleSpace.of(game.definition.source, game.levels[:1]))
    drawn = [[draw_goal_template(space, np.random.default_rng(k)) for k in range(6)] for _ in range(2)]
    assert drawn[0] == drawn[1]
