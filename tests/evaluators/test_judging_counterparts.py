"""Counterparts: kinds of things of which a game's levels have equal numbers, which of it is a habit, what breaks it."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from scipy import stats

import pcg
from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.judging.level_counterparts import CHANCE, KEY_CHANCE, Counterparts
from pcg.evaluators.judging.level_habits import MOST
from pcg.evaluators.judging.levels import LevelJudge, value_of

ROOM = "wwwwwwwwwwww\nw..........w\nw..A.......w\nw..........w\nw..........w\nw..........w\nw..........w\nwwwwwwwwwwww"


KEYS, COINS = frozenset(("door", "key")), frozenset(("coin", "bat"))


@pytest.fixture(scope="module")
def dungeon() -> LevelJudge:
    return LevelEvaluator(pcg.load("dungeon")).judge


def room(things: str) -> str:
    """A room with things in its free cells, from the top left on."""
    cells = iter(things)
    return "".join(next(cells, ".") if cell == "." else cell for cell in ROOM)


def pairs(*levels: str, chance: float = CHANCE) -> set[frozenset[str]]:
    """Pairs of kinds of which rooms with these things in them have equal numbers."""
    judge = LevelJudge(LevelEvaluator(pcg.load("dungeon")).text, [room(things) for things in levels])
    assert len(judge.levels) == len(levels)
    return names_of(Counterparts([judge.view(level) for level in judge.levels], chance))


def names_of(counterparts: Counterparts) -> set[frozenset[str]]:
    names = counterparts.kinds.names
    return {frozenset((names[one], names[other])) for one, other in counterparts.known(counterparts.every())}


def test_keys_and_doors_are_equal_in_every_dungeon_and_nothing_else_is(dungeon: LevelJudge) -> None:
    assert names_of(dungeon.reference.counterparts) == {KEYS}


def test_a_level_of_the_game_has_a_counterpart_for_everything(dungeon: LevelJudge) -> None:
    reference = dungeon.reference
    for k, level in enumerate(dungeon.levels):
        assert reference.counterparts.faults(dungeon.view(level).level.tile_counts, reference.others(k)) == 0


@pytest.mark.parametrize(
    ("change", "most", "less"), [({"k": "."}, "door", "key"), ({"d": "w"}, "key", "door")], ids=("door", "key")
)
def test_what_has_no_counterpart_is_counted_and_told(
    dungeon: LevelJudge, change: Mapping[str, str], most: str, less: str
) -> None:
    level = dungeon.levels[4].translate(str.maketrans(dict(change)))  # three of each, and none of one of them
    profile = dungeon.reference.profile(dungeon.view(level))
    others = dungeon.reference.others(dungeon.reference.nearest(profile))
    assert dungeon.reference.counterparts.faults(profile.counts, others) == 3 == MOST
    broken = dungeon.reference.counterparts.worst(profile.counts, others)
    assert broken is not None and (broken.number, broken.has) == (3, False)
    assert broken.standing == f"{less} of its own"
    assert dungeon.tables.palette.tiles[broken.tile].char == most[0]


def test_one_key_too_many_costs_in_a_level_of_the_game(dungeon: LevelJudge) -> None:
    own = dungeon.levels[0]
    more = own.replace("w.A.", "wkA.")
    assert more != own
    assert value_of(dungeon.parts(dungeon.view(more))) < value_of(dungeon.parts(dungeon.view(own))) - 0.015


def test_it_is_told_in_the_part_of_conventions() -> None:
    own = [
        room(things + ".." + "c" * 8) for things in ("..kd", 12 * "." + "kdkd", "k.dk" + 16 * "." + "d", "kd..k..dk..d")
    ]
    judge = LevelJudge(LevelEvaluator(pcg.load("dungeon")).text, own)
    sentences = [
        next(part.sentence for part in judge.parts(judge.view(level)) if part.name == "conventions")
        for level in (own[1].replace("c.", "ck"), own[1].replace("c.", "cd"), own[1])
    ]
    assert "1 of key without door of its own (always there)" in sentences[0]
    assert "1 of door without key of its own (always there)" in sentences[1]
    assert "of its own" not in sentences[2]


def test_numbers_that_chance_makes_equal_make_no_counterparts() -> None:
    chance = float(stats.poisson.pmf([2, 1, 3], 2).prod())
    few = ("cbcb", "cb", "cbcbcb")
    assert chance > CHANCE and not pairs(*few)
    assert COINS in pairs(*few, chance=1.01 * chance) and COINS not in pairs(*few, chance=0.99 * chance)
    many = ("cb" * 8, "cb", "cb" * 3, "cb" * 5)
    assert COINS in pairs(*many)
    assert COINS not in pairs(*many[:3], many[3] + "c")


def test_less_is_asked_of_what_opens_gates() -> None:
    assert CHANCE < float(stats.poisson.pmf([1, 2, 2], 5 / 3).prod()) < KEY_CHANCE
    assert pairs("kd", "kdkd", "kdkd") == {KEYS}
    assert not pairs("cb", "cbcb", "cbcb")


def test_numbers_that_are_always_the_same_or_seldom_there_make_no_counterparts() -> None:
    assert not pairs(*["cbcbcb" + "kd"] * 6, chance=1.0)  # each number is a habit by itself
    assert KEYS not in pairs("c" + "kd" * 4, "c" + "kd" * 3, "c", "cc")
    assert KEYS in pairs("c" + "kd" * 4, "c" + "kd" * 3, "c" + "kd", "cc")


def test_two_levels_have_no_counterparts(dungeon: LevelJudge) -> None:
    views = [dungeon.view(level) for level in dungeon.levels[:2]]
    counterparts = Counterparts(views, 1.0)
    assert not counterparts.every() and counterparts.worst(views[0].level.tile_counts, (0, 1)) is None
