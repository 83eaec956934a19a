"""The portfolio: what kind a game is, the families of structures, the bandit, formations, and the whole."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import pytest

import pcg
from pcg.engine.game import load
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.courses import EVALUATION
from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.level_grid import Grid
from pcg.evaluators.metrics.niches import niche_width
from pcg.evaluators.metrics.patterns import PatternStatistics, divergence_among, originality
from pcg.generators.levels import Candidate, LevelContext, level_distance, make_generator
from pcg.generators.levels.level_builder import LevelBuilder
from pcg.generators.levels.portfolio import polishing
from pcg.generators.levels.portfolio.elites import Elite, Elites
from pcg.generators.levels.portfolio.example_objects import ExampleObjects
from pcg.generators.levels.portfolio.families import FAMILIES, Workshop
from pcg.generators.levels.portfolio.formations import Formations
from pcg.generators.levels.portfolio.game_kinds import KINDS, game_kinds
from pcg.generators.levels.portfolio.generator import PortfolioGenerator
from pcg.generators.levels.portfolio.sketches import read_sketch
from pcg.generators.levels.portfolio.tryouts import Tryouts

KIND_OF = {
    "dungeon": "lock and key", "boxes": "puzzle", "invaders": "shooter", "crossing": "traffic", "hunt": "chase",
    "survival": "waiting", "spire": "platform", "digger": "collecting",
}  # fmt: skip
FEW = {"drafts": 0.34, "polish": 10}


def contexts(name: str) -> LevelContext:
    return LevelContext.of(load(name))


def portfolio(name: str, seed: int = 1, **params: object) -> PortfolioGenerator:
    made = make_generator("portfolio", load(name), seed=seed, **{**FEW, **params})
    assert isinstance(made, PortfolioGenerator)
    return made


def verdict(fitness: float) -> Evaluation:
    return Evaluation(fitness > 0, fitness, 1.0 if fitness > 0 else 0.5, {}, {}, "complete")


@pytest.mark.parametrize(("game", "kind"), KIND_OF.items())
def test_the_rules_say_of_what_kind_a_game_is(game: str, kind: str) -> None:
    found = game_kinds(contexts(game))
    assert kind in found and found <= set(KINDS)


@pytest.mark.parametrize("game", ["dungeon", "crossing"])
def test_quilts_are_as_like_the_games_levels_as_these_and_no_copies(game: str) -> None:
    context = contexts(game)
    workshop = Workshop(context, context.widths, context.heights)
    statistics, among = PatternStatistics(context.examples), divergence_among(context.examples)
    rng = np.random.default_rng(1)
    quilts = [workshop.pieces(rng, []) for _ in range(12)]
    assert np.mean([statistics.divergence(grid) for grid in quilts]) < 1.1 * among
    assert np.mean([originality(grid, context.examples) for grid in quilts]) > 0.15
    frames = [workshop.context.frame[0] is None or (grid[0] == grid[0, 0]).mean() > 0.5 for grid in quilts]
    assert all(frames)


def test_halves_are_mirrored_but_for_the_avatar() -> None:
    context = contexts("dungeon")
    grid = Workshop(context, context.widths, context.heights).halves(np.random.default_rng(2), [])
    differing = grid != grid[:, ::-1]
    avatars = np.isin(grid, context.palette.avatars)
    assert not (differing & ~avatars & ~avatars[:, ::-1]).any()


def test_rows_of_traffic_stay_rows() -> None:
    context = contexts("crossing")
    workshop = Workshop(context, context.widths, context.heights)
    roads = {t for lane in context.lanes for t in (lane.ground, *lane.movers)}
    for seed in range(6):
        grid = workshop.rows(np.random.default_rng(seed), [])
        shares = np.isin(grid, list(roads)).mean(axis=1)
        assert ((shares < 0.2) | (shares > 0.6)).all()


@pytest.mark.parametrize("name", [n for n, family in FAMILIES.items() if not family.breeds])
def test_every_family_makes_levels_with_what_the_rules_call_for(name: str) -> None:
    generator = portfolio("dungeon")
    rng = np.random.default_rng(4)
    for _ in range(3):
        family = FAMILIES[name]
        grid = generator._finished(family.make(generator.workshop, rng, []), rng, family.settles)
        assert np.isin(grid, generator.context.palette.avatars).sum() == 1
        assert not generator.context.requirements.shortfalls(generator.context.palette.count_types(grid))


def test_things_are_settled_between_the_numbers_of_the_games_levels() -> None:
    context = contexts("dungeon")
    things = ExampleObjects(context, context.examples)
    low, high = things.counts.min(axis=0), things.counts.max(axis=0)
    for seed in range(8):
        rng = np.random.default_rng(seed)
        builder = LevelBuilder(context, context.examples[seed % len(context.examples)].copy())
        things.settle(builder, rng)
        counts = np.bincount(builder.grid.ravel(), minlength=len(low))
        for tile in things.counted:
            assert low[tile] // 2 <= counts[tile] <= 2 * high[tile]
    assert things.excess(context.examples[0]) == 0.0


def test_polishing_lowers_the_divergence_and_keeps_the_originality() -> None:
    generator = portfolio("dungeon")
    noise = generator.context.palette.parse(make_generator("random", generator.context, seed=3).ask(1)[0].level)
    polished = generator.polishing.polish(noise, np.random.default_rng(1), 60)
    statistics = generator.polishing.statistics
    assert statistics.divergence(polished) < statistics.divergence(noise)
    assert originality(polished, generator.context.examples) >= generator.least
    assert generator.polishing.cost(polished) < generator.polishing.cost(noise)


# -- formations --------------------------------------------------------------------------------------------------------


def test_fleets_are_formations_and_coins_are_none() -> None:
    context = contexts("invaders")
    formations = Formations(context)
    chars = {context.palette.tiles[t].char for t in formations.tiles}
    assert {"s", "r"} <= chars
    assert not Formations(contexts("dungeon")).tiles


def test_drawn_formations_stand_in_order() -> None:
    context = contexts("invaders")
    formations = Formations(context)
    for seed in range(8):
        builder = LevelBuilder(context, context.examples[seed % len(context.examples)].copy())
        formations.draw(builder, np.random.default_rng(seed))
        assert formations.disorder(builder.grid) <= formations.usual + 0.15
    scattered: Grid = context.examples[0].copy()
    fleet = np.argwhere(np.isin(scattered, list(formations.tiles)))
    scattered[tuple(fleet[1])] = context.palette.empty
    assert formations.disorder(scattered) > formations.disorder(context.examples[0])


# -- what a person has drawn, likes and dislikes -----------------------------------------------------------------------

SKETCH = "wwwwwwwwww\nwA......?w\nw.c....??w\nwwwww??www\n??????????\n?????A????\n??????????\nwwwwwwwdww"


def test_all_levels_keep_what_is_drawn_and_have_what_is_lacking() -> None:
    generator = portfolio("dungeon", sketch=SKETCH)
    for candidate in generator.ask(6):
        rows, drawn = candidate.level.split("\n"), SKETCH.split("\n")
        assert (len(rows), len(rows[0])) == (8, 10)
        differing = [
            (y, x) for y, row in enumerate(drawn) for x, char in enumerate(row) if char not in ("?", rows[y][x])
        ]  # fmt: skip
        assert differing in ([], [(5, 5)])  # one avatar is enough
        assert candidate.level.count("A") == 1 and "k" in candidate.level


def test_rough_sketches_are_read_and_others_refused() -> None:
    palette = contexts("dungeon").palette
    rough = read_sketch(palette, "www\nwA??\n")
    assert rough.drawn.shape == (2, 4) and rough.drawn.sum() == 5
    with pytest.raises(PcgError, match="character 'X' in row 2"):
        read_sketch(palette, "www\nwX?")
    with pytest.raises(PcgError, match="expected at least 2 of each"):
        read_sketch(palette, "wA")


def test_drafts_that_are_liked_are_worth_more() -> None:
    game = load("dungeon")
    liked, other = (game.levels[k].strip("\n") for k in (0, 3))
    parse = contexts("dungeon").palette.parse
    plain, likes = portfolio("dungeon"), portfolio("dungeon", like=liked)
    dislikes = portfolio("dungeon", unlike=f"{liked}\n\n{other}")

    def difference(generator: PortfolioGenerator) -> float:
        return generator.rating.value(liked, parse(liked)) - generator.rating.value(other, parse(other))

    assert difference(likes) > difference(plain) + 0.1
    apart = level_distance(liked, other)
    assert dislikes.rating.value(liked, parse(liked)) == pytest.approx(plain.rating.value(liked, parse(liked)))
    assert difference(likes) - difference(plain) == pytest.approx(apart)


def test_wanted_symmetry_is_made_and_not_hoped_for() -> None:
    generator = make_generator("portfolio", load("dungeon"), seed=1, targets="symmetry>=0.9", **FEW)
    levels = [generator.context.palette.parse(c.level) for c in generator.ask(6)]
    mirrored = [(grid == grid[:, ::-1]).mean() for grid in levels]
    assert np.mean(mirrored) > 0.93


# -- the whole ---------------------------------------------------------------------------------------------------------


def test_elites_keep_the_better_of_two_that_are_alike() -> None:
    game = load("dungeon")
    generator = portfolio("dungeon")
    elites = Elites(10, 0.18, generator._shape)
    own = game.levels[0].strip("\n")
    mirrored = "\n".join(row[::-1] for row in own.split("\n"))
    assert elites.add(Elite(own, 0.5, 0))
    assert not elites.add(Elite(mirrored, 0.4, 1))
    assert elites.add(Elite(mirrored, 0.6, 2))
    assert [one.id for one in elites.members] == [2]
    assert elites.add(Elite(game.levels[2].strip("\n"), 0.3, 3)) and elites.rank(Elite("", 0.4, 4)) == 1


def told(generator: PortfolioGenerator, number: int, at_once: int) -> list[Candidate]:
    """Candidates of a generator that is told a made-up verdict on each, `at_once` of them under way."""
    flight: list[Candidate] = []
    made: list[Candidate] = []
    while len(made) < number:
        flight += generator.ask(min(at_once - len(flight), number - len(made) - len(flight)))
        candidate = flight.pop(0)
        generator.tell([candidate], [verdict((sum(map(ord, candidate.level)) % 97) / 97)])
        made.append(candidate)
    return made


def test_the_levels_do_not_depend_on_how_many_are_under_way() -> None:
    one = told(portfolio("boxes", delay=4), 14, 1)
    four = told(portfolio("boxes", delay=4), 14, 4)
    assert [c.level for c in one] == [c.level for c in four]
    assert len({c.level for c in one}) == 14 and len({c.origin for c in one}) >= 4


def test_a_portfolio_goes_on_from_its_state() -> None:
    whole = portfolio("boxes", delay=4)
    told(whole, 9, 4)
    other = portfolio("boxes", delay=4)
    other.load_state_dict(json.loads(json.dumps(whole.state_dict())))
    assert [c.level for c in told(whole, 8, 4)] == [c.level for c in told(other, 8, 4)]


def test_the_bandit_goes_on_with_the_family_that_is_of_use() -> None:
    first = last = 0
    for seed in range(1, 5):
        generator = portfolio("dungeon", seed, delay=1, drafts=0.1, polish=0)
        origins = []
        for _ in range(50):
            (candidate,) = generator.ask(1)
            generator.tell([candidate], [verdict(0.9 if candidate.origin == "walls" else 0.0)])
            origins.append(candidate.origin)
        first, last = first + origins[:12].count("walls"), last + origins[30:].count("walls")
        families = generator.findings()["families"]
        assert families["walls"]["levels"] == origins[:-1].count("walls")  # the last verdict waits for the next level
        assert families["walls"]["expected"] == max(family["expected"] for family in families.values())
    assert last / 4 > 2 * first / 4 + 4 and last > 0.5 * 4 * 20


def test_games_without_levels_get_families_that_need_none() -> None:
    game = pcg.load(load("boxes").definition.source, levels=[])
    generator = make_generator("portfolio", game, seed=1, **FEW)
    levels = generator.ask(4)
    assert all(c.level.count("A") == 1 for c in levels)
    assert not {"pieces", "rows", "halves", "windows"} & set(generator.findings()["families"])


def test_simple_levels_wait_until_they_are_needed() -> None:
    """Before a verdict is known few have little in them; none once one is feasible, every fourth while none is."""
    simple = {"sparse", "lesson"}

    def origins(fitness: float) -> list[str]:
        generator = portfolio("dungeon", drafts=0.1, polish=0)
        generator.bandit.choose = lambda rng, among=None: "walls"  # type: ignore[method-assign]
        found = []
        for _ in range(40):
            (candidate,) = generator.ask(1)
            generator.tell([candidate], [verdict(fitness)])
            found.append(candidate.origin)
        return found

    assert [k for k, origin in enumerate(origins(0.9)) if origin in simple] == [7, 15]
    assert [k for k, origin in enumerate(origins(0.0)) if origin in simple] == [7, 15, 19, 23, 27, 31, 35, 39]


def test_lessons_that_are_known_make_way_for_others() -> None:
    different = []
    for game in ("boxes", "moonbase"):
        for seed in (1, 2):
            lessons = told(portfolio(game, seed, delay=2, lessons=1.0), 60, 1)
            assert {one.origin for one in lessons} == {"lesson"}
            different.append(len({one.level for one in lessons}))
    # 43 and 44 when nothing was left out of many a parent
    assert np.mean(different) >= 55 and min(different) >= 50


@dataclass(frozen=True)
class Made:
    """Forty levels of a generator that was not shown the last of the game's own, and the ten best different ones."""

    value: float
    """Mean fitness of all, 0 of those that are not feasible."""
    feasible: float
    best: float
    """Mean fitness of the ten."""
    unseen: float
    """Divergence of the ten from the level that was not shown, over that of the other own levels from it."""
    number: int


def made(name: str, game: str, seed: int) -> Made:
    whole = load(game)
    evaluator = LevelEvaluator(whole)
    generator = make_generator(name, pcg.load(whole.definition.source, levels=whole.levels[:-1]), seed=seed)
    found: list[tuple[float, bool, str]] = []
    for _ in range(40):
        (candidate,) = generator.ask(1)
        evaluation = evaluator.evaluate(candidate.level, 1)
        generator.tell([candidate], [evaluation])
        found.append((evaluation.fitness, evaluation.feasible, candidate.level))
    best: list[tuple[float, bool, str]] = []
    for one in sorted(found, key=lambda one: -one[0]):
        if one[1] and len(best) < 10 and all(level_distance(one[2], other[2]) >= 0.18 for other in best):
            best.append(one)
    parse = evaluator.palette.parse
    hidden = PatternStatistics([parse(whole.levels[-1])])
    among = np.mean([hidden.divergence(parse(level)) for level in whole.levels[:-1]])
    values, feasible, _ = zip(*found, strict=True)
    return Made(
        float(np.mean(values)), float(np.mean(feasible)), float(np.mean([one[0] for one in best])),
        float(np.mean([hidden.divergence(parse(one[2])) for one in best]) / among), len(best),
    )  # fmt: skip


@pytest.mark.full
def test_the_default_makes_better_levels_than_construction_does() -> None:
    """Of four games and four seeds: by the judge, and by likeness to a level that neither of them was shown."""
    cases = [(game, seed) for game in ("dungeon", "boxes", "crossing", "hunt") for seed in (2, 3, 4, 5)]
    ours, others = ([made(name, *case) for case in cases] for name in ("portfolio", "constructive"))
    pairs = list(zip(ours, others, strict=True))
    assert all(one.number == 10 for one in ours)
    assert np.mean([one.feasible - other.feasible for one, other in pairs]) > 0.03
    assert np.mean([one.value - other.value for one, other in pairs]) > 0.05
    better = [one.best - other.best for one, other in pairs]
    assert np.mean(better) > 0.012 and min(better) > -0.01
    nearer = [np.log(one.unseen / other.unseen) for one, other in pairs]
    # levels of one seed of boxes are 0.03 nearer or farther than those of the next, by chance
    assert np.mean(nearer) < -0.025 and max(np.reshape(nearer, (4, 4)).mean(axis=1)) < 0.02


# -- drafts that make way for others -----------------------------------------------------------------------------------


def test_a_tryout_tells_a_level_that_is_won_at_once_from_one_that_cannot_be() -> None:
    tryouts = Tryouts(contexts("dungeon"))
    level = load("dungeon").levels[0].strip("\n")
    rng = np.random.default_rng(1)
    assert not tryouts.lost(level, rng) and tryouts.dearest > 0
    assert (tryouts.tried, tryouts.won) == (1.0, 1.0)
    assert tryouts.lost(level.replace("A", "."), rng)  # settled without a search
    assert (tryouts.tried, tryouts.won) == (1.0, 1.0)


def test_tryouts_take_levels_as_their_evaluation_does() -> None:
    rng = np.random.default_rng(1)
    empty, walls = "w.............w", "w....w...w....w"
    rows = ["w" * 15, empty, empty, walls, walls[:-2] + "zw", empty, "w..A..........w", "w" * 15]
    level = "\n".join(rows)  # a monster, and nothing else
    assert portfolio("survival").tryouts.lost(level, rng)
    course = portfolio("survival")
    course.judged_with(EVALUATION)
    assert not course.tryouts.lost(level, rng)  # for a course that is where to begin


def test_wins_are_not_searched_for_where_none_is_found_or_a_win_takes_its_time() -> None:
    rng = np.random.default_rng(1)
    tryouts = Tryouts(contexts("dungeon"))
    tryouts.telling = False
    tryouts.tried, tryouts.won = 5.0, 1.0
    assert all(tryouts._calls(rng.random) for _ in range(20))
    tryouts.won = 0.0
    found = [tryouts._calls(rng.random) for _ in range(40)]
    assert not any(found[:10]) and any(found)  # what was seen is forgotten in time
    assert not Tryouts(contexts("survival")).possible


def test_tryouts_that_win_own_levels_are_trusted_when_they_lose_drafts() -> None:
    rng = np.random.default_rng(1)
    for name, telling in (("dungeon", True), ("relay", True), ("moonbase", False)):
        tryouts = Tryouts(contexts(name))
        assert tryouts.telling is telling
        tryouts.tried = 30.0
        assert (tryouts._calls(rng.random) > 0) is telling
        tryouts.tried = 60.0
        assert not tryouts._calls(rng.random)  # not one in fifty


@pytest.mark.parametrize(
    ("won", "telling", "batches"), [(0.0, False, 2), (0.0, True, 60), (2.0, False, 20), (2.0, True, 20)]
)
def test_lost_drafts_make_way_the_longer_the_more_rarely_tryouts_are_won(
    won: float, telling: bool, batches: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = portfolio("dungeon", polish=0)
    generator.tryouts.telling = telling
    generator.tryouts.tried, generator.tryouts.won = 18.0, won
    generator.batches = 2
    made: list[str] = []
    drafts = generator._drafts

    def counted(rng: np.random.Generator, name: str, spread: float, last: bool) -> list[tuple[bool, float, str]]:
        made.append(name)
        return drafts(rng, name, spread, last)

    monkeypatch.setattr(generator, "_drafts", counted)
    monkeypatch.setattr(generator, "_is_lost", lambda *_: True)
    generator.ask(1)
    assert len(made) == batches


def test_drafts_like_levels_under_way_make_way_until_enough_are_known() -> None:
    generator = portfolio("dungeon", polish=0)
    text = generator.ask(1)[0].level
    grid = generator.context.palette.parse(text)
    assert generator._is_known(grid)
    others = [c.level for c in generator.ask(8)]
    shapes = [generator._shape(level) for level in (text, *others)]
    near = [a.distance(b) < 0.18 for k, a in enumerate(shapes) for b in shapes[:k]]
    assert sum(near) <= 2
    generator.elites.members = [Elite(text, 0.5, k) for k in range(10)]
    assert not generator._is_known(grid)


def test_the_best_of_several_drafts_is_the_next_level_but_for_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = portfolio("dungeon")
    values = iter([0.1, 0.9, 0.5, 0.2, 0.7, 0.8])

    def drafts(rng: np.random.Generator, name: str, spread: float, last: bool) -> list[tuple[bool, float, str]]:
        value = next(values)
        return [(False, value, str(value))]

    monkeypatch.setattr(generator, "_drafts", drafts)
    monkeypatch.setattr(generator, "_is_lost", lambda text, *_: text == "0.9")
    levels = [candidate.level for candidate in generator.ask(2)]
    assert levels == ["0.1", "0.5"]  # no choice for the first; the best of the next three is lost
    assert next(values) == 0.7
    generator.elites.members = [Elite(str(k), 0.5, k) for k in range(10)]
    assert generator.ask(1)[0].level == "0.8"  # enough are known, so that the first new draft will do


def test_drafts_unlike_the_games_levels_are_worth_less(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = portfolio("dungeon")
    grid = generator.context.examples[0]
    text = generator.context.palette.text(grid)
    worth = []
    for cost in (0.5, 1.0, 2.0, 4.0, 64.0):
        monkeypatch.setattr(generator.polishing, "cost", lambda _, cost=cost: cost)
        worth.append(generator.rating.value(text, grid))
    assert worth[0] == worth[1]
    assert np.diff(worth[1:]).tolist() == pytest.approx([-0.2, -0.2, 0.0])


class NearlyOne:
    """A game whose levels differ by where one thing stands."""

    def __init__(self, name: str) -> None:
        self.definition = load(name).definition
        rows = load(name).levels[0].strip("\n").split("\n")
        self.levels = ["\n".join(rows)]
        y, x = next((y, row.index("..")) for y, row in enumerate(rows) if y > 1 and ".." in row)
        for thing in "bo":
            moved = rows.copy()
            moved[y] = moved[y][:x] + thing + moved[y][x + 1 :]
            self.levels.append("\n".join(moved))


def test_levels_of_a_game_whose_own_are_nearly_one_may_be_nearer_to_each_other() -> None:
    game = NearlyOne("boxes")
    generator = make_generator("portfolio", game, seed=1, **FEW)
    assert isinstance(generator, PortfolioGenerator)
    assert generator.niche == niche_width(game.levels) < 0.18 == portfolio("dungeon").niche
    assert generator.elites.niche == generator._shape.scale == generator.niche
    elites = Elites(10, generator.niche, generator._shape)
    kept = [elites.add(Elite(text, 0.5, k)) for k, text in enumerate(game.levels)]
    assert sum(kept) > 1  # at the usual width there is but one
    usual = Elites(10, 0.18, generator._shape)
    assert sum(usual.add(Elite(text, 0.5, k)) for k, text in enumerate(game.levels)) == 1
    narrower = make_generator("portfolio", game, seed=1, niche=0.09)
    assert isinstance(narrower, PortfolioGenerator) and narrower.niche == pytest.approx(generator.niche / 2)


def test_pieces_are_copied_to_where_a_level_has_what_the_games_levels_never_have(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    generator = portfolio("crossing")
    generator.polishing.least = 0.0
    left = {}
    for share in (0.0, polishing.AIMED):
        monkeypatch.setattr(polishing, "AIMED", share)
        left[share] = 0
        for seed in range(6):
            rng = np.random.default_rng(seed)
            grid = generator.context.examples[seed % 5].copy()
            cells = np.flatnonzero(~np.isin(grid, generator.context.palette.avatars).ravel())
            grid.ravel()[rng.choice(cells, 24, replace=False)] = grid.ravel()[rng.choice(cells, 24, replace=False)]
            mended = generator.polishing.polish(grid, rng, 60)
            left[share] += int(generator.polishing.statistics.unknown(mended, 2).sum())
    assert left[polishing.AIMED] < 0.95 * left[0.0]


def test_numbers_of_things_go_beyond_those_of_the_games_levels_if_they_are_to() -> None:
    things = ExampleObjects(contexts("dungeon"), contexts("dungeon").examples)
    rng = np.random.default_rng(1)
    usual = [things.wanted(rng, 100) for _ in range(40)]
    wide = [things.wanted(rng, 100, 2.0) for _ in range(40)]
    tile = max(things.counted, key=lambda t: int(things.counts[:, t].max()))
    assert max(w[tile] for w in wide) > max(w[tile] for w in usual)
    assert min(w[tile] for w in wide) < min(w[tile] for w in usual)


def test_half_of_one_enemy_and_half_of_another_are_one() -> None:
    made = portfolio("dungeon").example_objects
    assert len(made.enemies) == 3 and made.counts[:, made.enemies].sum(axis=1).min() == 1
    for seed in range(40):
        wanted = made.wanted(np.random.default_rng(seed), 100)
        assert 1 <= sum(wanted[tile] for tile in made.enemies) <= 2
    tame = made.context.examples[0].copy()
    tame[np.isin(tame, made.enemies)] = made.context.background
    assert made.excess(tame) > made.excess(made.context.examples[0]) == 0.0
