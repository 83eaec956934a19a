"""The formulae of fast evolutionary MCTS, each on numbers worked out by hand."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from pcg.engine.kernel.exponents import logarithms
from pcg.engine.kernel.random import scramble
from pcg.engine.kernel.runtime import entry_point, invoke1, invoke2, invoke3, invoke5, store_double
from pcg.evaluators.agents.compiled import Array, Record
from pcg.evaluators.agents.kernel.knowledge_base import (
    KNOWLEDGE,
    curiosity,
    experience,
    learn,
    learn_contacts,
)
from pcg.evaluators.agents.kernel.rollout_policy import (
    POLICY,
    begin_evolution,
    begin_trial,
    draw_softmax,
    end_trial,
    exponentiate,
    mutate,
    weigh_actions,
)

pytestmark = pytest.mark.kernel

# --- the formulae as Python can call them -----------------------------------------------------------------------------


@entry_point("i8(i8, i8, i8)")
def learn_hundredths(knowledge: int, item: int, change: int) -> int:
    learn(knowledge, item, change / 100.0)
    return 0


@entry_point("i8(i8, i8)")
def learn_from_contacts(knowledge: int, features: int) -> int:
    learn_contacts(knowledge, features, 8)
    return 0


@entry_point("i8(i8, i8)")
def write_curiosity(knowledge: int, out: int) -> int:
    store_double(out, curiosity(knowledge))
    return 0


@entry_point("i8(i8, i8, i8)")
def write_experience(knowledge: int, features: int, out: int) -> int:
    store_double(out, experience(knowledge, features, 8))
    return 0


@entry_point("i8(i8, i8, i8, i8, i8)")
def weigh(policy: int, features: int, pairs: int, actions: int, count: int) -> int:
    weigh_actions(policy, features, pairs, actions, count)
    return 0


@entry_point("i8(i8, i8, i8)")
def write_exponentials(values: int, count: int, out: int) -> int:
    store_double(out, exponentiate(values, count))
    return 0


@entry_point("i8(i8, i8, i8)")
def draw(policy: int, random: int, count: int) -> int:
    return draw_softmax(policy, random, count)


@entry_point("i8(i8, i8)")
def make_offspring(policy: int, random: int) -> int:
    mutate(policy, random)
    return 0


@entry_point("i8(i8)")
def start_evolution(policy: int) -> int:
    begin_evolution(policy)
    return 0


@entry_point("i8(i8, i8)")
def start_trial(policy: int, random: int) -> int:
    begin_trial(policy, random)
    return 0


@entry_point("i8(i8, i8)")
def finish_trial(policy: int, reward: int) -> int:
    end_trial(policy, 1.0 * reward)
    return 0


def pointer(array: Array) -> int:
    return int(array.ctypes.data)


def draw_number(random: Array) -> float:
    """The next number between 0 and 1 of java.util.Random, whose state goes on."""
    bits = []
    for width in (26, 27):
        random[0] = (int(random[0]) * 0x5DEECE66D + 0xB) & ((1 << 48) - 1)
        bits.append(int(random[0]) >> (48 - width))
    return ((bits[0] << 27) + bits[1]) * 2.0**-53


class Knowledge:
    """A knowledge base of eight kinds with the given numbers."""

    def __init__(self) -> None:
        self.record = Record(KNOWLEDGE, kinds=8)
        self.used = self.record.point("used", np.ones(8, dtype=np.int8))
        self.counts = self.record.point("counts", np.zeros(16, dtype=np.int64))
        self.gains = self.record.point("gains", np.zeros(16, dtype=np.float64))
        self.before = self.record.point("before", np.zeros(16, dtype=np.int64))
        self.distances = self.record.point("distances", np.zeros(8, dtype=np.float64))
        self.features = np.zeros((8, 2), dtype=np.float64)
        self._out = np.zeros(1, dtype=np.float64)

    def curiosity(self) -> float:
        invoke2(write_curiosity.address, self.record.address, pointer(self._out))
        return float(self._out[0])

    def experience(self) -> float:
        invoke3(write_experience.address, self.record.address, pointer(self.features), pointer(self._out))
        return float(self._out[0])


class Policy:
    """A policy over three kinds and five action codes."""

    KINDS, ACTIONS = 3, 5

    def __init__(self, sigma: float = 0.5, rollouts: int = 1) -> None:
        self.record = Record(
            POLICY, kinds=self.KINDS, actions=self.ACTIONS, sign=1.0, sigma=sigma, rollouts=rollouts
        )  # fmt: skip
        self.choose(*range(self.KINDS))
        size = self.KINDS * self.ACTIONS
        self.lasting = self.record.point("lasting", np.zeros(1 + self.KINDS + size, dtype=np.int64))
        address = self.record["lasting"]
        self.record["seen"], self.record["columns"] = address, address + 8
        self.record["parent"] = address + 8 * (1 + self.KINDS)
        self.columns = self.lasting[1 : 1 + self.KINDS]
        self.columns[:] = -1
        self.parent = self.lasting[1 + self.KINDS :].view(np.float64).reshape(self.KINDS, self.ACTIONS)
        self.record.point("saved", self.lasting.copy())
        self.child = self.record.point("child", np.zeros((self.KINDS, self.ACTIONS), dtype=np.float64))
        self.record.point("terms", np.zeros(2 * self.KINDS, dtype=np.int64))
        self.values = self.record.point("values", np.zeros(self.ACTIONS, dtype=np.float64))
        self.record.point("weights", np.zeros(self.ACTIONS, dtype=np.float64))
        self.played = self.record.point("played", np.ones(self.ACTIONS, dtype=np.int8))
        self.record.point("rest", np.zeros((size // 2 + 1, 4), dtype=np.float64))
        self.random = np.array([scramble(1)], dtype=np.int64)

    def choose(self, *kinds: int) -> None:
        """Let the distances of these kinds be features."""
        self.record.point("chosen", np.array(kinds, dtype=np.int64))
        self.record["chosen_count"] = len(kinds)

    @property
    def seen(self) -> int:
        return int(self.lasting[0])

    def weigh(self, distances: list[float], codes: list[int]) -> list[float]:
        features = np.array([[1.0, d] for d in distances], dtype=np.float64)
        actions = np.array(codes, dtype=np.int64)
        at = (self.record.address, pointer(features), len(distances), pointer(actions), len(codes))
        invoke5(weigh.address, *at)
        return list(self.values[: len(codes)])

    def trial(self, reward: int) -> Array:
        """One rollout with this reward; the weights it used."""
        invoke2(start_trial.address, self.record.address, pointer(self.random))
        used = (self.child if self.record["offspring"] else self.parent)[: self.seen].copy()
        invoke2(finish_trial.address, self.record.address, reward)
        return used


# --- the knowledge base -----------------------------------------------------------------------------------------------


def test_x_is_the_mean_change_of_the_score_over_the_occurrences() -> None:
    base = Knowledge()
    for change in (200, 0, 100, -50):
        invoke3(learn_hundredths.address, base.record.address, 5, change)
    invoke3(learn_hundredths.address, base.record.address, 2, -300)
    assert list(base.counts) == [0, 0, 1, 0, 0, 4] + [0] * 10
    assert base.gains[5] == pytest.approx((2 + 0 + 1 - 0.5) / 4)
    assert base.gains[2] == -3


def test_curiosity_counts_what_is_new_fully_and_what_is_known_by_its_growth() -> None:
    base = Knowledge()
    base.before[:5] = [0, 4, 0, 10, 100]
    base.counts[:5] = [3, 6, 0, 10, 101]
    base.before[9] = 2  # what the avatar made met kind 1: an item of its own
    base.counts[9] = 6
    assert base.curiosity() == pytest.approx(3 + (6 / 4 - 1) + 0 + 0 + 1 / 100 + (6 / 2 - 1))


def test_a_rollout_in_which_nothing_happened_is_not_curious() -> None:
    base = Knowledge()
    base.before[:] = base.counts[:] = 7
    assert base.curiosity() == 0


def test_experience_is_the_way_made_towards_the_unknown_and_the_good() -> None:
    base = Knowledge()
    #                     never met  good  bad  worthless  none before  none after  on it  met in this rollout
    base.distances[:] = [8, 4, 5, 6, -1, 3, 0, 10]
    base.features[:, 1] = [6, 5, 1, 1, 2, -1, 2, 4]
    base.before[:] = [0, 2, 2, 2, 0, 0, 0, 0] + [0] * 8
    base.counts[:] = [0, 2, 2, 2, 0, 0, 0, 3] + [0] * 8
    base.gains[1:4] = [0.5, -1, 0]
    assert base.experience() == pytest.approx((1 - 6 / 8) + (1 - 5 / 4) + (1 - 4 / 10))


def test_a_kind_is_good_when_its_occurrences_gained_in_all_whoever_met_it() -> None:
    base = Knowledge()
    base.distances[0] = 10
    base.features[0, 1] = 5
    base.before[[0, 8]] = base.counts[[0, 8]] = [1, 3]  # touched once, shot three times
    base.gains[[0, 8]] = [-1, 1]
    assert base.experience() == pytest.approx(0.5)
    base.gains[0] = -3
    assert base.experience() == 0
    base.gains[0] = -4
    assert base.experience() == 0


def test_standing_on_a_kind_never_met_is_meeting_it_without_gain() -> None:
    base = Knowledge()
    base.counts[[2, 8 + 3]] = [5, 1]  # met by the avatar, and by what it made
    base.gains[2] = 2
    base.features[:, 1] = [0, 0.5, 0, 0, 1, -1, 4, 4]
    for _ in range(2):
        invoke2(learn_from_contacts.address, base.record.address, pointer(base.features))
    assert list(base.counts) == [1, 1, 5, *[0] * 8, 1, *[0] * 4]
    assert base.gains[:3].tolist() == [0, 0, 2]


# --- the rollout policy -----------------------------------------------------------------------------------------------


def test_an_action_is_weighed_by_its_weights_times_the_distances() -> None:
    policy = Policy()
    policy.weigh([1, 1, 1], [1])  # the kinds get their columns in order
    policy.parent[:] = [[0, 1, 2, 3, 4], [0, -1, 0.5, 0, 10], [9, 9, 9, 9, 9]]
    assert policy.weigh([2, 3, -1], [1, 2, 4]) == [2 - 3, 4 + 1.5, 8 + 30]  # the third kind is not there
    policy.record["sign"] = -1.0  # e^(-a_i), as the text on planning has it
    assert policy.weigh([2, 3, -1], [1, 2, 4]) == [3 - 2, -4 - 1.5, -8 - 30]
    policy.choose(0, 2)
    assert policy.weigh([2, 3, -1], [1, 2, 4]) == [-2, -4, -8]


def test_kinds_that_are_not_used_are_neither_learnt_nor_sought() -> None:
    base = Knowledge()
    base.distances[:2] = [8, 8]
    base.features[:, 1] = [4, 4, 0, -1, -1, -1, -1, -1]
    base.used[[0, 2]] = 0
    assert base.experience() == 0.5
    invoke2(learn_from_contacts.address, base.record.address, pointer(base.features))
    assert not base.counts.any()


def test_probabilities_are_a_softmax() -> None:
    policy = Policy()
    out = np.zeros(1, dtype=np.float64)
    policy.values[:3] = [math.log(1), math.log(2), math.log(5)]
    invoke3(write_exponentials.address, pointer(policy.values), 3, pointer(out))
    assert list(policy.values[:3] / out[0]) == pytest.approx([1 / 8, 2 / 8, 5 / 8])
    policy.values[:2] = [5000, 5000 + math.log(3)]  # exp of either is beyond any double
    invoke3(write_exponentials.address, pointer(policy.values), 2, pointer(out))
    assert list(policy.values[:2] / out[0]) == pytest.approx([0.25, 0.75])


def test_actions_are_drawn_with_their_probabilities() -> None:
    policy = Policy()
    drawn: Counter[int] = Counter()
    for _ in range(4000):
        policy.values[:3] = [math.log(1), math.log(2), math.log(5)]
        drawn[invoke3(draw.address, policy.record.address, pointer(policy.random), 3)] += 1
    assert set(drawn) == {0, 1, 2}
    for k, probability in enumerate((1 / 8, 2 / 8, 5 / 8)):
        assert abs(drawn[k] / 4000 - probability) < 0.03


def test_draws_are_those_of_exact_exponentials() -> None:
    """Approximate ones decide most draws; what they decide, and where they cannot, must not be seen."""
    policy = Policy()
    rng = np.random.default_rng(1)
    exact, total = np.zeros(5), np.zeros(1)
    for k in range(3000):
        count = 1 + k % 5
        exact[:] = rng.normal(0, rng.choice([0.0, 0.1, 3.0, 300.0, 1e4]), 5).round(rng.integers(0, 4))
        if k % 100 == 99:
            exact[rng.integers(5)] = rng.choice([math.inf, -math.inf])
        policy.values[:] = exact
        start = policy.random.copy()
        chosen = invoke3(draw.address, policy.record.address, pointer(policy.random), count)
        invoke3(write_exponentials.address, pointer(exact), count, pointer(total))
        left = draw_number(start) * total[0]
        expected = 0
        while expected < count - 1:
            left -= exact[expected]
            if left < 0.0:
                break
            expected += 1
        assert chosen == expected
        assert start[0] == policy.random[0]


def test_draws_beside_a_boundary_are_exact() -> None:
    policy = Policy()
    exact, total = np.zeros(5), np.zeros(1)
    for k in range(200):
        state = np.array([scramble(k)], dtype=np.int64)
        share = draw_number(state.copy())
        # the first action's share of the sum is that of the draw, but for rounding
        exact[:2] = [math.log(share), math.log1p(-share)]
        policy.values[:2] = exact[:2]
        chosen = invoke3(draw.address, policy.record.address, pointer(state), 2)
        invoke3(write_exponentials.address, pointer(exact), 2, pointer(total))
        assert chosen == int(share * total[0] - exact[0] >= 0.0)


def test_noise_is_that_of_numbers_drawn_one_by_one() -> None:
    policy = Policy(sigma=0.5)
    policy.weigh([1, 1, 1], [1])
    start = policy.random.copy()
    invoke2(make_offspring.address, policy.record.address, pointer(policy.random))
    noise: list[float] = []
    while len(noise) < 15:
        x, y = 2.0 * draw_number(start) - 1.0, 2.0 * draw_number(start) - 1.0
        square = x * x + y * y
        if 0.0 < square < 1.0:
            logarithm = np.array([square])
            invoke2(logarithms.address, pointer(logarithm), 1)
            scale = 0.5 * math.sqrt(-2.0 * logarithm[0] / square)
            noise += [scale * x, scale * y]
    assert policy.child.ravel().tolist() == noise[:15]
    assert start[0] == policy.random[0]


@pytest.mark.parametrize("kinds", [1, 2, 3])
def test_weights_of_codes_never_played_are_made_when_they_are_asked_for(kinds: int) -> None:
    whole, late, better = Policy(), Policy(), Policy()
    distances = [1.0] * kinds + [-1.0] * (3 - kinds)
    for policy in (whole, late, better):
        policy.weigh(distances, [1])
    late.played[:] = better.played[:] = [0, 0, 1, 0, 0]
    assert (whole.trial(1) == late.trial(1)).all() and (better.trial(1) == 0).all()
    invoke2(start_trial.address, whole.record.address, pointer(whole.random))
    invoke2(start_trial.address, late.record.address, pointer(late.random))
    assert (whole.child[:kinds, 2] == late.child[:kinds, 2]).all() and (whole.child != late.child).any()
    assert late.weigh(distances, [2, 4]) == whole.weigh(distances, [2, 4])
    assert (whole.child == late.child).all() and list(late.played) == [0, 0, 1, 0, 1]
    better.trial(2)  # what takes its parent's place is whole
    assert (better.parent == whole.child).all()


def test_new_kinds_extend_the_weights_and_leave_the_others_alone() -> None:
    policy = Policy()
    assert policy.weigh([-1, 3, -1], [1, 2]) == [0, 0]
    assert policy.seen == 1 and list(policy.columns) == [-1, 0, -1]
    policy.parent[0] = [0, 1, -1, 2, -2]
    policy.parent[1:] = 99  # whatever lies there
    policy.child[:] = 99
    assert policy.weigh([5, 3, -1], [1, 2]) == [3, -3]
    assert policy.seen == 2 and list(policy.columns) == [1, 0, -1]
    assert policy.parent[:2].tolist() == [[0, 1, -1, 2, -2], [0, 0, 0, 0, 0]]
    assert policy.child[1].tolist() == [0, 0, 0, 0, 0]
    policy.weigh([5, -1, 0], [1])  # a kind that has gone keeps its column, one in the avatar's cell gets one
    assert policy.seen == 3 and list(policy.columns) == [1, 0, 2]


def test_offspring_are_the_parent_with_normal_noise() -> None:
    policy = Policy(sigma=0.5)
    policy.weigh([1, 1, -1], [1])
    policy.parent[:] = 3
    policy.child[:] = 77
    drawn = []
    for _ in range(400):
        invoke2(make_offspring.address, policy.record.address, pointer(policy.random))
        drawn.append(policy.child.copy())
    noise = np.array(drawn)[:, :2].ravel() - 3
    assert abs(noise.mean()) < 0.03 and abs(noise.std() - 0.5) < 0.03
    assert 0.65 < np.mean(np.abs(noise) < 0.5) < 0.72  # 68 % within one deviation
    assert (policy.parent == 3).all() and (policy.child[2] == 77).all()


def test_a_better_offspring_takes_its_parents_place_and_no_other_does() -> None:
    policy = Policy()
    policy.weigh([1, 1, -1], [1])
    invoke1(start_evolution.address, policy.record.address)
    assert (policy.trial(5) == 0).all()  # the parent is judged first
    for reward in (4, 5, -1):
        policy.trial(reward)
        assert (policy.parent == 0).all()
    better = policy.trial(6)
    assert (better != 0).all() and (policy.parent[:2] == better).all()
    policy.trial(6)
    assert (policy.parent[:2] == better).all()
    invoke1(start_evolution.address, policy.record.address)  # another state: the parent has to show its worth again
    assert (policy.trial(1) == better).all()
    assert (policy.trial(2) != better).all()
    assert (policy.parent[:2] != better).all()


def test_an_offspring_is_judged_by_the_mean_of_its_rollouts() -> None:
    policy = Policy(rollouts=3)
    policy.weigh([1, -1, -1], [1])
    invoke1(start_evolution.address, policy.record.address)
    assert all((policy.trial(r) == 0).all() for r in (2, 4, 3))
    worse = [policy.trial(r) for r in (9, 0, 0)]
    assert (worse[0] == worse[1]).all() and (worse[0] == worse[2]).all() and (worse[0] != 0).all()
    assert (policy.parent == 0).all()
    better, *_ = [policy.trial(r) for r in (2, 4, 4)]
    assert (policy.parent[0] == better).all() and (better != worse[0]).all()
