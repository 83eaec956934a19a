"""The contract of generators of rules and of whole games: what holds for each of them, whatever games they begin with.

Each generator meets each beginning in one of the tests (`pairwise.covered`).
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
from judging import judged, run
from pairwise import covered

from pcg.engine.game import load
from pcg.engine.vgdl import check_game, check_level, read_game
from pcg.generators.games import GAME_GENERATORS, GameCandidate, GameGenotype, make_game_generator
from pcg.generators.rules import RULE_GENERATORS, RuleCandidate, RuleSpace, make_rule_generator

NAMES = [f"rules {name}" for name in RULE_GENERATORS] + [f"games {name}" for name in GAME_GENERATORS]
BEGINNINGS = ["boxes invaders", "dungeon hunt", "hunt boxes"]
"""Games to begin with; generators of rules make them for the first."""


@cache
def space(name: str) -> RuleSpace:
    game = load(name)
    return RuleSpace.of(game.definition.source, game.levels)


@cache
def genotype(name: str) -> GameGenotype:
    game = load(name)
    return GameGenotype.of(game, game.levels[:2])


def make(name: str, beginning: str, seed: int = 1) -> Any:
    """A generator, if it learns with small generations."""
    kind, _, generator = name.partition(" ")
    learns = (RULE_GENERATORS if kind == "rules" else GAME_GENERATORS)[generator].learns
    params: dict[str, Any] = {"population": 12, "offspring": 12} if learns else {}
    games = beginning.split()
    if kind == "rules":
        return make_rule_generator(generator, space(games[0]), seed=seed, **params)
    return make_game_generator(generator, [genotype(game) for game in games], seed=seed, **params)


def number(name: str) -> int:
    """So many candidates: some generations of those that learn; whole games take longer."""
    return 60 if name.startswith("rules") else 18


def findings(made: RuleCandidate | GameCandidate, beginning: str) -> list[str]:
    """List the diagnostics of the strict reading; rules alone may be about sprites that they never bring about."""
    if isinstance(made, RuleCandidate):
        found = check_game(space(beginning.split()[0]).text(made.genotype))
        return [d.message for d in found if "never appears" not in d.message]
    found = check_game(made.genotype.text())
    if not found:
        definition = read_game(made.genotype.text(), reading="strict")
        for level in made.genotype.levels:
            found += check_level(level, definition)
    return [d.message for d in found]


@pytest.mark.parametrize(("name", "beginning"), covered(NAMES, BEGINNINGS, 0, 3))
def test_all_that_is_made_reads_without_a_finding(name: str, beginning: str) -> None:
    for candidate in run(make(name, beginning), 16):
        assert findings(candidate, beginning) == []
        assert type(candidate).from_json(json.loads(json.dumps(candidate.to_json()))) == candidate


@pytest.mark.parametrize(("name", "beginning"), covered(NAMES, BEGINNINGS, 1, 3))
def test_what_is_made_depends_on_the_seed_and_not_on_how_many_are_asked_for_at_once(name: str, beginning: str) -> None:
    count = number(name)
    first, again = (run(make(name, beginning), count, size) for size in (7, 1))
    other = run(make(name, beginning, seed=2), 12)
    assert first == again and [c.genotype for c in first[:12]] != [c.genotype for c in other]
    assert [c.id for c in first] == list(range(count))
    assert all(parent < c.id for c in first for parent in c.parents)


@pytest.mark.full
@pytest.mark.parametrize(("name", "beginning"), covered(NAMES, BEGINNINGS, 2, 3))
def test_a_restored_state_goes_on_as_if_nothing_had_happened(name: str, beginning: str) -> None:
    generator = make(name, beginning, seed=9)
    run(generator, number(name) - 1)
    out = generator.ask(3)
    restored = make(name, beginning, seed=9)
    restored.load_state_dict(json.loads(json.dumps(generator.state_dict())))
    for each in (generator, restored):
        each.tell(out, [judged(c) for c in out])
    assert run(generator, 20) == run(restored, 20)
    assert generator.state_dict() == restored.state_dict()


@pytest.mark.parametrize("name", NAMES)
def test_every_generator_says_what_it_and_its_parameters_do(name: str) -> None:
    kind, _, generator = name.partition(" ")
    found = (RULE_GENERATORS if kind == "rules" else GAME_GENERATORS)[generator]
    assert found.name == generator and found.help and all(parameter.help for parameter in found.parameters)
