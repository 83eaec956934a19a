"""Goals of a game, told in languages other than English: one template a termination, and a list of nouns.

A language is a file `<code>.toml` beside this module. A type whose words are not all in it is called by its name.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources

from pcg.describe.dead_rules import DeadRules
from pcg.describe.noun_phrases import Names, Params, humanise, number
from pcg.describe.terminations import counted, never_changes
from pcg.engine.game import Game
from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.definition import GameDefinition, Termination

LANGUAGES = ("zh",)
"""Codes of the languages that `goals_in` speaks."""

Words = Mapping[str, Mapping[str, str]]


def goals_in(language: str, game: Game | GameDefinition) -> tuple[str, ...]:
    """Sentences that say how a game for one player is won, then how it is lost.

    Args:
        language: one of `LANGUAGES`.
        game: a game, or only its definition.

    Raises:
        KeyError: for another language.

    >>> import pcg
    >>> goals_in("zh", pcg.load("boxes"))[0]
    '标记一个也不剩时，您获胜。'
    """
    if language not in LANGUAGES:
        raise KeyError(language)
    definition = game.definition if isinstance(game, Game) else game
    teller = _Teller(definition, _words(language))
    return teller.sentences()


@cache
def _words(language: str) -> Words:
    text = (resources.files("pcg.describe") / f"{language}.toml").read_text(encoding="utf-8")
    words: Words = tomllib.loads(text)
    return words


class _Teller:
    """Sentences about the endings of one game."""

    def __init__(self, definition: GameDefinition, words: Words) -> None:
        self.definition = definition
        self.words = words
        self.names = Names(definition)
        self.dead_rules = DeadRules(definition, self.names)

    def sentences(self) -> tuple[str, ...]:
        wins: list[str] = []
        losses: list[str] = []
        open_ends: list[str] = []
        stops: list[str] = []
        for t in self.definition.terminations:
            if never_changes(t, self.definition, self.dead_rules) is False:
                continue  # it never comes true
            p = Params(t.params, ontology.TERMINATIONS[t.name].params)
            if t.name == "StopCounter":
                key = "stop_more" if p.flag("min") else "stop_exact"
                stops.append(self._sentence(key, things=self._things(counted(p)), n=number(p.number("limit"))))
            elif t.name == "Timeout" and p.flag("use_counter"):
                open_ends.append(self._sentence("counters", when=self._when(t, p)))
            elif p.flag("count_score"):
                open_ends.append(self._sentence("score", when=self._when(t, p)))
            elif str(p["win"] or "").split(",")[0].strip().lower() == "true":
                wins.append(self._sentence("win", when=self._when(t, p)))
            else:
                losses.append(self._sentence("lose", when=self._when(t, p)))
        if not open_ends:
            wins = wins or [self._sentence("no_win")]
            losses = losses or [self._sentence("no_loss")]
        return tuple(dict.fromkeys([*wins, *losses, *open_ends, *stops]))

    def _sentence(self, key: str, **values: str) -> str:
        return self.words["sentences"][key].format(**values)

    def _when(self, t: Termination, p: Params) -> str:
        """The condition under which a termination comes true."""
        limit = p.number("limit")
        kinds = counted(p)
        key = ""
        if t.name == "Timeout":
            key = "time"
        elif t.name == "MultiSpriteCounterSubTypes":
            key = "kinds"
        elif t.name == "SpriteCounterMore" or (t.name == "MultiSpriteCounter" and p.flag("min")):
            key = "at_least_together" if len(kinds) > 1 else "at_least"
        elif t.name == "MultiSpriteCounter" and limit != 0:
            key = "exactly_together" if len(kinds) > 1 else "exactly"
        elif t.name in ("SpriteCounter", "MultiSpriteCounter"):
            alone = len(kinds) == 1 and self.names.is_you(kinds[0])
            key = "most_left" if limit > 0 else "you_gone" if alone else "none_left"
        return self.words["when"][key or "other"].format(
            things=self._things(kinds), n=number(limit), kinds=number(p.number("subTypesNum")), name=t.name
        )

    def _things(self, kinds: Sequence[str]) -> str:
        lists = self.words["lists"]
        said = [self._noun(k) for k in kinds]
        if len(said) < 2:
            return "".join(said)
        return lists["between"].join(said[:-1]) + lists["and"] + said[-1]

    def _noun(self, kind: str) -> str:
        """A type by the words of its name, "old brick"; what is steered, or its name, where one is not known."""
        *before, last = humanise(kind).split() or [kind]
        noun = self.words["nouns"].get(last)
        described = [self.words["adjectives"].get(word) or self.words["nouns"].get(word) for word in before]
        if noun is None or None in described:
            lists = self.words["lists"]
            return lists["you"] if self.names.is_you(kind) else lists["unknown"].format(name=kind)
        return "".join([*(word for word in described if word), noun])
