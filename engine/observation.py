"""Observations of a state by a player: the reference's state API (reference/state 6), for one player or two.

A `StateObservation` reads a state, and is a function of that state alone. Where the reference's answers depend on how
an observation object came about, this is the answer that a fresh copy gives there (`docs/observations.md`). Objects
here, arrays in `pcg.engine.arrays`, the learning track's JSON in `pcg.engine.observation_json`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pcg.engine.arrays import sprite_table
from pcg.engine.kernel import layout as L
from pcg.engine.kernel.ids import ACTIONS
from pcg.engine.outcome import CATEGORIES, Event, Outcome
from pcg.engine.vgdl.diagnostics import PcgError

if TYPE_CHECKING:
    from pcg.engine.state import State

NOWHERE = (-1, -1)
"""Position that the reference answers where there is none."""

NIL = ACTIONS[0]

Point = tuple[float, float]

_WITH_NIL: dict[str, tuple[str, ...]] = {"ShootOnlyAvatar": ("USE", "LEFT", "RIGHT", "DOWN", "UP", NIL)}
"""Classes whose list with NIL is not their own list and NIL (reference/avatars 8.2)."""

_TYPE_CATEGORIES = tuple(enumerate((L.T_AVATAR, L.T_RESOURCE, L.T_PORTAL, L.T_NPC, L.T_STATIC)))
"""Categories that a sprite has by its type, and their flags; the first that is set counts."""
_FROM_AVATAR, _MOVABLE = CATEGORIES.index("from-avatar"), CATEGORIES.index("movable")
BY_MAKER, HIDDEN = -1, -2
"""In place of a type's category: each sprite's own, by who made it; no observation shows it."""


class Observation(NamedTuple):
    """One sprite as a player sees it (reference/state 6.5)."""

    category: int
    """Index into `pcg.engine.state.CATEGORIES`."""
    type: int
    id: int
    position: tuple[int, int]
    """Top-left corner in pixels."""
    reference: Point
    """The point that `square_distance` is measured from."""
    square_distance: float


Grid = list[list[list[Observation]]]


def _distance(seen: Observation) -> float:
    return seen.square_distance


class StateObservation:
    """A player's view of a state.

    Args:
        state: what to look at. The view follows it: after `state.advance` it tells of the new moment.
        player: 0 or 1.

    Raises:
        PcgError: the game has no such player.

    >>> import pcg
    >>> view = pcg.load("boxes").start(level=0, seed=1).observe()
    >>> view.available_actions(), view.tick
    (('LEFT', 'RIGHT', 'DOWN', 'UP'), 0)
    """

    def __init__(self, state: State, player: int = 0) -> None:
        if not 0 <= player < state.game.players:
            raise PcgError(f"{state.game.name} has no player {player}, expected 0 to {state.game.players - 1}")
        self.state = state
        self.player = player
        self._tables = state.context.tables

    def __repr__(self) -> str:
        return f"<player {self.player}'s view of {self.state!r}>"

    def _mine(self, values: Any) -> Any:
        """The player's part of a property that is a pair in two-player games."""
        return values if self.players == 1 else values[self.player]

    # --- the game ---

    @property
    def players(self) -> int:
        """Number of players."""
        return self._tables.players

    @property
    def block_size(self) -> int:
        """Pixels per cell."""
        return self.state.block_size

    @property
    def world_size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self.state.width * self.block_size, self.state.height * self.block_size

    @property
    def tick(self) -> int:
        """Number of ticks played, which is the number of the tick that the next action belongs to."""
        return self.state.tick + 1

    @property
    def score(self) -> float:
        """The player's score so far; a winner's last correction (reference/loop 3.10) is not in it."""
        return float(self._mine(self.state.score))

    @property
    def winner(self) -> Outcome:
        """Outcome of the player."""
        return Outcome(self._mine(self.state.winner))

    @property
    def winners(self) -> tuple[Outcome, ...]:
        """Outcome of each player."""
        found = self.state.winner
        return (found,) if self.players == 1 else tuple(found)

    @property
    def is_game_over(self) -> bool:
        """True when all players have won or lost. `State.is_over` is also true for games ended by ESCAPE."""
        return all(w is not Outcome.NO_WINNER for w in self.winners)

    # --- the avatar ---

    def _avatar(self) -> Any:
        """The record of the player's avatar, None when there is none."""
        slot = int(getattr(self.state.header, f"avatar{self.player}"))
        return None if slot < 0 else self.state.context.moving(self.state.address)[slot]

    def available_actions(self, *, nil: bool = False) -> tuple[str, ...]:
        """Names of the avatar's actions in its class's order, empty when the game is over or there is no avatar.

        With `nil` the list that the reference calls "with NIL", in its own order: ShootOnlyAvatar's differs, and
        NullAvatar, whose one action is NIL, names it twice.
        """
        avatar = self._avatar()
        if avatar is None or self.state.is_over:
            return ()
        kind = int(avatar["type"])
        names = tuple(ACTIONS[code] for code in self._tables.actions[kind]) or (NIL,)
        if not nil:
            return names
        name = self._tables.definition.types[kind].class_name or ""
        return _WITH_NIL.get(name, (*names, NIL))

    @property
    def avatar_position(self) -> tuple[int, int]:
        """Top-left corner of the avatar in pixels; (-1, -1) when the game is over or there is no avatar."""
        avatar = self._avatar()
        return NOWHERE if avatar is None or self.state.is_over else (int(avatar["x"]), int(avatar["y"]))

    @property
    def avatar_orientation(self) -> Point:
        """The avatar's direction; (-1, -1) when the game is over or there is no avatar."""
        avatar = self._avatar()
        return NOWHERE if avatar is None or self.state.is_over else (float(avatar["ox"]), float(avatar["oy"]))

    @property
    def avatar_speed(self) -> float:
        """The avatar's speed; 0 when the game is over or there is no avatar."""
        avatar = self._avatar()
        return 0.0 if avatar is None or self.state.is_over else float(avatar["speed"])

    @property
    def avatar_type(self) -> int:
        """Type id of the avatar, -1 when there is none."""
        avatar = self._avatar()
        return -1 if avatar is None else int(avatar["type"])

    @property
    def avatar_health(self) -> int:
        """The avatar's health points, 0 when there is none."""
        avatar = self._avatar()
        return 0 if avatar is None else int(avatar["hp"])

    @property
    def avatar_max_health(self) -> int:
        """The most health points the avatar has had room for, 0 when there is none."""
        avatar = self._avatar()
        return 0 if avatar is None else int(avatar["max_hp"])

    @property
    def avatar_limit_health(self) -> int:
        """The limit that `avatar_max_health` may grow to, 0 when there is no avatar."""
        kind = self.avatar_type
        return 0 if kind < 0 else int(self._tables.types[kind]["limit_hp"])

    @property
    def is_avatar_alive(self) -> bool:
        """True when there is an avatar that is not disabled."""
        avatar = self._avatar()
        return avatar is not None and not int(avatar["bits"]) & L.DISABLED

    @property
    def avatar_last_action(self) -> str:
        """The action that the avatar last acted on; NIL at first. What it cannot do has counted as NIL."""
        return ACTIONS[int(getattr(self.state.header, f"action{self.player}"))]

    @property
    def avatar_resources(self) -> dict[int, int]:
        """Amounts by resource type id, ascending; entries of amount 0 remain."""
        avatar = self._avatar()
        return {} if avatar is None else self.state.resources_of(avatar)

    # --- events ---

    @property
    def events(self) -> list[Event]:
        """Collisions of the avatars, and of what they made, since the start (reference/state 6.4).

        By tick, then those of things made by the avatar first, then by passive and active type id. Of several alike in
        these, a tick keeps only the first.
        """
        return self.state.events

    # --- sprites ---

    def _seen(self, reference: Point = NOWHERE) -> Iterator[Observation]:
        """Every sprite of a type that is not hidden, by type id, then in the order of its group."""
        x0, y0 = reference
        for category, kind, sprite, x, y in self.told(sprite_table(self.state)):
            distance = float((x - x0) ** 2 + (y - y0) ** 2)
            yield Observation(category, kind, sprite, (x, y), reference, distance)

    def told(self, table: Any) -> Iterator[tuple[int, int, int, int, int]]:
        """Category, type, id, x and y of those records of sprites whose type is not hidden, in their order."""
        categories = np.array(self.categories_of_types())[table["type"]]
        shown = categories != HIDDEN
        if not shown.all():
            table, categories = table[shown], categories[shown]
        by_maker = np.where(table["bits"] & L.FROM_AVATAR, _FROM_AVATAR, _MOVABLE)
        columns = [
            np.where(categories == BY_MAKER, by_maker, categories),
            *(table[name] for name in ("type", "id", "x", "y")),
        ]
        return zip(*(column.tolist() for column in columns), strict=True)

    def categories_of_types(self) -> list[int]:
        """For every type the category of its sprites, `BY_MAKER` or `HIDDEN`."""
        bits = self._tables.types["bits"]
        found = np.full(len(bits), BY_MAKER)
        for number, flag in reversed(_TYPE_CATEGORIES):
            found[bits & flag != 0] = number
        found[bits & L.T_HIDDEN != 0] = HIDDEN
        return found.tolist()

    def by_category(self, reference: Point | None = None) -> list[list[list[Observation]]]:
        """`sprites_in` for every category, in the order of `pcg.engine.state.CATEGORIES`."""
        groups: dict[int, list[Observation]] = {}
        for seen in self._seen(NOWHERE if reference is None else reference):
            groups.setdefault(seen.type, []).append(seen)
        found: list[list[list[Observation]]] = [[] for _ in CATEGORIES]
        for group in groups.values():
            for category in sorted({seen.category for seen in group}):
                found[category].append(group if reference is None else sorted(group, key=_distance))
        return found

    def sprites_in(self, category: int | str, reference: Point | None = None) -> list[list[Observation]]:
        """The sprites of a category: one list per type that has any, by type id ascending.

        Args:
            category: a name or index of `pcg.engine.state.CATEGORIES`.
            reference: a point in pixels; then each list is sorted by distance to it, the order of the group deciding
                between equals.

        A type of which some sprites belong to the category and some do not (some made by the avatar, some not) is
        listed with all of them. No type: an empty list, where the reference answers null.
        """
        if category not in CATEGORIES and category not in range(len(CATEGORIES)):
            raise PcgError(f"unknown category `{category}`, expected one of {', '.join(CATEGORIES)}")
        number = CATEGORIES.index(category) if isinstance(category, str) else category
        return self.by_category(reference)[number]

    def npcs(self, reference: Point | None = None) -> list[list[Observation]]:
        """Sprites that act by themselves; see `sprites_in`."""
        return self.sprites_in("npc", reference)

    def immovables(self, reference: Point | None = None) -> list[list[Observation]]:
        """Static sprites; see `sprites_in`."""
        return self.sprites_in("static", reference)

    def movables(self, reference: Point | None = None) -> list[list[Observation]]:
        """Sprites of no other category; see `sprites_in`."""
        return self.sprites_in("movable", reference)

    def resources(self, reference: Point | None = None) -> list[list[Observation]]:
        """Sprites that can be collected; see `sprites_in`."""
        return self.sprites_in("resource", reference)

    def portals(self, reference: Point | None = None) -> list[list[Observation]]:
        """Portals, spawn points and their like; see `sprites_in`."""
        return self.sprites_in("portal", reference)

    def from_avatar(self, reference: Point | None = None) -> list[list[Observation]]:
        """Sprites that an avatar has made; see `sprites_in`."""
        return self.sprites_in("from-avatar", reference)

    def grid(self) -> Grid:
        """The observation grid, indexed [x][y]: what is in each cell, by type id, then in the order of the group.

        A sprite whose corner lies between cells is in up to 2 x 2 cells, whatever its size. One that starts outside the
        grid is in none, except that the cell's width of pixels to the left of and above the grid belongs to the first
        column and row. Hidden types are left out.
        """
        columns, rows, block = self.state.width, self.state.height, self.block_size
        cells: Grid = [[[] for _ in range(rows)] for _ in range(columns)]
        for seen in self._seen():
            x, y = seen.position
            for column, row in cells_of(x, y, block, columns, rows):
                cells[column][row].append(seen)
        return cells


def category_of(of_type: int, bits: int) -> int:
    """Category of a sprite, from that of its type and its own bits."""
    if of_type != BY_MAKER:
        return of_type
    return _FROM_AVATAR if bits & L.FROM_AVATAR else _MOVABLE


def cells_of(x: int, y: int, block: int, columns: int, rows: int) -> list[tuple[int, int]]:
    """Cells (column, row) of the observation grid for a sprite with its corner at pixel x, y (reference/state 6.6)."""
    column, row = int(x / block), int(y / block)  # towards zero
    if not (0 <= column < columns and 0 <= row < rows):
        return []
    found = [(column, row)]
    right = x > 0 and x % block > 0 and column + 1 < columns
    below = y > 0 and y % block > 0 and row + 1 < rows
    if right:
        found.append((column + 1, row))
    if below:
        found.append((column, row + 1))
    if right and below:
        found.append((column + 1, row + 1))
    return found
