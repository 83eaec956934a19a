"""Goals of a game: how it is won and lost, in short sentences, as people in studies read them."""

from __future__ import annotations

from pcg.describe.dead_rules import DeadRules
from pcg.describe.languages import LANGUAGES
from pcg.describe.noun_phrases import Params
from pcg.describe.terminations import never_changes, read_ending
from pcg.engine.game import Game
from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.definition import GameDefinition


def goals_in(code: str, game: Game | GameDefinition) -> tuple[str, ...]:
    """Sentences that say how a game for one player is won, then how it is lost.

    Args:
        code: of a language, a key of `LANGUAGES`.
        game: a game, or only its definition.

    Raises:
        KeyError: for another language.

    >>> import pcg
    >>> goals_in("zh", pcg.load("boxes"))[0]
    '标记一个也不剩时，您获胜。'
    >>> goals_in("en", pcg.load("boxes"))[0]
    'You win when no mark is left.'
    """
    language = LANGUAGES[code]
    definition = game.definition if isinstance(game, Game) else game
    names = language.names(definition, distinct=False)
    dead_rules = DeadRules(definition, names)
    wins: list[str] = []
    losses: list[str] = []
    open_ends: list[str] = []
    stops: list[str] = []

    def sentence(key: str, when: str, who: str = "") -> str:
        told = language.say(who, alone=True) if who else ""
        return language.sentence(language.say(key, when=when, who=told, alone=True))

    for t in definition.terminations:
        if never_changes(t, definition, dead_rules) is False:
            continue  # it never comes true
        ending = read_ending(t, definition, names, dead_rules)
        p = Params(t.params, ontology.TERMINATIONS[t.name].params)
        if not ending.when:
            stops.append(ending.text)
        elif ending.wins is None:
            by_counters = t.name == "Timeout" and p.flag("use_counter")
            open_ends.append(sentence("endings.counters_decide" if by_counters else "endings.score", ending.when))
        elif ending.wins[0]:
            wins.append(sentence("endings.decided", ending.when, "endings.win"))
        else:
            losses.append(sentence("endings.decided", ending.when, "endings.lose"))
    if not open_ends:
        wins = wins or [language.say("endings.no_win")]
        losses = losses or [language.say("endings.no_loss")]
    return tuple(dict.fromkeys([*wins, *losses, *open_ends, *stops]))
