"""Registries of generators: what the toolkit provides, and what users add by decorators and entry points."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import metadata
from typing import Any

import numpy as np
import pytest

import pcg
from pcg.engine.game import load
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.generators import games, levels, rules, tuning
from pcg.generators.games.contract import GameGenerator, IndependentGameGenerator
from pcg.generators.games.genes import GameGenotype
from pcg.generators.levels.contract import IndependentGenerator, LevelGenerator
from pcg.generators.registry import GeneratorRegistry
from pcg.generators.rules.contract import IndependentRuleGenerator, RuleGenerator
from pcg.generators.rules.genes import RuleSet
from pcg.generators.tuning.contract import Candidate, Optimiser

KINDS: dict[str, tuple[GeneratorRegistry[Any], Callable[[Any], Any], str, str]] = {
    "levels": (levels.GENERATORS, levels.register, "pcg.level_generators", "constructive"),
    "rules": (rules.RULE_GENERATORS, rules.register, "pcg.rule_generators", "evolve"),
    "games": (games.GAME_GENERATORS, games.register, "pcg.game_generators", "variation"),
    "tuning": (tuning.OPTIMISERS, tuning.register, "pcg.optimisers", "ntbea"),
}


class Bare(IndependentGenerator):
    name = "user_bare"
    help = "an avatar on bare ground"

    def generate(self, rng: np.random.Generator) -> str:
        palette = self.context.palette
        grid = np.full((self.heights[0], self.widths[0]), palette.empty)
        grid[1, 1] = palette.avatars[0]
        return palette.text(grid)


class NoRules(IndependentRuleGenerator):
    name = "user_no_rules"
    help = "games in which nothing happens"

    def generate(self, rng: np.random.Generator) -> RuleSet:
        return RuleSet((), ())


class Copies(IndependentGameGenerator):
    name = "user_copies"
    help = "the games to begin with, as they are"

    def generate(self, rng: np.random.Generator) -> GameGenotype:
        return self.start[int(rng.integers(len(self.start)))]


class FirstPoint(Optimiser):
    name = "user_first_point"
    help = "the point to begin with, again and again"

    def ask(self, n: int) -> list[Candidate]:
        return [self._candidate(self.start, self.name) for _ in range(n)]


OWN: dict[str, tuple[type[Any], Callable[[], Any]]] = {
    "levels": (Bare, lambda: pcg.make_generator("user_bare", load("boxes"), seed=1)),
    "rules": (
        NoRules,
        lambda: rules.make_rule_generator(
            "user_no_rules", rules.RuleSpace.of(load("boxes").definition.source, load("boxes").levels), seed=1
        ),
    ),
    "games": (Copies, lambda: games.make_game_generator("user_copies", [GameGenotype.of(load("boxes"))], seed=1)),
    "tuning": (FirstPoint, lambda: tuning.OPTIMISERS["user_first_point"]([3, 4], start=[1, 2], seed=1)),
}


@pytest.fixture(autouse=True)
def _left_as_it_was() -> Iterator[None]:
    yield
    for kind, (own, _) in OWN.items():
        KINDS[kind][0].unregister(own.name)


@pytest.mark.parametrize("kind", KINDS)
def test_everything_provided_has_the_name_it_is_provided_under(kind: str) -> None:
    registry = KINDS[kind][0]
    assert KINDS[kind][3] in registry and len(registry) >= 5
    assert [name for name, entry in registry.items() if entry.name != name] == []
    assert list(registry) == sorted(registry)


@pytest.mark.full
def test_listing_names_imports_no_generator() -> None:
    code = (
        "import sys; from pcg.generators import levels, rules, games, tuning\n"
        "tables = (levels.GENERATORS, rules.RULE_GENERATORS, games.GAME_GENERATORS, tuning.OPTIMISERS)\n"
        "names = [list(table) for table in tables]\n"
        "assert 'wfc' in names[0] and 'gp' in names[2], names\n"
        "heavy = {'clingo', 'ribs', 'deap'} & set(sys.modules)\n"
        "ours = [m for m in sys.modules if m.startswith('pcg.generators.')]\n"
        "made = [m for m in ours if m.endswith(('.generator', '.optimiser'))]\n"
        "assert not heavy and not made, (heavy, made)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("kind", KINDS)
def test_a_decorated_class_is_made_by_name(kind: str) -> None:
    registry, register, _, _ = KINDS[kind]
    own, make = OWN[kind]
    assert register(own) is own and register(own) is own
    assert registry[own.name] is own
    made = make()
    assert type(made) is own and [c.id for c in made.ask(2)] == [0, 1]


@pytest.mark.parametrize("kind", KINDS)
def test_installed_packages_provide_generators(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    registry, _, group, ours = KINDS[kind]
    own, make = OWN[kind]
    points = [
        metadata.EntryPoint(own.name, f"{__name__}:{own.__name__}", group),
        metadata.EntryPoint("user_wrong", "fractions:Fraction", group),
        metadata.EntryPoint(ours, "fractions:Fraction", group),  # what is ours stays ours
    ]
    monkeypatch.setattr(metadata, "entry_points", lambda *, group: [p for p in points if p.group == group])
    monkeypatch.setattr(registry, "_installed", None)
    assert own.name in registry and type(make()) is own
    with pytest.raises(PcgError, match=f"^Fraction is no {registry.kind}: expected a class derived from"):
        registry.find("user_wrong")
    assert registry[ours].__module__.startswith("pcg.")


class Nameless(IndependentGenerator):
    help = "a generator that forgot its name"

    def generate(self, rng: np.random.Generator) -> str:
        return ""


class Incomplete(LevelGenerator):
    name = "user_incomplete"
    help = "a generator that cannot be asked"


class Constructive(Bare):
    name = "constructive"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (int, "int is no level generator: expected a class derived from LevelGenerator"),
        (len, "len is no level generator"),
        (Nameless, "level generator Nameless: class variable `name` is '', expected a text"),
        (Incomplete, "level generator Incomplete: missing ask"),
        (Constructive, "there is a level generator `constructive` already"),
        (NoRules, "NoRules is no level generator"),
    ],
)
def test_what_is_no_generator_is_refused(wrong: Any, message: str) -> None:
    before = list(levels.GENERATORS)
    with pytest.raises(PcgError, match=message):
        levels.register(wrong)
    assert list(levels.GENERATORS) == before


@pytest.mark.parametrize(("register", "base"), [(rules.register, RuleGenerator), (games.register, GameGenerator)])
def test_every_registry_has_its_own_kind(register: Callable[[Any], Any], base: type[Any]) -> None:
    with pytest.raises(PcgError, match=f"expected a class derived from {base.__name__}"):
        register(Bare)
