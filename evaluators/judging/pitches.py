"""Pitches: a game in one sentence, told from its rules and levels: what is to be done, what stands in the way, and what
turns into what.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from pcg.engine.vgdl.definition import GameDefinition, Level
from pcg.evaluators.analysis import Source
from pcg.evaluators.judging.concepts import NUMBER, Concept, concept
from pcg.evaluators.judging.fleeting import fleeting
from pcg.evaluators.judging.game_kinds import MOVING, GameKinds, lasting, sought

_SOURCES = {"chasers": ("chaser",), "missiles": ("missile",), "wanderers": ("wanderer", "walker")}
_UNLOCKING = "killIfOtherHasMore"
"""Effect by which who holds enough of something takes something away."""
_DONE = {"shoot": "shot", "strike": "struck", "trap": "trapped"}
_TURNS = 2
"""Transformations that are told at most."""
_HERDS = frozenset({"sheep", "fish", "deer"})
"""Nouns of which one and several are the same; all others are of stuff, of which there is one."""


def pitch(kinds: GameKinds, levels: Sequence[Level], name: Callable[[str], str], plural: Callable[[str], str]) -> str:
    """Return a game in one sentence.

    Args:
        kinds: of the game's sprites.
        levels: read for it.
        name: name in sentences of a type.
        plural: more than one of it.

    >>> import pcg
    >>> from pcg.evaluators.judging.game_kinds import game_kinds
    >>> game = pcg.load("hunt")
    >>> levels = [game.read_level(0)]
    >>> pitch(game_kinds(game.definition, levels), levels, str, lambda noun: noun + "s")
    'Catch every hen and every chick while dogs chase you.'
    """
    about = concept(kinds, levels)
    said = _Words(kinds, name, plural)
    deed = _deed(about, said, levels)
    turns = said.turns()
    trouble = _trouble(about, said)
    if growing := said.growing(_targets(about, said)):
        named = said.several(growing)
        come = "comes" if len(growing) == 1 and named == said.one(growing[0]) else "come"
        trouble = f"{'' if about.danger == 'loss' else trouble} before any {named} {come} up".strip()
    line = " ".join(filter(None, [deed[0].upper() + deed[1:], trouble]))
    return "; ".join(filter(None, [line, listed(turns)])) + "."


def listed(words: Iterable[str]) -> str:
    """Return words as a list in a sentence, each once.

    >>> listed(["bats", "ghosts", "spiders"]), listed(["bats"])
    ('bats, ghosts and spiders', 'bats')
    """
    *most, last = dict.fromkeys(words) or [""]
    return f"{', '.join(most)} and {last}" if most else last


class _Words:
    """A game's sprites in words."""

    def __init__(self, kinds: GameKinds, name: Callable[[str], str], plural: Callable[[str], str]) -> None:
        self.kinds = kinds
        self.plural = plural
        self._name = name
        self._left = {
            self.one(ending.types[0]): ending.limit
            for ending in kinds.analysis.wins
            if ending.kind == "vanish" and ending.limit > 0 and len(ending.types) == 1
        }
        """Nouns of which some may be left for a win, and how many."""

    def one(self, t: int) -> str:
        """Return the name of a type, without the number that tells it from others of its kind."""
        return NUMBER.sub("", self._name(self.kinds.name(t)))

    def several(self, types: Iterable[int]) -> str:
        """Return types as a list in the plural."""
        return listed(self.plural(self.one(t)) for t in types)

    def every(self, noun: str) -> str:
        """Return all of what a noun names, or what has to go for a win: every key, all hay, all but one key."""
        if left := self._left.get(noun):
            return f"all but one {noun}" if left == 1 else f"all but {left} {self.plural(noun)}"
        return f"{'all' if self.plural(noun) == noun else 'every'} {noun}"

    def some(self, t: int) -> str:
        """Return the name of a type with an article, where it takes one."""
        noun = self.one(t)
        if self.plural(noun) == noun:
            return noun
        return f"an {noun}" if noun[:1] in "aeiou" else f"a {noun}"

    def growing(self, targets: Iterable[int]) -> list[int]:
        """Return the types, of those that have to be gone for a win, that nothing takes away once they have come up."""
        analysis = self.kinds.analysis
        gone = {t for ending in analysis.wins if ending.kind == "vanish" for t in ending.types}
        made = set(targets) & gone & {s.product for s in analysis.sources}
        placed = {t for level in self.kinds.levels for t, _, _ in level.placements}
        return sorted(made - {r.victim for r in analysis.removals} - placed)

    def _grown(self, product: int, maker: int) -> bool:
        """Return True where what stands brings forth, directly or not, sprites of a type that stand where it does."""
        analysis = self.kinds.analysis
        found, new = {maker}, {maker}
        while new:
            new = {s.product for s in analysis.sources if s.maker in new and s.consequence is None} - found
            found |= new
        return product in found - {maker} and not analysis.has(product, "mover") and product not in analysis.moved

    def hidden(self, t: int) -> bool:
        """Return True for a type of which nobody sees a sprite."""
        return bool(self.kinds.definition.types[t].params.get("invisible"))

    def verb(self, t: int) -> str:
        """Return what a player does to take sprites of a type away."""
        kinds, analysis = self.kinds, self.kinds.analysis
        takers = {r.partner for r in analysis.removals if r.victim == t and r.partner is not None}
        how = {kinds.kinds.get(p, "") for p in takers}
        moves = kinds.kinds[t] in MOVING or analysis.has(t, "mover")
        if "avatar" in how and not ("shot" in how and analysis.harms(t)):
            if _opened(kinds.definition, t):
                return "open"
            if self._stays(t):
                return "touch"
            return "close" if kinds.kinds[t] == "spawner" and not moves else "catch" if moves else "gather"
        if "shot" in how:
            shots = [p for p in takers if kinds.kinds.get(p) == "shot"]
            return self._how_shots_take(shots) if moves else "break"
        if any(analysis.has(p, "pushable") for p in takers):
            return "crush"
        return "get rid of"

    def _how_shots_take(self, shots: Sequence[int]) -> str:
        """Return what a player does with shots, blows, or what is left lying, to what moves."""
        names = [self.kinds.definition.types[p].class_name or "" for p in shots]
        if any(self.kinds.analysis.has(p, "mover") for p in shots):
            return "shoot"
        return "strike" if any(name.endswith("Flicker") for name in names) else "trap"

    def pushers(self, t: int) -> list[int]:
        """Return the types that are pushed, and that take sprites of a type away."""
        analysis = self.kinds.analysis
        found = {r.partner for r in analysis.removals if r.victim == t and r.partner is not None}
        return sorted(p for p in found if analysis.has(p, "pushable"))

    def lured(self, targets: Sequence[int]) -> bool:
        """Return True where all targets are dangers that go where something stands, and not otherwise."""
        kinds, analysis = self.kinds, self.kinds.analysis
        takers = {r.partner for r in analysis.removals if r.victim in targets and r.partner is not None}
        standing = all(not analysis.has(p, "mover") and not analysis.has(p, "pushable") for p in takers)
        moving = all(analysis.has(t, "mover") for t in targets)
        hunters = [p for p in takers if kinds.kinds.get(p) in ("avatar", "shot")]
        return bool(takers) and standing and moving and not hunters

    def _stays(self, t: int) -> bool:
        """Return True where the avatar turns sprites of a type into others that stand."""
        analysis = self.kinds.analysis
        return not analysis.has(t, "mover") and any(
            s.maker == t and s.consumes_maker and s.partner in analysis.avatars and not analysis.has(s.product, "mover")
            for s in analysis.sources
        )

    def takers(self, types: Iterable[int]) -> list[int]:
        """Return the types that move, the avatar and its shots left out, by which sprites of some types are gone."""
        kinds = self.kinds
        wanted = set(types)
        found = {r.partner for r in kinds.analysis.removals if r.victim in wanted}
        return sorted(p for p in found if p is not None and kinds.kinds.get(p) in MOVING)

    def places(self, types: Iterable[int]) -> list[int]:
        """Return the types that stand, by which sprites of some types are gone or turn into others."""
        kinds = self.kinds
        wanted = set(types)
        found = {r.partner for r in kinds.analysis.removals if r.victim in wanted and r.partner is not None}
        return sorted(p for p in found if kinds.kinds.get(p) not in (*MOVING, "avatar", "shot"))

    def held(self, targets: Iterable[int]) -> list[str]:
        """Return how many of which things the avatar has to hold to take sprites of some types away."""
        definition = self.kinds.definition
        found: dict[str, float] = {}
        for pair in (pair for pair in definition.pairs if pair.first in targets):
            for params in (definition.effects[e].params for e in pair.effects if _unlocks(definition, e)):
                held, limit = str(params.get("resource")), float(str(params.get("limit", 0)))
                if pair.second in self.kinds.analysis.avatars and held in definition.type_index and limit > 1:
                    found[self.one(definition.type_index[held])] = limit
        return [f"{limit:g} {self.plural(noun)}" for noun, limit in found.items()]

    def turns(self) -> list[str]:
        """Return what sprites turn into, in clauses."""
        kinds = self.kinds
        told: dict[tuple[str, str, str], dict[str, None]] = {}  # a change -> what brings it about, in order

        def tell(source: Source, how: str, partner: int) -> None:
            clause = self.some(source.maker), how, self.some(source.product)
            told.setdefault(clause, {})[self.some(partner)] = None

        for source in kinds.analysis.sources:
            if not source.consumes_maker or source.partner is None or source.product not in kinds.present:
                continue
            if source.maker not in kinds.present or kinds.kinds[source.maker] in ("avatar", "floor"):
                continue
            if self.one(source.maker) == self.one(source.product):  # names that a number alone tells apart
                continue
            if fleeting(kinds, source) or self.hidden(source.product) or self.hidden(source.maker):
                continue
            if kinds.kinds[source.maker] == "shot":
                tell(source, "that hits {}", source.partner)
                continue
            if kinds.kinds[source.product] == "floor" or source.partner not in kinds.present:
                continue
            kind = kinds.kinds.get(source.partner, "")
            pushed = kinds.analysis.has(source.maker, "pushable")
            moves = kinds.analysis.has(source.maker, "mover")
            how = "that you touch" if kind == "avatar" else None
            if kind == "shot":
                how = f"that is {_DONE[self._how_shots_take([source.partner])]}"
            if how is None and not moves and not pushed and self._grown(source.partner, source.maker):
                how = "in which {} comes up"
            if how is None:
                stands = kinds.kinds.get(source.partner) not in MOVING
                how = "that meets {}" if moves else "pushed into {}" if pushed and stands else "that {} gets at"
            tell(source, how, source.partner)
        clauses = (
            f"{what} {how.format(' or '.join(others))} turns into {into}" for (what, how, into), others in told.items()
        )
        return list(clauses)[:_TURNS]


def _opened(definition: GameDefinition, t: int) -> bool:
    """Return True where the avatar has to hold something to take sprites of a type away."""
    return any(_unlocks(definition, e) for pair in definition.pairs if pair.first == t for e in pair.effects)


def _unlocks(definition: GameDefinition, effect: int) -> bool:
    return definition.effects[effect].name == _UNLOCKING


def _targets(about: Concept, said: _Words) -> list[int]:
    """Return the types that the goal is about."""
    index = said.kinds.definition.type_index
    return [index[target] for target in about.targets if target in index]


def _deed(about: Concept, said: _Words, levels: Sequence[Level]) -> str:
    kinds = said.kinds
    targets = _targets(about, said)
    left = [t for t in targets if t not in said.growing(targets)]
    targets = left or targets
    taken = _taken(said, targets) or "get everything"
    every = listed(said.every(said.one(t)) for t in targets) or "everything"
    if about.goal == "survive":
        return f"stay alive for {min((e.limit for e in kinds.analysis.wins if e.kind == 'timeout'), default=0)} ticks"
    if about.goal == "escort":
        if any(kinds.analysis.has(t, "mover") for t in targets):
            return f"lead {every} into {listed(map(said.some, said.places(targets)[:1])) or 'its place'}"
        return f"lure {said.several(said.takers(targets)) or 'others'} to {every}"
    if targets and said.lured(targets):
        return f"lure {every} into {listed(map(said.some, said.places(targets)[:1])) or 'its end'}"
    if about.goal == "push":
        return taken if any(kinds.analysis.has(t, "mover") for t in targets) else _pushing(said, targets)
    if about.goal == "reach":
        first = listed(said.held(targets))
        return f"{f'gather {first} and ' if first else ''}get to the {listed(said.one(t) for t in targets) or 'goal'}"
    if about.goal == "race":
        return f"{taken} before {said.several(said.takers(targets)) or 'others'} can"
    if about.goal == "build":
        return f"make enough {said.several(targets[:1]) or 'things'}"
    return taken


def _taken(said: _Words, targets: Sequence[int]) -> str:
    """Return how sprites of some types are taken away, "" without any."""
    verbs: dict[str, list[str]] = {}
    for name in dict.fromkeys(map(said.one, targets)):  # of several of one name the first tells how
        target = next(t for t in targets if said.one(t) == name)
        verbs.setdefault(said.verb(target), []).append(said.every(name))
    return " and ".join(f"{verb} {listed(things)}" for verb, things in verbs.items())


def _pushing(said: _Words, targets: Sequence[int]) -> str:
    """Return what is pushed where, and what is to be done beside, for targets that stand."""
    kinds = said.kinds
    boxes = [t for t in targets if kinds.analysis.has(t, "pushable")]
    onto = [t for t in targets if t not in boxes and said.pushers(t)]
    if not boxes and not onto:  # something comes about where one stands
        pushed, onto = [t for t in kinds.present if kinds.analysis.has(t, "pushable")], list(targets)
    else:
        pushed = sorted({p for t in onto for p in said.pushers(t)})
    near = said.places(boxes)
    places = [said.some(t) for t in near if not kinds.analysis.has(t, "pushable")]
    clauses = []
    if boxes:
        what = listed(said.every(said.one(t)) for t in boxes)
        where = f"into {places[0]}" if places else f"against {said.some(near[0])}" if near else "to its place"
        clauses.append(f"push {what} {where}")
    if onto:
        every = listed(said.every(said.one(t)) for t in onto) or "its place"
        clauses.append(f"push {said.several(pushed)} onto {every}")
    clauses.append(_taken(said, [t for t in targets if t not in boxes and t not in onto]))
    return " and ".join(filter(None, clauses))


def _trouble(about: Concept, said: _Words) -> str:
    kinds = said.kinds
    harmful = kinds.dangers()
    harmful = tuple(t for t in harmful if not said.hidden(t)) or harmful
    going = [t for t in harmful if kinds.goes(t)]  # nests do not fly about
    those = [t for t in going if kinds.kinds[t] in _SOURCES.get(about.danger, ())]
    if about.danger == "places":  # a nest of what is deadly need not be so itself
        those, going = [t for t in harmful if kinds.analysis.has(t, "hazard")], []
    dangers = said.several(those or going or harmful)
    wanted = {said.one(t) for t in _targets(about, said) if t not in those}
    if about.danger == "places" and wanted & {said.one(t) for t in those}:  # names that a number alone tells apart
        dangers = f"{'' if len(those) > 1 else 'the '}other {dangers}"
    fly, wander = "fly about", "wander about"
    chase = _chase(said, _prey(kinds, those))
    if dangers not in _HERDS and dangers in {said.one(t) for t in harmful}:  # fire flies, bats fly
        fly, wander, chase = "flies about", "wanders about", _singular(chase)
    return {
        "chasers": f"while {dangers} {chase}", "missiles": f"while {dangers} {fly}",
        "wanderers": f"while {dangers} {wander}", "places": f"and do not step on {dangers}",
        "time": "before the time is up", "loss": _loss(said), "none": "",
    }[about.danger]  # fmt: skip


def _loss(said: _Words) -> str:
    """Return what must not come to pass where no harm is done to the avatar, "" where there is no such thing."""
    analysis = said.kinds.analysis
    for ending in analysis.losses:
        types = [t for t in ending.types if t in said.kinds.present]
        if not types or set(types) <= set(analysis.avatars) or lasting(analysis, ending, said.kinds.levels):
            continue
        names = said.several(types)
        if ending.kind == "appear":
            return f"before there are {ending.limit} {names}"
        if ending.kind == "vanish" and ending.limit > 0:
            return f"and keep more than {ending.limit} {names}"
        if ending.kind == "vanish":
            alone = len(dict.fromkeys(map(said.one, types))) == 1
            return f"before the last {said.one(types[0]) if alone else f'of {names}'} is gone"
    return ""


def _chase(said: _Words, prey: Sequence[int] | None) -> str:
    """Return what chasers do to their prey, by `_prey`."""
    if prey is None:
        return "chase you"
    if not prey:  # nothing to walk towards
        return "wander about"
    runs = any(said.kinds.analysis.has(t, "mover") for t in prey)
    return f"{'chase' if runs else 'go for'} {said.several(prey)}"


def _singular(clause: str) -> str:
    """Return a clause with its verb, which stands first, in the singular."""
    verb, _, rest = clause.partition(" ")
    return f"{verb}{'es' if verb == 'go' else 's'} {rest}"


def _prey(kinds: GameKinds, chasers: Sequence[int]) -> list[int] | None:
    """Return the types that chasers walk towards, None where one of them walks towards the avatar."""
    definition = kinds.definition
    named = [name for t in chasers for name in sought(definition.types[t])]
    found = [definition.type_index[name] for name in named if name in definition.type_index]
    avatars = kinds.analysis.avatars
    if not found or any(set(definition.types[a].path) & set(found) for a in avatars):
        return None
    return [t for t in dict.fromkeys(found) if t in kinds.present and kinds.kinds[t] != "floor"]
