"""The bridge to the PCG Benchmark, on a small stand-in with its interface, and on the package where it is installed."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from pcg.cli import app
from pcg.engine.game import load
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.generators.levels import LevelContext
from pcg.integrations.pcg_benchmark import BatchSearch, register_games, solve_problem
from pcg.integrations.pcg_benchmark.contents import Layout
from pcg.integrations.pcg_benchmark.operators import Operators, Steps
from pcg.integrations.pcg_benchmark.starting_contents import starting_contents

INSTALLED = importlib.util.find_spec("pcg_benchmark") is not None


class Space:
    """Any space of the stand-in: a tree of (low, high, whole) leaves, lists and dictionaries."""

    def __init__(self, tree: Any) -> None:
        self.tree = tree
        self.random = np.random.default_rng()

    def seed(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)

    def sample(self) -> Any:
        return self._walk(self.tree, self._draw)

    def range(self) -> Any:
        return self._walk(self.tree, lambda leaf: {"min": leaf[0], "max": leaf[1]})

    def isSampled(self, value: Any) -> bool:
        try:
            return self._within(self.tree, value)
        except (TypeError, KeyError, IndexError, ValueError):
            return False

    def _draw(self, leaf: Any) -> Any:
        low, high, whole = leaf
        return self.random.integers(low, high) if whole else low + self.random.random() * (high - low)

    def _walk(self, tree: Any, at: Any) -> Any:
        if isinstance(tree, dict):
            return {key: self._walk(one, at) for key, one in tree.items()}
        if isinstance(tree, list):
            return [self._walk(one, at) for one in tree]
        return at(tree.tree if isinstance(tree, Space) else tree)

    def _within(self, tree: Any, value: Any) -> bool:
        if isinstance(tree, dict):
            return set(tree) == set(value) and all(self._within(tree[key], value[key]) for key in tree)
        if isinstance(tree, list):
            return len(tree) == len(value) and all(map(self._within, tree, value))
        low, high, _ = tree.tree if isinstance(tree, Space) else tree
        return bool(low <= float(value) < high)


def integers(low: int, high: int | None = None) -> Space:
    return Space((low, high, True) if high is not None else (0, low, True))


def array(shape: tuple[int, ...], leaf: Space) -> Space:
    tree: Any = leaf.tree
    for side in reversed(shape):
        tree = [tree] * side
    return Space(tree)


class Problem:
    """The base class that the benchmark's problems have."""

    def __init__(self, **given: Any) -> None:
        self._content_space: Any = None
        self._control_space: Any = None


class Stripes(Problem):
    """Good: a 4 x 6 grid with exactly one 2. Wanted: how many cells are 0. Different: another place of the 2."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self._content_space = array((4, 6), integers(3))
        self._control_space = Space({"zeros": (6, 15, True)})

    def info(self, content: Any) -> dict[str, Any]:
        grid = np.array(content)
        return {"zeros": int((grid == 0).sum()), "twos": np.flatnonzero(grid == 2).tolist()}

    def quality(self, info: dict[str, Any]) -> float:
        return max(0.0, 1 - abs(len(info["twos"]) - 1) / 10)

    def diversity(self, one: dict[str, Any], other: dict[str, Any]) -> float:
        return float(one["twos"] != other["twos"])

    def controlability(self, info: dict[str, Any], control: dict[str, Any]) -> float:
        return max(0.0, 1 - abs(info["zeros"] - control["zeros"]) / 10)

    def render(self, content: Any) -> str:
        return str(content)


class Environment:
    def __init__(self, problem: Any) -> None:
        self._problem = problem

    @property
    def content_space(self) -> Any:
        return self._problem._content_space

    @property
    def control_space(self) -> Any:
        return self._problem._control_space

    def seed(self, seed: int) -> None:
        self.content_space.seed(seed)
        self.control_space.seed(seed)

    def evaluate(self, contents: list[Any], controls: list[Any]) -> tuple[float, float, float, Any, Any]:
        assert all(self.content_space.isSampled(content) for content in contents)
        problem = self._problem
        infos = [problem.info(content) for content in contents]
        good = np.mean([problem.quality(info) >= 1 for info in infos])
        alone = [all(problem.diversity(a, b) >= 1 for b in infos if b is not a) for a in infos]
        met = [problem.controlability(i, c) >= 1 for i, c in zip(infos, controls, strict=True)]
        return float(good), float(np.mean(alone)), float(np.mean(met)), {}, infos


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A module `pcg_benchmark` with one problem."""
    package: Any = ModuleType("pcg_benchmark")
    table: dict[str, tuple[type, dict[str, Any]]] = {"stripes-v0": (Stripes, {})}
    package.list = lambda: [*table]
    package.register = lambda name, kind, arguments: table.__setitem__(name, (kind, arguments))
    package.make = lambda name: Environment(table[name][0](**table[name][1]))
    package.probs = SimpleNamespace(Problem=Problem)
    package.spaces = SimpleNamespace(
        ArraySpace=array, IntegerSpace=integers,
        DictionarySpace=lambda parts: Space({key: part.tree for key, part in parts.items()}),
    )  # fmt: skip
    from pcg.integrations.pcg_benchmark import environments

    environments._problem_class.cache_clear()
    monkeypatch.setitem(sys.modules, "pcg_benchmark", package)
    yield package
    environments._problem_class.cache_clear()


@pytest.mark.parametrize(
    "tree",
    [
        [[(0, 4, True)] * 3] * 2,
        [(0, 2, True), (0.5, 2.0, False)],
        {"rule": [(1, 5, True)] * 2, "speed": (0.0, 1.0, False), "parts": [{"x": (0, 9, True)}] * 3},
    ],
    ids=["grid", "mixed", "nested"],
)
def test_layout_gives_back_the_content_it_read(tree: Any) -> None:
    space = Space(tree)
    space.seed(3)
    layout = Layout(space)
    for _ in range(20):
        content = space.sample()
        again = layout.content(layout.flat(content))
        assert again == content
        json.dumps(again)  # plain numbers
    rng = np.random.default_rng(0)
    for vector in layout.sample(rng, 20):
        assert space.isSampled(layout.content(vector))
    wild = layout.content(np.full(len(layout), 1e9))
    assert space.isSampled(wild)
    for at in range(len(layout)):
        assert layout.low[at] <= layout.draw(rng, at) < layout.high[at]


def test_layout_reads_ranges_that_are_told_once_for_an_array() -> None:
    space: Any = SimpleNamespace(
        sample=lambda: [{"x": 3, "size": [0.5, 0.25]}] * 2,
        range=lambda: {"x": {"min": 1, "max": 5}, "size": {"min": 0, "max": 1}},
    )
    layout = Layout(space)
    assert layout.low.tolist() == [1, 0, 0] * 2
    assert layout.high.tolist() == [5, 1, 1] * 2
    assert layout.whole.tolist() == [True, False, False] * 2


def test_layout_knows_which_contents_are_grids() -> None:
    assert Layout(Space([[(0, 4, True)] * 3] * 2)).grid == (2, 3)
    assert Layout(Space([(0, 4, True)] * 3)).grid is None
    assert Layout(Space([[(0.0, 4.0, False)] * 3] * 2)).grid is None


@pytest.mark.parametrize(
    "tree",
    [[[(0, 5, True)] * 9] * 6, [(1, 30, True)] * 8, {"rule": [(1, 5, True)] * 4, "speed": (0.5, 1.0, False)}],
    ids=["grid", "row", "nested"],
)
def test_starting_contents_are_contents_of_any_space(tree: Any) -> None:
    space = Space(tree)
    layout = Layout(space)
    makers = [starting_contents(layout, 5) for _ in range(2)]
    vectors = [next(makers[0]) for _ in range(12)]
    assert all((a == next(makers[1])).all() for a in vectors)  # the same seeds, the same contents
    assert len({vector.tobytes() for vector in vectors}) == len(vectors)
    assert all(space.isSampled(layout.content(vector)) for vector in vectors)


@pytest.mark.parametrize(
    "tree",
    [[[(0, 5, True)] * 9] * 6, [[(0, 3, True)] * 4] * 4, [{"x": (0, 7, True), "size": (0.0, 1.0, False)}] * 5],
    ids=["grid", "square", "records"],
)
def test_changes_stay_in_the_space_and_keep_values_to_their_kind(tree: Any) -> None:
    space = Space(tree)
    layout = Layout(space)
    rng = np.random.default_rng(3)
    operators = Operators(layout)
    changed = set()
    for k in range(40):
        parent, other = layout.sample(rng), layout.sample(rng)
        before = parent.copy()
        vector, used = operators.vary(rng, parent, other)
        operators.learn(used, k % 3 == 0)
        assert (parent == before).all()
        assert space.isSampled(layout.content(vector))
        assert (layout.inside(vector) == vector).all()
        changed.update(used[1:])
    assert len(changed) > 5


def test_operators_that_help_are_drawn_more_often() -> None:
    operators = Operators(Layout(Space([(0, 9, True)] * 6)))
    rng = np.random.default_rng(0)
    zeros = np.zeros(6)
    for _ in range(400):
        _, used = operators.vary(rng, zeros, zeros)
        operators.learn(used, 2 in used[1:])
    drawn = [k for _ in range(300) for k in operators.vary(rng, zeros, zeros)[1][1:]]
    # others that came with it have had a part of the credit
    assert drawn.count(2) > 1.3 * len(drawn) / len(operators.changes)
    assert all(drawn.count(2) > drawn.count(k) for k in range(len(operators.changes)) if k != 2)


def test_steps_between_good_contents_are_made_again_forth_and_back() -> None:
    layout = Layout(Space([(0, 16, True)] * 6))
    rng = np.random.default_rng(2)
    steps = Steps(layout, rng)
    steps.learn(np.array([1.0, 0, 0, 0, 8, 0]), np.array([5.0, 1, 0, 0, 8, 0]))  # a door between the first two
    steps.learn(np.zeros(6), np.zeros(6))  # none
    steps.learn(np.zeros(6), np.ones(6))  # too large
    assert len(steps) == 1
    start = np.array([8.0, 2, 0, 3, 1, 4])
    made = set()
    for _ in range(200):
        vector = start.copy()
        steps.again(layout, rng, vector, start)
        changed = np.flatnonzero(vector != start).tolist()
        made.add((tuple(changed), tuple(int(vector[k]) ^ int(start[k]) for k in changed)))
    there = {((k, k + 1), (4, 1)) for k in range(5)} | {((0, 5), (1, 4))}
    assert made == there  # any two neighbours, and the same digits whatever stood there, so that it leads back, too


def test_steps_of_fractions_change_by_as_much() -> None:
    layout = Layout(Space([(0.0, 1.0, False)] * 3))
    rng = np.random.default_rng(2)
    steps = Steps(layout, rng)
    steps.learn(np.array([0.5, 0.2, 0.1]), np.array([0.5, 0.3, 0.1]))
    found = set()
    for _ in range(50):
        vector = np.full(3, 0.4)
        steps.again(layout, rng, vector, vector)
        found.add(tuple(vector.round(6).tolist()))
    assert found == {(0.5, 0.4, 0.4), (0.4, 0.5, 0.4), (0.4, 0.4, 0.5)}


class Pairs(Stripes):
    """Rows of eight whole numbers, good where each of the first four differs in three digits from its partner."""

    def __init__(self) -> None:
        super().__init__()
        self._content_space = array((8,), integers(64))

    def info(self, content: Any) -> dict[str, Any]:
        numbers = np.array(content)
        return {"fitting": int(np.count_nonzero(numbers[:4] ^ numbers[4:] == 21)), "first": numbers[:4].tolist()}

    def quality(self, info: dict[str, Any]) -> float:
        return info["fitting"] / 4

    def diversity(self, one: dict[str, Any], other: dict[str, Any]) -> float:
        return float(np.mean([a != b for a, b in zip(one["first"], other["first"], strict=True)]))

    def controlability(self, info: dict[str, Any], control: dict[str, Any]) -> float:
        return 1.0


def test_contents_whose_parts_fit_each_other_are_found_by_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    def settled() -> int:
        searches = [BatchSearch(Environment(Pairs()), [{}] * 20, seed) for seed in range(4)]
        for search in searches:
            search.run(evaluations=6000)
        return sum(member is not None for search in searches for member in search.settled)

    with_steps = settled()
    monkeypatch.setattr(Steps, "learn", lambda *_: None)
    assert with_steps > 1.3 * settled()


def test_batch_is_good_controlled_and_diverse(stand_in: ModuleType) -> None:
    result = solve_problem("stripes-v0", count=12, seed=4, evaluations=6000)
    assert (result.quality, result.diversity, result.controllability) == (1.0, 1.0, 1.0)
    assert 12 <= result.judged <= 6000
    assert len(result.contents) == len(result.controls) == 12


def test_users_bring_a_search_of_their_own(stand_in: ModuleType) -> None:
    class Samples:
        judged = 0

        def __init__(self, environment: Any, controls: list[Any], seed: int) -> None:
            assert seed == 4
            self.space, self.count = environment.content_space, len(controls)

        def run(self, *, evaluations: int | None, **limits: Any) -> list[Any]:
            assert evaluations == 30
            self.judged = self.count
            return [self.space.sample() for _ in range(self.count)]

    result = solve_problem("stripes-v0", count=5, seed=4, evaluations=30, search=Samples)
    assert (result.judged, len(result.contents)) == (5, 5)
    assert result.quality < 1


def test_equal_seeds_give_equal_batches(stand_in: ModuleType) -> None:
    first, again, other = (solve_problem("stripes-v0", count=6, seed=s, evaluations=800) for s in (7, 7, 8))
    assert first.contents == again.contents
    assert first.judged == again.judged
    assert first.contents != other.contents


def test_search_keeps_to_its_budget_and_still_answers(stand_in: Any) -> None:
    environment = stand_in.make("stripes-v0")
    search = BatchSearch(environment, [{"zeros": 8}] * 30, seed=1)
    seen: list[tuple[int, int]] = []
    contents = search.run(evaluations=60, progress=lambda judged, settled: seen.append((judged, settled)))
    assert search.judged <= 60
    assert len(contents) == 30
    assert seen
    assert seen == sorted(seen)


class FlatStripes(Stripes):
    """The same, told of a content's numbers without its rows."""

    def info(self, content: Any) -> dict[str, Any]:
        raise AssertionError("rows are not asked for")

    def info_of_leaves(self, leaves: Any) -> dict[str, Any]:
        return Stripes().info(leaves)


def test_numbers_are_asked_about_without_their_rows_where_the_problem_can_tell() -> None:
    controls = [{"zeros": zeros} for zeros in range(6, 12)]
    found = [
        BatchSearch(Environment(Stripes()), controls, 3, problem=problem).run(evaluations=1500)
        for problem in (Stripes(), FlatStripes())
    ]
    assert found[0] == found[1]


def test_settled_contents_are_unlike_each_other(stand_in: Any) -> None:
    environment = stand_in.make("stripes-v0")
    search = BatchSearch(environment, [{"zeros": 10}] * 30, seed=2)
    search.run(evaluations=4000)  # there are 24 places for the one 2, so at most 24 can settle
    settled = [member for member in search.settled if member is not None]
    assert 12 <= len(settled) <= 24
    places = [tuple(member.info["twos"]) for member in settled]
    assert len(set(places)) == len(places)


def test_slots_with_impossible_controls_get_contents_that_are_good_and_unlike(stand_in: Any) -> None:
    environment = stand_in.make("stripes-v0")
    search = BatchSearch(environment, [{"zeros": 99}] * 8, seed=3)
    contents = search.run(evaluations=2000)
    quality, diversity, control, _, _ = environment.evaluate(contents, [{"zeros": 99}] * 8)
    assert (quality, diversity, control) == (1.0, 1.0, 0.0)


def test_slots_that_asked_less_of_control_are_searched_on(stand_in: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pcg.integrations.pcg_benchmark.search.LENIENT", 0.02)
    controls = [{"zeros": zeros} for zeros in (3, 4, 5, 17, 18, 19)]  # few contents drawn have so few or so many
    environment = stand_in.make("stripes-v0")
    search = BatchSearch(environment, controls, seed=5)
    asked: list[float] = []
    relent = search._relent
    monkeypatch.setattr(search, "_relent", lambda: (relent(), asked.extend(search._asked)))
    contents = search.run(evaluations=6000)
    assert min(asked) < 1  # some asked less
    assert environment.evaluate(contents, controls)[:3] == (1.0, 1.0, 1.0)


@pytest.mark.parametrize("seed", range(12))
def test_a_content_that_is_in_the_way_of_two_makes_room(seed: int) -> None:
    class Numbers(Stripes):
        """All are good; those next to each other are alike, so that of 0, 1 and 2 the 1 leaves no room."""

        def __init__(self) -> None:
            super().__init__()
            self._content_space = array((1, 1), integers(3))

        def quality(self, info: dict[str, Any]) -> float:
            return 1.0

        def info(self, content: Any) -> dict[str, Any]:
            return {"zeros": 8, "number": int(content[0][0])}

        def diversity(self, one: dict[str, Any], other: dict[str, Any]) -> float:
            return float(abs(one["number"] - other["number"]) > 1)

    environment = Environment(Numbers())
    search = BatchSearch(environment, [{"zeros": 8}] * 2, seed=seed)
    contents = search.run(evaluations=3000)
    assert sorted(content[0][0] for content in contents) == [0, 2]
    assert len(search._took) == 2  # that one took the place of another was no gain


@pytest.mark.parametrize("seed", range(12))
def test_what_makes_room_stays_good(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pcg.integrations.pcg_benchmark.search.LENIENT", 0.02)

    class Pairs(Stripes):
        """The first number is that of the test above; the second, where it is not 0, is for control and against
        quality, and control is never full.
        """

        def __init__(self) -> None:
            super().__init__()
            self._content_space = array((1, 2), integers(3))

        def info(self, content: Any) -> dict[str, Any]:
            return {"number": int(content[0][0]), "second": int(content[0][1])}

        def quality(self, info: dict[str, Any]) -> float:
            return 0.9 if info["second"] else 1.0

        def diversity(self, one: dict[str, Any], other: dict[str, Any]) -> float:
            return float(abs(one["number"] - other["number"]) > 1)

        def controlability(self, info: dict[str, Any], control: dict[str, Any]) -> float:
            return 0.4 * float(info["second"])

    environment = Environment(Pairs())
    search = BatchSearch(environment, [{"zeros": 8}] * 3, seed=seed)
    contents = search.run(evaluations=12_000)
    assert [member.quality for member in search.settled if member is not None] == [1.0, 1.0]
    assert all(content[0][1] == 0 for content in contents)


@pytest.mark.parametrize("error", [ZeroDivisionError, RecursionError])
def test_a_content_that_the_problem_fails_at_is_only_a_bad_one(stand_in: Any, error: type[Exception]) -> None:
    class Failing(Stripes):
        def info(self, content: Any) -> dict[str, Any]:
            info = super().info(content)
            if not info["twos"]:
                raise error  # as in some problems of the benchmark
            return info

    environment = Environment(Failing())
    search = BatchSearch(environment, [{"zeros": 14}] * 3, seed=1)
    contents = search.run(evaluations=1500)
    assert environment.evaluate(contents, [{"zeros": 14}] * 3)[:3] == (1.0, 1.0, 1.0)


def test_games_appear_as_problems(stand_in: Any) -> None:
    assert register_games(["dungeon", "survival"]) == ["pcg-dungeon-v0", "pcg-survival-v0"]
    assert register_games(["dungeon"]) == ["pcg-dungeon-v0"]  # once more is no harm
    environment = stand_in.make("pcg-dungeon-v0")
    environment.seed(1)
    game = load("dungeon")
    height, width = np.shape(environment.content_space.sample())
    palette = LevelContext.of(game).palette
    own = [grid.tolist() for grid in map(palette.parse, game.levels) if grid.shape == (height, width)]
    assert own
    rubbish = environment.content_space.sample()
    problem = environment._problem
    good, bad = problem.info(own[0]), problem.info(rubbish)
    assert problem.quality(good) == 1.0
    assert problem.quality(bad) < 1.0
    assert problem.info(own[0]) is good  # not evaluated again
    assert problem.diversity(good, good) == 0.0
    assert problem.diversity(good, bad) == problem.diversity(bad, good) == 1.0
    length = int(good["metrics"]["solution_length"])
    enemies = int(good["metrics"]["enemies"])
    assert problem.controlability(good, {"solution_length": length, "enemies": enemies}) == 1.0
    assert problem.controlability(good, {"solution_length": length + 500, "enemies": enemies}) < 1.0
    assert problem.render(own[0]).size == problem.render(rubbish).size == (16 * width, 16 * height)


def test_what_can_be_asked_depends_on_the_game(stand_in: Any) -> None:
    asked = {}
    for name in register_games(["dungeon", "boxes", "survival"]):
        space = stand_in.make(name).control_space
        asked[name] = set(space.range())
    assert asked["pcg-dungeon-v0"] == {"enemies", "solution_length"}
    assert asked["pcg-boxes-v0"] == {"solution_length"}
    assert asked["pcg-survival-v0"] == {"enemies"}  # it is won by lasting, so all wins are equally long


def test_command_prints_scores_and_writes_contents(stand_in: ModuleType, tmp_path: Any) -> None:
    options = ["--contents", "3", "--evaluations", "2000", "--seed", "2"]
    printed = CliRunner().invoke(app, ["yardstick", "stripes-v0", *options])
    assert printed.exit_code == 0, printed.output
    assert "100%" in printed.output
    told = CliRunner().invoke(app, ["yardstick", "stripes-v0", *options, "--json", "--out", str(tmp_path)])
    (row,) = json.loads(told.stdout)
    written = json.loads((tmp_path / "stripes-v0.json").read_text())
    assert row["quality"] == written["quality"] == 1.0
    assert len(written["contents"]) == len(written["controls"]) == 3


def test_wrong_names_and_numbers(stand_in: ModuleType) -> None:
    with pytest.raises(PcgError, match=r"unknown problem `stripe-v0`.*did you mean `stripes-v0`"):
        solve_problem("stripe-v0")
    with pytest.raises(PcgError, match="count is 0, expected at least 1"):
        solve_problem("stripes-v0", count=0)
    for wrong in ({"evaluations": 0}, {"seconds": -1.0}, {"seed": -1}):
        with pytest.raises(PcgError, match=f"{next(iter(wrong))} is .*expected"):
            solve_problem("stripes-v0", **wrong)  # type: ignore[arg-type]
    with pytest.raises(PcgError, match="did you mean `dungeon`"):
        register_games(["dungeo"])


def test_missing_package_is_told_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pcg_benchmark", None)
    with pytest.raises(PcgError, match="not installed; pip install git"):
        solve_problem("zelda-v0")
    with pytest.raises(PcgError, match="not installed; pip install git"):
        register_games(["dungeon"])


@pytest.mark.skipif(not INSTALLED, reason="the package pcg_benchmark is not installed")
def test_with_the_package_itself() -> None:
    import pcg_benchmark  # type: ignore[import-not-found, unused-ignore]

    result = solve_problem("zelda-v0", count=3, seed=1, evaluations=1500)
    assert result.quality == 1.0
    register_games(["dungeon"])
    environment = pcg_benchmark.make("pcg-dungeon-v0")
    environment.seed(1)
    contents = [environment.content_space.sample() for _ in range(3)]
    scores = environment.evaluate(contents, environment.control_space.sample())[:3]
    assert all(0.0 <= score <= 1.0 for score in scores)
