"""The judge of games: tiny games with one fault each, a sound one, and what its parts say of both."""

from __future__ import annotations

import pytest

from pcg.engine.game import Game, load
from pcg.engine.kernel.runtime import COMPILED
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.games.winnability import prove_levels
from pcg.evaluators.judging import Judgement
from pcg.evaluators.judging.game_ablation import ablation
from pcg.evaluators.judging.game_assignment import EffectUse, assignment, cells, count_uses, effect_use
from pcg.evaluators.judging.game_conventions import FEW, Conventions, conventions, count_conventions, rule_lines, usage
from pcg.evaluators.judging.game_kinds import GameKinds, game_kinds
from pcg.evaluators.judging.game_places import astray
from pcg.evaluators.judging.game_plays import MOST_MOVING, NOTHING, RANDOM, GamePlay, GamePlays
from pcg.evaluators.judging.game_rules import RuleReading
from pcg.evaluators.judging.game_static import customs
from pcg.evaluators.judging.games import MEASURES, GameJudge, judge_game
from pcg.evaluators.judging.obstacles import nothing_but_time
from tests.support.fetch import FETCH, LEVEL

OPEN = LEVEL.replace("w", ".")
SHUT = LEVEL.replace("w....ww..c", "w....ww.wcw").replace("cw...w", "cw..w").replace("wA........", "wA.......w")
"""A level with a coin that nobody gets."""


def changed(*changes: tuple[str, str], text: str = FETCH, level: str = LEVEL) -> Game:
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return load(text, levels=[level])


def judged(*changes: tuple[str, str], level: str = LEVEL) -> Judgement:
    return judge_game(changed(*changes, level=level), seed=1, effort=0.2)


def kinds_of(game: Game) -> GameKinds:
    return game_kinds(game.definition, [game.read_level(0)])


@pytest.fixture(scope="module")
def sound() -> Judgement:
    return judged()


def test_a_sound_game_is_feasible_and_every_part_has_a_sentence(sound: Judgement) -> None:
    assert sound.feasible and sound.problem == "" and 0.5 < sound.value <= 1.0
    assert [p.name for p in sound.parts] == [m.name for m in MEASURES if m.name != "resistance"]
    assert all(0.0 <= p.value <= 1.0 and p.sentence.endswith(".") and p.weight >= 0.0 for p in sound.parts)
    told = sound.as_dict()["parts"]
    assert told["purpose"]["value"] == told["live"]["value"] == told["bounded"]["value"] == 1.0
    assert told["chance"]["value"] == 1.0 and told["winning"]["value"] == 1.0


def test_the_same_seed_gives_the_same_judgement(sound: Judgement) -> None:
    assert judged() == sound


@pytest.mark.parametrize(
    ("changes", "level", "problem"),
    [
        ([("stype=coin limit=0 win=True", "stype=wall limit=0 win=True"),
          ("ghost wall > stepBack", "wall ghost > killSprite")], LEVEL, "The goal counts scenery: wall."),
        ([("hero wall > stepBack", "hero wall > stepBack scoreChange=1")], LEVEL, "Bumping into things pays"),
        ([("coin hero > killSprite scoreChange=1", "coin hero > bounceForward\n        coin coin > killBoth")], LEVEL,
         "Nothing stops coin, which is pushed, at wall."),
        ([("hero ghost > killSprite", "hero ghost > killSprite scoreChange=5")], LEVEL, "Dying pays"),
        ([("coin hero > killSprite scoreChange=1", "hero coin > stepBack")], LEVEL, "Nothing brings about a win"),
        ([("limit=0 win=True", "limit=0 win=False")], LEVEL, "No termination can be won."),
        ([("ghost wall > stepBack", "ghost hero > reverseDirection"), ("RandomNPC", "Fleeing stype=hero")], SHUT,
         "of the movers are outside the map or inside walls"),
        ([("hero wall > stepBack", "hero coin > reverseDirection"), ("ghost wall > stepBack", "ghost EOS > stepBack"),
          ("hero ghost > killSprite", "hero ghost > stepBack")], OPEN, "The avatar leaves the map"),
        ([("coin hero >", "hero EOS > stepBack\n        ghost EOS > stepBack\n        coin ghost >"),
          ("hero ghost > killSprite", "hero ghost > stepBack")], OPEN, "random player wins"),
        ([("ghost wall > stepBack", "ghost wall > spawn stype=ghost")], LEVEL, "grows beyond bounds"),
        ([("stype=coin limit=0 win=True", "stype=coin limit=9 win=True")], LEVEL, "Nothing brings about a win"),
        ([("hero ghost > killSprite", "hero ghost > stepBack"),
          ("        SpriteCounter stype=coin limit=0 win=True", "        Timeout limit=60 win=True"),
          ("coin hero > killSprite scoreChange=1", "hero coin > stepBack")], LEVEL, "random player wins"),
    ],
)  # fmt: skip
def test_one_fault_is_enough(changes: list[tuple[str, str]], level: str, problem: str) -> None:
    found = judged(*changes, level=level)
    assert not found.feasible and found.value == 0.0
    assert problem in found.problem


def test_an_end_of_the_avatar_that_wins_may_pay() -> None:
    won = changed(
        ("coin hero > killSprite scoreChange=1", "hero coin > transformTo stype=winner scoreChange=1"),
        ("ghost > RandomNPC", "winner > Immovable\n        ghost > RandomNPC"),
        ("SpriteCounter stype=coin limit=0", "SpriteCounterMore stype=winner limit=1"),
    )
    assert not RuleReading(kinds_of(won), [won.read_level(0)]).paid_deaths


def test_judging_leaves_no_limit_on_the_plays_of_a_game() -> None:
    multiplying = ("coin > Immovable", "coin > SpawnPoint stype=ghost prob=1"), ("hero ghost > killSprite", "")
    game = changed(*multiplying)
    before, after = (game.start(0, seed=1) for _ in range(2))
    context = game.context(0)
    judge_game(game, seed=1, effort=0.2)
    prove_levels(game, [game.read_level(0)], 1, 200, least_ticks=20, max_work=100, max_sprites=10)
    assert game.context(0) is context
    for _ in range(400):
        for state in (before, after):
            state.advance("ACTION_NIL")
    fresh = changed(*multiplying).start(0, seed=1)
    while fresh.tick < after.tick:
        fresh.advance("ACTION_NIL")
    assert after.header.slots > MOST_MOVING, "more sprites than the judge allows"
    assert after.to_bytes() == before.to_bytes() == fresh.to_bytes()


def test_games_that_cannot_be_judged_say_so() -> None:
    assert "2 players" in judge_game(load("tag")).problem
    assert "no level" in judge_game(load(FETCH)).problem
    assert "cannot be played" in judge_game(load(FETCH), [""]).problem
    with pytest.raises(PcgError, match="effort is 0"):
        GameJudge(effort=0.0)


# --- parts ---


@pytest.mark.parametrize(("rule", "idle"), [("", ["rock"]), ("rock wall > undoAll", []), ("ghost rock > stepBack", [])])
def test_what_is_only_pushed_about_has_no_purpose(rule: str, idle: list[str]) -> None:
    game = changed(
        ("coin > Immovable", "coin > Immovable\n        rock > Passive"),
        ("c > floor coin", "c > floor coin\n        r > floor rock"),
        ("hero ghost > killSprite", f"hero ghost > killSprite\n        rock hero > bounceForward\n        {rule}"),
        level=LEVEL.replace("A..", "Ar."),
    )
    reading = RuleReading(kinds_of(game), [game.read_level(0)])
    assert [game.definition.types[t].name for t in reading.aimless] == idle


def test_sprites_without_a_purpose_and_rules_for_nothing_are_found() -> None:
    game = changed(
        ("coin > Immovable", "coin > Immovable\n        tree > Immovable\n        rock > Immovable"),
        ("c > floor coin", "c > floor coin\n        t > floor tree\n        r > floor rock"),
        ("hero ghost > killSprite", "hero ghost > killSprite\n        tree rock > killSprite"),
        level=LEVEL.replace("A..", "Atr"),
    )
    reading = RuleReading(kinds_of(game), [game.read_level(0)])
    definition = game.definition
    assert [definition.types[t].name for t in reading.aimless] == ["tree", "rock"]
    lines = definition.source.splitlines()
    assert [lines[definition.effects[e].line - 1].split()[:2] for e in reading.idle_rules] == [["tree", "rock"]]


def test_the_kinds_of_sprites_do_not_depend_on_names() -> None:
    game = changed(("wall", "hedge"))
    kinds = kinds_of(game)
    found = {kinds.name(t): kinds.kinds[t] for t in kinds.present}
    assert found == {"floor": "floor", "hedge": "frame", "coin": "static", "ghost": "wanderer", "hero": "avatar"}


@pytest.mark.parametrize(
    ("sprites", "kind"),
    [("rug > Immovable\n        coin > Immovable", "floor"), ("coin > Immovable\n        rug > Immovable", "static")],
)
def test_what_the_sprite_set_lists_first_lies_under_others_wherever_the_mapping_has_it(sprites: str, kind: str) -> None:
    game = changed(
        ("coin > Immovable", sprites), ("c > floor coin", "c > coin rug"), ("g > floor ghost", "g > coin rug ghost")
    )
    kinds = kinds_of(game)
    assert kinds.kinds[game.definition.type_index["rug"]] == kind
    assert kinds.kinds[game.definition.type_index["coin"]] == "static"  # which a termination counts


def test_movers_in_walls_are_counted_unless_a_rule_says_so() -> None:
    turn = "ghost wall > flipDirection\n        ghost EOS > stepBack"
    for rule, wrong in (("ghost wall > stepBack", False), ("ghost coin > stepBack", True), (turn, False)):
        game = changed(("ghost wall > stepBack", rule), ("hero ghost > killSprite", "hero ghost > reverseDirection"))
        kinds = kinds_of(game)
        plays = GamePlays(game, [game.read_level(0)], kinds.analysis, seed=1)
        play = plays.play(NOTHING, 0, 100)
        found = astray(kinds, game.start(0, play.seed), play.actions)
        assert found.movers == 16 and (found.inside + found.outside > 0) == wrong and found.avatars_lost == 0


def test_a_sword_in_a_wall_is_where_swords_are() -> None:
    game = changed(("hero > MovingAvatar", "sword > OrientedFlicker\n        hero > ShootAvatar stype=sword"))
    kinds = kinds_of(game)
    assert kinds.kinds[game.definition.type_index["sword"]] == "shot"
    found = astray(kinds, game.start(0, 1), ["LEFT", *["USE"] * 15])
    assert found.inside == found.outside == 0


def test_only_rules_that_change_an_end_matter() -> None:
    game = changed(("hero ghost > killSprite", "hero ghost > killSprite\n        ghost coin > reverseDirection"))
    kinds = kinds_of(game)
    plays = GamePlays(game, [game.read_level(0)], kinds.analysis, seed=1)
    recorded = [plays.play(RANDOM, k) for k in range(4)]
    assert any(p.lost for p in recorded)
    found = ablation(plays, recorded)
    names = {game.definition.effects[e].line for e in found.outcome}
    assert 13 in names, "without the ghosts nobody dies"
    assert found.rules == 5 and found.endings and 0.0 < found.share <= 1.0
    assert plays.play(RANDOM, 0).actions == recorded[0].actions


TAKEN = "coin hero > killSprite scoreChange=1"


@pytest.mark.parametrize(
    ("rule", "own"),
    [
        ("coin hero > spawn stype=coin\n        ", 0),  # the second coin is gone at once: one point more for the same
        ("coin hero > flipDirection scoreChange=1\n        ", 0),
        ("coin ghost > reverseDirection scoreChange=1\n        ", 1),  # nothing else tells that they met
        ("ghost coin > flipDirection\n        ", 0),
    ],
)
def test_points_count_where_no_other_rule_could_give_them(rule: str, own: int) -> None:
    level = LEVEL.replace("wA..", "wAc.").replace("c...w.", "cg..w.")
    game = load(changed((TAKEN, rule + TAKEN)).definition.source, levels=[level])
    plays = GamePlays(game, [game.read_level(0)], kinds_of(game).analysis, seed=1)
    recorded = [plays.play(RANDOM, k) for k in range(6)]
    found = ablation(plays, recorded)
    line = game.definition.source.splitlines().index("        " + rule.strip()) + 1
    at = next(e.index for e in game.definition.effects if e.line == line)
    assert plays.fired[at] and at not in found.outcome and (at in found.score) == bool(own)


def test_of_two_rules_that_pay_for_one_event_one_counts() -> None:
    pays = "coin hero > flipDirection scoreChange=1\n        "
    game = changed((TAKEN, 2 * pays + "coin hero > killSprite"))
    plays = GamePlays(game, [game.read_level(0)], kinds_of(game).analysis, seed=1)
    found = ablation(plays, [plays.play(RANDOM, k) for k in range(6)])
    paying = [e.index for e in game.definition.effects if e.name == "flipDirection"]
    assert all(plays.fired[index] for index in paying)
    assert len(set(paying) & set(found.score)) == 1 and not set(paying) & set(found.outcome)


def test_conventions_tell_usual_rules_from_unusual_ones() -> None:
    known = conventions()
    assert known.games > 50
    assert known.surprise(("avatar", "stepBack", "frame")) > 1.0 + known.surprise(("frame", "stepBack", "avatar"))
    assert known.expected(("avatar", "frame")) > 0.8
    game = changed()
    whole, silent = usage(kinds_of(game), known), usage(kinds_of(changed(("hero wall > stepBack", ""))), known)
    assert whole.told > silent.told and silent.silent is not None
    assert {game.definition.types[t].name for t in silent.silent if t >= 0} & {"hero", "wall"}
    strange = usage(kinds_of(changed(("ghost wall > stepBack", "wall coin > wrapAround"))), known)
    assert strange.rules < whole.rules and strange.strangest is not None


def test_conventions_are_counted_from_games_and_kept_as_json() -> None:
    kinds = kinds_of(changed())
    counted = count_conventions([kinds, kinds])
    assert counted.games == 2 and counted.rules[("avatar", "stepBack", "frame")] == 2.0
    again = Conventions.from_json(counted.to_json())  # type: ignore[arg-type]
    assert again.rules == counted.rules and again.met == counted.met and again.scores == counted.scores
    assert len(list(rule_lines(kinds))) == 6
    assert Conventions().surprise(("avatar", "stepBack", "frame")) == 0.0


def test_rules_with_exchanged_effects_are_told_from_the_rules_that_people_write() -> None:
    whole = assignment(kinds_of(changed()), effect_use())
    assert whole.better is None and whole.value == 4 / (4 + FEW)
    exchanged = kinds_of(
        changed(
            ("hero wall > stepBack", "hero wall > killSprite scoreChange=1"),
            ("coin hero > killSprite scoreChange=1", "coin hero > stepBack"),
        )
    )
    found = assignment(exchanged, effect_use())
    assert found.value < 0.7 * whole.value and found.better is not None
    named = {(exchanged.name(first), exchanged.name(second)) for first, second, _ in found.better}
    assert named == {("hero", "wall"), ("coin", "hero")}


def test_a_rule_that_siblings_do_not_have_is_less_usual() -> None:
    two = ("coin > Immovable", "good > Immovable\n            coin >\n            gem >")
    alike = changed(two, ("coin hero >", "gem hero > killSprite scoreChange=1\n        coin hero >"))
    apart = changed(
        two,
        ("ghost wall > stepBack", "ghost wall > killSprite scoreChange=1"),
        ("coin hero >", "gem hero > stepBack\n        coin hero >"),
    )
    assert assignment(kinds_of(alike), effect_use()).value > assignment(kinds_of(apart), effect_use()).value


def test_a_game_that_was_counted_can_be_judged_by_the_others() -> None:
    kinds, other = kinds_of(changed()), kinds_of(changed(("hero ghost > killSprite", "ghost hero > stepBack")))
    both = count_uses([kinds, other])
    assert both.games == 2 and len(cells(kinds)) == 4
    again = EffectUse.from_json(both.to_json())
    assert again.seen == both.seen and again.weights == both.weights
    assert both.without(kinds).seen == count_uses([other]).seen
    assert count_conventions([kinds, other]).without(kinds).rules == count_conventions([other]).rules
    assert customs().without(kinds).conventions.games == customs().conventions.games - 1
    empty = assignment(kinds, EffectUse())
    assert empty.better is None and empty.value == 4 / (4 + FEW)


@pytest.mark.skipif(not COMPILED, reason="takes too long without the compiler")
@pytest.mark.full
@pytest.mark.parametrize("name", ["boxes", "dungeon", "hunt", "digger", "bazaar"])
def test_our_own_games_are_feasible(name: str) -> None:
    found = judge_game(load(name), seed=1)
    assert found.feasible, found.problem
    assert found.value > 0.5


def test_a_game_is_not_infeasible_because_short_searches_lose() -> None:
    """The prover is asked where nobody wins; its win counts for what matters, but in a game of chance not as skill."""
    game = changed()
    kinds = kinds_of(game)
    plays = GamePlays(game, [game.read_level(0)], kinds.analysis, seed=1, effort=0.1)
    won = plays.prove(0)
    assert won is not None and won.won and won.player == "prover" and plays.wins() == [won]
    plays.play(RANDOM, 0)
    assert plays.skilled() == []
    certain = changed(("RandomNPC cooldown=2", "Immovable"))
    others = GamePlays(certain, [certain.read_level(0)], kinds_of(certain).analysis, seed=1, effort=0.1)
    assert others.prove(0) is not None and others.skilled() == ["prover"]


def test_resources_are_taken_out_one_by_one() -> None:
    gold = ("coin > Immovable", "coin > Resource limit=9"), ("coin hero > killSprite", "coin hero > collectResource")
    door = (
        ("ghost > RandomNPC cooldown=2", "door > Door\n        ghost > RandomNPC cooldown=2"),
        (
            "hero ghost > killSprite",
            "hero ghost > killSprite\n        door hero > killIfOtherHasMore resource=coin limit=1",
        ),
    )
    goal = ("stype=coin limit=0 win=True", "stype=door limit=0 win=True"), ("g > floor ghost", "g > floor door")
    game = changed(*gold, *door, *goal)
    plays = GamePlays(game, [game.read_level(0)], kinds_of(game).analysis, seed=1)
    won = plays.prove(0)
    assert won is not None
    plays.play(RANDOM, 0)
    plays.fired[:] = True
    found = ablation(plays, [won])
    assert found.resources == 1 and [game.definition.types[t].name for t in found.held] == ["coin"]
    assert found.number >= len(found.outcome) + 1


def test_a_walk_against_the_clock_is_told_from_games_with_something_else_in_the_way() -> None:
    """Nobody who has time loses the first; ghosts that walk about, and crates to be pushed, make other games of it."""
    still = (
        ("ghost > RandomNPC cooldown=2", "ghost > Immovable"),
        ("hero ghost > killSprite", "hero ghost > stepBack"),
    )
    crates = (
        ("ghost > RandomNPC cooldown=2", "ghost > Passive"),
        ("hero ghost > killSprite", "ghost hero > bounceForward"),
    )
    crushed = ("coin hero > killSprite", "coin ghost > killSprite\n        coin hero > killSprite")
    paid = ("coin hero > killSprite", "ghost ghost > killSprite scoreChange=1\n        coin hero > killSprite")
    late = "Timeout limit=40 win=False\n        "

    def told(judgement: Judgement) -> str:
        parts = [part for part in judgement.parts if part.name == "resistance"]
        assert judgement.feasible and all(part.value == 0.0 and part.weight > 0.0 for part in parts)
        return parts[0].sentence if parts else ""

    def time(*changes: tuple[str, str]) -> str:
        hero = "SpriteCounter stype=hero"
        return told(judged((hero, late + hero), *changes))

    assert time(*still) == "Only the time limit, 40 ticks, stands in the way of the player."
    assert time(*crates, paid) != "", "crates that lead to nothing but points are walked around"
    assert time(*crates, crushed) != "", "nobody needs a crate for what a touch takes away"
    assert time() == "", "ghosts end plays"
    boxes = load("boxes")
    text = boxes.definition.source.replace("TerminationSet\n", f"TerminationSet\n        {late}")
    assert told(judge_game(load(text, levels=boxes.levels[:1]), seed=1, effort=0.2)) == "", "who pushes can do it wrong"


@pytest.mark.parametrize(
    ("won", "lost", "held", "limit"),
    [(10, 41, [], 40), (9, 41, [], None), (9, 0, [], 0), (10, 20, [], None), (0, 41, [], None), (10, 41, ["coin"], 40)],
)
def test_time_is_short_where_the_quickest_win_takes_a_quarter_of_it(
    won: int, lost: int, held: list[str], limit: int | None
) -> None:
    hero = "SpriteCounter stype=hero"
    late = (hero, f"Timeout limit=40 win=False\n        {hero}")
    kinds = kinds_of(changed(("ghost > RandomNPC cooldown=2", "ghost > Immovable"), late))

    def play(ticks: int, *, won: bool) -> GamePlay:
        return GamePlay("thorough", 0, 1, ("NIL",) * ticks, won, not won, 0.0, 1.0)

    plays = [play(ticks, won=wins) for ticks, wins in ((lost, False), (won, True)) if ticks]
    index = kinds.definition.type_index
    assert nothing_but_time(kinds, [index[name] for name in held], plays, plays) == limit


def test_a_player_who_looks_ahead_has_nothing_in_the_way_of_what_runs_away() -> None:
    """Somebody who acts at random runs into what has no way out."""

    def play(*, won: bool) -> GamePlay:
        return GamePlay("thorough", 0, 1, ("NIL",) * 10, won, not won, 0.0, 1.0)

    for ghost, free in (("Fleeing stype=hero", 0), ("Chaser stype=hero", None)):
        kinds = kinds_of(changed(("ghost > RandomNPC", f"ghost > {ghost}")))
        assert nothing_but_time(kinds, [], [play(won=False), play(won=True)], [play(won=True)]) == free


def test_what_has_to_be_held_stands_in_the_way_where_something_asks_for_it() -> None:
    """Coins that are only gathered are held as well."""
    resource = (
        ("coin > Immovable", "coin > Resource"),
        ("coin hero > killSprite scoreChange=1", "coin hero > collectResource"),
    )
    locked = (
        "coin hero > collectResource",
        "coin hero > collectResource\n        ghost hero > killIfOtherHasMore resource=coin",
    )
    armed = ("hero > MovingAvatar", "knife > Missile\n        hero > ShootAvatar stype=knife ammo=coin")
    win = [GamePlay("thorough", 0, 1, ("NIL",) * 10, True, False, 0.0, 1.0)]

    def free(*changes: tuple[str, str]) -> bool:
        kinds = kinds_of(changed(("ghost > RandomNPC cooldown=2", "ghost > Immovable"), *changes))
        return nothing_but_time(kinds, [kinds.definition.type_index["coin"]], win, win) == 0

    assert free(*resource) and not free(*resource, locked) and not free(*resource, armed)


def test_rules_that_only_a_search_for_a_win_executes_count() -> None:
    """Short plays win no puzzle of pushing; its boxes reach their marks in the plays of searches alone."""
    game = load("boxes")
    findings, problem = GameJudge(seed=1, effort=0.2).examine(game, game.levels[2:3])
    assert problem == "" and findings.plays is not None and findings.ablation is not None
    (stored,) = (e.index for e in game.definition.effects if e.name == "transformTo")
    ladder = ("nothing", "random", "hasty", "thorough")
    assert not any(play.won for player in ladder for play in findings.plays.made[player])
    assert findings.plays.fired[stored] and stored in findings.ablation.outcome
