"""Rankings of tournaments: points, ratings, intervals, sets of games, pairs that ratings choose."""

from __future__ import annotations

import math
import random
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from scipy.stats import spearmanr

import pcg
from pcg.engine.game import builtin_games
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.tournament import (
    GAME_SETS,
    POINTS,
    GameSet,
    Match,
    MatchResult,
    Rating,
    choose_pair,
    chosen_matches,
    rank,
    rate,
    select_games,
    select_sets,
    shared_points,
    wilson,
)
from pcg.evaluators.tournament.pairing import ratings_of
from pcg.evaluators.tournament.ratings import update
from pcg.evaluators.tournament.rules import LOST, WON

# --- ranking ----------------------------------------------------------------------------------------------------------


def result_of(game: str, agents: str, outcomes: tuple[int, ...], scores: tuple[float, ...], ticks: int) -> MatchResult:
    return MatchResult(Match(0, game, 0, 0, 1, tuple(agents)), outcomes, scores, ticks)


def test_wins_come_before_score_and_score_before_time() -> None:
    results = [
        result_of("g", "a", (WON,), (1.0,), 900),  # one win
        result_of("g", "b", (LOST,), (99.0,), 10),  # no win, high score
        result_of("g", "c", (WON,), (1.0,), 800),  # the same win, sooner
        result_of("g", "d", (WON,), (2.0,), 1999),  # more score, later
        result_of("g", "e", (LOST,), (5.0,), 10),
        result_of("g", "f", (LOST,), (5.0,), 1000),  # lost later
    ]
    places = rank(results).games["g"]
    assert [p.agent for p in places] == list("dcabfe")
    assert [p.points for p in places] == list(POINTS[:6])


def test_equals_share_the_points_of_the_places_they_take() -> None:
    assert shared_points([(0.0,)] * 3) == [(1, Fraction(58, 3))] * 3
    tied = shared_points([(k // 2,) for k in range(14)])
    assert [place for place, _ in tied] == [1, 1, 3, 3, 5, 5, 7, 7, 9, 9, 11, 11, 13, 13]
    assert sum(points for _, points in tied) == sum(POINTS) and tied[-1][1] == 0


def test_first_places_break_ties_of_points() -> None:
    # x: first and fourth, 25 + 12; others are made to get 37 as well without a first place: 18 + 18 + 1 over 3 games
    def game(name: str, order: str) -> list[MatchResult]:
        return [result_of(name, agent, (WON,), (100.0 - k,), 50) for k, agent in enumerate(order)]

    results = game("g1", "xyabcdefgh") + game("g2", "ayfxbcdegh") + game("g3", "abcdefghpy")
    table = {s.agent: s for s in rank(results).overall}
    assert table["x"].points == 37 and table["y"].points == 18 + 18 + 1
    assert table["x"].places[0] == 1 and table["y"].places[0] == 0
    assert table["x"].rank < table["y"].rank


def test_agents_that_nothing_tells_apart_share_a_rank() -> None:
    results = [result_of("g", agent, (WON,), (1.0,), 10) for agent in "ab"]
    assert [(s.agent, s.rank, s.points) for s in rank(results, ["b", "a"]).overall] == [
        ("b", 1, Fraction(43, 2)),
        ("a", 1, Fraction(43, 2)),
    ]


def test_both_sides_of_a_duel_count_and_ratings_follow_the_wins() -> None:
    results = [
        result_of("duel", "ab", (WON, LOST), (3.0, 0.0), 20),
        result_of("duel", "ba", (LOST, WON), (0.0, 3.0), 30),
        result_of("duel", "bc", (LOST, LOST), (0.0, 0.0), 40),
    ]
    standings = rank(results)
    a, b, c = (next(s for s in standings.overall if s.agent == name) for name in "abc")
    assert (a.tally.plays, a.tally.wins) == (2, 2) and (b.tally.plays, b.tally.losses) == (3, 3)
    assert a.rating and b.rating and c.rating
    assert a.rating.rating > c.rating.rating > b.rating.rating
    assert rank([result_of("g", "a", (WON,), (1.0,), 1)]).overall[0].rating is None


# --- ratings ----------------------------------------------------------------------------------------------------------


def test_glicko_2_gives_the_example_of_the_paper() -> None:
    after = update(Rating(1500, 200, 0.06), [(Rating(1400, 30), 1), (Rating(1550, 100), 0), (Rating(1700, 300), 0)])
    # the paper finds A = -5.62696 and prints exp(A / 2), which is 0.0599960, as 0.05999
    assert after.rating == pytest.approx(1464.06, abs=0.01) and after.deviation == pytest.approx(151.52, abs=0.005)
    assert 2 * math.log(after.volatility) == pytest.approx(-5.62696, abs=5e-6)


def test_volatility_solves_the_equation_of_the_paper_for_a_rating_far_from_the_middle() -> None:
    """f(x) of step 5 vanishes at the new volatility, with the deviation in it and not the rating."""
    player, games = Rating(2100, 80, 0.06), [(Rating(1500, 50), 0.0), (Rating(1600, 50), 0.0)]
    after = update(player, games)
    phi, scale = 80 / 173.7178, 173.7178
    g = [1 / math.sqrt(1 + 3 * (o.deviation / scale) ** 2 / math.pi**2) for o, _ in games]
    e = [1 / (1 + math.exp(-k * (2100 - o.rating) / scale)) for k, (o, _) in zip(g, games, strict=True)]
    v = 1 / sum(k * k * p * (1 - p) for k, p in zip(g, e, strict=True))
    delta = v * sum(k * (s - p) for k, p, (_, s) in zip(g, e, games, strict=True))
    x = math.log(after.volatility**2)
    left = math.exp(x) * (delta**2 - phi**2 - v - math.exp(x)) / (2 * (phi**2 + v + math.exp(x)) ** 2)
    assert left == pytest.approx((x - math.log(0.06**2)) / 0.25, abs=1e-5)
    assert after.volatility > 0.06 and after.rating < 2100


def test_who_does_not_play_becomes_less_certain() -> None:
    after = update(Rating(1600, 100, 0.06), [])
    assert after.rating == 1600 and after.deviation == pytest.approx((100**2 + (0.06 * 173.7178) ** 2) ** 0.5)
    ratings = rate([[("a", "b", 1.0)], [("c", "d", 0.5)]])
    assert ratings["a"].deviation > rate([[("a", "b", 1.0)]])["a"].deviation
    assert ratings["c"].rating == 1500


def test_wilson_intervals_are_those_of_the_textbook() -> None:
    """Newcombe 1998, table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29."""
    expected = {
        (81, 263): (0.2553, 0.3662),
        (15, 148): (0.0624, 0.1605),
        (0, 20): (0.0, 0.1611),
        (1, 29): (0.0061, 0.1718),
    }
    for (wins, plays), (low, high) in expected.items():
        assert wilson(wins, plays) == pytest.approx((low, high), abs=5e-5)
    assert wilson(0, 0) == (0.0, 1.0)


# --- sets of games, and pairs that ratings choose ---------------------------------------------------------------------


def test_sets_are_of_ten_games_with_five_levels_and_do_not_overlap() -> None:
    full = [name for name in GAME_SETS if name not in ("test", "two-player")]
    assert all(len(set(GAME_SETS[name].games)) == 10 for name in full)
    for sets in (("training", "validation", "test"), ("cig2014-training", "cig2014-validation", "cig2014-test")):
        games = [game for name in sets for game in GAME_SETS[name].games]
        assert len(games) == len(set(games))
        assert [GAME_SETS[name].role for name in sets] == ["training", "validation", "test"]
        assert [GAME_SETS[name].plays for name in sets] == [1, 1, 5]
    ours = [e for name in ("training", "validation", "test") for e in select_games(GAME_SETS[name].sources())]
    assert all((entry.players, entry.levels) == (1, 5) for entry in ours)
    assert {entry.name for entry in ours} == {n for n in builtin_games() if pcg.load(n).players == 1}
    assert {e.players for e in select_games(GAME_SETS["two-player"].sources())} == {2}


def test_games_of_a_set_are_found_below_a_folder_and_told_from_namesakes(tmp_path: Path) -> None:
    one, two = pcg.load("boxes"), pcg.load("duel")
    for folder, game in (("2player", two), ("grid", one)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "Alpha.txt").write_text(game.definition.source)
        (tmp_path / folder / "Alpha_lvl0.txt").write_text(game.levels[0])
    alpha = GameSet("mine", "training", ("alpha",), "for a test")
    assert alpha.sources(tmp_path) == [str(tmp_path / "grid" / "Alpha.txt")]
    with pytest.raises(PcgError, match="name the folder"):
        alpha.sources()
    with pytest.raises(PcgError, match=r"no beta\.txt"):
        GameSet("mine", "training", ("beta",), "for a test").sources(tmp_path)
    with pytest.raises(PcgError, match="did you mean `training`"):
        select_sets(["trainig"])


def test_the_least_known_agent_plays_the_opponent_that_tells_most() -> None:
    ratings = {"a": Rating(1500, 60), "b": Rating(1900, 60), "c": Rating(1860, 150), "d": Rating(1850, 350)}
    assert choose_pair("abcd", ratings, {}) == ("d", "b")
    assert choose_pair("abc", ratings, {}) == ("c", "b")
    equal = {name: Rating() for name in "abc"}
    assert choose_pair("abc", equal, {}) == ("a", "b")
    assert choose_pair("abc", equal, {frozenset("ab"): 1}) == ("a", "c")


def test_results_decide_the_next_meeting_and_only_complete_ones_count() -> None:
    entries = select_games(["duel", "tag"])
    levels = {"duel": [0, 1], "tag": [2]}
    agents = ["x", "y", "z"]
    first = chosen_matches(entries, agents, levels, 4, seed=7)
    assert [(m.game, m.level, m.seed, m.agents) for m in first] == [
        ("duel", 0, 7, ("x", "y")), ("duel", 0, 7, ("y", "x")), ("duel", 1, 7, ("x", "y")), ("duel", 1, 7, ("y", "x")),
    ]  # fmt: skip

    def won_by_the_stronger(matches: list[Match]) -> list[MatchResult]:
        return [MatchResult(m, (WON, LOST) if m.agents[0] < m.agents[1] else (LOST, WON), (0, 0), 5) for m in matches]

    results = won_by_the_stronger(first)
    assert chosen_matches(entries, agents, levels, 4, 7, results[:3]) == first
    second = chosen_matches(entries, agents, levels, 4, 7, results)
    assert second[:4] == first and [(m.id, m.game) for m in second[4:]] == [(4, "tag"), (5, "tag")]
    assert "z" in second[4].agents  # nothing is known of it
    while len(second) > len(results):
        results = won_by_the_stronger(second)
        second = chosen_matches(entries, agents, levels, 4, 7, results)
    assert len(results) == 2 * (2 + 1 + 2 + 1) and results[-1].match.seed == 8
    played = Counter((frozenset(r.match.agents), r.match.game) for r in results)
    assert all(count <= 4 for count in played.values())  # no pair has met in one game twice
    assert won_by_the_stronger(second) == results


@pytest.mark.full
def test_ratings_find_the_order_of_agents_in_fewer_games_than_all_pairs_need() -> None:
    entries, agents = select_games(["duel"]), [f"p{k}" for k in range(12)]
    strength = {name: 1200 + 60 * k for k, name in enumerate(agents)}
    rng = random.Random(5)
    results: list[MatchResult] = []
    for _ in range(120):  # 240 games; every pair on five levels would be 660
        for m in chosen_matches(entries, agents, {"duel": [0]}, 120, 1, results)[len(results) :]:
            chance = 1 / (1 + 10 ** ((strength[m.agents[1]] - strength[m.agents[0]]) / 400))
            results.append(MatchResult(m, (WON, LOST) if rng.random() < chance else (LOST, WON), (0, 0), 5))
    standings = rank(results, agents, ratings=ratings_of(results))
    assert [s.rank for s in standings.overall] == list(range(1, 13))
    found = [strength[s.agent] for s in standings.overall]
    assert spearmanr(found, sorted(found, reverse=True)).statistic > 0.85
    assert max(s.rating.deviation for s in standings.overall if s.rating) < 110
    counts = Counter(agent for result in results for agent in result.match.agents)
    assert min(counts.values()) > 25


def test_ratings_choose_pairs_of_two_players_only() -> None:
    with pytest.raises(PcgError, match="hunt is for 1"):
        chosen_matches(select_games(["hunt"]), ["a", "b"], {"hunt": [0]}, 1)
    with pytest.raises(PcgError, match="at least two"):
        chosen_matches(select_games(["duel"]), ["a"], {"duel": [0]}, 1)


def test_a_set_is_ranked_by_its_own_games() -> None:
    results = [result_of("g", "a", (WON,), (1.0,), 5), result_of("g", "b", (LOST,), (1.0,), 5),
               result_of("h", "a", (LOST,), (1.0,), 5), result_of("h", "b", (WON,), (1.0,), 5)]  # fmt: skip
    assert [s.agent for s in rank(results, games={"g"}).overall] == ["a", "b"]
    assert [s.agent for s in rank(results, games={"h"}).overall] == ["b", "a"]
