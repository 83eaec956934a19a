"""The page of a run folder: a heat-map whose cells open levels, and an editor beside it.

`archive_app` is the whole application; its addresses are listed in docs/web.md. What it shows is read by `run_levels`
and `heatmap`, what it does with levels is done by `level_editor`, and playing is `player`'s business.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import AsyncIterator, Collection
from functools import partial
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from pcg.evaluators.analysis import analyse
from pcg.evaluators.metrics.registry import METRICS
from pcg.render import render_cells, render_level
from pcg.web.guard import LOCAL_HOSTS, Refused, read_object, take
from pcg.web.heatmap import FITNESS, heatmap
from pcg.web.level_editor import (
    LARGEST_SIDE,
    MOST_SUGGESTIONS,
    Bench,
    LevelEditor,
    failed,
    metrics_json,
    parts_list,
)
from pcg.web.pages import application, page
from pcg.web.player import PlayServer, PlaySession, replay_frames, sheet_for
from pcg.web.run_levels import GROUPS, Entry, RunFolder
from pcg.web.single_level import play_route

DRAWN = "drawn"
"""Folder of a run for the levels that were drawn in the editor."""
LONGEST_TITLE = 60
_TILE = 16


class ArchiveSite:
    """The handlers of one run's pages."""

    def __init__(self, folder: Path | str, *, limit_s: float = 60.0) -> None:
        self.run = RunFolder(folder)
        manifest = self.run.run
        settings = manifest.get("evaluation", {})
        self.editor = LevelEditor(
            self.run.game,
            # bounds that the run did not set give way to the game's own levels here too
            {name: settings[name] for name in manifest.get("evaluation_set", settings)},
            wants=", ".join(manifest.get("wants", ())),
            seed=int(manifest.get("seed", 1)),
            folder=self.run.folder / DRAWN,
        )
        self.plays = PlayServer()
        self.bench = Bench(limit_s=limit_s)

    def routes(self) -> list[Any]:
        """Every address of the site."""
        return [
            Route("/", self.home),
            Route("/api/archive", self.archive),
            Route("/api/levels/{key}", self.level),
            Route("/api/levels/{key}/picture.png", self.picture),
            Route("/api/levels/{key}/replay", self.replay),
            Route("/api/drawn", self.drawn),
            Route("/api/drawn", self.save, methods=["POST"]),
            Route("/api/tiles.png", self.tiles),
            Route("/api/blank", self.blank),
            Route("/api/check", self.check, methods=["POST"]),
            Route("/api/evaluate", self.evaluate, methods=["POST"]),
            Route("/api/complete", self.complete, methods=["POST"]),
            Route("/api/play", self.play, methods=["POST"]),
            play_route(self.plays),
            *self.plays.routes(),
        ]

    # -- looking -------------------------------------------------------------------------------------------------------

    async def home(self, request: Request) -> Response:
        await self.bench.run(self.run.refresh)
        completers = await self.bench.run(lambda: self.editor.completers)
        manifest, game = self.run.run, self.run.game
        start = self.editor.tidy(game.levels[0]) if game.levels else self.editor.blank(12, 10)
        return page(
            request,
            "archive",
            game=game.name,
            generator=manifest["generator"]["name"],
            seed=manifest["seed"],
            folder=self.run.folder.resolve().name,
            goal=analyse(game.definition).how_to_win,
            groups={group: (GROUPS[group], size) for group, size in self.run.groups().items() if group != "closest"},
            tiles=self.editor.tiles(),
            sources={name: completer.help for name, completer in completers.items()},
            start=start,
            wants=", ".join(manifest.get("wants", ())),
            least=self.editor.context.smallest,
            largest=LARGEST_SIDE,
            most=MOST_SUGGESTIONS,
        )

    async def archive(self, request: Request) -> Response:
        query = request.query_params
        return JSONResponse(await self.bench.run(partial(self._archive, query.get("show", ""), query.get("x", ""),
                                                         query.get("y", ""))))  # fmt: skip

    def _archive(self, show: str, x: str, y: str) -> dict[str, Any]:
        self.run.refresh()
        groups = self.run.groups()
        group = show or next((g for g in ("cell", "kept", "tried", "drawn") if g in groups), "kept")
        points = self.run.points(group)
        # Places in an archive count where the archive is shown; other levels are put by their values.
        made = heatmap(points, self.run.measures, x, y)
        named = [{"name": n, "help": _help(n)} for n in made.pop("names")]
        return {"show": group, "groups": groups, "names": named, **made}

    async def level(self, request: Request) -> Response:
        return JSONResponse(_entry_json(self._entry(request)))

    def _entry(self, request: Request) -> Entry:
        return self.run.entry(request.path_params["key"])

    async def picture(self, request: Request) -> Response:
        entry = self._entry(request)
        return await self.bench.run(partial(self._picture, entry.level))

    def _picture(self, level: str) -> Response:
        file = io.BytesIO()
        render_level(self.run.game, level, tile=_TILE).save(file, "PNG")
        return Response(file.getvalue(), media_type="image/png", headers={"cache-control": "no-cache"})

    async def replay(self, request: Request) -> Response:
        entry = self._entry(request)
        if not entry.actions:
            raise Refused("there is no winning play of this level", 404)
        root = request.scope.get("root_path", "").rstrip("/")
        return JSONResponse(await self.bench.run(partial(self._replay, entry.level, entry.seed, entry.actions, root)))

    def _replay(self, level: str, seed: int, actions: tuple[str, ...], root: str) -> dict[str, Any]:
        state = self.run.game.start(level, seed=seed)
        sheet = sheet_for(self.run.game)
        return {
            "width": state.width,
            "height": state.height,
            "block": state.block_size,
            "sheet": {"url": root + self.plays.add_sheet(sheet), **sheet.describe()},
            "frames": replay_frames(self.run.game, level, seed, actions),
        }

    # -- editing -------------------------------------------------------------------------------------------------------

    async def drawn(self, request: Request) -> Response:
        await self.bench.run(self.run.refresh)
        return JSONResponse({"levels": [_entry_json(entry) for entry in self.run.entries(DRAWN)]})

    async def tiles(self, request: Request) -> Response:
        return await self.bench.run(self._tiles)

    def _tiles(self) -> Response:
        """The palette's tiles side by side, 16 pixels each: above as they look over one of their kind, below as over
        something else.
        """
        file = io.BytesIO()
        row = [tile.types for tile in self.editor.context.palette.tiles]
        render_cells(self.run.game, [row, row], tile=_TILE).save(file, "PNG")
        return Response(file.getvalue(), media_type="image/png", headers={"cache-control": "no-cache"})

    async def blank(self, request: Request) -> Response:
        sides = []
        for name in ("width", "height"):
            text = request.query_params.get(name, "")
            if not (text.isascii() and text.isdigit() and len(text) < 6):
                raise Refused(f"`{name}` is {text[:20]!r}, expected a whole number")
            sides.append(int(text))
        return JSONResponse({"level": self.editor.blank(*sides)})

    async def check(self, request: Request) -> Response:
        level = take(await read_object(request), "level", str)
        return JSONResponse({"found": self.editor.check(level)})

    async def evaluate(self, request: Request) -> Response:
        data = await read_object(request)
        level, wants = take(data, "level", str), take(data, "wants", str, "", most=1000)
        return JSONResponse(await self.bench.run(partial(self.editor.judge, level, wants)))

    async def complete(self, request: Request) -> Response:
        data = await read_object(request)
        work = partial(
            self.editor.complete,
            take(data, "level", str),
            take(data, "locked", list, most=LARGEST_SIDE),
            count=take(data, "count", int, 6),
            wants=take(data, "wants", str, "", most=1000),
            seed=take(data, "seed", int, 0),
        )
        return JSONResponse(await self.bench.run(work))

    async def save(self, request: Request) -> Response:
        data = await read_object(request)
        title = " ".join(take(data, "title", str, "", most=LONGEST_TITLE).split()) or "drawn level"
        number = await self.bench.run(partial(self.editor.save, take(data, "level", str), title))
        await self.bench.run(self.run.refresh)
        return JSONResponse(_entry_json(self.run.entry(f"{DRAWN}-{number}")), 201)

    # -- playing -------------------------------------------------------------------------------------------------------

    async def play(self, request: Request) -> Response:
        """Open a play of a level of the run (`key`) or of a text (`level`)."""
        data = await read_object(request)
        if ("key" in data) == ("level" in data):
            raise Refused("expected either `key`, a level of the run, or `level`, a level text")
        if "key" in data:
            entry = self.run.entry(take(data, "key", str))
            level, seed = entry.level, entry.seed
        else:
            level, seed = self.editor.tidy(take(data, "level", str)), self.editor.seed
        seed = take(data, "seed", int, seed)
        session = await self.bench.run(partial(PlaySession, self.run.game, level, seed))
        token = self.plays.create(session)
        root = request.scope.get("root_path", "").rstrip("/")
        return JSONResponse(
            {"token": token, "page": f"{root}/play/{token}", "socket": f"{root}/play/{token}/socket"}, 201
        )


def _help(name: str) -> str:
    if name == FITNESS:
        return "how good a feasible level is, 0 to 1"
    return METRICS[name].help if name in METRICS else ""


def _entry_json(entry: Entry) -> dict[str, Any]:
    return {
        "key": entry.key,
        "title": entry.title,
        "level": entry.level,
        "feasible": entry.feasible,
        "fitness": entry.fitness,
        "failed": failed(entry.constraints),
        "metrics": metrics_json(entry.metrics),
        "winner": entry.winner,
        "ticks": len(entry.actions),
        "wants": {name: value >= 1.0 for name, value in entry.wants.items()},
        "mechanics": list(entry.mechanics),
        "parts": parts_list(entry.parts),
        "origin": entry.origin,
    }


def archive_app(folder: Path | str, *, hosts: Collection[str] = LOCAL_HOSTS, limit_s: float = 60.0) -> Starlette:
    """The web application of a run folder.

    Args:
        folder: of the run.
        hosts: names by which the server may be addressed.
        limit_s: seconds after which an evaluation or completion is given up.

    Raises:
        PcgError: when the folder is no run that generates levels.
    """
    site = ArchiveSite(folder, limit_s=limit_s)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        site.bench.close()

    return application(site.routes(), hosts=hosts, lifespan=lifespan)
