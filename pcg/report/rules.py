"""Report of a run that makes rules or whole games: each game with two plays, its rules in English, and its family."""

from __future__ import annotations

import difflib
import shlex
from array import array
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pcg.evaluators.evaluation import decode_play
from pcg.generators.games import GameGenotype
from pcg.generators.rules.genes import RuleSet
from pcg.report.base import (
    PAGE,
    LoggedEvents,
    read_events,
    read_run,
    render_page,
    settings_tables,
    stopped_text,
)
from pcg.report.figures.rules import family_tree, profile_bars, reasons_bars, search_curve
from pcg.report.side_by_side import open_makers
from pcg.runs.experiments.games import start_folder
from pcg.runs.store import GAMES, Places, read_json, write_whole

_FILMS = 6
"""Games whose plays are drawn as animations: the best."""


def write_rules_report(folder: Path | str) -> Path:
    """Draw the pictures of a run that makes rules or games and write its `report.html`; returns the path of the page.

    The pictures stand beside the games: `games/game0.png`, and for the best games `games/game0_strong.gif` and
    `games/game0_weak.gif`.

    Raises:
        PcgError: if the folder is not that of a run that has stopped.
    """
    folder = Path(folder)
    write_whole(folder / PAGE, render_rules(folder))
    return folder / PAGE


def render_rules(folder: Path) -> str:
    """Return the page as HTML; its pictures are drawn beside the games."""
    from markupsafe import Markup

    run, summary = read_run(folder)
    index = folder / "games" / "index.json"
    entries = read_json(index)["games"] if index.is_file() else []
    places = Places()
    fitness = array("d", (event["fitness"] for event in read_events(folder, places)))
    events = LoggedEvents(folder, places)
    parents = {p: events[p]["genotype"] for entry in entries for p in entry["parents"][:1] if p in events}
    with open_makers(len(entries)) as makers:
        tickets = [
            makers.submit(f"the report of game{k}", _game, folder, run, k, entry, parents)
            for k, entry in enumerate(entries)
        ]
        curve = search_curve(fitness) if fitness else ""
        tree = family_tree([entry["id"] for entry in entries], events) if entries else ""
        reasons = reasons_bars(summary["reasons"], summary["evaluations"]) if summary["reasons"] else ""
        games = [makers.result(ticket) for ticket in tickets]
    return render_page(
        "rules",
        run=run,
        version=run["versions"]["pcg"],
        title=f"{'Games from' if _whole(run) else 'Rules for'} {_names(run)}",
        lead=_lead(run, summary),
        facts=_facts(run, summary),
        games=games,
        curve=Markup(curve),
        tree=Markup(tree),
        reasons=Markup(reasons),
        command=_command(run),
        settings=settings_tables({
            f"Generator {run['generator']['name']}": run["generator"]["parameters"], "Evaluation": run["evaluation"],
            "Versions": run["versions"],
        }),
    )  # fmt: skip


def _whole(run: Mapping[str, Any]) -> bool:
    """Return True if whole games are made."""
    return bool(run["kind"] == GAMES)


def _names(run: Mapping[str, Any]) -> str:
    return ", ".join(game["name"] for game in run["games"]) if _whole(run) else str(run["game"]["name"])


def _lines(run: Mapping[str, Any], genotype: Any) -> list[str]:
    """Return the lines of what was made, for comparison: rules, or a game with its levels."""
    if not _whole(run):
        return str(RuleSet.from_json(genotype)).splitlines()
    return _game_lines(GameGenotype.from_json(genotype))


def _game_lines(game: GameGenotype) -> list[str]:
    lines = game.text().splitlines()
    for k, level in enumerate(game.levels):
        lines += ["", f"level {k}", *level.splitlines()]
    return lines


def _own(folder: Path, run: Mapping[str, Any], entry: Mapping[str, Any]) -> tuple[list[str], str]:
    """Return the lines that were there before the run, and what to call them."""
    if not _whole(run):
        text = (folder / "game" / "game.vgdl").read_text(encoding="utf-8")
        return str(RuleSet.of(text)).splitlines(), "the game's own rules"
    given = run["games"][entry["start"]]
    start = start_folder(folder, entry["start"])
    levels = [(start / f"lvl{k}.txt").read_text(encoding="utf-8") for k in given["levels"]]
    return _game_lines(GameGenotype.of((start / "game.vgdl").read_text(encoding="utf-8"), levels)), given["name"]


def _game(
    folder: Path, run: Mapping[str, Any], k: int, entry: Mapping[str, Any], parents: Mapping[int, Any]
) -> dict[str, Any]:
    """Return what the page shows of one game."""
    from markupsafe import Markup

    from pcg.describe import describe, draw_diagram
    from pcg.describe.layout import sections
    from pcg.engine.game import load
    from pcg.render import render_gif, render_level

    file = folder / "games" / entry["file"]
    game = load(file, reading="strict")
    picture = file.with_suffix(".png")
    render_level(game, game.levels[0], picture)
    films = []
    for name, caption in (("best", "strong"), ("weak", "weak")):
        play = entry[name]
        if play is None or k >= _FILMS or not play["play"]:
            continue
        path = file.with_name(f"{file.stem}_{caption}.gif")
        render_gif(game, game.levels[play["level"]], decode_play(play["play"]), path, seed=play["seed"])
        outcome = "wins" if play["won"] else "does not win"
        films.append((f"games/{path.name}", f"{play['agent']} {outcome}, score {play['score']:g}"))
    description = describe(game)
    whole = GameGenotype.from_json(entry["genotype"]) if _whole(run) else None
    genotype = whole.rules if whole is not None else RuleSet.from_json(entry["genotype"])
    before, against = _own(folder, run, entry)
    if entry["parents"] and not (whole is not None and run["max_edits"]):
        before, against = _lines(run, parents[entry["parents"][0]]), f"candidate {entry['parents'][0]}, its parent"
    verdict = entry["confirmed"] or entry
    return {
        "name": f"game{k}",
        "title": entry.get("title") or f"game{k}",
        "pitch": entry.get("pitch", ""),
        "controls": entry.get("how_to_play", ""),
        "file": f"games/{entry['file']}",
        "picture": f"games/{picture.name}",
        "films": films,
        "facts": [
            *_judged(entry),
            ("Fitness", f"{entry['fitness']:.3f}"),
            ("Made by", f"{entry['origin']}, generation {entry['generation']}"),
            ("Rules and endings", f"{len(genotype.rules)} and {len(genotype.terminations)}"),
            *([("Types", str(len(whole.leaves)))] if whole is not None else []),
            (f"Lines unlike {entry['nearest'] if whole is not None else 'the game'}'s own", str(entry["edits"])),
        ],
        "profile": Markup(profile_bars(verdict["profile"])),
        "plays": verdict["profile"][0]["plays"] if verdict["profile"] else 0,
        "again": entry["confirmed"] is not None,
        "summary": description.summary,
        "sections": sections(description),
        "diagram": Markup(draw_diagram(game, description)),
        "diff": _diff(before, _lines(run, entry["genotype"])),
        "against": against,
        "what": "Game" if whole is not None else "Rules",
    }


def _judged(entry: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the value of the judgement of a game, and its fault, where it was judged."""
    judgement = entry.get("judgement")
    if judgement is None:
        return []
    return [("Value", f"{judgement['value']:.3f}"), *([("Fault", p)] if (p := judgement["problem"]) else [])]


def _diff(before: list[str], after: list[str]) -> list[tuple[str, str]]:
    lines = difflib.ndiff(before, after)
    return [(line[0], line[2:]) for line in lines if line[0] in "+- "]


def _lead(run: Mapping[str, Any], summary: Mapping[str, Any]) -> str:
    last = summary["confirmed"]
    what = "games" if _whole(run) else "rule sets"
    text = f"The generator “{run['generator']['name']}” tried {summary['evaluations']:,} {what}"
    text += f", {summary['feasible']:,} of them feasible. "
    if last["games"]:
        text += f"Played again with other seeds, {last['both']} of the {last['games']} games below keep all agents in "
        text += "order and the weakest apart from the strongest."
    return text


def _facts(run: Mapping[str, Any], summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [
        ("Games kept", f"{summary['distinct']:,}"),
        ("Best fitness", f"{summary['best']:.3f}"),
        ("Tried", f"{summary['evaluations']:,}"),
        ("Feasible", f"{summary['feasible']:,}"),
        ("Levels", run["levels"] if _whole(run) else ", ".join(map(str, run["levels"]))),
        *([("Most edits", str(run["max_edits"]))] if _whole(run) and run["max_edits"] else []),
        ("Seed", str(run["seed"])),
        ("Stopped", stopped_text(summary["stopped"])),
    ]


def _command(run: Mapping[str, Any]) -> str:
    budget = run["budget"]
    amount = f"{budget['evaluations']}evaluations" if budget["evaluations"] is not None else f"{budget['seconds']:g}s"
    if _whole(run):
        words = ["pcg", "games", "evolve", *(str(game["name"]) for game in run["games"]), "--levels", run["levels"]]
        words += ["--max-edits", str(run["max_edits"])] if run["max_edits"] else []
        words += ["--set", f"run.make_levels={run['make_levels']}"] if run.get("make_levels") else []
    else:
        words = ["pcg", "rules", str(run["game"]["name"]), "--level", ",".join(map(str, run["levels"]))]
        words += ["--set", f"run.make_levels={run.get('make_levels', 0)}"]
        words += ["--start", run["start"], *(["--set", f"run.drop={run['drop']:g}"] if run["drop"] else [])]
    words += [
        "--generator", run["generator"]["name"], "--seed", str(run["seed"]), "--budget", amount,
        "-n", str(run["archive"]["size"]),
        *_given("generator", run["generator"]["parameters"]),
        *_given("evaluation", run["evaluation"]),
        "--out", "DIR",
    ]  # fmt: skip
    return shlex.join(words)


def _given(section: str, values: Mapping[str, Any]) -> list[str]:
    return [part for name, value in values.items() for part in ("--set", f"{section}.{name}={value}")]
