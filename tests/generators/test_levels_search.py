"""Search-based generators: evolution strategies, NSGA-II, CMA-ES over parameters, seeding, and symmetric levels."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from pcg.engine.game import load
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.level_grid import Grid
from pcg.generators.levels import Candidate, LevelContext, LevelGenerator, make_generator
from pcg.generators.levels.cmaes.generator import CMAESGenerator
from pcg.generators.levels.cmaes.space import ParameterSpace, mirrored
from pcg.generators.levels.es.generator import EvolutionStrategyGenerator
from pcg.generators.levels.level_builder import LevelBuilder
from pcg.generators.levels.level_conventions import level_conventions
from pcg.generators.levels.nsga2.generator import NSGA2Generator
from pcg.generators.levels.nsga2.objectives import parse_objectives
from pcg.generators.levels.operators import CROSSOVERS, mirror_edits, rooms_of, symmetric_axis
from pcg.generators.levels.population import parse_shares
from pcg.generators.levels.repair.by_rules import repair
from pcg.generators.population import Individual


@pytest.fixture(scope="module")
def dungeon() -> LevelContext:
    return LevelContext.of(load("dungeon"))


@pytest.fixture(scope="module")
def boxes() -> LevelContext:
    return LevelContext.of(load("boxes"))


def verdict(candidate: Candidate, value: float, feasible: bool = True, **metrics: float) -> Evaluation:
    fitness, constraint = (value, 1.0) if feasible else (0.0, value)
    return Evaluation(feasible, fitness, constraint, {}, metrics, "static")


def coins(candidate: Candidate) -> Evaluation:
    """The more coins, the better; feasible from three on."""
    number = candidate.level.count("c")
    feasible = number >= 3
    return verdict(candidate, min(1.0, number / 40) if feasible else number / 3, feasible)


def run(generator: LevelGenerator, count: int, judge: object = coins) -> list[Candidate]:
    made: list[Candidate] = []
    while len(made) < count:
        candidates = generator.ask(min(5, count - len(made)))
        generator.tell(candidates, [judge(c) for c in candidates])  # type: ignore[operator]
        made += candidates
    return made


# -- evolution strategies ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("selection", ["plus", "comma"])
def test_a_strategy_climbs(dungeon: LevelContext, selection: str) -> None:
    generator = make_generator("es", dungeon, seed=1, mu=5, selection=selection, **{"lambda": 20})
    made = run(generator, 240)
    values = [coins(c).fitness for c in made]
    assert np.mean(values[-40:]) > 1.5 * np.mean(values[:40])


def test_plus_never_loses_its_best_and_comma_forgets_its_parents(dungeon: LevelContext) -> None:
    best: dict[str, list[int]] = {}
    for selection in ("plus", "comma"):
        generator = make_generator("es", dungeon, seed=2, mu=4, selection=selection, **{"lambda": 8})
        assert isinstance(generator, EvolutionStrategyGenerator)
        ages = []
        for generation in range(6):
            run(generator, 8)
            ages.append(min(one.id for one in generator.members) - 8 * generation)
        best[selection] = ages
    assert min(best["plus"]) < 0, "a parent survives somewhere"
    assert min(best["comma"]) >= 0, "all survivors are of the last generation"


def test_numbers_of_edits_are_inherited_and_vary(dungeon: LevelContext) -> None:
    generator = make_generator("es", dungeon, seed=1, mu=4, edits=2.0, **{"lambda": 12})
    run(generator, 60)
    edits = generator.findings()["edits"]
    assert len(set(edits)) > 1 and all(1.0 <= number <= 40.0 for number in edits)
    fixed = make_generator("es", dungeon, seed=1, mu=4, edits=2.0, learning_rate=0.0, **{"lambda": 12})
    run(fixed, 60)
    assert set(fixed.findings()["edits"]) == {2.0}


def test_feasible_levels_rank_before_all_others(dungeon: LevelContext) -> None:
    generator = make_generator("es", dungeon, seed=1, mu=3, **{"lambda": 6})
    assert isinstance(generator, EvolutionStrategyGenerator)
    candidates = generator.ask(6)
    worth = [(0.99, False), (0.01, True), (0.5, False), (0.9, False), (0.0, True), (0.2, False)]
    generator.tell(candidates, [verdict(c, v, f) for c, (v, f) in zip(candidates, worth, strict=True)])
    assert [one.id for one in generator.members] == [1, 4, 0]


# -- several objectives ------------------------------------------------------------------------------------------------


def two_sided(candidate: Candidate) -> Evaluation:
    """Coins and bats: more of both is better, and there is not room for both."""
    level = candidate.level
    return verdict(candidate, 0.5, level.count("c") > 0, density=level.count("w") / len(level))


def test_the_front_holds_what_no_level_beats_in_all_objectives(dungeon: LevelContext) -> None:
    generator = make_generator("nsga2", dungeon, seed=1, population=16, offspring=16, objectives="-density,bat,coin")
    assert isinstance(generator, NSGA2Generator)
    run(generator, 96, two_sided)
    front = generator.findings()["front"]
    assert front
    values = [
        (-entry["objectives"]["density"], entry["objectives"]["bat"], entry["objectives"]["coin"]) for entry in front
    ]
    for a in values:
        assert not any(all(x >= y for x, y in zip(b, a, strict=True)) and b != a for b in values)
    everyone = [one.values for one in generator.feasible]
    for other in everyone:
        assert any(all(x >= y for x, y in zip(a, other, strict=True)) for a in values)
    for entry in front:
        assert entry["objectives"]["coin"] == entry["level"].count("c")


def test_infeasible_levels_only_fill_up(dungeon: LevelContext) -> None:
    generator = make_generator("nsga2", dungeon, seed=1, population=4, offspring=4, objectives="gap,symmetry")
    assert isinstance(generator, NSGA2Generator)
    candidates = generator.ask(4)
    verdicts = [
        verdict(candidates[0], 0.9, False),
        verdict(candidates[1], 0.1, True, gap=0.0, symmetry=0.0),
        verdict(candidates[2], 0.95, False),
        verdict(candidates[3], 0.2, False),
    ]
    generator.tell(candidates, verdicts)
    assert [one.id for one in generator.feasible] == [1]
    assert [one.id for one in generator.infeasible] == [2, 0, 3]
    ranks = generator._rank()
    assert sorted(ranks, key=lambda number: ranks[number]) == [1, 2, 0, 3]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gap,simmetry", "did you mean `symmetry`"),
        ("gap,-gap", "occurs twice"),
        ("gap,,symmetry", "between commas"),
        ("", "between commas"),
    ],
)
def test_objectives_that_make_no_sense_are_refused(dungeon: LevelContext, text: str, message: str) -> None:
    with pytest.raises(PcgError, match=message):
        make_generator("nsga2", dungeon, seed=1, objectives=text)


def test_objectives_name_metrics_sprites_and_directions(dungeon: LevelContext) -> None:
    found = parse_objectives("solution_length, -density,coin, -fitness", dungeon.analysis, "objectives")
    assert [(o.name, o.small) for o in found] == [
        ("solution_length", False), ("density", True), ("coin", False), ("fitness", True),
    ]  # fmt: skip


# -- tuning ------------------------------------------------------------------------------------------------------------


def few_walls(candidate: Candidate) -> Evaluation:
    return verdict(candidate, 1.0 - candidate.level.count("w") / len(candidate.level))


@pytest.mark.full
def test_tuning_finds_the_parameters_that_are_rewarded(dungeon: LevelContext) -> None:
    generator = make_generator("cmaes", dungeon, seed=1, base="ca", repeats=2)
    assert isinstance(generator, CMAESGenerator)
    run(generator, 240, few_walls)
    found = generator.findings()
    assert found["base"] == "ca" and found["worth"] > 1.5
    plain, tuned = (
        np.mean([few_walls(c).fitness for c in make_generator("ca", dungeon, seed=7, **settings).ask(20)])
        for settings in ({}, found["settings"])
    )
    assert tuned > plain + 0.03


def test_each_vector_is_tried_on_several_levels(dungeon: LevelContext) -> None:
    generator = make_generator("cmaes", dungeon, seed=1, base="constructive", vectors=5, repeats=3)
    first = generator.ask(100)
    assert len(first) == 15 and len({c.level for c in first}) == 15


def test_a_vector_stands_for_settings_within_their_ranges() -> None:
    space = ParameterSpace("ca", "base")
    low, high = space.settings([0.0] * len(space)), space.settings([1.0] * len(space))
    assert (low["steps"], high["steps"], low["walls"], high["walls"]) == (0, 20, 0.0, 3.0)
    assert space.settings(space.start()) == {p.name: p.default for p in space.parameters}
    assert space.settings([1.25] * len(space)) == space.settings([0.75] * len(space))
    assert mirrored(np.array([-0.25, 2.5])).tolist() == [0.25, 0.5]


@pytest.mark.parametrize(
    ("base", "message"),
    [("constructiv", "did you mean `constructive`"), ("evolve", "learns by itself")],
)
def test_bases_that_cannot_be_tuned_are_refused(dungeon: LevelContext, base: str, message: str) -> None:
    with pytest.raises(PcgError, match=message):
        make_generator("cmaes", dungeon, seed=1, base=base)


def test_a_narrowed_search_starts_anew_and_goes_on_from_its_state(dungeon: LevelContext) -> None:
    params = {"base": "random", "repeats": 1, "vectors": 4, "sigma": 0.02}
    generator = make_generator("cmaes", dungeon, seed=3, **params)
    assert isinstance(generator, CMAESGenerator)
    run(generator, 400, few_walls)
    assert generator.restarts > 0
    restored = make_generator("cmaes", dungeon, seed=3, **params)
    restored.load_state_dict(json.loads(json.dumps(generator.state_dict())))
    assert run(generator, 50, few_walls) == run(restored, 50, few_walls)


# -- seeding -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["evolve", "es", "nsga2"])
def test_first_levels_come_from_the_generators_named(dungeon: LevelContext, name: str) -> None:
    size = {"lambda": 20, "mu": 4} if name == "es" else {"population": 20}
    generator = make_generator(name, dungeon, seed=1, seeding="ca:3, random", **size)
    origins = [c.origin for c in generator.ask(20)]
    assert origins.count("ca") == 15 and origins.count("random") == 5


@pytest.mark.parametrize(
    ("seeding", "message"),
    [
        ("constructve:0.5", "did you mean `constructive`"),
        ("ca:0.5,evolve:0.5", "learns from"),
        ("ca:none", "expected a positive number"),
        ("ca:-1", "expected a positive number"),
        ("ca:inf", "expected a positive number"),
        ("", "is no level generator"),
    ],
)
def test_seedings_that_make_no_sense_are_refused(dungeon: LevelContext, seeding: str, message: str) -> None:
    with pytest.raises(PcgError, match=message):
        make_generator("evolve", dungeon, seed=1, seeding=seeding)


def test_shares_are_relative_and_add_up() -> None:
    assert parse_shares("ca:2,random:1,ca", "seeding") == {"ca": 0.75, "random": 0.25}


def test_a_verdict_on_a_level_that_is_not_out_is_refused(dungeon: LevelContext) -> None:
    generator = make_generator("es", dungeon, seed=1)
    candidate = generator.ask(1)[0]
    generator.tell([candidate], [coins(candidate)])
    with pytest.raises(PcgError, match="is not out"):
        generator.tell([candidate], [coins(candidate)])


# -- operators ---------------------------------------------------------------------------------------------------------


MIRRORED_LEVEL = "wwwwwwwwwww\nw.w.....w.w\nw...b.b...w\nw.A..k....w\nw.cw...wc.w\nwwwwwdwwwww"


def test_mirrored_levels_are_recognised(dungeon: LevelContext) -> None:
    parse = dungeon.palette.parse
    assert symmetric_axis(dungeon, parse(MIRRORED_LEVEL)) == 1
    upright = np.ascontiguousarray(parse(MIRRORED_LEVEL).T)
    assert symmetric_axis(dungeon, upright) == 0
    assert symmetric_axis(dungeon, parse("wwwwwwww\nwA.w.c.w\nw.w..b.w\nw......w\nwwwwwwww")) is None


def test_edits_are_mirrored_but_for_the_avatar(dungeon: LevelContext) -> None:
    parse = dungeon.palette.parse
    before = parse(MIRRORED_LEVEL)
    after = parse(MIRRORED_LEVEL.replace("w...b.b...w\nw.A..k....w", "wc..b.b...w\nwA...k....w"))
    found = dungeon.palette.text(mirror_edits(dungeon, before, after, 1))
    assert found.split("\n")[2:4] == ["wc..b.b..cw", "wA...k....w"]


@pytest.mark.parametrize("name", ["evolve", "es", "nsga2"])
def test_wanting_symmetry_keeps_symmetric_levels_symmetric(dungeon: LevelContext, name: str) -> None:
    def share(wants: str) -> float:
        size = {"lambda": 20, "mu": 5, "crossover": 0.0} if name == "es" else {"population": 20, "crossover": 0.0}
        generator = make_generator(name, dungeon, seed=1, targets=wants, seeding="constructive", **size, fresh=0.0)
        assert hasattr(generator, "_bred")
        parent = Individual(MIRRORED_LEVEL, (1.0,), 0)
        children = [generator._bred(np.random.default_rng(k), parent, None, 2).text for k in range(40)]
        return float(np.mean([symmetric_axis(dungeon, dungeon.palette.parse(c)) == 1 for c in children]))

    assert share("symmetry>=0.8") >= 0.7
    assert share("symmetry>=0.8") > share("") + 0.2


def test_rooms_change_hands_as_wholes(dungeon: LevelContext) -> None:
    text = "wwwwwwwwwww\nw...w.....w\nw...w.....w\nw.........w\nw...w.....w\nwwwwwwwwwww"
    grid = dungeon.palette.parse(text)
    found = rooms_of(dungeon, grid)
    assert len(found) == 2
    filled = np.full_like(grid, dungeon.palette.wall)
    seen = set()
    for seed in range(12):
        child, other = CROSSOVERS["rooms"](dungeon, grid, filled, np.random.default_rng(seed))
        changed: Grid = child != grid
        seen |= {k for k, room in enumerate(found) if not changed.any() or (changed <= room).all()}
        assert ((child == grid) | (child == filled)).all() and ((other == grid) | (other == filled)).all()
    assert seen == {0, 1}


# -- variations and conventions ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["boxes", "crossing", "digger", "dungeon", "invaders", "portals"])
def test_variations_resemble_the_games_levels_without_being_them(game: str) -> None:
    source = load(game)
    context = LevelContext.of(source)
    own = {context.palette.text(grid) for grid in context.examples}
    assert len(own) == len(source.levels)
    levels = [c.level for c in make_generator("variation", context, seed=1).ask(20)]
    assert not own & set(levels) and len(set(levels)) == 20
    gentle = make_generator("variation", context, seed=1, crossed=0.0, mirrored=0.0, thinned=0.0, edits=1)
    for candidate in gentle.ask(10):
        grid = context.palette.parse(candidate.level)
        nearest = max(float((grid == e).mean()) if grid.shape == e.shape else 0.0 for e in context.examples)
        assert nearest > 0.6


def test_what_a_games_own_levels_do_not_keep_is_not_mended(boxes: LevelContext) -> None:
    assert "frame" in level_conventions(boxes)

    class Open:
        definition = load("boxes").definition
        levels = tuple("\n".join(line[1:] for line in text.split("\n")) for text in load("boxes").levels)

    open_sided = LevelContext.of(Open())
    text = open_sided.palette.text(open_sided.examples[0])
    builder = LevelBuilder(open_sided, open_sided.palette.parse(text))
    repair(builder, np.random.default_rng(1))
    assert builder.text() == text


def test_repair_leaves_most_levels_of_the_corpus_alone(shared: Path) -> None:
    folder = shared / "gvgai" / "games" / "gridphysics"
    changed, total = 0, 0
    for name in ("zelda", "frogs", "beltmanager", "digdug", "defender", "sokoban", "boulderdash", "freeway"):
        context = LevelContext.of(load(folder / f"{name}.txt", reading="gvgai"))
        for grid in context.examples:
            builder = LevelBuilder(context, grid.copy())
            repair(builder, np.random.default_rng(1))
            changed += bool((builder.grid != grid).any())
            total += 1
    assert total == 40 and changed <= 4
