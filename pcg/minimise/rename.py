"""Names for sprite types that say what they are for: `avatar`, `wall`, `enemy1`, `coin`, `key`, `door`, `goal`.

They come from class, role and rules (`pcg.evaluators.analysis`), never collide, and never mean anything else to the
language. Only names change: characters of levels stay what they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import replace

from pcg.engine.vgdl.definition import GameDefinition
from pcg.engine.vgdl.formatter import dumps
from pcg.engine.vgdl.tree import (
    Entry,
    Header,
    InteractionLine,
    MappingLine,
    Option,
    Section,
    SpriteLine,
    TerminationLine,
    Tree,
    Word,
)
from pcg.engine.vgdl.values import convert
from pcg.evaluators.analysis import GameAnalysis
from pcg.minimise.parts import references

_PREDEFINED = ("wall", "avatar")
_OTHERWISE = {"wall": "block", "avatar": "hero"}


def rename(
    tree: Tree, definition: GameDefinition, analysis: GameAnalysis, *, predefined: bool = True
) -> tuple[str, dict[str, str]]:
    """A game with names that say what its sprite types are for.

    Args:
        tree: of the game, or of what is left of it.
        definition: the game.
        analysis: of the game.
        predefined: whether `wall` and `avatar` may be given, which every game has: a type that gets such a name takes
            the place of the predefined one, which can change the order in which sprites act.

    Returns:
        The text, and old name -> new name of every type with a line of its own.
    """
    left = {node.name.text for node in tree.walk() if isinstance(node, SpriteLine) and node.defines}
    names = new_names(definition, analysis, predefined=predefined, left=left)
    return with_names(tree, names), names


def with_names(tree: Tree, names: Mapping[str, str]) -> str:
    r"""Return the text of a game with other names for its sprite types.

    Args:
        tree: of the game.
        names: old name -> new name; types that are not among them keep theirs.

    >>> from pcg.engine.vgdl import parse
    >>> game = "BasicGame\n SpriteSet\n  a > Missile\n InteractionSet\n  a wall > transformTo stype=a\n"
    >>> print(with_names(parse(game), {"a": "arrow"}).split("InteractionSet")[1].strip())
    arrow wall > transformTo stype=arrow
    """
    keys = references()

    def word(w: Word) -> Word:
        return replace(w, text=names.get(w.text, w.text))

    def option(o: Option) -> Option:
        if o.key not in keys:
            return o
        return replace(o, value=",".join(names.get(n, n) for n in o.value.split(",")))

    def entry(node: Entry) -> Entry:
        if isinstance(node, SpriteLine):
            return replace(
                node, name=word(node.name), options=tuple(map(option, node.options)),
                children=tuple(map(entry, node.children)),
            )  # fmt: skip
        if isinstance(node, InteractionLine):
            return replace(
                node, first=word(node.first), seconds=tuple(map(word, node.seconds)),
                options=tuple(map(option, node.options)),
            )  # fmt: skip
        if isinstance(node, TerminationLine):
            return replace(node, options=tuple(map(option, node.options)))
        if isinstance(node, MappingLine):
            return replace(node, names=tuple(map(word, node.names)))
        if isinstance(node, Section):
            return replace(node, children=tuple(map(entry, node.children)))
        return node

    header: Header = replace(
        tree.header, options=tuple(map(option, tree.header.options)), children=tuple(map(entry, tree.header.children))
    )
    return dumps(Tree(header, tree.after, tree.file))


def new_names(
    definition: GameDefinition, analysis: GameAnalysis, *, predefined: bool = True, left: Collection[str] | None = None
) -> dict[str, str]:
    """Old name -> new name, for every type that the game defines, or those of them in `left`."""
    bases = {t.id: role_name(t.id, definition, analysis) for t in definition.types if t.line and t.leaf}
    for t in definition.types:
        if t.line and not t.leaf:
            below = [bases[u] for u in t.subtypes if u in bases and t.id in definition.types[u].path]
            bases[t.id] = _group(below)
    # where nothing better is known, a type keeps its name
    names = {definition.types[t].name: definition.types[t].name for t, base in bases.items() if base in _UNKNOWN}
    bases = {t: base for t, base in bases.items() if base not in _UNKNOWN}
    if left is not None:
        names = {name: name for name in names if name in left}
        bases = {t: base for t, base in bases.items() if definition.types[t].name in left}
    if not predefined:
        bases = {t: _OTHERWISE.get(base, base) for t, base in bases.items()}
    often = Counter(bases.values())
    # undefined predefined types keep their names, which are then nobody else's
    taken = {t.name for t in definition.types if not t.line} | (set(_PREDEFINED) - set(left) if left else set())
    taken |= set(names)
    numbers: Counter[str] = Counter()
    for kind in sorted(bases):
        base = bases[kind]
        own = predefined and base in _PREDEFINED and base not in names
        if often[base] == 1 and (base not in taken or own):
            names[definition.types[kind].name] = base
            continue
        while True:
            numbers[base] += 1
            name = f"{base}{numbers[base]}"
            if name not in bases.values() and name not in taken and convert("", name)[0] == "text":
                break
        names[definition.types[kind].name] = name
    return names


_UNKNOWN = ("thing", "things", "group")

_GROUPS: Mapping[str, str] = {
    "avatar": "avatars", "wall": "walls", "enemy": "enemies", "hazard": "hazards", "coin": "coins", "key": "keys",
    "door": "doors", "goal": "goals", "box": "boxes", "shot": "shots", "spawner": "spawners", "portal": "portals",
    "exit": "exits", "floor": "floors", "item": "items", "creature": "creatures", "thing": "things",
}  # fmt: skip


def _group(below: list[str]) -> str:
    kinds = set(below)
    if len(kinds) == 1:
        return _GROUPS.get(below[0], "group")
    return "movers" if kinds <= {"avatar", "enemy", "creature", "shot", "avatars", "enemies"} else "group"


def role_name(t: int, definition: GameDefinition, analysis: GameAnalysis) -> str:
    """The purpose of one type."""
    roles = analysis.roles.get(t, frozenset())
    sprite = definition.types[t]
    if "avatar" in roles:
        return "avatar"
    makers = [s.maker for s in analysis.sources if s.product == t and s.partner is None and s.consequence is None]
    if any(analysis.has(m, "avatar") for m in makers) and "harmful" not in roles:
        return "shot"
    if "spawner" in roles and "mover" not in roles:
        return "spawner"
    if sprite.class_name == "Portal" or _enters(t, analysis):
        return "portal"
    if "exit" in roles:
        return "exit"
    if "harmful" in roles:
        if makers and any(not analysis.has(m, "avatar") for m in makers) and sprite.class_name == "Missile":
            return "bomb"
        return "hazard" if "hazard" in roles else "enemy"
    if "pushable" in roles:
        return "box"
    needed = {
        c.holding.resource
        for found in (*analysis.meetings.values(), *analysis.edges.values())
        for c in found
        if c.holding is not None and c.holding.more and c.kind != "spawn"
    }
    if t in needed or _opens(t, analysis):
        return "key"
    if "solid" in roles:
        return "door" if roles & {"gate", "goal"} else "wall"
    if "goal" in roles:
        return "creature" if "mover" in roles else "goal"
    if "resource" in roles or "collectable" in roles:
        scores = any(c.score > 0 for (a, b), found in analysis.meetings.items() if t in (a, b) for c in found)
        return "coin" if scores else "item"
    if "mover" in roles:
        return "creature"
    return "floor" if "background" in roles else "thing"


def _opens(t: int, analysis: GameAnalysis) -> bool:
    """Return True when it turns the avatar into one that removes what the avatar before could not."""
    for (a, b), found in analysis.meetings.items():
        if b != t or not analysis.has(a, "avatar"):
            continue
        for new in (p for c in found if c.kind == "transform" for p in c.products if analysis.has(p, "avatar")):
            before = {r.victim for r in analysis.removals if r.partner == a}
            if any(r.victim not in before for r in analysis.removals if r.partner == new):
                return True
    return False


def _enters(t: int, analysis: GameAnalysis) -> bool:
    return any(c.kind == "teleport" for (_, b), found in analysis.meetings.items() if b == t for c in found)
