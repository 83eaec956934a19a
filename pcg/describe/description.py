"""The parts of a description of a game: plain data, one field per section, every text a whole sentence."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any

ROLES = ("you", "shot", "hurts", "collect", "push", "passage", "goal", "wall", "other", "scenery")
"""The groups that things are told in, in this order; their headings are in the section `roles` of a language's file."""


@dataclass(frozen=True, slots=True)
class Control:
    """Keys and their meaning."""

    keys: str
    does: str


@dataclass(frozen=True, slots=True)
class Controls:
    """The keys of one avatar type."""

    avatar: str
    keys: tuple[Control, ...]


@dataclass(frozen=True, slots=True)
class Thing:
    """A sprite type of which sprites can be there."""

    name: str
    """As the sentences call it, "old brick"."""
    type: str
    """As the game calls it, "oldBrick"."""
    role: str
    """One of `ROLES`."""
    text: str
    """A phrase about its class and movement."""
    count: int | None = None
    """The number that the level starts with; None without a level."""


@dataclass(frozen=True, slots=True)
class Group:
    """Several things that rules speak of together."""

    name: str
    type: str
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """One sentence about what happens, made of one rule of the game or of several that make one thing up."""

    text: str
    first: str
    """Types of the game, separated by commas."""
    second: str
    """The same; "EOS" for the edge of the screen, "TIME" for timers."""
    effects: tuple[int, ...]
    """Indices into `GameDefinition.effects`."""
    lines: tuple[int, ...]
    """1-based lines of the game text."""


@dataclass(frozen=True, slots=True)
class Description:
    """A game in plain words. Lists are empty where there is nothing to say."""

    title: str
    summary: str
    controls: tuple[Controls, ...]
    things: tuple[Thing, ...]
    groups: tuple[Group, ...]
    meetings: tuple[Rule, ...]
    """Sentences about meetings of two things, and about the edge of the screen."""
    timers: tuple[Rule, ...]
    never: tuple[Rule, ...]
    """Rules that can never take effect, each with the reason."""
    win: tuple[str, ...]
    lose: tuple[str, ...]
    score: tuple[str, ...]
    resources: tuple[str, ...]
    level: str = ""
    """The level that was looked at, if any."""
    language: str = "en"
    """The code of the language of the sentences."""

    def __str__(self) -> str:
        # imported here because the layout imports this module
        return str(import_module("pcg.describe.layout").to_text(self)).rstrip("\n")

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON; English ones do not say their language."""
        data = asdict(self)
        if self.language == "en":
            del data["language"]
        return data

    def things_of(self, role: str) -> tuple[Thing, ...]:
        """The things of one role."""
        return tuple(thing for thing in self.things if thing.role == role)
