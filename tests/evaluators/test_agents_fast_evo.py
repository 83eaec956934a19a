"""Knowledge-based fast evolutionary MCTS: what its halves are for, what it remembers, and what holds for any search."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from draw_by_draw import MAPS
from tiny_engine import ACTIONS, sliding, walk

from pcg.engine.game import load
from pcg.evaluators.agents import make_agent, play
from pcg.evaluators.agents.compiled import Array

kernel = pytest.mark.kernel

FORMS = ("", "evolve=false", "knowledge=false", "evolve=false,knowledge=false")


def named(form: str) -> str:
    return f"kbfastevo:{form}"


def learnt(agent: Any) -> tuple[Array, Array]:
    """Z and x of an agent's items."""
    both = agent._knowledge._kept["counts"]
    half = len(both) // 2
    return both[:half], both[half:].view(np.float64)


def weights(agent: Any) -> Array:
    """The lasting part of an agent's policy."""
    lasting: Array = agent._policy._kept["lasting"]
    return lasting


# --- the halves -------------------------------------------------------------------------------------------------------


@kernel
def test_a_coin_is_learnt_to_be_worth_a_point() -> None:
    agent: Any = make_agent("kbfastevo", seed=1, budget=300, contacts=False)
    agent.act(walk("...\n.Ac\n...").start())
    counts, gains = learnt(agent)
    assert counts[3] > 0 and gains[3] == 1
    assert counts.sum() == counts[3]


@kernel
@pytest.mark.parametrize("about", MAPS.values(), ids=MAPS)
@pytest.mark.parametrize("budget", [3, 160])
def test_without_both_halves_it_is_plain_mcts_draw_by_draw(about: dict[str, Any], budget: int) -> None:
    state = walk(**about).start(seed=3)
    plain: Any = make_agent("mcts", seed=11, budget=budget)
    agent: Any = make_agent("kbfastevo", seed=11, budget=budget, evolve=False, knowledge=False, ends="bonus")
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


CROWD = """
BasicGame
    SpriteSet
        carpet > Immovable color=BROWN
        goal > Door color=GREEN
        gem > Resource color=GOLD
        box > Passive color=ORANGE
        cat > RandomNPC color=RED
        hero > MovingAvatar color=BLUE
    InteractionSet
        hero wall > stepBack
        gem hero > collectResource scoreChange=1
        box hero > bounceForward
        cat hero > killSprite scoreChange=1
        goal hero > killSprite
    LevelMapping
        c > carpet
        g > goal
        r > gem
        b > box
        n > cat
        A > hero
    TerminationSet
        SpriteCounter stype=goal limit=0 win=True
"""


def test_features_of_the_text_are_of_things_that_move_can_be_taken_or_passed() -> None:
    """Columns of weights and items of knowledge: NPCs, resources, non-static objects and portals, no scenery."""
    game = load(CROWD, levels=["wwwwwww\nwcr b w\nw A n w\nwg c  w\nwwwwwww"])
    state = game.start(seed=1)
    names = [one.name for one in game.definition.types]

    def known(form: str) -> tuple[set[str], set[str]]:
        agent: Any = make_agent(f"kbfastevo:{form}", seed=3, budget=2000)
        agent.reset(state)
        agent.act(state)
        columns = weights(agent)[1 : 1 + len(names)]
        counts = learnt(agent)[0].reshape(2, -1).sum(axis=0)
        return ({n for n, c in zip(names, columns, strict=True) if c >= 0},
                {n for n, c in zip(names, counts, strict=True) if c})  # fmt: skip

    columns, items = known("kinds=interactive")
    assert columns == {"gem", "box", "cat", "goal"} and items <= columns and {"gem", "cat"} <= items
    everything = known("kinds=all")
    assert everything[0] > columns and "carpet" in everything[0] and "carpet" in everything[1]


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

    assert wins("kbfastevo:kinds=all") == 6
    assert wins("kbfastevo:kinds=all,contacts=false") <= 2


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
    assert wins("kbfastevo:beta=0,evolve=false,kinds=all") >= plain + 5
    assert wins("kbfastevo:kinds=all") >= plain + 5
    assert wins("kbfastevo:alpha=0,beta=0,kinds=all") <= plain + 1
    assert wins("kbfastevo") <= plain + 1  # a button that stays where it is belongs to no kind that the text learns of


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
    agent: Any = make_agent("kbfastevo:kinds=all", seed=1, budget=500)
    agent.act(game.start())
    counts, gains = learnt(agent)
    deer, kinds = game.definition.type_index["deer"], len(game.definition.types)
    assert counts[deer] > 0 and gains[deer] == pytest.approx(-2)
    assert counts[kinds + deer] > 0 and gains[kinds + deer] == pytest.approx(3)


# --- ends and where rewards come from ---------------------------------------------------------------------------------


def test_an_end_in_sight_does_not_hide_what_knowledge_says() -> None:
    """Pits two steps from the way: with a bonus for ends all that is not lost is alike; nothing leads to the goal."""
    game = walk("A" + "." * 24 + "G\n" + "." * 26 + "\n" + "x" * 26)

    def wins(ends: str) -> int:
        agents = (make_agent("kbfastevo", seed=s, budget=300, ends=ends) for s in range(6))
        return sum(play(game, agent, seed=s, max_ticks=80).winner == 1 for s, agent in enumerate(agents))

    assert wins("bonus") == 0
    assert wins("apart") >= 4


@kernel
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("recommend", ["visits", "value"])
def test_ends_count_when_they_are_kept_apart(form: str, recommend: str) -> None:
    won, lost = walk("....\n.AG.\n....").start(), walk("#x##\nxA..\n#x##").start()
    for seed in range(3):
        for state in (won, lost):
            agent = make_agent(named(form), seed=seed, budget=400, ends="apart", recommend=recommend)
            assert agent.act(state) == "RIGHT"


@kernel
def test_rewards_are_counted_by_what_they_come_from() -> None:
    def sources(rows: str, form: str) -> dict[str, int]:
        agent: Any = make_agent(named(form), seed=1, budget=300)
        assert not any(agent.reward_sources.values())
        agent.act(walk(rows).start())
        found: dict[str, int] = agent.reward_sources
        agent.reset(walk(rows).start())
        assert not any(agent.reward_sources.values())
        return found

    plain = sources("A.c....", "evolve=false,knowledge=false")
    assert plain["scored"] > 0 and plain["nothing"] > 0 and plain["curious"] == plain["nearer"] == plain["ended"] == 0
    known = sources("A.c....", "evolve=false")
    assert known["scored"] > 0 and known["nearer"] > 0
    assert sources("A.G....", "")["ended"] > 0
    assert set(sources("A......", "evolve=false,knowledge=false")) == set(plain)


def test_rollouts_are_uniform_before_anything_evolved_and_not_after() -> None:
    state = walk("..c\n.A.\nc..").start()
    agent: Any = make_agent("kbfastevo", seed=1, budget=500, sigma=1.0)
    before = agent.rollout_probabilities(state)
    assert set(before) == set(state.actions)
    assert list(before.values()) == pytest.approx([1 / len(before)] * len(before))
    agent.act(state)
    after = agent.rollout_probabilities(state)
    assert sum(after.values()) == pytest.approx(1)
    assert max(after.values()) > 1.5 / len(after)
    over = walk("AG").start()
    over.advance("RIGHT")
    assert over.is_over and agent.rollout_probabilities(over) == {}


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
    agent: Any = make_agent("kbfastevo:kinds=all", seed=1, budget=300, keep=True)
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
