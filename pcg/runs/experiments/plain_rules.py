"""Rules of a finished game that say the same in fewer words, or in truer ones.

Search leaves rules that only add to the points of another rule, rules by which something turns into what is gone in the
next moment, and rules that turn what stands still. `pcg minimise` keeps them, for a play is not quite the same without
them: the score is lower, or others get the random numbers that they would have drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pcg.engine.game import Game, load
from pcg.engine.vgdl import parse
from pcg.engine.vgdl.formatter import dumps
from pcg.evaluators.effect_semantics import first_number
from pcg.evaluators.judging.fleeting import fleeting
from pcg.evaluators.judging.game_ablation import more_points
from pcg.evaluators.judging.game_kinds import GameKinds, game_kinds
from pcg.evaluators.judging.game_rules import RuleReading
from pcg.generators.rules.genes import Rule, RuleSet, replace_rules, with_params
from pcg.generators.rules.points import nearest
from pcg.minimise.plays import Plays
from pcg.runs.experiments.cast import better, without_absent_sprites

_SCORE = "scoreChange"
_SCORE_OF_DEATH = "scoreChangeIfKilled"
_EXCEPT = "notStype"


def with_summed_points(
    text: str, levels: Sequence[str], *, plays: Plays, recorded: Game
) -> tuple[str, tuple[str, ...]]:
    """Return a game without rules that only give more points for what another rule gives points for: the other gives
    them all, and all recorded plays stay the same, tick by tick, with the same random numbers. Sums are rounded to
    numbers that people use.

    Args:
        text: of the game.
        levels: its levels.
        plays: that are compared.
        recorded: the game of these plays.
    """
    rules = RuleSet.of(parse(text)).rules
    scores = _scores(text, levels, plays, recorded)
    for number in range(len(rules)):
        left = rules[:number] + rules[number + 1 :]
        paid = [k for k, other in enumerate(left) if _points(other)]
        points = more_points(scores, _scores(_with_rules(text, left), levels, plays, recorded)) if paid else 0
        for k in paid if points else ():
            total = _points(left[k]) + points
            summed, sound = (
                _with_rules(text, (*left[:k], _paying(left[k], given), *left[k + 1 :]))
                for given in (total, nearest(total))
            )
            game = load(summed, levels=levels)
            if better(sound, text) == sound and plays.differing(game, chance=recorded) is None:
                if sound != summed:  # plays have other scores now
                    return sound, tuple(levels)
                return with_summed_points(sound, levels, plays=plays, recorded=recorded)
    return text, tuple(levels)


def with_plain_deaths(text: str, levels: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return a game in which nothing turns into what the same place destroys at once, no avatar whose end loses the
    game into what nobody steers, and nothing without health loses some of it: it dies itself.

    Args:
        text: of the game.
        levels: its levels.
    """

    def plain(kinds: GameKinds, rule: Rule) -> Rule | None:
        if _ends_at_once(kinds, rule):
            return Rule(*rule.pair, "killSprite")
        if _has_no_health(kinds, rule):
            return Rule(*rule.pair, "killSprite", with_params((), {_SCORE: rule.get(_SCORE_OF_DEATH)}))
        if rule.effect != "transformTo" or set(dict(rule.params)) - {"stype", _SCORE}:
            return rule
        index = kinds.definition.type_index
        effects = {e.index for e in kinds.definition.effects if e.name == rule.effect}
        found = [
            s for s in kinds.analysis.sources
            if s.consequence is not None and s.consequence.effect in effects and s.partner is not None
            and s.product == index.get(rule.get("stype") or "") and _covers(kinds, rule.pair, (s.maker, s.partner))
        ]  # fmt: skip
        if not found or not all(fleeting(kinds, s) for s in found):
            return rule
        return Rule(*rule.pair, "killSprite", with_params(rule.params, {"stype": None}))

    return _changed(text, levels, plain), tuple(levels)


def without_idle_rules(text: str, levels: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return a game without rules that stop or turn what does not move, and in which what does not move is no exception
    where all that has moved is put back.

    Args:
        text: of the game.
        levels: its levels.
    """

    def acting(kinds: GameKinds, rule: Rule) -> Rule | None:
        if rule.effect == "undoAll" and not _leaves(kinds, rule.get(_EXCEPT) or ""):
            return Rule(*rule.pair, rule.effect, with_params(rule.params, {_EXCEPT: None}))
        effects = kinds.definition.effects
        idle = (e for e in RuleReading(kinds, kinds.levels).idle_rules if effects[e].name == rule.effect)
        return None if any(_tells(kinds, rule, e) for e in idle) else rule

    return _changed(text, levels, acting), tuple(levels)


def _ends_at_once(kinds: GameKinds, rule: Rule) -> bool:
    """Return True where an avatar turns into what nobody steers, in a game that is lost without one."""
    analysis = kinds.analysis
    index = kinds.definition.type_index
    product = index.get(rule.get("stype") or "")
    lost = any(set(ending.types) == set(analysis.avatars) and ending.limit == 0 for ending in analysis.losses)
    return (
        rule.effect == "transformTo" and index.get(rule.first) in analysis.avatars and lost
        and product is not None and not set(analysis.avatars) & set(kinds.definition.types[product].subtypes)
    )  # fmt: skip


def _has_no_health(kinds: GameKinds, rule: Rule) -> bool:
    """Return True where the first of two sprites loses health of which none of its kind ever has any."""
    if rule.effect != "subtractHealthPoints" or rule.get("stype"):
        return False
    lost, limit = first_number(rule.get("value"), 1), first_number(rule.get("limit"), 0)
    definition = kinds.definition
    below = (definition.types[t] for t in definition.types[definition.type_index[rule.first]].subtypes)
    healed = any(effect.name.startswith("addHealthPoints") for effect in definition.effects)
    return not healed and not any(t.params.get("healthPoints") for t in below) and -lost <= limit


def _leaves(kinds: GameKinds, names: str) -> bool:
    """Return True where sprites of one of some types can be elsewhere than where a level has them, or there are no
    names.
    """
    index, types = kinds.definition.type_index, kinds.definition.types
    named = {t for name in names.split(",") if name in index for t in types[index[name]].subtypes}
    return not names or bool(named & kinds.analysis.moved)


def _changed(text: str, levels: Sequence[str], change: Callable[[GameKinds, Rule], Rule | None]) -> str:
    """Return a game whose rules are changed one by one, or left out where there is None."""
    game = load(text, levels=list(levels))
    kinds = game_kinds(game.definition, [game.read_level(k) for k in range(len(levels))])
    rules = RuleSet.of(parse(text)).rules
    made = tuple(rule for rule in (change(kinds, rule) for rule in rules) if rule is not None)
    return better(without_absent_sprites(_with_rules(text, made)), text) if made != rules else text


def _tells(kinds: GameKinds, rule: Rule, effect: int) -> bool:
    """Return True where an effect is that of a rule."""
    types = kinds.definition.types
    return any(
        effect in pair.effects and (types[pair.first].name, types[pair.second].name) == rule.pair
        for pair in kinds.definition.pairs
    )


def _covers(kinds: GameKinds, pair: tuple[str, str], met: tuple[int, int]) -> bool:
    """Return True where a rule for two names, of types or groups, is about two types."""
    types = kinds.definition.types
    return all(name in {types[t].name for t in types[u].path} for name, u in zip(pair, met, strict=True))


def _with_rules(text: str, rules: tuple[Rule, ...]) -> str:
    tree = parse(text)
    return dumps(replace_rules(tree, RuleSet(rules, RuleSet.of(tree).terminations)))


def _points(rule: Rule) -> int:
    """Return the points of a rule, 0 where it gives none or is for two players."""
    given = rule.get(_SCORE) or "0"
    return int(given) if given.lstrip("-").isdigit() else 0


def _paying(rule: Rule, points: int) -> Rule:
    return Rule(*rule.pair, rule.effect, with_params(rule.params, {_SCORE: str(points)}))


def _scores(text: str, levels: Sequence[str], plays: Plays, recorded: Game) -> list[list[float]]:
    """Return the score after every tick of each recorded play, with the random numbers that each tick had."""
    game = load(text, levels=levels)
    found = []
    for play in plays.plays:
        state, other = (one.start(play.level, seed=play.seed) for one in (game, recorded))
        listed = []
        for action, _ in play.actions:
            state.rng, state.aux = other.rng, other.aux
            other.advance(action)
            state.advance(action)
            listed.append(float(state.score))
        found.append(listed)
    return found
