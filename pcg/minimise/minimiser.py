"""Delta debugging on behaviour: the smallest set of parts without which some recorded play would be another.

The result is 1-minimal: nothing more can be taken out alone without changing a play. Chunks are tried from large to
small (ddmin's complements), for each kind of part in turn, until a round removes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pcg.engine.game import Game
from pcg.engine.vgdl import Tree, check_game, parse, read_game
from pcg.engine.vgdl.definition import GameDefinition
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.engine.vgdl.lint import NEEDS_OBS
from pcg.engine.vgdl.ontology import SPRITE_CLASSES, TERMINATIONS
from pcg.evaluators.analysis import analyse
from pcg.evaluators.effect_semantics import FIRST
from pcg.minimise.parts import (
    Cutter,
    Part,
    endings_in,
    groups_in,
    is_default,
    parameters_in,
    rules_in,
    sprites_in,
)
from pcg.minimise.plays import AGENTS, BUDGET, MAX_TICKS, SEEDS, Plays, record_plays
from pcg.minimise.rename import rename

_KINDS = (rules_in, endings_in, sprites_in, groups_in, parameters_in)
_COUNTED = re.compile(rf"stype[0-9]?=(\S+) of (?:{'|'.join(TERMINATIONS)})")
"""A parameter by which a termination counts sprites, as a part's text has it."""


@dataclass(frozen=True, slots=True)
class Removal:
    """A part that was taken out, and why it is thought not to matter."""

    part: Part
    reason: str

    def __str__(self) -> str:
        return f"{self.part.kind} `{self.part.text}` (line {self.part.line}): {self.reason}"


@dataclass(frozen=True)
class Minimised:
    """The result of a minimisation."""

    text: str
    """The smaller game, in canonical form."""
    removed: tuple[Removal, ...]
    kept: tuple[str, ...]
    """Parts that were kept although no play needs them, with the reason."""
    renamed: dict[str, str]
    """Old name of a sprite type -> new one."""
    plays: Plays
    tried: int
    """Games that were tried."""
    interrupted: bool
    strict: tuple[str, ...]
    """Objections of the strict reading to the text; empty when nothing."""

    @property
    def looked_at(self) -> str:
        """The extent of the search, in words."""
        return f"{len(self.plays.plays)} plays, {self.plays.ticks} ticks"


Report = Callable[[str, int, int], None]


class _Search:
    """The state of one minimisation."""

    def __init__(self, game: Game, plays: Plays, report: Report | None) -> None:
        self.game = game
        self.plays = plays
        self.report = report
        self.tree = parse(game.definition.source, file=game.name)
        self.cutter = Cutter(self.tree)
        self.out: set[Part] = set()
        self.tried = 0
        self._has_obs = "obs" in game.definition.header
        self._lacking = _lacking(game.definition, {})
        self._known: dict[str, bool] = {}

    def same(self, without: Iterable[Part]) -> bool:
        """Return True when the game without these parts plays every recorded play the same."""
        text = self.cutter.text(set(without))
        known = self._known.get(text)
        if known is None:
            known = self._known[text] = self.plays_same(text)
        return known

    def forget_moot(self) -> None:
        """Drop the parts from what is out that other parts take along: parameters of rules that are gone."""
        text = self.cutter.text(self.out)
        for part in sorted(p for p in self.out if p.kind == "parameter"):
            if self.cutter.text(self.out - {part}) == text:
                self.out.discard(part)

    def plays_same(self, text: str, names: dict[str, str] | None = None) -> bool:
        """Return True when the game of a text plays every recorded play the same."""
        self.tried += 1
        try:
            definition = read_game(text, reading=self.game.reading)
            blind = self._has_obs and "obs" not in definition.header
            if blind and any(t.leaf and t.class_name in NEEDS_OBS for t in definition.types):
                return False  # the same in these plays, and no game in the strict reading
            if _lacking(definition, names or {}) - self._lacking:
                return False  # nor is one with a nest of nothing
            candidate = Game(definition, self.game.levels, name=self.game.name, reading=self.game.reading)
            return self.plays.differing(candidate, names) is None
        except PcgError:
            return False  # it is no game any more, or its levels do not fit

    def remove(self, parts: Sequence[Part]) -> bool:
        """Remove as many of these parts as possible; return True if any was removed."""
        left = [p for p in parts if p not in self.out]
        total, size, any_gone = len(left), len(left), False
        while left and size >= 1:
            at, gone = 0, False
            while at < len(left):
                chunk = left[at : at + size]
                if self.report is not None:
                    self.report(chunk[0].kind, total - len(left), total)
                # what is out already takes other parts along: then there is nothing to try, and nothing to tell
                if self.same(self.out | set(chunk)):
                    self.out |= set(chunk)
                    del left[at : at + size]
                    gone = any_gone = True
                else:
                    at += size
            if size == 1 and not gone:
                break
            size = max(1, min(size // 2, len(left) // 2)) if size > 1 else 1
        return any_gone


def minimise(
    game: Game,
    *,
    levels: Sequence[int] | None = None,
    agents: Sequence[str] = AGENTS,
    seeds: int = SEEDS,
    seed: int = 1,
    budget: int | str = BUDGET,
    max_ticks: int = MAX_TICKS,
    keep_unmet: bool = True,
    names: bool = False,
    progress: Report | None = None,
) -> Minimised:
    """Remove the rules, terminations, sprite types and parameters of a game that no recorded play needs.

    Agents play the game; a reduction is kept when all their plays, with the same actions and the same seeds, are the
    same tick by tick: sprites by type and place, score, outcome. A rule that draws random numbers shifts all later
    draws, so it only goes where nothing random follows. What is for the picture alone (colours, images) stays.

    Args:
        game: to be made smaller; its levels are not changed.
        levels: indices of the levels to play; all by default.
        agents: who plays, names as for `make_agent`.
        seeds: plays per agent and level.
        seed: of the first of them.
        budget: forward-model calls per decision of planning agents.
        max_ticks: ticks of a play.
        keep_unmet: whether parts stay that no play met: terminations that win, with the rules that change what they
            count; those that lose, with the rules by which sprites that were there bring them about; rules that give
            what these ask for; rules that stop movers, and what was pushed, at what was there.
        names: whether to rename the sprite types after what they are for (`rename`).
        progress: called with what is being done, how far it is, and how far it has to go. An interrupt
            (KeyboardInterrupt) ends the search; the best so far is returned.

    Raises:
        PcgError: no levels, unknown agents, a game space.
    """
    if game.definition.class_name == "GameSpace":
        raise PcgError(f"{game.name} is a game space, many games in one: write down one of them first")
    chosen = list(range(len(game.levels))) if levels is None else list(levels)
    if not chosen:
        raise PcgError(f"{game.name} has no levels to play, expected at least one")
    for level in chosen:
        game.read_level(level)
    plays = record_plays(
        game, chosen, agents=agents, seeds=seeds, seed=seed, budget=budget, max_ticks=max_ticks,
        progress=None if progress is None else lambda done, of: progress("plays", done, of),
    )  # fmt: skip
    search = _Search(game, plays, progress)
    if not search.same(()):
        raise PcgError(f"{game.name} does not play the same once it is formatted; please report this")
    protected = _counted(search, plays) | (_unmet(search, plays) if keep_unmet else {})
    interrupted = False
    try:
        going = True
        while going:
            going = False
            for kind in _KINDS:
                going |= search.remove([p for p in kind(search.tree) if p not in protected and _possible(p, plays)])
    except KeyboardInterrupt:
        interrupted = True
    text = search.cutter.text(search.out)
    renamed: dict[str, str] = {}
    if names and not interrupted:
        text, renamed = _renamed(search, text, game)
    kept = tuple(
        f"`{p.text}` (line {p.line}) ends the game, but no play got there; the rules that bring it about stay as well"
        for p in sorted(protected)
        if p.kind == "ending"
    )
    search.forget_moot()
    removed = sorted(search.out, key=lambda p: (p.line, p.kind, p.place))
    return Minimised(
        text=text,
        removed=tuple(Removal(p, _reason(p, plays, search.tree)) for p in removed),
        kept=kept,
        renamed=renamed,
        plays=plays,
        tried=search.tried,
        interrupted=interrupted,
        strict=tuple(str(d) for d in check_game(text) if d.severity == "error"),
    )


def _lacking(definition: GameDefinition, names: Mapping[str, str]) -> set[tuple[str, str]]:
    """Return the types of sprites, by the names that they had, and the parameters that their class needs and they do
    not have.
    """
    known = ((t, SPRITE_CLASSES.get(t.class_name or "")) for t in definition.types if t.leaf and t.line)
    return {(names.get(t.name, t.name), key) for t, spec in known if spec for key in spec.required if key not in t.raw}


def _possible(part: Part, plays: Plays) -> bool:
    """Return True when a part can go at all: a sprite that was there cannot."""
    return part.kind != "sprite" or part.line not in plays.used


def _counted(search: _Search, plays: Plays) -> dict[Part, None]:
    """The parameters of terminations that count sprites which were there: that all plays gathered the gems before the
    coins does not make gems no part of the goal.
    """
    definition = search.game.definition
    used = {
        u.name for t in definition.types if t.leaf and t.line in plays.used
        for u in (definition.types[above] for above in t.path)
    }  # fmt: skip
    return {
        part: None for part in parameters_in(search.tree)
        if (found := _COUNTED.match(part.text)) is not None and used.intersection(found[1].split(","))
    }  # fmt: skip


def _unmet(search: _Search, plays: Plays) -> dict[Part, None]:
    """The terminations that no play reached, and the rules that can bring them about: who plays well meets no danger,
    and who plays badly does not win. Also the rules that give what these ask for, as a coin that keeps a guard from
    killing, and what keeps movers, and what is pushed, out of walls that they did not get to.
    """
    definition = search.game.definition
    analysis = analyse(definition)
    unreached = {
        k: t.line
        for k, t in enumerate(definition.terminations)
        if t.line not in plays.used and ("true" in str(t.params.get("win", "")).lower() or t.params.get("count_score"))
    }
    counted = {t for e in analysis.endings if e.index in unreached for t in e.types}
    ways = [s.consequence for s in analysis.sources if s.product in counted]
    ways += [r.consequence for r in analysis.removals if r.victim in counted]
    for loss in analysis.losses:
        deaths = [r for r in analysis.removals if r.victim in loss.types and _was_there(r.partner, search.game, plays)]
        ways += [r.consequence for r in deaths]
        if deaths and definition.terminations[loss.index].line not in plays.used:
            unreached[loss.index] = definition.terminations[loss.index].line
    needed = {c.holding.resource for c in ways if c is not None and c.holding is not None}
    for (first, _), found in analysis.meetings.items():
        ways += [c for c in found if (c.kind == "collect" and first in needed) or needed.intersection(c.products)]
    pushed = {
        pair[0] for pair, found in analysis.meetings.items() for c in found
        if c.kind == "push" and c.target == FIRST and definition.effects[c.effect].line in plays.used
    }  # fmt: skip
    for pair, found in analysis.meetings.items():
        stopped = found and all(c.kind in ("block", "turn") and c.target == FIRST for c in found)
        goes = analysis.has(pair[0], "mover") or pair[0] in pushed
        if stopped and goes and all(_was_there(t, search.game, plays) for t in pair):
            ways += found
    lines = {definition.effects[c.effect].line for c in ways if c is not None} | set(unreached.values())
    parts = [p for kind in _KINDS for p in kind(search.tree)]
    protected = {p: None for p in parts if p.line in lines and p.kind in ("rule", "ending", "parameter")}
    protected = {p: None for p in protected if p.kind != "parameter" or not is_default(search.tree, p)}
    names = {word for p in protected for word in re.findall(r"[^\s=,>]+", p.text)}
    return protected | {p: None for p in parts if p.kind in ("sprite", "group") and p.text in names}


def _was_there(type_id: int | None, game: Game, plays: Plays) -> bool:
    """Return True for a type of which some play had a sprite."""
    return type_id is not None and game.definition.types[type_id].line in plays.used


def _reason(part: Part, plays: Plays, tree: Tree) -> str:
    times = plays.used.get(part.line, 0)
    of = f"{len(plays.plays)} plays of {plays.ticks} ticks together"
    if part.kind in ("rule", "ending"):
        if times == 0:
            return f"never took effect in {of}"
        return f"its line took effect in {times} of {of}, and all are the same without it"
    if part.kind == "sprite":
        return f"never there in {of}" if times == 0 else f"all of {of} are the same without it"
    if part.kind == "group":
        return "no rule that is left needs the group; its members stand for themselves"
    if is_default(tree, part):
        return "it says what holds anyway"
    return f"{of} are the same without it"


def _renamed(search: _Search, text: str, game: Game) -> tuple[str, dict[str, str]]:
    """The text with better names, as long as it plays the same; else as it is."""
    # what a type is for is seen best in the whole game
    for builtin in (True, False):
        new, names = rename(parse(text), game.definition, analyse(game.definition), predefined=builtin)
        if search.plays_same(new, {v: k for k, v in names.items()}):
            return new, {k: v for k, v in names.items() if k != v}
    return text, {}
