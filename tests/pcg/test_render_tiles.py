"""The tiles: drawn from their pixel maps, and chosen by name, image, class and category."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import pcg.render
from pcg.engine.vgdl import read_game
from pcg.render.colours import VGDL_COLOURS, painted
from pcg.render.tile_choice import CLASS_SHAPES, CLASS_TILES, KEYWORDS, looks
from pcg.render.tileset import Tileset, facing_of, load_tiles, recoloured, turned
from tools.draw_tiles import ART, ArtError, read_art, write_tiles

FOLDER = Path(pcg.render.__path__[0]) / "tiles"


def chosen(line: str, more: str = "") -> str:
    """The tile for a game of one sprite line."""
    game = read_game(f"BasicGame\n    SpriteSet\n        {line}\n{more}", reading="gvgai")
    name = line.split()[0]
    return looks(game, load_tiles())[game.type_index[name]].tile


def test_there_are_enough_tiles_and_all_are_16x16_rgba() -> None:
    files = sorted(FOLDER.glob("*.png"))
    assert len(files) >= 40
    for path in files:
        with Image.open(path) as image:
            assert (image.size, image.mode) == ((16, 16), "RGBA"), path.name
            assert set(np.unique(np.asarray(image)[..., 3])) <= {0, 255}, path.name


def test_the_stored_tiles_are_what_the_art_file_draws(tmp_path: Path) -> None:
    written = write_tiles(ART, tmp_path)
    assert {path.name for path in written} == {path.name for path in FOLDER.glob("*.png")}
    for path in written:
        with Image.open(path) as fresh, Image.open(FOLDER / path.name) as stored:
            assert fresh.tobytes() == stored.tobytes(), f"{path.name}: run python -m tools.draw_tiles"
            assert fresh.info == stored.info, path.name


def test_no_two_tiles_look_alike() -> None:
    pictures = {tile.pixels.tobytes() for tile in load_tiles().values()}
    assert len(pictures) == len(load_tiles())


def test_every_tile_a_rule_names_exists() -> None:
    wanted = {*KEYWORDS.values(), *CLASS_TILES.values(), *CLASS_SHAPES.values(), "shape-ground", "shape-shot"}
    wanted |= {tile.below for tile in load_tiles().values() if tile.below}
    assert wanted - set(load_tiles()) == set()


@pytest.mark.parametrize(
    ("art", "message"),
    [
        ("palette\nk 000000 ink\n[a]\n" + "k" * 15 + "\n" + ("k" * 16 + "\n") * 15, "15 characters, expected 16"),
        ("palette\nk 000000 ink\n[a] mirror\n" + ("k" * 8 + "\n") * 15, "has 15 rows, expected 16"),
        ("palette\nk 000000 ink\n[a]\n" + ("q" * 16 + "\n") * 16, "'q', which is not in the palette"),
        ("palette\nk 000000 ink\n[a] facing=back\n" + ("k" * 16 + "\n") * 16, "facing='back'"),
    ],
)
def test_a_mistake_in_the_art_is_named(art: str, message: str) -> None:
    with pytest.raises(ArtError, match=message):
        read_art(art)


@pytest.mark.parametrize(
    ("line", "tile"),
    [
        ("boss > Chaser stype=wall img=hen", "hen"),  # 1: img= names a tile
        ("carLeft > Missile", "car"),  # 2: the name
        ("frozenKey > Immovable", "key"),  # 2: its last word
        ("bats > RandomNPC", "bat"),  # 2: a plural
        ("supertruckx > Missile", "truck"),  # 2: a keyword inside
        ("xyz > RandomNPC img=sets/alien_2.png", "alien"),  # 3: words of another image set
        ("xyz > FlakAvatar stype=wall", "cannon"),  # 5: the class
        ("xyz > RandomNPC", "shape-npc"),  # 6: the category
        ("xyz > Immovable", "shape-static"),
        ("xyz > Resource", "shape-resource"),
        ("xyz > Passive", "shape-movable"),
    ],
)
def test_a_tile_is_chosen_by_image_name_class_and_category(line: str, tile: str) -> None:
    assert chosen(line) == tile


def test_a_name_further_up_the_tree_counts_when_the_own_one_says_nothing() -> None:
    game = read_game("BasicGame\n    SpriteSet\n        bird >\n            xyz > RandomNPC\n", reading="gvgai")
    assert looks(game, load_tiles())[game.type_index["xyz"]].tile == "bird"


def test_what_the_avatar_shoots_is_a_shot() -> None:
    more = "        qqq > ShootAvatar stype=xyz\n"
    assert chosen("xyz > Missile", more) == "shape-shot"


def test_what_lies_below_other_sprites_is_ground() -> None:
    more = "        qqq > Passive\n    LevelMapping\n        a > xyz qqq\n        b > xyz qqq qqq\n"
    assert chosen("xyz > Immovable", more) == "shape-ground"


def test_unknown_types_without_colour_get_different_ones() -> None:
    game = read_game("BasicGame\n    SpriteSet\n        xyz > Passive\n        qqq > Passive\n", reading="gvgai")
    shown = looks(game, load_tiles())
    assert shown[game.type_index["xyz"]].colour != shown[game.type_index["qqq"]].colour


def test_every_vgdl_colour_is_painted_and_no_other_word() -> None:
    assert len(VGDL_COLOURS) == 20
    assert len({colour.painted for colour in VGDL_COLOURS.values()}) == 20
    assert painted("RED") == VGDL_COLOURS["RED"].painted
    assert painted("RANDOM") is None


def test_recolouring_keeps_outline_and_transparency() -> None:
    tile = load_tiles()["gem"]
    red = recoloured(tile, painted("RED"))
    assert np.array_equal(red[..., 3], tile.pixels[..., 3])
    changed = (red != tile.pixels).any(axis=-1)
    ink = (tile.pixels[..., :3] == (27, 22, 38)).all(axis=-1)
    assert changed.sum() > 40
    assert not (changed & ink).any()


def test_a_tile_turns_with_its_sprite() -> None:
    car = load_tiles()["car"].pixels
    assert np.array_equal(turned(car, "turn-right", "left"), car[:, ::-1])
    assert np.array_equal(turned(car, "turn-right", "right"), car)
    assert np.array_equal(turned(car, "turn-right", "up"), np.rot90(car))
    bolt = load_tiles()["bomb"].pixels
    assert np.array_equal(turned(bolt, "turn-up", "down"), bolt[::-1, ::-1])
    assert np.array_equal(turned(bolt, "side", "down"), bolt)


@pytest.mark.parametrize(
    ("direction", "facing"),
    [((0, -1), "up"), ((-1, 0), "left"), ((0, 1), "down"), ((0.9, 0.1), "right"), ((0, 0), ""), ((-1, -1), "")],
)
def test_a_direction_is_the_nearest_of_four(direction: tuple[float, float], facing: str) -> None:
    assert facing_of(direction) == facing


def test_grounds_vary_by_cell_and_only_by_cell() -> None:
    game = read_game("BasicGame\n    SpriteSet\n        grass > Immovable\n        wall > Immovable\n", reading="gvgai")
    tileset = Tileset(game, 16)
    grass = [tileset.variant(game.type_index["grass"], column, row) for column in range(30) for row in range(30)]
    again = [Tileset(game, 8).variant(game.type_index["grass"], c, r) for c in range(30) for r in range(30)]
    assert grass == again
    assert set(grass) == {"grass", "grass-2", "grass-3"}
    assert grass.count("grass") > 600
