"""The application of the studio: one navigation over writing, generating, looking at runs, and breeding.

/                     write, paint and play (`writing`)
/generate             choose what to make, watch it, stop it, go on with it
/look                 all runs
/runs/RUN/            a run: of levels `pcg.web.archive`, of rules and games the gallery (`gallery`)
/breed                runs of breeding, and a new one
/breed/RUN/           one of them (`pcg.breeding.app`)

GET  /api/runs                     every run, the latest first
POST /api/runs {choice}            begin a run: its name and command
POST /api/command {choice}         the command that would do it
GET  /api/runs/RUN/state           what is known of it now (`following`)
POST /api/runs/RUN/stop, /go-on    {more, unit}: a larger budget
POST /api/study {run, name}        a study of the starred levels of a run
POST /api/breed {game, population, seed, wants}
"""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import AsyncIterator, Collection
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from pcg.breeding import BreedingRun, LevelPopulation
from pcg.breeding.app import BreedingSite
from pcg.breeding.population import BREEDING
from pcg.engine.game import Game
from pcg.generators.levels import GENERATORS
from pcg.runs.store import GAMES, LEVELS, RULES, kind_of
from pcg.studio.commands import PRODUCTS, UNITS, Choice, command_line, sliders
from pcg.studio.following import Follower
from pcg.studio.gallery import GameGallery
from pcg.studio.jobs import Jobs
from pcg.studio.studies import study_of_starred
from pcg.studio.workspace import Workspace, known_games, tidy_name
from pcg.studio.writing import WritingSite
from pcg.web.archive import ArchiveSite
from pcg.web.exported import player_routes
from pcg.web.guard import LOCAL_HOSTS, PLAY_HEADERS, Refused, read_object, take
from pcg.web.level_editor import Bench
from pcg.web.pages import STUDIO, application, files, page, static_routes
from pcg.web.run_levels import RunFolder

__all__ = ["StudioSite", "studio_app"]

STATIC = Path(__file__).parent / "static"


class StudioSite:
    """The handlers of the studio.

    Args:
        workspace: the folder it works in.
        game: what writing begins with.
        population: a run of breeding that is open already.
    """

    def __init__(
        self, workspace: Workspace, game: Game | None = None, population: LevelPopulation | None = None
    ) -> None:
        self.workspace = workspace
        self.jobs = Jobs(workspace)
        self.writing = WritingSite(game, workspace)
        self.bench = Bench(workers=2, waiting=30, limit_s=300.0)
        self._followers: dict[str, Follower] = {}
        self._levels: dict[str, RunFolder] = {}
        self._sites: dict[str, tuple[Any, ASGIApp]] = {}
        if population is not None:
            self._add(population.folder.resolve().name, BreedingSite(population))

    def close(self) -> None:
        """Stop all runs, and let nothing new start."""
        self.jobs.close()
        self.writing.close()
        self.bench.close()
        for site, _ in self._sites.values():
            site.close()

    def routes(self) -> list[BaseRoute]:
        """Return every address."""
        return [
            *self.writing.routes(),
            Route("/generate", self.generate),
            Route("/look", self.look),
            Route("/breed", self.breed),
            Route("/api/runs", self.runs),
            Route("/api/runs", self.start, methods=["POST"]),
            Route("/api/command", self.command, methods=["POST"]),
            Route("/api/runs/{run}/state", self.state),
            Route("/api/runs/{run}/stop", self.stop, methods=["POST"]),
            Route("/api/runs/{run}/go-on", self.go_on, methods=["POST"]),
            Route("/api/study", self.study, methods=["POST"]),
            Route("/api/breed", self.begin_breeding, methods=["POST"]),
            Route("/runs/{run}", self.with_slash),
            Route("/breed/{run}", self.with_slash),
            Mount("/runs/{run}", app=self.one_run),
            Mount("/breed/{run}", app=self.one_run),
            Mount("/studio", files(STATIC)),
            *player_routes(),
        ]

    # -- pages ---------------------------------------------------------------------------------------------------------

    async def generate(self, request: Request) -> Response:
        games = known_games(self.workspace)
        chosen = request.query_params.get("game", "") or str(self.writing.first["name"])
        return page(
            request, "generate", package="pcg.studio", games=games, chosen=chosen,
            products={what: title for what, (title, _) in PRODUCTS.items()}, units=UNITS, sliders=sliders(),
            generators={name: GENERATORS[name].help for name in _available()},
        )  # fmt: skip

    async def look(self, request: Request) -> Response:
        return page(request, "look", package="pcg.studio", folder=str(self.workspace.folder.resolve()))

    async def breed(self, request: Request) -> Response:
        return page(request, "breed", package="pcg.studio", games=known_games(self.workspace),
                    chosen=str(self.writing.first["name"]))  # fmt: skip

    async def with_slash(self, request: Request) -> Response:
        return RedirectResponse(f"{request.url.path}/", 307)

    # -- runs ----------------------------------------------------------------------------------------------------------

    async def one_run(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on to the pages of a run."""
        name = scope["path_params"]["run"]
        if name not in self._sites:
            await self.bench.run(lambda: self._open(name))
        await self._sites[name][1](scope, receive, send)

    def _open(self, name: str) -> None:
        folder = self.workspace.run(name)
        kind = kind_of(folder)
        site: ArchiveSite | BreedingSite | GameGallery
        if kind == BREEDING:
            site = BreedingSite(LevelPopulation.open(folder))
        elif kind == LEVELS:
            site = ArchiveSite(self._read(name, folder))
        elif kind in (RULES, GAMES):
            site = GameGallery(folder)
        else:
            raise Refused(f"{name} is a run of kind {kind!r}, which has no page; see its report.html", 404)
        self._add(name, site)

    def _read(self, name: str, folder: Path) -> RunFolder:
        """Return a run of levels, which all its pages share: its log can be long."""
        if name not in self._levels:
            self._levels.setdefault(name, RunFolder(folder))
        return self._levels[name]

    def _add(self, name: str, site: Any) -> None:
        self._sites.setdefault(name, (site, Router([*site.routes(), *static_routes()])))

    async def runs(self, request: Request) -> Response:
        return JSONResponse({"runs": await self.bench.run(self._runs)})

    def _runs(self) -> list[dict[str, Any]]:
        found = []
        seen = set()
        for name, manifest in self.workspace.runs():
            seen.add(name)
            kind = str(manifest.get("kind", LEVELS))
            about = {"name": name, "kind": kind, "running": self.jobs.running(name), "problem": self.jobs.problem(name)}
            if kind == BREEDING:
                found.append({**about, "game": manifest["game"]["name"], "generator": BREEDING})
            elif kind in (LEVELS, RULES, GAMES):
                found.append({**about, **self._state(name)})
        # commands whose folder is no run yet, or that failed before it was one
        begun = [name for name in reversed(self.jobs.known()) if name not in seen]
        return [*(self._starting(name) for name in begun), *found]

    def _starting(self, name: str) -> dict[str, Any]:
        return {"name": name, "kind": "", "running": self.jobs.running(name), "problem": self.jobs.problem(name),
                "command": command_line(self.jobs.arguments(name)), "tried": 0}  # fmt: skip

    def _state(self, name: str) -> dict[str, Any]:
        folder = self.workspace.run(name)
        follower = self._followers.get(name)
        if follower is None:
            makes_levels = kind_of(folder) == LEVELS
            follower = Follower(self._read(name, folder) if makes_levels else folder)
            follower = self._followers.setdefault(name, follower)
        return follower.state()

    async def state(self, request: Request) -> Response:
        return JSONResponse(await self.bench.run(lambda: self._known(request.path_params["run"])))

    def _known(self, name: str) -> dict[str, Any]:
        running, problem = self.jobs.running(name), self.jobs.problem(name)
        if name in self.jobs.known() and not (self.workspace.folder / name / "run.json").is_file():
            return self._starting(name)
        return {"name": name, **self._state(name), "running": running, "problem": problem}

    async def command(self, request: Request) -> Response:
        choice = Choice.read(await read_object(request))
        name = self.workspace.free_name(choice.run_name)
        arguments = await self.bench.run(lambda: choice.arguments(self.workspace, name))
        return JSONResponse({"command": command_line(arguments)})

    async def start(self, request: Request) -> Response:
        choice = Choice.read(await read_object(request))
        name = self.workspace.free_name(choice.run_name)
        while name in self.jobs.known():  # a command begun a moment ago may not have made its folder yet
            name = self.workspace.free_name(f"{name}-again")
        arguments = await self.bench.run(lambda: choice.arguments(self.workspace, name))
        await self.bench.run(lambda: self.jobs.start(name, arguments))
        return JSONResponse({"name": name, "command": command_line(arguments)}, 201)

    async def stop(self, request: Request) -> Response:
        self.jobs.stop(request.path_params["run"])
        return JSONResponse({"name": request.path_params["run"]})

    async def go_on(self, request: Request) -> Response:
        """Go on with a run; `budget` and `unit` are a new limit of the whole run, without them its own."""
        data = await read_object(request)
        name = request.path_params["run"]
        folder = self.workspace.run(name)
        shown = name if folder.parent.resolve() == self.workspace.folder.resolve() else str(folder.resolve())
        arguments = ["resume", shown]
        budget, unit = take(data, "budget", int, 0, most=10**7), take(data, "unit", str, "evaluations", most=20)
        if unit not in UNITS or budget < 0:
            raise Refused(f"a budget of {budget} {unit[:20]}: expected a number and one of {', '.join(UNITS)}")
        if budget:
            arguments += ["--budget", f"{budget}{unit}"]
        await self.bench.run(lambda: self.jobs.start(name, arguments))
        return JSONResponse({"name": name, "command": command_line(arguments)}, 201)

    # -- people --------------------------------------------------------------------------------------------------------

    async def study(self, request: Request) -> Response:
        data = await read_object(request)
        run, name = take(data, "run", str, most=100), take(data, "name", str, "", most=60)
        made = await self.bench.run(
            lambda: study_of_starred(self.workspace, self.workspace.run(run), run, tidy_name(name or f"{run}-study"))
        )
        return JSONResponse(made, 201)

    async def begin_breeding(self, request: Request) -> Response:
        data = await read_object(request)
        game, wants = take(data, "game", str, most=100), take(data, "wants", str, "", most=1000)
        population, seed = take(data, "population", int, 8, most=24), take(data, "seed", int, 1, most=2**31)
        name = self.workspace.free_name(f"{game}-bred")
        made = await self.bench.run(lambda: self._breed(game, wants, population, seed, name))
        return JSONResponse(made, 201)

    def _breed(self, game: str, wants: str, population: int, seed: int, name: str) -> dict[str, Any]:
        own = self.workspace.read_game(game)
        folder = self.workspace.folder
        if own is not None:
            relative = self.workspace.snapshot(game, own["text"], own["levels"])
            file, shown = str(folder / relative), relative.as_posix()
        elif game in known_games(self.workspace):
            file = shown = game
        else:
            raise Refused(f"there is no game {game[:60]!r} here", 404)
        config = BreedingRun.from_mapping(
            {"run": {"game": file, "population": population, "seed": seed, "want": wants}}, "the page"
        )
        folder.mkdir(parents=True, exist_ok=True)
        self._add(name, BreedingSite(LevelPopulation.create(config, folder / name)))
        words = ["breed", shown, "--population", str(population), "--seed", str(seed)]
        words += ["--want", wants] if wants else []
        return {"name": name, "command": shlex.join(["pcg", *words, "--out", name])}


def _available() -> list[str]:
    """The level generators whose libraries are installed."""
    found = []
    for name in GENERATORS:
        with contextlib.suppress(ImportError):
            GENERATORS[name]
            found.append(name)
    return found


class _InStudio:
    """ASGI middleware that tells pages that they are part of the studio, and which part."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            root = scope.get("root_path", "").rstrip("/")
            first = scope["path"].removeprefix(root).strip("/").partition("/")[0]
            part = {"": "write", "runs": "look"}.get(first, first)
            scope = {**scope, STUDIO: {"root": root, "page": part}}
        await self.app(scope, receive, send)


def studio_app(
    game: Game | None = None,
    *,
    folder: Path | str = ".",
    runs: Collection[Path] = (),
    population: LevelPopulation | None = None,
    hosts: Collection[str] = LOCAL_HOSTS,
) -> Starlette:
    """The application of the studio.

    Args:
        game: what writing begins with unless something newer of the same name was written.
        folder: where runs and games are kept, and found.
        runs: folders of runs elsewhere that are shown too.
        population: a run of breeding that is open already.
        hosts: names by which the server may be addressed.
    """
    site = StudioSite(Workspace(folder, tuple(runs)), game, population)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        site.close()

    app = application(site.routes(), hosts=hosts, lifespan=lifespan, headers=PLAY_HEADERS)
    app.add_middleware(_InStudio)
    return app
