"""The end of the game: a sentence for every termination (reference/terminations 4)."""

from __future__ import annotations

from dataclasses import dataclass

from pcg.describe.dead_rules import DeadRules
from pcg.describe.noun_phrases import Params
from pcg.describe.wording import Language, Names
from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.definition import GameDefinition, Termination


@dataclass(frozen=True, slots=True)
class Ending:
    """A termination in words. `wins` are the players it makes win, None when the score or counters decide."""

    when: str
    wins: tuple[bool, ...] | None
    text: str


def condition(t: Termination, names: Names, p: Params) -> str:
    """The condition under which a termination comes true, a template of the section `when`."""
    language, limit, kinds = names.language, p.number("limit"), counted(p)
    bare = f"when.{_condition(t, names, p, kinds, limit)}"
    if bare == "when.none_left":
        kinds = [member for kind in kinds for member in names.members(kind)]
    return language.say(
        bare,
        things=language.joined([names.noun(k) for k in kinds], language.say("when.between")),
        many=language.joined([names.plural(k) for k in kinds]) or language.say("when.nothing"),
        n=limit,
        several=len(kinds) > 1,
        there_at_least=lambda: names.there(kinds[0], limit, 10000),
        there_exactly=lambda: names.there(kinds[0], limit, limit),
        one=len(kinds) == 1,
        kinds=p.number("subTypesNum") if t.name == "MultiSpriteCounterSubTypes" else 0,
        name=t.name,
        help=ontology.TERMINATIONS[t.name].help,
    )


def _condition(t: Termination, names: Names, p: Params, kinds: list[str], limit: float) -> str:
    left = "most_left" if limit > 0 else "you_gone" if len(kinds) == 1 and names.is_you(kinds[0]) else "none_left"
    match t.name:
        case "SpriteCounter":
            return left
        case "SpriteCounterMore":
            return "at_least"
        case "MultiSpriteCounter":
            return "or_more" if p.flag("min") else left if limit == 0 and kinds else "exactly"
        case "MultiSpriteCounterSubTypes":
            return "kinds"
        case "Timeout":
            return "time"
    return "other"


def read_ending(t: Termination, definition: GameDefinition, names: Names, dead_rules: DeadRules) -> Ending:
    """Read the meaning of a termination for the players."""
    spec = ontology.TERMINATIONS[t.name]
    p = Params(t.params, spec.params)
    players, language = definition.players, names.language
    if t.name == "StopCounter":
        return _stop(names, p)
    when = condition(t, names, p)
    flags = [piece.strip().lower() == "true" for piece in str(p["win"] or "").split(",")]
    wins: tuple[bool, ...] | None = tuple(flags[k] if k < len(flags) else False for k in range(players))
    text = ""
    if p.flag("count_score"):
        wins = None
        text = language.say("endings.score", when=when, alone=players == 1)
    if t.name == "Timeout" and p.flag("use_counter"):
        wins = None
        key = "counters_differ" if p.flag("compare") else "counters"
        text = language.say(f"endings.{key}", when=when, limits=lambda: str(p["limits"]))
    if wins is not None:
        text = language.say("endings.decided", who=_who(wins, players, language), when=when)
    text += _impossible(t, definition, dead_rules)
    if rest := language.rest(p):
        text = language.say("notes.noted", text=text, notes=rest)
    return Ending(when, wins, language.sentence(text))


def _stop(names: Names, p: Params) -> Ending:
    language, kinds = names.language, counted(p)
    p["win"], p["count_score"]
    text = language.say(
        "endings.stop",
        things=language.joined([names.plural(k) for k in kinds]) or language.say("when.nothing"),
        n=p.number("limit"),
        more=p.flag("min"),
    )
    return Ending("", None, language.sentence(text))


def _who(wins: tuple[bool, ...], players: int, language: Language) -> str:
    if players == 1 or all(wins) or not any(wins):
        return language.say("endings.win" if any(wins) else "endings.lose", alone=players == 1)
    winner = wins.index(True) + 1
    return language.say("endings.one_wins", winner=winner, loser=3 - winner)


def never_changes(t: Termination, definition: GameDefinition, dead_rules: DeadRules) -> bool | None:
    """The constant answer of a termination when nothing that it counts can be there; None when it may change."""
    if t.name not in ("SpriteCounter", "SpriteCounterMore", "MultiSpriteCounter"):
        return None
    p = Params(t.params, ontology.TERMINATIONS[t.name].params)
    index = definition.type_index
    kinds = [index[k] for k in counted(p) if k in index]
    if any(dead_rules.covered(k) for k in kinds):
        return None
    limit = p.number("limit")
    if t.name == "SpriteCounterMore":
        return limit <= 0
    if t.name == "SpriteCounter":
        return limit >= 0
    return limit == 0 or (p.flag("min") and limit < 0)


def counted(p: Params) -> list[str]:
    """The types that a termination counts, as the game calls them."""
    return [str(v) for key in ("stype", "stype1", "stype2", "stype3") if (v := p[key])]


def _impossible(t: Termination, definition: GameDefinition, dead_rules: DeadRules) -> str:
    """A note when the types decide it: true from the start, or never."""
    holds = never_changes(t, definition, dead_rules)
    if holds is None:
        return ""
    say = dead_rules.names.language.say
    return say("endings.from_the_start" if holds else "endings.impossible", place=dead_rules.place)
