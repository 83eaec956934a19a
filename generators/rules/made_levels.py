"""Levels for rules that a search has written: drawn by the level generators, proved to be winnable, none too short.

The levels of the game whose sprites are used were made for other rules: the goal stands beside the avatar, or behind
walls that nothing opens. Here the constructive and the minimal generator draw levels by what the new rules say (what
has to be reached, what is dangerous, what has to be there), sprites without a part in the rules are left out, and the
prover looks for a win of each. Levels and rules that fit each other are what GVGAI's tracks ask for separately (Khalifa
et al. 2016, 2017); making both at once is in Cook, Colton: Multi-Faceted Evolution of Simple Arcade Games, 2011.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pcg.engine.game import Game
from pcg.engine.vgdl.definition import GameDefinition
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.analysis import analyse
from pcg.evaluators.games.trials import play_seed
from pcg.evaluators.games.winnability import longest_win, prove_briefly
from pcg.evaluators.judging.game_kinds import game_kinds
from pcg.evaluators.judging.game_rules import RuleReading
from pcg.evaluators.level_grid import Grid, Mask, Palette
from pcg.evaluators.proving import Experience
from pcg.generators.levels.constructive.generator import ConstructiveGenerator
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.contract import LevelGenerator
from pcg.generators.levels.minimal.generator import MinimalGenerator
from pcg.generators.levels.object_placement import KEEP_AWAY
from pcg.generators.rules.wanted_sprites import with_wanted_sprites

_PROOF = 600_000
"""Number of the first play that proofs of drawn levels have the seeds of."""
_HOPELESS = 3
"""Levels after which no more are drawn if none of them is won."""
_SHORT = 2
"""Steps by which there is more to do where all wins so far are too short."""
MARGIN = 1.3
"""Ticks that wins of drawn levels take, as a multiple of what is wanted: other plays of chance are won sooner."""
_QUIET = 8
"""Ticks for which a player who does nothing is left alone at the start of a level."""
_WAITS, _LONGEST = 3, 400
"""Plays of waiting in a level in which winning is to stay alive, and their ticks at most."""
ROOMY_WALLS = 1.5
"""Amount of walls in levels of rooms, as a multiple of what the sprites' own levels have."""
OPEN_WALLS = 0.4
"""Amount of walls in levels of open ground, as such a multiple."""
LARGEST = 16, 12
"""Width and height of the largest levels drawn; with a larger screen wins take longer than evaluations last."""


@dataclass(frozen=True)
class MadeLevel:
    """A level drawn for a game.

    Attributes:
        text: of the level.
        ticks: length of the win that was found, 0 for none.
    """

    text: str
    ticks: int


class LevelMaker:
    """Draws levels for games that have the same sprites and different rules.

    Args:
        own: levels of the sprites, from which sizes and numbers of sprites are taken.
        seed: equal seeds give equal levels for equal rules.
        calls: forward-model calls of the proof of a level.
        min_win: ticks that a win takes in most levels.
        max_work: of a tick, in executions of effects.
        max_sprites: moving sprites, or three times as many as a level starts with.
    """

    def __init__(
        self,
        own: Sequence[str],
        *,
        seed: int,
        calls: int = 6000,
        min_win: int = 20,
        max_work: int = 20_000,
        max_sprites: int = 400,
    ) -> None:
        self.own = tuple(own)
        self.seed = seed
        self.calls = calls
        self.min_win = min_win
        self.max_work = max_work
        self.max_sprites = max_sprites

    def make(self, game: Game, count: int, draws: int) -> tuple[MadeLevel, ...]:
        """Return levels for a game that are won in `min_win` ticks or more, the shortest win first.

        Where there are not two of these, shorter wins are taken as well, then levels in which no win was found, so that
        an evaluation can say what is wrong.

        Args:
            game: with one player.
            count: levels wanted; fewer where the generators make fewer different ones.
            draws: most levels that are drawn.

        Raises:
            PcgError: no level can be drawn for these sprites.
        """
        game = game.copy()  # its contexts are limited below, those of other plays are not
        drawing = _Drawing(game, self.own, self.seed)
        experience = Experience()
        made: list[MadeLevel] = []
        texts: set[str] = set()
        good = longest = 0
        for k in range(draws):
            text = drawing.level(k, k // 3 + (_SHORT if 0 < longest < MARGIN * self.min_win else 0))
            if text in texts:
                continue
            texts.add(text)
            context = game.context(text)
            context.limit(self.max_work, max(self.max_sprites, 3 * int(context.header(context.initial)["slots"])))
            if not _calls_for_action(game, text, self.seed):
                continue
            seed = play_seed(self.seed, _PROOF + k)
            proof = prove_briefly(game, text, seed, self.calls, longest_win(text), experience)
            made.append(MadeLevel(text, 0 if proof is None else proof.ticks))
            good += made[-1].ticks >= MARGIN * self.min_win
            longest = max(level.ticks for level in made)
            if good >= count or (len(made) >= _HOPELESS and not longest):
                break
        ranked = sorted(made, key=lambda level: -min(level.ticks, MARGIN * self.min_win))
        if good < 2:
            return tuple(ranked[:count])
        return tuple(sorted(ranked[: min(count, good)], key=lambda level: level.ticks))


class _Drawing:
    """Levels of one game, as they are drawn."""

    def __init__(self, game: Game, own: Sequence[str], seed: int) -> None:
        self.seed = seed
        fitting = [text for text in own if _fits(game, text)]
        read = [game.read_level(text) for text in fitting]
        self.context = LevelContext.of(_WithLevels(game.definition, fitting))
        self.kinds = game_kinds(game.definition, read)
        self.reading = RuleReading(self.kinds, read)
        self.blanks = _without_purpose(self.reading, self.context)
        self.open_ground = _calls_for_open_ground(self.context)

    def level(self, k: int, step: int) -> str:
        """Return the k-th level.

        One small level among three can be won where larger ones are out of reach, one of rooms takes longer where
        others are won in a few steps. But in the small one the way is as long as the level allows.

        Args:
            k: equal numbers give equal levels.
            step: the larger, the more there is to do.
        """
        context = with_wanted_sprites(self.context, self.reading, step)
        text = self._generator(context, k).ask(1)[0].level.translate(self.blanks)
        return text if k % 3 == 1 else from_afar(text, context)

    def _generator(self, context: LevelContext, k: int) -> LevelGenerator:
        open_ground = self.open_ground
        # levels that people made can be smaller than those that are drawn
        (least_width, width), (least_height, height) = (
            (max(context.smallest, min(low, high, most)), max(context.smallest, min(high, most)))
            for (low, high), most in zip((context.widths, context.heights), LARGEST, strict=True)
        )
        seed = self.seed + (k // 3 << 40)
        if k % 3 == 1:
            return MinimalGenerator(context, seed=seed, max_width=width, max_height=height)
        style, walls = ("pillars", OPEN_WALLS) if open_ground else ("mixed", 1.0)
        if k % 3 == 0:
            return ConstructiveGenerator(
                context, seed=seed, style=style, walls=walls,
                min_width=least_width, max_width=width, min_height=least_height, max_height=height,
            )  # fmt: skip
        if not open_ground:
            style, walls = "segments" if context.lanes else "rooms", ROOMY_WALLS
        return ConstructiveGenerator(
            context, seed=seed, style=style, walls=walls,
            min_width=width, max_width=max(width, LARGEST[0]), min_height=height, max_height=max(height, LARGEST[1]),
        )  # fmt: skip


def _calls_for_open_ground(context: LevelContext) -> bool:
    """Return True where what moves has to find its way: who is to be hunted, driven or led would be safe behind walls,
    for chasers of this language walk straight on.
    """
    analysis = context.analysis
    if any(e.kind == "timeout" for e in analysis.wins):
        return True
    counted = {t for e in analysis.wins for t in e.types if analysis.has(t, "mover")}
    return any(r.victim in counted and r.partner is not None and r.partner not in analysis.avatars
               and not analysis.has(r.partner, "mover") for r in analysis.removals)  # fmt: skip


def from_afar(text: str, context: LevelContext) -> str:
    """Return a level in which the avatar starts where the nearest thing that winning takes is farthest away, but not
    beside what is harmful.

    Args:
        text: of the level.
        context: of its game; where the avatar does not move freely, or nothing has to be met to win, nothing changes.
    """
    palette, analysis = context.palette, context.analysis
    grid = palette.parse(text)
    wanted = [
        k for k, tile in enumerate(palette.tiles)
        if k not in palette.avatars
        and (k in context.required_tiles or any(analysis.has(t, "goal") for t in tile.content))
    ]  # fmt: skip
    starts = np.argwhere(np.isin(grid, palette.avatars))
    if analysis.mobility != "freely" or len(starts) != 1 or not np.isin(grid, wanted).any():
        return text
    start = tuple(starts[0].tolist())
    walls = np.isin(grid, [k for k in (palette.wall, *context.walls) if k is not None])
    away = _steps(np.isin(grid, wanted), walls)
    ground = _ground(grid, palette)
    within = _steps(np.isin(grid, palette.avatars), walls) >= 0
    harmful = [k for k, tile in enumerate(palette.tiles) if any(analysis.has(t, "harmful") for t in tile.content)]
    dangers = _steps(np.isin(grid, harmful), walls)
    quiet = (dangers < 0) | (dangers >= KEEP_AWAY)
    ways = np.where(within & quiet & (grid == ground), away, -1)
    if ways.max() <= away[start]:
        return text
    best = np.unravel_index(int(ways.argmax()), ways.shape)
    moved = grid.copy()
    moved[start], moved[best] = ground, grid[start]
    return palette.text(moved)


def _ground(grid: Grid, palette: Palette) -> int:
    """Return the tile of a level's ground: of those without content the commonest, bare ground without one."""
    counts = [(int((grid == k).sum()), -k) for k in palette.grounds]
    most, number = max(counts, default=(0, 0))
    return -number if most else palette.empty


def _steps(sources: Mask, walls: Mask) -> NDArray[np.int64]:
    """Return the steps from the nearest source to every cell, -1 where there is no way."""
    steps = np.where(sources, 0, -1)
    edge = sources.copy()
    for number in range(1, steps.size):
        near = np.zeros_like(edge)
        near[1:] |= edge[:-1]
        near[:-1] |= edge[1:]
        near[:, 1:] |= edge[:, :-1]
        near[:, :-1] |= edge[:, 1:]
        edge = near & ~walls & (steps < 0)
        if not edge.any():
            break
        steps[edge] = number
    return steps


def _without_purpose(reading: RuleReading, context: LevelContext) -> dict[int, str]:
    """Return what characters of sprites that change nothing for the player are replaced by, as of `str.translate`."""
    palette = context.palette
    aimless = set(reading.aimless)
    kept = {palette.empty, palette.wall, context.filler, *palette.avatars, *context.walls, *context.frame}
    blank = palette.tiles[palette.empty].char
    return {
        ord(tile.char): blank
        for k, tile in enumerate(palette.tiles)
        if k not in kept and set(tile.content) <= aimless and set(tile.types) != set(palette.tiles[palette.empty].types)
    }


def _fits(game: Game, text: str) -> bool:
    """Return False where a level has what the rules of this game cannot create, as a portal that leads nowhere now."""
    try:
        game.read_level(text)
    except PcgError:
        return False
    return True


def _calls_for_action(game: Game, text: str, seed: int) -> bool:
    """Return True where a player who does nothing is neither lost nor wins in the first moments, and does not win in
    the end where winning is to stay alive.
    """
    limit = max((e.limit for e in analyse(game.definition).wins if e.kind == "timeout"), default=0)
    for sample in range(_WAITS if limit else 1):
        state = game.start(text, seed=(seed + sample) & 0x7FFFFFFF)
        ticks = 0
        while not state.is_over and ticks < (min(limit, _LONGEST) or _QUIET):
            state.advance("NIL")
            ticks += 1
        if state.is_over != bool(limit) or (limit and (ticks < _QUIET or state.winner == 1)):
            return False
    return True


@dataclass(frozen=True)
class _WithLevels:
    """Game with other levels, as generators see it."""

    definition: GameDefinition
    levels: Sequence[str]
