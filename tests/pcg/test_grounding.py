"""Ground of finished games: what lies under things, and free cells for players to start in."""

from __future__ import annotations

from pcg.engine.game import load
from pcg.engine.vgdl import check_game, parse
from pcg.engine.vgdl.formatter import dumps
from pcg.runs.experiments.grounding import with_filled_blanks, with_free_starts, with_ground
from tests.support.fetch import FETCH, LEVEL


def test_what_moves_leaves_ground_behind() -> None:
    bare = FETCH.lstrip().replace("g > floor ghost", "g > ghost")
    assert "g > floor ghost" in " ".join(with_ground(bare).split()) and "w > wall" in " ".join(
        with_ground(bare).split()
    )
    told = (
        FETCH.lstrip()
        .replace("ghost wall > stepBack", "ghost floor > stepBack")
        .replace("g > floor ghost", "g > ghost")
    )
    assert with_ground(told) == told, "ground with a part in the rules is no mere ground"


def test_things_stand_on_no_islands() -> None:
    bare = FETCH.lstrip().replace("        . > floor\n", "")
    level = LEVEL.replace(".", " ")
    text, levels = with_filled_blanks(bare, [level])
    assert ". > floor" in " ".join(text.split()) and levels == (LEVEL,) and check_game(text) == []
    text, levels = with_filled_blanks(FETCH.lstrip(), [level])
    assert levels == (LEVEL,) and text.count("> floor\n") == 1, "one character is enough"
    assert with_filled_blanks(bare, [LEVEL.replace(".", "c")])[0] == bare
    void = bare.replace("floor coin", "coin").replace("floor ghost", "ghost").replace("floor hero", "hero")
    assert with_filled_blanks(void, [level]) == (void, (level,)), "without ground there is none"


def test_a_game_without_any_ground_gets_one() -> None:
    void = (
        FETCH.lstrip()
        .replace("        floor > Immovable\n", "")
        .replace("        . > floor\n", "")
        .replace("floor ", "")
    )
    assert check_game(void) == []
    text, levels = with_filled_blanks(with_ground(void), [LEVEL.replace(".", " ")])
    told = " ".join(text.split())
    assert "ground > Immovable hidden=True" in told and "A > ground hero" in told and "w > wall" in told
    assert check_game(text) == [] and levels == (LEVEL,)
    assert load(text, levels=levels, reading="strict").start(0, seed=1).advance("RIGHT") is None
    assert with_ground(text) == text, "one is enough"


def test_no_player_starts_in_a_wall_or_in_what_is_pushed() -> None:
    inside = FETCH.lstrip().replace("A > floor hero", "A > wall hero")
    assert "A > hero" in " ".join(with_free_starts(inside).split())
    pushed = inside.replace(
        "coin hero > killSprite scoreChange=1", "coin hero > bounceForward\n        coin ghost > killSprite"
    )
    pushed = pushed.replace("A > wall hero", "A > coin hero")
    assert "A > hero" in " ".join(with_free_starts(pushed).split())
    alone = FETCH.lstrip().replace("        hero >", "        crate > Passive\n        hero >", 1)
    alone = alone.replace("A > floor hero", "A > floor crate hero").replace(
        "        coin hero >", "        crate hero > bounceForward\n        coin hero >"
    )
    assert check_game(alone) == [] and "crate" not in with_free_starts(alone)
    plain = dumps(parse(FETCH.lstrip()))
    assert with_free_starts(plain) == plain
    taken = plain.replace("A > floor hero", "A > floor coin hero")
    assert with_free_starts(taken) == taken, "what is taken at once does not stop anybody"


def test_nothing_lies_hidden_under_the_ground() -> None:
    """A coin that is listed before the floor is drawn before it."""
    floor, coin = "        floor > Immovable\n", "        coin > Immovable\n"
    over = FETCH.lstrip().replace(floor, "").replace(coin, coin + floor)
    found = load(with_ground(over)).definition.types
    drawn = [t.name for t in sorted(found, key=lambda t: t.line) if t.line]
    assert drawn == ["floor", "wall", "coin", "ghost", "hero"]
