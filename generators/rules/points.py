"""Points as a designer gives them: for what the player brings about, never for the player's own end, in round numbers.

Search gives points to anything, and much of it says nothing: one more point for the monster that kills the player, one
point less in the tick in which the game is lost anyway. Here a rule set keeps its points where sprites other than the
avatar are collected, destroyed or turned into something else, rounded to numbers that people use; all others go.
"""

from __future__ import annotations

from pcg.evaluators.analysis import GameAnalysis, is_avatar
from pcg.generators.rules.genes import Rule, RuleSet, with_params

ROUND = (1, 2, 5, 10, 20, 50, 100)
"""Points that people give."""
_LASTING = ("kill", "transform", "collect", "changeResource", "addHealth")
"""First parts of the names of effects that change something for good."""


def nearest(points: int) -> int:
    """Return the number of points that people give which is nearest to a number of points.

    >>> nearest(3), nearest(40)
    (2, 50)
    """
    return min(ROUND, key=lambda value: abs(value - points))


def without_moot_deaths(rules: RuleSet, analysis: GameAnalysis) -> RuleSet:
    r"""Return a rule set without the deaths of what kills the avatar in the same meeting, where that ends the game.

    Nobody sees what becomes of a monster after it has won.

    Args:
        rules: of the game.
        analysis: of the game.
    """
    avatars = {analysis.definition.types[t].name for t in analysis.avatars}
    if len(avatars) != 1 or not any(e.outcome == "lose" and set(e.types) == set(analysis.avatars)
                                    for e in analysis.endings):  # fmt: skip
        return rules
    deadly = {rule.second for rule in rules.rules if rule.effect == "killSprite" and rule.first in avatars}
    counted = {v for e in rules.terminations if e.wins for k, v in e.params if k.startswith("stype")}
    kept = (
        rule for rule in rules.rules
        if not (rule.effect == "killSprite" and rule.second in avatars and rule.first in deadly - counted)
    )  # fmt: skip
    return RuleSet(tuple(kept), rules.terminations)


def round_points(rules: RuleSet, analysis: GameAnalysis) -> RuleSet:
    r"""Return a rule set with points only where the player gets something done.

    Args:
        rules: of the game.
        analysis: of the game.

    >>> from pcg.engine.vgdl.resolver import read_game
    >>> from pcg.evaluators.analysis import analyse
    >>> text = "BasicGame\n SpriteSet\n  a > MovingAvatar\n  b > Chaser stype=a\n  c > Immovable\n InteractionSet\n"
    >>> text += "  a b > killSprite scoreChange=-1\n  b a > killSprite scoreChange=1\n"
    >>> text += "  c a > killSprite scoreChange=3\n TerminationSet\n  SpriteCounter stype=a\n LevelMapping\n  A > a\n"
    >>> print(round_points(RuleSet.of(text), analyse(read_game(text))))
    a b > killSprite
    b a > killSprite
    c a > killSprite scoreChange=2
    SpriteCounter stype=a
    """
    definition = analysis.definition

    def avatar(name: str) -> bool:
        t = definition.type_index.get(name)
        return t is not None and any(is_avatar(definition.types[u]) for u in (t, *definition.types[t].subtypes))

    deadly = {rule.pair for rule in rules.rules if rule.effect.startswith("kill") and avatar(rule.first)}

    def settled(rule: Rule) -> Rule:
        given = rule.get("scoreChange")
        if given is None:
            return rule
        try:
            points = int(given)
        except ValueError:  # for two players
            return rule
        dies = rule.pair in deadly or (rule.second, rule.first) in deadly
        if points <= 0 or dies or avatar(rule.first) or not rule.effect.startswith(_LASTING):
            return Rule(rule.first, rule.second, rule.effect, with_params(rule.params, {"scoreChange": None}))
        return Rule(
            rule.first, rule.second, rule.effect, with_params(rule.params, {"scoreChange": str(nearest(points))})
        )

    return RuleSet(tuple(map(settled, rules.rules)), rules.terminations)
