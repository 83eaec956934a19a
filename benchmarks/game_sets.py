"""Winners of the GVGAI competitions beside our agents, on the sets of games that are known: docs/results/game-sets.md.

The text (Perez Liebana et al., General Video Game Artificial Intelligence, 2019, chapter 2, table 1) gives the winner
of each competition with its share of plays won on ten secret games. It names none of these games; those of 2014 are
known from other sources (`pcg.evaluators.tournament.game_sets`), and all of them are in the corpus. This program ranks
our agents on each of the three sets of 2014 by the rules of the text, from the tables that benchmarks/agents_corpus.py
keeps.

    python -m benchmarks.game_sets
"""

from __future__ import annotations

from pathlib import Path

from benchmarks.agents_summary import Summary, read_summary, standings
from pcg.evaluators.agents.registry import rules_column
from pcg.evaluators.tournament import GAME_SETS
from pcg.report.tournament_tables import interval_text, number, percent

ROOT = Path(__file__).resolve().parent.parent
RECORDS = ROOT / "docs" / "results" / "agents"
REPORT = ROOT / "docs" / "results" / "game-sets.md"
SETS = ("cig2014-training", "cig2014-validation", "cig2014-test")
CAMPAIGNS = {
    "calls": "1,000 forward-model calls per action, levels 0-2, 3 seeds each: 90 plays per set",
    "time": "40 ms of processor time per action, levels 0-1, 1 seed each: 20 plays per set",
}
PLANNING = (
    ("CIG 2014", "adrienctx", "open-loop expectimax tree search (OLETS)", "51.2 %", 14),
    ("GECCO 2015", "YOLOBOT", "MCTS, breadth-first search, heuristic of sprites to go for", "63.8 %", 47),
    ("CIG 2015", "Return42", "genetic algorithm, random walks, A*", "35.8 %", 48),
    ("CEEC 2015", "YBCriber", "iterated width, danger avoidance", "39.2 %", 50),
    ("GECCO 2016", "MaastCTS2", "MCTS with enhancements", "43.6 %", 19),
    ("CIG 2016", "YOLOBOT", "as above", "41.6 %", 24),
    ("GECCO 2017", "YOLOBOT", "as above", "42.4 %", 25),
    ("WCCI 2018", "asd592", "genetic algorithm, breadth-first search", "39.6 %", 10),
)
"""Competition, winner, method, plays won, entries: single-player planning, table 1 of the text."""
TWO_PLAYERS = (
    ("WCCI 2016", "ToVo2", "SARSA-UCT with temporal-difference back-up", 178, 8),
    ("CIG 2016", "adrienctx", "OLETS", 142, 8),
    ("CEC 2017", "ToVo2", "as above", 161, 12),
    ("FDG 2018", "adrienctx", "as above", 169, 14),
)
"""Competition, winner, method, points, entries: two-player planning, table 1 of the text."""


def ranking(summaries: list[Summary], name: str) -> list[str]:
    """Return the lines of a table: agents ranked on a set of games by the points of the text's rules."""
    games = {game.lower() for game in GAME_SETS[name].games}
    keys = [key for key in summaries[0].rows if key[0].lower() in games]
    assert len({game for game, _ in keys}) == len(games), f"{name}: games are missing"
    assert all(s.rows[key].plays == s.rows[key].planned for s in summaries for key in keys), f"{name}: not all played"
    lines = ["| place | agent | reads rules | points | first places | plays won | 95 % interval | mean score |",
             "|---:|---|---|---:|---:|---:|---:|---:|"]  # fmt: skip
    for one in standings(summaries, keys).overall:
        lines.append(
            f"| {one.rank} | `{one.agent}` | {rules_column(one.agent)} | {number(one.points)} | {one.places[0]} | "
            f"{percent(one.tally.rate)} | {interval_text(one.tally.interval)} | {number(one.tally.score)} |"
        )
    return lines


def report() -> str:
    """Return the page."""
    lines = [
        "# Sets of games",
        "",
        "The competitions rank agents on [sets](../tournaments.md#sets-of-games) of ten games with five levels each. "
        "This page has the winners that the GVGAI book names and, on the sets whose games are known, our agents. It is "
        "written by `python -m benchmarks.game_sets` from the plays of [Agents on the corpus](agents.md).",
        "",
        "## Winners of the competitions",
        "",
        "From Perez Liebana et al., General Video Game Artificial Intelligence, 2019, chapter 2, table 1. Every one "
        "was played on other games, at 40 ms per action.",
        "",
        "| competition | winner | method | plays won | entries |",
        "|---|---|---|---:|---:|",
        *(f"| {' | '.join(map(str, row))} |" for row in PLANNING),
        "",
        "Two players, in points of the ranking:",
        "",
        "| competition | winner | method | points | entries |",
        "|---|---|---|---:|---:|",
        *(f"| {' | '.join(map(str, row))} |" for row in TWO_PLAYERS),
        "",
        "Their points were given among the entries of their competitions, and nothing here compares with them. Of the "
        "sets behind these tables we know the games of three: training, validation and test set of CIG 2014 (the "
        "paper on that competition, and the competition's pages for the test set). On that test set `adrienctx` won "
        "51.2 % of its plays: all five levels five times each, at 40 ms, on another engine and machine. Its method is "
        "that of our `olets`. None of these games was hidden from us when our agents were made, and some of ours read "
        "the rules, which entries of the competitions could not; the column *reads rules* says which "
        "([what agents may know](../agents.md#what-agents-may-know)).",
        "",
    ]
    for campaign, told in CAMPAIGNS.items():
        summaries = [read_summary(path) for path in sorted((RECORDS / campaign).glob("*.csv"))]
        lines += [f"## Ours, at {told.partition(',')[0] if campaign == 'time' else '1,000 calls per action'}", "",
                  f"{told[0].upper()}{told[1:]}. Points are those among the agents in the table.", ""]  # fmt: skip
        for name in SETS:
            lines += [f"### {GAME_SETS[name].about.capitalize().replace('cig', 'CIG')}", ""]
            lines += [", ".join(GAME_SETS[name].games) + ".", "", *ranking(summaries, name), ""]
    return "\n".join(lines)


def main() -> None:
    """Write the page."""
    REPORT.write_text(report(), encoding="utf-8")
    print(f"wrote {REPORT.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
