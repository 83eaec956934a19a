"""Rule sets: genes, the space of rules of a sprite set, operators, and searches."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judging import Judged, judged, run
from tiers import examples

from pcg.engine.game import builtin_games, load
from pcg.engine.vgdl import check_game, ontology, read_game
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.engine.vgdl.parser import parse
from pcg.evaluators.games import AgentPerformance
from pcg.evaluators.games.behaviour import effect_names
from pcg.generators.rules import (
    RULE_GENERATORS,
    Rule,
    RuleCandidate,
    RuleGenerator,
    RuleSet,
    RuleSpace,
    Termination,
    make_rule_generator,
)
from pcg.generators.rules.genes import edits, replace_rules, shape_distance, shape_of, with_params
from pcg.generators.rules.operators import cross, modify_rule, mutate, repair_rules
from pcg.generators.rules.qd.measures import parse_game_measures

GAMES = [name for name in builtin_games() if load(name).players == 1]
SOME = ["boxes", "dungeon", "invaders", "hunt", "lode_runner"]


@cache
def space(name: str) -> RuleSpace:
    game = load(name)
    return RuleSpace.of(game.definition.source, game.levels)


def findings(name: str, genotype: RuleSet) -> list[str]:
    """List the strict reading's diagnostics of a game with these rules, but for sprites that they never bring about."""
    found = check_game(space(name).text(genotype))
    return [d.message for d in found if "never appears" not in d.message]


# -- genes -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_a_games_own_rules_come_back_unchanged(name: str) -> None:
    source = load(name).definition.source
    genotype = RuleSet.of(source)
    again = RuleSet.from_json(json.loads(json.dumps(genotype.to_json())))
    assert again == genotype
    text = space(name).text(genotype)
    assert RuleSet.of(text) == genotype
    before, after = read_game(source), read_game(text)
    assert [(p.first, p.second, len(p.effects)) for p in before.pairs] == [
        (p.first, p.second, len(p.effects)) for p in after.pairs
    ]
    assert [t.params for t in before.terminations] == [t.params for t in after.terminations]
    assert before.mapping == after.mapping and [t.params for t in before.types] == [t.params for t in after.types]


def test_params_are_set_changed_and_left_out() -> None:
    assert with_params((("a", "1"), ("b", "2")), {"a": "3", "b": None, "c": "4"}) == (("a", "3"), ("c", "4"))


def test_distances_and_edits_are_what_they_say() -> None:
    a, b, c = Rule("x", "y", "killSprite"), Rule("x", "y", "stepBack"), Termination("Timeout", (("limit", "9"),))
    one, other = RuleSet((a, b), (c,)), RuleSet((a,), (c,))
    assert shape_distance(shape_of(one), shape_of(one)) == 0 and edits(one, one) == 0
    assert shape_distance(shape_of(one), shape_of(other)) == pytest.approx(1 / 3)
    assert edits(one, other) == edits(other, one) == 1
    assert edits(one, RuleSet((b, Rule("x", "y", "killBoth")), (c,))) == 1
    assert edits(RuleSet((a, b), ()), RuleSet((b, a), ())) == 0


def test_a_game_without_sprites_has_no_rules() -> None:
    with pytest.raises(PcgError, match="no SpriteSet"):
        replace_rules(parse("BasicGame\n  LevelMapping\n    a > b\n"), RuleSet((), ()))


# -- the space ---------------------------------------------------------------------------------------------------------


@settings(max_examples=examples(60))
@given(st.sampled_from(GAMES), st.integers(0, 2**31))
def test_what_is_drawn_reads_without_a_finding(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    drawn = tuple(space(name).draw_rule(rng) for _ in range(8))
    terminations = tuple(space(name).draw_termination(rng) for _ in range(3))
    assert findings(name, repair_rules(space(name), RuleSet(drawn, terminations), rng)) == []


def test_every_effect_of_the_registry_is_drawn_somewhere() -> None:
    drawn = {e for name in GAMES for pair in space(name).pairs for e in space(name).effects(*pair)[0]}
    assert set(ontology.EFFECTS) - drawn == set()


def test_what_nobody_can_bring_forth_goes_with_all_that_waits_for_it() -> None:
    """Without the rule that makes outposts the termination that counts them never ends a game."""
    own = RuleSet.of(load("invaders").definition.source)
    rules = tuple(rule for rule in own.rules if rule.get("stype") != "outpost")
    counted = Termination(
        "MultiSpriteCounter", (("stype1", "outpost"), ("stype2", "alien"), ("limit", "0"), ("win", "True"))
    )
    text = space("invaders").tidy(RuleSet(rules, own.terminations))
    assert len(rules) == len(own.rules) - 1 and not check_game(text) and "outpost" not in text
    text = space("invaders").tidy(RuleSet(rules, (*own.terminations, counted)))
    assert [d.severity for d in check_game(text)] == ["warning"] and "outpost > Immovable" in text


def test_time_limits_stay_within_what_a_game_may_last() -> None:
    termination, rng = Termination("Timeout", (("limit", "1950"), ("win", "True"))), np.random.default_rng(1)
    limits = {int(space("hunt").redraw_limit(rng, termination).get("limit") or 0) for _ in range(50)}
    assert max(limits) == 2000 and min(limits) >= 50


def test_rules_are_only_about_what_is_there() -> None:
    boxes = space("boxes")
    assert boxes.kinds.avatars == ("hero",)
    assert not any("wall" in pair and "mark" in pair for pair in boxes.pairs)  # neither can move
    assert "collectResource" not in boxes.effects("box", "hero")[0]
    assert "collectResource" in space("dungeon").effects("key", "hero")[0]
    assert "teleportToExit" not in space("dungeon").effects("hero", "wall")[0]


@pytest.mark.parametrize(
    ("source", "levels", "message"),
    [
        ("BasicGame\n  SpriteSet\n    a > Missile\n  LevelMapping\n    a > a\n", ("aa",), "no level has an avatar"),
        ("BasicGame\n  SpriteSet\n    a > Missile\n", (), "no level to make rules for"),
        ("BasicGame no_players=2\n  SpriteSet\n    a > MovingAvatar\n", ("A",), "one player"),
    ],
)
def test_sprite_sets_that_no_rules_can_be_made_for(source: str, levels: tuple[str, ...], message: str) -> None:
    with pytest.raises(PcgError, match=message):
        RuleSpace.of(source, levels)


# -- operators ---------------------------------------------------------------------------------------------------------


@settings(max_examples=examples(60))
@given(st.sampled_from(GAMES), st.integers(0, 2**31), st.integers(1, 8))
def test_children_read_without_a_finding_and_can_be_won(name: str, seed: int, changes: int) -> None:
    rng = np.random.default_rng(seed)
    own = repair_rules(space(name), RuleSet.of(load(name).definition.source), rng)
    other = make_rule_generator("random", space(name), seed=seed).ask(1)[0].genotype
    for child in (mutate(space(name), other, rng, changes=changes), cross(space(name), own, other, rng)):
        assert any(e.wins or e.get("count_score") for e in child.terminations)
        assert len(set(child.genes())) == len(child) and child.rules
        if child.rules and not set(child.rules) & set(own.rules):
            assert findings(name, child) == []


def test_repair_keeps_the_order_in_which_rules_run() -> None:
    rules = (Rule("hero", "wall", "stepBack"), Rule("box", "hero", "bounceForward"), Rule("hero", "wall", "killSprite"))
    repaired = repair_rules(space("boxes"), RuleSet(rules, ()), np.random.default_rng(1))
    assert repaired.rules == (rules[0], rules[2], rules[1])
    assert [e for e in repaired.terminations if e.wins]
    assert repaired.terminations[-1] == Termination(
        "SpriteCounter", (("stype", "hero"), ("limit", "0"), ("win", "False"))
    )


def test_a_change_is_one_change() -> None:
    own = repair_rules(space("dungeon"), RuleSet.of(load("dungeon").definition.source), np.random.default_rng(0))
    changed = [edits(own, mutate(space("dungeon"), own, np.random.default_rng(k))) for k in range(60)]
    assert max(changed) <= 2 and sum(c == 1 for c in changed) > 40


def test_crossing_takes_rules_of_both() -> None:
    own = repair_rules(space("dungeon"), RuleSet.of(load("dungeon").definition.source), np.random.default_rng(0))
    other = make_rule_generator("random", space("dungeon"), seed=3, min_rules=10).ask(1)[0].genotype
    children = [cross(space("dungeon"), own, other, np.random.default_rng(k)) for k in range(20)]
    assert all(set(c.rules) <= set(own.rules) | set(other.rules) for c in children)
    assert sum(bool(set(c.rules) & set(own.rules)) and bool(set(c.rules) & set(other.rules)) for c in children) > 10


# -- generators --------------------------------------------------------------------------------------------------------


def test_evolution_gets_better_at_what_it_is_told() -> None:
    """The worth of a rule set is the share of its rules that transform: a hill that any search climbs."""

    def worth(candidate: RuleCandidate) -> Judged:
        rules = candidate.genotype.rules
        return Judged(True, sum(r.effect == "transformTo" for r in rules) / len(rules) * min(1, len(rules) / 8), 1.0)

    generator = make_rule_generator("evolve", space("dungeon"), seed=1, population=20, offspring=20, settled=0.0)
    best = []
    for _ in range(15):
        candidates = generator.ask(20)
        generator.tell(candidates, [worth(c) for c in candidates])
        best.append(max(worth(c).fitness for c in candidates))
    assert np.mean(best[-3:]) > np.mean(best[:2]) + 0.2
    assert all(len(one) for one in generator.feasible)  # type: ignore[attr-defined]


def test_long_rule_sets_pay_for_their_length() -> None:
    """With equal worth the short survive."""
    lengths = {}
    for price in (0.0, 0.05):
        generator = make_rule_generator("evolve", space("dungeon"), seed=1, population=20, offspring=20,
                                        parsimony=price, niche=0.0, settled=0.0)  # fmt: skip
        for _ in range(8):
            candidates = generator.ask(20)
            generator.tell(candidates, [Judged(True, 0.5, 1.0) for _ in candidates])
        lengths[price] = np.mean([len(one) for one in generator.feasible])  # type: ignore[attr-defined]
    assert lengths[0.05] < 0.7 * lengths[0.0]


def test_parents_are_candidates_that_came_before() -> None:
    found = run(make_rule_generator("evolve", space("hunt"), seed=1, population=20, offspring=20), 100)
    bred = [c for c in found if c.parents]
    assert bred and all(parent < c.id for c in bred for parent in c.parents)
    assert {len(c.parents) for c in bred} == {1, 2}
    assert {c.origin for c in bred} == {"mutation", "crossover", "trimmed", "again"}


def test_what_is_good_is_evaluated_again_and_its_luck_goes_by() -> None:
    """Rule sets of the first generation are worth 0.5 or, by luck, 1.0; all are worth 0.5 when they are seen again."""
    generator = make_rule_generator("evolve", space("dungeon"), seed=1, population=20, offspring=20, again=0.3)
    first = generator.ask(20)
    generator.tell(first, [Judged(True, 1.0 if k < 3 else 0.5, 1.0) for k in range(len(first))])
    known = {c.id: c for c in first}
    for generation in range(1, 6):
        asked = generator.ask(20)
        again = [c for c in asked if c.origin == "again"]
        assert len(again) == 6
        for candidate in again:
            (of,) = candidate.parents
            assert candidate.genotype == known[of].genotype
        if generation == 1:
            assert {c.parents[0] for c in again} >= {0, 1, 2}
        known |= {c.id: c for c in asked}
        generator.tell(asked, [Judged(c.origin == "again", 0.5, 0.5) for c in asked])
    kept = {one.id: one for one in generator.feasible}  # type: ignore[attr-defined]
    assert set(kept) == {c.id for c in first}, "members that are seen again are no further members"
    assert max(one.times for one in kept.values()) <= 6
    for one in kept.values():
        lucky = 1.0 if one.id < 3 else 0.5
        assert one.values[0] == pytest.approx((lucky + 0.5 * (one.times - 1)) / one.times)


def test_rules_that_are_never_executed_are_trimmed() -> None:
    """Of a rule set with which nothing else is wrong a child is made without them."""
    generator = make_rule_generator("evolve", space("dungeon"), seed=1, population=10, offspring=10)
    first = generator.ask(10)
    generator.tell(first, [Judged(False, 0.0, 0.9, constraints={"rules": 0.9}, unused=(0,)) for _ in first])
    trimmed = [c for c in generator.ask(10) if c.origin == "trimmed"]
    assert 1 <= len(trimmed) <= 4
    for child in trimmed:
        assert child.genotype.rules == first[child.parents[0]].genotype.rules[1:]


def test_a_timer_is_two_effects_of_a_game() -> None:
    rng = np.random.default_rng(1)
    timer = Rule("hero", "TIME", "addTimer", space("dungeon").draw_params(rng, "addTimer"))
    rules = (Rule("hero", "wall", "stepBack"), timer, Rule("key", "hero", "killSprite"))
    genotype = repair_rules(space("dungeon"), RuleSet(rules, ()), rng)
    effects = space("dungeon").compile(genotype).game(space("dungeon").levels).definition.effects
    assert [e.name for e in effects] == ["stepBack", timer.get("ftype"), "addTimer", "killSprite"]
    for unused, kept in (((1,), (0, 2)), ((3,), (0, 1)), ((0,), (1, 2))):
        generator = make_rule_generator(
            "evolve", space("dungeon"), seed=1, population=2, offspring=4, start=(genotype,)
        )
        first = generator.ask(2)
        assert first[0].genotype == genotype
        verdicts = [Judged(False, 0.0, 0.9, constraints={"rules": 0.9}, unused=unused), Judged(True, 0.5, 1.0)]
        generator.tell(first, verdicts)
        assert generator.ask(1)[0].genotype.rules == tuple(rules[k] for k in kept)


def test_nothing_becomes_what_it_is_already() -> None:
    rng = np.random.default_rng(3)
    for effect, key in (("transformToAll", "stypeTo"), ("transformToSingleton", "stype_other")):
        for _ in range(60):
            rule = Rule("hero", "wall", effect, space("invaders").draw_params(rng, effect))
            for _ in range(3):
                assert rule.get("killSecond") in (None, "True", "False")
                if rule.effect == effect:
                    assert rule.get("stype") != rule.get(key)
                rule = modify_rule(space("invaders"), rule, rng)


def test_the_bar_is_the_worth_of_the_least_survivor() -> None:
    generator = make_rule_generator("evolve", space("hunt"), seed=1, population=10, offspring=10)
    assert generator.bar() == 0.0
    run(generator, 60)
    assert generator.bar() == min(one.values[0] for one in generator.feasible) > 0  # type: ignore[attr-defined]
    assert all(make_rule_generator(name, space("hunt"), seed=1).bar() == 0.0 for name in RULE_GENERATORS)


# -- novelty and quality-diversity -------------------------------------------------------------------------------------


def spread_of(generator: RuleGenerator, generations: int) -> float:
    """Search where behaviour is the shares of two effects, all worth the same; returns how far apart games end up."""

    def seen(candidate: RuleCandidate) -> tuple[float, ...]:
        rules = candidate.genotype.rules
        return tuple(sum(r.effect == e for r in rules) / len(rules) for e in ("transformTo", "killSprite"))

    for _ in range(generations):
        candidates = generator.ask(20)
        generator.tell(candidates, [Judged(True, 0.5, 1.0, seen(c)) for c in candidates])
    points = np.array([seen(RuleCandidate(0, RuleSet.from_json(one.note[0]), "")) for one in generator.feasible])  # type: ignore[attr-defined]
    return float(np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2)).mean())


@pytest.mark.full
def test_novelty_search_spreads_over_behaviours() -> None:
    apart = {
        name: np.mean([
            spread_of(make_rule_generator(name, space("dungeon"), seed=s, population=20, offspring=20), 12)
            for s in range(3)
        ])
        for name in ("evolve", "novelty")
    }  # fmt: skip
    assert apart["novelty"] > 1.3 * apart["evolve"]


def test_of_games_that_play_alike_the_better_survives() -> None:
    """With one behaviour for all, local competition is all there is."""
    generator = make_rule_generator("novelty", space("dungeon"), seed=1, population=10, offspring=10, niche=0.0)
    best: list[float] = []
    for _ in range(6):
        candidates = generator.ask(10)
        worths = [len(c.genotype.rules) / 40 for c in candidates]
        generator.tell(candidates, [Judged(True, w, 1.0, (0.5, 0.5)) for w in worths])
        best += worths
    kept = [one.values[0] for one in generator.feasible]  # type: ignore[attr-defined]
    assert np.mean(kept) > np.mean(best)


def test_map_elites_keeps_the_best_of_every_cell() -> None:
    pytest.importorskip("ribs")
    generator = make_rule_generator(
        "map-elites", space("dungeon"), seed=1, measures="rules:0..30:6, kinds:0..15:5", population=20, offspring=20
    )
    best: dict[tuple[int, int], tuple[float, int]] = {}
    for _ in range(15):
        candidates = generator.ask(20)
        verdicts = [judged(c) for c in candidates]
        generator.tell(candidates, verdicts)
        for c, v in zip(candidates, verdicts, strict=True):
            if v.feasible:
                rules = c.genotype.rules
                cell = min(5, len(rules) // 5), min(4, len({r.effect for r in rules}) // 3)
                best[cell] = max(best.get(cell, (-1.0, 0)), (v.fitness, -c.id))
    archive = generator.archive()
    assert archive is not None
    found = {tuple(cell["index"]): (cell["fitness"], -cell["candidate"]) for cell in archive["cells"]}
    assert found == best and len(found) > 6
    assert generator.statistics()["elites"] == len(found)


def test_measures_of_games_are_what_they_say() -> None:
    genotype = RuleSet((Rule("a", "b", "killSprite"), Rule("b", "a", "killSprite")), (Termination("Timeout"),))
    weak, strong = (
        AgentPerformance(name, 3, 0, 0, worth, 0.0, 1.0, 0.0, ticks)
        for name, worth, ticks in (("nothing", 0.25, 40.0), ("random", 0.75, 80.0))
    )
    behaviour = [0.0] * (len(effect_names()) + 12)
    behaviour[effect_names().index("stepBack")] = 0.4
    behaviour[len(effect_names()) + 6] = 1.0
    verdict = Judged(True, 0.5, 1.0, tuple(behaviour), {"spread": 0.5}, profile=(weak, strong))
    names = "rules terminations kinds length executed spread fitness effect.stepBack random.wins gap.random olets.wins"
    values = [m.of(genotype, verdict) for m in parse_game_measures(names, 5)]
    assert values == [2, 1, 1, 60, 1, 0.5, 0.5, 0.4, 1.0, 0.5, 0.0]


@pytest.mark.parametrize(
    ("measures", "message"),
    [
        ("ruls", "unknown measure `ruls`, did you mean `rules`"),
        ("rules:9..3", "is empty"),
        ("rules:a..3", "range cannot be read"),
        ("rules, rules", "`rules` is there twice"),
        ("rules:0..:5", "cannot be read"),
        (" ", "there are no measures"),
        ("effect.killSprit", "did you mean `effect.killSprite`"),
        ("rules:0..30:1000 kinds:0..15:1000", "at most"),
    ],
)
def test_mistakes_in_measures_are_named(measures: str, message: str) -> None:
    with pytest.raises(PcgError, match=message):
        make_rule_generator("map-elites", space("boxes"), seed=1, measures=measures)


@pytest.mark.parametrize("name", SOME)
def test_templates_make_the_rules_a_designer_would_write(name: str) -> None:
    made = [c.genotype for c in make_rule_generator("constructive", space(name), seed=1).ask(20)]
    hero = space(name).kinds.avatars
    for genotype in made:
        assert findings(name, genotype) == []
        stopped = [r for r in genotype.rules if r.first in hero and r.effect in ("stepBack", "killSprite")]
        assert stopped, "something stops or kills the player"
    if name == "dungeon":
        assert all(Rule("door", "hero", "killSprite", (("scoreChange", "1"),)) in g.rules for g in made)
        assert all(any(r.effect == "collectResource" and r.first == "key" for r in g.rules) for g in made)
        assert all(g.terminations[0].get("stype") == "door" for g in made)


def test_rules_for_games_of_the_corpus_read_without_a_finding(shared: Path) -> None:
    folder = shared / "gvgai" / "games" / "gridphysics"
    for name in ("aliens", "sokoban", "zelda", "frogs", "boulderdash", "portals", "seaquest"):
        game = load(folder / f"{name}.txt", reading="gvgai")
        its = RuleSpace.of(game.definition.source, game.levels)
        for kind in ("random", "constructive"):
            for candidate in make_rule_generator(kind, its, seed=1).ask(5):
                text = its.text(candidate.genotype)
                lines = text.splitlines()
                at = next(k for k, line in enumerate(lines) if line.strip() == "InteractionSet")
                until = next(k for k, line in enumerate(lines) if line.strip() == "LevelMapping")
                assert [d for d in check_game(text) if at < d.line - 1 < until] == [], name


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("evolv", {}, "unknown rule generator `evolv`, did you mean `evolve`"),
        ("evolve", {"populaton": 3}, "no parameter `populaton`, did you mean `population`"),
        ("evolve", {"population": 1}, "expected a whole number from 2"),
        ("evolve", {"constructive": 0.8, "random": 0.8}, "expected at most 1"),
        ("random", {"min_rules": 9, "max_rules": 3}, "expected at most max_rules"),
    ],
)
def test_mistakes_are_named(name: str, params: dict[str, float], message: str) -> None:
    with pytest.raises(PcgError, match=message):
        make_rule_generator(name, space("boxes"), seed=1, **params)
