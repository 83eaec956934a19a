"""Observations of a state: the state API of the reference, as a function of the state alone."""

from __future__ import annotations

import pytest

from pcg.engine.game import Game, load
from pcg.engine.state import CATEGORIES, Outcome
from pcg.engine.vgdl.diagnostics import PcgError

HUNT = """BasicGame square_size=10
    SpriteSet
        floor > Immovable hidden=True
        door > Portal stype=exit
        exit > Door
        coin > Resource limit=5
        drifter > Missile orientation=RIGHT speed=0.5
        goblin > RandomNPC speed=0
        stone > Missile orientation=RIGHT speed=0
        hero > ShootAvatar stype=stone healthPoints=3 limitHealthPoints=9
        wall > Immovable
    InteractionSet
        hero wall > stepBack
        coin hero > collectResource
        goblin stone > killSprite scoreChange=2
    LevelMapping
        A > floor hero
        c > floor coin
        g > floor goblin
        s > floor stone
        m > floor drifter
        d > floor door
        . > floor
        w > wall
    TerminationSet
        SpriteCounter stype=goblin limit=0 win=True
"""
LEVEL = "wwwwwwww\nwA.g.s.w\nwm.c.d.w\nwwwwwwww"

DUEL = """BasicGame no_players=2 square_size=10
    SpriteSet
        fog > Immovable hidden=False,True
        mist > Immovable hidden=True,False
        left > MovingAvatar healthPoints=2
        right > ShootOnlyAvatar stype=shot
        shot > Missile orientation=LEFT
    InteractionSet
        left EOS > stepBack
    LevelMapping
        l > left
        r > right
        f > fog
        m > mist
    TerminationSet
        Timeout limit=5 win=True,False
"""


@pytest.fixture
def game() -> Game:
    return load(HUNT, [LEVEL])


@pytest.fixture
def duel() -> Game:
    return load(DUEL, ["l.f\nm.r"])


def names_by_type(game: Game, lists: list) -> dict[str, int]:
    return {game.definition.types[group[0].type].name: len(group) for group in lists}


# --- the game and the avatar ---


def test_a_view_tells_size_time_and_outcome(game: Game) -> None:
    state = game.start(0, 1)
    view = state.observe()
    assert (view.block_size, view.world_size, view.players) == (10, (80, 40), 1)
    assert (view.tick, view.score, view.winner, view.is_game_over) == (0, 0.0, Outcome.NO_WINNER, False)
    state.advance("NIL")
    assert view.tick == 1 == state.tick + 1


def test_a_view_tells_of_the_avatar(game: Game) -> None:
    state = game.start(0, 1)
    view = state.observe()
    assert view.avatar_position == (10, 10)
    assert view.avatar_type == game.definition.type_index["hero"]
    assert (view.avatar_health, view.avatar_max_health, view.avatar_limit_health) == (3, 3, 9)
    assert view.is_avatar_alive and view.avatar_last_action == "NIL"
    for action in ("DOWN", "DOWN", "RIGHT", "RIGHT", "RIGHT"):
        state.advance(action)
    assert view.avatar_last_action == "RIGHT"
    assert view.avatar_orientation == (1.0, 0.0) and view.avatar_speed == 1.0
    assert view.avatar_resources == {game.definition.type_index["coin"]: 1}


def test_nothing_of_the_avatar_is_shown_once_the_game_is_over(game: Game) -> None:
    state = game.start("wwwwww\nwA.g.w\nwwwwww", 1)
    view = state.observe()
    state.advance("RIGHT")
    for _ in range(3):
        if not state.is_over:
            state.advance("USE")
    if not state.is_over:
        pytest.fail("the stone does not reach the goblin")
    assert view.avatar_position == view.avatar_orientation == (-1, -1)
    assert view.avatar_speed == 0.0 and view.available_actions() == () == view.available_actions(nil=True)
    assert view.is_avatar_alive and view.avatar_health == 3  # these are told to the end
    assert view.winner is Outcome.PLAYER_WINS and view.is_game_over


def test_escape_ends_the_game_but_decides_nothing(game: Game) -> None:
    state = game.start(0, 1)
    state.advance("ESCAPE")
    assert state.is_over and not state.observe().is_game_over
    assert state.observe().avatar_last_action == "ESCAPE"


@pytest.mark.parametrize(
    ("kind", "plain", "with_nil"),
    [
        ("MovingAvatar", "LEFT RIGHT DOWN UP", "LEFT RIGHT DOWN UP NIL"),
        ("VerticalAvatar", "UP DOWN", "UP DOWN NIL"),
        ("ShootOnlyAvatar stype=dot", "LEFT UP RIGHT DOWN USE", "USE LEFT RIGHT DOWN UP NIL"),
        ("FlakAvatar stype=dot", "USE LEFT RIGHT", "USE LEFT RIGHT NIL"),
        ("NullAvatar", "NIL", "NIL NIL"),
    ],
)
def test_action_lists_are_in_the_order_of_the_avatars_class(kind: str, plain: str, with_nil: str) -> None:
    text = f"BasicGame\n  SpriteSet\n    dot > Missile\n    avatar > {kind}\n  LevelMapping\n    A > avatar\n"
    view = load(text, ["A."]).start().observe()
    assert view.available_actions() == tuple(plain.split())
    assert view.available_actions(nil=True) == tuple(with_nil.split())


def test_two_players_have_a_view_each(duel: Game) -> None:
    state = duel.start(0, 1)
    one, two = state.observe(0), state.observe(1)
    assert (one.avatar_position, two.avatar_position) == ((0, 0), (20, 10))
    assert (one.avatar_health, two.avatar_health) == (2, 0)
    state.advance(("DOWN", "UP"))
    assert (one.avatar_last_action, two.avatar_last_action) == ("DOWN", "UP")
    while not state.is_over:
        state.advance(("NIL", "NIL"))
    assert (one.winner, two.winner) == one.winners == (Outcome.PLAYER_WINS, Outcome.PLAYER_LOSES)
    with pytest.raises(PcgError, match="no player 2, expected 0 to 1"):
        state.observe(2)


# --- sprites ---


def test_sprites_are_listed_by_category_and_type(game: Game) -> None:
    view = game.start(0, 1).observe()
    assert names_by_type(game, view.npcs()) == {"goblin": 1}
    assert names_by_type(game, view.portals()) == {"door": 1}
    assert names_by_type(game, view.resources()) == {"coin": 1}
    assert names_by_type(game, view.immovables()) == {"wall": 20}
    assert names_by_type(game, view.movables()) == {"drifter": 1, "stone": 1}
    assert view.from_avatar() == []
    assert names_by_type(game, view.sprites_in("avatar")) == {"hero": 1}


def test_types_ascend_and_sprites_of_a_type_stand_in_order_of_creation(game: Game) -> None:
    view = game.start("wcAwcg\ngswggw", 1).observe()
    for lists in view.by_category():
        kinds = [group[0].type for group in lists]
        assert kinds == sorted(kinds)
        for group in lists:
            assert [seen.id for seen in group] == sorted(seen.id for seen in group)


def test_a_reference_point_sorts_each_list_by_distance_and_keeps_the_order_of_equals(game: Game) -> None:
    view = game.start("g.g\n.A.\ng.g", 1).observe()
    (goblins,) = view.npcs((20.0, 0.0))
    assert [seen.position for seen in goblins] == [(20, 0), (0, 0), (20, 20), (0, 20)]
    assert [seen.square_distance for seen in goblins] == [0.0, 400.0, 400.0, 800.0]
    assert {seen.reference for seen in goblins} == {(20.0, 0.0)}
    (plain,) = view.npcs()
    assert [seen.position for seen in plain] == [(0, 0), (20, 0), (0, 20), (20, 20)]
    assert plain[0].reference == (-1, -1) and plain[0].square_distance == 2.0


def test_a_type_of_two_categories_is_in_both_lists_with_all_its_sprites(game: Game) -> None:
    state = game.start(0, 1)
    state.advance("USE")
    view = state.observe()
    stones = [[seen.category for seen in group] for group in view.from_avatar()]
    assert stones == [[CATEGORIES.index("movable"), CATEGORIES.index("from-avatar")]]
    assert view.from_avatar()[0] in view.movables()


def test_an_unknown_category_is_named(game: Game) -> None:
    with pytest.raises(PcgError, match="unknown category `npcs`, expected one of avatar, resource"):
        game.start(0, 1).observe().sprites_in("npcs")


# --- the grid ---


def cell_names(game: Game, cell: list) -> list[str]:
    return [game.definition.types[seen.type].name for seen in cell]


def test_the_grid_is_indexed_by_column_and_row_and_hides_the_hidden(game: Game) -> None:
    grid = game.start(0, 1).observe().grid()
    assert (len(grid), len(grid[0])) == (8, 4)
    assert cell_names(game, grid[3][2]) == ["coin"]
    assert cell_names(game, grid[2][1]) == []  # floor is hidden
    assert cell_names(game, grid[0][3]) == ["wall"]


def test_a_sprite_between_cells_is_in_both(game: Game) -> None:
    state = game.start(0, 1)
    state.advance("NIL")
    state.advance("NIL")
    drifter = state.sprites("drifter")[0]
    assert (drifter.x, drifter.y) == (15, 20)
    grid = state.observe().grid()
    where = [(x, y) for x in range(8) for y in range(4) if "drifter" in cell_names(game, grid[x][y])]
    assert where == [(1, 2), (2, 2)]


PACING = """BasicGame square_size=10
    SpriteSet
        dart > Missile orientation={direction} speed=0.5
        avatar > NullAvatar
    LevelMapping
        d > dart
        A > avatar
"""


@pytest.mark.parametrize(
    ("direction", "expected"),
    [
        # from cell (1, 1) of 3 x 3, five pixels a tick after the first
        ("RIGHT", [{(1, 1)}, {(1, 1), (2, 1)}, {(2, 1)}, {(2, 1)}, set(), set()]),
        ("LEFT", [{(1, 1)}, {(0, 1), (1, 1)}, {(0, 1)}, {(0, 1)}, set(), set()]),
        ("DOWN", [{(1, 1)}, {(1, 1), (1, 2)}, {(1, 2)}, {(1, 2)}, set(), set()]),
        ("UP", [{(1, 1)}, {(1, 0), (1, 1)}, {(1, 0)}, {(1, 0)}, set(), set()]),
    ],
)
def test_leaving_the_grid_a_sprite_is_last_seen_at_its_edge(direction: str, expected: list) -> None:
    """At -5 the division towards zero gives cell 0, without a second cell; at -10, and from 30 on, there is no cell."""
    state = load(PACING.format(direction=direction), ["A..\n.d.\n..."]).start(0, 1)
    dart = state.game.definition.type_index["dart"]
    found = []
    for _ in expected:
        state.advance("NIL")
        grid = state.observe().grid()
        found.append({(x, y) for x in range(3) for y in range(3) if any(s.type == dart for s in grid[x][y])})
    assert found == expected


def test_both_players_see_what_the_first_players_entry_hides(duel: Game) -> None:
    state = duel.start(0, 1)
    for player in (0, 1):
        view = state.observe(player)
        assert names_by_type(duel, view.immovables()) == {"fog": 1}
        assert cell_names(duel, view.grid()[0][1]) == []


# --- events ---


EVENTS = """BasicGame square_size=10
    SpriteSet
        coin > Resource
        flag > Immovable
        goblin > Immovable
        hero > ShootAvatar stype=stone orientation=RIGHT
        stone > Missile orientation=RIGHT speed=0
    InteractionSet
        flag hero > changeResource resource=coin value=0
        coin hero > changeResource resource=coin value=0
        goblin stone > killSprite
    LevelMapping
        A > coin coin flag hero
        g > goblin
"""


def test_events_of_a_tick_are_ordered_and_alike_ones_told_once() -> None:
    state = load(EVENTS, ["Ag"]).start(0, 1)
    state.advance("NIL")
    state.advance("USE")
    names = state.context.tables.names
    found = [(e.tick, e.from_avatar, names[e.active], names[e.passive]) for e in state.observe().events]
    assert found == [
        (0, False, "hero", "coin"),  # of two coins; and before the flag, whose rule comes first
        (0, False, "hero", "flag"),
        (1, True, "stone", "goblin"),
        (1, False, "hero", "coin"),
        (1, False, "hero", "flag"),
    ]
    first = state.observe().events[0]
    assert first.passive_id == state.sprites("coin")[0].id and (first.x, first.y) == (0, 0)


def test_a_view_follows_its_state_and_a_copy_does_not(game: Game) -> None:
    state = game.start(0, 1)
    view, before = state.observe(), state.copy().observe()
    state.advance("DOWN")
    assert view.avatar_position != before.avatar_position or view.avatar_orientation != before.avatar_orientation
    assert (view.tick, before.tick) == (1, 0)
