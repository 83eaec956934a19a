"""Descriptions: everything of the ontology has its words, parameters are told, rules that cannot fire are found."""

from __future__ import annotations

import html.parser
import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

import pytest

import pcg
from pcg.describe import LANGUAGES, ROLES, describe, save_diagram, to_html, to_json, to_markdown, to_text
from pcg.describe.diagram import interaction_graph
from pcg.describe.noun_phrases import humanise, number, plural, with_article
from pcg.engine.game import builtin_games
from pcg.engine.vgdl import ontology, read_game
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.engine.vgdl.ontology_params import Does, Param
from pcg.evaluators.effect_semantics import consequences

HEAD = """\
BasicGame no_counters=2 obs=stone
    SpriteSet
        floor > Immovable
        stone > Immovable
        gem > Resource limit=5
        ore > Resource limit=7
        beast > RandomNPC
        den > SpawnPoint stype=beast
        gate > Portal stype=arch
        arch > Immovable
        hero > MovingAvatar
{sprite}    InteractionSet
        gem hero > collectResource
        ore hero > collectResource
        hero stone > stepBack
{rule}    LevelMapping
        s > stone
        g > gem
        o > ore
        b > beast
        d > den
        p > gate
        a > arch
        A > hero
{mapping}    TerminationSet
{ending}"""


def text_of(*, sprite: str = "", rule: str = "", ending: str = "", language: str = "en") -> str:
    mapping = f"        x > {sprite.split()[0]}\n" if sprite else ""
    given = {"sprite": sprite, "rule": rule, "ending": ending}
    lines = {key: f"        {value}\n" if value else "" for key, value in given.items()}
    game = read_game(HEAD.format(mapping=mapping, **lines), reading="gvgai")
    told = to_text(describe(game, language=language), width=10_000)
    assert "{" not in told and "}" not in told
    return told


def after_heading(told: str, heading: str, language: str) -> str:
    """Return the lines after a heading, `headings.meetings` in the language's file."""
    return told.split(LANGUAGES[language].heading(LANGUAGES[language].say(f"headings.{heading}")) + "\n")[1]


def sample(param: Param, nth: int) -> tuple[str, tuple[str, ...]] | None:
    """A value that is not the default, and the forms in which it may be told; None where nothing is to be told."""
    if param.inert or param.drawing:
        return None
    if param.type in ("int", "float"):
        value = 31 + nth
        # what is counted from 0 in the engine may be told as a duration
        return str(value), (str(value), str(value + 1), str(2 * value))
    if param.type == "double":
        fraction = 0.31 + nth / 100
        return f"{fraction:g}", (number(fraction), f"{number(100 * fraction)} %", f"{number(100 * fraction)}%")
    if param.type == "sprite":
        return "ore", ("ore", "ores")
    if param.type == "sprites":
        return "ore", ("ore", "ores")
    if param.type == "integers":
        return "17,18", ("17", "18")
    if param.type == "effect":
        return "killAll", ("killAll",)
    return None


def own_numbers(params: dict[str, Param], own: tuple[str, ...]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    for nth, name in enumerate(own):
        found = sample(params[name], nth)
        if found is not None:
            yield name, *found


def required(params: dict[str, Param], but: str) -> str:
    """Values for the parameters without which it cannot be built."""
    values = {"sprite": "beast", "sprites": "beast", "effect": "killAll"}
    resources = ("resource", "heldResource")
    return " ".join(
        f"{p.name}={'gem' if p.name in resources else values[p.type]}"
        for p in params.values()
        if p.required and p.name != but
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_entry_of_the_ontology_has_words_of_its_own(language: str) -> None:
    words = LANGUAGES[language].words
    avatars = {name for name, c in ontology.SPRITE_CLASSES.items() if c.avatar}
    assert set(words["classes"]) - {"no_class", "by_help"} == set(ontology.SPRITE_CLASSES) - avatars
    assert set(words["avatars"]) == avatars
    assert all(words["avatars"][name].keys() == {"about", "keys"} for name in avatars)
    for name, effect in ontology.EFFECTS.items():
        assert effect.told("phrase", language), name
        for trait in ("alone", "shield_phrase", "score_note"):
            assert bool(effect.told(trait, language)) == bool(effect.told(trait, "en")), (name, trait)


def test_both_languages_have_the_same_entries() -> None:
    english, chinese = (LANGUAGES[code].words for code in ("en", "zh"))
    own = {"effects": {"at_most", "holds_at_most"}, "rules": {"player"}}
    assert set(chinese) - set(english) == {"nouns", "adjectives"}
    for section in english:
        assert set(english[section]) ^ set(chinese[section]) <= own.get(section, set()), section


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ontology.EFFECTS)
def test_the_sentence_of_an_effect_tells_its_parameters(name: str, language: str) -> None:
    spec = ontology.EFFECTS[name]
    inner = " stype=beast" if name == "addTimer" else ""
    plain = text_of(rule=f"beast hero > {name} {required(dict(spec.params), '')}{inner}", language=language)
    assert "beast" in plain
    if language == "zh":  # names stand between signs, nothing else is in Latin letters
        assert not re.search("[A-Za-z]", re.sub("`.*?`|“.*?”", "", after_heading(plain, "meetings", language)))
    cases = list(own_numbers(dict(spec.params), (*spec.own, "scoreChange", "counter")))
    if spec.uses_prob:
        cases.append(("prob", "0.37", ("37 %", "37%")))
    for key, value, forms in cases:
        if name == "addTimer" and key == "ftype":
            continue  # it is told by what the effect does
        extra = {"timer": " repeating=True", "nextExecution": " timer=5 repeating=True"}.get(key, "")
        if key == "nextExecution":
            continue  # without meaning on an addTimer line
        needs = {"subtract": "limit=3", "spend": "limit=3"}.get(key, "")
        first = "gem" if name.startswith("collectResource") else "beast"
        if name == "removeScore" and key != "stype":
            first = "hero"  # only who plays has a score
        told = text_of(
            rule=f"{first} hero > {name} {required(dict(spec.params), key)}{inner} {needs} {key}={value}{extra}",
            language=language,
        )
        meant = after_heading(told, "meetings", language)
        assert any(re.search(rf"(?<![\d.]){re.escape(form)}(?![\d.]*\d)", meant) for form in forms), (key, meant)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ontology.EFFECTS)
def test_boolean_parameters_of_effects_change_their_sentence(name: str, language: str) -> None:
    spec = ontology.EFFECTS[name]
    first = "gem" if name.startswith("collectResource") else "beast"
    stype = " stype=beast" if name == "addTimer" else ""
    for key in spec.own:
        if spec.params[key].type != "bool":
            continue
        value = not spec.params[key].default
        line = f"{first} hero > {name} {required(dict(spec.params), '')}{stype} limit=2 timer=4"
        plain = text_of(rule=line, language=language)
        assert text_of(rule=f"{line} {key}={value}", language=language) != plain, key


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ontology.SPRITE_CLASSES)
def test_what_is_said_of_a_sprite_class_tells_its_parameters(name: str, language: str) -> None:
    spec = ontology.SPRITE_CLASSES[name]
    kind = f"blob > {name} {required(dict(spec.params), '')}"
    plain = text_of(sprite=kind, language=language)
    about = next(line for line in plain.splitlines() if re.match(r"  - (blob:|(主角|“blob”)（`blob`）：)", line))
    assert len(about) > 14
    if language == "zh":
        assert not re.search("[A-Za-z]", re.sub("`.*?`|“.*?”", "", about))
    silent = {"age", "counter", "last_block_time", "facing_dir"}  # told in another form, or of no use to players
    silent |= {"stype2"} | ({"fleeing", "maxDistance"} if name == "PathChaser" else set())
    silent |= {"cons"} if "Alt" in name else set()
    # a pack's own limit is not registered, and a drive is forward or backward
    silent |= {"resource_name", "limit"} if name == "ResourcePack" else {"facing"}
    inherited = set(spec.own)
    parent = spec.parent
    while parent is not None:
        inherited |= set(ontology.SPRITE_CLASSES[parent].own)
        parent = ontology.SPRITE_CLASSES[parent].parent
    needs_ammo = {"minAmmo": "ammo=gem", "ammoCost": "ammo=gem"}
    for key, value, forms in own_numbers(dict(spec.params), tuple(sorted(inherited - silent))):
        told = text_of(
            sprite=f"blob > {name} {required(dict(spec.params), key)} {needs_ammo.get(key, '')} {key}={value}",
            language=language,
        )
        assert any(form in told for form in forms), (key, told)


@pytest.mark.parametrize(
    ("parameter", "told"),
    [
        ("cooldown=7", "every 7 ticks"),
        ("speed=0.25", "one cell every 4 ticks"),
        ("speed=0.4 cooldown=3", "2 cells every 15 ticks"),
        ("speed=0.377", "0.377 of a cell"),
        ("singleton=True", "at most one at a time"),
        ("healthPoints=9", "9 health points"),
        ("limitHealthPoints=12 healthPoints=9", "12 as limit"),
        ("wMult=2.5", "2.5 cells wide"),
        ("mass=3.5 physicstype=CONT", "mass 3.5"),
        ("gravity=1.5 physicstype=CONT", "gravity 1.5"),
        ("stationary=True", "cannot move by itself"),
    ],
)
def test_what_every_sprite_can_have_is_told(parameter: str, told: str) -> None:
    assert told in text_of(sprite=f"thing > RandomNPC {parameter}")


@pytest.mark.parametrize("name", ontology.TERMINATIONS)
def test_the_sentence_of_a_termination_tells_its_parameters(name: str) -> None:
    spec = ontology.TERMINATIONS[name]
    own = {"SpriteCounter": "stype=ore", "SpriteCounterMore": "stype=ore", "Timeout": ""}.get(
        name, "stype1=ore stype2=gem"
    )
    told = text_of(ending=f"{name} {own} limit=37 win=True")
    ends = told.split("HOW TO WIN")[1]
    assert "37" in ends
    assert not own or "ore" in ends
    if "subTypesNum" in spec.params:
        assert "41" in text_of(ending=f"{name} stype1=ore limit=3 subTypesNum=41").split("HOW TO WIN")[1]
    if name != "StopCounter":
        assert (
            "score"
            in text_of(ending=f"{name} {own} limit=3 count_score=True").split("HOW TO WIN")[1].split("\nSCORE")[0]
        )
    if name == "Timeout":
        assert "5,6" in text_of(ending="Timeout limit=3 use_counter=True limits=5,6")
        assert "equal" in text_of(ending="Timeout limit=3 use_counter=True compare=True")


def test_rules_that_make_one_thing_up_are_one_sentence() -> None:
    told = text_of(rule="stone hero > killIfOtherHasMore resource=gem limit=2 subtract=True scoreChange=4")
    assert (
        "When the hero meets a stone, the hero cannot pass; and the stone disappears if the hero holds at least "
        "2 gems, using them up (+4 points)." in told
    )


def test_a_car_may_start_backward() -> None:
    assert "drives on by itself, backward at first" in text_of(sprite="car > CarAvatar facing=1.0")


def test_rules_alike_are_merged() -> None:
    assert "Beasts cannot pass stones or dens." in text_of(rule="beast stone den > stepBack")


def test_taking_something_for_points_is_said_so() -> None:
    assert "The hero takes an arch (+2 points)." in text_of(rule="arch hero > killSprite scoreChange=2")


def test_timers_say_when() -> None:
    assert "Every 40 ticks, the hero loses 1 health point and dies at 0 or less." in text_of(
        rule="hero TIME > subtractHealthPoints timer=40 nextExecution=40 repeating=True"
    )


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ("hero floor > killSprite", "there is never floor"),
        ("stone arch > killSprite", "both stand still"),
        ("stone hero > stepBack", "stones never move"),
        ("stone EOS > killSprite", "stones never move"),
        ("hero EOS > killBoth", "needs two sprites"),
        ("beast hero > collectResource", "beast is no resource"),
        ("hero beast > killSprite enabled=False", "switched off"),
        ("hero beast > killSprite inBatch=True", "does nothing in a batch"),
        ("hero beast > killSprite repeat=0", "listed no times"),
        ("hero den > killIfHasMore resource=arch limit=1", "nobody can ever hold arch"),
    ],
)
def test_rules_that_can_never_fire_are_said_so(rule: str, reason: str) -> None:
    told = text_of(rule=rule)
    assert reason in told.split("RULES THAT NEVER TAKE EFFECT")[1]


def test_rules_said_never_to_fire_are_executed_in_no_play(shared: Path) -> None:
    from pcg.engine.coverage import Watch, rules_of
    from pcg.engine.kernel.ids import ACTION_ID
    from pcg.evaluators.agents import play

    checked = 0
    files = [f for f in sorted((shared / "gvgai/games/gridphysics").glob("*.txt")) if "lvl" not in f.name]
    for file in files:
        game = pcg.load(file)
        if game.players != 1 or not game.levels or checked == 20:
            continue
        alive = describe(game, 0)  # of the rules that level 0 has no sprites for there are many
        never = {e for rule in alive.never for e in rule.effects}
        # a line of many pairs may be dead for one and alive for another
        never -= {e for rule in (*alive.meetings, *alive.timers) for e in rule.effects}
        if not never:
            continue
        state = game.start(0, seed=1)
        watch = Watch(state, rules_of(game.definition))
        for action in play(game, "random", level=0, seed=1, max_ticks=150).actions:
            before = state.copy()
            state.advance(action)
            watch.tick(before, state, (ACTION_ID[action], 0))
        used = {i - len(game.definition.types) for i in watch.coverage(state).used}
        assert not never & used, file.name
        checked += 1
    assert checked == 20


def test_the_declaration_of_an_effect_is_all_that_analyses_and_descriptions_need() -> None:
    ontology.register_effect(
        "petrify", help="turns A to stone", needs_first=True, params=[Param("stype", "sprite", None, "stone")],
        kills_first=True, creates=("stype",), does=(Does("transform", products=("stype",)),),
        phrase="{a} is petrified by {b} into {new:stype}", phrase_zh="{a}被{b}石化，变成{new:stype}",
        scores_on_effect=True, score_note=" each time", score_note_zh="，每次",
    )  # fmt: skip
    try:
        rule = "beast hero > petrify stype=gem scoreChange=2 applyScore=False"
        assert "is petrified by the hero into a gem (+2 points each time)" in text_of(rule=rule)
        assert "被英雄石化，变成宝石（+2 分，每次）" in text_of(rule=rule, language="zh")
        definition = read_game(HEAD.format(sprite="", rule=f"        {rule}\n", mapping="", ending=""), reading="gvgai")
        effect = next(e for e in definition.effects if e.name == "petrify")
        (found,) = consequences(definition, effect)
        assert found.kind == "transform" and found.products == (definition.type_index["gem"],)
    finally:
        ontology.unregister("petrify")


@pytest.mark.parametrize(
    ("phrase", "said"),
    [
        ("{a} melts {nearby:stype}", "unknown field 'nearby'"),
        ("{a} melts {new:heat}", "unknown field 'heat'"),
        ("{a} melts {if:hot|at once}", "unknown field 'hot'"),
        ("{a} melts {if:stype|at once", "a brace that does not close"),
        ("{a} melts}", "that nothing opens"),
    ],
)
def test_a_phrase_with_a_mistake_is_an_error_that_quotes_it(phrase: str, said: str) -> None:
    ontology.register_effect("melt", help="melts A", params=[Param("stype", "sprite", None, "into")], phrase=phrase)
    try:
        with pytest.raises(PcgError, match=re.escape(phrase)) as raised:
            text_of(rule="beast hero > melt stype=gem")
        assert said in str(raised.value)
    finally:
        ontology.unregister("melt")


def test_a_phrase_has_conditions_comparisons_amounts_and_tests() -> None:
    ontology.register_effect(
        "bake", help="bakes A", params=[
            Param("stype", "sprite", None, "into"),
            Param("heat", "int", 1, "how hot"),
            Param("soft", "bool", False, "how"),
        ],
        phrase="{a} bakes{if:heat>2&soft| slowly|{if:heat<0| cold}} for {count:2*heat|hour}, "
               "{number:heat+1} times, {if:you:stype|as you|as bread}",
    )  # fmt: skip
    try:
        for given, told in (
            ("stype=gem heat=1", "the beast bakes for 2 hours, 2 times, as bread"),
            ("stype=hero heat=3 soft=True", "the beast bakes slowly for 6 hours, 4 times, as you"),
            ("stype=gem heat=3", "the beast bakes for 6 hours, 4 times, as bread"),
            ("stype=gem heat=-1", "the beast bakes cold for −2 hours, 0 times, as bread"),
        ):
            assert told in text_of(rule=f"beast gate > bake {given}")
    finally:
        ontology.unregister("bake")


def test_an_effect_without_a_phrase_in_a_language_is_told_by_its_help() -> None:
    ontology.register_effect("glow", help="A glows", phrase="{a} glows in the dark")
    try:
        assert "the beast glows in the dark" in text_of(rule="beast gate > glow")
        assert "“glow”：A glows" in text_of(rule="beast gate > glow", language="zh")
    finally:
        ontology.unregister("glow")


def test_an_entry_registered_by_a_user_is_told_by_its_help() -> None:
    ontology.register_effect(
        "freezeSolid", help="stops A for a while", needs_first=True, changes_first=True,
        params=[Param("spell", "int", 5, "how long", "ticks", (1, 100))],
    )  # fmt: skip
    ontology.register_sprite_class(
        "Ghost", parent="Chaser", help="fades away", params=[Param("fade", "int", 10, "until it is gone", "ticks")]
    )
    ontology.register_termination("Sunset", help="the sun has set", params=[Param("hour", "int", 18, "when", "hours")])
    try:
        told = text_of(
            sprite="ghoul > Ghost stype=hero fade=33", rule="beast hero > freezeSolid spell=44", ending="Sunset hour=21"
        )
        assert "stops A for a while" in told and "44" in told
        assert "fades away" in told and "33" in told
        assert "the sun has set" in told and "21" in told
    finally:
        for name in ("freezeSolid", "Ghost", "Sunset"):
            ontology.unregister(name)


@pytest.mark.parametrize("name", builtin_games())
def test_our_games_are_told_in_chinese(name: str) -> None:
    game = pcg.load(name)
    english, chinese = describe(game), describe(game, language="zh")
    told = to_text(chinese, 100)
    assert "{" not in told and "}" not in told
    # the names of the game stand between signs, its title on top
    assert not re.search("[A-Za-z]", re.sub("`.*?`|“.*?”", "", told.split("\n", 1)[1]))
    for section in ("meetings", "timers", "never"):
        one, two = (sorted(r.effects for r in getattr(d, section)) for d in (english, chinese))
        assert {e for effects in one for e in effects} == {e for effects in two for e in effects}
    assert [t.type for t in chinese.things] == [t.type for t in english.things]
    assert len(chinese.win) == len(english.win) and len(chinese.lose) == len(english.lose)
    assert to_json(chinese) != to_json(english) and '"language": "zh"' in to_json(chinese)


def test_a_game_in_chinese_reads_like_a_manual() -> None:
    told = describe(pcg.load("dungeon"), 0, language="zh")
    assert told.summary == "您是英雄，可以向四个方向移动并使用刀。门一个也不剩时，您获胜；英雄消失时，您失败。"
    assert [rule.text for rule in told.meetings[:3]] == [
        "英雄碰到门时，如果英雄持有至少 1 个钥匙，门消失，并将其用掉（+5 分）；英雄无法通过。",
        "英雄无法通过墙。",
        "英雄可以捡起钥匙（+3 分）。",
    ]
    assert told.controls[0].keys[1].keys == "空格键"
    page, markdown = to_html(told), to_markdown(told)
    assert '<html lang="zh">' in page and "如何获胜" in page and "## 如何获胜" in markdown and "第 0 关" in markdown


def test_lines_of_chinese_text_keep_their_width_and_their_numbers_whole() -> None:
    told = to_text(describe(pcg.load("ridge"), language="zh"), 40)
    wide = [sum(2 if sign > "\u2e80" else 1 for sign in line) for line in told.splitlines()]
    assert max(wide) <= 40
    assert not re.search(r"[+−]?\d+\n|\n *[，。；：）]", told)


def test_a_language_that_there_is_not_is_an_error() -> None:
    with pytest.raises(PcgError, match="`tlh`, only in en, zh"):
        describe(pcg.load("boxes"), language="tlh")


@pytest.mark.parametrize("name", builtin_games())
def test_descriptions_of_our_games_are_whole(name: str) -> None:
    game = pcg.load(name)
    one, two = describe(game), describe(pcg.load(name))
    assert one == two
    sentences = [
        one.summary,
        *one.win,
        *one.lose,
        *(r.text for r in (*one.meetings, *one.timers)),
        *(t.text for t in one.things),
    ]
    assert all(s and s.endswith(".") and s[0] == s[0].upper() and "None" not in s for s in sentences)
    assert {thing.role for thing in one.things} <= set(ROLES)
    told = {e for rule in (*one.meetings, *one.timers, *one.never) for e in rule.effects}
    inner = {e.inner for e in game.definition.effects}
    assert told == {e.index for e in game.definition.effects} - inner


def test_a_level_adds_numbers_and_what_cannot_happen_on_it() -> None:
    game = pcg.load("dungeon")
    counts = {t.type: t.count for t in describe(game, 0).things}
    start = game.start(0)
    assert counts["door"] == len(start.sprites("door")) and counts["hero"] == 1
    empty = describe(game, "wwwww\nwA.dw\nwwwww\n")
    assert any("there is never a monster on this level" in rule.text for rule in empty.never)


def test_names_read_as_words() -> None:
    assert [humanise(n) for n in ("oldBrick", "wall_2", "goodies", "HPBar", "x")] == [
        "old brick", "wall 2", "goody", "hp bar", "x"]  # fmt: skip
    assert [plural(n) for n in ("knife", "wall 2", "sheep", "church")] == ["knives", "wall 2", "sheep", "churches"]
    assert plural("torpedo") == "torpedoes" and humanise("torpedoes") == "torpedo" and humanise("heroes") == "hero"
    assert with_article("iron ore") == "an iron ore"


def test_names_that_read_alike_are_told_apart() -> None:
    told = text_of(
        sprite="old_brick > Immovable\n        oldBrick > Immovable", rule="hero old_brick oldBrick > stepBack"
    )
    assert "old_brick" in told


@pytest.mark.parametrize(("group", "said"), [("moving", "a moving thing"), ("things", "a thing")])
def test_a_group_named_by_what_its_members_have_in_common_is_a_kind_of_thing(group: str, said: str) -> None:
    sprites = f"{group} >\n            leaf > Immovable\n            stone > Immovable"
    told = text_of(sprite=sprites, rule=f"{group} hero > killSprite")
    assert said in told.lower() and "thing thing" not in told


class _Checker(html.parser.HTMLParser):
    """Every tag that is opened is closed."""

    VOID = frozenset({"meta", "br", "img", "link", "hr"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_well_formed_and_escapes_names() -> None:
    game = read_game(
        "BasicGame\n  SpriteSet\n    <b>&x > Immovable\n    hero > MovingAvatar\n  InteractionSet\n"
        "    hero <b>&x > stepBack\n  LevelMapping\n    x > <b>&x\n    A > hero\n",
        reading="gvgai",
    )
    page = to_html(describe(game, title="<script>"))
    assert "<script>" not in page and "<b>" not in page
    checker = _Checker()
    checker.feed(page)
    assert not checker.open


def test_layouts_hold_the_same_sentences() -> None:
    description = describe(pcg.load("dungeon"))
    data = json.loads(to_json(description))
    markdown, page, text = to_markdown(description), to_html(description), to_text(description, 10_000)
    for rule in data["meetings"]:
        assert rule["text"] in text and rule["text"] in page
        assert rule["text"] in markdown.replace("\\", "")
    assert markdown.startswith("# dungeon\n")


@pytest.mark.full
def test_the_diagram_is_the_same_every_time(tmp_path: Path) -> None:
    game = pcg.load("lode_runner")
    graph = interaction_graph(game)
    assert graph.nodes["gold"]["role"] == "collect"
    assert any(d["does"] == "kills or hurts" for d in graph["monster"]["miner"].values())
    for suffix in ("svg", "png"):
        one, two = tmp_path / f"one.{suffix}", tmp_path / f"two.{suffix}"
        save_diagram(game, one)
        save_diagram(game, two)
        assert one.read_bytes() == two.read_bytes()
    shown = "".join(ElementTree.parse(tmp_path / "one.svg").getroot().itertext())
    assert "stuck guard" in shown and "kills or hurts" in shown
    with pytest.raises(PcgError, match=r"\.svg or \.png"):
        save_diagram(game, tmp_path / "one.pdf")


def test_boxes_of_the_diagram_do_not_overlap() -> None:
    from pcg.describe.diagram import _prepared

    for name in ("lode_runner", "dungeon", "gates"):
        _, boxes, places, (width, height) = _prepared(pcg.load(name), None)
        names = list(places)
        for i, one in enumerate(names):
            assert (abs(places[one] - (width / 2, height / 2)) <= (width / 2, height / 2)).all()
            for two in names[i + 1 :]:
                apart = abs(places[one] - places[two]) * 2
                both = [a + b for a, b in zip(boxes[one].size, boxes[two].size, strict=True)]
                assert apart[0] >= both[0] or apart[1] >= both[1], (name, one, two)


def test_a_game_with_nothing_in_it_is_described() -> None:
    description = describe(read_game("BasicGame\n  SpriteSet\n    a > Immovable\n", reading="gvgai"))
    assert description.win == ("Nothing wins the game.",)
    assert to_html(description, "") and to_text(description)
