"""Genetic operators on rule sets: insertion, deletion, modification, swap, crossover, and repair of what came out.

Every operator keeps to the rules of a `RuleSpace`; `repair_rules` then removes repetitions and adds what a game cannot
do without. All draws come from the generator of random numbers that is handed in.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.ontology_params import EffectSpec, TerminationSpec
from pcg.generators.rules.genes import EOS, TIME, Params, Rule, RuleSet, Termination, with_params
from pcg.generators.rules.space import SCORES, RuleSpace

MOST_TERMINATIONS = 6
"""Terminations that a rule set may have."""
_RULES = 0.75
"""Share of the changes that concern rules; the others concern terminations."""
_KINDS = ("insert", "delete", "modify", "swap")
_SHARES = (0.3, 0.2, 0.38, 0.12)


def mutate(
    space: RuleSpace, genotype: RuleSet, rng: np.random.Generator, *, changes: int = 1, most: int = 40
) -> RuleSet:
    """A rule set with some changes, repaired.

    Args:
        space: of the sprite set.
        genotype: what is changed.
        rng: draws.
        changes: how many insertions, deletions, modifications and swaps.
        most: rules that it may have.
    """
    rules, terminations = list(genotype.rules), list(genotype.terminations)
    for _ in range(changes):
        kind = _KINDS[int(rng.choice(len(_KINDS), p=_SHARES))]
        if rng.random() < _RULES or not terminations:
            _change_rules(space, rules, kind if rules else "insert", rng, most)
        else:
            _change_endings(space, terminations, kind, rng)
    return repair_rules(space, RuleSet(tuple(rules), tuple(terminations)), rng, most=most)


def _change_rules(space: RuleSpace, rules: list[Rule], kind: str, rng: np.random.Generator, most: int) -> None:
    if kind == "insert" and len(rules) >= most:
        kind = "modify"
    if kind == "insert":
        rules.insert(int(rng.integers(len(rules) + 1)), space.draw_rule(rng))
        return
    at = int(rng.integers(len(rules)))
    if kind == "delete":
        del rules[at]
    elif kind == "modify":
        rules[at] = modify_rule(space, rules[at], rng)
    else:
        _swap_rules(space, rules, at, rng)


def modify_rule(space: RuleSpace, rule: Rule, rng: np.random.Generator) -> Rule:
    """A rule in which the effect, one of the two that meet, a parameter or the score is another one."""
    draw = float(rng.random())
    if draw < 0.3:
        return space.draw_rule(rng, pair=rule.pair) if rule.second != TIME else rule
    if draw < 0.55:
        options = [p for p in space.pairs if p != rule.pair and (p[0] == rule.first or p[1] == rule.second)]
        options = [p for p in options if rule.effect in space.effects(*p)[0]]
        if options:
            first, second = options[int(rng.integers(len(options)))]
            return Rule(first, second, rule.effect, rule.params)
    if draw < 0.7:
        score = str(SCORES[int(rng.integers(len(SCORES)))])
        given = None if rule.get("scoreChange") is not None and rng.random() < 0.4 else score
        return Rule(*rule.pair, rule.effect, with_params(rule.params, {"scoreChange": given}))
    spec = ontology.EFFECTS[rule.effect]
    if rule.effect == "addTimer":
        return Rule(*rule.pair, rule.effect, space.draw_params(rng, rule.effect))
    params = _modify_params(space, spec, rule.params, rng)
    return Rule(*rule.pair, rule.effect, space.changing(rng, rule.effect, params))


def _modify_params(
    space: RuleSpace, spec: EffectSpec | TerminationSpec, params: Params, rng: np.random.Generator
) -> Params:
    """Parameters of which one is set, changed or, if it may be, left out."""
    known = space.parameters(spec)
    if not known:
        return params
    param = known[int(rng.integers(len(known)))]
    if any(key == param.name for key, _ in params) and not param.required and rng.random() < 0.4:
        return with_params(params, {param.name: None})
    value = space.draw_value(rng, param, spec)
    return params if value is None else with_params(params, {param.name: value})


def _swap_rules(space: RuleSpace, rules: list[Rule], at: int, rng: np.random.Generator) -> None:
    """Two rules change places, or the two sprites of a rule do."""
    rule = rules[at]
    turned = (rule.second, rule.first)
    if rng.random() < 0.5 and turned in space.pairs and rule.effect in space.effects(*turned)[0]:
        rules[at] = Rule(*turned, rule.effect, rule.params)
        return
    other = int(rng.integers(len(rules)))
    rules[at], rules[other] = rules[other], rules[at]


def _change_endings(space: RuleSpace, terminations: list[Termination], kind: str, rng: np.random.Generator) -> None:
    at = int(rng.integers(len(terminations)))
    if kind == "insert" and len(terminations) < MOST_TERMINATIONS:
        terminations.insert(int(rng.integers(len(terminations) + 1)), space.draw_termination(rng))
    elif kind == "delete" and len(terminations) > 1:
        del terminations[at]
    elif kind == "swap" and len(terminations) > 1:
        other = int(rng.integers(len(terminations)))
        terminations[at], terminations[other] = terminations[other], terminations[at]
    else:
        termination = terminations[at]
        if termination.get("limit") is not None and rng.random() < 0.5:
            terminations[at] = space.redraw_limit(rng, termination)
            return
        terminations[at] = space.draw_termination(
            rng, win=termination.wins if rng.random() < 0.8 else not termination.wins
        )


def cross(space: RuleSpace, one: RuleSet, other: RuleSet, rng: np.random.Generator, *, most: int = 40) -> RuleSet:
    """The head of one and the tail of another, cut between rules and between terminations, repaired.

    The order of what meets follows the first parent where both know it, so that heads and tails fit.
    """

    def cut(
        head: Sequence[Rule] | Sequence[Termination], tail: Sequence[Rule] | Sequence[Termination]
    ) -> list[Rule | Termination]:
        place = float(rng.random())
        return [*head[: round(place * len(head))], *tail[round(place * len(tail)) :]]

    rules = [gene for gene in cut(one.rules, other.rules) if isinstance(gene, Rule)]
    terminations = [gene for gene in cut(one.terminations, other.terminations) if isinstance(gene, Termination)]
    return repair_rules(space, RuleSet(tuple(rules), tuple(terminations)), rng, most=most)


# -- repair ------------------------------------------------------------------------------------------------------------


def repair_rules(space: RuleSpace, genotype: RuleSet, rng: np.random.Generator, *, most: int = 40) -> RuleSet:
    """A rule set that can be a game: nothing twice, what belongs to one pair together, a way to win, a way to lose.

    What it means does not change otherwise: the rules of a pair run together wherever they stand
    (reference/language 1.6.4), and what was listed first runs first.
    """
    pairs: dict[tuple[str, str], dict[Rule, None]] = {}
    for rule in genotype.rules:
        held = pairs.setdefault(rule.pair, {})
        if EOS in rule.pair and held:
            continue  # a second line for the edge would run both twice (reference/language 1.6.5)
        held[rule] = None
    rules = [rule for held in pairs.values() for rule in held]
    while len(rules) > most:
        del rules[int(rng.integers(len(rules)))]
    if not rules:
        rules = [space.draw_rule(rng)]
    return RuleSet(tuple(rules), tuple(_mended_endings(space, rules, genotype.terminations, rng)))


def _mended_endings(
    space: RuleSpace, rules: Sequence[Rule], terminations: Sequence[Termination], rng: np.random.Generator
) -> list[Termination]:
    found: dict[tuple[object, ...], Termination] = {}
    for termination in terminations:
        # the first of two that fire in the same moment decides, so the second is of no account
        condition = tuple(pair for pair in termination.params if pair[0] != "win")
        found.setdefault((termination.name, *condition), termination)
    repaired = list(found.values())
    if not any(termination.wins for termination in repaired):
        repaired.insert(0, space.draw_termination(rng, win=True))
    repaired = [*repaired[: MOST_TERMINATIONS - 1]] if len(repaired) >= MOST_TERMINATIONS else repaired
    if not any(termination.wins for termination in repaired):
        repaired[0] = space.draw_termination(rng, win=True)
    avatars = {space.avatar, *space.kinds.avatars}
    if _mortal(space, rules, avatars) and not any(
        e.name == "SpriteCounter" and e.get("stype") in avatars for e in repaired
    ):
        repaired.append(space.death())
    return repaired


def _mortal(space: RuleSpace, rules: Sequence[Rule], avatars: set[str]) -> bool:
    """Return whether a rule can take an avatar away."""
    index, types = space.definition.type_index, space.definition.types
    wide = avatars | {types[t].name for a in avatars for t in types[index[a]].path}
    for rule in rules:
        spec = ontology.EFFECTS[rule.effect]
        if (rule.first in wide and spec.kills_first) or (rule.second in wide and spec.kills_second):
            return True
        if any(rule.get(key) in wide for key in spec.touches):
            return True
    return False
