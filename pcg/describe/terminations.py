"""The end of the game: a sentence for every termination (reference/terminations 4)."""

from __future__ import annotations

from dataclasses import dataclass

from pcg.describe.dead_rules import DeadRules
from pcg.describe.noun_phrases import Names, Params, count, joined, number, plural, sentence
from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.definition import GameDefinition, Termination


@dataclass(frozen=True, slots=True)
class Ending:
    """A termination in words. `wins` are the players it makes win, None when the score or counters decide."""

    when: str
    wins: tuple[bool, ...] | None
    text: str


def _left(names: Names, kinds: list[str], limit: float) -> str:
    """A sum of sprites has fallen: "no door is left"."""
    who = joined([names.noun(k) for k in kinds], "or")
    if limit <= 0:
        if len(kinds) == 1 and names.is_you(kinds[0]):
            return f"the {who} is gone"
        return f"no {who} is left"
    many = joined([plural(names.noun(k)) for k in kinds])
    return f"at most {number(limit)} {many if limit != 1 else who} {'are' if limit != 1 else 'is'} left"


def _when(t: Termination, names: Names, p: Params) -> str:
    limit = p.number("limit")
    kinds = counted(p)
    many = joined([plural(names.noun(k)) for k in kinds]) or "sprites of no type"
    together = " together" if len(kinds) > 1 else ""
    if t.name == "SpriteCounter":
        return _left(names, kinds, limit)
    if t.name == "SpriteCounterMore":
        return names.there(kinds[0], limit, 10000) if kinds else f"there are {number(limit)} {many} or more"
    if t.name == "MultiSpriteCounter":
        if p.flag("min"):
            return f"there are {number(limit)} {many} or more{together}"
        if limit == 0 and kinds:
            return _left(names, kinds, 0)
        if len(kinds) == 1:
            return names.there(kinds[0], limit, limit)
        return f"there are exactly {number(limit)} {many}{together}"
    if t.name == "MultiSpriteCounterSubTypes":
        return f"there are exactly {number(limit)} {many} of {number(p.number('subTypesNum'))} kinds"
    if t.name == "Timeout":
        return f"time is up after {count(limit, 'tick')}"
    return f"`{t.name}`: {ontology.TERMINATIONS[t.name].help}"


def read_ending(t: Termination, definition: GameDefinition, names: Names, dead_rules: DeadRules) -> Ending:
    """Read the meaning of a termination for the players."""
    spec = ontology.TERMINATIONS[t.name]
    p = Params(t.params, spec.params)
    players = definition.players
    if t.name == "StopCounter":
        return _stop(names, p)
    when = _when(t, names, p)
    flags = [piece.strip().lower() == "true" for piece in str(p["win"] or "").split(",")]
    wins: tuple[bool, ...] | None = tuple(flags[k] if k < len(flags) else False for k in range(players))
    decided = ""
    if p.flag("count_score"):
        wins = None
        decided = "you win if your score is not 0, else you lose" if players == 1 else "the highest score wins"
    if t.name == "Timeout" and p.flag("use_counter"):
        wins = None
        if p.flag("compare"):
            decided = "player 1 wins if the counters differ; if they are equal, the others win"
        else:
            decided = f"player 1 wins if the last counter equals its entry in {p['limits']}, else nobody"
    if wins is not None:
        text = f"{_who(wins, players)} when {when}"
    else:
        text = f"when {when}, {decided}"
    note = _impossible(t, definition, dead_rules)
    if rest := p.rest():
        note += f" ({rest})"
    return Ending(when, wins, sentence(text + note))


def _stop(names: Names, p: Params) -> Ending:
    kinds = counted(p)
    many = joined([plural(names.noun(k)) for k in kinds]) or "sprites of no type"
    limit = number(p.number("limit"))
    p["win"], p["count_score"]
    bound = f"more than {limit}" if p.flag("min") else f"exactly {limit}"
    return Ending("", None, sentence(f"while there are {bound} {many}, counting sprites does not end the game"))


def _who(wins: tuple[bool, ...], players: int) -> str:
    if players == 1:
        return "you win" if wins[0] else "you lose"
    if all(wins):
        return "both players win"
    if not any(wins):
        return "both players lose"
    winner = wins.index(True) + 1
    return f"player {winner} wins and player {3 - winner} loses"


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
    none = "none is ever there" + dead_rules.place
    return f", which is so from the start, as {none}" if holds else f", which never happens, as {none}"
