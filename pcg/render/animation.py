"""Animated GIFs of a play: a recorded list of actions replayed by the engine, one frame per tick.

Small on purpose: one palette for the whole film, whole-number scaling, and a bound on the number of frames.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.render.picture import rgb_array
from pcg.render.tileset import NATIVE, Pixels

if TYPE_CHECKING:
    from pcg.engine.game import Game

LARGEST_SIDE = 512
"""Neither side of a film is longer, in pixels, unless the level has more cells than that."""

MOST_COLOURS = 256
LAST_FRAME_MS = 1500


def render_gif(
    game: Game,
    level: int | str | Path,
    actions: Sequence[str],
    path: str | Path,
    *,
    seed: int = 0,
    fps: float = 15,
    max_frames: int = 400,
) -> Path:
    """Replay actions from the start of a level and save the film; return its path.

    A play longer than `max_frames` is shown with steps left out, never cut short; it stops where the game ends.

    Args:
        game: what is played.
        level: its number, text or file.
        actions: names, one for each tick.
        path: file to write.
        seed: of the game's randomness.
        fps: ticks shown per second.
        max_frames: at least 2.

    Raises:
        PcgError: when `fps` or `max_frames` is out of range.

    >>> import pcg, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = render_gif(pcg.load("boxes"), 0, ["LEFT", "UP", "RIGHT"], f"{folder}/play.gif", seed=1)
    ...     path.read_bytes()[:6]
    b'GIF89a'
    """
    if fps <= 0 or max_frames < 2:
        raise PcgError(f"GIF: fps={fps}, max_frames={max_frames}; expected fps above 0 and at least 2 frames")
    state = game.start(level=level, seed=seed)
    tile = max(1, min(NATIVE, LARGEST_SIDE // max(state.width, state.height)))
    step = max(1, -(-(len(actions) + 1) // (max_frames - 1)))
    frames = [rgb_array(state, tile=tile)]
    for number, action in enumerate(actions, start=1):
        if state.is_over:
            break
        state.advance(action)
        if number % step == 0 or state.is_over or number == len(actions):
            frames.append(rgb_array(state, tile=tile))
    scale = max(1, LARGEST_SIDE // max(frames[0].shape[:2]))
    return write_gif(frames, path, milliseconds=1000 / fps, scale=scale)


def write_gif(frames: Sequence[Pixels], path: str | Path, *, milliseconds: float, scale: int = 1) -> Path:
    """Save frames of one shape (height, width, 3) as a looping GIF, each pixel `scale` x `scale`; return the path.

    The last frame stays longer. Frames equal to their predecessor are merged into it.

    >>> import tempfile
    >>> frames = [np.full((4, 6, 3), shade, np.uint8) for shade in (0, 0, 255)]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     image = Image.open(write_gif(frames, f"{folder}/blink.gif", milliseconds=100, scale=2))
    ...     image.size, image.n_frames
    ((12, 8), 2)
    """
    palette, indexed = _indexed(frames)
    durations: list[float] = []
    images: list[Image.Image] = []
    previous: Pixels | None = None
    for frame in indexed:
        if previous is not None and np.array_equal(frame, previous):
            durations[-1] += milliseconds
            continue
        image = Image.fromarray(frame.repeat(scale, axis=0).repeat(scale, axis=1), "P")
        image.putpalette(palette)
        images.append(image)
        durations.append(milliseconds)
        previous = frame
    durations[-1] += LAST_FRAME_MS
    # GIF counts hundredths of a second; fractions are carried over so that the film keeps its speed.
    rounded, owed = [], 0.0
    for duration in durations:
        owed += duration / 10
        rounded.append(max(2, round(owed)) * 10)
        owed -= rounded[-1] / 10
    path = Path(path)
    images[0].save(path, "GIF", save_all=True, append_images=images[1:], duration=rounded, loop=0, disposal=1)
    return path


def _indexed(frames: Sequence[Pixels]) -> tuple[bytes, list[Pixels]]:
    """One palette for all frames (RGB bytes) and the frames as indices into it."""
    packed = [_packed(frame) for frame in frames]
    # most pixels are as they were a frame ago, and only the others are looked at
    changed = [np.ones(packed[0].shape, dtype=bool), *(now != before for before, now in pairwise(packed))]
    fresh = [frame[where] for frame, where in zip(packed, changed, strict=True)]
    colours = np.unique(np.concatenate([np.unique(pixels) for pixels in fresh]))
    rgb = np.stack([colours >> 16 & 255, colours >> 8 & 255, colours & 255], axis=1).astype(np.uint8)
    entries, palette = np.arange(len(colours)), rgb.tobytes()
    if len(colours) > MOST_COLOURS:
        reduced = Image.fromarray(rgb[None], "RGB").quantize(MOST_COLOURS, dither=Image.Dither.NONE)
        entries, palette = np.asarray(reduced)[0], bytes(reduced.getpalette() or ())
    entries = entries.astype(np.uint8)
    indexed = [np.zeros(packed[0].shape, dtype=np.uint8)]
    for pixels, where in zip(fresh, changed, strict=True):
        indexed.append(indexed[-1].copy())
        indexed[-1][where] = entries[np.searchsorted(colours, pixels)]
    return palette, indexed[1:]


def _packed(frame: Pixels) -> NDArray[np.int32]:
    """The pixels of a frame as a number each."""
    red, green, blue = (frame[:, :, k].astype(np.int32) for k in range(3))
    return red << 16 | green << 8 | blue
