"""Agents that evolve or draw plans: what they find, what each switch does, and that decisions can be repeated."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from draw_by_draw import MAPS, assert_decides_as
from test_agents_mcts import JavaRandom
from tiny_engine import TinyState, sliding, walk

from pcg.evaluators.agents import AgentError, make_agent, play

pytestmark = pytest.mark.kernel

VARIANTS = (
    "rhea",
    "rhea:population=1",
    "rhea:crossover=one-point,tournament=4,elite=2,mutations=3",
    "rhea:crossover=none,elite=0,samples=3",
    "rhea:shift=true",
    "rhea:rollouts=2,rollout_length=3,length=6",
    "rhea:recommend=visits",
    "rhea:recommend=value,shift=true",
    "rhea:recommend=bound",
    "rhea:macro=3,length=4",
    "rhea:macro=2,length=5,shift=true,recommend=value",
    "rhea:seed_plan=onestep",
    "rhea:seed_plan=mcts",
    "rhea:seed_plan=mcts,shift=true,macro=2,length=5",
    "rhea:heuristic=simple,discount=0.9,nil=false",
    "randomsearch",
    "randomsearch:shift=true",
    "ga",
    "ga:nil=true,population=2,sweeps=3",
)
SOONER = "discount=0.9"  # what wins sooner is better, so that the right move is the only one


def with_params(name: str, params: str) -> str:
    """The agent's name with further parameters."""
    return f"{name}{',' if ':' in name else ':'}{params}"


# --- finding what is there --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [v for v in VARIANTS if "discount" not in v and "recommend=bound" not in v])
@pytest.mark.parametrize("seed", range(2))
def test_takes_the_win_one_step_away(name: str, seed: int) -> None:
    agent = make_agent(with_params(name, SOONER), seed=seed, budget=1200)
    assert agent.act(walk("....\n.AG.\n....").start()) == "RIGHT"


@pytest.mark.parametrize("name", ["rhea", "rhea:shift=true", "randomsearch", "ga"])
@pytest.mark.parametrize("seed", range(3))
def test_avoids_the_loss_one_step_away(name: str, seed: int) -> None:
    agent = make_agent(name, seed=seed, budget=600)
    assert agent.act(walk("#x##\nxA..\n#x##").start()) in ("RIGHT", "NIL")


@pytest.mark.parametrize("name", ["rhea", "rhea:recommend=visits", "rhea:rollouts=2,length=4", "ga"])
def test_gives_up_little_now_for_more_later(name: str) -> None:
    state = walk("c.A.ccc", limit=4).start()  # the single coin on the left, or two of the three on the right
    chosen = {make_agent(name, seed=s, budget=1500).act(state) for s in range(4)}
    assert "LEFT" not in chosen


def test_sees_no_farther_than_its_plans_and_rollouts_reach() -> None:
    game = walk("A..G", limit=3)  # three steps, and no tick to spare

    def wins(**params: Any) -> int:
        plays = [play(game, make_agent("rhea", seed=s, budget=2500, **params)) for s in range(4)]
        return sum(p.winner == 1 for p in plays)

    assert wins(length=2) < 2
    assert wins(length=3) == 4
    assert wins(length=1, rollouts=30, rollout_length=2, population=5) == 4


def test_a_forced_move_costs_nothing() -> None:
    state = sliding("01", width=2).start()
    for name in ("rhea:nil=false", "randomsearch:nil=false", "ga"):
        agent: Any = make_agent(name, seed=1, budget=100)
        agent.reset(state)
        assert agent.act(state) == "RIGHT"
        assert agent.calls == 0


@pytest.mark.parametrize("name", ["rhea", "randomsearch", "ga"])
def test_two_players_race_and_each_wins_alone(name: str) -> None:
    first = make_agent(name, seed=1, budget=400, discount=0.9)
    assert play(walk("A.G.....B"), [first, make_agent("nothing", player=1)], max_ticks=40).winner == (1, 0)
    second = make_agent(name, seed=1, budget=400, player=1, discount=0.9)
    assert play(walk("A.....G.B"), [make_agent("nothing"), second], max_ticks=40).winner == (0, 1)


# --- what the switches do ---------------------------------------------------------------------------------------------


def test_nil_is_played_only_where_it_is_an_action() -> None:
    state = walk("....\n.A..\n....").start()

    def played(name: str) -> Counter[str]:
        agent = make_agent(name, seed=1, budget=90)
        agent.reset(state)
        return Counter(str(agent.act(state)) for _ in range(40))

    for name in ("rhea", "randomsearch", "ga"):
        assert "NIL" in played(f"{name}:nil=true")
        assert "NIL" not in played(f"{name}:nil=false")


@pytest.mark.parametrize("name", ["rhea:population=1", "randomsearch"])
def test_a_shift_buffer_finishes_what_was_begun(name: str) -> None:
    game = walk("A.....G")

    def ticks(shift: bool) -> int:
        agents = [make_agent(name, seed=s, budget=100, shift=shift, discount=0.95) for s in range(16)]
        return sum(play(game, agent, max_ticks=60).ticks for agent in agents)

    assert ticks(True) < ticks(False)


def test_a_shifted_plan_is_the_rest_of_the_plan_before() -> None:
    state = walk("A......G").start()
    agent: Any = make_agent("randomsearch", seed=1, budget=10, shift=True)  # one plan per decision
    agent.reset(state)
    genes = agent._population._kept["genes"]
    length = agent.length
    agent.act(state)
    first = genes[:length].tolist()
    state.advance("NIL")
    agent.act(state)
    assert genes[: length - 1].tolist() == first[1:]
    agent.reset(state)
    agent.act(state)
    assert genes[:length].tolist() == first  # nothing is left after a reset


@pytest.mark.parametrize("macro", [2, 3])
def test_macro_actions_are_played_to_their_end(macro: int) -> None:
    agent = make_agent("rhea", seed=2, budget=120, macro=macro, length=4)
    actions = play(walk(".......\n...A...\n......."), agent, max_ticks=8 * macro).actions
    groups = [actions[k : k + macro] for k in range(0, len(actions), macro)]
    assert all(len(set(group)) == 1 for group in groups)
    assert len({group[0] for group in groups}) > 1


def test_the_next_macro_action_is_searched_for_while_one_is_played() -> None:
    state = walk(".......\n...A...\n.......").start()
    agent: Any = make_agent("rhea", seed=2, budget=120, macro=3, length=4)
    agent.reset(state)
    evaluated = []
    for _ in range(4):
        state.advance(agent.act(state))
        bank = agent._population._kept["bank"]
        evaluated.append(int(bank[0]) * 10 + int(bank[1]))  # generations and plans since the search began
    assert evaluated[1] > 0
    assert evaluated[1] < evaluated[2] < evaluated[3]


@pytest.mark.parametrize("seed_plan", ["onestep", "mcts"])
def test_a_seed_finds_the_win_before_evolution_begins(seed_plan: str) -> None:
    state = walk("....\n.AG.\n....").start()
    budget = 5 if seed_plan == "onestep" else 300
    for seed in range(4):
        agent = make_agent("rhea", seed=seed, budget=budget, seed_plan=seed_plan, population=50, discount=0.9)
        assert agent.act(state) == "RIGHT"


def test_a_tree_seed_is_the_searchs_line() -> None:
    state = walk("A..c..G").start()
    agent: Any = make_agent("rhea", seed=1, budget=200, seed_plan="mcts", population=90)
    agent.reset(state)
    agent.act(state)
    seeder = agent._seeder
    assert 100 <= seeder.calls <= 110
    assert int(agent._population._kept["genes"][0]) == -1 - seeder._record["chosen"]


def test_the_statistical_tree_counts_every_plan_and_moves_on() -> None:
    state = walk("A..c..G").start()
    agent: Any = make_agent("rhea", seed=1, budget=200, recommend="visits", shift=True)
    agent.reset(state)
    tree = agent._search._kept.get("tree")
    assert tree is not None
    agent.act(state)
    nodes = tree._kept["nodes"]
    plans = int(nodes[0]["visits"])
    assert plans == 20
    children = nodes[1 : tree["used"]]
    assert children[children["parent"] == 0]["visits"].sum() == plans
    played = agent._record["chosen"]
    kept = int(children[(children["parent"] == 0) & (children["action"] == played)]["visits"][0])
    state.advance("RIGHT")
    agent.act(state)
    assert int(nodes[0]["visits"]) == kept + 20


def test_coevolution_expects_an_opponent_who_wants_something_too() -> None:
    # three coins on the right, which an opponent who sees them takes first; one on the left
    state = walk("c...A...cccB", limit=6).start()

    def chosen(coevolve: bool) -> Counter[str]:
        about: dict[str, Any] = {"budget": 6000, "length": 6, "samples": 3, "coevolve": coevolve}
        return Counter(str(make_agent("rhea", seed=s, **about).act(state)) for s in range(6))

    assert chosen(True)["RIGHT"] == 0
    assert chosen(False)["RIGHT"] > 1


@pytest.mark.parametrize(("reevaluate", "elite", "generations"), [(False, 1, 11), (True, 1, 10), (False, 4, 16)])
def test_the_elite_is_judged_again_only_when_asked(reevaluate: bool, elite: int, generations: int) -> None:
    state = walk("......\n..A...\n......").start()  # nothing ends the game: every plan costs ten calls
    agent: Any = make_agent("rhea", seed=1, budget=1000, reevaluate=reevaluate, elite=elite)
    agent.reset(state)
    agent.act(state)
    assert int(agent._population._kept["bank"][0]) == generations


def test_coevolution_of_a_single_player_is_evolution() -> None:
    state = walk("A..c..G").start()
    one, two = (make_agent("rhea", seed=3, budget=300, coevolve=c) for c in (False, True))
    assert [one.act(state) for _ in range(5)] == [two.act(state) for _ in range(5)]


def test_several_samples_judge_chance_better() -> None:
    state = walk("xxxxxxx\nA......\nxxxxxxx", wind=300).start()

    def stays(samples: int) -> int:
        agents = [make_agent("rhea", seed=s, budget=3000, samples=samples, length=2, population=6) for s in range(10)]
        return sum(agent.act(state) in ("NIL", "LEFT") for agent in agents)

    assert stays(30) >= stays(1)


def test_sweeps_bound_the_tournaments_of_the_genetic_algorithm() -> None:
    state = walk("......\n..A...\n......").start()  # nothing ends the game: every simulation costs 1 + 7 calls
    agent: Any = make_agent("ga", seed=1, budget=100_000, sweeps=3)
    agent.reset(state)
    agent.act(state)
    assert agent.calls == 4 * 3 * 2 * 8


def test_the_genetic_algorithm_spends_its_budget_where_simulated_games_end_at_once() -> None:
    state = walk("xxx\nxAx\nxxx").start()  # every move is fatal, so a simulation costs one call
    for budget in (1000, 2001):
        agent: Any = make_agent("ga", seed=1, budget=budget)
        agent.reset(state)
        agent.act(state)
        assert agent.calls == budget
    bound: Any = make_agent("ga:sweeps=100", seed=1, budget=1000)  # as the reference does
    bound.reset(state)
    bound.act(state)
    assert bound.calls == 4 * 100 * 2


def test_the_pools_of_the_genetic_algorithm_last_for_the_game() -> None:
    state = walk("......\n..A...\n......").start()
    agent: Any = make_agent("ga", seed=1, budget=64, mutation=0.0, recombination=0.0)
    agent.reset(state)
    agent.act(state)
    pools = agent._search._kept["pools"].copy()
    state.advance("UP")
    agent.act(state)
    assert (agent._search._kept["pools"] == pools).all()
    agent.reset(state)
    agent.act(walk("A.G").start())
    other: Any = make_agent("ga", seed=1, budget=64, mutation=0.5)
    other.reset(state)
    other.act(state)
    assert (other._search._kept["pools"] != pools).any()


def test_an_elite_as_large_as_the_population_is_one_clear_error() -> None:
    with pytest.raises(AgentError, match="elite of 3 in a population of 3"):
        make_agent("rhea", population=3, elite=3)


# --- budgets and reproducibility --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["rhea:shift=true", "rhea:seed_plan=mcts", "rhea:macro=2", "randomsearch", "ga"])
def test_a_time_budget_searches_in_slices_and_wins(name: str) -> None:
    assert play(walk("A..G"), make_agent(name, seed=1, budget="60ms", discount=0.9), max_ticks=60).winner == 1


# --- the published search, written again from its description ---------------------------------------------------------


class Reference:
    """Rolling-horizon evolution over Python lists: reference/agents 11.8, with the random streams of this toolkit."""

    SIZE = LENGTH = 10
    NAMES = ("UP", "LEFT", "DOWN", "RIGHT", "NIL")

    def __init__(self, seed: int, budget: int) -> None:
        self.random = JavaRandom(seed)
        self.budget = budget
        self.calls = 0

    def gene(self) -> str:
        return self.NAMES[self.random.below(2**20) % 5]

    def value(self, state: TinyState, plan: list[str]) -> float:
        copy = state.copy()
        copy.game.call("reseed", copy.address, (self.random.bits(32) << 16) + self.random.bits(16))
        for action in plan:
            if copy.is_over:
                break
            copy.advance(action)
            self.calls += 1
        outcome = copy.game.call("outcome", copy.address, 0)
        return 1000.0 * outcome if outcome else float(copy.score)

    def child(self, plans: list[tuple[float, list[str]]]) -> list[str]:
        first = second = self.random.below(self.SIZE)
        while second == first:
            second = self.random.below(self.SIZE)
        better, worse = plans[min(first, second)][1], plans[max(first, second)][1]
        plan = [b if self.random.real() >= 0.5 else w for b, w in zip(better, worse, strict=True)]
        where = self.random.below(self.LENGTH)
        plan[where] = self.gene()
        return plan

    def act(self, state: TinyState) -> str:
        self.calls = 0
        plans: list[tuple[float, list[str]]] = []
        while self.calls < self.budget and len(plans) < self.SIZE:
            plan = [self.gene() for _ in range(self.LENGTH)]
            plans.append((self.value(state, plan), plan))
        plans.sort(key=lambda p: -p[0])
        children = plans[:1]
        while self.calls < self.budget:
            plan = self.child(plans)
            children.append((self.value(state, plan), plan))
            if len(children) == self.SIZE:
                plans = sorted(children, key=lambda p: -p[0])
                children = plans[:1]
        return max([plans[0], *children[1:]], key=lambda p: p[0])[1][0]


@pytest.mark.parametrize("about", MAPS.values(), ids=MAPS)
@pytest.mark.parametrize("budget", [3, 25, 160, 500])
def test_is_the_published_search_draw_by_draw(about: dict[str, Any], budget: int) -> None:
    assert_decides_as("rhea", Reference(11, budget), about, budget)
