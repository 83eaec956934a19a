"""The tables in docs/results that campaigns keep: a report made of them is the same as one made of the single plays."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import ggp_study
from benchmarks.agents_summary import common_rows, read_summary, standings, summarise, write_summary
from pcg.evaluators.tournament import Fault, Match, MatchResult, rank

GAMES = ("aliens", "bait", "zelda")
MATCHES = [
    Match(k, game, level, repeat, repeat + 1, ("",))
    for k, (repeat, level, game) in enumerate((r, lv, g) for r in range(3) for lv in range(2) for g in GAMES)
]


def results_of(agent: str, count: int = len(MATCHES)) -> list[MatchResult]:
    """Plays of an agent with drawn outcomes, one of them a disqualification."""
    drawn = random.Random(agent)
    found = []
    for match in MATCHES[:count]:
        outcome, score, ticks = drawn.choice((1, 0, -1)), drawn.choice((0.5, -3.0, 17.0)), drawn.randrange(1, 2001)
        played = replace(match, agents=(agent,))
        found.append(MatchResult(played, (outcome,), (score,), ticks, 10 * ticks, (drawn.randrange(2),)))
    fault = Fault(0, agent, 31, "overtime", 'took 61.6 ms, "too long"')
    found[4] = replace(found[4], outcomes=(-100,), scores=(-1000.0,), ticks=31, fault=fault)
    return found


@pytest.mark.parametrize("by_level", [False, True])
def test_a_summary_is_read_as_it_was_written(tmp_path: Path, by_level: bool) -> None:
    summary = summarise("mcts:depth=14", MATCHES, results_of("mcts:depth=14", 7), by_level=by_level)
    write_summary(summary, tmp_path / "a" / "mcts.csv")
    assert read_summary(tmp_path / "a" / "mcts.csv") == summary
    assert (summary.plays, summary.planned, len(summary.rows)) == (7, 18, 6 if by_level else 3)


@pytest.mark.parametrize("by_level", [False, True])
def test_agents_are_ranked_by_summaries_as_by_their_plays(by_level: bool) -> None:
    played = {agent: results_of(agent) for agent in ("mcts", "olets", "random")}
    summaries = [summarise(agent, MATCHES, results, by_level=by_level) for agent, results in played.items()]
    assert standings(summaries) == rank([result for results in played.values() for result in results])


def test_common_rows_are_those_that_all_agents_have_played_equally_often() -> None:
    full, part = (summarise(a, MATCHES, results_of(a, n), by_level=False) for a, n in (("a", 18), ("b", 17)))
    assert common_rows([full, full]) == [(game, None) for game in GAMES]
    assert common_rows([full, part]) == [("aliens", None), ("bait", None)]
    assert common_rows([]) == []
    assert [*standings([full, part], common_rows([full, part])).games] == ["aliens", "bait"]


def test_outcomes_of_board_games_are_counted_and_what_is_counted_is_not_played_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ggp_study, "RECORDS", tmp_path)
    setting = ggp_study.Setting("modern", "connect-four", "no memory", 15)
    half = ggp_study.SERIES["modern"].plays // 2
    plays = [
        ggp_study.Play(setting, number, ggp_study.seats_of("connect-four", number, half), goals, 20, 300, 0.25)
        for number, goals in ((0, (100, 0)), (1, (100, 0)), (2, (50, 50)), (half, (0, 100)))
    ]
    ggp_study.Table("modern", "connect-four").add(plays[:2])
    table = ggp_study.Table("modern", "connect-four")
    table.add(plays[2:])
    counts = ggp_study.read_counts("modern", "connect-four", digest=table.digest)
    assert counts == table.counts
    assert sorted((o.seats, o.goals, c.plays, c.ticks) for o, c in counts.items()) == [
        ("AB", (50, 50), 1, 20), ("AB", (100, 0), 2, 40), ("BA", (0, 100), 1, 20)
    ]  # fmt: skip
    known = [n for n in range(2 * half) if ggp_study.Table("modern", "connect-four").holds(setting, n)]
    assert known == [0, 1, 2, half]
    own, other = ggp_study.sides(counts)
    assert own is not None and other is not None
    assert (own.mean, other.mean) == (3.5 / 4, 0.5 / 4)


def test_agents_are_ranked_on_a_set_by_its_games_alone() -> None:
    from benchmarks import game_sets

    summaries = [read_summary(path) for path in sorted((game_sets.RECORDS / "calls").glob("*.csv"))]
    games = {game.lower() for game in game_sets.GAME_SETS["cig2014-test"].games}
    lines = game_sets.ranking(summaries, "cig2014-test")[2:]
    assert len(lines) == len(summaries)
    for summary in summaries:
        rows = [row for (game, _), row in summary.rows.items() if game.lower() in games]
        won = 100 * sum(row.wins for row in rows) / sum(row.plays for row in rows)
        (line,) = (line for line in lines if f"| `{summary.agent}` |" in line)
        assert len(rows) == 10 and f" {won:.1f} % |" in line
    assert "| CIG 2014 | adrienctx |" in game_sets.report()
