"""Our MCTS, RHEA, OLETS and one-step look-ahead beside published plays of the reference's: the same games and levels.

Gaina, Lucas and Perez-Liebana (Tackling Sparse Rewards in Real-Time Games with Statistical Forward Planning Methods,
AAAI 2019) let MCTS and RHEA play 20 games at 1,000 forward-model calls per action, every level 20 times, and published
what came of every play; Guerrero-Romero, Louis and Perez-Liebana (Beyond Playing to Win: Diversifying Heuristics for
GVGAI, CIG 2017) did so for one-step look-ahead, which needs no budget, on the first level of the same games, and for
OLETS and MCTS with a budget that they do not say: ours play at several. `PUBLISHED` has how many plays were won; the
campaigns of benchmarks/agents_corpus.py that begin with `published` play the same with ours, and the report has the
tables made here.
"""

from __future__ import annotations

from collections.abc import Mapping

from scipy.stats import fisher_exact

from pcg.evaluators.preferences.exact import holm
from pcg.evaluators.tournament import wilson
from pcg.report.tournament_tables import interval_text, percent

PLAYS = 20
"""Published plays of every level by every agent."""
SOURCES = {
    "published": (
        "The same games, levels and budgets as Gaina, Lucas and Perez-Liebana, Tackling Sparse Rewards in Real-Time "
        "Games with Statistical Forward Planning Methods, AAAI 2019; every play is in the branch SparseRewards of "
        "github.com/rdgain/ExperimentData, folders `mcts_no_shift/false_14_10_1000_0_false` and "
        "`rhea_no_shift/true_14_10_1000_0_false` (of files with more than 100 plays the last 100)"
    ),
    "published-first": (
        "The same games and levels as Guerrero-Romero, Louis and Perez-Liebana, Beyond Playing to Win: Diversifying "
        "Heuristics for GVGAI, CIG 2017; every play is in github.com/kisenshi/gvgai-experiments, folder "
        "`analysis/experiment1/results`, heuristic `MaximizeScoreHeuristic`, controller 2 (the files name no level, "
        "that it is the first is our reading; some games end there after 1,500 ticks instead of 2,000)"
    ),
    "published-budgets": (
        "The same experiment's plays of OLETS and MCTS (controllers 0 and 1). Their budget is not said; ours have 50 "
        "to 400 calls per action, so that this says at which budgets ours win as often, not whether they do at theirs"
    ),
}
"""Published results that the campaigns of `agents_corpus.py` are compared with."""
AGENTS = {
    "mcts:depth=14": "MCTS, depth 14",
    "rhea:length=14": "RHEA, 10 plans of 14 moves",
    "onestep": "one-step look-ahead",
}
"""Our agents with the published settings, and what those are called."""
_RUNS = """
digdug            0 0 0 0 0        0 0 0 0 0
lemmings          0 0 0 0 0        0 0 0 0 0
roguelike         0 0 0 0 0        0 0 0 0 0
chopper           20 20 20 20 20   20 20 20 20 20
crossfire         0 0 0 0 0        0 0 2 0 0
chase             3 1 0 0 0        9 3 0 0 1
camelRace         0 0 0 7 0        0 0 0 1 0
escape            0 0 0 0 0        8 17 3 2 0
hungrybirds       0 3 0 0 0        0 1 2 0 0
bait              7 0 0 0 0        15 0 0 0 0
waitforbreakfast  2 0 1 1 0        20 18 18 3 15
survivezombies    17 8 18 0 0      20 14 20 0 0
modality          20 3 0 0 4       20 2 0 0 3
missilecommand    15 5 20 6 20     16 14 19 9 20
plaqueattack      18 17 20 17 20   20 19 20 20 20
seaquest          6 8 17 14 11     6 8 13 19 9
infection         20 20 20 20 20   20 20 20 20 20
aliens            20 20 20 20 20   20 20 20 20 20
butterflies       20 20 19 20 20   18 20 18 20 20
intersection      20 20 20 20 20   20 20 20 20 20
"""
PUBLISHED: dict[str, dict[tuple[str, int], int]] = {
    agent: {
        (row[0], level): int(row[1 + 5 * place + level])
        for row in map(str.split, _RUNS.strip().splitlines())
        for level in range(5)
    }
    for place, agent in enumerate(("mcts:depth=14", "rhea:length=14"))
}
"""Plays won of `PLAYS`, by our agent, game and level."""
GAMES = tuple(dict.fromkeys(game for game, _ in PUBLISHED["mcts:depth=14"]))
_FIRST = (0, 0, 0, 0, 1, 1, 0, 14, 0, 6, 20, 17, 12, 1, 3, 3, 17, 14, 7, 20)
PUBLISHED["onestep"] = {(game, 0): won for game, won in zip(GAMES, _FIRST, strict=True)}

_OTHERS = {
    "mcts": (0, 0, 0, 2, 0, 2, 0, 0, 0, 10, 1, 17, 20, 15, 15, 6, 18, 20, 20, 20),
    "olets": (0, 0, 0, 6, 11, 14, 0, 17, 13, 10, 20, 18, 20, 3, 14, 13, 19, 20, 18, 20),
}
"""Won on the first levels, in the order of `GAMES`, at a budget that is not said."""
BUDGETS = {f"{agent}:budget={calls}": agent for agent in _OTHERS for calls in (50, 100, 200, 400)}
for _text, _agent in BUDGETS.items():
    AGENTS[_text] = {"mcts": "MCTS, depth 10", "olets": "OLETS"}[_agent]
    PUBLISHED[_text] = {(game, 0): won for game, won in zip(GAMES, _OTHERS[_agent], strict=True)}

Wins = Mapping[tuple[str, int], tuple[int, int]]
"""Plays won and played, by game and level."""


def compared(ours: Mapping[str, Wins]) -> list[str]:
    """The comparison as Markdown, about the levels that ours have played."""
    lines = [
        "| agent | ours | 95 % interval | plays | published | 95 % interval | plays | published in our interval |",
        "|---|---:|---:|---:|---:|---:|---:|---|",
    ]
    for agent, played in ours.items():
        won, plays = _total(played)
        theirs = sum(PUBLISHED[agent][key] for key in played)
        number = PLAYS * len(played)
        low, high = wilson(won, plays)
        inside = "yes" if low <= theirs / number <= high else "no"
        lines.append(
            f"| `{agent}` ({AGENTS[agent]}) | {percent(won / plays)} | {interval_text((low, high))} | {plays} "
            f"| {percent(theirs / number)} | {interval_text(wilson(theirs, number))} | {number} | {inside} |"
        )
    lines += ["", "Plays won in percent, ours and published; a star marks games where the two differ by Fisher's exact "
              "test at 5 %, corrected for the number of games (Holm).", ""]  # fmt: skip
    lines += [
        f"| game | {' | '.join(f'`{agent}` | published' for agent in ours)} |",
        f"|---|{'---:|---:|' * len(ours)}",
    ]
    columns = [_by_game(PUBLISHED[agent], played) for agent, played in ours.items()]
    found = [game for game in GAMES if any(game in column for column in columns)]
    lines += [f"| {game} | {' | '.join(column.get(game, ' | ') for column in columns)} |" for game in found]
    return lines


def _total(played: Wins) -> tuple[int, int]:
    return sum(won for won, _ in played.values()), sum(plays for _, plays in played.values())


def _by_game(published: Mapping[tuple[str, int], int], played: Wins) -> dict[str, str]:
    tables = {}
    for game in GAMES:
        own = {key: value for key, value in played.items() if key[0] == game}
        if own:
            won, plays = _total(own)
            theirs = sum(published[key] for key in own)
            tables[game] = ((won, plays - won), (theirs, PLAYS * len(own) - theirs))
    adjusted = holm({game: float(fisher_exact(table).pvalue) for game, table in tables.items()})
    return {
        game: f"{100 * a / (a + b):.0f} | {100 * c / (c + d):.0f}{' *' if adjusted[game] < 0.05 else ''}"
        for game, ((a, b), (c, d)) in tables.items()
    }
