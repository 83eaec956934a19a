"""Agents for boards: flat Monte-Carlo, UCT for several players at once, and memory-augmented MCTS."""

import math

import numpy as np
import pytest

from pcg.engine.gdl import GdlGame, load
from pcg.engine.kernel.runtime import invoke1, invoke2, invoke3
from pcg.evaluators.agents import AgentError, make_agent, play
from pcg.evaluators.agents.fact_weights import weigh_facts
from pcg.evaluators.agents.kernel.state_memory import (
    LINKS,
    VALUES,
    VISITS,
    ask,
    describe_state,
    find,
    forget_all,
    learn,
    remember_entry,
)
from pcg.evaluators.agents.memory_mcts import MemoryMCTS, projection

kernel = pytest.mark.kernel

AGENTS = ("flatmc", "uct", "mmcts", "mmctsown")
TREES = AGENTS[1:]

# three in a row on a board of two by three: whoever fills its row of three wins
ROWS = """
(role x) (role o) (init (turn x))
(<= (base (cell ?c ?r ?p)) (column ?c) (row ?r) (role ?p)) (<= (base (turn ?p)) (role ?p))
(<= (input ?p (mark ?c ?r)) (role ?p) (column ?c) (row ?r)) (<= (input ?p wait) (role ?p))
(column 1) (column 2) (column 3) (row 1) (row 2) (row 3) (other x o) (other o x)
(<= (taken ?c ?r) (true (cell ?c ?r ?p)))
(<= (legal ?p (mark ?c ?r)) (true (turn ?p)) (column ?c) (row ?r) (not (taken ?c ?r)))
(<= (legal ?p wait) (other ?p ?q) (true (turn ?q)))
(<= (next (cell ?c ?r ?p)) (does ?p (mark ?c ?r))) (<= (next (cell ?c ?r ?p)) (true (cell ?c ?r ?p)))
(<= (next (turn ?q)) (true (turn ?p)) (other ?p ?q))
(<= (full ?p) (row ?r) (true (cell 1 ?r ?p)) (true (cell 2 ?r ?p)) (true (cell 3 ?r ?p)))
(<= room (column ?c) (row ?r) (not (taken ?c ?r)))
(<= terminal (full ?p)) (<= terminal (not room))
(<= (goal ?p 100) (full ?p)) (<= (goal ?p 0) (other ?p ?q) (full ?q))
(<= (goal ?p 50) (role ?p) (not (full x)) (not (full o)))
"""


def arms(*goals: int) -> GdlGame:
    """A game of one move: move k (`m1`, ...) ends it with the k-th goal."""
    moves = " ".join(f"(move m{k} {goal})" for k, goal in enumerate(goals, 1))
    return load(
        f"""(role me) (init start) (base start) (<= (base (done ?m)) (move ?m ?g)) (<= (input me ?m) (move ?m ?g))
        {moves} (<= (legal me ?m) (move ?m ?g)) (<= (next (done ?m)) (does me ?m)) (<= terminal (true (done ?m)))
        (<= (goal me ?g) (true (done ?m)) (move ?m ?g))"""
    )


def dilemma() -> GdlGame:
    """Both move once, at the same time: whatever the other does, defecting is worth more."""
    return load(
        """(role row) (role column) (init start) (base start) (<= (base (did ?p ?m)) (role ?p) (move ?m))
        (<= (input ?p ?m) (role ?p) (move ?m)) (move cooperate) (move defect) (<= (legal ?p ?m) (role ?p) (move ?m))
        (<= (next (did ?p ?m)) (does ?p ?m)) (<= terminal (true (did row ?m))) (other row column) (other column row)
        (pay cooperate cooperate 60) (pay cooperate defect 0) (pay defect cooperate 100) (pay defect defect 20)
        (<= (goal ?p ?g) (other ?p ?q) (true (did ?p ?m)) (true (did ?q ?n)) (pay ?m ?n ?g))"""
    )


@pytest.fixture(scope="module")
def rows() -> GdlGame:
    return load(ROWS)


def agent(text: str, **given):
    return make_agent(text, **{"budget": 1 << 40, "playouts": 200, "seed": 1, **given})


def decide(one, state) -> str:
    one.reset(state)
    return one.act(state)


def made(move: str, state, role: str) -> str:
    """The move that an answer stands for."""
    return state.legal(role)[-1] if move == "NIL" else move


# --- positions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", AGENTS)
def test_agents_win_in_one_from_either_side(rows, name):
    for player, role, other in ((0, "x", "o"), (1, "o", "x")):
        state = rows.state(
            [f"(turn {role})", f"(cell 1 2 {role})", f"(cell 3 2 {role})", f"(cell 1 1 {other})", f"(cell 2 3 {other})"]
        )
        assert made(decide(agent(name, player=player), state), state, role) == "(mark 2 2)"


@pytest.mark.parametrize("name", AGENTS)
def test_agents_do_not_lose_in_one(rows, name):
    state = rows.state(["(turn x)", "(cell 1 1 o)", "(cell 3 1 o)", "(cell 1 2 x)", "(cell 2 3 x)"])
    assert made(decide(agent(name, playouts=600), state), state, "x") == "(mark 2 1)"


@pytest.mark.parametrize("name", TREES)
def test_who_moves_at_the_same_time_as_others_finds_the_dominant_move(name):
    game = dilemma()
    for player, role in enumerate(game.roles):
        assert made(decide(agent(name, player=player), game.start()), game.start(), role) == "defect"


# --- flat Monte-Carlo -------------------------------------------------------------------------------------------------


@kernel
def test_flat_monte_carlo_takes_its_moves_in_turn_and_the_first_of_equal_ones():
    state = arms(20, 70, 70, 100).start()
    assert decide(agent("flatmc", playouts=1), state) == "m1"
    assert decide(agent("flatmc", playouts=3), state) == "m2"  # m4 has not been tried
    assert decide(agent("flatmc", playouts=4), state) == "m4"
    assert decide(agent("flatmc", playouts=50), arms(0, 0, 0).start()) == "m1"


@kernel
def test_flat_monte_carlo_has_the_means_of_its_playouts():
    one = agent("flatmc", playouts=7)
    decide(one, arms(30, 80, 50).start())
    visits, total = one.playout._kept["visits"], one.playout._kept["total"]
    assert visits[:3].tolist() == [3, 2, 2]
    assert total[:3] / visits[:3] == pytest.approx([0.3, 0.8, 0.5])


@pytest.mark.parametrize("name", AGENTS)
def test_a_forced_move_takes_no_playout(name):
    one = agent(name)
    assert decide(one, arms(40).start()) == "m1" and one.calls == 0


# --- UCT --------------------------------------------------------------------------------------------------------------


def ucb1(rewards: list[float], pulls: int, c: float) -> list[int]:
    """Count how often UCB1 takes each of some arms whose rewards never change."""
    counts = [1] * len(rewards)
    while sum(counts) < pulls:
        total = math.log(sum(counts))
        bounds = [r + c * math.sqrt(total / n) for r, n in zip(rewards, counts, strict=True)]
        counts[bounds.index(max(bounds))] += 1
    return counts


@pytest.mark.parametrize("c", [0.4, math.sqrt(2)])
def test_uct_visits_the_moves_as_ucb1_does(c):
    one = agent("uct", playouts=60, c=c)
    assert decide(one, arms(30, 80, 50).start()) == "m2"
    assert tried(one) == ucb1([0.3, 0.8, 0.5], 60, c)


def tried(one) -> list[int]:
    """Visits of the own moves at the root."""
    return [int(v) for v in one.tree._kept["tried"][one.player] if v > 0]


@kernel
def test_recommending_by_value_needs_no_visits():
    state = arms(30, 80, 50).start()
    assert decide(agent("uct", playouts=3, recommend="value"), state) == "m2"


def root_children(one) -> dict[int, tuple[float, float]]:
    """Visits and mean reward of the player's own moves at the root, by place among the legal ones."""
    tree, found = one.tree._kept, {}
    child = tree["first"][0]
    while child >= 0:
        visits = tree["visits"][child]
        found[int(tree["choice"][child, one.player])] = visits, tree["total"][child, one.player] / visits
        child = tree["sibling"][child]
    return found


@kernel
def test_memory_agents_play_the_move_of_the_best_mean_reward(rows):
    """Values that move by sigma forget; the mean of all rewards, by which the study's players move, does not."""
    assert agent("mmctsown").recommend == agent("mmcts").recommend == "mean"
    state, differ = rows.start(), 0
    legal = state.legal("x")
    for seed in range(12):
        chosen = {}
        for how in ("visits", "mean"):
            one = agent("mmctsown", playouts=30, sigma=0.9, seed=seed, recommend=how)
            move = made(decide(one, state), state, "x")
            children = root_children(one)
            best = max(children.values() if how == "visits" else ((m, v) for v, m in children.values()))
            visits, mean = children[legal.index(move)]
            assert (visits if how == "visits" else mean) == best[0]
            chosen[how] = move
        differ += chosen["visits"] != chosen["mean"]
    assert differ


@kernel
def test_preparation_fills_the_memory_before_the_first_decision(rows):
    state = rows.start()
    for player in (0, 1):  # the second player has no choice there, and searches all the same
        one = agent("mmctsown", player=player, playouts=10, preparation=200)
        one.reset(state)
        assert one.memory["used"] > 50 and one.calls > 200
        plain = agent("mmctsown", player=player, playouts=10)
        plain.reset(state)
        assert plain.memory["used"] == 0 and plain.calls == 0
    assert one.playout["playouts"] == 10


@pytest.mark.parametrize("name", TREES)
def test_a_full_tree_is_searched_on(rows, name):
    one = agent(name, playouts=300, max_nodes=20)
    state = rows.state(["(turn x)", "(cell 1 2 x)", "(cell 3 2 x)", "(cell 1 1 o)", "(cell 2 3 o)"])
    assert made(decide(one, state), state, "x") == "(mark 2 2)" and one.tree["used"] == 20


# --- budgets and determinism ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", AGENTS)
def test_budgets_are_kept_to_the_playout(rows, name):
    state = rows.start()
    one = agent(name, playouts=37)
    decide(one, state)
    assert one.playout["done"] == 37
    one = make_agent(name, seed=1, budget=100)
    decide(one, state)
    assert 100 <= one.calls < 100 + 9  # a game has nine moves


@pytest.mark.parametrize("name", AGENTS)
def test_equal_seeds_play_equal_games(rows, name):
    def game(seed):
        return play(rows, [agent(name, playouts=40, seed=seed), agent("uct", playouts=30, seed=seed + 1, player=1)])

    assert game(1).actions == game(1).actions
    assert len({game(seed).actions for seed in range(4)}) > 1


@pytest.mark.parametrize("name", AGENTS)
def test_a_play_does_not_depend_on_what_was_played_before(rows, name):
    one, two = agent(name, playouts=40), agent("flatmc", playouts=20, player=1)
    assert play(rows, [one, two]).actions == play(rows, [one, two]).actions


@pytest.mark.parametrize("name", AGENTS)
def test_a_budget_of_time_gives_a_legal_move(rows, name):
    state = rows.start()
    assert made(decide(make_agent(name, seed=1, budget="20ms"), state), state, "x") in state.legal("x")


# --- memory -----------------------------------------------------------------------------------------------------------


class Memory:
    """A memory by itself."""

    def __init__(self, **given):
        self.record = make_agent("mmcts", dimension=4, **given)._memory(2)
        self.features = self.record._kept["features"]
        invoke1(forget_all.address, self.record.address)

    def put(self, key, turn=1, features=(1.0, 0.0, 0.0, 0.0)):
        self.features[:4] = features
        self.features[4] = math.hypot(*features)
        return invoke3(remember_entry.address, self.record.address, key, turn)

    def learn(self, key, *rewards):
        array = np.array(rewards)
        invoke3(learn.address, self.record.address, key, int(array.ctypes.data))

    def ask(self, features, turn=1):
        self.features[:4] = features
        self.features[4] = math.hypot(*features)
        found = invoke2(ask.address, self.record.address, turn)
        return self.record._kept["answer"].tolist() if found else None

    def entry(self, key):
        """Visits and values."""
        k = invoke2(find.address, self.record.address, key)
        if k < 0:
            return None
        words = self.record._kept["entries"].view(np.float64)
        at = k * self.record["stride"] // 8
        return [words[at + VISITS // 8], *words[at + VALUES // 8 : at + VALUES // 8 + 2]]


@kernel
def test_values_move_by_sigma_after_the_first():
    memory = Memory(sigma=0.5)
    memory.put(7)
    assert memory.entry(7) == [0, 0, 0]
    for rewards, expected in (((1.0, 0.0), [1, 1.0, 0.0]), ((0.0, 1.0), [2, 0.5, 0.5]), ((0.0, 0.5), [3, 0.25, 0.5])):
        memory.learn(7, *rewards)
        assert memory.entry(7) == pytest.approx(expected)


@kernel
def test_without_sigma_values_are_means():
    memory = Memory()
    memory.put(7)
    for reward in (1.0, 0.0, 0.5, 0.0):
        memory.learn(7, reward, 1 - reward)
    assert memory.entry(7) == pytest.approx([4, 0.375, 0.625])


@kernel
def test_rewards_of_unknown_states_are_lost():
    memory = Memory()
    memory.learn(7, 1.0, 0.0)
    assert memory.entry(7) is None and memory.record["used"] == 0


@kernel
def test_a_query_weighs_by_visits_and_nearness():
    memory = Memory(neighbours=2, sharpness=0.5)
    memory.put(1, features=(1.0, 0.0, 0.0, 0.0))
    memory.put(2, features=(0.0, 2.0, 0.0, 0.0))
    memory.put(3, features=(-1.0, 0.0, 0.0, 0.0))
    memory.learn(1, 1.0, 0.0)
    memory.learn(1, 0.5, 0.5)
    memory.learn(2, 0.25, 0.75)
    memory.learn(3, 0.0, 1.0)
    # cosines 0.8, 0.6 and -0.8: the first two are asked
    near, far = 2 * math.exp(-0.2 / 0.5), 1 * math.exp(-0.4 / 0.5)
    value = (near * 0.75 + far * 0.25) / (near + far)
    assert memory.ask((4.0, 3.0, 0.0, 0.0)) == pytest.approx([value, 1 - value, 3])


@kernel
def test_a_query_asks_only_visited_states_in_which_the_same_players_have_a_choice():
    memory = Memory()
    memory.put(1, turn=1)
    memory.put(2, turn=2)
    memory.learn(2, 0.0, 1.0)
    assert memory.ask((1.0, 0.0, 0.0, 0.0), turn=1) is None
    assert memory.ask((1.0, 0.0, 0.0, 0.0), turn=2) == pytest.approx([0.0, 1.0, 1])


@kernel
def test_the_entry_used_longest_ago_makes_room():
    memory = Memory(entries=3)
    for key in (1, 2, 3):
        memory.put(key)
    memory.learn(1, 1.0, 0.0)  # uses 1: now 2 is the oldest
    memory.put(4)
    assert [key for key in (1, 2, 3, 4) if memory.entry(key)] == [1, 3, 4]
    memory.put(5)
    assert [key for key in (1, 3, 4, 5) if memory.entry(key)] == [1, 4, 5]


@kernel
def test_a_query_is_a_use():
    memory = Memory(entries=2, neighbours=1)
    for key, features in ((1, (1.0, 0.0, 0.0, 0.0)), (2, (0.0, 1.0, 0.0, 0.0))):
        memory.put(key, features=features)
        memory.learn(key, 1.0, 0.0)
    memory.ask((1.0, 0.1, 0.0, 0.0))
    memory.put(3)
    assert memory.entry(1) and not memory.entry(2)


def test_many_entries_come_and_go_and_are_found():
    memory, rng = Memory(entries=50), np.random.default_rng(1)
    recent: dict[int, None] = {}
    for key in rng.integers(-60, 60, 3000).tolist():
        memory.put(key)
        memory.learn(key, 1.0, 0.0)
        recent.pop(key, None)
        recent[key] = None
        if len(recent) > 50:
            del recent[next(iter(recent))]
    assert {key for key in range(-60, 60) if memory.entry(key)} == set(recent)
    # the order of use, from the oldest on
    links = memory.record._kept["entries"].view(np.int32)
    step, k, count = memory.record["stride"] // 4, memory.record["oldest"], 0
    while k >= 0:
        k, count = int(links[k * step + LINKS // 4 + 1]), count + 1
    assert count == 50


def test_a_memory_lasts_through_a_play_and_reset_empties_it(rows):
    one, state = agent("mmctsown", playouts=50), rows.start()
    fresh = decide(one, state)
    used = one.memory["used"]
    state.advance([made(fresh, state, "x"), "wait"])
    state.advance(["wait", state.legal("o")[0]])
    one.act(state)
    assert one.memory["used"] > used > 0
    assert decide(one, rows.start()) == fresh and one.memory["used"] == used


@kernel
def test_a_state_asks_its_own_entry(rows):
    """With sigma 1 a value is the last reward; with a share of 1 the search sees nothing else."""
    one = agent("mmctsown", playouts=30, sigma=1.0)
    decide(one, arms(30, 80, 50).start())
    assert tried(one) == ucb1([0.3, 0.8, 0.5], 30, math.sqrt(2))


def test_parameters_out_of_their_range_are_named():
    with pytest.raises(AgentError, match="dimension is 6, expected a multiple of 4"):
        make_agent("mmcts", dimension=6)


# --- features ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def race() -> GdlGame:
    """Six rounds; each a lamp is lit or not. Walls never change, and a counter goes on."""
    return load(
        """(role me) (init (round 0)) (init (wall 1)) (init (wall 2)) (step 0 1) (step 1 2) (step 2 3) (step 3 4)
        (step 4 5) (step 5 6) (<= (base (round ?k)) (step ?k ?n)) (base (round 6)) (base (wall 1)) (base (wall 2))
        (<= (base (lit ?k)) (step ?k ?n)) (input me light) (input me wait) (legal me light) (legal me wait)
        (<= (next (round ?n)) (true (round ?k)) (step ?k ?n)) (<= (next (wall ?w)) (true (wall ?w)))
        (<= (next (lit ?k)) (true (lit ?k))) (<= (next (lit ?k)) (does me light) (true (round ?k)))
        (<= terminal (true (round 6))) (<= (goal me 100) (true (lit 3))) (<= (goal me 0) (not (true (lit 3))))"""
    )


def test_facts_that_the_clock_decides_weigh_nothing(race):
    one = MemoryMCTS(seed=1)
    start = race.start()
    one.reset(start)
    known = weigh_facts(race.model, start.address, one.playout, seed=5)
    names = race.network.fact_names
    weights = {name: known.weights[1 + k] for k, name in enumerate(names) if 1 + k < len(known.weights)}
    assert all((weight > 0) == name.startswith("(lit") for name, weight in weights.items())
    # what is lit early holds in more states, so it is more common and weighs less
    assert weights["(lit 0)"] < weights["(lit 2)"] < weights["(lit 4)"]
    assert known.weights[0] == 0  # "no avatar"


@kernel
def test_features_are_the_projection_of_the_weighted_facts(race):
    one = MemoryMCTS(seed=1, dimension=36, centre=False)
    state = race.start()
    one.reset(state)
    weights = one.memory._kept["weights"]
    for move in ("light", "wait", "light"):
        state.advance(move)
    invoke3(describe_state.address, state.model.address, one.memory.address, state.address)
    features = one.memory._kept["features"]
    names = race.network.fact_names
    held = np.array([0, *(fact in state.facts for fact in names)], dtype=float)[: len(weights)]
    expected = projection(len(weights), 36).T @ (held * weights)
    assert features[:36] == pytest.approx(expected) and features[36] == pytest.approx(np.linalg.norm(expected))
    assert features[36] > 0


@kernel
def test_signs_are_balanced_and_facts_differ():
    signs = projection(500, 64)
    assert abs(signs.mean()) < 0.03 and len({tuple(row) for row in signs}) == 500
    assert np.abs(signs @ signs.T - 64 * np.eye(500)).max() < 48


def test_centred_features_of_random_states_are_around_nothing(race):
    """The mean over random states is small beside the features themselves; without the centre it is not."""

    def mean_and_length(centre):
        one, total, length, count = MemoryMCTS(seed=1, centre=centre), np.zeros(64), 0.0, 0
        one.reset(race.start())
        features = one.memory._kept["features"]
        for seed in range(60):
            state, rng = race.start(), np.random.default_rng(seed)
            while True:
                invoke3(describe_state.address, state.model.address, one.memory.address, state.address)
                total += features[:64]
                length += features[64]
                count += 1
                if state.is_over:
                    break
                state.advance(["light", "wait"][rng.integers(2)])
        return np.linalg.norm(total / count), length / count

    centred, plain = mean_and_length(True), mean_and_length(False)
    assert centred[0] < 0.25 * centred[1] and plain[0] > 0.5 * plain[1]
