"""Names and colours after what sprites do: predators chase, berries are picked, fences are opened.

Search makes a truck something to be caught and a door something to be eaten. Names do not change what is played, but
they are what people read first, and the tile of a sprite follows its name (`pcg.render.tile_choice`). Here every sprite
type gets a name of a theme that fits its role: a forest, a dungeon, the sea or space.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256

from pcg.describe.noun_phrases import humanise, plural
from pcg.engine.vgdl import parse
from pcg.engine.vgdl.definition import GameDefinition
from pcg.engine.vgdl.formatter import dumps
from pcg.engine.vgdl.tree import Entry, Option, Section, SpriteLine, Tree
from pcg.evaluators.analysis import GameAnalysis, product_parameter
from pcg.evaluators.grounds import ground_types, types_everywhere
from pcg.evaluators.judging.game_kinds import CHASERS, sought
from pcg.minimise.rename import role_name, with_names
from pcg.render.tile_choice import KEYWORDS

ROLES: Mapping[str, str] = {
    "avatar": "played by the player",
    "wall": "stops the avatar, and stays",
    "floor": "lies under others",
    "chaser": "kills, and goes after the avatar",
    "wanderer": "kills, and wanders",
    "missile": "kills, and flies straight on",
    "hazard": "kills, and stands still",
    "fleeing": "is caught, and flees",
    "prey": "is caught, and moves",
    "bomber": "moves, and drops what kills",
    "thief": "takes what the player wants, and does no harm",
    "follower": "is led to where it disappears",
    "friend": "moves, and does no harm",
    "treasure": "is collected",
    "goal": "is reached to win",
    "key": "is needed for something else",
    "door": "stops the avatar until it is opened",
    "box": "is pushed",
    "place": "is where what is pushed disappears",
    "pen": "is where what moves disappears",
    "nest": "brings forth others",
    "portal": "leads to another place",
    "exit": "is that other place",
    "shot": "is shot by the avatar",
    "blow": "is struck by the avatar, beside it",
    "charge": "is laid by the avatar, and stays there",
    "trail": "is left behind by the avatar, and does no harm",
    "target": "is shot by the avatar, and stands still",
    "plain": "turns into something else that stands where the avatar touches it, and all of it has to",
    "painted": "is what that turns into",
    "waste": "loses the game where there is too much of it",
    "scenery": "stands about",
}
"""Roles of sprite types that names are for."""

THEMES = ("forest", "dungeon", "sea", "space")

NAMES: Mapping[str, tuple[str, str, str, str]] = {
    "avatar": ("fox", "knight", "submarine", "spaceship"),
    "wall": ("hedge tree", "brick stone", "stone brick", "block bunker"),
    "floor": ("grass", "floor", "water", "space"),
    "chaser": ("dog hunter wasp", "skeleton zombie guard", "shark octopus piranha", "ufo alien raider"),
    "wanderer": ("bee hedgehog spider", "bat ghost spider", "crab seasnake raider", "invader octopus bee"),
    "missile": (
        "boulder eagle log arrow",
        "fireball boulder bolt knife",
        "torpedo bomb log boulder",
        "asteroid rocket laser bolt",
    ),
    "hazard": ("campfire pit cactus", "lava trap flame", "whirlpool mine cactus", "lava explosion pit"),
    "fleeing": ("rabbit hen duck", "bandit goat rabbit", "fish whale bird", "scout rabbit alien"),
    "prey": ("butterfly chick mole", "slime snake worm", "fish worm crab", "worm visitor scout"),
    "bomber": ("eagle wasp bird", "dragon bat ghost", "raider crab shark", "alien raider ufo"),
    "thief": ("mole bird hedgehog", "bandit bat worm", "crab fish whale", "raider worm bee"),
    "follower": ("sheep goat chick", "zombie slime goat", "fish whale crab", "visitor alien worm"),
    "friend": ("bird goat sheep", "visitor king princess", "whale bird boat", "visitor bird ship"),
    "treasure": ("berry egg flower", "coin gem potion", "chest jewel coin", "crystal oxygen chip"),
    "goal": ("burrow flag", "exit chest", "outpost flag", "outpost base"),
    "key": ("key honey seed", "key torch potion", "key bottle lamp", "key chip lamp"),
    "door": ("fence bush", "door gate", "gate fence", "gate lock"),
    "box": ("crate log hay", "crate boulder hay", "barrel boulder log", "crate asteroid"),
    "place": ("hole pit", "hole pit", "whirlpool pit", "vortex hole"),
    "pen": ("den tunnel", "pit tunnel", "lair tunnel", "vortex tunnel"),
    "nest": ("hive nest den", "grave nest portal", "lair nest portal", "mothership hive portal"),
    "portal": ("den", "vortex portal", "whirlpool", "vortex"),
    "exit": ("arrival", "arrival", "arrival", "arrival"),
    "shot": ("seed pellet", "knife arrow", "torpedo", "bolt beam"),
    "blow": ("blade", "sword", "blade", "laser"),
    "charge": ("trap", "trap bomb", "bomb mine", "bomb mine"),
    "trail": ("flower", "candle", "plant", "flag"),
    "target": ("hay log", "barrel chest", "barrel mine", "asteroid bunker"),
    "plain": ("mark", "mark", "mark", "mark"),
    "painted": ("flower", "torch", "flag", "flag"),
    "waste": ("hay bones", "bones rock", "rock bones", "rock bones"),
    "scenery": ("hay tree boulder", "pillar bones candle", "rock plant bones", "turret rock bones"),
}
"""Names by role, one column for each of `THEMES`, the best first; they hold a word by which a tile is chosen."""

COLOURS: Mapping[str, str] = {
    "avatar": "ORANGE", "wall": "DARKGREEN", "floor": "GREEN", "chaser": "RED", "wanderer": "PINK",
    "missile": "LIGHTGRAY", "hazard": "LIGHTRED", "fleeing": "WHITE", "prey": "YELLOW", "friend": "LIGHTBLUE",
    "waste": "LIGHTGRAY", "trail": "WHITE", "plain": "WHITE", "painted": "GOLD",
    "bomber": "RED", "thief": "LIGHTBLUE", "follower": "WHITE", "pen": "DARKGRAY",
    "treasure": "GOLD",
    "goal": "LIGHTGREEN", "key": "YELLOW", "door": "BROWN", "box": "BROWN", "nest": "BROWN", "portal": "BLUE",
    "exit": "LIGHTBLUE", "shot": "WHITE", "blow": "WHITE", "charge": "WHITE", "scenery": "LIGHTGRAY",
    "target": "BROWN", "place": "DARKGRAY",
}  # fmt: skip
"""Colour by role, for views that draw no tiles."""
LOOKS = ("color", "img", "shrinkfactor")
"""Parameters that change what a sprite looks like, and nothing else."""
_OWN = ("avatar", "shot", "blow", "charge", "trail")
"""Roles that are named first: the player and what belongs to it."""
_WALLS = {
    "forest": ("DARKGREEN", "GREEN"),
    "dungeon": ("LIGHTGRAY", "GRAY"),
    "sea": ("GRAY", "BLUE"),
    "space": ("GRAY", "BLACK"),
}
"""Colours of wall and floor by theme."""


def theme_of(text: str) -> str:
    """Return a theme for a game; equal games have equal themes."""
    return THEMES[int.from_bytes(sha256(text.encode()).digest()[:4], "big") % len(THEMES)]


def dressed(
    text: str, definition: GameDefinition, analysis: GameAnalysis, theme: str = ""
) -> tuple[str, dict[str, str]]:
    """Return a game with names and colours after the roles of its sprites.

    Args:
        text: of the game.
        definition: of it.
        analysis: of it.
        theme: one of `THEMES`; by default one that depends on the text.

    Returns:
        The text, and old name -> new name.
    """
    theme = theme or theme_of(text)
    tree = parse(text)
    lines = [node for node in tree.walk() if isinstance(node, SpriteLine) and node.defines]
    roles = {t.name: role_of(t.id, analysis) for t in definition.types if t.line and t.leaf}
    names: dict[str, str] = {}
    taken = {t.name for t in definition.types if not t.line}
    seen: set[str | None] = set()
    lines.sort(key=lambda line: roles.get(line.name.text) not in _OWN)
    for line in lines:
        role = roles.get(line.name.text)
        words = _group(definition, line.name.text, roles) if role is None else _names(role, theme)
        borrowed = [] if role is None else [word for other in THEMES for word in _names(role, other)]
        fresh, other = (
            [word for word in listed if KEYWORDS.get(word) not in seen]  # two kinds should not look alike
            for listed in (words, borrowed)
        )
        choices = [*fresh, *words, *other, *(f"{word}{k}" for k in range(2, 20) for word in words)]
        names[line.name.text] = next(name for name in choices if name not in taken)
        taken |= {names[line.name.text], humanise(names[line.name.text])}  # no nest among the nests
        seen.add(KEYWORDS.get(names[line.name.text]))
    coloured = Tree(replace(tree.header, children=tuple(
        replace(s, children=tuple(_coloured(line, roles, theme) for line in s.children))
        if isinstance(s, Section) and s.identifier == "SpriteSet" else s
        for s in tree.header.children
    )), tree.after, tree.file)  # fmt: skip
    return with_names(parse(dumps(coloured)), names), names


def _names(role: str, theme: str) -> list[str]:
    """Names of a role in a theme, the best first."""
    return NAMES[role][THEMES.index(theme)].split()


def _coloured(line: Entry, roles: Mapping[str, str], theme: str) -> Entry:
    if not isinstance(line, SpriteLine):
        return line
    children = tuple(_coloured(child, roles, theme) for child in line.children)
    role = roles.get(line.name.text)
    kept = tuple(o for o in line.options if o.key not in LOOKS)
    if role is None:
        return replace(line, options=kept if children else line.options, children=children)
    colour = dict(zip(("wall", "floor"), _WALLS[theme], strict=True)).get(role, COLOURS[role])
    return replace(line, options=(*kept, Option("color", colour)), children=children)


def _group(definition: GameDefinition, name: str, roles: Mapping[str, str]) -> list[str]:
    """Names of a group of types."""
    members = (definition.types[u] for u in definition.types[definition.type_index[name]].subtypes)
    below = {roles.get(member.name, "") for member in members if member.leaf}
    if below == {"bomber"}:
        return ["fleet"]
    if len(below) == 1 and (role := next(iter(below))) in NAMES:
        return [plural(role)]
    if below <= {"chaser", "wanderer", "missile", "bomber"}:
        return ["enemies", "hunters"]
    return (
        ["creatures", "animals"]
        if below <= {"fleeing", "prey", "friend", "thief", "follower", "chaser", "wanderer", "missile"}
        else ["things"]
    )


def role_of(t: int, analysis: GameAnalysis) -> str:
    """Return the role of a type, a key of `ROLES`."""
    roles = analysis.roles.get(t, frozenset())
    sprite = analysis.definition.types[t]
    base = role_name(t, analysis.definition, analysis)
    name = sprite.class_name or ""
    if base == "avatar":
        return "avatar"
    if t in ground_types(analysis.definition) and not roles & {"harmful", "solid", "collectable", "goal"}:
        return "floor"
    pays = any(c.score > 0 for pair, found in analysis.meetings.items() if t in pair for c in found)
    if t in types_everywhere(analysis.definition) and not pays and not roles & {"harmful", "solid", "goal", "mover"}:
        return "floor"
    if base == "shot" or _shot(t, analysis):
        if name.endswith("Flicker") or "mover" in roles:
            return "blow" if name.endswith("Flicker") else "shot"
        return "charge" if "harmful" in roles or any(r.partner == t for r in analysis.removals) else "trail"
    if base == "spawner":
        return "nest"
    if base in ("portal", "exit", "box"):
        return base
    if "mover" not in roles and any(r.partner == t and analysis.has(r.victim, "pushable") for r in analysis.removals):
        return "place"
    if "mover" in roles:
        return _mover(name, roles, analysis, t)
    if "harmful" in roles:
        return "hazard"
    wanted = (r.victim for r in analysis.removals if r.partner == t)
    if not _shot(t, analysis) and any(analysis.has(v, "mover") and analysis.has(v, "goal") for v in wanted):
        return "pen"
    if not roles & {"collectable", "solid"} and any(e.kind == "appear" and t in e.types for e in analysis.losses):
        return "waste"
    if t in (pairs := _painted(analysis)):
        return "plain"
    if t in pairs.values() and not roles & {"goal", "collectable", "solid"}:
        return "painted"
    touched = any(
        analysis.has(r.partner, "avatar") for r in analysis.removals if r.victim == t and r.partner is not None
    )
    if "breakable" in roles and not touched and not roles & {"solid", "collectable"}:
        return "target"
    if base in ("key", "door", "wall"):
        return base
    if "goal" in roles and roles & {"collectable", "breakable", "resource"}:
        return "treasure"
    if base == "goal":
        return "goal"
    if roles & {"collectable", "resource"}:
        return "treasure"
    if "solid" in roles:
        return "wall"
    return "floor" if "background" in roles and not _prey(t, analysis) else "scenery"


def _prey(t: int, analysis: GameAnalysis) -> bool:
    """Return True where chasers walk towards sprites of a type, or flee from them."""
    types = analysis.definition.types
    named = {name for sprite in types if sprite.class_name in CHASERS for name in sought(sprite)}
    return any(types[above].name in named for above in types[t].path)


def _shot(t: int, analysis: GameAnalysis) -> bool:
    makers = [s.maker for s in analysis.sources if s.product == t and s.partner is None and s.consequence is None]
    return bool(makers) and all(
        analysis.has(m, "avatar") and product_parameter(analysis.definition.types[m]) for m in makers
    )


def _led(t: int, analysis: GameAnalysis) -> bool:
    """Return True where sprites of a type move and do no harm, and winning takes them away otherwise than by a touch of
    the avatar or a shot.
    """
    takers = {r.partner for r in analysis.removals if r.victim == t and r.partner is not None}
    moves = analysis.has(t, "mover") and analysis.has(t, "goal") and not analysis.has(t, "harmful")
    return moves and bool(takers) and not any(analysis.has(p, "avatar") or _shot(p, analysis) for p in takers)


def _painted(analysis: GameAnalysis) -> dict[int, int]:
    """Return what standing goals turn into that stands as well where the avatar touches them."""
    return {
        s.maker: s.product for s in analysis.sources
        if s.consumes_maker and s.partner in analysis.avatars and analysis.has(s.maker, "goal")
        and not any(analysis.has(t, role) for t in (s.maker, s.product) for role in ("mover", "harmful"))
        and not analysis.has(s.product, "goal")
    }  # fmt: skip


def _takes(t: int, analysis: GameAnalysis) -> bool:
    """Return True where sprites of a type take away what the player wants or has to keep."""
    wanted = {u for u, roles in analysis.roles.items() if roles & {"goal", "guarded", "collectable"}}
    return any(r.partner == t and r.victim in wanted - set(analysis.avatars) for r in analysis.removals)


def _mover(name: str, roles: frozenset[str], analysis: GameAnalysis, t: int) -> str:
    if "spawner" in roles and not name.startswith("Random"):
        drops = {s.product for s in analysis.sources if s.maker == t and s.partner is None}
        if any(analysis.has(product, "harmful") for product in drops):
            return "bomber"
    if "harmful" in roles:
        if name.endswith("Chaser") and not name.startswith("Random"):
            return "chaser"
        return "missile" if name.endswith("Missile") or t in analysis.drifts else "wanderer"
    if _led(t, analysis):
        return "follower"
    if not roles & {"goal", "collectable", "breakable", "resource"}:
        return "thief" if _takes(t, analysis) else "friend"
    return "fleeing" if name == "Fleeing" else "prey"
