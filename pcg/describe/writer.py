"""`describe`: from a resolved game to its description. Nothing is played; a description takes a few milliseconds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from pcg.describe.avatars import briefly, controls
from pcg.describe.dead_rules import DeadRules
from pcg.describe.description import ROLES, Control, Controls, Description, Group, Rule, Thing
from pcg.describe.effects import score_of
from pcg.describe.languages import LANGUAGES
from pcg.describe.noun_phrases import Params
from pcg.describe.rules import RuleWriter
from pcg.describe.sprites import thing_text
from pcg.describe.terminations import Ending, read_ending
from pcg.describe.wording import Names, points
from pcg.engine.game import Game
from pcg.engine.vgdl import ontology, read_level
from pcg.engine.vgdl.definition import GameDefinition, Level
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.analysis import GameAnalysis, analyse, is_avatar


def describe(
    game: Game | GameDefinition,
    level: int | str | Path | Level | None = None,
    *,
    title: str = "",
    language: str = "en",
    analysis: GameAnalysis | None = None,
) -> Description:
    """Say in plain words what a game is: its things, its rules, how it is won and lost.

    Args:
        game: a game, or only its definition.
        level: look at this level as well: how many there are of each thing, which rules can take effect on it. An
            index, text, path or Level as for `Game.start`; a definition alone takes a text or a Level.
        title: heading; by default the name of the game.
        language: "en" or "zh", a key of `pcg.describe.LANGUAGES`.
        analysis: of the game, if it is at hand.

    Returns:
        The same for equal games, sentence by sentence.

    Raises:
        PcgError: no such level, or one that does not fit the game; no such language.

    >>> import pcg
    >>> describe(pcg.load("boxes")).win
    ('You win when no mark is left.',)
    >>> describe(pcg.load("boxes"), language="zh").win
    ('标记一个也不剩时，您获胜。',)
    """
    if language not in LANGUAGES:
        raise PcgError(f"there are no descriptions in the language `{language}`, only in {', '.join(LANGUAGES)}")
    definition = game.definition if isinstance(game, Game) else game
    resolved = _level(game, level)
    analysis = analysis or analyse(definition)
    names = LANGUAGES[language].names(definition)
    dead_rules = DeadRules(definition, names, resolved)
    endings = [read_ending(t, definition, names, dead_rules) for t in definition.terminations]
    say = names.language.say
    writer = RuleWriter(definition, analysis, names, dead_rules)
    meetings, timers = writer.meetings(), writer.timers()
    things = _things(definition, analysis, names, dead_rules, resolved)
    avatars = [t for t in analysis.avatars if t in dead_rules.present]
    shown = title or (game.name if isinstance(game, Game) else definition.name)
    return Description(
        title=shown,
        summary=_summary(definition, analysis, names, endings, dead_rules),
        controls=_controls(definition, names, avatars),
        things=things,
        groups=_groups(definition, names, dead_rules),
        meetings=meetings,
        timers=timers,
        never=tuple(writer.never),
        win=_endings(endings, True) or (say("endings.no_win"),),
        lose=_endings(endings, False) or (say("endings.no_loss"),),
        score=_score(definition, names, (*meetings, *timers)),
        resources=_resources(definition, names, dead_rules),
        level=say("summary.level", level=level) if isinstance(level, int) else str(level) if isinstance(
            level, Path) else say("summary.given_level") if level is not None else "",
        language=language,
    )  # fmt: skip


def _level(game: Game | GameDefinition, level: int | str | Path | Level | None) -> Level | None:
    if level is None or isinstance(level, Level):
        return level
    if isinstance(game, Game):
        return game.read_level(level)
    if not isinstance(level, str):
        raise TypeError(f"a definition has no levels of its own, expected a level text, got {level!r}")
    return read_level(level, game, reading="gvgai")


# -- summary and endings -----------------------------------------------------------------------------------------------


def _summary(
    definition: GameDefinition, analysis: GameAnalysis, names: Names, endings: Sequence[Ending], dead_rules: DeadRules
) -> str:
    heroes = [t for t in analysis.start_avatars if t in dead_rules.present] or list(analysis.start_avatars)
    language, two = names.language, definition.players > 1
    say = language.say
    steered = [say("summary.steered", name=names.a(t), about=briefly(definition.types[t], names)) for t in heroes[:3]]
    who = language.joined(dict.fromkeys(steered), say("summary.several", two_players=two))
    who = who.replace(" ;", ";")
    first = say("summary.players" if two else "summary.you", who=who)
    wins = [e.when for e in endings if e.wins and e.wins[0]]
    losses = [e.when for e in endings if e.wins and not any(e.wins)]
    or_when = say("summary.or_when")
    second = [say("summary.win", when=language.joined(wins, or_when))] if wins else []
    second += [say("summary.lose", when=language.joined(losses, or_when))] if losses else []
    if two:
        second = [e.text[:1].lower() + e.text[1:-1] for e in endings if e.when][:3]
    return language.sentences([first, language.sentence(language.notes(second)) if second else say("summary.endless")])


def _endings(endings: Sequence[Ending], winning: bool) -> tuple[str, ...]:
    """Those that can win; the others. What the score decides stands in both."""
    return tuple(e.text for e in endings if e.wins is None or any(e.wins) == winning)


def _controls(definition: GameDefinition, names: Names, avatars: Sequence[int]) -> tuple[Controls, ...]:
    """The keys of every avatar type, once for those that have the same."""
    found: dict[tuple[Control, ...], list[str]] = {}
    for t in avatars:
        found.setdefault(controls(definition.types[t], names)[0], []).append(names.noun(t))
    return tuple(Controls(names.language.joined(who), keys) for keys, who in found.items())


# -- things ------------------------------------------------------------------------------------------------------------


def _things(
    definition: GameDefinition, analysis: GameAnalysis, names: Names, dead_rules: DeadRules, level: Level | None
) -> tuple[Thing, ...]:
    counts = Counter(t for t, _, _ in level.placements) if level is not None else None
    found = []
    for t in analysis.concrete:
        if t not in dead_rules.present:
            continue
        sprite = definition.types[t]
        if is_avatar(sprite):
            notes = controls(sprite, names)[1]
            about = briefly(sprite, names).removeprefix("who ")
            text = names.language.sentences([names.language.sentence(about), notes])
        else:
            text = thing_text(sprite, names)
        amount = None if counts is None else counts.get(t, 0)
        found.append(Thing(names.noun(t), sprite.name, _role(t, definition, analysis), text, amount))
    order = list(ROLES)
    found.sort(key=lambda thing: order.index(thing.role))
    return tuple(found)


def _role(t: int, definition: GameDefinition, analysis: GameAnalysis) -> str:
    roles = analysis.roles[t]
    sprite = definition.types[t]
    if "avatar" in roles:
        return "you"
    shots = {s.product for s in analysis.sources
             if s.partner is None and s.consequence is None and analysis.has(s.maker, "avatar")}  # fmt: skip
    harmful = "harmful" in roles
    if t in shots and not harmful:
        return "shot"
    if (
        ("spawner" in roles and "mover" not in roles)
        or sprite.class_name == "Portal"
        or "exit" in roles
        or any(c.kind == "teleport" for (_, b), found in analysis.meetings.items() if b == t for c in found)
    ):
        return "passage"
    if harmful:
        return "hurts"
    if "pushable" in roles:
        return "push"
    if "resource" in roles or (
        "collectable" in roles
        and not roles & {"solid", "mover"}
        and sprite.class_name != "Door"
        and ("goal" in roles or _pays(t, analysis))
    ):
        return "collect"
    if "goal" in roles:
        return "goal"
    if roles & {"solid", "wall", "gate"} or ("portal" in roles and "mover" not in roles):
        return "wall"
    return "scenery" if "background" in roles and "mover" not in roles else "other"


def _pays(t: int, analysis: GameAnalysis) -> bool:
    """Return True when meeting an avatar does more than removing it: points, or something for the avatar."""
    for (one, two), found in analysis.meetings.items():
        other = two if one == t else one if two == t else -1
        known = other >= 0 and analysis.has(other, "avatar")
        if known and any(c.score > 0 or c.kind not in ("kill", "block") for c in found):
            return True
    return False


def _groups(definition: GameDefinition, names: Names, dead_rules: DeadRules) -> tuple[Group, ...]:
    """The types that rules, endings and classes speak of and that stand for several things."""
    spoken = {t for pair in definition.pairs for t in (pair.first, pair.second)}
    spoken |= set(definition.eos_effects) | {t.bound for t in definition.time_effects}
    everything = [*(e.params for e in definition.effects), *(t.params for t in definition.terminations)]
    everything += [t.params for t in definition.types if t.leaf]
    for params in everything:
        for value in params.values():
            if isinstance(value, str):
                spoken |= {definition.type_index[n] for n in value.split(",") if n in definition.type_index}
    found = []
    for t in sorted(spoken - {-1}):
        kind = definition.types[t]
        below = [u for u in kind.subtypes if t in definition.types[u].path[:-1] and u in dead_rules.present]
        if below and (not kind.leaf):
            members = [u for u in below if definition.types[u].class_name is not None]
            found.append(Group(names.noun(t), kind.name, tuple(names.noun(u) for u in members)))
    return tuple(g for g in found if g.members)


# -- score and resources -----------------------------------------------------------------------------------------------


def _score(definition: GameDefinition, names: Names, rules: Sequence[Rule]) -> tuple[str, ...]:
    found: dict[tuple[int, ...], dict[str, None]] = {}
    index, language = definition.type_index, names.language

    def either(kinds: Sequence[str]) -> str:
        return language.joined([names.a(t) for t in kinds], "or")

    for rule in rules:
        for e in rule.effects:
            scores = score_of(definition.effects[e])
            one, two = rule.first.split(","), rule.second.split(",")
            if rule.second == "TIME":
                when = language.say("score.in_time", thing=names.a(rule.first) if rule.first else "")
            elif rule.second == "EOS":
                when = language.say("score.at_edge", things=either(one))
            else:
                if any(names.is_you(index[t]) for t in two) and not any(names.is_you(index[t]) for t in one):
                    one, two = two, one
                when = language.say("score.meeting", things=either(one), others=either(two))
            for score in scores:
                found.setdefault(score, {})[when] = None
    between = language.say("score.between")
    lines = [
        language.say("score.line", points=points(score, language), whens=between.join(whens))
        for score, whens in sorted(found.items(), key=lambda item: item[0], reverse=True)
    ]
    return tuple(lines) or (language.say("score.never"),)


def _resources(definition: GameDefinition, names: Names, dead_rules: DeadRules) -> tuple[str, ...]:
    """Sentences about what can be held: how much of it, and its use."""
    index, types, say = definition.type_index, definition.types, names.language.say
    uses: dict[int, dict[str, None]] = {}

    def use(resource: object, text: str) -> None:
        found = index.get(str(resource), -1)
        if found >= 0:
            uses.setdefault(found, {})[text] = None

    for pair in definition.pairs:
        if dead_rules.missing((pair.first, pair.second)):
            continue
        for e in pair.effects:
            effect = definition.effects[e]
            p = Params(effect.params, ontology.EFFECTS[effect.name].params)
            spec = ontology.EFFECTS[effect.name]
            for key in ("resource", "heldResource"):
                if key in effect.params:
                    gives = any(d.kind == "gain" for d in spec.does) and p.number("value") > 0
                    use(effect.params[key], "got" if gives else "needed")
            if any(d.kind == "collect" for d in spec.does):
                for u in dead_rules.covered(pair.first):
                    if types[u].class_name in ("Resource", "ResourcePack"):
                        use(types[u].params.get("resource_name", types[u].name), "got")
    for t in sorted(dead_rules.present):
        for name in str(types[t].params.get("ammo", "")).split(","):
            if is_avatar(types[t]):
                use(name, say("resources.ammunition", holder=names.a(t)))
    lines = []
    for t, found in sorted(uses.items()):
        limit = types[t].resource_limit
        how = [w for w in found if w not in ("got", "needed")]
        notes = [say("resources.limit", limit=limit) if limit else say("resources.no_limit")]
        if "got" not in found:
            notes.append(say("resources.not_given"))
        if "needed" not in found and not how:
            notes.append(say("resources.not_needed"))
        line = say("resources.line", resource=names.noun(t), notes=names.language.notes([*notes, *how]))
        lines.append(names.language.sentence(line))
    return tuple(lines)
