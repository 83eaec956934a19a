"""Whole games: genotypes, repair, operators, crossover, edit distance, and searches."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judging import Judged, run
from tiers import examples

from pcg.engine.game import builtin_games, load
from pcg.engine.vgdl import check_game, ontology, read_game
from pcg.engine.vgdl.checker import check_level
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.engine.vgdl.formatter import format_text
from pcg.evaluators.games import GameEvaluator
from pcg.generators.games import (
    GAME_GENERATORS,
    GameCandidate,
    GameGenerator,
    GameGenotype,
    Sprite,
    game_edits,
    make_game_generator,
)
from pcg.generators.games.game_repair import repair_game, space_of
from pcg.generators.games.genes import game_distance, game_shape
from pcg.generators.games.gp.initial_trees import initial_tree, line_tree, termination_tree
from pcg.generators.games.gp.primitives import Game as GameType
from pcg.generators.games.gp.primitives import (
    evaluate,
    game_of,
    grow,
    names_of,
    primitives,
    rule_of,
    termination_of,
    tree_of,
)
from pcg.generators.games.operators import OPERATORS, mutate
from pcg.generators.games.population import genotype_of
from pcg.generators.games.recombination import cross, has_parts_of_both, own_features, parts, reconcile, rename
from pcg.generators.games.sprites import FAMILIES, classes, draw_params, family
from pcg.generators.rules.constructive.generator import ConstructiveRules
from pcg.generators.rules.genes import Rule, Termination

GAMES = [name for name in builtin_games() if load(name).players == 1]
SOME = ("dungeon", "hunt", "invaders", "boxes")


@cache
def genotype(name: str, levels: int = 2) -> GameGenotype:
    game = load(name)
    return GameGenotype.of(game, game.levels[:levels])


@cache
def repaired_start(name: str) -> GameGenotype:
    return repair_game(genotype(name), np.random.default_rng(0))


def findings(game: GameGenotype) -> list[str]:
    """List the strict reading's diagnostics of a game and its levels."""
    found = check_game(game.text())
    if not found:
        definition = read_game(game.text(), reading="strict")
        for level in game.levels:
            found += check_level(level, definition)
    return [d.message for d in found]


def make(name: str, seed: int = 1, **params: object) -> GameGenerator:
    small = {"population": 12, "offspring": 12} if GAME_GENERATORS[name].learns else {}
    return make_game_generator(name, [genotype(n) for n in ("dungeon", "hunt")], seed=seed, **{**small, **params})


# -- genotypes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_a_game_comes_back_from_its_genotype(name: str) -> None:
    source = load(name).definition.source
    game = GameGenotype.from_json(json.loads(json.dumps(genotype(name).to_json())))
    assert game == genotype(name)
    assert GameGenotype.of(game.text(), game.levels) == game and format_text(game.text()) == game.text()
    before, after = read_game(source), read_game(game.text())
    kept = {t.name: (t.class_name, dict(t.params), t.singleton) for t in after.types}
    assert {t.name: (t.class_name, dict(t.params), t.singleton) for t in before.types if t.line}.items() <= kept.items()
    used = {c for level in game.levels for c in level} - {" ", "\n"}
    assert all(before.mapping[c] == after.mapping[c] for c in used)
    assert {t.name: game.class_of(t.name) for t in before.types if t.leaf and t.line} == {
        t.name: t.class_name for t in before.types if t.leaf and t.line
    }


@pytest.mark.parametrize("name", [n for n in GAMES if n not in ("lode_runner", "snakes", "watchtower")])
def test_a_game_without_fault_is_left_as_it_is(name: str) -> None:
    assert game_edits(genotype(name), repaired_start(name)) == 0


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("GameSpace\n  SpriteSet\n    a > Missile\n", "is a game space"),
        ("BasicGame no_players=2\n  SpriteSet\n    a > MovingAvatar\n", "one player"),
        ("BasicGame\n  LevelMapping\n    a > b\n", "no SpriteSet"),
    ],
)
def test_games_that_have_no_genotype(source: str, message: str) -> None:
    with pytest.raises(PcgError, match=message):
        GameGenotype.of(source)


def test_what_every_game_has_without_a_line_gets_one() -> None:
    game = GameGenotype.of(
        "BasicGame\n  InteractionSet\n    avatar wall > stepBack\n  SpriteSet\n    a > Door\n", ["wA"]
    )
    assert {"wall", "avatar"} <= set(game.names) and game.characters == {"w": ("wall",), "A": ("avatar",)}
    assert read_game(game.text(), reading="gvgai").mapping["A"] == ("avatar",)


def test_edits_count_lines_and_rows() -> None:
    game = genotype("dungeon")
    assert game_edits(game, game) == 0
    sprites = (*game.sprites[1:], game.sprites[0])
    assert game_edits(game, replace(game, sprites=sprites)) == 0  # a move is no edit
    assert game_edits(game, replace(game, sprites=(replace(game.sprites[0], params=()), *game.sprites[1:]))) == 1
    assert game_edits(game, replace(game, rules=replace(game.rules, terminations=()))) == 2
    rows = game.levels[0].split("\n")
    rows[1] = rows[1][::-1]
    assert game_edits(game, replace(game, levels=("\n".join(rows), game.levels[1]))) == 1
    assert game_edits(game, replace(game, levels=game.levels[:1])) == len(game.levels[1].split("\n"))


def test_distance_is_that_of_rules_types_and_levels() -> None:
    one, other = game_shape(genotype("dungeon")), game_shape(genotype("hunt"))
    assert game_distance(one, one) == 0 and game_distance(one, other) == game_distance(other, one) > 0.9
    fewer = replace(genotype("dungeon"), levels=genotype("dungeon").levels[:1])
    assert 0 < game_distance(one, game_shape(fewer)) < 0.1


# -- types -------------------------------------------------------------------------------------------------------------


def test_every_class_is_of_one_family() -> None:
    assert {family(name) for name in ontology.SPRITE_CLASSES} == set(FAMILIES)
    assert all((family(n) == "avatar") == spec.avatar for n, spec in ontology.SPRITE_CLASSES.items())


@given(st.sampled_from(SOME), st.sampled_from(FAMILIES), st.integers(0, 2**31))
@settings(max_examples=examples(60))
def test_drawn_parameters_are_those_of_the_class_in_their_ranges(name: str, wanted: str, seed: int) -> None:
    game = repaired_start(name)
    for kind in classes(game, wanted):
        params = draw_params(game, kind, "new", np.random.default_rng(seed))
        assert params is not None
        spec = ontology.SPRITE_CLASSES[kind]
        assert set(spec.required) <= {key for key, _ in params} <= set(spec.params)
        for key, value in params:
            given_range = spec.params[key].range
            if spec.params[key].references:
                assert value in game.names
            elif given_range is not None and spec.params[key].type in ("int", "double", "float"):
                assert given_range[0] <= float(value) <= given_range[1], (kind, key)


# -- operators and repair ---------------------------------------------------------------------------------------------


@settings(max_examples=examples(80), deadline=None)
@given(st.sampled_from(GAMES), st.integers(0, 2**31), st.integers(1, 6))
def test_children_read_strictly_without_a_finding(name: str, seed: int, changes: int) -> None:
    rng = np.random.default_rng(seed)
    child = mutate(mutate(repaired_start(name), rng, changes=changes), rng, changes=changes)
    assert findings(child) == []
    players = {c for c, names in child.mapping if any(child.is_avatar(n) for n in names)}
    assert all(sum(level.count(c) for c in players) == 1 for level in child.levels)
    assert any(e.wins or e.get("count_score") for e in child.rules.terminations) and child.rules.rules
    assert GameGenotype.of(child.text(), child.levels) == child


@pytest.mark.parametrize("name", list(OPERATORS))
def test_every_operator_changes_games(name: str) -> None:
    operator, _ = OPERATORS[name]
    changed = 0
    for game in SOME:
        for seed in range(6):
            rng = np.random.default_rng(seed)
            made = repair_game(operator(repaired_start(game), rng), rng)
            assert findings(made) == []
            changed += made != repaired_start(game)
    assert changed >= 6


@pytest.mark.parametrize("name", list(OPERATORS))
def test_operators_bear_a_group_that_the_one_before_has_emptied(name: str) -> None:
    operator, _ = OPERATORS[name]
    for game in SOME:
        start = repaired_start(game)
        emptied = replace(start, sprites=(Sprite("crowd"), *start.sprites))
        for seed in range(6):
            rng = np.random.default_rng(seed)
            made = repair_game(operator(emptied, rng), rng)
            assert findings(made) == []


def test_classes_stay_in_their_family() -> None:
    operator, _ = OPERATORS["class"]
    for name in SOME:
        game = repaired_start(name)
        for seed in range(20):
            made = operator(game, np.random.default_rng(seed))
            assert all(family(made.class_of(s.name)) == family(game.class_of(s.name)) for s in game.leaves)


def test_a_new_type_comes_with_a_rule_and_into_play() -> None:
    operator, _ = OPERATORS["add"]
    for seed in range(20):
        rng = np.random.default_rng(seed)
        made = repair_game(operator(repaired_start("hunt"), rng), rng)
        new = set(made.names) - set(repaired_start("hunt").names)
        for name in new:
            assert any(name in rule.pair for rule in made.rules.rules)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda g: replace(g, sprites=g.sprites[1:]), "a mapped type that is gone"),
        (lambda g: replace(g, sprites=tuple(s for s in g.sprites if not g.is_avatar(s.name))), "no avatar"),
        (lambda g: replace(g, sprites=(*g.sprites, *g.sprites)), "every type twice"),
        (lambda g: replace(g, sprites=(*g.sprites, Sprite("a", "", (), "b"), Sprite("b", "", (), "a"))), "a circle"),
        (lambda g: replace(g, sprites=(*g.sprites, Sprite("x", "Chaser", (("stype", "nobody"),)))), "unknown stype"),
        (lambda g: replace(g, sprites=(*g.sprites, Sprite("x", "Nonsense", (("speed", "abc"),)))), "unknown class"),
        (lambda g: replace(g, mapping=()), "no mapping"),
        (lambda g: replace(g, mapping=tuple((c, (*n, *n, "nobody")) for c, n in g.mapping)), "mapped twice"),
        (lambda g: replace(g, levels=("A" * 9, "xyz\nA", " ")), "levels with many avatars, unknown characters, none"),
        (lambda g: replace(g, rules=type(g.rules)((), ())), "no rules"),
        (lambda g: replace(g, header=(("obs", "nobody"), ("square_size", "ten"))), "a header of nonsense"),
    ],
)
def test_repair_makes_games_of_ruins(change: object, message: str) -> None:
    for name in SOME:
        made = repair_game(change(repaired_start(name)), np.random.default_rng(1))  # type: ignore[operator]
        assert findings(made) == [], message


def test_repair_knows_that_the_topmost_class_counts() -> None:
    game = GameGenotype.of(
        "BasicGame\n SpriteSet\n  rock > Passive\n   big >\n   small >\n  me > MovingAvatar\n LevelMapping\n  r > big\n"
        "  s > small\n  A > me\n InteractionSet\n  rock me > killSprite\n TerminationSet\n"
        "  SpriteCounter stype=rock win=True\n", ["rsA"],
    )  # fmt: skip
    assert game.class_of("big") == "Passive" and findings(game) == []
    for seed in range(10):
        assert findings(mutate(game, np.random.default_rng(seed), changes=4)) == []


# -- crossover ---------------------------------------------------------------------------------------------------------


@settings(max_examples=examples(60), deadline=None)
@given(st.sampled_from(GAMES), st.sampled_from(GAMES), st.integers(0, 2**31))
def test_crossings_read_strictly_and_have_parts_of_both(one: str, other: str, seed: int) -> None:
    if one == other:
        return
    a, b = repaired_start(one), repaired_start(other)
    child = cross(a, b, np.random.default_rng(seed))
    assert findings(child) == []
    assert [len(level.split("\n")) for level in child.levels] == [len(level.split("\n")) for level in a.levels]
    renamed = rename(b, reconcile(a, b))
    theirs, mine = set(renamed.rules.genes()) - set(a.rules.genes()), set(a.rules.genes())
    assert mine & set(child.rules.genes()) or set(a.names) & set(child.names)
    assert theirs & set(child.rules.genes()) or (set(renamed.names) - set(a.names)) & set(child.names)


def test_parts_are_what_only_one_of_several_games_brings() -> None:
    games = [repaired_start("hunt"), repaired_start("invaders")]
    own = own_features(games)
    assert not own[0] & own[1]
    (a, none), (other, b) = parts(games[0], own), parts(games[1], own)
    assert none == other == 0 and min(a, b) >= 5
    assert not has_parts_of_both((a, none)) and not has_parts_of_both((a, 1)) and has_parts_of_both((2, 2))
    # names do not count
    renamed = rename(games[0], {name: f"x{k}" for k, name in enumerate(games[0].names)})
    assert parts(renamed, own) == (a, none)


@pytest.mark.full
@pytest.mark.parametrize("both", [0.0, 0.5])
def test_children_of_two_games_keep_parts_of_both(both: float) -> None:
    """Here games are worth the more the nearer they are to the first: without places of their own crossings go."""
    games = [repaired_start("hunt"), repaired_start("invaders")]
    own = own_features(games)

    def worth(candidate: GameCandidate) -> Judged:
        mine, theirs = parts(candidate.genotype, own)
        return Judged(True, max(0.0, mine - theirs) / len(own[0]), 1.0)

    generator = make_game_generator("evolve", games, seed=1, both=both, population=20, offspring=20, again=0.0)
    for _ in range(8):
        candidates = generator.ask(20)
        generator.tell(candidates, [worth(c) for c in candidates])
    mixed = [has_parts_of_both(parts(c.genotype, own)) for c in candidates]
    kept = [has_parts_of_both(parts(genotype_of(one), own)) for one in generator.feasible]  # type: ignore[attr-defined]
    if both:
        assert sum(mixed) >= 8 and sum(kept) >= 10
    else:
        assert sum(mixed) <= 4 and sum(kept) <= 4


def test_what_plays_the_same_part_is_one_type() -> None:
    names = reconcile(repaired_start("dungeon"), repaired_start("hunt"))
    assert names["fox"] == "hero" and names["hedge"] == "wall" and names["grass"] == "floor"
    renamed = rename(repaired_start("hunt"), names)
    assert findings(renamed) == [] and renamed.by_name["dog"].get("stype") == "hero"
    # a name that means another thing in the first game is changed
    again = reconcile(repaired_start("dungeon"), repaired_start("dungeon"))
    assert all(a == b for a, b in again.items())


# -- generators --------------------------------------------------------------------------------------------------------


@pytest.mark.full
@pytest.mark.parametrize("name", ["variation", "evolve"])
@pytest.mark.parametrize("bound", [1, 4])
def test_games_keep_within_the_bound_on_edits(name: str, bound: int) -> None:
    given_games = [genotype("dungeon"), genotype("hunt")]
    counts = [
        min(game_edits(game, candidate.genotype) for game in given_games)
        for candidate in run(make(name, max_edits=bound), 30)
    ]
    assert max(counts) == bound and sum(c > 0 for c in counts) > 18


def test_a_game_that_must_be_mended_counts_its_repair() -> None:
    start = [genotype("snakes")]
    assert game_edits(start[0], repaired_start("snakes")) == 1
    with pytest.raises(PcgError, match="expected max_edits of at least 2, got 1"):
        make_game_generator("evolve", start, seed=1, max_edits=1)


@pytest.mark.full
def test_evolution_gets_better_at_what_it_is_told() -> None:
    """The worth of a game is its number of types that walk: a hill that any search climbs."""

    def worth(candidate: GameCandidate) -> Judged:
        game = candidate.genotype
        return Judged(True, min(1.0, sum(family(game.class_of(s.name)) == "npc" for s in game.leaves) / 12), 1.0)

    for name in ("evolve", "gp"):
        generator = make(name)
        best = []
        for _ in range(12):
            candidates = generator.ask(12)
            generator.tell(candidates, [worth(c) for c in candidates])
            best.append(max(worth(c).fitness for c in candidates))
        assert np.mean(best[-2:]) > best[0] + 0.1, (name, best)


def test_games_of_the_corpus_can_be_begun_with(shared: Path) -> None:
    folder = shared / "gvgai" / "games" / "gridphysics"
    start = []
    for name in ("aliens", "sokoban", "zelda", "frogs", "boulderdash"):
        game = load(folder / f"{name}.txt", reading="gvgai")
        start.append(GameGenotype.of(game, game.levels[:1]))
    for name in ("variation", "crossover", "evolve"):
        params = {"max_edits": 12} if name == "variation" else {}
        for candidate in make_game_generator(name, start, seed=1, **params).ask(8):  # type: ignore[arg-type]
            assert findings(candidate.genotype) == []


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("evolv", {}, "unknown game generator `evolv`, did you mean `evolve`"),
        ("evolve", {"populaton": 3}, "no parameter `populaton`, did you mean `population`"),
        ("gp", {"max_nodes": 0}, "expected a whole number from 20"),
        ("gp", {"max_edits": 3}, "cannot keep to max_edits"),
        ("evolve", {"max_edits": -1}, "max_edits is -1"),
        ("random", {"min_types": 9, "max_types": 3}, "expected at most max_types"),
    ],
)
def test_mistakes_are_named(name: str, params: dict[str, int], message: str) -> None:
    with pytest.raises(PcgError, match=message):
        make_game_generator(name, [genotype("boxes")], seed=1, **params)


def test_crossover_needs_two_games() -> None:
    with pytest.raises(PcgError, match="expected at least 2 games to begin with, got 1"):
        make_game_generator("crossover", [genotype("boxes")], seed=1)


# -- trees ------------------------------------------------------------------------------------------------------------


def test_rules_and_terminations_are_turned_into_trees_that_mean_them() -> None:
    space = space_of(repaired_start("dungeon"))
    assert space is not None
    genes = [
        gene for k in range(5) for gene in ConstructiveRules(space, seed=k).generate(np.random.default_rng(k)).genes()
    ]
    found = 0
    for gene in genes:
        tree = line_tree(space, gene) if isinstance(gene, Rule) else termination_tree(space, gene)
        if tree is not None:
            meant = rule_of(space, evaluate(tree)) if isinstance(gene, Rule) else termination_of(space, evaluate(tree))
            assert meant == gene
            found += 1
    assert found > 0.8 * len(genes)
    assert line_tree(space, Rule("nobody", "wall", "stepBack")) is None
    assert (
        termination_tree(space, Termination("SpriteCounter", (("stype", "nobody"), ("limit", "0"), ("win", "True"))))
        is None
    )


def test_planted_trees_have_walls_rules_and_a_way_to_win() -> None:
    base = repaired_start("hunt")
    for seed in range(10):
        game = game_of(initial_tree(base, np.random.default_rng(seed), 40), base, 40)
        assert findings(game) == []
        assert any(termination.wins for termination in game.rules.terminations)
        walls = {name for _, names in game.mapping for name in names if game.class_of(name) == "Immovable"}
        assert any(r.effect in ("stepBack", "killSprite") and r.second in walls for r in game.rules.rules)


@pytest.mark.full
def test_trees_grow_games_that_can_be_played() -> None:
    """Some of the first hundred keep all constraints; of trees grown at random hardly any does."""
    generator = make_game_generator("gp", [repaired_start("hunt")], seed=1)
    feasible = 0
    for _ in range(13):
        candidates = generator.ask(8)
        verdicts = []
        for candidate in candidates:
            game = load(candidate.genotype.text())
            judge = GameEvaluator(candidate.genotype.levels, ladder="nothing random onestep olets:budget=60", plays=2)
            verdicts.append(judge.evaluate(game, 1))
        generator.tell(candidates, verdicts)
        feasible += sum(v.feasible for v, c in zip(verdicts, candidates, strict=True) if c.origin != "again")
    assert feasible >= 4


def test_trees_are_typed_and_come_back_from_their_names() -> None:
    for seed in range(20):
        tree = grow(GameType, np.random.default_rng(seed))
        again = tree_of(json.loads(json.dumps(names_of(tree))))
        assert names_of(again) == names_of(tree) and evaluate(again) == evaluate(tree)
        assert again.searchSubtree(0) == slice(0, len(tree), None)
    names = set(primitives().mapping)
    assert {"effect_killSprite", "class_Chaser", "end_SpriteCounter"} <= names
