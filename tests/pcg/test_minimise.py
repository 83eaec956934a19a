"""Minimising: what never matters goes, what matters stays, and the plays are the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiers import first_fast

import pcg
from pcg.engine.game import Game
from pcg.engine.vgdl import check_game, parse, read_game
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.analysis import analyse
from pcg.minimise import minimise, record_plays, rename
from pcg.minimise.minimiser import _Search
from pcg.minimise.parts import Cutter, endings_in, groups_in, parameters_in, rules_in, sprites_in
from pcg.minimise.rename import new_names

# The dragon and the rule about it, the rope, the group and the resource are never of any use.
GAME = """\
BasicGame
    SpriteSet
        floor > Immovable
        wall > Immovable color=GRAY
        things >
            gem > Immovable color=GOLD
            dragon > RandomNPC cooldown=3
        fog > Immovable
        hero > MovingAvatar
    InteractionSet
        hero wall > stepBack
        gem hero > killSprite scoreChange=2
        hero dragon > killSprite scoreChange=-1
        dragon fog wall > stepBack
    LevelMapping
        . > floor
        w > wall
        g > gem
        d > dragon
        A > hero
    TerminationSet
        SpriteCounter stype=gem limit=0 win=True
        SpriteCounter stype=hero limit=0 win=False
"""
LEVEL = "wwwwww\nwA.g.w\nw..g.w\nwwwwww\n"


def game_of(text: str = GAME, *levels: str) -> Game:
    return pcg.load(text, list(levels or [LEVEL]), reading="strict")


def smaller(game: Game, **options: object):  # type: ignore[no-untyped-def]
    return minimise(game, agents=("random", "onestep"), max_ticks=60, **options)  # type: ignore[arg-type]


def test_what_never_matters_goes_and_the_rest_stays() -> None:
    done = smaller(game_of())
    definition = read_game(done.text)
    assert {t.name for t in definition.types if t.line} == {"floor", "wall", "gem", "hero"}
    assert [e.name for e in definition.effects] == ["stepBack", "killSprite"]
    assert [t.params.get("stype") for t in definition.terminations] == ["gem"]
    assert "color=GOLD" in done.text  # what is for the picture stays
    assert done.strict == () and not done.interrupted
    assert done.text == pcg.engine.vgdl.format_text(done.text)  # type: ignore[attr-defined]


def test_what_goes_along_with_a_rule_is_not_listed() -> None:
    done = smaller(game_of())
    gone = {r.part.line for r in done.removed if r.part.kind in ("rule", "ending")}
    assert gone and not [r for r in done.removed if r.part.kind == "parameter" and r.part.line in gone]


def test_every_removal_has_a_reason_that_counts_plays() -> None:
    done = smaller(game_of())
    reasons = {r.part.text: r.reason for r in done.removed}
    assert f"{len(done.plays.plays)} plays" in done.looked_at
    assert reasons["hero dragon > killSprite"].startswith("never took effect in 4 plays of ")
    assert reasons["dragon"].startswith("never there in 4 plays")
    assert done.plays.ticks == sum(len(p.actions) for p in done.plays.plays) > 0


def test_the_smaller_game_plays_every_play_the_same() -> None:
    game = game_of()
    done = smaller(game)
    assert done.plays.differing(Game(read_game(done.text), game.levels)) is None
    other = Game(read_game(GAME.replace("scoreChange=2", "scoreChange=3")), game.levels)
    differing = done.plays.differing(other)
    assert differing is not None and differing in done.plays.plays


def test_equal_seeds_give_equal_texts() -> None:
    assert smaller(game_of(), seed=3).text == smaller(game_of(), seed=3).text


def test_a_rule_that_draws_stays_where_something_random_follows() -> None:
    """A mist that draws and makes nothing to be seen; with a walker whose steps come from the same stream."""
    text = (
        GAME.replace("fog > Immovable", "fog > SpawnPoint stype=wisp prob=0.0\n        wisp > Flicker limit=1")
        .replace("g > gem", "g > gem\n        f > fog")
    )  # fmt: skip
    walker = "wwwwwww\nwA.gf.w\nw..g.dw\nwwwwwww\n"
    quiet = "wwwwwww\nwA.gf.w\nw..g..w\nwwwwwww\n"
    for level, free in ((quiet, True), (walker, False)):
        game = game_of(text, level)
        plays = record_plays(game, [0], agents=("random",), max_ticks=40)
        # the same game, with a spawner that draws no more
        still = Game(read_game(text.replace("SpawnPoint stype=wisp prob=0.0", "Immovable")), [level])
        assert (plays.differing(still) is None) == free


def test_winning_terminations_that_no_play_found_are_kept_unless_told_otherwise() -> None:
    closed = "wwwwww\nwA.w.w\nw..wgw\nwwwwww\n"
    kept = smaller(game_of(GAME, closed))
    assert "SpriteCounter stype=gem win=True" in kept.text
    assert "gem hero  > killSprite scoreChange=2" in kept.text  # else nobody could ever win
    assert len(kept.kept) == 1 and "no play got there" in kept.kept[0]
    assert "stype=gem" not in smaller(game_of(GAME, closed), keep_unmet=False).text


def test_dangers_that_no_play_met_are_kept_where_they_are_there() -> None:
    apart = "wwwwwww\nwA.gwdw\nw..gwww\nwwwwwww\n"
    death = "hero dragon > killSprite scoreChange=-1"
    kept = smaller(game_of(GAME, apart))
    assert death in " ".join(kept.text.split()) and "SpriteCounter stype=hero" in kept.text
    assert any("stype=hero" in line for line in kept.kept)
    assert death not in " ".join(smaller(game_of(GAME, apart), keep_unmet=False).text.split())


def test_what_holds_anyway_is_not_said_where_no_play_got_there() -> None:
    closed = "wwwwww\nwA.w.w\nw..wgw\nwwwwww\n"
    told = smaller(game_of(GAME, closed)).text
    assert "limit=0" not in told and "scoreChange=2" in told, "points are not what would hold anyway"


def test_a_goal_keeps_all_kinds_of_which_there_were_some() -> None:
    """All plays gather the gem last, so that none would be another without coins in the goal."""
    both = GAME.replace("SpriteCounter stype=gem limit=0", "MultiSpriteCounter stype1=gem stype2=coin limit=0")
    both = both.replace("        fog >", "        coin > Immovable\n        fog >")
    both = both.replace("        g >", "        c > coin\n        g >")
    both = both.replace("        hero dragon", "        coin hero > killSprite scoreChange=1\n        hero dragon")
    kept = smaller(game_of(both, "wwwwww\nwAcg.w\nwwwwww\n")).text
    assert "stype1=gem stype2=coin" in " ".join(kept.split())
    absent = smaller(game_of(both, LEVEL)).text
    assert "coin" not in absent


def test_what_keeps_a_danger_from_killing_stays_though_no_play_got_it() -> None:
    """A coin keeps the dragon from killing; without the rule by which it is collected it would be there for nothing."""
    shield = "hero dragon > killIfHasLess resource=coin limit=0\n        coin hero > collectResource"
    text = (
        GAME.replace("fog > Immovable", "coin > Resource")
        .replace("dragon fog wall", "dragon wall")
        .replace("hero dragon > killSprite scoreChange=-1", shield)
        .replace("d > dragon", "d > dragon\n        c > coin")
    )
    apart = "wwwwwwww\nwA.gw.cw\nw..gw.dw\nwwwwwwww\n"
    kept = " ".join(smaller(game_of(text, apart)).text.split())
    assert "hero dragon > killIfHasLess resource=coin" in kept and "coin hero > collectResource" in kept
    assert "collectResource" not in smaller(game_of(text, apart), keep_unmet=False).text


@pytest.mark.parametrize("pushes", [True, False])
def test_what_was_pushed_still_stops_where_no_play_pushed_it(pushes: bool) -> None:
    text = (
        GAME.replace("fog > Immovable", "crate > Immovable\n        hole > Immovable")
        .replace("dragon fog wall > stepBack", "hole crate > killBoth\n        crate wall crate > undoAll")
        .replace("gem hero >", f"crate hero > {'bounceForward' if pushes else 'killSprite'}\n        gem hero >")
        .replace("d > dragon", "c > crate\n        o > hole")
    )
    corridor = "wwwwwwwwwwwww\nwA.co.co.g..w\nwwwwwwwwwwwww\n"  # what is pushed falls into a hole
    kept = " ".join(minimise(game_of(text, corridor), agents=("random", "mcts"), max_ticks=60).text.split())
    assert ("crate wall crate > undoAll" in kept) == pushes


def test_an_interrupt_gives_the_best_so_far() -> None:
    asked = []

    def stop(what: str, at: int, of: int) -> None:
        asked.append(what)
        if asked.count("ending") == 1:
            raise KeyboardInterrupt

    done = smaller(game_of(), progress=stop)
    assert done.interrupted
    assert "dragon > killSprite" not in done.text and "dragon" in done.text
    read_game(done.text)


def test_nothing_more_can_be_taken_out_alone() -> None:
    game = game_of()
    done = smaller(game)
    again = smaller(Game(read_game(done.text), game.levels))
    assert again.removed == () and again.text == done.text


def test_parts_are_cut_with_what_cannot_be_said_without_them() -> None:
    tree = parse(GAME)
    cutter = Cutter(tree)
    named = {p.text: p for kind in (rules_in, endings_in, sprites_in, groups_in) for p in kind(tree)}
    text = cutter.text([named["gem"]])
    assert "gem" not in text and "g >" not in text and read_game(text, reading="gvgai")
    one = cutter.text([next(p for p in rules_in(tree) if p.text == "dragon fog > stepBack")])
    assert "dragon wall" in " ".join(one.split())


def test_what_a_class_cannot_do_without_is_no_part() -> None:
    lines = "ship > Bomber stype=bomb prob=0\n  group > stype=bomb\n   one > Bomber\n  bomb > Missile speed=1"
    found = parameters_in(parse(f"BasicGame\n SpriteSet\n  {lines}\n"))
    assert [part.text for part in found] == ["prob=0 of ship", "speed=1 of bomb"]


def test_a_nest_keeps_what_it_would_bring_forth() -> None:
    text = GAME.replace(
        "        fog >", "        bee > RandomNPC\n        hive > SpawnPoint stype=bee prob=0.0\n        fog >"
    )
    text = text.replace("        g >", "        h > hive\n        g >").replace(
        "dragon fog wall", "dragon bee fog wall"
    )
    made = smaller(game_of(text, LEVEL.replace("w..g", "wh.g"))).text
    assert "hive > SpawnPoint stype=bee" in " ".join(made.split()) and check_game(made) == []


def test_who_finds_ways_keeps_what_is_in_the_way() -> None:
    text = GAME.replace("BasicGame", "BasicGame obs=wall").replace("RandomNPC cooldown=3", "PathChaser stype=fog")
    chased = smaller(pcg.load(text, [LEVEL.replace("..g", "d.g")], reading="gvgai")).text
    assert "obs=wall" in chased and "PathChaser" in chased
    alone = smaller(pcg.load(text, [LEVEL], reading="gvgai")).text
    assert "obs" not in alone and "PathChaser" not in alone


def test_a_dissolved_group_hands_its_class_and_parameters_on() -> None:
    text = (
        "BasicGame\n  SpriteSet\n    movers > Missile speed=0.5\n      left > orientation=LEFT\n"
        "      right > orientation=RIGHT speed=1\n    hero > MovingAvatar\n  LevelMapping\n    l > left\n    A > hero\n"
    )
    tree = parse(text)
    cut = read_game(Cutter(tree).text(groups_in(tree)), reading="gvgai")
    before = read_game(text, reading="gvgai")
    for name in ("left", "right"):
        one, two = (d.types[d.type_index[name]] for d in (before, cut))
        assert one.class_name == two.class_name and one.params == two.params


def test_names_say_what_types_are_for() -> None:
    definition = pcg.load("dungeon").definition
    names = new_names(definition, analyse(definition))
    assert names["hero"] == "avatar" and names["monster"] == "enemies" and names["bat"] == "enemy1"
    assert (names["key"], names["coin"], names["door"], names["wall"]) == ("key", "coin", "door", "wall")
    assert (names["knife"], names["floor"]) == ("shot", "floor")


@pytest.mark.parametrize("name", pcg.engine.game.builtin_games())  # type: ignore[attr-defined]
def test_new_names_never_collide_and_stay_strict(name: str) -> None:
    game = pcg.load(name)
    definition = game.definition
    text, names = rename(parse(definition.source), definition, analyse(definition))
    assert set(names) == {t.name for t in definition.types if t.line}
    assert len(set(names.values())) == len(names)
    assert not [d for d in check_game(text) if d.severity == "error"]
    for level in game.levels:
        pcg.load(text, [level], reading="strict").start(0)


@pytest.mark.parametrize("name", first_fast(["crossing", "dungeon"]))
def test_a_renamed_game_plays_the_same(name: str) -> None:
    game = pcg.load(name)
    game = Game(game.definition, game.levels[:1], name=name, reading=game.reading)
    done = minimise(game, agents=("random",), max_ticks=60, names=True)
    assert done.renamed
    back = {new: old for old, new in done.renamed.items()}
    assert done.plays.differing(Game(read_game(done.text), game.levels), back) is None


def test_games_of_two_players_are_minimised() -> None:
    game = pcg.load("tag")
    game = Game(game.definition, game.levels[:1], name="tag", reading=game.reading)
    done = minimise(game, agents=("random",), max_ticks=40)
    assert done.plays.differing(Game(read_game(done.text), game.levels)) is None


def test_what_is_no_game_any_more_is_no_reduction() -> None:
    game = game_of()
    search = _Search(game, record_plays(game, [0], agents=("random",), max_ticks=10), None)
    assert not search.plays_same("BasicGame\n")
    assert search.same(())


def test_bad_input_is_said(tmp_path: Path) -> None:
    with pytest.raises(PcgError, match="has no levels"):
        minimise(pcg.load(GAME, []))
    with pytest.raises(PcgError, match="has no level 7"):
        minimise(game_of(), levels=[7])
    with pytest.raises(PcgError, match="unknown agent"):
        minimise(game_of(), agents=("rndom",))
