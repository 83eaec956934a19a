"""Groups compared with participants and items as random effects, held against lme4 and against known tastes."""

from __future__ import annotations

import csv
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit, softmax

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.preferences.choices import Choice
from pcg.evaluators.preferences.exact import sign_test
from pcg.evaluators.preferences.mixed import mixed_choices, mixed_effects
from pcg.evaluators.preferences.votes import Vote

SCRIPT = Path(__file__).with_name("mixed_effects.R")
LME4 = (0.9347342, 0.4245567, 0.3002988, -0.4688224, 0.1437355)
"""Of lme4 1.1-31 (R 4.2.2) for `drawn(3)`: deviations of items and tastes, position, groups b and c less a."""
LME4_ERRORS = (0.1699625, 0.7078381, 0.709951)
"""Standard errors of the last three."""


TMB = (0.845191, 0.5081316, -0.5299966, -0.2697915, 0.6436965, 0.6440929)
"""Of TMB 1.9.2 (R 4.2.2) for `drawn_sets(3)`: deviations of items and tastes, groups b and c less a, their errors."""


def has(package: str) -> bool:
    """R is here, with a package."""
    if shutil.which("Rscript") is None:
        return False
    return subprocess.run(["Rscript", "-e", f"library({package})"], capture_output=True).returncode == 0


def effects(
    rng: np.random.Generator, people: int, items: int, worth: tuple[float, ...], apart: float, taste: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Utilities of the items, group by group, and tastes of the participants by group."""
    own: NDArray[np.float64] = np.repeat(worth, items) + rng.normal(0, apart, len(worth) * items)
    return own, rng.normal(0, taste, (people, len(worth)))


def drawn(
    seed: int, *, people: int = 30, votes: int = 9, items: int = 4, worth: tuple[float, ...] = (0.8, 0.2, 0.0),
    apart: float = 0.6, taste: float = 0.6, first: float = 0.15,
) -> tuple[list[Vote], dict[str, str]]:  # fmt: skip
    """Votes of the model itself, one in ten a tie; with the group of each item."""
    rng = np.random.default_rng(seed)
    groups = len(worth)
    own, tastes = effects(rng, people, items, worth, apart, taste)
    made = []
    for person in range(people):
        for _ in range(votes):
            one, two = rng.choice(groups, 2, replace=False) * items + rng.integers(items, size=2)
            odds = first + own[one] - own[two] + tastes[person, one // items] - tastes[person, two // items]
            answer = "first" if rng.random() < expit(odds) else "second"
            answer = "both" if rng.random() < 0.1 else answer
            made.append(Vote(f"p{person:02}", f"i{one:02}", f"i{two:02}", answer))
    return made, {f"i{k:02}": "abc"[k // items] for k in range(groups * items)}


def drawn_sets(
    seed: int, *, people: int = 24, sets: int = 6, items: int = 4, worth: tuple[float, ...] = (0.8, 0.2, 0.0),
    apart: float = 0.6, taste: float = 0.6,
) -> tuple[list[Choice], dict[str, str]]:  # fmt: skip
    """Best and worst of sets of four, chosen by the model itself; with the group of each item."""
    rng = np.random.default_rng(seed)
    groups = len(worth)
    own, tastes = effects(rng, people, items, worth, apart, taste)
    made = []
    for person in range(people):
        for _ in range(sets):
            shown = rng.choice(groups * items, 4, replace=False)
            u = own[shown] + tastes[person, shown // items]
            best = int(rng.choice(4, p=softmax(u)))
            worst = int(rng.choice(4, p=softmax(np.where(np.arange(4) == best, -np.inf, -u))))
            names = tuple(f"i{k:02}" for k in shown)
            made.append(Choice(f"p{person:02}", names, names[best], names[worst]))
    return made, {f"i{k:02}": "abc"[k // items] for k in range(groups * items)}


def test_the_fit_is_that_of_lme4() -> None:
    votes, groups = drawn(3)
    found = mixed_effects(votes, groups)
    assert found is not None
    a_b, a_c, b_c = found.differences
    assert (a_b.one, a_b.other, b_c.one, b_c.other) == ("a", "b", "b", "c")
    np.testing.assert_allclose(
        (found.items, found.tastes, found.position[0], -a_b.estimate, -a_c.estimate), LME4, atol=2e-3
    )
    np.testing.assert_allclose((found.position[1], a_b.error, a_c.error), LME4_ERRORS, atol=5e-3)
    assert b_c.estimate == pytest.approx(a_c.estimate - a_b.estimate)
    assert found.votes + found.left_out == len(votes)
    assert a_c.interval[0] < a_c.estimate < a_c.interval[1]
    assert a_c.share == pytest.approx(expit(a_c.estimate))


@pytest.mark.full
def test_lme4_still_says_so(tmp_path: Path) -> None:
    if not has("lme4"):
        pytest.skip("there is no R with lme4 on this machine")
    votes, groups = drawn(3)
    table = tmp_path / "votes.csv"
    with table.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("first", "item1", "item2", "group1", "group2", "person"))
        for vote in votes:
            if vote.preferred is not None:
                places = [int(item[1:]) + 1 for item in (vote.first, vote.second)]
                sets = ["abc".index(groups[item]) + 1 for item in (vote.first, vote.second)]
                writer.writerow((int(vote.answer == "first"), *places, *sets, int(vote.participant[1:]) + 1))
    done = subprocess.run(["Rscript", SCRIPT, table], capture_output=True, text=True, check=True)
    numbers = [float(word) for word in done.stdout.split()]
    np.testing.assert_allclose(numbers[:5], LME4, atol=2e-3)
    np.testing.assert_allclose(numbers[7:], LME4_ERRORS, atol=5e-3)


def test_the_fit_of_sets_is_that_of_tmb() -> None:
    choices, groups = drawn_sets(3)
    found = mixed_choices(choices, groups)
    assert found is not None
    a_b, a_c, _ = found.differences
    np.testing.assert_allclose(
        (found.items, found.tastes, -a_b.estimate, -a_c.estimate, a_b.error, a_c.error), TMB, atol=1e-3
    )
    assert found.position is None
    assert (found.votes, found.left_out, found.participants) == (len(choices), 0, 24)


@pytest.mark.full
def test_tmb_still_says_so(tmp_path: Path) -> None:
    if not has("TMB"):
        pytest.skip("there is no R with TMB on this machine")
    choices, groups = drawn_sets(3)
    with (tmp_path / "GROUPS.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("group",), *(("abc".index(groups[item]) + 1,) for item in sorted(groups))])
    with (tmp_path / "choices.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("item1", "item2", "item3", "item4", "best", "worst", "person"))
        for choice in choices:
            places = [int(item[1:]) + 1 for item in choice.items]
            best, worst = choice.places
            writer.writerow((*places, best + 1, worst + 1, int(choice.participant[1:]) + 1))
    command = ["Rscript", SCRIPT.with_name("mixed_sets.R"), tmp_path / "choices.csv"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    np.testing.assert_allclose([float(word) for word in done.stdout.split()[-6:]], TMB, atol=1e-4)


def test_sets_of_two_are_pairs_without_an_order() -> None:
    """Every vote twice, once in each order, has a position of 0: then both models are one."""
    votes, groups = drawn(5, people=12)
    decided = [vote for vote in votes if vote.preferred is not None]
    turned = [Vote(v.participant, v.second, v.first, {"first": "second"}.get(v.answer, "first")) for v in decided]
    pairs = mixed_effects([*decided, *turned], groups)
    sets = mixed_choices([Choice(v.participant, (v.first, v.second), v.preferred or "") for v in decided] * 2, groups)
    assert pairs is not None
    assert sets is not None
    for one, other in zip(pairs.differences, sets.differences, strict=True):
        assert one.estimate == pytest.approx(other.estimate, abs=1e-5)
        assert one.error == pytest.approx(other.error, abs=1e-5)


@pytest.mark.full
def test_a_difference_of_few_items_is_not_taken_for_one_of_groups() -> None:
    """Groups alike, items and tastes far apart: the sign test finds a difference often, this one about as told."""
    studies, by_signs, by_model = 40, 0, 0
    for seed in range(studies):
        votes, groups = drawn(100 + seed, people=16, votes=8, worth=(0.0, 0.0), apart=0.8, taste=0.8)
        found = mixed_effects(votes, groups)
        assert found is not None
        by_model += found.differences[0].p_value < 0.05
        decided = [groups[vote.preferred] == "a" for vote in votes if vote.preferred]
        by_signs += sign_test(sum(decided), len(decided) - sum(decided)) < 0.05
    assert by_signs >= 10
    assert by_model <= 6  # 1.4 % of such tests have more at a true level of 5 %


def test_what_votes_do_not_carry_is_not_fitted() -> None:
    votes, groups = drawn(3)
    assert mixed_effects([vote for vote in votes if vote.participant < "p04"], groups) is None
    assert mixed_effects(votes, dict.fromkeys(groups, "a")) is None
    one_item = [vote for vote in votes if not {vote.first, vote.second} & {"i01", "i02", "i03"}]
    assert mixed_effects(one_item, groups) is None
    always = [
        Vote(v.participant, v.first, v.second, "first" if groups[v.first] < groups[v.second] else "second")
        for v in votes
    ]
    assert mixed_effects(always, groups) is None
    without_c = [vote for vote in votes if "c" not in (groups[vote.first], groups[vote.second])]
    alone = [Vote(f"p{k:02}", "i08", "i09", "first" if k % 3 else "second") for k in range(12)]
    assert mixed_effects(without_c + alone, groups) is None  # no vote compares c with another group
    choices, groups = drawn_sets(3)
    assert mixed_choices([choice for choice in choices if choice.participant < "p04"], groups) is None
    assert mixed_choices(choices, dict.fromkeys(groups, "a")) is None
    assert mixed_choices([], groups) is None
    with pytest.raises(PcgError, match="i11"):
        mixed_choices(choices, {item: group for item, group in groups.items() if item != "i11"})
    with pytest.raises(PcgError, match="i00"):
        mixed_effects(votes, {item: group for item, group in groups.items() if item != "i00"})


def test_the_fit_does_not_depend_on_the_order_of_votes_or_names() -> None:
    votes, groups = drawn(5, people=12)
    found, again = mixed_effects(votes, groups), mixed_effects(votes[::-1], groups)
    assert found is not None
    assert again is not None
    for one, other in zip(found.differences, again.differences, strict=True):
        assert one.estimate == pytest.approx(other.estimate, abs=1e-5)
        assert one.error == pytest.approx(other.error, abs=1e-4)
    swapped = mixed_effects(votes, {item: {"a": "c", "b": "b", "c": "a"}[group] for item, group in groups.items()})
    assert swapped is not None
    assert swapped.differences[1].estimate == pytest.approx(-found.differences[1].estimate, abs=1e-5)
