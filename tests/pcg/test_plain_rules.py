"""Rules of finished games that say the same in fewer words: sums of points, plain deaths, nothing that turns what
stands.
"""

from __future__ import annotations

from pcg.engine.game import load
from pcg.minimise.plays import record_plays
from pcg.runs.experiments.plain_rules import with_plain_deaths, with_summed_points, without_idle_rules
from tests.support.fetch import FETCH, LEVEL

GAME = FETCH.lstrip()
TAKEN = "coin hero > killSprite scoreChange=1"


def changed(*replacements: tuple[str, str]) -> str:
    text = GAME
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new)
    return text


def summed(text: str) -> str:
    game = load(text, levels=[LEVEL])
    plays = record_plays(game, [0], agents=("onestep", "guided"), seeds=1, max_ticks=150)
    return with_summed_points(text, [LEVEL], plays=plays, recorded=game)[0]


def test_points_for_one_event_are_given_by_one_rule() -> None:
    """The second coin is gone before anybody sees it; whether it comes is drawn, so others get other numbers then."""
    told = summed(changed((TAKEN, f"coin hero > spawn stype=coin\n        {TAKEN}")))
    assert "spawn" not in told and "coin hero  > killSprite scoreChange=2" in told
    assert "scoreChange=2" in summed(changed((TAKEN, f"coin hero > flipDirection scoreChange=2\n        {TAKEN}"))), (
        "three points are no number that people use"
    )


def test_points_for_other_events_stay() -> None:
    text = changed(
        ("coin > Immovable", "coin > Immovable\n        gem > Immovable"),
        ("c > floor coin", "c > floor coin\n        d > floor gem"),
        (TAKEN, f"{TAKEN}\n        gem hero > killSprite scoreChange=1"),
    )
    level = LEVEL.replace("wA..", "wAd.")
    game = load(text, levels=[level])
    plays = record_plays(game, [0], agents=("onestep", "guided"), seeds=1, max_ticks=150)
    assert with_summed_points(text, [level], plays=plays, recorded=game) == (text, (level,))


def test_what_turns_into_something_that_is_gone_at_once_dies() -> None:
    ash = (
        ("coin > Immovable", "coin > Immovable\n        ash > Immovable"),
        (TAKEN, "coin hero > transformTo stype=ash"),
    )
    lasting = changed(*ash)
    assert with_plain_deaths(lasting, [LEVEL]) == (lasting, (LEVEL,))
    swept = changed(ash[0], (TAKEN, "coin hero > transformTo stype=ash scoreChange=1\n        ash hero > killSprite"))
    assert "coin hero  > killSprite scoreChange=1" in with_plain_deaths(swept, [LEVEL])[0]
    late = changed(ash[0], (TAKEN, "ash hero > killSprite\n        coin hero > transformTo stype=ash scoreChange=1"))
    assert with_plain_deaths(late, [LEVEL])[0] == late, "the ash is there until the hero comes again"


def test_nothing_turns_what_stands() -> None:
    text = changed((TAKEN, f"coin ghost > flipDirection\n        {TAKEN}"))
    told, levels = without_idle_rules(text, [LEVEL])
    assert "flipDirection" not in told and "stepBack" in told and levels == (LEVEL,)
    moving = changed((TAKEN, f"ghost coin > flipDirection\n        {TAKEN}"))
    assert without_idle_rules(moving, [LEVEL])[0] == moving


def test_who_turns_into_what_nobody_steers_dies() -> None:
    death = "hero ghost > killSprite"
    turned = changed((death, "hero ghost > transformTo stype=coin killSecond=True"))
    assert death in " ".join(with_plain_deaths(turned, [LEVEL])[0].split())
    endless = turned.replace("        SpriteCounter stype=hero limit=0 win=False\n", "")
    assert with_plain_deaths(endless, [LEVEL])[0] == endless, "the game goes on"
    other = changed(
        (death, "hero ghost > transformTo stype=bat"), ("        hero >", "        bat > FlakAvatar\n        hero >")
    )
    assert with_plain_deaths(other, [LEVEL])[0] == other


def test_who_has_no_health_dies_when_it_loses_some() -> None:
    death = "hero ghost > killSprite"
    hurt = changed((death, "hero ghost > subtractHealthPoints limit=3"))
    assert death in " ".join(with_plain_deaths(hurt, [LEVEL])[0].split())
    strong = hurt.replace("MovingAvatar", "MovingAvatar healthPoints=5")
    assert with_plain_deaths(strong, [LEVEL])[0] == strong
    healed = hurt.replace("coin hero >", "hero coin > addHealthPoints value=9\n        coin hero >")
    assert with_plain_deaths(healed, [LEVEL])[0] == healed
    paid = changed((TAKEN, "coin hero > subtractHealthPoints scoreChange=5 scoreChangeIfKilled=2"))
    assert "coin hero  > killSprite scoreChange=2" in with_plain_deaths(paid, [LEVEL])[0]
    spared = hurt.replace("limit=3", "limit=-5")
    assert with_plain_deaths(spared, [LEVEL])[0] == spared


def test_what_stands_is_no_exception_where_all_is_put_back() -> None:
    back = "hero wall > stepBack"
    standing = changed((back, "hero wall > undoAll notStype=coin"))
    made = without_idle_rules(standing, [LEVEL])[0]
    assert "notStype" not in made and "hero wall > undoAll" in " ".join(made.split())
    moving = changed((back, "hero wall > undoAll notStype=ghost"))
    assert without_idle_rules(moving, [LEVEL])[0] == moving
