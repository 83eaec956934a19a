"""Every agent on every single-player game of the corpus, at equal budgets: played in slices, reported at any time.

Eight campaigns: `calls` has all agents at 1,000 forward-model calls per action on levels 0 to 2 with 3 seeds, `time`
has `pcg`, `mcts` and `olets` at 40 ms per action, by the rules of the competitions, on levels 0 and 1 with 1 seed, and
those that begin with `published` play what agents_published.py compares with (the halves of `kbfastevo` have a program
of their own, kbfastevo.py).
`portfolios` has the present `hyper` and `pcg` on levels 0 to 2, `portfolios-time` has them at 40 ms on levels 0 and 1,
`held-out` these two, `mcts` and `olets` on levels 3 and 4, which nothing was tuned on. `portfolios` and `held-out` take
the games in an order drawn by lot and let agents take turns after every four plays: wherever they stop, what was played
is a fair sample of the games.
Every agent of a campaign is a tournament of its own (a folder of `--store`), so agents can be added later. Agents take
turns level by level: whenever the work stops, all have played about the same part.

    python benchmarks/agents_corpus.py calls --minutes 60
    python benchmarks/agents_corpus.py time --minutes 60 --workers 2
    python benchmarks/agents_corpus.py published --minutes 60
    python benchmarks/agents_corpus.py published-first
    python benchmarks/agents_corpus.py published-budgets
    python benchmarks/agents_corpus.py portfolios --minutes 60
    python benchmarks/agents_corpus.py portfolios-time --minutes 60
    python benchmarks/agents_corpus.py held-out --minutes 60
    python benchmarks/agents_corpus.py report

All but the last go on where they stopped (also after `kill -9`); the last writes docs/results/agents.md and its figures
from what has been played so far. What came of the plays is added up in docs/results/agents, one table per campaign and
agent with a row for each game (agents_summary.py). The report is made of these tables alone, and agents that have
played everything are not played again: the campaigns may be played on several days and machines. An agent that was
interrupted goes on from its folder of the store. To play one anew, after it has changed, delete its table and folder.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import itertools
import re
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import agents_published
from agents_summary import Fault, Summary, common_rows, read_summary, standings, summarise, write_summary

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.agents import AGENTS, Budget
from pcg.evaluators.agents.registry import rules_column
from pcg.evaluators.tournament import Rules, Standings
from pcg.report.figures.tournament import heat_map, win_rates
from pcg.report.tournament_tables import interval_text, number, percent, standings_csv
from pcg.runs.experiments.tournament import Tournament, plan, read_tournament, run_tournament

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
    """Plays of a campaign. Without `agents`, all of the table; without `games`, all of the corpus.

    With `slice`, games come in an order drawn by lot, and it is the next agent's turn after so many plays. With
    `by_level`, the tables have a row for each level, so that agents can be compared where they have played.
    """

    name: str
    title: str
    budget: Budget
    levels: str
    repeats: int
    agents: tuple[str, ...] = ()
    games: tuple[str, ...] = ()
    slice: int = 0
    by_level: bool = False

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
        Campaign(
            "portfolios",
            "Portfolios, 1,000 calls per action",
            Budget(calls=1000),
            "0-2",
            3,
            ("hyper", "pcg"),
            slice=4,
        ),
        Campaign(
            "portfolios-time",
            "Portfolios, 40 ms per action, competition rules",
            Budget(milliseconds=40),
            "0-1",
            1,
            ("hyper", "pcg"),
            by_level=True,
        ),
        Campaign(
            "held-out",
            "Levels that nothing was tuned on, 1,000 calls per action",
            Budget(calls=1000),
            "3-4",
            1,
            ("hyper", "pcg", "mcts", "olets"),
            slice=4,
        ),
    )
}


def corpus(folder: Path, only: Sequence[str] = (), *, by_lot: bool = False) -> list[str]:
    """Return the single-player games of the corpus, or those of some names; `by_lot`: ordered by a hash of the name."""
    try:
        rows = list(csv.reader((folder / LIST).open(encoding="utf-8")))
    except OSError as error:
        raise PcgError(f"no corpus in {folder}: {error.strerror} ({LIST}); name its folder with --games") from None
    found = [folder / row[1].removeprefix("examples/") for row in rows if len(row) > 1]
    if by_lot:
        found.sort(key=lambda path: hashlib.sha256(path.stem.encode()).digest())
    return [str(path) for path in found if not only or path.stem in only]


def folder_of(store: Path, campaign: Campaign, agent: str) -> Path:
    """Return the file that keeps an agent's part of a campaign."""
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


def turns(tournament: Tournament, slice: int = 0) -> list[int]:
    """Numbers of matches after which it is another agent's turn: the ends of (repetition, level), or of slices."""
    matches = tournament.matches()
    if slice:
        return [*range(slice, len(matches), slice), len(matches)]
    groups = itertools.groupby(matches, key=lambda match: (match.repeat, match.level))
    return list(itertools.accumulate(len(list(group)) for _, group in groups))


def table_of(campaign: Campaign, agent: str) -> Path:
    """The file of an agent's summary."""
    folder = folder_of(RECORDS, campaign, agent)
    return folder.with_name(folder.name + ".csv")


def played(campaign: Campaign, agent: str, folder: Path) -> int:
    """Plays of an agent so far.

    Raises:
        PcgError: when it was interrupted and the folder with its plays is not here, so that it cannot go on.
    """
    if (folder / "run.json").exists():
        return len(read_tournament(folder).results)
    table = table_of(campaign, agent)
    if not table.exists():
        return 0
    summary = read_summary(table)
    if summary.plays < summary.planned:
        raise PcgError(f"{table} adds up {summary.plays} of {summary.planned} plays, which are not in {folder}: bring "
                       "that folder to go on, or delete the table to begin anew")  # fmt: skip
    return summary.plays


def play(campaign: Campaign, store: Path, agents: Sequence[str], games: Sequence[str], **limits: float | None) -> bool:
    """Play until everything is played or the time is up; whether everything is."""
    minutes, workers = limits["minutes"], limits["workers"]
    deadline = None if minutes is None else time.monotonic() + 60 * minutes
    tournaments = plans(campaign, agents, games)
    for turn in range(max(len(turns(t, campaign.slice)) for t in tournaments.values())):
        for agent, tournament in tournaments.items():
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                return False
            folder, target = folder_of(store, campaign, agent), turns(tournament, campaign.slice)[turn]
            if played(campaign, agent, folder) >= target:
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
            summary = summarise(
                agent, tournament.matches(), state.results, by_level=campaign.by_level or bool(campaign.games)
            )
            write_summary(summary, table_of(campaign, agent))
            if state.stopped == "interrupted":
                raise KeyboardInterrupt
    return all(
        played(campaign, agent, folder_of(store, campaign, agent)) == turns(tournament)[-1]
        for agent, tournament in tournaments.items()
    )


# --- report -----------------------------------------------------------------------------------------------------------


def summaries_of(campaign: Campaign) -> dict[str, Summary]:
    """Return the plays of a campaign that are done, by agent."""
    found = [read_summary(table) for table in sorted((RECORDS / campaign.name).glob("*.csv"))]
    return {summary.agent: summary for summary in found if summary.plays}


def section(campaign: Campaign, summaries: dict[str, Summary], figures: Path) -> str:
    """One campaign as Markdown; its figures and its table are written beside the page."""
    shared = common_rows(summaries.values())
    own = standings(summaries.values())
    about_shared = standings(summaries.values(), shared)
    name = f"agents-{campaign.name}"
    (figures / f"{name}.csv").write_text(standings_csv(own), encoding="utf-8")
    (figures / f"{name}.svg").write_text(win_rates(about_shared, standalone=True), encoding="utf-8")
    (figures / f"{name}-games.svg").write_text(heat_map(own, standalone=True), encoding="utf-8")
    plays = sum(next(iter(summaries.values())).rows[key].plays for key in shared)
    games = len(about_shared.games)
    budget = campaign.budget
    command = f"python benchmarks/agents_corpus.py {campaign.name}"
    lines = [
        f"## {campaign.title}",
        "",
        f"Levels {campaign.levels}, {campaign.repeats} seed(s) per level. Made by `{command}`. {_counts(summaries)}",
        "",
        f"![Share of plays won]({name}.svg)",
        "",
        f"The figure is about the {plays} plays per agent that all of these agents have played, the table about all:",
        "",
        *_overall(own, summaries),
        "",
        f"Points, as the competitions give them, over the {plays} plays per agent in {games} games that all have "
        "played:",
        "",
        "| place | agent | reads rules | points | first places | plays won there |",
        "|---:|---|---|---:|---:|---:|",
        *(
            f"| {s.rank} | `{s.agent}` | {rules_column(s.agent)} | {number(s.points)} | {s.places[0]} | "
            f"{percent(s.tally.rate)} |"
            for s in about_shared.overall
        ),
        "",
        "### Game by game",
        "",
        f"Plays won in percent; a picture is in [{name}-games.svg]({name}-games.svg). The numbers of each agent "
        f"(plays, wins, sums of scores and ticks) are in the folder `docs/results/agents/{campaign.name}`.",
        "",
        *_by_game(own),
        "",
    ]
    faults = sum(len(row.faults) for summary in summaries.values() for row in summary.rows.values())
    if faults:
        lines += [f"{faults} plays ended in a disqualification:", ""]
        lines += [*_faults(summaries.values()), ""]
    rows = [row for summary in summaries.values() for row in summary.rows.values()]
    timed = sum(row.timed_ticks for row in rows)
    if budget.milliseconds is not None and timed:
        late = sum(row.late for row in rows)
        lines += [f"{late:,} of {timed:,} actions came late and were replaced by NIL.", ""]
    return "\n".join(lines)


def published_section(campaign: Campaign, summaries: dict[str, Summary]) -> str:
    """The campaign beside published plays, as Markdown."""
    ours = {
        agent: {
            (game, level): (row.wins, row.plays)
            for (game, level), row in summaries[agent].rows.items()
            if level is not None and row.plays
        }
        for agent in campaign.agents
        if agent in summaries
    }
    lines = [
        f"## {campaign.title}",
        "",
        f"{agents_published.SOURCES[campaign.name]}. Levels {campaign.levels}, {campaign.repeats} seed(s) per level. "
        f"Made by `python benchmarks/agents_corpus.py {campaign.name}`. {_counts(summaries)}",
        "",
        *agents_published.compared(ours),
        "",
    ]
    return "\n".join(lines)


def _counts(summaries: dict[str, Summary]) -> str:
    done, planned = sum(s.plays for s in summaries.values()), sum(s.planned for s in summaries.values())
    if done == planned:
        return f"All {planned:,} plays have been played."
    return f"{done:,} of {planned:,} plays have been played ({done / planned:.0%}); the numbers are about these."


def _overall(ranked: Standings, summaries: dict[str, Summary]) -> list[str]:
    rows = sorted(ranked.overall, key=lambda s: -s.tally.rate)
    return [
        "| agent | reads rules | plays won | 95 % interval | won | played | planned | games won at least once | "
        "disqualified |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|",
        *(
            f"| `{s.agent}` | {rules_column(s.agent)} | {percent(s.tally.rate)} | {interval_text(s.tally.interval)} | "
            f"{s.tally.wins} | {s.tally.plays} | {summaries[s.agent].planned} | "
            f"{_games_won(ranked, s.agent)} of {len(ranked.games)} | {s.tally.disqualified} |"
            for s in rows
        ),
    ]


def _games_won(ranked: Standings, agent: str) -> int:
    return sum(p.agent == agent and p.tally.wins > 0 for places in ranked.games.values() for p in places)


def _by_game(ranked: Standings) -> list[str]:
    agents = [s.agent for s in sorted(ranked.overall, key=lambda s: -s.tally.rate)]
    lines = [f"| game | {' | '.join(f'`{a}`' for a in agents)} |", f"|---|{'---:|' * len(agents)}"]
    for game in sorted(ranked.games):
        rates = {p.agent: f"{100 * p.tally.rate:.0f}" for p in ranked.games[game]}
        lines.append(f"| {game} | {' | '.join(rates.get(a, '') for a in agents)} |")
    return lines


def _faults(summaries: Iterable[Summary]) -> list[str]:
    counts: dict[tuple[str, str], list[tuple[str, Fault]]] = {}
    for summary in summaries:
        found = [(game, fault) for (game, _), row in summary.rows.items() for fault in row.faults]
        for game, fault in sorted(found, key=lambda pair: (pair[1].repeat, pair[1].level)):  # as they were played
            counts.setdefault((summary.agent, fault.kind), []).append((game, fault))
    return [
        f"- `{agent}` {kind} {len(found)} times, first in {found[0][0]} level {found[0][1].level}, tick "
        f"{found[0][1].tick}: {found[0][1].message}"
        for (agent, kind), found in counts.items()
    ]


def report(page: Path) -> None:
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
        "Agents of the competitions never see the rules of a game. Some of these do, as the column *reads rules* says "
        "([what agents may know](../agents.md#what-agents-may-know)). The plays at 1,000 calls by all agents and those "
        "at 40 ms are of November 22, 2026, before hidden sprites left the features of a state and before `pcg` "
        "rehearsed; `hyper` and the present `pcg` have sections of their own. At 40 ms `pcg` holds auditions where "
        "chance plays a part, and rehearsals of both go back where none does; the plays of games with chance and of "
        "those without were made on different days. Those of `pcg` with chance are the best of three campaigns with "
        "rules of choosing that differ a little (98, 95 and 95 of 148 won), so another would win about three fewer; "
        "*rivers* level 1 was played again, because the machine stood still for nine seconds of it, and "
        "*chainreaction* and *boloadventures* level 0 with nothing beside them (lost, as with other programs beside "
        "them, then for overtime). On level 2 of the 34 games without chance that were not looked at while rehearsals "
        "were made to go back `pcg` wins 24 plays, and 22 without. "
        "`kbfastevo` is `kbfastevo:ends=bonus,kinds=all,softmax=plus` there; its halves have "
        "[a page of their own](kbfastevo.md).",
        "",
    ]
    for campaign in CAMPAIGNS.values():
        summaries = summaries_of(campaign)
        if summaries and campaign.name in agents_published.SOURCES:
            parts.append(published_section(campaign, summaries))
        elif summaries:
            parts.append(section(campaign, summaries, page.parent))
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
            report(given.out)
            return 0
        campaign = CAMPAIGNS[given.what]
        agents = campaign.entrants(given.agents)
        games = corpus(given.games, campaign.games, by_lot=campaign.slice > 0)
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
