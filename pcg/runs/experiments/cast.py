"""The cast of a game: sprites that are there for the player, and no others.

Search leaves walk-on parts: visitors that wander about and meet nobody, pillars that only a visitor can fell. They
change nothing for the player, and yet a player looks at them and tries to find out what they are for. The same holds
for shots that hit nothing of any account, for what only they can hit, and for nests of walk-on parts. And where crates
and barrels are one and the same, players look for the difference.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, combinations_with_replacement, product, zip_longest

from pcg.engine.game import load
from pcg.engine.vgdl import parse
from pcg.engine.vgdl.chance import possible_types
from pcg.engine.vgdl.checker import check_game
from pcg.engine.vgdl.definition import GameDefinition, SpriteType
from pcg.engine.vgdl.formatter import dumps
from pcg.engine.vgdl.lint import CANNOT_BE, NEVER_APPEARS
from pcg.engine.vgdl.tree import Entry, MappingLine, Option, Section, SpriteLine, Tree, Word
from pcg.evaluators.analysis import GameAnalysis, analyse
from pcg.evaluators.grounds import ground_types
from pcg.evaluators.judging.game_kinds import CHASERS
from pcg.generators.rules.genes import EOS, Rule, RuleSet, Termination, replace_rules
from pcg.generators.rules.playability_repair import BUMPS
from pcg.minimise.parts import Cutter, sprites_in
from pcg.minimise.rename import with_names
from pcg.minimise.themes import LOOKS, role_of

_SHOTS = ("shot", "blow", "charge", "trail")
"""Roles of what an avatar makes."""
_WALK_ON = ("friend", "scenery", "floor", "nest", "target", *_SHOTS)
"""Roles of which walk-on parts are."""
_UNARMED: Mapping[str, str] = {
    "ShootAvatar": "MovingAvatar", "FlakAvatar": "HorizontalAvatar", "OngoingShootAvatar": "OngoingAvatar",
}  # fmt: skip
"""Avatars that shoot, and those that move alike and do not."""
_ARMING = ("stype", "ammo", "ammoCost", "minAmmo", "rotateInPlace")
"""Parameters of avatars that shoot, which others do not have."""
_STANDING = ("Immovable", "Passive", "Door")
"""Classes of sprites that do nothing by themselves."""
_THINGS = ("box", "treasure", "scenery", "hazard", "place", "target", "wall", "waste")
"""Roles of things of which a kind that all rules treat like another one only makes people look for a difference."""
_BOTH = ("killBoth", "killSecond")
"""Words of a rule that changes the second sprite as well."""


def with_cast(text: str, levels: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return a game and its levels without sprites that change nothing for the player, and without groups of one.

    Args:
        text: of the game.
        levels: level texts of it.

    Returns:
        The text and the levels, as they were where the checker finds more faults with what is left.
    """
    made = without_lone_groups(text)
    definition = load(made).definition
    analysis = analyse(definition)
    extras = walk_ons(RuleSet.of(made), definition, analysis)
    absent = absent_sprites(made)
    extras |= _without_ammunition(definition, analysis) | _without_exit(definition, absent)
    extras |= _only_under_avatars(made, levels, analysis) | _of_no_use(RuleSet.of(made), definition)
    alone = {names[0] for names in definition.mapping.values() if len(names) == 1}
    for gone in dict.fromkeys((frozenset(extras), frozenset(extras - alone))):  # what a tile is made of may be ground
        found = _without(made, levels, gone)
        if found is not None:
            return found
    return made, tuple(levels)


def _without(text: str, levels: Sequence[str], extras: Collection[str]) -> tuple[str, tuple[str, ...]] | None:
    """Return a game and its levels without these sprites; None where the checker finds more faults with what is left,
    or levels have characters that stand for nothing any more.
    """
    definition = load(text).definition
    analysis = analyse(definition)
    shots = {name for name in extras if role_of(definition.type_index[name], analysis) in _SHOTS}
    tree = unarmed(parse(text), shots)
    armed = {
        v for line in tree.walk() if isinstance(line, SpriteLine) for o in line.options for v in o.value.split(",")
    }
    gone = set(extras) - (shots & armed)
    smaller = Cutter(tree).text([part for part in sprites_in(tree) if part.text.split()[0] in gone])
    smaller = without_absent_sprites(smaller)  # as what the shots used up
    mapping = load(smaller).definition.mapping
    first: dict[tuple[str, ...], str] = {}
    for character in sorted(mapping, key=lambda c: mapping[c] != definition.mapping.get(c)):  # what it stood for before
        first.setdefault(tuple(mapping[character]), character)
    same = {ord(character): first[tuple(names)] for character, names in mapping.items()}
    smaller = with_characters(smaller, set(first.values()))
    known = set(mapping) | {"\n", " "}
    if better(smaller, text) != smaller or not set("".join(levels)) <= known:
        return None
    return smaller, tuple(level.translate(same) for level in levels)


def without_doubles(text: str, levels: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return a game in which of several kinds of things that all rules treat alike one is left, and its levels with it
    in place of the others.

    Args:
        text: of the game.
        levels: level texts of it.
    """
    passed: set[tuple[str, str]] = set()
    while left := [pair for pair in _doubles(text) if pair not in passed]:
        kept, double = left[0]
        passed.add(left[0])
        mapping = load(text).definition.mapping
        at = {tuple(names): character for character, names in mapping.items()}
        same = {
            character: at.get(tuple(kept if name == double else name for name in names), "")
            for character, names in mapping.items() if double in names
        }  # fmt: skip
        tree = parse(text)
        made = Cutter(tree).text([part for part in sprites_in(tree) if part.text.split()[0] == double])
        made = with_characters(made, mapping.keys() - same.keys())
        if "" not in same.values() and better(made, text) == made:
            swap = {ord(old): new for old, new in same.items()}
            text, levels = with_plain_goals(made), tuple(level.translate(swap) for level in levels)
    return text, tuple(levels)


def with_plain_goals(text: str) -> str:
    """Return a game whose terminations that count several kinds of sprites, of which one is left, count that one, and
    none counts a kind beside its group until nothing is left.
    """
    tree = parse(text)
    rules = RuleSet.of(tree)
    definition = load(text).definition
    index, types = definition.type_index, definition.types

    def plain(ending: Termination) -> Termination:
        counted = [value for key, value in ending.params if key.startswith("stype")]
        if ending.name != "MultiSpriteCounter" or not counted:
            return ending
        if (ending.get("limit") or "0") == "0":
            above = {name: {types[t].name for t in types[index[name]].path} for name in counted}
            counted = [name for name in dict.fromkeys(counted) if not (above[name] - {name}).intersection(counted)]
        others = tuple((key, value) for key, value in ending.params if not key.startswith("stype"))
        if len(counted) == 1:
            return Termination("SpriteCounter", (("stype", counted[0]), *others))
        return Termination(ending.name, (*((f"stype{k}", name) for k, name in enumerate(counted, 1)), *others))

    made = dumps(replace_rules(tree, RuleSet(rules.rules, tuple(map(plain, rules.terminations)))))
    return better(made, text)


def with_stops_of_boxes(text: str) -> str:
    """Return a game in which no kind of what is pushed goes onto another, where the rules stop some kinds at others."""
    definition = load(text).definition
    analysis = analyse(definition)
    tree = parse(text)
    rules = RuleSet.of(tree)
    pushed = [t.name for t in definition.types if t.line and t.leaf and analysis.has(t.id, "pushable")]
    below = {t.name: {definition.types[u].name for u in t.subtypes} for t in definition.types}
    met: dict[frozenset[str], set[str]] = {}
    for rule in rules.rules:
        for pair in product(*(below.get(name, {name}) & {*pushed} for name in rule.pair)):
            met.setdefault(frozenset(pair), set()).add(rule.effect)
    if not any("undoAll" in effects for effects in met.values()):
        return text
    pairs = (pair for pair in combinations_with_replacement(pushed, 2) if frozenset(pair) not in met)
    stops = tuple(Rule(*pair, "undoAll") for pair in pairs)
    made = dumps(replace_rules(tree, RuleSet((*rules.rules, *stops), rules.terminations)))
    return better(made, text) if stops else text


def with_stops_at_edges(text: str, levels: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return a game in which what is pushed stays on the map where the player does; with its levels, as they are.

    Args:
        text: of the game.
        levels: level texts of it.
    """
    definition = load(text).definition
    analysis = analyse(definition)
    tree = parse(text)
    rules = RuleSet.of(tree)
    below = {t.name: {definition.types[u].name for u in t.subtypes} for t in definition.types}
    at_edge = {name for rule in rules.rules if rule.second == EOS for name in below.get(rule.first, {rule.first})}
    held = all(definition.types[t].name in at_edge for t in analysis.start_avatars)
    free = [
        t.name for t in definition.types
        if t.line and t.leaf and analysis.has(t.id, "pushable") and t.name not in at_edge
    ]  # fmt: skip
    if not held or not free:
        return text, tuple(levels)
    stops = tuple(Rule(name, EOS, "undoAll") for name in free)
    made = dumps(replace_rules(tree, RuleSet((*rules.rules, *stops), rules.terminations)))
    return better(made, text), tuple(levels)


def _doubles(text: str) -> list[tuple[str, str]]:
    """Return the pairs of types of which the second is like the first in all but its looks."""
    definition = load(text).definition
    analysis = analyse(definition)
    rules = RuleSet.of(text)
    named = {name for rule in rules.rules for _, value in rule.params for name in value.split(",")}
    named |= {name for t in definition.types for value in t.raw.values() for name in value.split(",")}
    standing = [
        t for t in definition.types if t.line and t.leaf and t.class_name in _STANDING and t.name not in named
        and role_of(t.id, analysis) in _THINGS
    ]  # fmt: skip
    return [
        (one.name, other.name) for one, other in combinations(standing, 2)
        if _nature(one) == _nature(other)
        and _treated_alike(rules.rules, one.name, other.name)
        and all(_counted_alike(ending, one.name, other.name) for ending in rules.terminations)
    ]  # fmt: skip


def _nature(sprite: SpriteType) -> tuple[object, ...]:
    """Return what a type is but for its looks: its class, its groups, its parameters."""
    return sprite.class_name, sprite.path[:-1], {key: value for key, value in sprite.raw.items() if key not in LOOKS}


def _treated_alike(rules: Sequence[Rule], one: str, other: str) -> bool:
    """Return True where two types have the same rules with others, and with one another as each with itself."""
    found: dict[tuple[str, ...], set[Rule]] = {(one,): set(), (other,): set(), (one, one): set(), (other, other): set()}
    mixed: set[Rule] = set()
    back = (replace(r, first=r.second, second=r.first) for r in rules if r.effect == "undoAll" and not r.params)
    for rule in (*rules, *back):  # of an undone tick it does not matter who comes first
        names = tuple(name for name in rule.pair if name in (one, other))
        first, second = (one if name == other else name for name in rule.pair)
        (mixed if {*names} == {one, other} else found.setdefault(names, set())).add(
            replace(rule, first=first, second=second)
        )
    return found[(one,)] == found[(other,)] and found[(one, one)] == found[(other, other)] == mixed


def _counted_alike(ending: Termination, one: str, other: str) -> bool:
    """Return True for a termination that counts two types together, or neither."""
    counted = [value for key, value in ending.params if key.startswith("stype")]
    return counted.count(one) == counted.count(other) and (one not in counted or ending.name == "MultiSpriteCounter")


def _without_ammunition(definition: GameDefinition, analysis: GameAnalysis) -> set[str]:
    """Return the names of the types that avatars shoot with something that they never get any of."""
    given = {p for found in analysis.meetings.values() for c in found for p in c.products}
    given |= {first for (first, _), found in analysis.meetings.items() for c in found if c.kind == "collect"}
    index = definition.type_index
    shot: dict[str, bool] = {}
    for avatar in analysis.avatars:
        params = definition.types[avatar].raw
        for weapon, used in zip_longest(*(params.get(key, "").split(",") for key in ("stype", "ammo")), fillvalue=""):
            free = used not in index or not given.isdisjoint(definition.types[index[used]].subtypes)
            if weapon in index:
                shot[weapon] = shot.get(weapon, False) or free
    return {name for name, possible in shot.items() if not possible}


def _of_no_use(rules: RuleSet, definition: GameDefinition) -> set[str]:
    """Return the names of the resources that are only collected, for no points, and never asked for."""
    found = {t.name for t in definition.types if t.line and t.leaf and t.class_name == "Resource"}
    params = [rule.params for rule in rules.rules] + [ending.params for ending in rules.terminations]
    asked = {name for listed in params for _, value in listed for name in value.split(",")}
    asked |= {name for t in definition.types for value in t.raw.values() for name in value.split(",")}
    for rule in rules.rules:
        if rule.effect != "collectResource" or rule.get("scoreChange"):
            asked |= {*rule.pair}
        asked.add(rule.second)
    groups = {t.name for t in definition.types if not t.leaf and t.name in asked}
    return {name for name in found - asked if not groups & {definition.types[t].name for t in
            definition.types[definition.type_index[name]].path}}  # fmt: skip


def _only_under_avatars(text: str, levels: Sequence[str], analysis: GameAnalysis) -> set[str]:
    """Return the names of the types that can be pushed, that no end counts, and of which all there are lie where
    avatars start.
    """
    game = load(text, levels=levels)
    asked = {t for ending in analysis.endings for t in ending.types} | {s.product for s in analysis.sources}
    under: set[int] = set()
    elsewhere: set[int] = set()
    for placements in (game.read_level(level).placements for level in levels):
        starts = {(column, row) for t, column, row in placements if t in analysis.avatars}
        for t, column, row in placements:
            (under if (column, row) in starts else elsewhere).add(t)
    return {game.definition.types[t].name for t in under - elsewhere - asked if analysis.has(t, "pushable")}


def _without_exit(definition: GameDefinition, absent: Collection[str]) -> set[str]:
    """Return the names of the portals whose exits never appear."""
    index = definition.type_index
    found = set()
    for t in definition.types:
        if t.leaf and t.class_name == "Portal":
            exits = [index[name] for name in t.raw.get("stype", "").split(",") if name in index]
            below = (definition.types[u] for e in exits for u in definition.types[e].subtypes)
            if all(u.name in absent for u in below if u.leaf):
                found.add(t.name)
    return found


def with_quarry(text: str, levels: Sequence[str]) -> str:
    """Return a game in which who chases or flees from what is never there is said to wander, which is what it does.

    Args:
        text: of the game.
        levels: level texts of it.
    """
    game = load(text, levels=levels)
    definition = game.definition
    placed = {t for level in levels for t, _, _ in game.read_level(level).placements}
    there = possible_types(definition, placed)

    def absent(option: Option) -> bool:
        named = definition.type_index.get(option.value) if option.key == "stype" else None
        return named is not None and not there & set(definition.types[named].subtypes)

    def put(entry: Entry) -> Entry:
        children = tuple(map(put, entry.children))
        if not (isinstance(entry, SpriteLine) and any(map(absent, entry.options))):
            return replace(entry, children=children)
        if not (entry.classes and entry.classes[-1].text in CHASERS):
            return replace(entry, children=children)
        kept = tuple(o for o in entry.options if not absent(o))
        return replace(entry, classes=(Word("RandomNPC"),), options=kept, children=children)

    tree = parse(text)
    made = dumps(Tree(replace(tree.header, children=tuple(map(put, tree.header.children))), tree.after, tree.file))
    return better(made, text)


def without_absent_sprites(text: str) -> str:
    """Return a game without the sprites that never appear in it; one that has to stay for another's sake stays."""
    absent = absent_sprites(text)
    tree = parse(text)
    made = Cutter(tree).text([part for part in sprites_in(tree) if part.text in absent])
    return better(made, text) if absent else text


def absent_sprites(text: str) -> set[str]:
    """Return the names of the sprites that never appear in a game."""
    return {d.message.split("`")[1] for d in check_game(text) if d.message.endswith(NEVER_APPEARS)}


def better(made: str, text: str) -> str:
    """Return a game as it was made of another one, or that one where the checker finds fewer faults with it, or levels
    could hold all that they held.
    """
    found, before = check_game(made), check_game(text)
    lost = {d.message for d in found if CANNOT_BE in d.message} - {d.message for d in before}
    return made if not lost and len(found) <= len(before) else text


def with_characters(text: str, characters: Collection[str]) -> str:
    """Return a game whose mapping has only these characters."""

    def kept(entry: Entry) -> Entry:
        lines = (e for e in entry.children if not isinstance(e, MappingLine) or e.character.text in characters)
        return replace(entry, children=tuple(map(kept, lines)))

    tree = parse(text)
    return dumps(Tree(replace(tree.header, children=tuple(map(kept, tree.header.children))), tree.after, tree.file))


def without_lone_groups(text: str) -> str:
    """Return a game in which no group has a single member; rules name the member instead."""
    tree = parse(text)
    names: dict[str, str] = {}

    def flat(entry: Entry) -> Entry:
        if not isinstance(entry, SpriteLine):
            return entry
        entry = replace(entry, children=tuple(map(flat, entry.children)))
        if len(entry.children) != 1 or not isinstance(only := entry.children[0], SpriteLine):
            return entry
        own = {o.key for o in only.options}
        names[entry.name.text] = only.name.text
        handed = tuple(o for o in entry.options if o.key not in own)
        return replace(only, classes=only.classes or entry.classes, options=(*handed, *only.options))

    children = tuple(
        replace(s, children=tuple(map(flat, s.children)))
        if isinstance(s, Section) and s.identifier == "SpriteSet" else s
        for s in tree.header.children
    )  # fmt: skip
    if not names:
        return text
    for group, member in names.items():  # a group within a group of one
        names[group] = names.get(member, member)
    made = with_names(parse(dumps(Tree(replace(tree.header, children=children), tree.after, tree.file))), names)
    return better(made, text)


def unarmed(tree: Tree, shots: Collection[str]) -> Tree:
    """Return a game whose avatar shoots none of these shots, where there is an avatar that moves alike without."""

    def put(entry: Entry) -> Entry:
        if not isinstance(entry, SpriteLine):
            return replace(entry, children=tuple(map(put, entry.children)))
        children = tuple(map(put, entry.children))
        named = [word.text for word in entry.classes]
        if (
            len(named) == 1
            and named[0] in _UNARMED
            and any(o.key == "stype" and o.value in shots for o in entry.options)
        ):
            kept = tuple(o for o in entry.options if o.key not in _ARMING)
            entry = replace(entry, classes=(Word(_UNARMED[named[0]]),), options=kept)
        return replace(entry, children=children)

    return Tree(replace(tree.header, children=tuple(map(put, tree.header.children))), tree.after, tree.file)


def walk_ons(rules: RuleSet, definition: GameDefinition, analysis: GameAnalysis) -> set[str]:
    """Return the names of types that change nothing for the player: they do no harm, are no goal and no obstacle, and
    change no sprite but each other.
    """
    below: Mapping[str, set[str]] = {
        t.name: {definition.types[u].name for u in t.subtypes if definition.types[u].leaf} or {t.name}
        for t in definition.types
    }
    grounds = ground_types(definition)
    found = {
        t.name for t in definition.types
        if t.line and t.leaf and t.id not in grounds and role_of(t.id, analysis) in _WALK_ON
        and not analysis.roles.get(t.id, frozenset()) & {"goal", "guarded", "solid", "pushable"}
    }  # fmt: skip
    named = {
        (t.name, name) for t in definition.types if t.line for value in t.raw.values() for name in value.split(",")
        if not analysis.has(t.id, "avatar")
    }  # fmt: skip
    makers = {definition.types[t].name for t in analysis.concrete if analysis.has(t, "spawner")}
    players = {
        t.name for t in definition.types
        if t.line and t.leaf and role_of(t.id, analysis) in ("avatar", *_SHOTS)
    }  # fmt: skip
    while True:
        needed = {name for owner, name in named if owner not in found and name in found}
        needed |= {owner for owner, name in named if owner in found & makers and name in below and name not in found}
        for rule in rules.rules:
            first, second = (below.get(name, {name}) for name in rule.pair)
            scored = any(key == "scoreChange" for key, _ in rule.params)
            if (rule.effect not in BUMPS and first - found) or (scored and players & first):
                needed |= second & found
            if (any(word in str(rule) for word in _BOTH) and second - found) or (scored and players & second):
                needed |= first & found
            if not rule.effect.startswith("spawn"):  # litter that a touch leaves
                needed |= {v for _, value in rule.params for v in value.split(",") if v in found and not first <= found}
        if not needed:
            return found
        found -= needed
