"""Transition model of the avatar's moves, read from the rules of a game: the cases a planner can rely on.

A move concerns three cells: the one the avatar leaves, the one it enters, and the one beyond, where a thing it pushes
goes. The interaction set is carried out on these three cells in the order of reference/loop 3.7, once for every
combination of things that can come about, and for both answers where a rule asks what the avatar holds. What cannot be
told from three cells (things that move by themselves, pushes through several cells, chance, harm) is left out, so a
plan made of cases never rests on a guess. Box-pushing games and games of keys and doors are the ones whose winning can
be described like this; `puzzle_rules` says of the others why they cannot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from pcg.engine.vgdl.definition import Effect, GameDefinition
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.analysis import Ending, GameAnalysis, is_avatar
from pcg.evaluators.effect_semantics import first_number, flag, type_ids

Stack = tuple[int, ...]
"""The types in a cell beside the avatar, ascending; background left out."""

ORIGIN, FRONT, BEYOND = range(3)
MOST_HELD = 12
"""A plan counts what the avatar holds up to here (or as far as a rule asks); more is as good."""
MOST_STACKS = 60
"""Games in which more than this many contents of a cell can come about are not planned for."""

STEPPING_CLASSES = frozenset({"MovingAvatar", "OrientedAvatar", "ShootAvatar"})
"""Avatars that go one cell in one of four directions, and only when told to (reference/avatars 8)."""

IDLE_EFFECTS = frozenset({"attractGaze", "flipDirection", "reverseDirection"})
"""Effects that turn a sprite, which changes nothing for what does not move by itself."""


@dataclass(frozen=True, slots=True)
class Guard:
    """The avatar holds at least (`more`) or fewer than `limit` units of `resource` before the move."""

    resource: int
    limit: int
    more: bool


@dataclass(frozen=True, slots=True)
class Case:
    """One outcome of a move: when it applies, and what is there afterwards."""

    avatar: int
    front: Stack
    beyond: Stack | None
    """None where the cell beyond does not matter."""
    guards: tuple[Guard, ...]
    stays: bool
    """True if the avatar ends where it started."""
    avatar_after: int
    front_after: Stack
    beyond_after: Stack | None
    gains: tuple[tuple[int, int], ...] = ()
    """Resource and change of what the avatar holds."""
    exit: int | None = None
    """The type the avatar comes out at, for a portal."""
    facing: tuple[int, int] | None = None
    """Direction that the avatar faces afterwards, (rows, columns), if that is not where it went."""

    @property
    def pushes(self) -> bool:
        """True if something is moved onto the cell beyond."""
        return self.beyond is not None


@dataclass(frozen=True)
class PuzzleRules:
    """The moves of a game whose winning can be planned."""

    analysis: GameAnalysis
    stacks: tuple[Stack, ...]
    """Every content of a cell that can come about, () first."""
    opaque: frozenset[Stack]
    """Stacks that a plan keeps away from: they hold what moves or acts by itself."""
    restless: frozenset[tuple[int, Stack]]
    """Avatar type and stack where staying has an effect of its own, so that a plan only passes through."""
    cases: tuple[Case, ...]
    immaterial: frozenset[Stack]
    """Stacks that are as good as an empty cell: what is there can be taken, but nothing depends on it."""
    avatars: tuple[int, ...]
    turns: bool
    """True if a press in a new direction only turns the avatar."""
    facing: tuple[int, int]
    """Direction (rows, columns) the avatar faces at the start."""
    resources: dict[int, int]
    """Resource that a rule asks for -> the number up to which units are counted."""
    wins: tuple[Ending, ...]
    losses: tuple[Ending, ...]

    @property
    def pushes(self) -> bool:
        """True if the game is one of pushing."""
        return any(case.pushes for case in self.cases)

    @property
    def locks(self) -> bool:
        """True if what the avatar is or holds opens the way."""
        return len(self.avatars) > 1 or bool(self.resources)


class _UnknownError(Exception):
    """The outcome of a move is not described by a case."""


@dataclass(slots=True, eq=False)
class _Sprite:
    type: int
    place: int
    last: int
    dead: bool = False
    pushed: bool = False


@dataclass(slots=True)
class _Move:
    """One run of the interaction set over three cells."""

    answers: list[bool]
    """Answers to questions about resources, in the order in which they are asked; those missing are yes."""
    sprites: list[_Sprite] = field(default_factory=list)
    guards: list[Guard] = field(default_factory=list)
    gains: dict[int, int] = field(default_factory=dict)
    asked: int = 0
    exit: int | None = None
    facing: tuple[int, int] | None = None
    reaches_beyond: bool = False

    def holds(self, resource: int, limit: int) -> bool:
        """Return whether the avatar holds at least `limit` units, as answered."""
        needed = limit - self.gains.get(resource, 0)
        for known in self.guards:
            if known.resource == resource and known.more and known.limit >= needed:
                return True
            if known.resource == resource and not known.more and known.limit <= needed:
                return False
        if needed <= 0 and not self.gains.get(resource, 0):
            return True
        if self.asked == len(self.answers):
            self.answers.append(True)
        answer = self.answers[self.asked]
        self.asked += 1
        self.guards.append(Guard(resource, needed, answer))
        return answer


def puzzle_rules(analysis: GameAnalysis) -> PuzzleRules:
    """The moves of a game, if it is one of pushing boxes or of keys and doors.

    >>> import pcg
    >>> from pcg.generators.levels import LevelContext
    >>> analysis = LevelContext.of(pcg.load("boxes")).analysis
    >>> [(analysis.names(c.front), c.stays) for c in puzzle_rules(analysis).cases[1:3]]
    [(('wall',), True), (('mark',), False)]

    Raises:
        PcgError: it is not; the message says what stands against it.
    """
    return _Reader(analysis).result()


class _Reader:
    """Carries out moves until no new content of a cell comes about."""

    def __init__(self, analysis: GameAnalysis) -> None:
        self.analysis = analysis
        self.definition: GameDefinition = analysis.definition
        self.types = self.definition.types
        self.covered = [frozenset(t.subtypes) for t in self.types]
        self.makers = {s.maker for s in analysis.sources if s.partner is None and s.consequence is None}
        self.asked: dict[int, int] = {}
        """Resource -> most units of it any rule asks for, apart from what the avatar can carry."""

    def result(self) -> PuzzleRules:
        analysis = self.analysis
        self._refuse_other_kinds()
        turns, facing = self._steering(analysis.start_avatars[0])
        start = {tuple(sorted(c for c in t.content if not analysis.has(c, "avatar"))) for t in analysis.tiles}
        stacks: list[Stack] = [(), *sorted(start - {()})]
        avatars = list(analysis.start_avatars)
        opaque = {s for s in stacks if not self._calm(s)}
        cases: dict[tuple[int, Stack, Stack | None], list[Case]] = {}
        grown = True
        while grown:
            grown = False
            known = [s for s in stacks if s not in opaque]
            for avatar in list(avatars):
                for front in known:
                    for case in self._moves(avatar, front, known, cases):
                        for new in (case.front_after, case.beyond_after):
                            if new is not None and new not in stacks:
                                stacks.append(new)
                                grown = True
                                if not self._calm(new):
                                    opaque.add(new)
                        if case.avatar_after not in avatars:
                            avatars.append(case.avatar_after)
                            grown = True
            if len(stacks) > MOST_STACKS:
                raise self._refusal(f"more than {MOST_STACKS} different contents of a cell can come about")
        found = tuple(
            self._within_counting(case)
            for group in cases.values()
            for case in group
            if case.front_after not in opaque
            and (case.beyond_after is None or case.beyond_after not in opaque)
            and not any(g.more and g.limit > self._counted(g.resource) for g in case.guards)
        )
        restless = frozenset((a, s) for a in avatars for s in stacks if s not in opaque and not self._rests(a, s))
        for avatar in avatars:
            self._refuse_avatar(avatar)
            if self._steering(avatar)[0] != turns:
                raise self._refusal("some avatars turn before they go and others do not")
        wins, losses = self._endings(found, avatars)
        limits = {r: self._counted(r) for r in sorted(self.asked)}
        matters = {t for e in (*wins, *losses) for t in e.types}
        immaterial = frozenset(
            s for s in stacks
            if s and s not in opaque and not matters.intersection(s) and _like_nothing(s, found)
            and not any((a, s) in restless for a in avatars)
        )  # fmt: skip
        found = tuple(c for c in found if c.front not in immaterial and c.beyond not in immaterial)
        return PuzzleRules(
            analysis, tuple(stacks), frozenset(opaque), restless, found, immaterial, tuple(avatars), turns, facing,
            limits, wins, losses,
        )  # fmt: skip

    def _counted(self, resource: int) -> int:
        """Return the number of units of a resource that a plan counts: none where only carrying it is limited."""
        asked = self.asked.get(resource, 0)
        return max(asked, min(MOST_HELD, self.types[resource].resource_limit)) if asked else 0

    def _within_counting(self, case: Case) -> Case:
        """The case without what lies beyond the units a plan counts."""
        guards = tuple(g for g in case.guards if g.limit <= self._counted(g.resource))
        return replace(case, guards=guards, gains=tuple((r, n) for r, n in case.gains if r in self.asked))

    # -- which games -------------------------------------------------------------------------------------------------

    def _refusal(self, reason: str) -> PcgError:
        return PcgError(
            f"this game cannot be planned move by move, which a bound on moves needs (games of pushing"
            f" boxes, of keys and doors, of things to fetch): {reason}"
        )

    def _refuse_other_kinds(self) -> None:
        analysis = self.analysis
        if analysis.mobility != "freely":
            raise self._refusal(f"the avatar does not move freely ({analysis.mobility})")
        if self.definition.time_effects:
            raise self._refusal(f"things happen by the clock (line {self._time_line()})")
        for avatar in analysis.start_avatars:
            self._refuse_avatar(avatar)

    def _refuse_avatar(self, avatar: int) -> None:
        sprite = self.types[avatar]
        if sprite.class_name not in STEPPING_CLASSES:
            raise self._refusal(f"the avatar is a {sprite.class_name}, which does not go step by step")
        speed, cooldown = sprite.params.get("speed", 1), first_number(sprite.params.get("cooldown"), 1)
        if speed not in (1, 1.0) or cooldown > 1 or sprite.params.get("physicstype", "GRID") != "GRID":
            raise self._refusal("the avatar does not go one cell in one tick")

    def _time_line(self) -> int:
        return self.definition.effects[self.definition.time_effects[0].effect].line

    def _steering(self, avatar: int) -> tuple[bool, tuple[int, int]]:
        """Return whether an avatar turns before it goes, and the direction it faces at first."""
        sprite = self.types[avatar]
        turns = sprite.class_name != "MovingAvatar" and flag(sprite.params, "rotateInPlace", True)
        orientation = sprite.params.get("orientation")
        columns, rows = orientation if isinstance(orientation, tuple) else (1, 0)
        return turns, (int(rows), int(columns))

    def _endings(self, cases: tuple[Case, ...], avatars: list[int]) -> tuple[tuple[Ending, ...], tuple[Ending, ...]]:
        changed: set[int] = set()
        for case in cases:
            before = [*case.front, *(case.beyond or ()), case.avatar]
            after = [*case.front_after, *(case.beyond_after or ()), case.avatar_after]
            changed |= {t for t in {*before, *after} if before.count(t) != after.count(t)}
        wins = tuple(e for e in self.analysis.wins if e.kind in ("vanish", "appear") and changed.intersection(e.types))
        if not wins:
            ways = "; ".join(self.analysis.how_to_win) or "there is no way to win"
            raise self._refusal(f"no move that can be foreseen leads to winning ({ways})")
        losses = []
        for ending in self.analysis.losses:
            if ending.kind == "timeout" or set(ending.types) <= set(avatars):
                continue  # a plan never harms the avatar, and its length is bounded anyway
            if ending.kind in ("vanish", "appear"):
                losses.append(ending)
        return wins, tuple(losses)

    # -- moves -------------------------------------------------------------------------------------------------------

    def _calm(self, stack: Stack) -> bool:
        """Return whether things in a cell neither act by themselves nor change one another."""
        for t in stack:
            if self.analysis.has(t, "mover") or t in self.makers or is_avatar(self.types[t]):
                return False
        if len(set(stack)) < len(stack):
            return False
        try:
            move = self._carry_out([_Sprite(t, FRONT, FRONT) for t in stack], [])
        except _UnknownError:
            return False
        return self._at(move, FRONT) == stack and not move.guards

    def _rests(self, avatar: int, stack: Stack) -> bool:
        """Return whether an avatar that stays in a cell with `stack` changes nothing."""
        try:
            sprites = [_Sprite(avatar, ORIGIN, ORIGIN), *(_Sprite(t, ORIGIN, ORIGIN) for t in stack)]
            move = self._carry_out(sprites, [])
        except _UnknownError:
            return False
        left = tuple(sorted(s.type for s in move.sprites if not s.dead))
        return left == tuple(sorted((avatar, *stack))) and not move.guards and not move.gains and move.exit is None

    def _moves(
        self, avatar: int, front: Stack, known: list[Stack],
        cases: dict[tuple[int, Stack, Stack | None], list[Case]],
    ) -> list[Case]:  # fmt: skip
        """All cases of entering `front`, worked out once for each content of the cell beyond that matters."""
        alone = cases.get((avatar, front, None))
        if alone is None and not any((avatar, front, b) in cases for b in ((), *known)):
            alone = self._cases(avatar, front, None)
            if alone is not None:
                cases[avatar, front, None] = alone
        if alone is not None:
            return alone
        found = []
        for beyond in known:
            key = (avatar, front, beyond)
            if key not in cases:
                cases[key] = self._cases(avatar, front, beyond) or []
            found += cases[key]
        return found

    def _cases(self, avatar: int, front: Stack, beyond: Stack | None) -> list[Case] | None:
        """The outcomes of one move; None when the cell beyond decides and `beyond` does not say what is there."""
        found: list[Case] = []
        for answers in self._ways():
            sprites = [_Sprite(avatar, FRONT, ORIGIN), *(_Sprite(t, FRONT, FRONT) for t in front)]
            sprites += [_Sprite(t, BEYOND, BEYOND) for t in beyond or ()]
            try:
                move = self._carry_out(sprites, answers)
                if move.reaches_beyond and beyond is None:
                    return None
                found.append(self._case(avatar, front, beyond, move))
            except _BeyondError:
                if beyond is None:
                    return None
            except _UnknownError:
                continue
        return found

    def _ways(self) -> Iterator[list[bool]]:
        """Lists of answers that a run extends; each next one changes the last answer that was yes."""
        answers: list[bool] = []
        while True:
            yield answers
            while answers and not answers[-1]:
                answers.pop()
            if not answers:
                return
            answers[-1] = False

    def _case(self, avatar: int, front: Stack, beyond: Stack | None, move: _Move) -> Case:
        hero = [s for s in move.sprites if is_avatar(self.types[s.type]) and not s.dead]
        if len(hero) != 1 or any(s.place == ORIGIN and s is not hero[0] and not s.dead for s in move.sprites):
            raise _UnknownError
        front_after, beyond_after = self._at(move, FRONT), self._at(move, BEYOND)
        for stack in (front_after, beyond_after):
            if len(set(stack)) < len(stack):
                raise _UnknownError
        gains = tuple(sorted((r, n) for r, n in move.gains.items() if n))
        return Case(
            avatar, front, beyond, tuple(move.guards), hero[0].place == ORIGIN, hero[0].type, front_after,
            None if beyond is None else beyond_after, gains, move.exit, move.facing,
        )  # fmt: skip

    def _at(self, move: _Move, place: int) -> Stack:
        found = (s.type for s in move.sprites if s.place == place and not s.dead and not is_avatar(self.types[s.type]))
        return tuple(sorted(found))

    # -- the interaction set ---------------------------------------------------------------------------------------

    def _carry_out(self, sprites: list[_Sprite], answers: list[bool]) -> _Move:
        move = _Move(answers, sprites)
        for pair in self.definition.pairs:
            firsts, seconds = self.covered[pair.first], self.covered[pair.second]
            for index in pair.effects:
                effect = self.definition.effects[index]
                snapshot = list(move.sprites)
                others = [s for s in snapshot if s.type in seconds]
                for a in [s for s in snapshot if s.type in firsts]:
                    hits = [b for b in others if b is not a and b.place == a.place]
                    for b in hits:
                        # The first must still live and touch; a second that is gone still acts (reference/loop 3.7).
                        if not a.dead and a.place == b.place:
                            self._execute(move, effect, a, b)
        return move

    def _execute(self, move: _Move, effect: Effect, a: _Sprite, b: _Sprite) -> None:
        if move.exit is not None:
            raise _UnknownError  # what happens on arrival is not told by these three cells
        if effect.name in IDLE_EFFECTS:
            return
        act = _EFFECTS.get(effect.name)
        if act is None:
            raise _UnknownError
        act(self, move, effect, a, b)

    def kill(self, sprite: _Sprite) -> None:
        """Take a sprite out of the game; a plan never lets that happen to the avatar."""
        if is_avatar(self.types[sprite.type]):
            raise _UnknownError
        sprite.dead = True

    def ask(self, move: _Move, resource: int, limit: int) -> bool:
        """Return whether the avatar holds so many units, a question that a plan has to answer."""
        self.asked[resource] = max(self.asked.get(resource, 0), limit)
        return move.holds(resource, limit)

    def resource_of(self, effect: Effect) -> int:
        """The resource an effect names."""
        found = type_ids(self.definition, effect.params.get("resource"))
        if not found:
            raise _UnknownError
        return found[0]


def _like_nothing(stack: Stack, cases: tuple[Case, ...]) -> bool:
    """Return whether every move onto `stack`, and every push, goes as onto an empty cell."""

    def moves(front: Stack) -> set[tuple[object, ...]]:
        return {
            (c.avatar, c.beyond, c.guards, c.stays, c.avatar_after, c.beyond_after, c.gains, c.exit, c.facing)
            for c in cases
            if c.front == front
        }

    if any(c.front == stack and c.front_after not in (stack, ()) for c in cases) or moves(stack) != moves(()):
        return False
    # A push onto it would have to leave what a push onto nothing leaves; what was there would be gone.
    return not any(c.pushes for c in cases)


class _BeyondError(_UnknownError):
    """Something was pushed, and nobody said onto what."""


# -- effects, each (reader, move, effect, first, second) after reference/effects 10 ------------------------------------


def _step_back(reader: _Reader, move: _Move, effect: Effect, a: _Sprite, b: _Sprite) -> None:
    if flag(effect.params, "pixelPerfect", False):
        raise _UnknownError
    a.place = a.last


def _undo_all(reader: _Reader, move: _Move, effect: Effect, a: _Sprite, b: _Sprite) -> None:
    excluded = type_ids(reader.definition, effect.params.get("notStype"))
    for sprite in move.sprites:
        if sprite.type not in excluded:
            sprite.place = sprite.last


def _bounce_forward(reader: _Reader, move: _Move, effect: Effect, a: _Sprite, b: _Sprite) -> None:
    if is_avatar(reader.types[a.type]):
        raise _UnknownError
    if b.place == b.last or a.pushed:
        return  # who stands still pushes nothing, and nothing is pushed twice in a tick
    if not is_avatar(reader.types[b.type]) or a.place == BEYOND:
        raise _UnknownError
    a.place, a.pushed = a.place + 1, True
    move.reaches_beyond = True


def _kill_sprite(reader: _Reader, move: _Move, effect: Effect, a: _Sprite, b: _Sprite) -> None:
    reader.kill(a)


def _kill_both(reader: _Reader, move: _Move, effect: Effect, a: _Sprite, b: _Sprite) -> None:
    reader.kill(a)
    reader.kill(b)


def _kill_if_alive(reader: _Reader, move: _Move, effect: Effect, a: _Sprite, b: _Sprite) -> None:
    if not b.dead:
        reader.kill(a)


def _kill_if_other_has_more(reader: _Reader, move: _Move, effect: Effect, a: _Sprite, b: _Sprite) -> None:
    limit, resource = first_number(effect.params.get("limit"), 0), reader.resource_of(effect)
    if not is_avatar(reader.types[b.type]):
        raise _UnknownError
    if reader.ask(move, resource, limit):
        reader.kill(a)
        if flag(effect.params, "subtract", False):
            move.gains[resource] = move.gains.get(resource, 0) - limit


def _kill_if_has_more(reader: _Reader, move: _Move, effect: Effect, a: _Sprite, b: _Sprite) -> None:
    if not is_avatar(reader.types[a.type]):
        raise _UnknownError
    if reader.ask(move, reader.resource_of(effect), first_number(effect.params.get("limit"), 0)):
        reader.kill(a)


def _kill_if_has_less(reader: _Reader, move: _Move, effect: Effect, a: _Sprite, b: _Sprite) -> None:
    if not is_avatar(reader.types[a.type]):
        raise _UnknownError
    if not reader.ask(move, reader.resource_of(effect), first_number(effect.params.get("limit"), 0) + 1):
        reader.kill(a)


def _transform_to(reader: _Reader, move: _Move, effect: Effect, a: _Sprite, b: _Sprite) -> None:
    found = type_ids(reader.definition, effect.params.get("stype"))
    if not found or any(reader.types[t].singleton for t in reader.types[found[0]].path):
        raise _UnknownError
    if is_avatar(reader.types[a.type]) != is_avatar(reader.types[found[0]]):
        raise _UnknownError
    move.sprites.append(_Sprite(found[0], a.place, a.last, pushed=a.pushed))
    a.dead = True
    if is_avatar(reader.types[a.type]) and reader.types[a.type].class_name != "MovingAvatar":
        # A new sprite that is oriented keeps its own orientation (reference/effects 10.11).
        orientation = reader.types[found[0]].params.get("orientation", (1, 0))
        if isinstance(orientation, tuple) and any(orientation) and not flag(effect.params, "forceOrientation", False):
            move.facing = int(orientation[1]), int(orientation[0])
    if flag(effect.params, "killSecond", False):
        reader.kill(b)


def _collect(reader: _Reader, move: _Move, effect: Effect, a: _Sprite, b: _Sprite) -> None:
    sprite = reader.types[a.type]
    if sprite.class_name not in ("Resource", "ResourcePack"):
        return
    if not is_avatar(reader.types[b.type]):
        raise _UnknownError
    named = type_ids(reader.definition, sprite.raw.get("resource_name"))
    resource = named[0] if named else a.type
    value = max(1, first_number(sprite.params.get("value"), 1))
    if move.holds(resource, reader.types[resource].resource_limit - value + 1):
        if value > 1 and not move.holds(resource, reader.types[resource].resource_limit):
            raise _UnknownError  # topped up by a part of its value
        return
    move.gains[resource] = move.gains.get(resource, 0) + value
    if flag(effect.params, "killResource", True):
        reader.kill(a)


def _change_resource(reader: _Reader, move: _Move, effect: Effect, a: _Sprite, b: _Sprite) -> None:
    if not is_avatar(reader.types[a.type]):
        raise _UnknownError
    resource, value = reader.resource_of(effect), first_number(effect.params.get("value"), 1)
    if value > 0 and move.holds(resource, reader.types[resource].resource_limit - value + 1):
        return
    if value < 0 and not reader.ask(move, resource, -value):
        raise _UnknownError  # the amount stops at 0
    move.gains[resource] = move.gains.get(resource, 0) + value
    if flag(effect.params, "killResource", False):
        reader.kill(b)


def _spawn(reader: _Reader, move: _Move, effect: Effect, a: _Sprite, b: _Sprite) -> None:
    found = type_ids(reader.definition, effect.params.get("stype"))
    prob = effect.params.get("prob", 1.0)
    certain = isinstance(prob, int | float) and prob >= 1
    if not found or not certain or any(reader.types[t].singleton for t in reader.types[found[0]].path):
        raise _UnknownError
    if is_avatar(reader.types[found[0]]):
        raise _UnknownError
    move.sprites.append(_Sprite(found[0], a.place, a.place))


def _teleport(reader: _Reader, move: _Move, effect: Effect, a: _Sprite, b: _Sprite) -> None:
    exits = type_ids(reader.definition, reader.types[b.type].raw.get("stype"))
    if not is_avatar(reader.types[a.type]) or not exits or reader.types[b.type].class_name != "Portal":
        raise _UnknownError
    move.exit = exits[0]


_EFFECTS: dict[str, Callable[[_Reader, _Move, Effect, _Sprite, _Sprite], None]] = {
    "stepBack": _step_back,
    "undoAll": _undo_all,
    "bounceForward": _bounce_forward,
    "killSprite": _kill_sprite,
    "killBoth": _kill_both,
    "killIfAlive": _kill_if_alive,
    "killIfOtherHasMore": _kill_if_other_has_more,
    "killIfHasMore": _kill_if_has_more,
    "killIfHasLess": _kill_if_has_less,
    "transformTo": _transform_to,
    "collectResource": _collect,
    "changeResource": _change_resource,
    "spawn": _spawn,
    "teleportToExit": _teleport,
}
"""Effects a plan can rely on. Every other one, where it would take place, makes the outcome unknown."""
