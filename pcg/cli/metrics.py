"""Commands about metrics of levels: `metrics` lists them and what else can be a target, `measure` measures files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pcg.cli.console import console, escape, progress_bar
from pcg.cli.options import JsonOption, LoadOption, SeedOption, load_files
from pcg.cli.sources import Reading, ReadingChoice, level_text

if TYPE_CHECKING:
    from pcg.engine.game import Game
    from pcg.evaluators.evaluation import Evaluation
    from pcg.evaluators.fitness import LevelEvaluator
    from pcg.evaluators.judging.judgement import Judgement

PANEL = "Measure levels"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(rich_help_panel=PANEL)(metrics)
    app.command(rich_help_panel=PANEL)(measure)


def metrics(
    game: Annotated[
        str | None, typer.Argument(help="Name of a built-in game, or a game file: lists its sprites and rules as well.")
    ] = None,
    reading: ReadingChoice = None,
    load: LoadOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the metrics of levels with their ranges and sources; with a game all that can be a target of its levels."""
    from pcg.evaluators.metrics import METRICS

    load_files(load)
    sprites, rules = _of_game(game, reading.value if reading else None) if game is not None else ([], [])
    if as_json:
        listed = [
            {"name": m.name, "help": m.help, "low": m.low if m.low > float("-inf") else None, "high": m.high,
             "unit": m.unit, "stage": m.stage, "whole": m.whole, "source": m.source}
            for m in METRICS.values()
        ]  # fmt: skip
        found: dict[str, Any] = {"metrics": listed}
        if game is not None:
            found |= {"sprites": sprites, "mechanics": [{"name": n, "rule": rule} for n, rule in rules]}
        print(json.dumps(found, indent=1, ensure_ascii=False))
        return
    from rich.table import Table

    table = Table("metric", "range", "unit", "of", "what it is", "source")
    for m in METRICS.values():
        table.add_row(m.name, escape(m.range), m.unit, m.stage, escape(m.help), escape(m.source), style="")
    console().print(table)
    if game is not None:
        print("sprites, by their number at the start of the level: " + ", ".join(sprites))
        table = Table("mechanic", "rule")
        for name, rule in rules:
            table.add_row(escape(name), escape(rule))
        console().print(table)
    print("any of these can be a target: pcg levels GAME --target 'solution_length=40..60, symmetry>=0.8'")


def _of_game(game: str, reading: str | None) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the names of a game's sprites that can be targets, and its mechanics with their rules."""
    from pcg.cli.sources import load_with_levels
    from pcg.evaluators.analysis import analyse
    from pcg.evaluators.mechanics import MECHANIC, mechanics
    from pcg.evaluators.metrics import METRICS
    from pcg.evaluators.targets import known_names, sprites_of

    analysis = analyse(load_with_levels(game, reading=reading).definition)
    placed = {t for tile in analysis.tiles for t in tile.types}
    names = [n for n in known_names(analysis) if n not in METRICS and not n.startswith(MECHANIC)]
    sprites = [n for n in names if placed & (sprites_of(n, analysis) or set())]
    return sprites, [(m.name, m.text) for m in mechanics(analysis.definition)]


def measure(
    game: Annotated[str, typer.Argument(help="Name of a built-in game, or a game file.")],
    levels: Annotated[list[str], typer.Argument(help="Level files, or numbers of the game's own levels.")],
    want: Annotated[
        list[str] | None,
        typer.Option("--target", "--want", help="What levels are to be like; says which of it each achieves."),
    ] = None,
    seed: SeedOption = 1,
    distances: Annotated[
        bool, typer.Option("--distances", help="Also how different the levels are from one another.")
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Also what the judge says of each level, part by part.")
    ] = False,
    agents: Annotated[
        str | None, typer.Option(help="Also how these agents fare, weakest first, as in nothing,random,onestep,mcts.")
    ] = None,
    plays: Annotated[int, typer.Option(min=1, help="Plays of each of these agents.")] = 4,
    reading: ReadingChoice = None,
    load: LoadOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure levels: every metric that is known of them, and whether they can be won."""
    from pcg.cli.sources import load_with_levels
    from pcg.evaluators.fitness import LevelEvaluator
    from pcg.evaluators.metrics import niche_width, performance_profile, score_set

    load_files(load)
    loaded = load_with_levels(game, reading=reading.value if reading else None)
    evaluator = LevelEvaluator(loaded, ", ".join(want or []))
    texts = [level_text(loaded, level) for level in levels]
    if reading is not Reading.gvgai:
        _refuse_invalid(loaded, levels, texts)
    for level, text in zip(levels, texts, strict=True):
        _check_tiles(evaluator, level, text)
    if agents is not None:
        _check_agents(agents)
    found: list[Evaluation] = []
    profiles = []
    with progress_bar() as bar:
        task = bar.add_task("measuring", total=len(levels))
        for text in texts:
            found.append(evaluator.evaluate(text, seed))
            if agents is not None:
                profiles.append(performance_profile(loaded, text, agents.split(","), plays=plays, seed=seed))
            bar.advance(task)
    own = [evaluator.palette.text(evaluator.palette.parse(text)) for text in evaluator.judge.levels]
    scores = score_set(texts, found, niche_width(own))
    names = [_short(level) for level in levels]
    pairs = _distances(texts, found) if distances else {}
    if as_json:
        entries = []
        for k, (level, one) in enumerate(zip(levels, found, strict=True)):
            data = one.to_json()
            entry = {"level": level, **{key: data[key] for key in _SHOWN}}
            if explain:
                judged = evaluator.judgement(texts[k], one).as_dict()
                entry |= {"parts": judged["parts"], "problem": judged["problem"]}
                if puzzle := _puzzle_sentences(loaded, texts[k]):
                    entry["puzzle"] = puzzle
            if profiles:
                performances = [
                    {name: getattr(p, name) for name in p.__dataclass_fields__} for p in profiles[k].performances
                ]
                entry["profile"] = {"agents": performances, "gap": profiles[k].gap}
            entries.append(entry)
        result: dict[str, Any] = {"levels": entries, "scores": _scores(scores)}
        if distances:
            result["distances"] = pairs
        print(json.dumps(result, indent=1, ensure_ascii=False))
        return
    _print_metrics(evaluator, names, found)
    if explain:
        for name, text, one in zip(names, texts, found, strict=True):
            _print_judgement(name, evaluator.judgement(text, one))
            for sentence in _puzzle_sentences(loaded, text):
                print(f"  {sentence}")
    for title, matrix in pairs.items():
        _print_matrix(title, names, matrix)
    if profiles:
        _print_profiles(names, profiles)
    print(", ".join(f"{name} {value:.0%}" for name, value in _scores(scores).items() if value is not None))


_SHOWN = ("feasible", "fitness", "constraint", "constraints", "metrics", "wants", "mechanics", "winner")


def _puzzle_sentences(game: Game, text: str) -> list[str]:
    """Return sentences on the difficulty of a level with boxes to push; none for other levels."""
    from pcg.evaluators.pushing import difficulty_of
    from pcg.evaluators.pushing.difficulty import MOST_POSITIONS

    found = difficulty_of(game.definition, text, MOST_POSITIONS)
    return found.sentences() if found is not None else []


def _check_tiles(evaluator: LevelEvaluator, level: str, text: str) -> None:
    from pcg.engine.vgdl.diagnostics import PcgError

    try:
        evaluator.palette.parse(text)
    except PcgError as error:
        raise PcgError(f"{_short(level)}: {error}") from None


def _refuse_invalid(game: Game, levels: list[str], texts: list[str]) -> None:
    """Refuse levels that cannot be played as they stand, each with its place.

    Raises:
        VGDLError: for what is wrong with them.
    """
    from pcg.engine.vgdl import VGDLError, check_level

    checked = [
        found
        for name, text in zip(levels, texts, strict=True)
        for found in check_level(text, game.definition, file=_short(name) if name.isdigit() else name)
    ]
    errors = [found for found in checked if found.severity == "error"]
    if errors:
        raise VGDLError(errors)


def _check_agents(text: str) -> None:
    from pcg.evaluators.agents import make_agent

    for name in text.split(","):
        make_agent(name, seed=0)


def _short(level: str) -> str:
    return Path(level).name if not level.isdigit() else f"level {level}"


def _scores(scores: Any) -> dict[str, float | None]:
    return {name: getattr(scores, name) for name in ("quality", "diversity", "controllability")}


def _distances(texts: list[str], found: list[Evaluation]) -> dict[str, list[list[float]]]:
    """Return matrices of distances: cells that differ, edits, and of plays (between those that were won)."""
    from pcg.evaluators.metrics import edit_distance, level_distance, play_distance

    count = range(len(texts))
    return {
        "level_distance": [[level_distance(texts[i], texts[j]) for j in count] for i in count],
        "edit_distance": [[edit_distance(texts[i], texts[j]) for j in count] for i in count],
        "play_distance": [[play_distance(found[i].play, found[j].play) for j in count] for i in count],
    }


def _print_metrics(evaluator: LevelEvaluator, names: list[str], found: list[Evaluation]) -> None:
    from rich.table import Table

    from pcg.evaluators.metrics import METRICS

    table = Table("metric", *map(escape, names))
    for column in table.columns[1:]:
        column.justify = "right"
    table.add_row("constraints", *map(_verdict, found))
    table.add_row("fitness", *(f"{e.fitness:.3f}" for e in found))
    others = dict.fromkeys(name for e in found for name in e.metrics if name not in METRICS)
    for name in (*METRICS, *others):
        if any(name in e.metrics for e in found):
            table.add_row(escape(name), *(_number(e.metrics.get(name)) for e in found))
    for w in evaluator.targets:
        marks = ["achieved" if e.targets.get(w.name, 0.0) >= 1.0 else "missed" for e in found]
        table.add_row(escape(str(w)), *marks, style="bold")
    console().print(table)
    fired = dict.fromkeys(m.name for m in evaluator.plays.mechanics if any(m.name in e.mechanics for e in found))
    if fired:
        table = Table("rule at work in the winning play", *map(escape, names))
        for name in fired:
            table.add_row(escape(name), *("yes" if name in e.mechanics else "" for e in found))
        console().print(table)


def _verdict(found: Evaluation) -> str:
    if not found.feasible:
        return "breaks " + ", ".join(name for name, value in found.constraints.items() if value < 1)
    return "feasible" if found.winner else "feasible, but not shown to be winnable"


def _print_judgement(name: str, judgement: Judgement) -> None:
    from rich.table import Table

    verdict = f"fitness {judgement.value:.3f}" if judgement.feasible else "not feasible"
    table = Table(f"{escape(name)}: {verdict}", "value", "weight", "what the judge says")
    for part in judgement.parts:
        table.add_row(part.name, f"{part.value:.2f}", f"{part.weight:.2f}", escape(part.sentence))
    console().print(table)
    if judgement.problem:
        print(judgement.problem)


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.4g}"


def _print_matrix(title: str, names: list[str], matrix: list[list[float]]) -> None:
    from rich.table import Table

    table = Table(title.replace("_", " "), *map(escape, names))
    for name, row in zip(names, matrix, strict=True):
        table.add_row(escape(name), *(f"{value:.4g}" for value in row))
    console().print(table)


def _print_profiles(names: list[str], profiles: list[Any]) -> None:
    from rich.table import Table

    table = Table("level", "agent", "wins", "score", "ticks", "value")
    for name, profile in zip(names, profiles, strict=True):
        for p in profile.performances:
            table.add_row(
                escape(name), p.agent, f"{p.wins} of {p.plays}", f"{p.score:.2f}", f"{p.ticks:.1f}", f"{p.value:.3f}"
            )
        table.add_row("", "gap", "", "", "", f"{profile.gap:.3f}", style="bold")
    console().print(table)
