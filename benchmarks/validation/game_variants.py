"""Broken variants of games: 30 % of the rules taken out, swapped or scrambled, by seed.

Nothing of the games is kept: variants are made when they are asked for, and the same seed gives the same text.
"""

from __future__ import annotations

from hashlib import sha256

import numpy as np

from pcg.engine.vgdl.formatter import dumps
from pcg.engine.vgdl.parser import parse
from pcg.generators.rules.genes import EOS, TIME, Rule, RuleSet, replace_rules

VARIANTS = ("thinned", "swapped", "scrambled")
"""Kinds of variants: some rules are missing; their effects are dealt round among them; their sprites are drawn anew."""
SHARE = 0.3
"""Share of the rules that is touched, at least one, or two where they are swapped."""


def variant(source: str, kind: str, seed: int = 0) -> str:
    r"""Return a broken variant of a game.

    Args:
        source: VGDL text.
        kind: one of `VARIANTS`.
        seed: of the draws; they depend on the text's rules and on nothing else.

    Raises:
        ValueError: for another kind.

    >>> rules = "  a wall > killSprite\n  a EOS > stepBack\n"
    >>> game = "BasicGame\n SpriteSet\n  a > Missile\n InteractionSet\n" + rules
    >>> RuleSet.of(variant(game, "swapped")).rules[0].effect
    'stepBack'
    """
    tree = parse(source)
    whole = RuleSet.of(tree)
    rules = list(whole.rules)
    digest = sha256(f"{kind} {seed} {whole}".encode()).digest()
    rng = np.random.default_rng(int.from_bytes(digest[:8], "big"))
    least = 2 if kind == "swapped" else 1
    number = min(len(rules), max(least, round(SHARE * len(rules))))
    for _ in range(20):
        chosen = sorted(int(k) for k in rng.permutation(len(rules))[:number])
        changed = _changed(rules, chosen, kind, rng)
        if set(changed) != set(rules):
            break
    return dumps(replace_rules(tree, RuleSet(tuple(changed), whole.terminations)))


def _changed(rules: list[Rule], chosen: list[int], kind: str, rng: np.random.Generator) -> list[Rule]:
    if kind == "thinned":
        return [rule for k, rule in enumerate(rules) if k not in chosen]
    changed = list(rules)
    if kind == "swapped":
        for k, other in zip(chosen, [*chosen[1:], chosen[0]], strict=True):
            changed[k] = Rule(*rules[k].pair, rules[other].effect, rules[other].params)
    elif kind == "scrambled":
        sprites = list(dict.fromkeys(name for rule in rules for name in rule.pair if name not in (EOS, TIME)))
        for k in chosen:
            first, second = (sprites[int(i)] for i in rng.integers(len(sprites), size=2))
            second = EOS if rules[k].second == EOS else second
            changed[k] = Rule(first, second, rules[k].effect, rules[k].params)
    else:
        raise ValueError(f"no variant `{kind}`, expected one of {', '.join(VARIANTS)}")
    return changed
