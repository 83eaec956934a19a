"""The formulas of the text on a Lode Runner bot, each on a small level, and the rules of its game in the arena."""

from __future__ import annotations

from itertools import pairwise, permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_agents_value_field import agent_at, array, garden, mine, ways_from

from pcg.engine.game import Game, load
from pcg.evaluators.agents import make_agent, play
from pcg.evaluators.agents.kernel import value_field_record as record

E, G, DEATH = 0.95, 100.0, 100500.0
"""The constants of the text."""
G_S, E_S = 25.0, 0.93
"""The agent's values of constants that the text leaves open."""
ARENA = Path(__file__).parents[2] / "benchmarks" / "games" / "lode_runner_arena" / "game.vgdl"


def arena(level: str) -> Game:
    return load(ARENA.read_text(encoding="utf-8"), levels=[level.strip("\n").replace(" ", ".")])


def bot_at(state: Any, decisions: int = 30, **about: Any) -> Any:
    """The bot after looking at a state for long enough to know the level; what it has learnt is in its record."""
    agent: Any = make_agent("loderunnerbot", **{"seed": 1, "budget": 1000, "nearest_moves": 0, **about})
    agent.reset(state)
    for _ in range(decisions):
        agent.act(state)
    assert agent._field["head"] == agent._field["tail"], "not all is learnt yet"
    return agent


def reward(agent: Any, state: Any, action: str) -> float:
    """The reward of an action in the last decision."""
    return float(array(agent, "reward")[state.model.action_names.index(action)])


def lane(content: str) -> Any:
    """A corridor of the garden: `A` hero, `b` berry, `m` wolf, which stands still for a hundred ticks."""
    return garden(f"{'w' * (len(content) + 2)}\nw{content}w\n{'w' * (len(content) + 2)}").start()


# --- tactics: Bellman's recursion with inflation, G and d -------------------------------------------------------------


@pytest.mark.parametrize("inflation", [0.95, 0.9, 0.5])
@pytest.mark.parametrize("moves", [1, 3, 8])
def test_gold_is_worth_100_inflated_by_every_move_until_it_is_taken(inflation: float, moves: int) -> None:
    state = lane("A" + " " * (moves - 1) + "b        b")
    agent = bot_at(state, strategy=0, inflation=inflation)
    assert agent.act(state) == "RIGHT"
    assert array(agent, "value")[0] == pytest.approx(G * inflation ** (moves - 1))


def test_eight_moves_are_looked_ahead_and_not_nine() -> None:
    state = lane("A        b        b")
    assert array(bot_at(state, strategy=0), "value")[0] == 0
    assert array(bot_at(state, strategy=0, horizon=9), "value")[0] == pytest.approx(G * E**8)


def test_without_inflation_what_can_be_done_now_is_put_off() -> None:
    state = lane("A b          b")
    go = bot_at(state, strategy=0, inflation=1.0)
    assert array(go, "value")[0] == G
    values, child = array(go, "value"), array(go, "child")
    assert array(go, "reward")[0] + values[child[0]] == G, "doing nothing first is as good"
    assert {bot_at(state, strategy=0).act(state) for _ in range(3)} == {"RIGHT"}


def test_death_costs_100500_and_no_gold_makes_up_for_it() -> None:
    state = lane("bAmb")
    agent = bot_at(state, monster_penalty=0, monsters_stay=False, strategy=0)
    assert reward(agent, state, "RIGHT") == -DEATH
    assert reward(agent, state, "LEFT") == G
    assert agent.act(state) == "LEFT"


# --- safety -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("distance", range(1, 7))
def test_nearness_of_a_monster_costs_100500_times_4_minus_d_by_4(distance: int) -> None:
    state = lane("b     A" + " " * (distance - 1) + "m       b")
    agent = bot_at(state, strategy=0)
    assert reward(agent, state, "NIL") == pytest.approx(-DEATH * max(0, 4 - distance) / 4)
    assert reward(agent, state, "LEFT") == pytest.approx(-DEATH * max(0, 3 - distance) / 4)


def test_the_bot_steps_back_from_a_monster_that_the_gold_is_behind() -> None:
    state = lane("         A  mb")
    assert bot_at(state).act(state) == "LEFT"
    assert bot_at(state, monster_penalty=0, monsters_stay=False, death_cost=0).act(state) != "LEFT"


PIPE = (
    "wwwwwwwwwwwwwwwww\nwh     A      hgw\nwhrrrrrrrrrrrrhbw\nwh            h w\nwh     m      h w\nwbbbbbbbbbbbbbbbw"
)


@pytest.mark.parametrize(("spread", "feared"), [("moves", False), ("cells", True), ("straight", True)])
def test_a_monster_below_a_rope_is_feared_unless_its_moves_are_spread(spread: str, feared: bool) -> None:
    # the ladders are far off: the monster would have to walk to one and climb
    state = mine(PIPE).start(seed=1)
    for _ in range(2):
        state.advance("NIL")  # the digger settles on the rope
    agent = bot_at(state, spread=spread, strategy=0, trap_bonus=0, decisions=60)
    assert (reward(agent, state, "NIL") < 0) == feared


def test_a_hole_between_the_bot_and_a_monster_on_its_line_is_worth_a_bonus() -> None:
    level = "wwwwwwwwwwww\nw A   m    w\nwbbbbbbbbbbw\nw         gw\nwwwwwwwwwwww"
    state = mine(level).start(seed=1)
    state.advance("RIGHT")
    with_bonus, without = (bot_at(state, trap_bonus=p, strategy=0, monster_penalty=0) for p in (30000, 0))
    assert reward(with_bonus, state, "USE") - reward(without, state, "USE") == 30000
    assert reward(with_bonus, state, "NIL") == reward(without, state, "NIL") == 0
    assert with_bonus.act(state) == "USE"
    far = bot_at(state, trap_bonus=30000, trap_reach=1, strategy=0, monster_penalty=0)
    assert reward(far, state, "USE") == 0
    above = mine(level.replace("   m ", "     ").replace("w         gw", "w     m   gw")).start(seed=1)
    above.advance("RIGHT")
    assert reward(bot_at(above, strategy=0, monster_penalty=0), above, "USE") == 0


# --- strategy ---------------------------------------------------------------------------------------------------------


def field_of(*ways: int, worth: float = G_S) -> float:
    return sum(worth * E_S**d for d in ways)


def test_s_is_the_sum_of_all_golds_inflated_by_their_distance_and_counts_as_difference() -> None:
    state = lane("b          A           b")  # 11 and 12 moves away
    agent = bot_at(state, field_height=1)
    assert reward(agent, state, "LEFT") == pytest.approx(field_of(10, 13) - field_of(11, 12))
    assert reward(agent, state, "RIGHT") == pytest.approx(field_of(12, 11) - field_of(11, 12))
    assert reward(agent, state, "NIL") == 0


def test_differences_are_inflated_and_the_value_at_the_end_is_nothing() -> None:
    state = lane("A            b")
    moves = sum(E**t * (field_of(12 - t) - field_of(13 - t)) for t in range(8))
    assert array(bot_at(state, field_height=1), "value")[0] == pytest.approx(moves)
    end = bot_at(state, field_height=1, field_counts="end")
    assert array(end, "value")[0] == pytest.approx(E**8 * field_of(5))


def test_gold_higher_up_is_worth_more() -> None:
    level = "wwwww\nwbw w\nw w w\nwA  w\nw w w\nwbw w\nwwwww"
    state = garden(level).start()
    agent = bot_at(state, field_height=0.9, horizon=1)
    assert sorted(array(agent, "target_worth")[:2]) == pytest.approx([0.9**5, 0.9])
    assert {bot_at(state, field_height=0.9, horizon=1, seed=s).act(state) for s in range(4)} == {"UP"}
    assert {bot_at(state, field_height=1.0, horizon=1, seed=s).act(state) for s in range(12)} == {"UP", "DOWN"}


@pytest.mark.parametrize(
    ("eaten", "change"),
    [("both", 0.0), ("after", -G_S * E_S), ("never", G_S * (1 - E_S))],
)
def test_gold_eaten_in_the_look_ahead_leaves_the_total(eaten: str, change: float) -> None:
    state = lane("Ab                 b")
    agent = bot_at(state, eaten=eaten, field_height=1)
    other = field_of(18) - field_of(19)
    assert reward(agent, state, "RIGHT") == pytest.approx(G + change + other)


@pytest.mark.parametrize(("g_s", "way"), [(G_S, "RIGHT"), (G, "LEFT")])
def test_two_nuggets_within_reach_win_over_a_nearer_one(g_s: float, way: str) -> None:
    """The example of the text; imagined gold as dear as real draws the bot to a heap far off instead."""
    state = lane("bbbb   b    A     bb")
    assert bot_at(state, strategy=g_s, field_height=1).act(state) == way
    state = lane("b    A     bb")
    assert bot_at(state, strategy=G_S, field_height=1).act(state) == "RIGHT"


CROSS = "\n".join(["wwwwwwwwwwwww", *["wwwwww wwwwww"] * 5, "wb    A    bw", *["wwwwww wwwwww"] * 5, "wwwwwwwwwwwww"])


def crossing() -> Any:
    """Four golds as far as the horizon does not reach, around a local maximum of the sum of their fields."""
    rows = CROSS.split("\n")
    rows[1] = rows[11] = "wwwwwwbwwwwww"
    return garden("\n".join(rows)).start()


def test_a_local_maximum_of_s_changes_the_strategy_to_the_nearest_gold_for_some_moves() -> None:
    state = crossing()
    about = {"horizon": 3, "field_height": 1.0, "nearest_moves": 20, "decisions": 0}
    bot = bot_at(state, **about)
    chosen = []
    for _ in range(14):
        chosen.append(bot.act(state))
        state.advance(chosen[-1])
    assert bot._field["until"] > 0 and state.score == 1

    state = crossing()
    bot = bot_at(state, **about, local_maximum=False)
    for _ in range(14):
        state.advance(bot.act(state))
    assert bot._field["until"] == 0 and state.score == 0


# --- chains -----------------------------------------------------------------------------------------------------------


def chain_lengths(state: Any, agent: Any, links: int) -> dict[int, int]:
    """Length of the shortest chain of `links` berries, by the id of its first, where no wall is in the way."""
    block = state.block_size
    berries = {s.id: (s.x // block, s.y // block) for s in state.sprites() if s.name == "berry"}
    here = (state.avatar.x // block, state.avatar.y // block)

    def apart(a: tuple[int, int], b: tuple[int, int]) -> int:
        return abs(a[0] - b[0]) + abs(a[1] - b[1])

    best: dict[int, int] = {}
    for chain in permutations(berries, links):
        places = [here, *(berries[k] for k in chain)]
        length = sum(apart(a, b) for a, b in pairwise(places))
        best[chain[0]] = min(length, best.get(chain[0], length))
    return best


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("links", [1, 3, 5, 6])
def test_the_strategy_is_the_first_gold_of_the_shortest_chain(seed: int, links: int) -> None:
    rng = np.random.default_rng(seed)
    cells = np.full((7, 9), " ")
    for number, at in enumerate(rng.choice(63, 8, replace=False)):
        cells[divmod(int(at), 9)] = "A" if number == 0 else "b"
    state = garden("\n".join(["w" * 11, *("w" + "".join(row) + "w" for row in cells), "w" * 11])).start()
    agent = bot_at(state, field_from="chain", chain_length=links)
    lengths = chain_lengths(state, agent, links)
    assert lengths[agent._field["aimed"]] == min(lengths.values())


def test_a_chain_prefers_a_heap_to_the_nearest() -> None:
    state = lane("b   A     bbb")
    ids = {s.id: s.x // state.block_size for s in state.sprites() if s.name == "berry"}
    for aim, column in (("nearest", 1), ("chain", 11)):
        bot = bot_at(state, field_from=aim, chain_length=3, strategy=100)
        assert ids[bot._field["aimed"]] == column
    only_left = bot_at(state, field_from="nearest", horizon=1, field_height=1)
    assert reward(only_left, state, "LEFT") == pytest.approx(field_of(3) - field_of(4))


# --- the rules of the text's game, in the arena -----------------------------------------------------------------------


def bag(state: Any, player: str) -> int:
    """Nuggets in a player's bag."""
    digger = next(s for s in state.sprites() if s.name in (f"{player}Digger", f"{player}Faller"))
    return int(digger.resources.get("gold", 0))


def place(state: Any, player: str) -> tuple[int, int]:
    digger = next(s for s in state.sprites() if s.name in (f"{player}Digger", f"{player}Faller"))
    return digger.x // state.block_size, digger.y // state.block_size


FLOOR = "wwwwwwwwwwwwww\nw            w\nwB   w Agggg-w\nwbbbbbbbbbbbbw\nwwwwwwwwwwwwww"


def test_the_nth_nugget_is_worth_n_and_gold_comes_again() -> None:
    state = arena(FLOOR).start(seed=1)
    scores = [state.score]
    for _ in range(4):
        state.advance(("RIGHT", "NIL"))
        scores.append(state.score)
        assert sum(s.name == "gold" for s in state.sprites()) >= 3
    gains = [b[0] - a[0] for a, b in pairwise(scores)]
    taken = {(s.x, s.y) for s in state.sprites() if s.name == "takenSite"}
    assert taken == {(s.x, s.y) for s in state.sprites() if s.name == "gold"} and len(taken) == 4
    assert gains == list(range(1, 5)) and state.score[1] == 0 and bag(state, "red") == 4


def test_death_keeps_the_score_empties_the_bag_and_puts_one_elsewhere() -> None:
    level = "wwwwwwwwwwwwww\nw-           w\nwbbbbbbbbbbbbw\nwB   w Aggm  w\nwbbbbbbbbbbbbw\nwwwwwwwwwwwwww"
    state = arena(level).start(seed=1)
    for tick in range(40):
        score, full = state.score[0], bag(state, "red")
        state.advance(("RIGHT" if tick < 2 else "NIL", "NIL"))
        red = next(s for s in state.sprites() if s.name.startswith("red"))
        if red.health < 100:
            break
    assert red.health == 99 and full >= 2 and bag(state, "red") == 0
    assert score == full * (full + 1) / 2 and not state.is_over
    assert state.score[0] - score in (0, full + 1)  # gold may have come to where it died
    berths = {(s.x // state.block_size, s.y // state.block_size) for s in state.sprites() if s.name == "berth"}
    assert place(state, "red") in berths


def test_suicide_is_free_and_keeps_the_bag() -> None:
    state = arena(FLOOR).start(seed=1)
    for action in ("RIGHT", "RIGHT", "DOWN", "USE"):
        state.advance((action, "NIL"))
    red = next(s for s in state.sprites() if s.name.startswith("red"))
    assert place(state, "red") == (12, 2) and bag(state, "red") >= 2 and red.health == 100


PIT = "wwwwwwwwwwwwww\nwB  -  g g - w\nwbbbbbbbbbbbbw\nwwwwwwwwwwwwww\nwA  w        w\nwwwwwwwwwwwwww"


@pytest.mark.parametrize("suicide", [20, 100_000])
def test_a_place_that_cannot_be_left_is_left_by_suicide(suicide: int) -> None:
    bot: Any = make_agent("loderunnerbot", seed=1, budget=300, suicide=suicide)
    done = play(arena(PIT), [bot, make_agent("nothing", player=1)], seed=1, max_ticks=120)
    assert (done.score[0] > 0) == (suicide == 20)


def test_suicide_is_not_abused_where_there_is_income() -> None:
    state = arena(FLOOR.replace("gggg-", "g  g-")).start(seed=1)
    bot: Any = make_agent("loderunnerbot", seed=1, budget=300)
    bot.reset(state)
    for _ in range(60):
        before = place(state, "red")
        state.advance((bot.act(state), "NIL"))
        after = place(state, "red")
        assert abs(before[0] - after[0]) + abs(before[1] - after[1]) <= 1
    assert state.score[0] > 10


def test_a_frozen_rival_becomes_concrete_and_an_open_way_comes_back() -> None:
    level = "wwwwwwwwwwwwww\nw  A   B    gw\nwbbbbbbbbbbbbw\nwwwwwwwwwwwwww"
    state = arena(level).start(seed=1)
    bot = bot_at(state, decisions=9, frozen_after=10, suicide=0)
    assert ways_to(bot, state, "red") == [9]
    for _ in range(3):
        bot.act(state)
    assert ways_to(bot, state, "red") == [record.FAR]
    state.advance(("NIL", "RIGHT"))
    bot.act(state)
    assert ways_to(bot, state, "red") == [9]
    blind = bot_at(state, decisions=14, frozen_after=10_000, suicide=0)
    assert ways_to(blind, state, "red") == [9]


def ways_to(bot: Any, state: Any, player: str) -> list[int]:
    field = bot._field
    x, y = place(state, player)
    names = array(bot, "name")[: field["used"]]
    ways = array(bot, "ways").reshape(record.TARGETS, field["room"])
    nodes = [k for k, name in enumerate(names) if (name // 5) % field["cells"] == y * field["columns"] + x]
    return [int(ways[k, nodes].min()) for k in range(field["targets"])]


def test_defaults_leave_the_value_field_agent_as_it_was() -> None:
    state = lane("b     A  m       b")
    plain = agent_at(state)
    assert ways_from(plain, state) and plain._field["death_cost"] == plain._field["monster_penalty"] == 0
    field = plain._field
    assert [field[k] for k in ("aim", "eaten", "spread", "at_end", "suicide", "frozen_after", "leaps")] == [0] * 7
