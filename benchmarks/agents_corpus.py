"""Every agent on every single-player game of the corpus, at equal budgets: played in slices, reported at any time.

Five campaigns: `calls` has all agents at 1,000 forward-model calls per action on levels 0 to 2 with 3 seeds, `time`
has `pcg`, `mcts` and `olets` at 40 ms per action, by the rules of the competitions, on levels 0 and 1 with 1 seed, and
those that begin with `published` play what agents_published.py compares with. Every agent of a campaign is a tournament
of its own (a folder of `--store`), so agents can be added later. Agents take turns level by level: whenever the work
stops, all have played about the same part.

    python benchmarks/agents_corpus.py calls --minutes 60
    python benchmarks/agents_corpus.py time --minutes 60 --workers 2
    python benchmarks/agents_corpus.py published --minutes 60
    python benchmarks/agents_corpus.py published-first
    python benchmarks/agents_corpus.py published-budgets
    python benchmarks/agents_corpus.py report

All but the last go on where they stopped (also after `kill -9`); the last writes docs/results/agents.md and its figures
from what has been played so far. What came of every play is also kept in docs/results/agents, one file per campaign and
agent, from which a store that is missing begins: the campaigns may be played on several days and machines. To play an
agent anew, after it has changed, delete its file and its folder of the store.
"""

from __future__ import annotations

import argparse
import csv
import io
import itertools
import re
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import agents_published

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.agents import AGENTS, Budget
from pcg.evaluators.tournament import MatchResult, Rules, Standings, rank
from pcg.evaluators.tournament.match import Fault
from pcg.report.tournament_figures import heat_map, win_rates
from pcg.report.tournament_tables import games_csv, interval_text, number, percent, standings_csv
from pcg.runs.experiments.tournament import RESULTS, Tournament, TournamentResult, plan, read_tournament, run_tournament
from pcg.runs.store import to_json, write_whole

ROOT = Path(__file__).resolve().parent.parent
GAMES = ROOT.parent / "shared" / "gvgai" / "games"
STORE = ROOT / "runs" / "agents-corpus"
REPORT = ROOT / "docs" / "results" / "agents.md"
RECORDS = ROOT / "docs" / "results" / "agents"
LIST = "all_games_sp.csv"
LEFT_OUT = ("replay", "flatmc", "uct", "mmcts", "mmctsown")
"""Agents that play nothing of their own, and those for boards, which simulate whole games."""


@dataclass(frozen=True)
class Campaign:
    """Who plays what, with which budget. Without `agents`, all of the table; without `games`, all of the corpus."""

    name: str
    title: str
    budget: Budget
    levels: str
    repeats: int
    agents: tuple[str, ...] = ()
    games: tuple[str, ...] = ()

    def entrants(self, chosen: Sequence[str] = ()) -> list[str]:
        """Agents that play: those chosen, or the campaign's."""
        return list(chosen or self.agents or (name for name in AGENTS if name not in LEFT_OUT))


CAMPAIGNS = {
    c.name: c
    for c in (
        Campaign("calls", "1,000 forward-model calls per action", Budget(calls=1000), "0-2", 3),
        Campaign(
            "time", "40 ms per action, competition rules", Budget(milliseconds=40), "0-1", 1, ("pcg", "olets", "mcts")
        ),
        Campaign(
            "published",
            "Beside published plays",
            Budget(calls=1000),
            "0-4",
            5,
            ("mcts:depth=14", "rhea:length=14"),
            agents_published.GAMES,
        ),
        Campaign(
            "published-first",
            "Beside published plays of the first levels",
            Budget(calls=1000),
            "0",
            20,
            ("onestep",),
            agents_published.GAMES,
        ),
        Campaign(
            "published-budgets",
            "Beside published plays of unknown budget",
            Budget(calls=1000),
            "0",
            20,
            tuple(agents_published.BUDGETS),
            agents_published.GAMES,
        ),
    )
}


def corpus(folder: Path, only: Sequence[str] = ()) -> list[str]:
    """The single-player games of the corpus, or those of some names."""
    try:
        rows = list(csv.reader((folder / LIST).open(encoding="utf-8")))
    except OSError as error:
        raise PcgError(f"no corpus in {folder}: {error.strerror} ({LIST}); name its folder with --games") from None
    found = [folder / row[1].removeprefix("examples/") for row in rows if len(row) > 1]
    return [str(path) for path in found if not only or path.stem in only]


def folder_of(store: Path, campaign: Campaign, agent: str) -> Path:
    """Where an agent's part of a campaign is kept."""
    return store / campaign.name / re.sub(r"[^A-Za-z0-9.=_-]+", "_", agent)


def plans(campaign: Campaign, agents: Iterable[str], games: Sequence[str]) -> dict[str, Tournament]:
    """The tournament of each agent."""
    rules = Rules(campaign.budget)
    made: dict[str, Tournament] = {}
    for agent in agents:
        first = next(iter(made.values()), None)
        if first is None:
            made[agent] = plan(games, [agent], levels=campaign.levels, repeats=campaign.repeats, rules=rules)
        else:  # the games are the same; reading them once is enough
            made[agent] = Tournament(first.games, first.levels, (agent,), campaign.repeats, rules=rules)
    return made


COLUMNS = ("agent", "game", "level", "repeat", "outcome", "score", "ticks", "calls", "late", "kind", "tick", "message")
"""Of a record: what is played, what came of it, and the fault that ended it, if there was one."""


def keep(state: TournamentResult, record: Path) -> None:
    """Write what came of the plays of an agent, in the order of its schedule."""
    record.parent.mkdir(parents=True, exist_ok=True)
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(COLUMNS)
    for r in state.results:
        fault = ("", "", "") if r.fault is None else (r.fault.kind, r.fault.tick, r.fault.message)
        match, score = r.match, f"{r.scores[0]:g}"
        late = sum(r.late) if r.late else ""
        what = [match.agents[0], match.game, match.level, match.repeat]
        writer.writerow([*what, r.outcomes[0], score, r.ticks, r.calls, late, *fault])
    write_whole(record, table.getvalue())


def recall(tournament: Tournament, folder: Path, record: Path) -> None:
    """Begin the folder of an agent with what its record holds, as far as that is of the same schedule."""
    if (folder / "run.json").exists() or not record.exists():
        return
    run_tournament(tournament, folder, workers=1, matches=0)
    agent = tournament.agents[0]
    lines = []
    with record.open(encoding="utf-8", newline="") as file:
        for match, row in zip(tournament.matches(), csv.DictReader(file), strict=False):
            if (row["game"], int(row["level"]), int(row["repeat"])) != (match.game, match.level, match.repeat):
                raise PcgError(f"{record}: play {match.id} is {row['game']} level {row['level']}, the schedule has "
                               f"{match.game} level {match.level}")  # fmt: skip
            fault = Fault(0, agent, int(row["tick"]), row["kind"], row["message"]) if row["kind"] else None
            lines.append(
                MatchResult(
                    match, (int(row["outcome"]),), (float(row["score"]),), int(row["ticks"]), int(row["calls"]),
                    (int(row["late"]),) if row["late"] else (), fault,
                ).to_json()
            )  # fmt: skip
    write_whole(folder / RESULTS, "".join(to_json(line) + "\n" for line in lines))


def turns(tournament: Tournament) -> list[int]:
    """Numbers of matches after which it is another agent's turn: the ends of (repetition, level)."""
    matches = tournament.matches()
    groups = itertools.groupby(matches, key=lambda match: (match.repeat, match.level))
    return list(itertools.accumulate(len(list(group)) for _, group in groups))


def play(campaign: Campaign, store: Path, agents: Sequence[str], games: Sequence[str], **limits: float | None) -> bool:
    """Play until everything is played or the time is up; whether everything is."""
    minutes, workers = limits["minutes"], limits["workers"]
    deadline = None if minutes is None else time.monotonic() + 60 * minutes
    tournaments = plans(campaign, agents, games)
    for turn in range(max(len(turns(t)) for t in tournaments.values())):
        for agent, tournament in tournaments.items():
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                return False
            folder, target = folder_of(store, campaign, agent), turns(tournament)[turn]
            record = folder_of(RECORDS, campaign, agent).with_suffix(".csv")
            recall(tournament, folder, record)
            if (folder / "run.json").exists() and len(read_tournament(folder).results) >= target:
                continue
            started = time.monotonic()
            state = run_tournament(
                tournament, folder, workers=int(workers) if workers else None, seconds=left, matches=target
            )
            won = sum(1 in r.outcomes for r in state.results)
            print(
                f"{campaign.name} {agent}: {len(state.results)} of {state.total} played, {won} won, "
                f"{len(state.faults)} disqualified ({time.monotonic() - started:.0f} s)",
                flush=True,
            )
            keep(state, record)
            if state.stopped == "interrupted":
                raise KeyboardInterrupt
    return all(
        len(read_tournament(folder_of(store, campaign, agent)).results) == turns(tournament)[-1]
        for agent, tournament in tournaments.items()
    )


# --- report -----------------------------------------------------------------------------------------------------------


def stored(store: Path, campaign: Campaign, games: Sequence[str]) -> dict[str, TournamentResult]:
    """What has been played of a campaign, by agent."""
    folder = store / campaign.name
    for record in sorted((RECORDS / campaign.name).glob("*.csv")):
        with record.open(encoding="utf-8", newline="") as file:
            agent = next(csv.DictReader(file))["agent"]
        if not (folder_of(store, campaign, agent) / "run.json").exists():
            recall(plans(campaign, [agent], games)[agent], folder_of(store, campaign, agent), record)
    found = (
        [read_tournament(p) for p in sorted(folder.iterdir()) if (p / "run.json").exists()] if folder.is_dir() else []
    )
    return {state.tournament.agents[0]: state for state in found if state.results}


def common(states: Iterable[TournamentResult]) -> list[MatchResult]:
    """Results on what all agents have played: the same games, levels and seeds for each."""
    groups = [{(r.match.game, r.match.level, r.match.repeat): r for r in state.results} for state in states]
    shared = set.intersection(*(set(group) for group in groups)) if groups else set()
    return [result for group in groups for key, result in group.items() if key in shared]


def section(campaign: Campaign, states: dict[str, TournamentResult], figures: Path) -> str:
    """One campaign as Markdown; its figures and tables are written beside the page."""
    results = common(states.values())
    own = rank([r for state in states.values() for r in state.results])
    standings = rank(results)
    name = f"agents-{campaign.name}"
    (figures / f"{name}-games.csv").write_text(games_csv(own), encoding="utf-8")
    (figures / f"{name}.csv").write_text(standings_csv(own), encoding="utf-8")
    (figures / f"{name}.svg").write_text(win_rates(standings, standalone=True), encoding="utf-8")
    (figures / f"{name}-games.svg").write_text(heat_map(own, standalone=True), encoding="utf-8")
    plays = len(results) // max(1, len(states))
    games = len(standings.games)
    budget = campaign.budget
    command = f"python benchmarks/agents_corpus.py {campaign.name}"
    lines = [
        f"## {campaign.title}",
        "",
        f"Levels {campaign.levels}, {campaign.repeats} seed(s) per level. Made by `{command}`. {_counts(states)}",
        "",
        f"![Share of plays won]({name}.svg)",
        "",
        f"The figure is about the {plays} plays per agent that all of these agents have played, the table about all:",
        "",
        *_overall(own, states),
        "",
        f"Points, as the competitions give them, over the {plays} plays per agent in {games} games that all have "
        "played:",
        "",
        "| place | agent | points | first places | plays won there |",
        "|---:|---|---:|---:|---:|",
        *(
            f"| {s.rank} | `{s.agent}` | {number(s.points)} | {s.places[0]} | {percent(s.tally.rate)} |"
            for s in standings.overall
        ),
        "",
        "### Game by game",
        "",
        "Plays won in percent. More columns (score, time, points) are in "
        f"[{name}-games.csv]({name}-games.csv), and a picture in [{name}-games.svg]({name}-games.svg).",
        "",
        *_by_game(own),
        "",
    ]
    faults = [r for state in states.values() for r in state.faults]
    if faults:
        lines += [f"{len(faults)} plays ended in a disqualification:", ""]
        lines += [*_faults(faults), ""]
    told = [r for state in states.values() for r in state.results if r.late]
    if budget.milliseconds is not None and told:
        late, ticks = sum(sum(r.late) for r in told), sum(r.ticks for r in told)
        lines += [f"{late:,} of {ticks:,} actions came late and were replaced by NIL.", ""]
    return "\n".join(lines)


def published_section(campaign: Campaign, states: dict[str, TournamentResult]) -> str:
    """The campaign beside published plays, as Markdown."""
    ours = {}
    for agent in campaign.agents:
        if agent in states:
            wins: dict[tuple[str, int], tuple[int, int]] = {}
            for r in states[agent].results:
                won, plays = wins.get((r.match.game, r.match.level), (0, 0))
                wins[r.match.game, r.match.level] = won + (1 in r.outcomes), plays + 1
            ours[agent] = wins
    lines = [
        f"## {campaign.title}",
        "",
        f"{agents_published.SOURCES[campaign.name]}. Levels {campaign.levels}, {campaign.repeats} seed(s) per level. "
        f"Made by `python benchmarks/agents_corpus.py {campaign.name}`. {_counts(states)}",
        "",
        *agents_published.compared(ours),
        "",
    ]
    return "\n".join(lines)


def _counts(states: dict[str, TournamentResult]) -> str:
    played, planned = sum(len(s.results) for s in states.values()), sum(s.total for s in states.values())
    if played == planned:
        return f"All {planned:,} plays have been played."
    return f"{played:,} of {planned:,} plays have been played ({played / planned:.0%}); the numbers are about these."


def _overall(standings: Standings, states: dict[str, TournamentResult]) -> list[str]:
    rows = sorted(standings.overall, key=lambda s: -s.tally.rate)
    return [
        "| agent | plays won | 95 % interval | won | played | planned | games won at least once | disqualified |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
        *(
            f"| `{s.agent}` | {percent(s.tally.rate)} | {interval_text(s.tally.interval)} | {s.tally.wins} | "
            f"{s.tally.plays} | {states[s.agent].total} | {_games_won(standings, s.agent)} of {len(standings.games)} | "
            f"{s.tally.disqualified} |"
            for s in rows
        ),
    ]


def _games_won(standings: Standings, agent: str) -> int:
    return sum(p.agent == agent and p.tally.wins > 0 for places in standings.games.values() for p in places)


def _by_game(standings: Standings) -> list[str]:
    agents = [s.agent for s in sorted(standings.overall, key=lambda s: -s.tally.rate)]
    lines = [f"| game | {' | '.join(f'`{a}`' for a in agents)} |", f"|---|{'---:|' * len(agents)}"]
    for game in sorted(standings.games):
        rates = {p.agent: f"{100 * p.tally.rate:.0f}" for p in standings.games[game]}
        lines.append(f"| {game} | {' | '.join(rates.get(a, '') for a in agents)} |")
    return lines


def _faults(faults: Sequence[MatchResult]) -> list[str]:
    counts: dict[tuple[str, str], list[MatchResult]] = {}
    for result in faults:
        if result.fault is not None:
            counts.setdefault((result.fault.agent, result.fault.kind), []).append(result)
    return [
        f"- `{agent}` {kind} {len(found)} times, first in {found[0].match.game} level {found[0].match.level}, tick "
        f"{found[0].fault.tick if found[0].fault else 0}: {found[0].fault.message if found[0].fault else ''}"
        for (agent, kind), found in counts.items()
    ]


def report(store: Path, page: Path, folder: Path) -> None:
    """Write the page and its figures."""
    page.parent.mkdir(parents=True, exist_ok=True)
    parts = [
        "# Agents on the corpus",
        "",
        "How the agents do on the single-player games of the GVGAI corpus. A play is a game, a level and a seed, the "
        "same for every agent; it is won or not, and the interval is Wilson's. How tournaments are played and ranked "
        "is told in [Tournaments](../tournaments.md). The page is written by "
        "`python benchmarks/agents_corpus.py report`.",
        "",
        "Published results to compare with: vanilla MCTS wins about 31 % of the plays of a set of 60 games, the best "
        "enhanced MCTS 48.4 % (Soemers et al., Enhancements for real-time Monte-Carlo tree search in general video "
        "game playing, 2016); winners of the competitions won 35.8 % to 63.8 % on sets of ten games. Those games, "
        "levels and budgets (40 ms of another engine on another machine) are not the same as these; "
        "[the last sections](#beside-published-plays) compare equal ones.",
        "",
    ]
    for campaign in CAMPAIGNS.values():
        states = stored(store, campaign, corpus(folder, campaign.games))
        if states and campaign.games:
            parts.append(published_section(campaign, states))
        elif states:
            parts.append(section(campaign, states, page.parent))
    page.write_text("\n".join(parts).rstrip("\n") + "\n", encoding="utf-8")
    print(page)


def main() -> int:
    """Read the command line and do it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )  # fmt: skip
    parser.add_argument("what", choices=(*CAMPAIGNS, "report"), help="campaign to play, or write the report")
    parser.add_argument("--agents", nargs="+", default=[], metavar="AGENT", help="only these, as in mcts:depth=12")
    parser.add_argument("--minutes", type=float, help="begin no further play after this time")
    parser.add_argument("--workers", type=int, help="plays side by side, by default one per processor")
    parser.add_argument("--games", type=Path, default=GAMES, help="folder of the corpus")
    parser.add_argument("--store", type=Path, default=STORE, help="folder of the results")
    parser.add_argument("--out", type=Path, default=REPORT, help="page that `report` writes")
    given = parser.parse_args()
    try:
        if given.what == "report":
            report(given.store, given.out, given.games)
            return 0
        campaign = CAMPAIGNS[given.what]
        agents = campaign.entrants(given.agents)
        games = corpus(given.games, campaign.games)
        done = play(campaign, given.store, agents, games, minutes=given.minutes, workers=given.workers)
        print("everything is played" if done else "the time is up; the same command goes on")
    except PcgError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted; the same command goes on", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
