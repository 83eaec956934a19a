"""Coverage of games by recorded plays: the sprite classes, effects and terminations that they make use of.

Traces that agree prove nothing about a rule that no trace makes use of. So every replay notes which lines of its game
were at work: a sprite of the type was there, the effect was executed, the termination ended the game. All of this is
exact (`Watch`), and costs one more tick of the engine per tick.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pcg.engine.arrays import context_record
from pcg.engine.kernel import coverage as kernel
from pcg.engine.kernel import layout as L
from pcg.engine.kernel.bounds import MAX_ROOM
from pcg.engine.kernel.ids import ACTION_ID, EFFECT_ID, TERMINATION_ID
from pcg.engine.kernel.runtime import invoke2, invoke3, invoke6
from pcg.engine.state import State
from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.definition import GameDefinition

KINDS = ("sprite class", "avatar", "effect", "termination")
"""Kinds of rules, in the order of summaries."""
_ESCAPE = ACTION_ID["ESCAPE"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of a game that traces can make use of."""

    kind: str
    """One of `KINDS`."""
    name: str
    """The sprite class, effect or termination."""
    line: int
    """1-based line of the game text; 0 for what every game has."""
    text: str
    """That line."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """Rules of its game that a play has made use of."""

    rules: tuple[Rule, ...]
    """All rules of the game."""
    used: frozenset[int]
    """Indices into `rules`."""


def rules_of(definition: GameDefinition) -> tuple[Rule, ...]:
    """All rules of a game: its types, by id, its effects, its terminations.

    Types that only group others have the name "": nothing can be said of them.
    """
    lines = definition.source.splitlines()

    def rule(kind: str, name: str, line: int) -> Rule:
        return Rule(kind, name, line, lines[line - 1].strip() if 0 < line <= len(lines) else "")

    rules = []
    for t in definition.types:
        name = t.class_name if t.leaf and t.class_name is not None else ""
        avatar = name != "" and ontology.SPRITE_CLASSES[name].avatar
        rules.append(rule("avatar" if avatar else "sprite class", name, t.line))
    rules += [rule("effect", e.name, e.line) for e in definition.effects]
    rules += [rule("termination", t.name, t.line) for t in definition.terminations]
    return tuple(rules)


class Watch:
    """Notes what one play makes use of, tick by tick.

    An effect counts as used in a tick exactly if the engine executes it there at least once. To find that out, the tick
    is played a second time, on the side, with all effects that have not been used yet replaced by one that only says
    that it was called. The first to say so is used; the tick is then repeated with the others until none does. The
    replay itself is not touched. (One exception: bounces off several walls at once are not counted for a sprite that
    the same tick has killed before.)
    """

    def __init__(self, state: State, rules: tuple[Rule, ...]) -> None:
        context = state.context
        tables = context.tables
        self._context = context
        self._rules = rules
        self._used: set[int] = set()
        self._escaped = False
        self._types = len(tables.definition.types)
        self._stops = [
            self._types + len(tables.definition.effects) + k
            for k, t in enumerate(tables.definition.terminations)
            if t.name == "StopCounter"
        ]
        self._block = State(state.game, context, int(state.header.room))
        # user's effects keep their order behind the two entries of our own
        self._kinds = tables.effects["kind"] + kernel.OWN_KINDS * (tables.effects["kind"] >= len(EFFECT_ID))
        self._effects = tables.effects.copy()
        self._effects["kind"] = len(EFFECT_ID)
        self._waiting = len(tables.definition.effects)
        # effects that are executed once for all sprites met have an own way in the kernel; a watched one has not
        self._entries = tables.entries.copy()
        self._entries["bits"] &= ~L.E_BATCH
        self._extensions = np.array([kernel.note.address, -1, *tables.extensions], np.int64)
        self._record: Any = np.array([context_record(context)], L.CONTEXT)
        for name, array in (
            ("effects", self._effects),
            ("entries", self._entries),
            ("extensions", self._extensions),
        ):
            self._record[name] = array.ctypes.data
        self._address = int(self._record.ctypes.data)

    def tick(self, before: State, after: State, actions: tuple[int, int]) -> None:
        """Note what the tick from one state to another makes use of."""
        while self._waiting:
            effect = self._first_waiting(before, actions)
            if effect < 0:
                break
            self._effects[effect]["kind"] = self._kinds[effect]
            own = self._entries["effect"] == effect
            self._entries["bits"][own] = self._context.tables.entries["bits"][own]
            self._waiting -= 1
            self._used.add(self._types + effect)
        self._escaped = _ESCAPE in actions
        if self._stops and not after.header.can_end:
            self._used.update(self._stops)

    def _first_waiting(self, before: State, actions: tuple[int, int]) -> int:
        """The first effect that this tick executes of those not used so far, -1 for none."""
        copy = self._context.copy_address
        while True:
            first = invoke6(
                kernel.first_watched.address, self._address, self._block.address, before.address, copy, *actions
            )
            room = 2 * int(self._block.header.room)
            if first != kernel.TOO_SMALL or room > MAX_ROOM:
                return int(first)
            self._block = State(before.game, self._context, room)

    def coverage(self, state: State) -> Coverage:
        """All that was noted up to a state, the last one of the play."""
        there = np.zeros(self._types, np.int64)
        invoke3(kernel.created.address, self._context.address, state.address, int(there.ctypes.data))
        used = self._used | set(np.flatnonzero(there).tolist())
        if state.is_over and not self._escaped:
            last = state.copy()
            number = invoke2(kernel.fired.address, self._context.address, last.address)
            if number >= 0:
                used.add(len(self._rules) - len(self._context.tables.definition.terminations) + int(number))
        return Coverage(self._rules, frozenset(i for i in used if self._rules[i].name))


# --- many plays ---


@dataclass(slots=True)
class Tally:
    """Use that some plays make of one sprite class, avatar, effect or termination."""

    kind: str
    name: str
    lines: int = 0
    """Lines of the games that name it."""
    lines_used: int = 0
    """Those of them that at least one play makes use of."""
    games: int = 0
    """Games that name it."""
    games_used: int = 0
    traces_used: int = 0
    """Plays that make use of it."""


@dataclass(slots=True)
class Summary:
    """Summary of the rules that many plays make use of."""

    tallies: list[Tally] = field(default_factory=list)
    """One for everything in the ontology, by kind, in the order of use, then of the ontology."""
    unused: list[tuple[str, Rule]] = field(default_factory=list)
    """(game, rule) of every line that no play makes use of."""


def summarise(plays: Iterable[tuple[str, Coverage]]) -> Summary:
    """Add up the plays of any number of games, given as (game, coverage)."""
    games: dict[str, tuple[tuple[Rule, ...], set[int]]] = {}
    tallies: dict[tuple[str, str], Tally] = {}
    for kind, name in _ontology():
        tallies[kind, name] = Tally(kind, name)

    def tally(key: tuple[str, str]) -> Tally:
        return tallies.setdefault(key, Tally(*key))

    for game, play in plays:
        games.setdefault(game, (play.rules, set()))[1].update(play.used)
        for key in {(play.rules[i].kind, play.rules[i].name) for i in play.used}:
            tally(key).traces_used += 1
    unused = []
    for game, (rules, used) in games.items():
        seen: set[tuple[str, str]] = set()
        for i, rule in enumerate(rules):
            if not rule.name or (rule.line == 0 and i not in used):
                continue
            key = (rule.kind, rule.name)
            one = tally(key)
            one.lines += 1
            one.lines_used += i in used
            one.games += key not in seen
            seen.add(key)
            if i not in used:
                unused.append((game, rule))
        for key in {(rules[i].kind, rules[i].name) for i in used}:
            tally(key).games_used += 1
    return Summary(sorted(tallies.values(), key=lambda t: KINDS.index(t.kind)), unused)


def _ontology() -> Iterable[tuple[str, str]]:
    for name, spec in ontology.SPRITE_CLASSES.items():
        yield "avatar" if spec.avatar else "sprite class", name
    yield from (("effect", name) for name in ontology.EFFECTS)
    yield from (("termination", name) for name in TERMINATION_ID)
