"""Pictures: what they show, where, and how they are stored."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from pcg.engine.game import Game, load
from pcg.engine.vgdl.diagnostics import PcgError, VGDLError
from pcg.render import contact_sheet, render_gif, render_level, render_png, rgb_array, write_gif
from pcg.render.colours import BACKDROP, painted

NAMES = ("boxes", "crossing", "digger", "dungeon", "hunt", "invaders", "portals", "survival")

ONE_ROOM = """
BasicGame
    SpriteSet
        floor > Immovable
        wall > Immovable
        box > Passive color=RED
        cart > Missile orientation=LEFT speed=0.5 img=truck
        hero > MovingAvatar
    InteractionSet
        hero wall > stepBack
        box hero > killSprite
        hero cart > killSprite
    LevelMapping
        . > floor
        w > wall
        b > floor box
        c > floor cart
        A > floor hero
    TerminationSet
        SpriteCounter stype=box limit=0 win=True
        SpriteCounter stype=hero limit=0 win=False
"""
ROOM = "wwwww\nwA.bw\nw...w\nwwwww\n"


@pytest.fixture(scope="module")
def room() -> Game:
    return load(ONE_ROOM, levels=[ROOM])


def cell(picture: np.ndarray, column: int, row: int, tile: int = 16) -> np.ndarray:
    return picture[row * tile : (row + 1) * tile, column * tile : (column + 1) * tile]


@pytest.mark.parametrize("name", NAMES)
def test_every_level_of_every_game_renders(name: str) -> None:
    game = load(name)
    for number, text in enumerate(game.levels):
        rows = text.splitlines()
        started = rgb_array(game.start(level=number, seed=1))
        assert started.shape == (len(rows) * 16, len(rows[0]) * 16, 3)
        assert started.dtype == np.uint8
        assert len(np.unique(started.reshape(-1, 3), axis=0)) > 15


@pytest.mark.parametrize("name", NAMES)
def test_a_level_text_looks_as_the_started_level_does(name: str) -> None:
    game = load(name)
    for number, text in enumerate(game.levels):
        assert np.array_equal(np.asarray(render_level(game, text)), rgb_array(game.start(level=number, seed=1)))


def test_a_level_renders_from_the_definition_alone(room: Game) -> None:
    assert render_level(room.definition, ROOM).tobytes() == render_level(room, ROOM).tobytes()


def test_a_level_the_game_cannot_read_is_an_error(room: Game) -> None:
    with pytest.raises(VGDLError, match="x"):
        render_level(room.definition, "wwwww\nwA.xw\nw...w\nwwwww\n")


def test_the_avatar_moves_in_the_picture(room: Game) -> None:
    state = room.start(level=0, seed=1)
    before = rgb_array(state)
    state.advance("DOWN")
    after = rgb_array(state)
    assert np.array_equal(cell(before, 1, 1), cell(after, 1, 2))
    assert not np.array_equal(cell(before, 1, 1), cell(after, 1, 1))
    assert np.array_equal(cell(before, 3, 1), cell(after, 3, 1))


def test_a_sprite_between_two_cells_is_painted_between_them(room: Game) -> None:
    text = "wwwww\nwA.bw\nw..cw\nwwwww\n"
    empty = np.asarray(render_level(room, text.replace("c", "."), tile=32))
    state = room.start(level=text, seed=1)

    def columns_touched() -> tuple[int, int]:
        touched = (rgb_array(state, tile=32) != empty).any(axis=(0, 2)).nonzero()[0]
        return int(touched[0]), int(touched[-1])

    left, right = columns_touched()
    state.advance("NIL")
    state.advance("NIL")
    assert columns_touched() == (left - 16, right - 16)


def test_a_dead_avatar_is_not_shown(room: Game) -> None:
    state = room.start(level="wwwww\nw..bw\nwAc.w\nwwwww\n", seed=1)
    while not state.is_over:
        state.advance("NIL")
    assert state.avatar is None or state.avatar.disabled
    shown = {tuple(pixel) for pixel in cell(rgb_array(state), 1, 2).reshape(-1, 3)}
    hero = painted("LIGHTBLUE")
    assert hero not in shown


def test_colour_recolours_a_tile(room: Game) -> None:
    plain = load(ONE_ROOM.replace("color=RED", ""), levels=[ROOM])
    red = cell(rgb_array(room.start(level=0, seed=1)), 3, 1).astype(int)
    brown = cell(rgb_array(plain.start(level=0, seed=1)), 3, 1).astype(int)
    assert (red[..., 0] - red[..., 1]).mean() > (brown[..., 0] - brown[..., 1]).mean() + 10


def test_a_wall_shows_its_top_above_another_and_its_front_above_floor(room: Game) -> None:
    picture = rgb_array(room.start(level=0, seed=1))
    front, top = cell(picture, 2, 0), cell(picture, 0, 1)
    assert not np.array_equal(front, top)
    assert np.array_equal(cell(picture, 0, 2), top)
    assert np.array_equal(cell(picture, 2, 3), front)


def test_where_nothing_stands_the_backdrop_shows() -> None:
    game = load(ONE_ROOM, levels=[ROOM])
    picture = np.asarray(render_level(game, "wwwww\nwA bw\nw...w\nwwwww\n"))
    assert (cell(picture, 2, 1) == BACKDROP).all()


@pytest.mark.parametrize("tile", [1, 5, 8, 16, 32])
def test_a_picture_has_the_cell_size_asked_for(room: Game, tile: int) -> None:
    assert rgb_array(room.start(level=0, seed=1), tile=tile).shape == (4 * tile, 5 * tile, 3)


def test_twice_the_cell_size_is_the_same_picture_enlarged(room: Game) -> None:
    state = room.start(level=0, seed=1)
    small = rgb_array(state, tile=16)
    assert np.array_equal(rgb_array(state, tile=32), small.repeat(2, axis=0).repeat(2, axis=1))


def test_a_cell_size_of_nothing_is_an_error(room: Game) -> None:
    with pytest.raises(PcgError, match="tile=0"):
        rgb_array(room.start(level=0, seed=1), tile=0)


def test_a_png_holds_the_picture(room: Game, tmp_path: Path) -> None:
    state = room.start(level=0, seed=1)
    image = render_png(state, tmp_path / "room.png")
    with Image.open(tmp_path / "room.png") as stored:
        assert stored.format == "PNG"
        assert np.array_equal(np.asarray(stored.convert("RGB")), rgb_array(state))
    assert np.array_equal(np.asarray(image), rgb_array(state))


def test_a_gif_replays_a_play(room: Game, tmp_path: Path) -> None:
    path = render_gif(room, 0, ["DOWN", "RIGHT", "RIGHT", "UP"], tmp_path / "play.gif", seed=1, fps=10)
    state = room.start(level=0, seed=1)
    expected = [rgb_array(state)]
    for action in ("DOWN", "RIGHT", "RIGHT", "UP"):
        state.advance(action)
        expected.append(rgb_array(state))
    assert state.is_over
    with Image.open(path) as film:
        assert film.n_frames == 5
        assert max(film.size) <= 512
        scale = film.size[0] // expected[0].shape[1]
        for number, frame in enumerate(expected):
            film.seek(number)
            shown = np.asarray(film.convert("RGB"))[::scale, ::scale]
            assert np.array_equal(shown, frame)


def test_a_gif_of_a_long_play_keeps_its_end_and_its_bound(tmp_path: Path) -> None:
    game = load("hunt")
    actions = ["LEFT", "RIGHT"] * 60
    path = render_gif(game, 0, actions, tmp_path / "long.gif", seed=3, max_frames=30)
    state = game.start(level=0, seed=3)
    for action in actions:
        if not state.is_over:
            state.advance(action)
    with Image.open(path) as film:
        assert film.n_frames <= 30
        film.seek(film.n_frames - 1)
        scale = film.size[0] // (state.width * 16)
        assert np.array_equal(np.asarray(film.convert("RGB"))[::scale, ::scale], rgb_array(state))
    assert path.stat().st_size < 200_000


def test_equal_frames_of_a_gif_are_merged_and_keep_their_time(tmp_path: Path) -> None:
    still, other = np.zeros((4, 4, 3), np.uint8), np.full((4, 4, 3), 255, np.uint8)
    path = write_gif([still, still, still, other], tmp_path / "still.gif", milliseconds=100)
    with Image.open(path) as film:
        assert film.n_frames == 2
        assert film.info["duration"] == 300


def test_a_gif_of_more_colours_than_a_palette_holds_comes_close(tmp_path: Path) -> None:
    red, green = np.meshgrid(np.arange(0, 256, 8), np.arange(0, 256, 8))
    colourful = np.stack([red, green, red // 2], axis=-1).astype(np.uint8)
    with Image.open(write_gif([colourful], tmp_path / "many.gif", milliseconds=50)) as film:
        shown = np.asarray(film.convert("RGB")).astype(int)
    assert np.abs(shown - colourful).mean() < 8


def test_frames_that_change_in_places_keep_every_pixel(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    shades = rng.integers(0, 256, (200, 3)).astype(np.uint8)
    frames = [shades[rng.integers(0, 200, (6, 9))]]
    for _ in range(8):
        frames.append(frames[-1].copy())
        frames[-1][rng.integers(0, 6, 4), rng.integers(0, 9, 4)] = shades[rng.integers(0, 200, 4)]
    with Image.open(write_gif(frames, tmp_path / "places.gif", milliseconds=50)) as film:
        for number, frame in enumerate(frames):
            film.seek(number)
            assert np.array_equal(np.asarray(film.convert("RGB")), frame)


def test_a_contact_sheet_holds_every_picture() -> None:
    images = [Image.new("RGB", (40, 30), (200, shade, 0)) for shade in range(0, 250, 50)]
    sheet = np.asarray(contact_sheet(images, ["a", "b", "c", "d", "a very long caption indeed"], columns=2))
    for shade in range(0, 250, 50):
        assert (sheet == (200, shade, 0)).all(axis=-1).sum() == 40 * 30


def test_a_contact_sheet_wants_as_many_captions_as_pictures() -> None:
    with pytest.raises(PcgError, match="1 images but 2 captions"):
        contact_sheet([Image.new("RGB", (8, 8))], ["one", "two"])


def test_rendering_is_not_imported_before_it_is_used() -> None:
    code = "import sys, pcg.render; sys.exit(bool({'PIL', 'numpy', 'numba'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
