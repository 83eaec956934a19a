"""Plans of whole games: they fit their sprites, compile, and are of the families that they are named after."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from pcg.engine.game import load
from pcg.evaluators.judging.concepts import concept_of
from pcg.generators.rules import RuleSpace
from pcg.generators.rules.casting import Casting, Draft, Unfit
from pcg.generators.rules.goal_plans import PLANS, draw_plan
from pcg.generators.rules.learned import LearnedSpace
from pcg.generators.rules.playability_repair import repair_playability
from pcg.generators.rules.twists import TWISTS


@cache
def learned(name: str) -> LearnedSpace:
    game = load(name)
    return LearnedSpace(RuleSpace.of(game.definition.source, game.levels[:2]))


@pytest.mark.parametrize(
    ("plan", "sprites", "families"),
    [
        ("gather", "dungeon", {"collect", "hunt"}), ("reach", "dungeon", {"reach", "collect", "hunt"}),
        ("unlock", "dungeon", {"reach", "collect"}), ("hunt", "hunt", {"hunt"}), ("destroy", "invaders", {"destroy"}),
        ("survive", "hunt", {"survive"}), ("push", "boxes", {"push", "reach", "collect", "destroy"}),
        ("escort", "hunt", {"escort", "hunt"}), ("race", "hunt", {"race", "collect"}),
        ("guard", "dungeon", {"destroy", "hunt"}), ("lure", "dungeon", {"destroy", "escort"}),
    ],
)  # fmt: skip
def test_a_plan_is_a_game_of_its_family(plan: str, sprites: str, families: set[str]) -> None:
    space = learned(sprites)
    rng = np.random.default_rng(3)
    seen = set()
    for _ in range(6):
        drawn = draw_plan(space, rng, [plan])
        assert drawn is not None and drawn[0] == plan
        rules = repair_playability(space, drawn[1], rng, share=1.0, most=30)
        assert any(ending.wins for ending in rules.terminations)
        compiled = space.compile(rules)
        assert compiled.ok, compiled.diagnostics
        assert compiled.definition is not None
        seen.add(plan_family(space, rules))
    assert seen & families, seen


def plan_family(space: LearnedSpace, rules) -> str:  # type: ignore[no-untyped-def]
    game = load(space.text(rules), levels=list(space.levels))
    return concept_of(game, [game.read_level(level) for level in space.levels]).goal


def test_sprites_that_have_no_part_fit_no_plan_that_asks_for_it() -> None:
    boxes = learned("boxes")
    rng = np.random.default_rng(1)
    assert draw_plan(boxes, rng, ["survive"]) is None, "nothing moves by itself"
    assert draw_plan(boxes, rng, ["hunt", "push"])[0] == "push", "the next plan is tried"  # type: ignore[index]


def test_equal_seeds_draw_equal_plans() -> None:
    names = list(PLANS)
    drawn = [[draw_plan(learned("dungeon"), np.random.default_rng(k), names[k:]) for k in range(8)] for _ in range(2)]
    assert drawn[0] == drawn[1] and len({name for name, _ in drawn[0]}) >= 5  # type: ignore[misc]


def test_parts_are_told_by_what_sprites_do() -> None:
    hunt, invaders, boxes = (Casting(learned(name)) for name in ("hunt", "invaders", "boxes"))
    assert hunt.fleeing and hunt.pursuing and not set(hunt.fleeing) & set(hunt.dangerous)
    assert invaders.bombers and set(invaders.bombers) <= set(invaders.dangerous) and not invaders.things
    assert boxes.passive and not boxes.dangerous
    assert invaders.of("shot") and not invaders.walks and hunt.walks


def test_what_cannot_meet_gets_no_rule() -> None:
    draft = Draft(Casting(learned("dungeon")), np.random.default_rng(1))
    with pytest.raises(Unfit):
        draft.add(draft.hero, "wall", "collectResource")
    with pytest.raises(Unfit):
        draft.win("a", "b", "c", "d")
    draft.kill("skeleton")
    free = len(draft.free(draft.cast.things))
    parts = [draft.one(draft.cast.things) for _ in range(free) if draft.free(draft.cast.things)]
    assert parts and len(set(parts)) == len(parts), "nobody plays two parts"
    with pytest.raises(Unfit):
        draft.one(draft.cast.things)
    draft.force("skeleton", draft.hero, "undoAll")
    assert draft.result().rules[-1].get("notStype") == "skeleton", "who kills is not put back"


@pytest.mark.parametrize("twist", TWISTS, ids=lambda twist: twist.__name__.strip("_"))
def test_a_twist_changes_the_game_and_compiles(twist) -> None:  # type: ignore[no-untyped-def]
    for name in ("dungeon", "survival", "hunt", "snakes", "portals", "invaders"):
        space = learned(name)
        for seed, plan in enumerate([*PLANS] * 3):
            draft = Draft(Casting(space), np.random.default_rng(seed))
            try:
                PLANS[plan](draft)
                for danger in draft.free(draft.cast.dangerous)[:1]:
                    draft.kill(danger)
                before = draft.result()
                twist(draft)
            except Unfit:
                continue
            assert draft.result() != before
            compiled = space.compile(draft.result())
            assert compiled.ok, compiled.diagnostics
            return
    pytest.fail("no sprites fit")
