"""The surrogate of rule evolution: what it learns, what it picks, and that nothing is lost when a run goes on."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import pytest
from tiers import first_fast

from pcg.engine.game import load
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.generators.rules import (
    Rule,
    RuleCandidate,
    RuleGenerator,
    RuleSet,
    RuleSpace,
    Termination,
    make_rule_generator,
)

pytest.importorskip("sklearn")

from pcg.generators.rules.surrogate import FEWEST, MEMORY, Surrogate, features_of


@cache
def space() -> RuleSpace:
    game = load("dungeon")
    return RuleSpace.of(game.definition.source, game.levels)


@dataclass(frozen=True)
class Told:
    feasible: bool
    fitness: float
    constraint: float
    behaviour: tuple[float, ...] = ()
    metrics: dict[str, float] = field(default_factory=dict)


def told(genotype: RuleSet) -> Told:
    """Feasible are those in which something dies; worth more the more of the hero's rules change the score."""
    own = [rule for rule in genotype.rules if "hero" in rule.pair]
    feasible = any(rule.effect == "killSprite" for rule in own)
    scored = sum(rule.get("scoreChange") is not None for rule in own) / 12
    return Told(feasible, min(1.0, scored) if feasible else 0.0, 1.0 if feasible else 0.1 * len(own[:9]))


def run(generator: RuleGenerator, count: int, size: int = 16) -> list[RuleCandidate]:
    found: list[RuleCandidate] = []
    while len(found) < count:
        candidates = generator.ask(min(size, count - len(found)))
        generator.tell(candidates, [told(c.genotype) for c in candidates])
        found += candidates
    return found


def evolution(seed: int = 1, surrogate: int = 6, name: str = "evolve", **more: int) -> RuleGenerator:
    return make_rule_generator(name, space(), seed=seed, population=20, offspring=20, surrogate=surrogate, **more)


def random_rule_sets(count: int, seed: int) -> Sequence[RuleSet]:
    return [c.genotype for c in make_rule_generator("random", space(), seed=seed).ask(count)]


def test_features_are_what_a_rule_set_has() -> None:
    rules = (
        Rule("key", "hero", "killSprite", (("scoreChange", "2"),)),
        Rule("rat", "hero", "killSprite", (("scoreChange", "-1"),)),
    )
    termination = Termination("SpriteCounter", (("stype", "key"), ("limit", "0"), ("win", "True")))
    assert features_of(RuleSet(rules, (termination,))) == {
        "rules": 2, "endings": 1, "key hero": 1, "rat hero": 1, "key hero > killSprite": 1, "rat hero > killSprite": 1,
        "key * > killSprite": 1, "rat * > killSprite": 1, "* hero > killSprite": 2, "* * > killSprite": 2,
        "key hero scores more": 1, "rat hero scores less": 1, "SpriteCounter wins": 1, "SpriteCounter key wins": 1,
    }  # fmt: skip


def test_what_was_played_tells_about_what_was_not() -> None:
    surrogate = Surrogate(1)
    for genotype in random_rule_sets(600, 1):
        found = told(genotype)
        surrogate.tell(genotype, feasible=found.feasible, fitness=found.fitness, constraint=found.constraint)
    assert surrogate.learn(3)
    others = random_rule_sets(200, 2)
    truth = [told(one).fitness + told(one).feasible for one in others]
    assert np.corrcoef(surrogate.predict(others), truth)[0, 1] > 0.7


def test_it_has_no_say_before_it_has_seen_enough_and_forgets_what_is_old() -> None:
    surrogate = Surrogate(1)
    one, *rest = random_rule_sets(51, 1)
    for _ in range(FEWEST - 1):
        surrogate.tell(one, feasible=True, fitness=0.5, constraint=1.0)
    assert not surrogate.learn(0)
    with pytest.raises(RuntimeError, match="nothing was learned"):
        surrogate.predict([one])
    for k in range(MEMORY):
        surrogate.tell(rest[k % len(rest)], feasible=False, fitness=0.0, constraint=k / MEMORY)
    assert surrogate.learn(0)
    assert len(surrogate.seen) == MEMORY and all(genotype != one for genotype, _ in surrogate.seen)


@pytest.mark.full
def test_equally_many_plays_find_more_with_it() -> None:
    """Generations get better sooner: the mean worth of all that is played rises."""

    def mean(surrogate: int, seed: int) -> float:
        return float(np.mean([told(c.genotype).fitness for c in run(evolution(seed, surrogate), 300)]))

    gains = [mean(8, seed) - mean(1, seed) for seed in range(1, 7)]
    assert min(gains) > 0.03 and np.mean(gains) > 0.06


@pytest.mark.parametrize("name", first_fast(["evolve", "novelty", "map-elites"]))
def test_a_restored_state_goes_on_as_if_nothing_had_happened(name: str) -> None:
    if name == "map-elites":
        pytest.importorskip("ribs")
    straight = evolution(2, 4, name)
    expected = [str(c.genotype) for c in run(straight, 240)]
    first = evolution(2, 4, name)
    begun = [str(c.genotype) for c in run(first, 150)]
    again = evolution(2, 4, name)
    again.load_state_dict(json.loads(json.dumps(first.state_dict())))
    assert begun + [str(c.genotype) for c in run(again, 90)] == expected


@pytest.mark.full
def test_how_many_are_asked_for_at_once_changes_nothing() -> None:
    found = [[str(c.genotype) for c in run(evolution(3, 4), 200, size)] for size in (1, 16, 40)]
    assert found[0] == found[1] == found[2]


def test_without_it_scikit_learn_is_not_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.ensemble", None)
    run(evolution(1, 1), 20)
    with pytest.raises(PcgError, match=r"generator evolve: a surrogate needs scikit-learn.*pcg-toolkit\[surrogate\]"):
        evolution(1, 2)
