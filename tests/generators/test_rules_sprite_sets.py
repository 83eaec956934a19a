"""Sprite sets of games that only a tolerant reader takes: rules can be made for them all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from pcg.engine.game import Game, load
from pcg.engine.vgdl.checker import check_game, check_level
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.engine.vgdl.parser import parse
from pcg.engine.vgdl.tree import SpriteLine
from pcg.evaluators.games import GameEvaluator
from pcg.generators.rules import RuleSpace, make_rule_generator

UNTIDY = """
# the door eats one key
BasicGame key_handler=Pulse
    SpriteSet
        floor > Immovable
        structure > Immovable
            water > color=BLUE
            goal > Door color=GREEN
        truck >
            left > Missile orientation=LEFT wings=2
        stone > SpawnPoint stype=nowhere
        tree > Immovable
        tree > Passive
        snake > Immovable
            adder > RandomNPC
        hero > MovingAvatar
    InteractionSet
        goal hero > killSprite  # each door uses up one key
    LevelMapping
        . > floor
        g > floor goal
        l > floor left
        s > stone
        t > tree
        b > snake
        r > adder
        u > unknown
        A > floor hero
    TerminationSet
        SpriteCounter stype=goal win=True
"""
RAGGED = "ggg....ll\nt.s.A..q\nw.r.....b..\n\n"


def untidy() -> tuple[Game, RuleSpace]:
    game = load(UNTIDY, levels=[RAGGED, "...", "A..g"], reading="gvgai")
    return game, RuleSpace.of(game.definition.source, game.levels)


def test_an_untidy_sprite_set_becomes_one_that_reads_strictly() -> None:
    game, space = untidy()
    for number, candidate in enumerate(make_rule_generator("random", space, seed=1).ask(20)):
        compiled = space.compile(candidate.genotype)
        assert compiled.ok and not compiled.diagnostics, number
        assert not check_game(space.tidy(candidate.genotype))
    assert len(space.levels) == 2, "the level without an avatar is left out"
    for level in space.levels:
        assert not check_level(level, space.definition)
        assert len({len(row) for row in level.splitlines()}) == 1
    classes = {t.name: t.class_name for t in game.definition.types if t.leaf}
    written = {t.name: t.class_name for t in space.definition.types if t.leaf}
    assert written["goal"] == "Immovable" == classes["goal"], "the class above counts"
    assert written["snake"] == "Immovable" == classes["adder"], "sprites of a group that has some become a type"
    assert written["stone"] == "Immovable", "what has nothing to bring forth only stands about"


def test_what_is_drawn_below_stays_below() -> None:
    text = UNTIDY.replace("hero", "avatar").replace("tree", "wall")
    space = RuleSpace.of(text, [RAGGED])
    lines = [node for node in parse(space.definition.source).walk() if isinstance(node, SpriteLine)]
    names = [line.name.text for line in lines]
    assert names[0] == "floor" and names.index("wall") > names.index("stone"), "types of every game are not drawn first"


def test_what_finds_its_way_and_its_pace_stay() -> None:
    text = UNTIDY.replace("key_handler=Pulse", "key_handler=Pulse obs=floor,nowhere").replace(
        "        stone >", "        wolf > PathAltChaser stype1=hero stype2=goal cooldown=3\n        stone >"
    )
    space = RuleSpace.of(text.replace("u > unknown", "u > wolf"), [f"{RAGGED.rstrip()}u"])
    wolf = next(t for t in space.definition.types if t.name == "wolf")
    assert wolf.class_name == "PathAltChaser" and wolf.raw == {"stype1": "hero", "cooldown": "3"}
    candidate = make_rule_generator("constructive", space, seed=1).ask(1)[0]
    assert "obs=floor" in space.tidy(candidate.genotype) and not check_game(space.tidy(candidate.genotype))


def test_comments_about_rules_that_are_gone_do_not_stay() -> None:
    _, space = untidy()
    assert "#" not in space.source
    candidate = make_rule_generator("constructive", space, seed=1).ask(1)[0]
    assert "key" not in space.text(candidate.genotype)


def test_games_of_an_untidy_sprite_set_are_played() -> None:
    _, space = untidy()
    judge = GameEvaluator(space.levels, max_ticks=50, plays=1, max_plays=1)
    candidate = make_rule_generator("constructive", space, seed=1).ask(1)[0]
    compiled = space.compile(candidate.genotype)
    verdict = judge.evaluate(compiled.game(space.levels), seed=1, diagnostics=compiled.diagnostics)
    assert verdict.constraints["check"] == 1.0 and verdict.profile
    last = judge.confirm(compiled.game(space.levels), seeds=1, seed=1, diagnostics=compiled.diagnostics)
    assert last.constraints["check"] == 1.0 and last.profile[-1].performance > 0.0


def test_a_tidy_sprite_set_stays_as_it_is() -> None:
    game = load("boxes")
    space = RuleSpace.of(game.definition.source, game.levels)
    assert space.levels == tuple(game.levels)
    assert [(t.name, t.class_name, t.raw) for t in space.definition.types] == [
        (t.name, t.class_name, t.raw) for t in game.definition.types
    ]


def test_without_an_avatar_it_is_said_at_once() -> None:
    with pytest.raises(PcgError, match="nobody plays"):
        RuleSpace.of(UNTIDY.replace("hero > MovingAvatar", "hero > Immovable"), [RAGGED])


@pytest.mark.corpus
def test_rules_can_be_made_for_every_sprite_set_of_the_corpus(shared: Path) -> None:
    lines = (shared / "gvgai" / "PEER_SPEED.tsv").read_text(encoding="utf-8").splitlines()
    names = [line.split("\t")[0] for line in lines if line and not line.startswith(("#", "game\t"))]
    used = 0
    for name in names:
        game = load(shared / "gvgai" / "games" / f"{name}.txt", reading="gvgai")
        space = RuleSpace.of(game.definition.source, game.levels)
        used += 1
        for candidate in make_rule_generator("constructive", space, seed=1).ask(2):
            compiled = space.compile(candidate.genotype)
            assert compiled.ok and not compiled.diagnostics, (name, compiled.diagnostics[:1])
            assert not any(check_level(level, space.definition) for level in space.levels), name
    assert used >= 118
