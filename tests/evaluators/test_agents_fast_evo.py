"""Knowledge-based fast evolutionary MCTS: each of its formulae on numbers worked out by hand, and what they are for."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_engine import ACTIONS, sliding, walk

from pcg.engine.game import load
from pcg.engine.kernel.random import scramble
from pcg.engine.kernel.runtime import invoke1, invoke2, invoke3, invoke5, island, store_double
from pcg.evaluators.agents import make_agent, play
from pcg.evaluators.agents.compiled import Array, Record
from pcg.evaluators.agents.fast_evo_knowledge import (
    KNOWLEDGE,
    curiosity,
    experience,
    learn,
    learn_contacts,
)
from pcg.evaluators.agents.fast_evo_policy import (
    POLICY,
    begin_evolution,
    begin_trial,
    draw_softmax,
    end_trial,
    exponentiate,
    mutate,
    weigh_actions,
)

kernel = pytest.mark.kernel

MAPS: dict[str, dict[str, Any]] = {
    "corridor": {"rows": "A..c..G"},
    "pit": {"rows": "A..c..G\n..x...."},
    "wind": {"rows": "A.c.\n.x.G\nc...", "wind": 200},
    "limit": {"rows": "c.A.c", "limit": 6},
}
FORMS = ("", "evolve=false", "knowledge=false", "evolve=false,knowledge=false")


def named(form: str) -> str:
    return f"kbfastevo:{form}"


# --- the formulae as Python can call them -----------------------------------------------------------------------------


@island("i8(i8, i8, i8)")
def learn_hundredths(knowledge: int, item: int, change: int) -> int:
    learn(knowledge, item, change / 100.0)
    return 0


@island("i8(i8, i8)")
def learn_from_contacts(knowledge: int, features: int) -> int:
    learn_contacts(knowledge, features, 8)
    return 0


@island("i8(i8, i8)")
def write_curiosity(knowledge: int, out: int) -> int:
    store_double(out, curiosity(knowledge))
    return 0


@island("i8(i8, i8, i8)")
def write_experience(knowledge: int, features: int, out: int) -> int:
    store_double(out, experience(knowledge, features, 8))
    return 0


@island("i8(i8, i8, i8, i8, i8)")
def weigh(policy: int, features: int, pairs: int, actions: int, count: int) -> int:
    weigh_actions(policy, features, pairs, actions, count)
    return 0


@island("i8(i8, i8, i8)")
def write_exponentials(values: int, count: int, out: int) -> int:
    store_double(out, exponentiate(values, count))
    return 0


@island("i8(i8, i8, i8)")
def draw(policy: int, random: int, count: int) -> int:
    return draw_softmax(policy, random, count)


@island("i8(i8, i8)")
def make_offspring(policy: int, random: int) -> int:
    mutate(policy, random)
    return 0


@island("i8(i8)")
def start_evolution(policy: int) -> int:
    begin_evolution(policy)
    return 0


@island("i8(i8, i8)")
def start_trial(policy: int, random: int) -> int:
    begin_trial(policy, random)
    return 0


@island("i8(i8, i8)")
def finish_trial(policy: int, reward: int) -> int:
    end_trial(policy, 1.0 * reward)
    return 0


def pointer(array: Array) -> int:
    return int(array.ctypes.data)


class Knowledge:
    """A knowledge base of eight kinds with the given numbers."""

    def __init__(self) -> None:
        self.record = Record(KNOWLEDGE, kinds=8)
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
        self.record = Record(POLICY, kinds=self.KINDS, actions=self.ACTIONS, sigma=sigma, rollouts=rollouts)
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
        self.values = self.record.point("values", np.zeros(self.ACTIONS, dtype=np.float64))
        self.random = np.array([scramble(1)], dtype=np.int64)

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


@kernel
def test_x_is_the_mean_change_of_the_score_over_the_occurrences() -> None:
    base = Knowledge()
    for change in (200, 0, 100, -50):
        invoke3(learn_hundredths.address, base.record.address, 5, change)
    invoke3(learn_hundredths.address, base.record.address, 2, -300)
    assert list(base.counts) == [0, 0, 1, 0, 0, 4] + [0] * 10
    assert base.gains[5] == pytest.approx((2 + 0 + 1 - 0.5) / 4)
    assert base.gains[2] == -3


@kernel
def test_curiosity_counts_what_is_new_fully_and_what_is_known_by_its_growth() -> None:
    base = Knowledge()
    base.before[:5] = [0, 4, 0, 10, 100]
    base.counts[:5] = [3, 6, 0, 10, 101]
    base.before[9] = 2  # what the avatar made met kind 1: an item of its own
    base.counts[9] = 6
    assert base.curiosity() == pytest.approx(3 + (6 / 4 - 1) + 0 + 0 + 1 / 100 + (6 / 2 - 1))


@kernel
def test_a_rollout_in_which_nothing_happened_is_not_curious() -> None:
    base = Knowledge()
    base.before[:] = base.counts[:] = 7
    assert base.curiosity() == 0


@kernel
def test_experience_is_the_way_made_towards_the_unknown_and_the_good() -> None:
    base = Knowledge()
    #                     never met  good  bad  worthless  none before  none after  on it  met in this rollout
    base.distances[:] = [8, 4, 5, 6, -1, 3, 0, 10]
    base.features[:, 1] = [6, 5, 1, 1, 2, -1, 2, 4]
    base.before[:] = [0, 2, 2, 2, 0, 0, 0, 0] + [0] * 8
    base.counts[:] = [0, 2, 2, 2, 0, 0, 0, 3] + [0] * 8
    base.gains[1:4] = [0.5, -1, 0]
    assert base.experience() == pytest.approx((1 - 6 / 8) + (1 - 5 / 4) + (1 - 4 / 10))


@kernel
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


@kernel
def test_standing_on_a_kind_never_met_is_meeting_it_without_gain() -> None:
    base = Knowledge()
    base.counts[[2, 8 + 3]] = [5, 1]  # met by the avatar, and by what it made
    base.gains[2] = 2
    base.features[:, 1] = [0, 0.5, 0, 0, 1, -1, 4, 4]
    for _ in range(2):
        invoke2(learn_from_contacts.address, base.record.address, pointer(base.features))
    assert list(base.counts) == [1, 1, 5, *[0] * 8, 1, *[0] * 4]
    assert base.gains[:3].tolist() == [0, 0, 2]


@kernel
def test_a_coin_is_learnt_to_be_worth_a_point() -> None:
    agent: Any = make_agent("kbfastevo", seed=1, budget=300, contacts=False)
    agent.act(walk("...\n.Ac\n...").start())
    counts, gains = learnt(agent)
    assert counts[3] > 0 and gains[3] == 1
    assert counts.sum() == counts[3]


def learnt(agent: Any) -> tuple[Array, Array]:
    """Z and x of an agent's items."""
    both = agent._knowledge._kept["counts"]
    half = len(both) // 2
    return both[:half], both[half:].view(np.float64)


def weights(agent: Any) -> Array:
    """The lasting part of an agent's policy."""
    lasting: Array = agent._policy._kept["lasting"]
    return lasting


# --- the rollout policy -----------------------------------------------------------------------------------------------


@kernel
def test_an_action_is_weighed_by_its_weights_times_the_distances() -> None:
    policy = Policy()
    policy.weigh([1, 1, 1], [1])  # the kinds get their columns in order
    policy.parent[:] = [[0, 1, 2, 3, 4], [0, -1, 0.5, 0, 10], [9, 9, 9, 9, 9]]
    assert policy.weigh([2, 3, -1], [1, 2, 4]) == [2 - 3, 4 + 1.5, 8 + 30]  # the third kind is not there


@kernel
def test_probabilities_are_a_softmax() -> None:
    policy = Policy()
    out = np.zeros(1, dtype=np.float64)
    policy.values[:3] = [math.log(1), math.log(2), math.log(5)]
    invoke3(write_exponentials.address, pointer(policy.values), 3, pointer(out))
    assert list(policy.values[:3] / out[0]) == pytest.approx([1 / 8, 2 / 8, 5 / 8])
    policy.values[:2] = [5000, 5000 + math.log(3)]  # exp of either is beyond any double
    invoke3(write_exponentials.address, pointer(policy.values), 2, pointer(out))
    assert list(policy.values[:2] / out[0]) == pytest.approx([0.25, 0.75])


@kernel
def test_actions_are_drawn_with_their_probabilities() -> None:
    policy = Policy()
    drawn: Counter[int] = Counter()
    for _ in range(4000):
        policy.values[:3] = [math.log(1), math.log(2), math.log(5)]
        drawn[invoke3(draw.address, policy.record.address, pointer(policy.random), 3)] += 1
    assert set(drawn) == {0, 1, 2}
    for k, probability in enumerate((1 / 8, 2 / 8, 5 / 8)):
        assert abs(drawn[k] / 4000 - probability) < 0.03


@kernel
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


@kernel
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


@kernel
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


@kernel
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


# --- the halves -------------------------------------------------------------------------------------------------------


@kernel
@pytest.mark.parametrize("about", MAPS.values(), ids=MAPS)
@pytest.mark.parametrize("budget", [3, 160])
def test_without_both_halves_it_is_plain_mcts_draw_by_draw(about: dict[str, Any], budget: int) -> None:
    state = walk(**about).start(seed=3)
    plain: Any = make_agent("mcts", seed=11, budget=budget)
    agent: Any = make_agent("kbfastevo", seed=11, budget=budget, evolve=False, knowledge=False)
    for one in (plain, agent):
        one.reset(state)
    for _ in range(6):
        if state.is_over:
            break
        action = plain.act(state)
        assert agent.act(state) == action
        assert agent._record["random"] == plain._record["random"]
        state.advance(action)


@kernel
def test_distances_are_shared_by_as_many_ticks_as_asked() -> None:
    state = walk("...\n.A.\nc.G").start(seed=3)

    def evolved(refresh: int) -> list[int]:
        agent: Any = make_agent("kbfastevo", seed=11, budget=500, refresh=refresh, sigma=1.0)
        agent.act(state)
        lasting: list[int] = weights(agent).tolist()
        return lasting

    assert evolved(10) == evolved(50)  # measured once per rollout either way
    assert evolved(1) != evolved(10)


@kernel
def test_each_half_learns_only_its_own() -> None:
    def remembered(form: str) -> tuple[bool, bool]:
        agent: Any = make_agent(named(form), seed=2, budget=300)
        agent.act(walk("..c\n.A.\nc..").start())
        return bool(weights(agent)[0] > 0), bool(learnt(agent)[0].any())

    assert [remembered(form) for form in FORMS] == [(True, True), (False, True), (True, False), (False, False)]


def test_experience_walks_a_corridor_longer_than_the_rollouts() -> None:
    game = walk("A" + "." * 24 + "G")

    def wins(name: str) -> int:
        return sum(play(game, make_agent(name, seed=s, budget=300), seed=s, max_ticks=60).winner == 1 for s in range(6))

    assert wins("mcts") == 0
    assert wins("kbfastevo:alpha=0") == 6
    assert wins("kbfastevo") == 6
    assert wins("kbfastevo:knowledge=false") == 0


CARPET = """
BasicGame
    SpriteSet
        carpet > Immovable color=BROWN
        goal > Door color=GREEN
        hero > MovingAvatar color=BLUE
    InteractionSet
        hero wall > stepBack
        goal hero > killSprite
    LevelMapping
        c > carpet
        g > goal
        A > hero
    TerminationSet
        SpriteCounter stype=goal limit=0 win=True
"""


def test_what_turns_out_to_do_nothing_attracts_no_longer() -> None:
    game = load(CARPET, levels=["w" * 24 + "\nw  c  A               gw\n" + "w" * 24])

    def wins(name: str) -> int:
        return sum(play(game, make_agent(name, seed=s, budget=300), seed=s, max_ticks=80).winner == 1 for s in range(6))

    assert wins("kbfastevo") == 6
    assert wins("kbfastevo:contacts=false") <= 2


BUTTON = """
BasicGame
    SpriteSet
        button > Immovable color=RED
        fuse > Flicker limit=20 color=YELLOW
        hero > MovingAvatar color=BLUE
    InteractionSet
        hero wall > stepBack
        button hero > transformTo stype=fuse
    LevelMapping
        b > button
        A > hero
    TerminationSet
        MultiSpriteCounter stype1=button stype2=fuse limit=0 win=True
        Timeout limit=60 win=False
"""
YARD = """
wwwwwwwwwwwwwww
w             w
w             w
w             w
wb    A       w
w             w
w             w
w             w
wwwwwwwwwwwwwww
"""


def test_curiosity_presses_the_button_whose_reward_is_out_of_sight() -> None:
    # the button gives nothing; twenty ticks after it is pressed, twice as far as the search sees, the game is won
    game = load(BUTTON, levels=[YARD.strip("\n")])

    def wins(name: str) -> int:
        plays = [play(game, make_agent(name, seed=s, budget=1000), seed=s, max_ticks=100) for s in range(10)]
        return sum(p.winner == 1 for p in plays)

    plain = wins("mcts")
    assert plain <= 2
    assert wins("kbfastevo:beta=0,evolve=false") >= plain + 5
    assert wins("kbfastevo") >= plain + 5
    assert wins("kbfastevo:alpha=0,beta=0") <= plain + 1


HUNT = """
BasicGame
    SpriteSet
        hunter > ShootAvatar stype=arrow color=BLUE
        arrow > Missile orientation=RIGHT color=RED
        deer > Immovable color=BROWN
    InteractionSet
        hunter wall > stepBack
        arrow wall > killSprite
        hunter deer > stepBack scoreChange=-2
        deer arrow > killSprite scoreChange=3
    LevelMapping
        d > deer
        A > hunter
    TerminationSet
        SpriteCounter stype=deer limit=0 win=True
"""


def test_what_the_avatar_meets_and_what_its_arrows_meet_are_different_things() -> None:
    game = load(HUNT, levels=["wwwwwwwwww\nwAd    ddw\nwwwwwwwwww"])
    agent: Any = make_agent("kbfastevo", seed=1, budget=500)
    agent.act(game.start())
    counts, gains = learnt(agent)
    deer, kinds = game.definition.type_index["deer"], len(game.definition.types)
    assert counts[deer] > 0 and gains[deer] == pytest.approx(-2)
    assert counts[kinds + deer] > 0 and gains[kinds + deer] == pytest.approx(3)


# --- what it remembers ------------------------------------------------------------------------------------------------


@kernel
def test_knowledge_and_weights_last_for_a_play_and_no_longer() -> None:
    state = walk("..c\n.A.\nc..").start()
    agent: Any = make_agent("kbfastevo", seed=1, budget=200)
    agent.reset(state)
    agent.act(state)
    first = learnt(agent)[0].sum()
    agent.act(state)
    assert learnt(agent)[0].sum() > first > 0
    assert weights(agent)[0] > 0
    agent.reset(state)
    assert learnt(agent)[0].sum() == 0 and not learnt(agent)[1].any()
    assert weights(agent)[0] == 0


@kernel
def test_what_is_kept_lasts_for_all_plays_of_a_game() -> None:
    state, other = walk("..c\n.A.\nc..").start(), walk("A..c").start()
    agent: Any = make_agent("kbfastevo", seed=1, budget=200, keep=True)
    agent.reset(state)
    agent.act(state)
    counts, lasting = learnt(agent)[0].copy(), weights(agent).copy()
    agent.reset(other)  # another level
    assert (learnt(agent)[0] == counts).all() and (weights(agent) == lasting).all()
    puzzle = sliding("123405678").start()
    agent.reset(puzzle)
    assert learnt(agent)[0].sum() == 0
    agent.reset(state)  # it keeps the game it played last
    assert learnt(agent)[0].sum() == 0


def test_what_is_kept_is_of_games_with_the_same_rules() -> None:
    yard = YARD.strip("\n")
    game, again = load(BUTTON, levels=[yard, yard.replace("w ", "wb", 1)]), load(BUTTON, levels=[yard])
    other = load(BUTTON.replace("limit=60", "limit=61"), levels=[yard])
    agent: Any = make_agent("kbfastevo", seed=1, budget=300, keep=True)
    agent.act(game.start(0))
    known = learnt(agent)[0].sum()
    assert known > 0
    for same in (game.start(1), again.start()):
        agent.reset(same)
        assert learnt(agent)[0].sum() == known
    agent.reset(other.start())
    assert learnt(agent)[0].sum() == 0


@kernel
def test_how_much_room_states_have_changes_neither_decisions_nor_what_is_learnt() -> None:
    def outcome(room: int) -> tuple[Any, ...]:
        game = walk("A..c..G\n..x....", crumbs=True, room=room, wind=50)
        agent: Any = make_agent("kbfastevo", seed=4, budget=150)
        actions = play(game, agent, max_ticks=12, seed=2).actions
        counts, gains = learnt(agent)
        return actions, counts.tolist(), gains.tolist(), weights(agent).tolist()

    assert outcome(1) == outcome(3) == outcome(200)


# --- what holds for every search --------------------------------------------------------------------------------------


@kernel
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(3))
def test_takes_the_win_one_step_away(seed: int, form: str) -> None:
    agent = make_agent(named(form), seed=seed, budget=200)
    assert agent.act(walk("....\n.AG.\n....").start()) == "RIGHT"


@kernel
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(3))
def test_avoids_the_loss_one_step_away(seed: int, form: str) -> None:
    agent = make_agent(named(form), seed=seed, budget=400)
    assert agent.act(walk("#x##\nxA..\n#x##").start()) == "RIGHT"


@kernel
@pytest.mark.parametrize("form", FORMS)
def test_gives_up_little_now_for_more_later(form: str) -> None:
    # four ticks: the single coin on the left, or the three on the right
    state = walk("c.A.ccc", limit=5).start()
    assert {make_agent(named(form), seed=s, budget=1500).act(state) for s in range(4)} == {"RIGHT"}


@kernel
@pytest.mark.parametrize("recommend", ["visits", "value"])
def test_wins_an_open_field(recommend: str) -> None:
    game = walk(".....G\n.A....\n......")
    for seed in range(3):
        assert play(game, make_agent("kbfastevo", seed=seed, budget=500, recommend=recommend), max_ticks=60).winner == 1


@kernel
def test_a_bounded_tree_still_decides() -> None:
    state = walk("....\n.AG.\n....").start()
    for nodes in (1, 2, 5, 40):
        action = make_agent("kbfastevo", seed=1, budget=300, max_nodes=nodes).act(state)
        assert action in ACTIONS
        assert nodes < 40 or action == "RIGHT"


@kernel
def test_a_forced_move_costs_nothing() -> None:
    state = sliding("01", width=2).start()
    agent: Any = make_agent("kbfastevo", seed=1, budget=100)
    agent.reset(state)
    assert agent.act(state) == "RIGHT"
    assert agent.calls == 0


@kernel
def test_a_puzzle_without_kinds_of_sprites_is_played() -> None:
    game = sliding("123456078")
    assert play(game, make_agent("kbfastevo", seed=1, budget=1000), max_ticks=40).winner == 1


@kernel
def test_two_players_race_and_each_wins_alone() -> None:
    game = walk("A.G.....B")
    first = make_agent("kbfastevo", seed=1, budget=800)
    assert play(game, [first, make_agent("nothing", seed=2, player=1)], max_ticks=30).winner == (1, 0)
    game = walk("A.....G.B")
    second = make_agent("kbfastevo", seed=1, budget=800, player=1)
    assert play(game, [make_agent("nothing", seed=2), second], max_ticks=30).winner == (0, 1)


@kernel
@pytest.mark.parametrize("budget", [1, 7, 50, 333])
def test_no_decision_exceeds_its_budget_by_more_than_an_iteration(budget: int) -> None:
    agent: Any = make_agent("kbfastevo", seed=1, budget=budget, depth=6)
    state = walk("A..c.....\n.x......G", wind=10).start()
    agent.reset(state)
    agent.act(state)
    assert budget <= agent.calls < budget + 6


@kernel
def test_a_resumed_decision_goes_on_with_its_tree_and_its_evolution() -> None:
    state = walk("A..c.\n.x..G").start()
    agent: Any = make_agent("kbfastevo", seed=1, budget=100)
    agent.reset(state)
    agent.act(state)
    search, offspring = agent._record._kept["search"], agent._policy["offspring"]
    nodes, counts = search["used"], learnt(agent)[0].copy()
    agent._record["resume"], agent._record["budget"] = 1, 250
    agent._decide(state.address)
    assert 250 <= agent._record["calls"] < 260
    assert search["used"] > nodes and (learnt(agent)[0] >= counts).all()
    assert offspring == agent._policy["offspring"] == 1  # the parent is not judged a second time


def test_threads_play_what_one_thread_plays() -> None:
    game = walk("A..c..G\n..x....", wind=50)

    def job(seed: int) -> Any:
        return play(game, make_agent("kbfastevo", seed=seed, budget=150), seed=seed, max_ticks=30)

    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(job, range(6))) == [job(s) for s in range(6)]


PROGRAM = """
import sys
sys.path.insert(0, {folder!r})
from test_agents_fast_evo import MAPS
from tiny_engine import walk
from pcg.evaluators.agents import make_agent, play
for about in MAPS.values():
    print(play(walk(**about), make_agent("kbfastevo", seed=5, budget=120), max_ticks=5).actions)
"""


@kernel
def test_compiled_and_plain_python_decide_alike() -> None:
    def decisions(disabled: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM.format(folder=str(Path(__file__).parent))],
            env={**os.environ, "NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    compiled = decisions("0")
    assert compiled.count("\n") == len(MAPS)
    assert decisions("1") == compiled
