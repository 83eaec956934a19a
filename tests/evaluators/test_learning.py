"""The learning track and its linear learner: rules, features, one update by hand, and that learning helps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pcg
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.learning import CIG2017, GYM2018, Clock, Learner, LearningTrack, LinearSarsa, run_track, track
from pcg.evaluators.learning.features import RelativeFeatures
from pcg.evaluators.tournament.rules import DISQUALIFIED, LOST, NO_WINNER, WON

CORRIDOR = """BasicGame
    SpriteSet
        floor > Immovable
        goal > Immovable
        trap > Immovable hidden=True
        avatar > MovingAvatar
    LevelMapping
        . > floor
        A > avatar floor
        g > goal floor
        t > trap floor
    InteractionSet
        avatar wall > stepBack
        goal avatar > killSprite scoreChange=1
        avatar trap > killSprite
        avatar EOS > stepBack
    TerminationSet
        SpriteCounter stype=goal limit=0 win=True
        SpriteCounter stype=avatar limit=0 win=False
"""
LEVELS = [
    "wwwwwwwww\nwA......w\nw......gw\nw.......w\nwwwwwwwww\n",
    "wwwwwwwww\nw.......w\nw.A....gw\nw.......w\nwwwwwwwww\n",
    "wwwwwwwww\nw.......w\nw.......w\nw...A..gw\nwwwwwwwww\n",
    "wwwwwwwww\nw..A....w\nw......gw\nw.......w\nwwwwwwwww\n",
    "wwwwwwwww\nw.......w\nw.......w\nw..A...gw\nwwwwwwwww\n",
]
QUICK = LearningTrack(seconds=None, steps=20_000, plays=3, max_ticks=60, parallel=16)


@pytest.fixture(scope="module")
def game() -> Any:
    return pcg.load(CORRIDOR, levels=LEVELS)


# --- rules ------------------------------------------------------------------------------------------------------------


def test_the_tracks_are_those_of_the_text() -> None:
    assert (CIG2017.training, CIG2017.test, CIG2017.seconds, CIG2017.plays) == ((0, 1, 2), (3, 4), 300, 10)
    assert CIG2017.decision_ms == 40 and GYM2018.decision_ms == 100
    assert (len(GYM2018.training), len(GYM2018.test)) == (2, 3)


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ({"steps": 5}, "one of the two"),
        ({"seconds": None}, "one of the two"),
        ({"plays": 0}, "more than 0"),
        ({"training": (0, 3)}, "and others"),
    ],
)
def test_rules_that_make_no_sense_are_refused(about: dict[str, Any], message: str) -> None:
    with pytest.raises(PcgError, match=message):
        LearningTrack(**about)


def test_a_clock_counts_steps_or_seconds() -> None:
    clock = Clock(steps=100)
    clock.spend(99)
    assert not clock.over and clock.share == 0.99
    clock.spend(1)
    assert clock.over
    assert Clock(seconds=1e-9).over and not Clock(seconds=1e6).over


class Scripted(Learner):
    """Learns nothing, writes down what it is given, and acts as it is told."""

    def __init__(self, action: int, burn: float = 0.0) -> None:
        super().__init__(seed=0)
        self.action, self.burn = action, burn
        self.levels: set[int] = set()
        self.ends: list[tuple[bool, float]] = []

    def learn(self, plays: Any, clock: Clock) -> None:
        while not clock.over:
            self.levels |= set(plays._plays.levels.tolist())
            plays.step(np.full(plays.num_envs, self.action))
            clock.spend(plays.num_envs)

    def act(self, observation: Any, mask: Any) -> int:
        import time

        until = time.thread_time() + self.burn / 1000
        while time.thread_time() < until:
            pass
        return self.action

    def result(self, won: bool, score: float) -> None:
        self.ends.append((won, score))


def test_learners_see_training_levels_alone_and_are_tested_on_the_others(game: Any) -> None:
    right = list(pcg.env(game).actions).index("RIGHT")
    learner = Scripted(right)
    done = run_track(game, learner, QUICK, seed=4)
    assert learner.levels == {0, 1, 2} and done.steps == 20_000
    assert [(play.level, play.seed) for play in done.plays] == [(k, 1_000_004 + s) for k in (3, 4) for s in range(3)]
    assert [play.outcome for play in done.plays] == [NO_WINNER] * 3 + [WON] * 3
    assert (done.wins, done.score, learner.ends[-1]) == (3, 0.5, (True, 1.0))
    assert {play.ticks for play in done.plays} == {60, 4}


def test_late_decisions_are_replaced_and_later_ones_disqualify(game: Any) -> None:
    right = list(pcg.env(game).actions).index("RIGHT")
    timed = LearningTrack(seconds=0.01, plays=1, max_ticks=9, parallel=2, decision_ms=10.0, test=(4,))
    late = run_track(game, Scripted(right, burn=14), timed).plays[0]
    assert (late.outcome, late.late, late.ticks) == (NO_WINNER, 9, 9)
    over = run_track(game, Scripted(right, burn=30), timed).plays[0]
    assert (over.outcome, over.score) == (DISQUALIFIED, -1000.0)
    counted = LearningTrack(seconds=None, steps=10, plays=1, max_ticks=9, parallel=2, decision_ms=10.0, test=(4,))
    assert run_track(game, Scripted(right, burn=30), counted).plays[0].outcome == WON


def test_levels_that_do_not_exist_and_games_for_two_are_refused(game: Any) -> None:
    with pytest.raises(PcgError, match="no level 7"):
        run_track(game, Scripted(0), LearningTrack(test=(7,)))
    with pytest.raises(PcgError, match="for 2 players"):
        run_track(pcg.load("duel"), Scripted(0))


# --- features ---------------------------------------------------------------------------------------------------------


def see(game: Any, level: str, radius: int = 1) -> tuple[RelativeFeatures, Any]:
    features = RelativeFeatures(game, radius)
    observation, _ = pcg.env(game, level=level).reset(seed=1)
    return features, features(observation[None])[0]


def test_features_do_not_depend_on_where_in_the_level_things_are(game: Any) -> None:
    small = see(game, "wwwwwww\nw.....w\nw.A.g.w\nw.....w\nwwwwwww\n")[1]
    planes = see(game, "wwwwwww\nw.....w\nw.A.g.w\nw.....w\nwwwwwww\n")[0].planes
    large = see(game, "wwwwwwwww\nw.......w\nw.......w\nw...A.g.w\nw.......w\nwwwwwwwww\n")[1]
    walls = [k for k in range(len(small)) if small[k] != large[k]]
    side, places = 9, 46
    first = planes * side  # the wall is elsewhere, everything else is the same
    assert all(first <= k < first + places for k in walls)


def test_the_nearest_sprite_is_told_by_direction_and_distance(game: Any) -> None:
    features, near = see(game, "wwwwwww\nw.....w\nw.A.g.w\nw.....w\nwwwwwww\n")
    _, far = see(game, "wwwwwwwwwwwwww\nw............w\nw.A.......g..w\nw............w\nwwwwwwwwwwwwww\n")
    _, left = see(game, "wwwwwww\nw.....w\nwg..A.w\nw.....w\nwwwwwww\n")
    _, none = see(game, "wwwwwww\nw.....w\nw...A.w\nw.....w\nwwwwwww\n")
    names = pcg.env(game).unwrapped.observer.names
    start = features.planes * 9 + 46 * names.index("goal")
    told = [one[start : start + 46] for one in (near, far, left, none)]
    assert all(one.sum() == 1 for one in told)
    assert [int(one.argmax()) for one in told] == [5 * 5 + 1, 5 * 5 + 3, 5 * 3 + 2, 45]


def test_hidden_sprites_change_no_feature(game: Any) -> None:
    plain = see(game, "wwwwwww\nw.....w\nw.A.g.w\nw.....w\nwwwwwww\n")[1]
    trapped = see(game, "wwwwwww\nw..t..w\nw.A.g.w\nw..t..w\nwwwwwww\n")[1]
    assert np.array_equal(plain, trapped)


# --- the learner ------------------------------------------------------------------------------------------------------


@pytest.mark.full
def test_what_was_learned_on_some_levels_wins_on_others(game: Any) -> None:
    done = [run_track(game, LinearSarsa(seed=seed, step_size=0.3), QUICK) for seed in (1, 2, 3)]
    idle = LearningTrack(seconds=None, steps=16, plays=3, max_ticks=60, parallel=16)
    before = [run_track(game, LinearSarsa(seed=seed), idle) for seed in (1, 2, 3)]
    assert sum(one.wins for one in done) >= 15 > 9 > sum(one.wins for one in before)


def test_the_same_seed_and_steps_learn_the_same(game: Any) -> None:
    short = LearningTrack(seconds=None, steps=3000, plays=2, max_ticks=30, parallel=8)
    assert run_track(game, LinearSarsa(seed=5), short) == run_track(game, LinearSarsa(seed=5), short)
    assert run_track(game, LinearSarsa(seed=5), short, seed=9).plays[0].seed == 1_000_009


def test_one_tick_teaches_the_weights_of_the_action_played(game: Any) -> None:
    one = LearningTrack(seconds=None, steps=1, parallel=1, training=(0,), test=(3,), plays=1, max_ticks=1)
    close = pcg.load(CORRIDOR, levels=["wwwww\nw.Agw\nwwwww\n", *LEVELS[1:]])
    for seed in range(40):
        learner = LinearSarsa(seed=seed, step_size=0.5)
        run_track(close, learner, one)
        changed = np.flatnonzero(np.abs(learner.weights).sum(1))
        if len(changed):
            (action,) = changed
            assert pcg.env(close).actions[action] == "RIGHT"
            # 1 point and the bonus, half of it, shared by the features that are set
            seen = learner.weights[action][learner.weights[action] != 0]
            expected = 0.5 * np.log1p(1 + track.WIN_BONUS)
            assert seen.sum() == pytest.approx(expected, rel=1e-4) and np.allclose(seen, seen[0])
            return
    pytest.fail("no play went right")


def test_actions_that_are_not_possible_are_not_chosen(game: Any) -> None:
    learner = LinearSarsa(seed=2)
    values = np.array([[5.0, 1.0, 2.0]] * 200, np.float32)
    mask = np.array([[0, 1, 1]] * 200)
    assert set(learner._choose(values, mask, 0.5).tolist()) == {1, 2}
    assert set(learner._choose(values, mask, 0.0).tolist()) == {2}


def test_plays_without_an_avatar_do_not_upset_what_was_learned() -> None:
    done = LinearSarsa(seed=1, step_size=0.5)
    run_track(pcg.load("dungeon"), done, LearningTrack(seconds=None, steps=20_000, plays=1, max_ticks=50))
    assert np.isfinite(done.weights).all() and np.abs(done.weights).max() < 10


def test_numbers_out_of_range_are_refused() -> None:
    with pytest.raises(PcgError, match="trace is 2"):
        LinearSarsa(trace=2.0)
    with pytest.raises(PcgError, match="step_size"):
        LinearSarsa(step_size=0.0)
    with pytest.raises(PcgError, match="nothing yet"):
        LinearSarsa().act(None, None)


def test_losing_is_told_apart_from_running_out_of_time() -> None:
    deadly = pcg.load(CORRIDOR, levels=["wwwww\nwA.gw\nwwwww\n", "wwwww\nwAtgw\nwwwww\n"])
    right = list(pcg.env(deadly).actions).index("RIGHT")
    only = LearningTrack(seconds=None, steps=4, training=(0,), test=(1,), plays=1, max_ticks=5, parallel=2)
    assert run_track(deadly, Scripted(right), only).plays[0].outcome == LOST
    assert run_track(deadly, Scripted(0), only).plays[0].outcome == NO_WINNER
