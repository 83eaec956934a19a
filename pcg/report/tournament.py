"""Report of a tournament: tables, figures and one page.

`write_tournament` puts `results.csv`, `games.csv`, `standings.csv`, `standings.tex`, `win-rates.svg`, `games.svg` and
`report.html` into the folder. Nothing in them differs between equal tournaments.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pcg.evaluators.tournament import Place, Standings
from pcg.report.base import PAGE, Cell, Column, Settings, plural, render_page
from pcg.report.figures.tournament import heat_map, win_rates
from pcg.report.tournament_tables import (
    games_csv,
    interval_text,
    number,
    percent,
    results_csv,
    standing_rows,
    standings_csv,
    standings_latex,
)
from pcg.runs.experiments.tournament import TournamentResult, read_tournament
from pcg.runs.store import read_json, write_whole

_FAULTS = 200
"""Disqualifications that the page lists; all are in results.csv."""
_FAULT_COLUMNS = ("agent", "game", "level", "seed", "tick", "fault", "what happened")
_HELP = {
    "reads rules": "no: it sees the forward model and the observations only, as in the competitions; chance: it reads "
    "whether chance plays a part; yes: it reads what sprites do and how the game is won; ?: an agent not known here",
    "points": "25, 18, 15, 12, 10, 8, 6, 4, 2, 1 per game; equal agents share",
    "firsts": "games in which the agent came first",
    "95 % interval": "Wilson score interval of the win rate",
    "score": "mean of final scores; a won play counts at least 1, a disqualified one -1000",
    "Glicko-2": "rating from games for two players, with two deviations",
}
_RULE = (
    "In each game agents are ranked by share of plays won, then by mean score, then by time (fewer ticks when won, "
    "more when lost). Places earn 25, 18, 15, 12, 10, 8, 6, 4, 2 and 1 points; agents that are equal share the points "
    "of the places they take. Equal points are told apart by first places, then second places and so on."
)

_RATED = (
    "Ratings chose who met next, and rank the agents: Glicko-2, every meeting of two agents in a game a rating period. "
    "Points and shares of plays won stand beside it, and depend on whom an agent met."
)


def write_tournament(folder: Path | str) -> Path:
    """Write tables, figures and the page of a tournament, finished or not; returns the path of the page.

    Raises:
        PcgError: when the folder holds no tournament.
    """
    folder = Path(folder)
    state = read_tournament(folder)
    standings = state.standings
    files = {
        "results.csv": results_csv(state.results),
        "games.csv": games_csv(standings),
        "standings.csv": standings_csv(standings),
        "standings.tex": standings_latex(standings),
        PAGE: render_tournament(state, standings),
    }
    files.update((f"standings-{name}.csv", standings_csv(own)) for name, own in state.set_standings.items())
    if state.results:
        files["win-rates.svg"] = win_rates(standings, standalone=True)
        files["games.svg"] = heat_map(standings, standalone=True)
    for name, text in files.items():
        write_whole(folder / name, text)
    return folder / PAGE


def render_tournament(state: TournamentResult, standings: Standings) -> str:
    """Return the page of a tournament as HTML."""
    from markupsafe import Markup

    versions = read_json(state.folder / "run.json")["versions"]
    headings, rows = standing_rows(standings)
    agents = [s.agent for s in standings.overall if s.tally.plays]
    faults = state.faults
    return render_page(
        "tournament",
        version=versions["pcg"],
        title=_title(state),
        lead=_lead(state, standings),
        facts=_facts(state),
        columns=[Column(name, _HELP.get(name, "")) for name in headings],
        rows=_cells(standings, rows) if state.results else [],
        rule=_RATED if state.tournament.meetings else _RULE,
        rates=Markup(win_rates(standings)) if state.results else "",
        agents=agents,
        map=[(game, [_map_cell(places, agent) for agent in agents]) for game, places in standings.games.items()],
        fault_columns=[Column(name) for name in _FAULT_COLUMNS],
        faults=[
            [
                Cell(r.fault.agent), Cell(r.match.game), Cell(str(r.match.level), r.match.level),
                Cell(str(r.match.seed), r.match.seed), Cell(str(r.fault.tick), r.fault.tick), Cell(r.fault.kind),
                Cell(r.fault.message),
            ]
            for r in faults[:_FAULTS]
            if r.fault is not None
        ],
        more_faults=max(0, len(faults) - _FAULTS),
        command=command_of(state),
        settings=_settings(state, versions),
    )  # fmt: skip


def _title(state: TournamentResult) -> str:
    agents, games = len(state.tournament.agents), len(state.tournament.games)
    return f"{plural(agents, 'agent')} in {plural(games, 'game')}"


def _budget(state: TournamentResult) -> str:
    budget = state.tournament.rules.budget
    return f"{budget.calls:,} calls" if budget.calls is not None else f"{budget.milliseconds:g} ms"


def _lead(state: TournamentResult, standings: Standings) -> str:
    if not state.results:
        return "Nothing has been played yet."
    best = standings.overall[0]
    part = ""
    if len(state.results) < state.total:
        part = f" So far {len(state.results):,} of {state.total:,} matches have been played."
    leaders = [standing.agent for standing in standings.overall if standing.rank == best.rank]
    if len(leaders) > 1:
        names = f"{', '.join(leaders[:-1])} and {leaders[-1]}"
        points = f" with {number(best.points)} points each" if not state.tournament.meetings else ""
        return f"{names} share the first place{points}: nothing tells them apart.{part}"
    if state.tournament.meetings and best.rating is not None:
        return (
            f"{best.agent} is first with a rating of {best.rating.rating:.0f} ± {2 * best.rating.deviation:.0f}: "
            f"it won {percent(best.tally.rate)} of its {plural(best.tally.plays, 'play')}.{part}"
        )
    return (
        f"{best.agent} is first with {number(best.points)} points: it won {percent(best.tally.rate)} of its "
        f"{plural(best.tally.plays, 'play')} (95 % interval {interval_text(best.tally.interval)}).{part}"
    )


def _facts(state: TournamentResult) -> list[tuple[str, str]]:
    tournament = state.tournament
    played = len(state.results)
    return [
        ("Games", str(len(tournament.games))),
        ("Agents", str(len(tournament.agents))),
        ("Matches", f"{played:,}" if played == state.total else f"{played:,} of {state.total:,}"),
        ("Budget per decision", _budget(state)),
        ("Repetitions", str(tournament.repeats)),
        ("Disqualified", f"{len(state.faults):,}"),
    ]


def _cells(standings: Standings, rows: list[list[str]]) -> list[list[Cell]]:
    values = [
        [
            s.rank,
            None,
            None,
            float(s.points),
            s.places[0],
            s.tally.wins,
            s.tally.rate,
            s.tally.interval[0],
            s.tally.score,
        ]
        for s in standings.overall
    ]
    made = []
    for standing, row, numbers in zip(standings.overall, rows, values, strict=True):
        rest: list[Any] = []
        if len(row) > len(numbers) and any(s.rating for s in standings.overall):
            rest.append(standing.rating.rating if standing.rating else None)
        if len(row) > len(numbers) + len(rest):
            rest.append(standing.tally.disqualified)
        made.append([Cell(text, value) for text, value in zip(row, [*numbers, *rest], strict=True)])
    return made


def _map_cell(places: tuple[Place, ...], agent: str) -> dict[str, Any] | None:
    place = next((p for p in places if p.agent == agent), None)
    if place is None:
        return None
    tally = place.tally
    return {
        "text": f"{100 * tally.rate:.0f} ({place.rank})",
        "rate": tally.rate,
        "shade": round(60 * tally.rate),
        "help": f"{tally.wins} of {tally.plays} won, mean score {number(tally.score)}, {number(place.points)} points",
    }


def command_of(state: TournamentResult) -> str:
    """Return the command that plays the tournament again; games are named as they were loaded."""
    tournament = state.tournament
    rules = tournament.rules
    sources = [e.source if "/" not in e.source and "\\" not in e.source else f"{e.name}.txt" for e in tournament.games]
    numbers = sorted({level for chosen in tournament.levels.values() for level in chosen})
    every = all(tournament.levels[e.name] == list(range(e.levels)) for e in tournament.games)
    budget = f"{rules.budget.calls}calls" if rules.budget.calls is not None else f"{rules.budget.milliseconds:g}ms"
    parts = ["pcg", "tournament", "--games", ",".join(sources), "--agents", ",".join(tournament.agents)]
    parts += ["--levels", "all" if every else ",".join(map(str, numbers))]
    parts += ["--repeats", str(tournament.repeats), "--seed", str(tournament.seed), "--budget", budget]
    if tournament.meetings:
        parts += ["--meetings", str(tournament.meetings)]
    for plugin in tournament.plugins:
        parts += ["--load", Path(plugin).name]
    return shlex.join([*parts, "--out", "DIR"])


def _settings(state: TournamentResult, versions: Mapping[str, str]) -> Settings:
    tournament, rules = state.tournament, state.tournament.rules
    clock = "CPU time of the thread, enforced" if rules.timed else "forward-model calls"
    table = [
        ("budget per decision", _budget(state)),
        ("measured as", clock),
        ("ticks at most", f"{rules.max_ticks:,}"),
        ("construction", f"{rules.construction_ms:g} ms" if rules.timed else "not measured"),
        ("stopped by force after", f"{rules.stall:g} s"),
        ("first seed", str(tournament.seed)),
    ]
    levels = [(e.name, ", ".join(map(str, tournament.levels[e.name]))) for e in tournament.games]
    return [("Rules", table), ("Levels played", levels), ("Versions", list(versions.items()))]
