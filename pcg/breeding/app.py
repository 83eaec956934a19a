"""The pages of breeding by eye: a population of levels to look at, to play and to choose from.

GET  /                          the page
GET  /api/population                  what is shown now, what was said about it, and what has been learnt
GET  /api/levels/N/picture.png
POST /api/play {number}         open a play: its page and socket
POST /api/vote {first, second, answer}
POST /api/liked {liked}         numbers of the marked ones
POST /api/breed {generation}    the next generation; a request about an earlier one changes nothing
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import AsyncIterator, Callable, Collection
from functools import partial
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from pcg.breeding.population import LevelPopulation
from pcg.breeding.votes import told_preference
from pcg.describe import describe
from pcg.render import render_level
from pcg.web.guard import LOCAL_HOSTS, Refused, read_object, take
from pcg.web.level_editor import Bench
from pcg.web.pages import application, language_of, page
from pcg.web.player import PlayServer, PlaySession
from pcg.web.single_level import play_route

STATIC = Path(__file__).parent / "static"
_TILE = 16


class BreedingSite:
    """The handlers of one run's pages."""

    def __init__(self, population: LevelPopulation, *, limit_s: float = 300.0) -> None:
        self.population = population
        self.plays = PlayServer()
        self.bench = Bench(workers=2, waiting=30, limit_s=limit_s)

    def close(self) -> None:
        """Let nothing new start, and close the log of the run."""
        self.bench.close()
        self.population.close()

    def routes(self) -> list[Any]:
        """Every address of the site."""
        return [
            Route("/", self.home),
            Route("/api/population", self.shown),
            Route("/api/levels/{number:int}/picture.png", self.picture),
            Route("/api/play", self.play, methods=["POST"]),
            Route("/api/vote", self.vote, methods=["POST"]),
            Route("/api/liked", self.liked, methods=["POST"]),
            Route("/api/breed", self.breed, methods=["POST"]),
            play_route(self.plays),
            *self.plays.routes(),
            Mount("/breeding", StaticFiles(directory=STATIC)),
        ]

    async def home(self, request: Request) -> Response:
        population = self.population
        return page(
            request, "breeding", package="pcg.breeding", game=population.game.name, seed=population.config.seed,
            folder=population.folder.resolve().name, goal=describe(population.game, language=language_of(request)).win,
            wants=population.config.want,
        )  # fmt: skip

    async def shown(self, request: Request) -> Response:
        return JSONResponse(await self.bench.run(self._shown))

    def _shown(self) -> dict[str, Any]:
        population = self.population
        preference, votes = population.preference, population.votes
        told = {n for c in preference.comparisons for n in (c.better, c.worse)}
        levels = []
        for number in population.shown:
            member = population.members[number]
            utility = preference.utility(number) if number in told else preference.expect(member.measures)[0]
            levels.append(
                {
                    "number": number,
                    "origin": member.origin,
                    "parents": list(member.parents),
                    "born": member.generation,
                    "liked": number in population.liked,
                    "expected": utility,
                    "measures": {name: member.measures.get(name) for name in preference.names},
                }
            )
        shown = set(population.shown)
        return {
            "generation": population.generation,
            "levels": levels,
            "said": population.said,
            "pair": population.pair(),
            "votes": [[a, b, answer] for (a, b), answer in votes.items() if a in shown and b in shown],
            "counted": len(votes),
            "preference": told_preference(preference),
            "best": [n for n in population.ranking() if preference.utility(n) > 0][:6],
        }

    async def picture(self, request: Request) -> Response:
        return await self.bench.run(partial(self._picture, request.path_params["number"]))

    def _picture(self, number: int) -> Response:
        member = self.population.members.get(number)
        if member is None:
            raise Refused(f"there is no level {number}", 404)
        file = io.BytesIO()
        render_level(self.population.game, member.level, tile=_TILE).save(file, "PNG")
        # A number is one level for all time of a run, but other runs are shown at the same address.
        headers = {"cache-control": "no-cache"}
        return Response(file.getvalue(), media_type="image/png", headers=headers)

    async def play(self, request: Request) -> Response:
        number = take(await read_object(request), "number", int)
        member = self.population.members.get(number)
        if member is None:
            raise Refused(f"there is no level {number}", 404)
        session = await self.bench.run(
            partial(PlaySession, self.population.game, member.level, self.population.config.seed)
        )
        token = self.plays.create(session)
        root = request.scope.get("root_path", "").rstrip("/")
        return JSONResponse({"page": f"{root}/play/{token}", "socket": f"{root}/play/{token}/socket"}, 201)

    async def vote(self, request: Request) -> Response:
        data = await read_object(request)
        first, second = take(data, "first", int), take(data, "second", int)
        return await self._after(partial(self.population.vote, first, second, take(data, "answer", str, most=10)))

    async def liked(self, request: Request) -> Response:
        chosen = take(await read_object(request), "liked", list, most=100)
        if not all(isinstance(n, int) and not isinstance(n, bool) for n in chosen):
            raise Refused("`liked` holds something that is no whole number")
        return await self._after(partial(self.population.like, chosen))

    async def breed(self, request: Request) -> Response:
        generation = take(await read_object(request), "generation", int)
        return await self._after(partial(self._breed, generation))

    def _breed(self, generation: int) -> None:
        if generation == self.population.generation:  # else this was asked twice
            self.population.breed()

    async def _after(self, work: Callable[[], None]) -> Response:
        await self.bench.run(work)
        return JSONResponse(await self.bench.run(self._shown))


def breeding_app(
    population: LevelPopulation, *, hosts: Collection[str] = LOCAL_HOSTS, limit_s: float = 300.0
) -> Starlette:
    """The web application of a run.

    Args:
        population: the run.
        hosts: names by which the server may be addressed.
        limit_s: seconds after which an evaluation is given up.
    """
    site = BreedingSite(population, limit_s=limit_s)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        site.bench.close()

    return application(site.routes(), hosts=hosts, lifespan=lifespan)
