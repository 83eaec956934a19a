"""The page of a run folder: a heat-map whose cells open levels, and an editor beside it.

`archive_app` is the whole application; its addresses are listed in docs/web.md. What it shows is read by `run_levels`
and `heatmap`, what it does with levels is done by `level_editor`, and playing is `player`'s business.
"""

from __future__ import annotations

import base64
import contextlib
import io
from collections.abc import AsyncIterator, Collection
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from pcg.describe import describe
from pcg.engine.game import Game
from pcg.evaluators.metrics.registry import METRICS
from pcg.export.bundle import RecordedPlay, bundle
from pcg.export.page import page as page_of
from pcg.export.sources import one_game
from pcg.render import render_level
from pcg.report.base import PAGE, read_run
from pcg.report.levels import render_levels
from pcg.report.pictures import draw_pictures
from pcg.web.exported import bundle_json, player_routes
from pcg.web.guard import LOCAL_HOSTS, PLAY_HEADERS, Refused, read_object, security_headers, take
from pcg.web.heatmap import heatmap
from pcg.web.level_editor import (
    MOST_SUGGESTIONS,
    Bench,
    LevelEditor,
    failed,
    metrics_json,
    parts_list,
)
from pcg.web.level_routes import LevelRoutes
from pcg.web.marks import STARRED, Marks, digest_of
from pcg.web.pages import application, language_of, page
from pcg.web.player import PlayServer, PlaySession, replay_frames, sheet_for
from pcg.web.points import FITNESS, LevelPoints, Points
from pcg.web.run_levels import GROUPS, Entry, RunFolder
from pcg.web.single_level import play_route
from pcg.web.solving import LevelSolver

DRAWN = "drawn"
"""Folder of a run for the levels that were drawn in the editor."""
DISCARDED = "discarded"
LONGEST_TITLE = 60
_TILE = 16


class ArchiveSite:
    """The handlers of one run's pages.

    Args:
        folder: of the run, which may be read already.
        limit_s: seconds after which an evaluation or completion is given up.
    """

    def __init__(self, folder: Path | str | RunFolder, *, limit_s: float = 60.0) -> None:
        self.run = folder if isinstance(folder, RunFolder) else RunFolder(folder)
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
        self.marks = Marks(self.run.folder, self.run.game.definition.source)
        self.plays = PlayServer()
        self.bench = Bench(limit_s=limit_s)
        self.painter = Bench(workers=1, waiting=1000)
        self.solver = LevelSolver()
        self.levels = LevelRoutes(lambda: self.editor, self.bench, self.solver)

    def close(self) -> None:
        """Let nothing new start."""
        self.bench.close()
        self.painter.close()
        self.solver.close()

    def routes(self) -> list[Any]:
        """Every address of the site."""
        return [
            Route("/", self.home),
            Route("/api/archive", self.archive),
            Route("/api/levels/{key}", self.level),
            Route("/api/levels/{key}/picture.png", self.picture),
            Route("/api/levels/{key}/replay", self.replay),
            Route("/api/levels/{key}/game", self.game),
            Route("/api/game", self.game_of, methods=["POST"]),
            Route("/api/drawn", self.drawn),
            Route("/api/drawn", self.save, methods=["POST"]),
            Route("/api/star", self.star, methods=["POST"]),
            Route("/api/discard", self.discard, methods=["POST"]),
            Route("/api/vote", self.vote, methods=["POST"]),
            Route("/api/votes", self.votes),
            Route("/api/page", self.exported_page),
            Route("/report", self.report),
            Route("/api/play", self.play, methods=["POST"]),
            *self.levels.routes(),
            play_route(self.plays),
            *self.plays.routes(),
            *player_routes(),
        ]

    # -- looking -------------------------------------------------------------------------------------------------------

    async def home(self, request: Request) -> Response:
        await self.bench.run(self.run.refresh)
        manifest, game = self.run.run, self.run.game
        return page(
            request,
            "archive",
            game=game.name,
            generator=manifest["generator"]["name"],
            seed=manifest["seed"],
            folder=self.run.folder.resolve().name,
            goal=describe(game, language=language_of(request)).win,
            groups={group: (GROUPS[group], size) for group, size in self._sizes().items()},
            wants=", ".join(manifest.get("wants", ())),
            most=MOST_SUGGESTIONS,
        )

    async def archive(self, request: Request) -> Response:
        query = request.query_params
        return JSONResponse(await self.bench.run(partial(self._archive, query.get("show", ""), query.get("x", ""),
                                                         query.get("y", ""))))  # fmt: skip

    def _sizes(self) -> dict[str, int]:
        """The groups that can be shown, and how many levels each has."""
        sizes = {group: size for group, size in self.run.groups().items() if group != "closest"}
        return {**sizes, **({DISCARDED: n} if (n := len(self.marks.discarded)) else {})}

    def _archive(self, show: str, x: str, y: str) -> dict[str, Any]:
        self.run.refresh()
        groups = self._sizes()
        group = show or next((g for g in ("cell", "kept", "tried", "drawn") if g in groups), "kept")
        discarded = group == DISCARDED
        points: LevelPoints
        points = Points.of(self._discarded()) if discarded else self.run.points(group).without(self._gone())
        # Places in an archive count where the archive is shown; other levels are put by their values.
        made = heatmap(points, self.run.measures, x, y)
        named = [{"name": n, "help": _help(n)} for n in made.pop("names")]
        course = [e for e in self.run.entries("kept") if e.course] if group == "kept" else []
        ordered = [e.key for e in sorted(course, key=lambda e: int(e.course.get("place", 0)))]
        return {"show": group, "groups": groups, "names": named, "course": ordered, **made}

    def _gone(self) -> set[str]:
        """Keys of the levels that are thrown away, wherever they are shown."""
        found = set(self.marks.discarded.values())
        if not found:
            return found
        for group in ("cell", "kept", "closest", "drawn"):
            found |= {e.key for e in self.run.entries(group) if digest_of(e.level) in self.marks.discarded}
        return found

    def _discarded(self) -> list[Entry]:
        found = []
        for key in self.marks.discarded.values():
            with contextlib.suppress(Refused):  # it may have left the run since
                found.append(self.run.entry(key))
        return found

    async def level(self, request: Request) -> Response:
        return JSONResponse(self._told(self._entry(request)))

    def _told(self, entry: Entry) -> dict[str, Any]:
        digest = digest_of(entry.level)
        said = {"starred": digest in self.marks.starred, "discarded": digest in self.marks.discarded}
        return {**_entry_json(entry), "digest": digest, **said}

    def _entry(self, request: Request) -> Entry:
        try:
            return self.run.entry(request.path_params["key"])
        except Refused:  # the run may have gone on since it was read
            self.run.refresh()
            return self.run.entry(request.path_params["key"])

    async def picture(self, request: Request) -> Response:
        entry = self._entry(request)
        tile = request.query_params.get("tile", "")
        side = int(tile) if tile in ("4", "8") else _TILE
        return await self.painter.run(partial(self._picture, entry.level, side))

    def _picture(self, level: str, side: int) -> Response:
        file = io.BytesIO()
        render_level(self.run.game, level, tile=side).save(file, "PNG")
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

    async def save(self, request: Request) -> Response:
        data = await read_object(request)
        title = " ".join(take(data, "title", str, "", most=LONGEST_TITLE).split()) or "drawn level"
        number = await self.bench.run(partial(self.editor.save, take(data, "level", str), title))
        await self.bench.run(self.run.refresh)
        return JSONResponse(self._told(self.run.entry(f"{DRAWN}-{number}")), 201)

    # -- marking -------------------------------------------------------------------------------------------------------

    async def star(self, request: Request) -> Response:
        data = await read_object(request)
        entry = self.run.entry(take(data, "key", str))
        await self.painter.run(partial(self.marks.star, entry, take(data, "on", bool, True)))
        await self.bench.run(self.run.refresh)
        return JSONResponse({**self._told(entry), "groups": self._sizes()})

    async def discard(self, request: Request) -> Response:
        data = await read_object(request)
        entry = self.run.entry(take(data, "key", str))
        await self.painter.run(partial(self.marks.discard, entry, take(data, "on", bool, True)))
        return JSONResponse({**self._told(entry), "groups": self._sizes()})

    async def vote(self, request: Request) -> Response:
        data = await read_object(request)
        first, second = (self.run.entry(take(data, name, str)) for name in ("first", "second"))
        await self.painter.run(partial(self.marks.vote, first, second, take(data, "answer", str, most=10)))
        return JSONResponse(await self.painter.run(self._votes))

    async def votes(self, request: Request) -> Response:
        return JSONResponse(await self.painter.run(self._votes))

    def _votes(self) -> dict[str, Any]:
        """Return the learnt preferences, and the pair whose vote would be most informative."""
        gone = self._gone()
        entries = [e for group in ("starred", "kept", "cell", "drawn") for e in self.run.entries(group)]
        pair = self.marks.pair(e for e in entries if e.key not in gone)
        return {**self.marks.told(), "pair": None if pair is None else [entry.key for entry in pair]}

    # -- playing -------------------------------------------------------------------------------------------------------

    async def game(self, request: Request) -> Response:
        """Tell a page what it needs to play a level of the run, with the play that won it."""
        entry = self._entry(request)
        plays = {0: RecordedPlay(entry.seed, entry.actions)} if entry.actions else {}
        return JSONResponse(await self.painter.run(partial(self._game, entry.level, entry.title, plays)))

    async def game_of(self, request: Request) -> Response:
        """Tell a page what it needs to play a level text."""
        level = self.editor.tidy(take(await read_object(request), "level", str))
        return JSONResponse(await self.painter.run(partial(self._game, level, "", {})))

    def _game(self, level: str, title: str, plays: dict[int, RecordedPlay]) -> dict[str, Any]:
        game = self.run.game
        one = Game(game.definition, [level], name=game.name, reading=game.reading)
        return bundle_json(one, titles=[title] if title else (), plays=plays)

    async def report(self, request: Request) -> Response:
        """Return the report of the run, from which every level is played and edited here."""
        made = await self.bench.run(self._report)
        digest = base64.b64encode(sha256(made.split("<script>")[1].split("</script>")[0].encode()).digest()).decode()
        policy = f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
        return HTMLResponse(made, headers={name.decode(): value.decode() for name, value in security_headers(policy)})

    def _report(self) -> str:
        read_run(self.run.folder, "levels/index.json")  # of a run that is under way there is none
        if not (self.run.folder / PAGE).exists():
            draw_pictures(self.run.folder)
        return render_levels(self.run.folder, studio=True)

    async def exported_page(self, request: Request) -> Response:
        """The page that `pcg export` makes of the run; with `?starred=1` of its starred levels."""
        chosen = bool(request.query_params.get("starred"))
        folder = self.run.folder / STARRED if chosen else self.run.folder
        one = await self.bench.run(lambda: one_game(str(folder)))
        title = self.run.folder.resolve().name if chosen else one.title
        made = await self.bench.run(lambda: page_of(bundle(one.game, titles=one.titles, plays=one.plays, title=title)))
        disposition = f'attachment; filename="{self.run.game.name}.html"'
        return Response(made, media_type="text/html", headers={"content-disposition": disposition})

    # -- playing on the server -----------------------------------------------------------------------------------------

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
        "teaches": str(entry.course.get("teaches", "")),
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
        site.close()

    return application(site.routes(), hosts=hosts, lifespan=lifespan, headers=PLAY_HEADERS)
