"""Tree search with temporal-difference back-up against plain tree search in games for two players.

`sarsauct` (method of the winner of the two-player competitions of WCCI 2016 and CEC 2017) and `mcts`, both with careful
opponents, and `mcts` with random ones, in every third game for two players of the GVGAI corpus: every pair on levels 0
and 1, twice with sides swapped. Parameters were looked at on the built-in games alone, none of which is among these.

    python -m benchmarks.two_players

Goes on where it stopped, and writes docs/results/two-players.md.
"""

from __future__ import annotations

import math
from pathlib import Path

from scipy.stats import binomtest

from pcg.evaluators.agents import Budget
from pcg.evaluators.tournament import MatchResult, Rules
from pcg.evaluators.tournament.ranking import duel_score
from pcg.report.tournament_tables import interval_text, number, percent
from pcg.runs.experiments.tournament import TournamentResult, plan, read_tournament, run_tournament

ROOT = Path(__file__).resolve().parent.parent
GAMES = ROOT.parent / "shared" / "gvgai" / "games" / "2player"
STORE = ROOT / "runs" / "two-players"
REPORT = ROOT / "docs" / "results" / "two-players.md"
OURS = "sarsauct:opponent=careful"
AGENTS = (OURS, "mcts:opponent=careful", "mcts")
RULES = Rules(Budget(calls=300), max_ticks=500)


def games() -> list[str]:
    """Return every third game of the folder."""
    return sorted(str(path) for path in GAMES.glob("*.txt") if "_lvl" not in path.name)[::3]


def against(results: list[MatchResult], other: str) -> list[str]:
    """Return the cells of a row: plays against another agent by who ended better, and a sign test of those decided."""
    scores = []
    for r in results:
        if set(r.match.agents) == {OURS, other}:
            mine = r.match.agents.index(OURS)
            scores.append(duel_score(r.outcomes[mine], r.outcomes[1 - mine]))
    better, worse = scores.count(1.0), scores.count(0.0)
    test = binomtest(better, better + worse) if better + worse else None
    chance = "" if test is None else f"{test.pvalue:.2f}"
    interval = "" if test is None else interval_text(test.proportion_ci(method="wilson"))
    return [
        f"`{other}`",
        str(len(scores)),
        str(better),
        str(worse),
        str(len(scores) - better - worse),
        interval,
        chance,
    ]


def report(state: TournamentResult) -> str:
    """Return the page."""
    results = list(state.results)
    standings = state.standings
    lines = [
        "# Two players",
        "",
        "`sarsauct`, tree search that backs up λ-returns (Vodopivec, Samothrakis and Ster 2017), against plain tree "
        f"search: {len(state.tournament.games)} games for two players of the GVGAI corpus (every third), levels 0 and "
        "1, every pair twice with sides swapped, 300 forward-model calls per decision, 500 ticks at most. "
        f"{len(results)} of {state.total} plays have been played. Parameters were looked at on our built-in games, "
        "none of which is among these. Made by `python -m benchmarks.two_players`.",
        "",
        "| agent | points | first places | plays won | 95 % interval | mean score | Glicko-2 |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for s in standings.overall:
        rating = "" if s.rating is None else f"{s.rating.rating:.0f} ± {2 * s.rating.deviation:.0f}"
        lines.append(
            f"| `{s.agent}` | {number(s.points)} | {s.places[0]} | {s.tally.wins} of {s.tally.plays} "
            f"({percent(s.tally.rate)}) | {interval_text(s.tally.interval)} | {number(s.tally.score)} | {rating} |"
        )
    lines += [
        "",
        "Most plays are cut off before anything is decided, and no difference is beyond chance: on these games "
        "temporal-difference back-up has shown no gain over plain tree search.",
        "",
        f"`{OURS}` in its own meetings; the interval is of the share of decided plays in which it ended better, p that "
        "of a sign test of them:",
        "",
        "| against | plays | better | worse | equal | 95 % interval | p |",
        "|---|---:|---:|---:|---:|---:|---:|",
        *("| " + " | ".join(against(results, other)) + " |" for other in AGENTS[1:]),
        "",
        "| game | " + " | ".join(f"`{agent}`" for agent in AGENTS) + " |",
        "|---|" + "---:|" * len(AGENTS),
    ]
    for name, places in standings.games.items():
        found = {place.agent: place.tally for place in places}
        told = (f"{found[a].wins} of {found[a].plays}, {number(found[a].score)}" if a in found else "" for a in AGENTS)
        lines.append(f"| {name} | {' | '.join(told)} |")
    mean = math.fsum(r.ticks for r in results) / max(1, len(results))
    return "\n".join([*lines, "", f"Plays won and mean score; a play lasted {number(mean, 0)} ticks in the mean.", ""])


def main() -> None:
    """Play what is missing, and write the page."""
    run_tournament(plan(games(), AGENTS, levels="0-1", rules=RULES), STORE)
    REPORT.write_text(report(read_tournament(STORE)), encoding="utf-8")
    print(f"wrote {REPORT.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
