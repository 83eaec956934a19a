"""The jobs of the toolkit as functions: make levels and rules, judge, measure and repair levels, let agents compete.

Each takes a game however it is named (a built-in name, a file, VGDL text, or a loaded `Game`), does what the command of
the same name does, and gives Python objects back. Runs are kept where `out` says; without it they are thrown away when
the objects are made. All are exported by `pcg`; the packages behind them offer more.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from pcg.engine.arguments import named_arguments
from pcg.engine.game import Game, load, refuse_board_game
from pcg.engine.state import State
from pcg.engine.vgdl.diagnostics import PcgError, VGDLError

if TYPE_CHECKING:
    from PIL import Image

    from pcg.describe import Description
    from pcg.evaluators.agents import Agent, Solution
    from pcg.evaluators.evaluation import Evaluation
    from pcg.generators.levels import LevelGenerator
    from pcg.generators.levels.repair.edits import Repaired
    from pcg.runs.experiments.tournament import TournamentResult

    GameLike = str | os.PathLike[str] | Game
    """A built-in name, a file, VGDL text, or a loaded game."""

__all__ = [
    "Games",
    "Levels",
    "describe",
    "evaluate",
    "evolve_rules",
    "generate",
    "measure",
    "render",
    "repair",
    "solve",
    "tournament",
]


@dataclass(frozen=True)
class Levels(Sequence[str]):
    """Levels that were made, best first: a sequence of level texts.

    Attributes:
        game: the game with these levels.
        evaluations: the verdict on each of them.
        tried: levels that were evaluated.
        feasible: how many of them met all constraints.
        folder: of the run, None where it was not kept.
    """

    game: Game = field(repr=False)
    evaluations: tuple[Evaluation, ...] = field(repr=False)
    tried: int
    feasible: int
    folder: Path | None = None

    def __len__(self) -> int:
        return len(self.game.levels)

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...

    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        return self.game.levels[index]

    @property
    def best(self) -> str:
        """The best level.

        Raises:
            PcgError: none was found.
        """
        if not self.game.levels:
            raise PcgError(f"no level was found among {self.tried}; give it more evaluations")
        return self.game.levels[0]


@dataclass(frozen=True)
class Games(Sequence[Game]):
    """Games that were made, best first: a sequence of games.

    Attributes:
        games: the games with their levels.
        values: how good each is, in [0, 1].
        tried: games that were evaluated.
        feasible: how many of them met all constraints.
        folder: of the run, None where it was not kept.
    """

    games: tuple[Game, ...]
    values: tuple[float, ...]
    tried: int
    feasible: int
    folder: Path | None = None

    def __len__(self) -> int:
        return len(self.games)

    @overload
    def __getitem__(self, index: int) -> Game: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Game, ...]: ...

    def __getitem__(self, index: int | slice) -> Game | tuple[Game, ...]:
        return self.games[index]


@named_arguments
def generate(
    game: GameLike,
    count: int = 10,
    *,
    generator: str | type[LevelGenerator] | Callable[..., str] = "portfolio",
    target: str = "",
    fitness: str | Callable[..., float] | None = None,
    evaluations: int = 200,
    seed: int = 1,
    out: str | os.PathLike[str] | None = None,
    workers: int | None = None,
    settings: Mapping[str, object] | None = None,
) -> Levels:
    """Make levels that can be won and in which skill matters; the command `pcg levels`.

    Args:
        game: with one player.
        count: levels wanted.
        generator: a name (`pcg list generators`), ``FILE.py:NAME``, a class derived from `LevelGenerator`, or a
            function that makes a level text of a game's context and a random generator.
        target: what levels are to be like, as in ``"enemies=2, solution_length=30..80"``.
        fitness: what makes a level good: a name, ``FILE.py:NAME``, or a function of its metrics with values in [0, 1].
        evaluations: levels that are tried.
        seed: equal seeds give equal levels, whatever the number of workers.
        out: folder of the run, new or empty; `pcg.runs.resume` goes on with it.
        workers: evaluations side by side; one per processor without it.
        settings: parameters as of ``--set``: ``{"generator.population": 50}``.

    Raises:
        PcgError: for anything that cannot be used, before anything is written.

    >>> import pcg
    >>> levels = pcg.generate("boxes", 1, generator="constructive", evaluations=8, seed=2)
    >>> levels.tried, len(levels) <= 1, levels.folder
    (2, True, None)
    """
    from pcg.runs import LevelRun, run_levels

    with _folder(out, "levels") as folder, _named(game) as (name, reading):
        data = _sections(settings)
        (maker,), plugins = _own("level-generator", [generator], folder, "generator")
        if fitness is not None:
            (chosen,), more = _own("fitness", [fitness], folder, "fitness")
            data.setdefault("evaluation", {})["fitness"] = chosen
            plugins += more
        run = {"game": name, "reading": reading, "generator": maker, "want": target, "count": count, "seed": seed}
        config = LevelRun.from_mapping(_with_run(data, run, plugins, evaluations), "settings")
        result = run_levels(config, folder, workers=workers)
        loaded = _loaded(game)
        made = Game(
            loaded.definition, [e.candidate.level for e in result.levels], name=loaded.name, reading=loaded.reading
        )
        verdicts = tuple(entry.evaluation for entry in result.levels)
        return Levels(made, verdicts, result.evaluations, result.feasible, None if out is None else folder)


@named_arguments
def evolve_rules(
    game: GameLike,
    count: int = 3,
    *,
    levels: str | int | Sequence[int] = "all",
    generator: str = "evolve",
    evaluations: int = 200,
    seed: int = 1,
    out: str | os.PathLike[str] | None = None,
    workers: int | None = None,
    settings: Mapping[str, object] | None = None,
) -> Games:
    """Make rules for the sprites and levels of a game, such that skill decides; the command `pcg rules`.

    Args:
        game: its sprites and levels count.
        count: games wanted.
        levels: those that rules are made for: "all", numbers, or as in "0-2".
        generator: a name (`pcg list rule-generators`).
        evaluations: rule sets that are tried.
        seed: equal seeds give equal games, whatever the number of workers.
        out: folder of the run, new or empty.
        workers: evaluations side by side; one per processor without it.
        settings: parameters as of ``--set``: ``{"run.confirm": 5}``.

    Raises:
        PcgError: for anything that cannot be used, before anything is written.

    >>> import pcg
    >>> quick = {"evaluation.plays": 1, "run.confirm": 0, "run.judge": 0}
    >>> games = pcg.evolve_rules("hunt", 1, levels="0", generator="random", evaluations=3, settings=quick)
    >>> games.tried, len(games) == len(games.values)
    (3, True)
    """
    from pcg.runs import RulesRun, run_rules

    with _folder(out, "rules") as folder, _named(game) as (name, reading):
        run = {
            "game": name, "reading": reading, "levels": _numbers(levels), "generator": generator, "count": count,
            "seed": seed,
        }  # fmt: skip
        config = RulesRun.from_mapping(_with_run(_sections(settings), run, [], evaluations), "settings")
        result = run_rules(config, folder, workers=workers)
        files = [folder / "games" / f"game{k}.txt" for k in range(len(result.games))]
        games = tuple(load(file, reading="strict") for file in files)
        values = tuple(kept.value for kept in result.games)
        return Games(games, values, result.evaluations, result.feasible, None if out is None else folder)


@named_arguments
def evaluate(
    game: GameLike,
    level: int | str | os.PathLike[str] = 0,
    *,
    target: str = "",
    fitness: str | Callable[..., float] | None = None,
    seed: int = 1,
    **parameters: Any,
) -> Evaluation:
    """Judge a level by playing it: constraints, metrics, how it is won, and its fitness.

    Args:
        game: with one player.
        level: number of one of the game's levels, a level text, or a file.
        target: what the level is to be like.
        fitness: what makes a level good; see `generate`.
        seed: of all plays.
        parameters: of the evaluation (`pcg.evaluators.fitness.PARAMETERS`).

    Raises:
        PcgError: for anything that cannot be used; a bad level is not an error but infeasible.

    >>> import pcg
    >>> verdict = pcg.evaluate("boxes", 0)
    >>> verdict.feasible, verdict.metrics["solution_length"] > 0
    (True, True)
    """
    from pcg.evaluators.fitness import LevelEvaluator
    from pcg.own_parts import load_part

    loaded = _loaded(game)
    if fitness is not None:
        with tempfile.TemporaryDirectory() as folder:
            (parameters["fitness"],), plugins = _own("fitness", [fitness], Path(folder) / "one", "fitness")
            for plugin in plugins:
                load_part(plugin)
    return LevelEvaluator(loaded, target, **parameters).evaluate(_level_text(loaded, level), seed)


@named_arguments
def measure(
    game: GameLike, level: int | str | os.PathLike[str] = 0, *, seed: int = 1, **parameters: Any
) -> dict[str, float]:
    """Measure a level: the value of every metric that is known of it, by name; the command `pcg measure`.

    Args:
        game: with one player.
        level: number of one of the game's levels, a level text, or a file.
        seed: of all plays.
        parameters: of the evaluation.

    Raises:
        VGDLError: the level is none of the game's: it has no avatar, or a character that is not mapped.

    >>> import pcg
    >>> pcg.measure("boxes", 0)["width"]
    9
    """
    from pcg.engine.vgdl import check_level

    loaded = _loaded(game)
    text = _level_text(loaded, level)
    file = str(level) if isinstance(level, Path) else "<level>"
    errors = [found for found in check_level(text, loaded.definition, file=file) if found.severity == "error"]
    if errors:
        raise VGDLError(errors)
    return dict(evaluate(loaded, text, seed=seed, **parameters).metrics)


@named_arguments
def repair(
    game: GameLike,
    level: int | str | os.PathLike[str],
    *,
    method: str = "auto",
    target: str = "",
    seed: int = 1,
    **parameters: Any,
) -> Repaired:
    r"""Make a level sound with few edits; the command `pcg repair`.

    Args:
        game: with one player.
        level: number of one of the game's levels, a level text, or a file; `?` stands for a cell left open.
        method: "auto", "solver", "search" or "mend".
        target: what the level is to be like.
        seed: equal seeds give equal repairs, unless the time runs out.
        parameters: see `pcg.generators.levels.repair`.

    Raises:
        PcgError: for bad input, or when no repair is found.

    >>> import pcg
    >>> repaired = pcg.repair("boxes", "wwwwwww\nw..b..w\nw....ow\nw...b.w\nwwwwwww", method="mend")
    >>> len(repaired.edits), "A" in repaired.level
    (1, True)
    """
    from pcg.generators.levels.repair.level import repair_level

    loaded = _loaded(game)
    text = _level_text(loaded, level)
    return repair_level(loaded, text, method=method, targets=target, seed=seed, **parameters)


@named_arguments
def solve(
    start: GameLike | State, level: int | str | os.PathLike[str] = 0, *, seed: int = 0, **options: Any
) -> Solution:
    """Search a level in which nothing is random for a shortest win, or a proof that there is none.

    Args:
        start: a state to start from, or a game.
        level: of the game: a number, a level text, or a file.
        seed: of the game.
        options: see `pcg.evaluators.agents.solve`: `max_nodes`, `algorithm` and others.

    >>> import pcg
    >>> solution = pcg.solve("boxes", 0)
    >>> solution.status, len(solution.actions)
    ('solved', 23)
    """
    from pcg.evaluators.agents import solve as search

    if isinstance(start, str | Path | Game) or hasattr(start, "__fspath__"):
        loaded = _loaded(start)
        start = loaded.start(_level_text(loaded, level), seed=seed)
    return search(start, **options)


@named_arguments
def tournament(
    games: str | Game | Sequence[str | Game],
    agents: Sequence[str | type[Agent] | Agent],
    *,
    levels: str | int | Sequence[int] = "all",
    repeats: int | None = None,
    budget: str = "1000calls",
    max_ticks: int = 2000,
    seed: int = 1,
    out: str | os.PathLike[str] | None = None,
    workers: int | None = None,
) -> TournamentResult:
    """Let agents play games and rank them as the competitions do; the command `pcg tournament`.

    Args:
        games: names, patterns, files, folders or loaded games.
        agents: names with parameters (``"mcts:depth=12"``), ``FILE.py:NAME``, classes derived from `pcg.Agent`, or
            agents, of which the class and the parameters count.
        levels: those that are played: "all", numbers, or as in "0-2".
        repeats: plays of every level, each with another seed.
        budget: per decision: "1000calls", or processor time as in "40ms".
        max_ticks: ticks after which a play ends.
        seed: of the first repetition.
        out: folder of the tournament: new, or one to go on with.
        workers: processes side by side.

    Raises:
        PcgError: for anything that cannot be played.

    >>> import pcg
    >>> result = pcg.tournament("boxes", ["nothing", "random"], levels="0", budget="20calls", workers=1)
    >>> len(result.results), sorted(standing.agent for standing in result.standings.overall)
    (2, ['nothing', 'random'])
    """
    from pcg.evaluators.agents import Budget
    from pcg.evaluators.tournament import Rules
    from pcg.runs import plan, run_tournament

    with _folder(out, "tournament") as folder, contextlib.ExitStack() as stack:
        listed = [games] if isinstance(games, str | Game) else list(games)
        sources = [each if isinstance(each, str) else stack.enter_context(_named(each))[0] for each in listed]
        names, plugins = _own("agent", agents, folder, "agents")
        rules = Rules(Budget.read(budget), max_ticks=max_ticks)
        wanted = plan(
            sources,
            names,
            levels=_numbers(levels),
            repeats=repeats,
            seed=seed,
            rules=rules,
            plugins=list(dict.fromkeys(plugins)),
        )
        return run_tournament(wanted, folder, workers=workers)


@named_arguments
def render(
    game: GameLike | State,
    level: int | str | os.PathLike[str] = 0,
    *,
    out: str | os.PathLike[str] | None = None,
    tile: int = 16,
    seed: int = 0,
) -> Image.Image:
    """Draw a level, or a state of a play, as a picture; the command `pcg render`.

    Args:
        game: a game, or a state.
        level: of the game: a number, a level text, or a file.
        out: PNG file to write.
        tile: width of a cell in pixels.
        seed: of the game.

    >>> import pcg
    >>> pcg.render("boxes", 0, tile=32).size
    (288, 256)
    """
    from pcg.render.picture import render_png

    if isinstance(game, State):
        return render_png(game, None if out is None else Path(out), tile=tile)
    loaded = _loaded(game)
    state = loaded.start(_level_text(loaded, level), seed=seed)
    return render_png(state, None if out is None else Path(out), tile=tile)


@named_arguments
def describe(game: GameLike, level: int | str | os.PathLike[str] | None = None, *, language: str = "en") -> Description:
    """Say in plain words what a game is: things, rules, keys, how it is won and lost; the command `pcg describe`.

    Args:
        game: a VGDL game.
        level: a level to look at as well: a number, a level text, or a file.
        language: of the sentences: "en" or "zh" (Chinese).

    Raises:
        PcgError: there is no such game or language, or it is a board game.

    >>> import pcg
    >>> pcg.describe("boxes").win
    ('You win when no mark is left.',)
    """
    from pcg.describe.writer import describe as explain

    loaded = _loaded(game)
    return explain(loaded, None if level is None else _level_text(loaded, level), language=language)


# --- from what people give to what the packages take ------------------------------------------------------------------


def _loaded(game: Any) -> Game:
    loaded = game if isinstance(game, Game) else load(game if isinstance(game, str) else Path(game))
    refuse_board_game(loaded)
    return loaded


def _level_text(game: Game, level: int | str | os.PathLike[str]) -> str:
    from pcg.engine.vgdl.source import is_text, read_source

    if isinstance(level, int):
        game.read_level(level)  # says so when there is none
        return game.levels[level]
    if isinstance(level, str) and is_text(level):
        return level
    if not isinstance(level, str | os.PathLike):
        raise PcgError(f"no level {level!r}: expected the number of one of the game's levels, a level text, or a file")
    if isinstance(level, str) and not Path(level).is_file():
        if set(level) <= {*game.definition.mapping, " "}:
            return level  # a level of one row
        hint = f", did you mean the number {level}?" if level.isdecimal() else ""
        raise PcgError(f"no level `{level}`: neither a file nor a text of characters of {game.name}{hint}")
    return read_source(Path(level))[0]


def _numbers(levels: str | int | Sequence[int]) -> str:
    """Return levels as a run names them."""
    if isinstance(levels, str | int):
        return str(levels)
    return ",".join(map(str, levels))


@contextlib.contextmanager
def _folder(out: str | os.PathLike[str] | None, name: str) -> Iterator[Path]:
    """Yield the folder of a run; one that is thrown away where none is named."""
    if out is not None:
        yield Path(out)
        return
    with tempfile.TemporaryDirectory(prefix="pcg-") as folder:
        yield Path(folder) / name


@contextlib.contextmanager
def _named(game: Any) -> Iterator[tuple[str, str]]:
    """Yield a game as a run names it, and how it is read; a loaded game or a text is written down for that time."""
    if not isinstance(game, Game) and not (isinstance(game, str) and ("\n" in game or not game)):
        yield str(game), ""
        return
    loaded = _loaded(game)
    with tempfile.TemporaryDirectory(prefix="pcg-") as place:
        file = Path(place) / f"{loaded.name}.vgdl"
        file.write_text(loaded.definition.source, encoding="utf-8")
        for k, level in enumerate(loaded.levels):
            (Path(place) / f"{loaded.name}_lvl{k}.txt").write_text(level, encoding="utf-8")
        yield str(file), loaded.reading


def _own(kind: str, parts: Sequence[Any], folder: Path, what: str) -> tuple[list[str], list[str]]:
    """Return the names of parts, and the plugins that a run in a folder needs for them."""
    from pcg.own_parts import given_parts

    return given_parts(kind, parts, folder.parent / f"{folder.name}-{what}.py")


def _sections(settings: Mapping[str, object] | None) -> dict[str, dict[str, Any]]:
    data: dict[str, dict[str, Any]] = {}
    for key, value in (settings or {}).items():
        section, dot, name = key.partition(".")
        if not (section and dot and name):
            raise PcgError(f"setting `{key}`: expected section.name, as in generator.population")
        data.setdefault(section, {})[name] = value
    return data


def _with_run(
    data: dict[str, dict[str, Any]], run: Mapping[str, Any], plugins: Sequence[str], evaluations: int
) -> dict[str, dict[str, Any]]:
    """Return the sections of a configuration (`RunConfig.from_mapping`)."""
    data["run"] = {**run, **data.get("run", {}), "load": shlex.join(plugins)}
    data["budget"] = {"evaluations": evaluations, **data.get("budget", {})}
    return data
