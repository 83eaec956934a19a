"""Random rule sets over the whole ontology are judged: no crash, no stall, and every play within its bounds.

The checked slice of `make check` judges 4,000 of them; PCG_FUZZ_GAMES asks for another number, `make fuzz` for more.
"""

from __future__ import annotations

import json
import os

import pytest
from choices import SeededChoices
from random_games import random_play
from random_texts import mutated_play
from test_pathological import CROWD, LEVEL, SPAWNERS, written

from pcg.engine.coverage import Watch, rules_of
from pcg.engine.game import load
from pcg.engine.kernel.ids import ACTION_ID, EFFECT_ID
from pcg.engine.kernel.layout import FIRED
from pcg.engine.kernel.runtime import CHECKED, COMPILED
from pcg.engine.state import _bytes
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.games import GameEvaluation, GameEvaluator

pytestmark = pytest.mark.kernel

PORTIONS = 8 if COMPILED else 1
GAMES = int(os.environ.get("PCG_FUZZ_GAMES", (4_000 if CHECKED else 2_000) if COMPILED else 24))
"""Rule sets of a run; plain Python is a hundred times slower."""
TICKS = 30 if COMPILED else 4
WAITING = 5 * TICKS
"""So long is waited for a game that doing nothing might win."""
LADDER = "nothing random onestep mcts:budget=10 olets:budget=20"
MAX_WORK, MEAN_WORK = (5_000, 150) if COMPILED else (500, 100)
RANDOM_PLAYS = 2
"""Further random plays; the last evaluation has twice as many, of twice as many ticks."""
DEEPEST = 12
"""Ticks that an agent may still simulate once its allowance is used up: an iteration."""


def judge(seed: int) -> GameEvaluation | None:
    """The full profile of a random game, whatever is wrong with it; None for a text that is refused."""
    made = mutated_play if seed % 10 == 0 else random_play
    play = made(SeededChoices(seed))
    try:
        game = load(play.game, [play.level], reading="gvgai")
    except PcgError:
        return None
    evaluator = GameEvaluator(
        [play.level], ladder=LADDER, max_ticks=TICKS, waiting=WAITING, max_work=MAX_WORK, mean_work=MEAN_WORK,
        max_sprites=200, random_plays=RANDOM_PLAYS, random_ticks=TICKS,
    )  # fmt: skip
    found = evaluator.confirm(game, 1, seed)
    # a tick ends at the work that is too much, but what is begun then is done: a walk over all pairs of sprites
    tick = MAX_WORK + 1 + 2 * 600
    calls = (1, 1, 8, 11, 21)
    work = sum(MEAN_WORK * TICKS * n + (4 + DEEPEST) * tick for n in calls)
    work += 2 * RANDOM_PLAYS * (MEAN_WORK * 2 * TICKS + (4 + DEEPEST) * tick)
    assert found.work <= work + MEAN_WORK * WAITING + (4 + DEEPEST) * tick
    chance = 2 * RANDOM_PLAYS * (2 * TICKS + DEEPEST)
    assert found.calls <= sum(TICKS * (n + DEEPEST) for n in calls) + chance + WAITING + DEEPEST
    if seed % 16 == 0:
        assert evaluator.confirm(game, 1, seed) == found
        assert evaluator.evaluate(game, seed).reason
    return found


@pytest.mark.fuzz
@pytest.mark.parametrize("portion", range(PORTIONS))
def test_random_rule_sets_are_judged_within_bounds(portion):
    stopped = played = 0
    for seed in range(portion, GAMES, PORTIONS):
        found = judge(seed)
        if found is None:
            continue
        assert (found.reason == "") == found.feasible and 0.0 <= found.constraint <= 1.0 and 0.0 <= found.fitness <= 1.0
        assert all(0.0 <= value <= 1.0 for value in (*found.constraints.values(), *found.behaviour))
        assert all(p.low <= p.performance <= p.high for p in found.profile)
        assert GameEvaluation.from_json(json.loads(json.dumps(found.to_json()))) == found
        played += found.stage == "confirmed"
        stopped += min(found.constraints["sprites"], found.constraints["work"]) < 1.0 and found.stage == "confirmed"
    assert played > GAMES // PORTIONS // 3
    assert stopped > 0 or GAMES < 500


@pytest.mark.parametrize("portion", range(4 if COMPILED else 1))
def test_what_has_fired_is_what_a_watch_sees(portion):
    """The flags that a state keeps are those that replaying every tick with stand-ins for the effects finds out."""
    number = 40 if COMPILED else 16
    compared = 0
    for seed in range(portion * number, (portion + 1) * number):
        play = random_play(SeededChoices(seed))
        try:
            state = load(play.game, [play.level], reading="gvgai").start(0, play.seed)
        except PcgError:
            continue
        definition = state.game.definition
        watch = Watch(state, rules_of(definition))
        for codes in play.actions[:20]:
            if state.is_over or state.header.slots > 300:
                break
            before = state.copy()
            state.advance(codes if state.game.players == 2 else codes[0])
            watch.tick(before, state, codes if state.game.players == 2 else (codes[0], ACTION_ID["NIL"]))
        flags = _bytes(state.address + state.header.at_effects, len(definition.effects))
        fired = {e for e, flag in enumerate(flags.tolist()) if flag & FIRED}
        seen = {i - len(definition.types) for i in watch.coverage(state).used if i >= len(definition.types)}
        seen = {e for e in seen if e < len(definition.effects)}
        # a bounce off several walls at once is one execution of the kernel, which a watch misses for the dead
        batched = {e.index for e in definition.effects if e.name in ("wallBounce", "wallReverse")}
        assert all(e.name in EFFECT_ID for e in definition.effects)
        assert fired - batched == seen - batched and seen <= fired
        compared += bool(fired)
    assert compared > number // 5


@pytest.mark.parametrize("name", SPAWNERS)
def test_games_that_multiply_are_stopped_with_a_reason(name):
    sprites, rules = SPAWNERS[name]
    level = CROWD if "others" in name else LEVEL
    game = load(written(sprites, rules, header="BasicGame square_size=10 obs=wall"))
    settings = {"ladder": LADDER, "max_ticks": 200, "max_sprites": 200}
    if not COMPILED:
        settings |= {"max_ticks": 40, "max_sprites": 40, "proof": 50}
    evaluator = GameEvaluator([level], max_work=MAX_WORK, mean_work=MEAN_WORK, **settings)
    found = evaluator.confirm(game, 1, 1)
    assert len(found.profile) == 5 and found.reason and found.metrics["most_sprites"] <= 200
    assert min(found.constraints["sprites"], found.constraints["work"]) < 1.0
    assert evaluator.evaluate(game, 1).stage in ("check", "nothing")
