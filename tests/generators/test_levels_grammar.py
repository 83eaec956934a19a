"""Grammars: their language, missions, the space that enforces them, boxes that can be pushed, and their evolution."""

from __future__ import annotations

import json
from collections import deque
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from pcg.engine.game import Game, load
from pcg.engine.state import Outcome
from pcg.engine.vgdl import check_level
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.evaluation import Evaluation
from pcg.generators.levels import LevelContext, make_generator
from pcg.generators.levels.grammar.builder import Builder, Built
from pcg.generators.levels.grammar.decisions import CODON, CodonDecisions, RandomDecisions
from pcg.generators.levels.grammar.evolution import GrammaticalEvolution
from pcg.generators.levels.grammar.game_elements import CARRY, PUSHED, game_elements
from pcg.generators.levels.grammar.generator import GrammarGenerator
from pcg.generators.levels.grammar.genome import cross, draw, mutate
from pcg.generators.levels.grammar.language import TERMINALS, parse_grammar, read_grammar
from pcg.generators.levels.grammar.mission import Derivation, Mission
from pcg.generators.levels.grammar.mission_check import mission_order_holds, steps_to_win
from pcg.generators.levels.grammar.mission_map import Gap, MissionLayout, MissionMap, Place, Rect
from pcg.generators.levels.grammar.reverse_play import BoxPlacer

Cell = tuple[int, int]


@pytest.fixture(scope="module")
def dungeon() -> Game:
    return load("dungeon")


@pytest.fixture(scope="module")
def context(dungeon: Game) -> LevelContext:
    return LevelContext.of(dungeon)


def rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def built_by(game: Game | LevelContext, number: int, **params: object) -> list[Built]:
    generator = make_generator("grammar", game, seed=7, **params)
    assert isinstance(generator, GrammarGenerator)
    return [generator.built(k) for k in range(number)]


# -- the language ------------------------------------------------------------------------------------------------------

WRONG = [
    ("", "my.grammar: error: the grammar has no mission"),
    ("mission Level ::= start -> gaol", "my.grammar:1:28: error: unknown symbol `gaol`, did you mean `goal`?"),
    ("mission\n  Level := start", "my.grammar:2:9: error: unexpected `:` (expected `::=`)"),
    (
        "mission Level ::= start -> Quset\n Quest ::= goal",
        "1:28: error: nothing says what `Quset` becomes, did you mean",
    ),
    ("mission L ::= start -> goal [weigth 3]", "1:30: error: unexpected `weigth`, did you mean `weight`?"),
    ("mission L ::= start -> goal [weight 0]", "1:37: error: weight is 0 (expected a number above 0)"),
    ("mission L ::= start -> ", "1:23: error: the grammar ends too early (expected a name"),
    ("mission L ::= a:start => b:goal", "`=>` leads from `start` to `goal` (expected from a key to a lock)"),
    ("mission L ::= a:start -> b:room -> a", "a way leads to `start`"),
    ("mission L ::= s:start -> c:room, s -> b:room -> c", "two ways lead to one `room`"),
    ("mission L ::= start, goal", "the way to `goal` does not come from the first node"),
    ("mission L ::= a:start -> a:goal", "`a` names two nodes"),
    ("mission L ::= start rewrite Level ::= room", "a rewriting looks for symbols of finished missions only"),
    ("mission L ::= start rewrite a:room -> b:room ::= a", "a rewriting keeps the nodes it finds"),
    ("mission L ::= start space key ::= gape", "1:35: error: unexpected `gape`, did you mean `gap`?"),
    ("mission L ::= start space key ::= arch 5..2", "`5..2` is no range of cells"),
    ("mission L ::= start space lock ::= arch 2", "a lock stands in a gap"),
    ("mission L ::= start inside key ::= plane shape plain .", "there is no shape `plane`, did you mean `plain`?"),
    ("mission L ::= start shape p\n ...\n ..", "my.grammar:3:2: error: this row has 2 cells (expected 3"),
    ("mission L ::= startle", "unknown symbol `startle`, did you mean `start`?"),
]


@pytest.mark.parametrize(("text", "message"), WRONG, ids=[m[:50] for _, m in WRONG])
def test_mistakes_are_told_with_their_place_and_what_was_expected(text: str, message: str) -> None:
    with pytest.raises(PcgError) as raised:
        parse_grammar(text, "my.grammar")
    assert message in str(raised.value)


def test_grammars_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    with pytest.raises(PcgError, match=r"cannot read the grammar .*none\.grammar"):
        read_grammar(str(tmp_path / "none.grammar"))
    (tmp_path / "bytes.grammar").write_bytes(b"mission \xff")
    with pytest.raises(PcgError, match=r"no text in UTF-8 \(byte 8\)"):
        read_grammar(str(tmp_path / "bytes.grammar"))


def test_the_grammar_of_the_toolkit_says_something_about_every_symbol() -> None:
    grammar = read_grammar()
    used = {n.symbol for rules in grammar.productions.values() for r in rules if r.right for n in r.right.nodes}
    assert used >= set(TERMINALS)
    assert set(TERMINALS) - {"start"} <= set(grammar.joints)


# -- missions ----------------------------------------------------------------------------------------------------------


def test_missions_can_be_done_and_keep_to_their_size() -> None:
    derivation = Derivation(read_grammar(), frozenset(TERMINALS))
    locked = 0
    for seed in range(150):
        mission = derivation.mission(RandomDecisions(rng(seed)), 4 + seed % 12)
        assert mission.problem() == ""
        assert len(mission.graph) <= max(6, 4 + seed % 12)
        for lock in mission.nodes_with("lock"):
            locked += 1
            behind = set(mission.descendants(lock))
            assert mission.keys_of(lock) and not behind & set(mission.keys_of(lock))
        assert Mission.from_json(json.loads(json.dumps(mission.to_json()))).to_json() == mission.to_json()
    assert locked > 50


def test_only_what_the_game_offers_is_in_a_mission() -> None:
    offered = frozenset({"start", "goal", "room", "reward"})
    derivation = Derivation(read_grammar(), offered)
    for seed in range(30):
        mission = derivation.mission(RandomDecisions(rng(seed)), 10)
        assert {mission.symbol(n) for n in mission.graph} <= offered
    needy = parse_grammar("mission L ::= start -> l:lock -> goal, l -> L  L ::= start -> warp", "n.grammar")
    with pytest.raises(PcgError, match=r"n\.grammar: no mission can be made for this game.*`warp`"):
        Derivation(needy, offered)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("mission L ::= start -> l:lock -> k:key, k => l", "a key lies behind its own lock"),
        ("mission L ::= start -> lock -> goal", "a lock has no key"),
        ("mission L ::= start -> key -> goal", "a key opens nothing"),
        ("mission L ::= room -> goal", "it does not begin with `start`"),
    ],
)
def test_missions_that_cannot_be_done_are_refused(text: str, problem: str) -> None:
    with pytest.raises(PcgError, match=problem):
        Derivation(parse_grammar(text), frozenset(TERMINALS)).mission(RandomDecisions(rng(1)), 9)


def test_a_rewriting_changes_the_piece_it_finds_and_keeps_what_hangs_on_it() -> None:
    grammar = parse_grammar(
        "mission L ::= start -> h:room -> l:lock -> goal, h -> k:key, k => l"
        " rewrite a:room -> b:key ::= a -> test -> b [weight 1000000]"
    )
    mission = Derivation(grammar, frozenset(TERMINALS)).mission(RandomDecisions(rng(1)), 9)
    (key,), (lock,), (test,) = (mission.nodes_with(s) for s in ("key", "lock", "test"))
    assert mission.predecessor(key) == test
    assert mission.symbol(mission.predecessor(test) or 0) == "room"
    assert mission.keys_of(lock) == [key]
    assert mission.symbol(mission.successors(lock)[0]) == "goal"


def test_a_rewriting_that_would_spoil_a_mission_is_left_out() -> None:
    grammar = parse_grammar(
        "mission L ::= start -> h:room -> l:lock -> r:reward, h -> k:key, k => l"
        " rewrite h:room -> k:key, h -> l:lock -> r:reward ::= h -> l -> r -> k [weight 1000000]"
    )
    mission = Derivation(grammar, frozenset(TERMINALS)).mission(RandomDecisions(rng(1)), 9)
    assert mission.problem() == ""
    assert mission.symbol(mission.predecessor(mission.nodes_with("key")[0]) or 0) == "room"


def test_codons_choose_the_same_mission_every_time_and_end_when_they_are_spent() -> None:
    derivation = Derivation(read_grammar(), frozenset(TERMINALS))
    codons = rng(3).integers(0, CODON, 12).tolist()
    first, again = (derivation.mission(CodonDecisions(codons, 2), 14) for _ in range(2))
    assert first.to_json() == again.to_json()
    short = CodonDecisions([CODON - 1], 0)
    assert derivation.mission(short, 14).problem() == ""
    assert short.spent


# -- what games offer --------------------------------------------------------------------------------------------------


def test_locks_and_keys_are_found_in_the_rules() -> None:
    found = {name: game_elements(LevelContext.of(load(name))) for name in ("dungeon", "boxes", "portals", "hunt")}

    def chars(name: str, tiles: list[int]) -> list[str]:
        return [LevelContext.of(load(name)).palette.tiles[t].char for t in tiles]

    (door,) = found["dungeon"].barriers
    assert (chars("dungeon", [door.tile]), door.goal) == (["d"], True)
    assert [(k.how, k.spent, k.amount) for k in door.keys] == [(CARRY, True, 1)]
    assert chars("dungeon", [door.keys[0].tile]) == ["k"]
    (pit,) = found["boxes"].barriers
    assert [k.how for k in pit.keys] == [PUSHED]
    assert len(found["portals"].warps) == 3
    assert not found["hunt"].barriers and found["hunt"].tests and found["hunt"].tasks


def test_locks_of_other_makes_are_found_in_the_reference_games(shared: Path) -> None:
    folder = shared / "gvgai" / "games" / "gridphysics"
    expected = {
        "zelda": {("goal", "key", "become")},
        "bait": {("hole", "box", "push"), ("goal", "key", "become")},
        "iceandfire": {("ice", "iceshoes", "carry"), ("fire", "fireboots", "carry")},
        "witnessprotected": {("doorClosed1", "switch1", "press"), ("doorClosed2", "switch2", "press")},
    }
    for name, locks in expected.items():
        context = LevelContext.of(load(folder / f"{name}.txt", reading="gvgai"))
        tiles, names = context.palette.tiles, context.analysis.names
        found = {
            (names(tiles[b.tile].content)[0], names(tiles[k.tile].content)[0], k.how)
            for b in game_elements(context).barriers
            for k in b.keys
        }
        assert found == locks, name


# -- spaces ------------------------------------------------------------------------------------------------------------


def reached(rows: list[str], shut: str) -> set[Cell]:
    """Cells an avatar comes to when it cannot pass the characters in `shut`."""
    start = next((y, x) for y, row in enumerate(rows) for x, c in enumerate(row) if c == "A")
    seen, frontier = {start}, deque([start])
    while frontier:
        y, x = frontier.popleft()
        for n in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
            if n not in seen and rows[n[0]][n[1]] not in shut:
                seen.add(n)
                frontier.append(n)
    return seen


def test_doors_shut_off_what_comes_after_them_and_never_their_key(context: LevelContext) -> None:
    doors = 0
    for built in built_by(context, 20):
        if not built.sound:
            continue
        rows = built.level.split("\n")
        for lock, gap in built.plan.gaps.items():
            doors += 1
            assert rows[gap.cell[0]][gap.cell[1]] == "d"
            only_this = ["".join("w" if (y, x) == gap.cell else c for x, c in enumerate(r)) for y, r in enumerate(rows)]
            there = reached(only_this, "w")
            assert gap.before in there and gap.behind not in there
            assert any(rows[y][x] == "k" for y, x in there)
            assert built.mission.descendants(lock)
        assert any(rows[y][x] == "k" for y, x in reached(rows, "wd"))
    assert doors >= 15


def corridor(context: LevelContext, rows: str) -> tuple[MissionMap, Mission, MissionLayout, dict[int, list[Cell]]]:
    """A level of one row of cells with a start, a key, a door and a goal where `rows` has A, k, d and c."""
    level = MissionMap(context, context.palette.parse(rows))
    at = {c: (y, x) for y, row in enumerate(rows.split("\n")) for x, c in enumerate(row)}
    mission = Mission()
    for n, symbol in enumerate(("start", "lock", "goal", "key")):
        mission.graph.add_node(n, symbol=symbol, sprite="")
    for a, b, kind in ((0, 1, "->"), (1, 2, "->"), (0, 3, "->"), (3, 1, "=>")):
        mission.graph.add_edge(a, b, kind)
    y, x = at["d"]
    plan = MissionLayout(
        [Place(Rect(1, 1, 2, 9), [0, 1, 2, 3])], dict.fromkeys(range(4), 0), {1: Gap((y, x), (y, x - 1), (y, x + 1))}
    )
    level.locks.append((y, x))
    return level, mission, plan, {0: [at["A"]], 1: [at["d"]], 2: [at["c"]], 3: [at["k"]]}


@pytest.mark.parametrize(
    ("rows", "holds"),
    [
        ("wwwwwwwww\nwk.A.d.cw\nwwwwwwwww", True),
        ("wwwwwwwww\nw..A.dkcw\nwwwwwwwww", False),  # the key is behind its door
        ("wwwwwwwww\nwk.A.d.cw\nw.......w\nwwwwwwwww", False),  # one can walk around the door
        ("wwwwwwwww\nwkcA.d..w\nwwwwwwwww", False),  # the goal is before the door
        ("wwwwwwwww\nwkwA.d.cw\nwwwwwwwww", False),  # the key is walled in
    ],
)
def test_the_proof_tells_whether_an_order_is_enforced(context: LevelContext, rows: str, holds: bool) -> None:
    assert mission_order_holds(*corridor(context, rows)) is holds


def test_the_walk_goes_to_the_key_and_then_to_the_door(context: LevelContext) -> None:
    assert steps_to_win(*corridor(context, "wwwwwwwww\nwk.A.d.cw\nwwwwwwwww")) == 2 + 4


def test_levels_of_a_longer_walk_take_longer(context: LevelContext) -> None:
    for built in built_by(context, 6, walk=18, tries=60):
        assert built.sound and built.steps_to_win is not None and built.steps_to_win >= 18


def test_closed_rooms_are_entered_by_portal_only() -> None:
    context = LevelContext.of(load("portals"))
    closed = 0
    for built in built_by(context, 20):
        for node in built.plan.warps if built.sound else ():
            closed += 1
            rect = built.plan.place_of(node).rect
            outside = {(y, x) for y, x in reached(built.level.split("\n"), "w") if rect.holds((y, x))}
            assert not outside
            assert any(built.level.split("\n")[y][x] in "abc" for y, x in rect.cells())
    assert closed >= 8


@pytest.mark.parametrize("game", ["crossing", "invaders", "ferry", "digger", "ridge"])
def test_games_without_rooms_get_bands(game: str) -> None:
    for built in built_by(load(game), 4):
        assert not built.plan.closed
        assert {"lock", "warp"}.isdisjoint({built.mission.symbol(n) for n in built.mission.graph})
    with pytest.raises(PcgError, match=r"no walls to make rooms of"):
        Builder(LevelContext.of(load("invaders")), read_grammar(), "rooms")


# -- boxes -------------------------------------------------------------------------------------------------------------


def test_boxes_are_put_where_they_can_be_pushed_home() -> None:
    """Played by what the generator knows: the way of each box, the last one first."""
    game = load("boxes")
    generator = make_generator("grammar", game, seed=7)
    assert isinstance(generator, GrammarGenerator)
    pushed = 0
    for seed in range(8):
        random = rng(seed)
        mission = generator.builder.mission(RandomDecisions(random), 5)
        draft = generator.builder.draft(mission, RandomDecisions(random), random, 10, 9)
        ways = draft.placer.box_placer.ways
        level = generator.builder.finish(draft, random).level
        state = game.start(level, seed=1)
        rows, here = level.split("\n"), draft.placer.level.avatar
        assert here is not None
        taken = {way[0] for way in ways}
        for way in reversed(ways):
            for box, to in pairwise(way):
                stand = (2 * box[0] - to[0], 2 * box[1] - to[1])
                for action in route(rows, here, stand, {*taken - {way[0]}, box}):
                    state.advance(action)
                state.advance(MOVES[to[0] - box[0], to[1] - box[1]])
                here, pushed = box, pushed + 1
            taken -= {way[0]}
            y, x = way[-1]
            rows[y] = rows[y][:x] + "w" + rows[y][x + 1 :]  # a box that is home does not move any more
        assert len(ways) - len(draft.placer.plan.gaps) == level.count("o") > 0
        assert state.winner == Outcome.PLAYER_WINS, level
    assert pushed >= 40


MOVES = {(-1, 0): "UP", (1, 0): "DOWN", (0, -1): "LEFT", (0, 1): "RIGHT"}


def route(rows: list[str], start: Cell, end: Cell, taken: set[Cell]) -> list[str]:
    """The moves from one cell to another around walls, pits and boxes."""
    came: dict[Cell, tuple[Cell, str]] = {}
    frontier = deque([start])
    while end not in came and frontier and end != start:
        y, x = frontier.popleft()
        for (dy, dx), move in MOVES.items():
            n = (y + dy, x + dx)
            if n not in came and n != start and n not in taken and rows[n[0]][n[1]] not in "wp":
                came[n] = ((y, x), move)
                frontier.append(n)
    moves: list[str] = []
    while end != start:
        end, move = came[end]
        moves.append(move)
    return moves[::-1]


def test_a_box_is_not_pulled_through_walls_nor_out_of_dead_ends() -> None:
    context = LevelContext.of(load("boxes"))
    level = MissionMap(context, context.palette.parse("wwwwwwww\nw.....Aw\nwwwwwwww"))
    yard = BoxPlacer(level)
    # To push a box left to (1, 1) one stands right of it; pulled from there it may come to (1, 2), (1, 3) or (1, 4).
    assert yard.pull((1, 1), rng(1), least=2) in {(1, 3), (1, 4)}
    assert BoxPlacer(level).pull((1, 5), rng(1)) is None


# -- grammars of one's own ---------------------------------------------------------------------------------------------


def test_a_grammar_of_ones_own_is_followed(dungeon: Game, tmp_path: Path) -> None:
    path = tmp_path / "coins.grammar"
    path.write_text(
        "mission L ::= start -> h:room -> l:lock(door) -> reward(coin) -> goal, h -> test(skeleton) -> k:key, k => l"
    )
    for built in built_by(dungeon, 6, grammar=str(path), walk=0):
        assert built.sound
        assert {"s", "d", "k", "c"} <= set(built.level)
        assert len(built.plan.gaps) == 1


@pytest.mark.parametrize(
    ("symbol", "message"),
    [
        ("reward(cion)", r"own\.grammar:1: reward\(cion\): the game has no sprite type `cion`, did you mean `coin`\?"),
        ("reward(knife)", r"no level character of the game creates `knife` \(there are characters for: .*coin"),
    ],
)
def test_sprites_the_game_does_not_have_are_told(dungeon: Game, tmp_path: Path, symbol: str, message: str) -> None:
    path = tmp_path / "own.grammar"
    path.write_text(f"mission L ::= start -> {symbol} -> goal")
    with pytest.raises(PcgError, match=message):
        make_generator("grammar", dungeon, seed=1, grammar=str(path))


def test_a_grammar_for_locks_says_so_where_there_are_none(tmp_path: Path) -> None:
    path = tmp_path / "own.grammar"
    path.write_text("mission L ::= start -> k:key -> l:lock -> goal, k => l")
    with pytest.raises(PcgError, match=r"own\.grammar: no mission can be made for this game.*`key` or `lock`"):
        make_generator("ge", load("hunt"), seed=1, grammar=str(path))


# -- levels for every game ---------------------------------------------------------------------------------------------


def test_reference_games_of_all_kinds_get_levels(shared: Path) -> None:
    folder = shared / "gvgai" / "games" / "gridphysics"
    names = ["zelda", "chipschallenge", "sokoban", "aliens", "freeway", "boulderdash", "frogs", "doorkoban", "painter"]
    sound = 0
    for name in names:
        game = load(folder / f"{name}.txt", reading="gvgai")
        context = LevelContext.of(game)
        (built,) = built_by(context, 1)
        sound += built.sound
        problems = [p for p in check_level(built.level, game.definition, reading="gvgai") if p.severity == "error"]
        assert problems == [], name
    assert sound >= len(names) - 1


def test_wanted_numbers_are_aimed_at(dungeon: Game) -> None:
    generator = make_generator("grammar", dungeon, seed=2, targets="enemies=2, coin=4, door=1")
    hits = [level for level in (c.level for c in generator.ask(10))
            if sum(level.count(c) for c in "bls") == 2 and level.count("c") == 4 and level.count("d") == 1]  # fmt: skip
    assert len(hits) >= 8


# -- evolution ---------------------------------------------------------------------------------------------------------


def test_crossover_and_mutation_change_codons_that_are_read() -> None:
    a, b = draw(rng(1), 20), draw(rng(2), 20)
    child = cross(a, b, rng(3), {"mission": 5, "space": 5})
    heads = [i for i in range(20) if child.mission[:i] == a.mission[:i] and child.mission[i:] == b.mission[i:]]
    assert heads and heads[0] <= 5
    for seed in range(20):
        changed = mutate(a, rng(seed), 3, {"mission": 5, "space": 5})
        assert changed.mission[5:] == a.mission[5:] and changed.space[5:] == a.space[5:]
        assert changed != a


def test_evolution_finds_better_levels_than_it_began_with(dungeon: Game) -> None:
    generator = make_generator("ge", dungeon, seed=1, population=8, offspring=8, tries=2)
    assert isinstance(generator, GrammaticalEvolution)

    def verdict(level: str) -> Evaluation:
        walls = level.count("w")
        return Evaluation(walls % 4 != 0, 1 / walls if walls % 4 else 0.0, 1.0, {}, {}, "static")

    best = []
    for _ in range(6):
        candidates = generator.ask(8)
        generator.tell(candidates, [verdict(c.level) for c in candidates])
        best.append(generator.feasible[0].fitness.values[0])
    assert best == sorted(best)
    assert best[-1] > best[0]
    assert {c.origin for c in candidates} <= {"codons", "crossover", "mutation"}


def test_a_genotype_stands_for_one_level(dungeon: Game) -> None:
    generator = make_generator("ge", dungeon, seed=1)
    assert isinstance(generator, GrammaticalEvolution)
    genome = draw(rng(5), 40)
    first, again = generator.express(genome), generator.express(genome)
    assert first.level == again.level
    assert first.mission.to_json() == again.mission.to_json()
