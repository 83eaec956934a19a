"""Tables of a tournament: as CSV for programs, as LaTeX for papers, and as rows for the terminal and the page.

Numbers are made in one place here, so that all of them agree. Nothing in them differs between equal tournaments.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from fractions import Fraction

from pcg.evaluators.agents.registry import rules_column
from pcg.evaluators.tournament import MatchResult, Standing, Standings
from pcg.evaluators.tournament.rules import OUTCOME_NAMES

RESULT_COLUMNS = (
    "game", "level", "repeat", "seed", "player", "agent", "opponent", "outcome", "score", "ticks", "late", "fault",
)  # fmt: skip
GAME_COLUMNS = (
    "game", "rank", "agent", "points", "plays", "wins", "win_rate", "low", "high", "score", "steps", "disqualified",
)  # fmt: skip
STANDING_COLUMNS = (
    "rank", "agent", "reads_rules", "points", "firsts", "plays", "wins", "win_rate", "low", "high", "score", "rating",
    "deviation", "disqualified", "faults",
)  # fmt: skip


def number(value: float | Fraction, digits: int = 1) -> str:
    """Return a number with at most so many decimals, without needless zeros.

    >>> number(Fraction(33, 2)), number(25.0), number(-0.04)
    ('16.5', '25', '0')
    """
    text = f"{float(value):.{digits}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def percent(share: float) -> str:
    """Return a share in percent with one decimal: "48.4 %"."""
    return f"{100 * share:.1f} %"


def interval_text(standing_interval: tuple[float, float]) -> str:
    """Return an interval of shares in percent.

    >>> interval_text((0.1234, 0.5))
    '12.3 to 50.0 %'
    """
    low, high = standing_interval
    return f"{100 * low:.1f} to {100 * high:.1f} %"


def results_csv(results: Sequence[MatchResult]) -> str:
    """Return CSV with one line per match and player."""
    rows = []
    for result in results:
        match, fault = result.match, result.fault
        for player, agent in enumerate(match.agents):
            others = " ".join(other for k, other in enumerate(match.agents) if k != player)
            mine = fault is not None and fault.player == player
            rows.append(
                (
                    match.game, match.level, match.repeat, match.seed, player, agent, others,
                    OUTCOME_NAMES[result.outcomes[player]], repr(result.scores[player]), result.ticks,
                    result.late[player] if result.late else 0,
                    f"{fault.kind}: {fault.message}" if fault is not None and mine else "",
                )
            )  # fmt: skip
    return _csv(RESULT_COLUMNS, rows)


def games_csv(standings: Standings) -> str:
    """Return CSV with one line per game and agent, best first."""
    return _csv(
        GAME_COLUMNS,
        [
            (
                game, place.rank, place.agent, number(place.points, 4), place.tally.plays, place.tally.wins,
                *_shares(place.tally.rate, place.tally.interval), number(place.tally.score, 4),
                number(place.tally.steps, 2), place.tally.disqualified,
            )
            for game, places in standings.games.items()
            for place in places
        ],
    )  # fmt: skip


def standings_csv(standings: Standings) -> str:
    """Return CSV with one line per agent, best first."""
    return _csv(
        STANDING_COLUMNS,
        [
            (
                s.rank, s.agent, rules_column(s.agent), number(s.points, 4), s.places[0], s.tally.plays, s.tally.wins,
                *_shares(s.tally.rate, s.tally.interval), number(s.tally.score, 4),
                *(("", "") if s.rating is None else (number(s.rating.rating), number(s.rating.deviation))),
                s.tally.disqualified, s.faults,
            )
            for s in standings.overall
        ],
    )  # fmt: skip


def standing_rows(standings: Standings) -> tuple[list[str], list[list[str]]]:
    """Return headings and rows of the table of agents, as people read it; columns that say nothing are left out."""
    rated = any(s.rating for s in standings.overall)
    fouled = any(s.tally.disqualified for s in standings.overall)
    headings = ["rank", "agent", "reads rules", "points", "firsts", "wins", "win rate", "95 % interval", "score"]
    headings += ["Glicko-2"] * rated + ["disqualified"] * fouled
    return headings, [_row(s, rated, fouled) for s in standings.overall]


def _row(s: Standing, rated: bool, fouled: bool) -> list[str]:
    row = [
        str(s.rank), s.agent, rules_column(s.agent), number(s.points), str(s.places[0]),
        f"{s.tally.wins} of {s.tally.plays}", percent(s.tally.rate), interval_text(s.tally.interval),
        number(s.tally.score),
    ]  # fmt: skip
    if rated:
        row.append("" if s.rating is None else f"{s.rating.rating:.0f} ± {2 * s.rating.deviation:.0f}")
    if fouled:
        row.append(str(s.tally.disqualified))
    return row


def standings_latex(standings: Standings) -> str:
    """Return the table of agents for a paper; needs the package booktabs."""
    headings, rows = standing_rows(standings)
    lines = [rf"\begin{{tabular}}{{rll{'r' * (len(headings) - 3)}}}", r"\toprule"]
    lines += [" & ".join(map(_tex, headings)) + r" \\", r"\midrule"]
    lines += [" & ".join(map(_tex, row)) + r" \\" for row in rows]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


_TEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "±": r"$\pm$",
}  # fmt: skip


def _tex(text: str) -> str:
    return "".join(_TEX.get(sign, sign) for sign in text)


def _shares(rate: float, interval: tuple[float, float]) -> tuple[str, str, str]:
    return f"{rate:.4f}", f"{interval[0]:.4f}", f"{interval[1]:.4f}"


def _csv(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return target.getvalue()
