"""Initial trees of genetic programming that are games already: types as they come, rules by templates.

Nearly no tree that is grown at random is a game that can be won, so a search that begins with such trees alone has
nothing to climb. Here the commonest character of the levels is a wall, and the rules are those of the constructive
generator (`pcg.generators.rules.constructive`) for whatever types were grown, as trees: each primitive's arguments are
searched for those that mean the rule.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.generators.games.game_repair import space_of
from pcg.generators.games.genes import GameGenotype
from pcg.generators.games.gp.primitives import (
    LEVELS,
    REFERENCES,
    Avatar,
    Endings,
    Game,
    Node,
    Ref,
    Rules,
    Tree,
    Type,
    effect_params,
    evaluate,
    fitting_pairs,
    grow,
    joined,
    param_text,
    primitives,
    termination_of,
    typed,
)
from pcg.generators.rules.constructive.generator import ConstructiveRules
from pcg.generators.rules.genes import Rule, Termination
from pcg.generators.rules.space import SCORES, RuleSpace

_TYPES = (2, 6)
"""Fewest and most types beside avatar and wall."""
_WALL = "class_Immovable"
_COMMONEST = "place1"
"""The terminal for the commonest character: the first place after "nowhere"."""
_REFS = tuple(f"ref{k}" for k in range(REFERENCES))
_UNITS = tuple(f"unit{k}" for k in range(LEVELS))
_SCORES = (0, *SCORES)


def initial_tree(base: GameGenotype, rng: np.random.Generator, most: int) -> Tree:
    """A tree of type `Game` with rules by templates, for the levels of a game.

    Args:
        base: gives the levels.
        rng: draws.
        most: rules that the game may have.
    """
    low, high = _TYPES
    avatar = grow(Avatar, rng)
    sprites = joined("types", [_wall(rng), *(grow(Type, rng) for _ in range(int(rng.integers(low, high + 1))))])
    space = space_of(typed(evaluate(avatar), evaluate(sprites), base, most))
    rules: list[Tree] = []
    terminations: list[Tree] = []
    if space is not None:
        try:
            made = ConstructiveRules(space, seed=int(rng.integers(2**31))).generate(rng)
        except PcgError:  # no level of it can be looked at
            return grow(Game, rng)
        rules = [tree for rule in made.rules if (tree := line_tree(space, rule)) is not None]
        terminations = [
            tree for termination in made.terminations if (tree := termination_tree(space, termination)) is not None
        ]
    return [
        primitives().mapping["game"], *avatar, *sprites,
        *(joined("rules", rules) if rules else grow(Rules, rng)),
        *(joined("ends", terminations) if terminations else grow(Endings, rng)),
    ]  # fmt: skip


def _wall(rng: np.random.Generator) -> Tree:
    """Return the type of the commonest character."""
    known = primitives().mapping
    node = known[_WALL]
    return [node, known[_COMMONEST], *(n for part in node.args[1:] for n in grow(part, rng))]


def line_tree(space: RuleSpace, rule: Rule) -> Tree | None:
    """Return the tree that encodes a rule, None if there is none."""
    known, context = primitives().mapping, primitives().context
    node, pairs = known.get(f"effect_{rule.effect}"), fitting_pairs(space, rule.effect)
    if node is None or rule.pair not in pairs:
        return None
    firsts = list(dict.fromkeys(first for first, _ in pairs))
    seconds = [second for first, second in pairs if first == rule.first]
    places = (firsts.index(rule.first), seconds.index(rule.second))
    if max(places) >= REFERENCES:
        return None
    leaves = [f"ref{k}" for k in places]
    for param in effect_params(rule.effect):
        options = _REFS if param.references else _UNITS
        text = rule.get(param.name)
        leaf = next((o for o in options if param_text(space, rule.effect, param, context[o]) == text), "")
        if not leaf and param.required:
            return None
        leaves.append(leaf or options[0])
    score = int(rule.get("scoreChange") or 0)
    leaves.append(f"score{_SCORES.index(score)}" if score in _SCORES else "score0")
    return [node, *(known[leaf] for leaf in leaves)]


def termination_tree(space: RuleSpace, termination: Termination) -> Tree | None:
    """Return the tree that encodes a termination, None if there is none; of several types the first two are counted."""
    known, context = primitives().mapping, primitives().context
    node = known.get(f"end_{termination.name}")
    if node is None:
        return None
    wanted = Termination(termination.name, tuple(pair for pair in termination.params if pair[0] != "stype3"))
    flag = "flag0" if termination.wins else "flag1"
    for leaves in product(*(_REFS if part is Ref else _UNITS for part in node.args[:-1])):
        if termination_of(space, Node(node.name, tuple(context[leaf] for leaf in (*leaves, flag)))) == wanted:
            return [node, *(known[leaf] for leaf in (*leaves, flag))]
    return None
