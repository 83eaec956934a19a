"""Descriptions of the keys, for every avatar class (reference/avatars 8).

The section `avatars.<class>` of a language's file has half a sentence about the class (`about`) and its keys, pairs of
an entry of the section `keys` and a template.
"""

from __future__ import annotations

from pcg.describe.description import Control
from pcg.describe.sprites import SpriteWording, common_notes, params_of
from pcg.describe.templates import fill
from pcg.describe.wording import Language, Names
from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.definition import SpriteType

_IN_TURN = ("left", "up", "right", "down", "space")
"""The keys of ShootOnlyAvatar, each for one thing that it shoots."""


def controls(sprite: SpriteType, names: Names) -> tuple[tuple[Control, ...], str]:
    """The keys of an avatar type, and what else is to be said about it."""
    name = sprite.class_name or ""
    spec = ontology.SPRITE_CLASSES[name]
    language = names.language
    p = params_of(sprite)
    wording = SpriteWording(sprite, names, p)
    told = language.words["avatars"].get(name)
    if name == "ShootOnlyAvatar":
        found = list(zip(_IN_TURN, wording.in_turn(), strict=False))
    elif told is not None:
        found = [(key, fill(does, wording)) for key, does in told["keys"]]
    else:
        shown = language.listed(_key(action, language) for action in spec.actions) or language.say("keys.none")
        does = language.sentence(language.say("avatar.does", name=name, help=spec.help))
        return (Control(shown, does),), _notes(wording)
    keys = tuple(Control(language.say(f"keys.{key}"), language.sentence(does)) for key, does in found)
    return keys, _notes(wording)


def _key(action: str, language: Language) -> str:
    return language.say(f"keys.{'space' if action == 'USE' else action.lower()}")


def _notes(wording: SpriteWording) -> str:
    language = wording.language
    notes = common_notes(wording)
    if rest := language.rest(wording.p):
        notes.append(rest)
    return language.sentences(language.sentence(note) for note in notes)


def briefly(sprite: SpriteType, names: Names) -> str:
    """Half a sentence about an avatar: "who moves in four directions and uses a knife"."""
    name = sprite.class_name or ""
    language = names.language
    told = language.words["avatars"].get(name)
    if told is None:
        return language.say("avatar.about", help=ontology.SPRITE_CLASSES[name].help) if name else ""
    return fill(told["about"], SpriteWording(sprite, names, params_of(sprite)))
