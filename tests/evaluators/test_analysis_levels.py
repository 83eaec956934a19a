"""Palettes, distances and statistics: what the analysis says about level texts."""

from __future__ import annotations

import numpy as np
import pytest
from rulebooks import LOCK

from pcg.engine.game import load
from pcg.engine.vgdl import read_game
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.analysis import analyse
from pcg.evaluators.level_grid import BLOCKED, FREE, GATE, HAZARD, PUSH, Palette, avatar_cells, distances, palette
from pcg.evaluators.level_statistics import level_statistics


@pytest.fixture(scope="module")
def lock() -> Palette:
    return palette(analyse(read_game(LOCK, reading="strict")))


def number(p: Palette, char: str) -> int:
    return [t.char for t in p.tiles].index(char)


def test_text_to_array_and_back_is_the_same(lock: Palette) -> None:
    text = "wwww\nwA.w\nwkgw\nwwww"
    assert lock.text(lock.parse(text)) == text


def test_an_unknown_character_is_named_with_its_place(lock: Palette) -> None:
    with pytest.raises(PcgError, match=r"'\?' in row 2, column 3"):
        lock.parse("www\nwA?")


def test_an_empty_level_is_refused(lock: Palette) -> None:
    with pytest.raises(PcgError, match="empty"):
        lock.parse("")


@pytest.mark.parametrize(
    ("char", "access"), [(".", FREE), ("w", BLOCKED), ("g", GATE), ("c", PUSH), ("o", HAZARD), ("k", FREE)]
)
def test_tiles_receive_the_avatar_as_the_rules_say(lock: Palette, char: str, access: int) -> None:
    assert lock.access[number(lock, char)] == access


def test_ground_wall_and_avatar_tiles_are_found(lock: Palette) -> None:
    assert lock.tiles[lock.empty].char == "."
    assert lock.wall is not None and lock.tiles[lock.wall].char == "w"
    assert [lock.tiles[i].char for i in lock.avatars] == ["A"]


def test_walls_that_stand_on_ground_with_a_part_in_the_rules_are_walls() -> None:
    text = LOCK.replace("w > wall", "w > ground wall").replace("gate > Door", "gate > Door\n        ground > Immovable")
    text = text.replace("gate rich > killSprite", "gate rich > killSprite\n        crate ground > cloneSprite")
    text = text.replace("o > floor pit", "o > floor pit\n        _ > ground\n        q > rich wall")
    found = palette(analyse(read_game(text, reading="strict")))
    assert [found.tiles[k].char for k in found.walls] == ["w", "n"] and found.wall == found.walls[0]
    names = found.analysis.names(found.tiles[found.walls[0]].content)
    assert names == ("ground", "wall")


def test_a_blank_is_bare_ground_where_the_mapping_does_not_use_it(lock: Palette) -> None:
    grid = lock.parse("A g")
    assert int(grid[0, 1]) in lock.grounds
    assert lock.text(grid) == "A g"
    assert lock.tiles[lock.empty].char == ".", "the avatar's own ground goes first"


def test_a_game_without_an_avatar_tile_has_no_palette() -> None:
    with pytest.raises(PcgError, match="avatar"):
        palette(analyse(read_game(LOCK.replace("A > floor poor", "A > floor"), reading="gvgai")))


def test_distances_go_around_walls_and_end_at_gates(lock: Palette) -> None:
    grid = lock.parse("A.w.\n..g.\n..w.")
    found = distances(lock, grid, (0, 0))
    assert found[1, 2] == 3
    assert found[1, 3] == -1
    assert found[0, 2] == -1


def test_distances_lead_through_portals() -> None:
    p = palette(analyse(load("portals").definition))
    grid = p.parse("A1wa.\nwwwww")
    found = distances(p, grid, avatar_cells(p, grid)[0])
    assert (found[0, 1], found[0, 3], found[0, 4]) == (1, 2, 3)


def test_counting_types_adds_up_what_each_tile_creates(lock: Palette) -> None:
    ids = lock.analysis.definition.type_index
    counts = lock.count_types(lock.parse("Ak\nk."))
    assert counts == {ids["floor"]: 4, ids["poor"]: 1, ids["key"]: 2}


def test_statistics_know_sizes_frames_and_rows() -> None:
    game = load("invaders")
    p = palette(analyse(game.definition))
    found = level_statistics(p, game.levels)
    assert found is not None
    assert found.levels == len(game.levels)
    assert found.widths == (
        min(len(t.split("\n")[0]) for t in game.levels),
        max(len(t.split("\n")[0]) for t in game.levels),
    )
    bottom = found.frame[2]
    assert bottom is not None and p.tiles[bottom].char == "g"
    assert found.frame[0] is None
    cannon, alien = number(p, "A"), number(p, "s")
    assert np.argmax(found.rows[cannon]) > np.argmax(found.rows[alien])


def test_without_levels_there_are_no_statistics(lock: Palette) -> None:
    assert level_statistics(lock, []) is None
    assert level_statistics(lock, ["not\na\nlevel"]) is None
