"""Words, completion, explanations, names and layouts of unfinished VGDL and GDL texts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pcg.engine.game import builtin_games, builtin_sheets
from pcg.engine.gdl.parser import parse as parse_sheet
from pcg.engine.vgdl import check_game, ontology, read_game
from pcg.language import gdl_help, vgdl_help
from pcg.language.extension import extension_files, gdl_grammar, vgdl_grammar
from pcg.language.vgdl_words import words

GAME = """\
BasicGame square_size=20
    SpriteSet  # who there is
        monster > RandomNPC
            bat > speed=0.5
            cat > Chaser stype=hero
        hero > ShootAvatar stype=knife
        knife > Missile
    InteractionSet
        monster knife > killBoth scoreChange=2
        hero EOS > stepBack
    LevelMapping
        m > monster cat
        A > hero
    TerminationSet
        SpriteCounter stype=monster,cat limit=0 win=True
"""
SHEET = Path(builtin_sheets()["tic-tac-toe-large"]).read_text()


def place(text: str, what: str, after: int = 0) -> tuple[int, int]:
    """Line and column, from 0, of a part of a text, some characters on."""
    at = text.index(what) + after
    return text.count("\n", 0, at), at - (text.rfind("\n", 0, at) + 1)


def proposed(line: str, before: str = GAME) -> list[str]:
    """Return the proposals at the end of a line, written into the set in which the text breaks off."""
    return [p.text for p in vgdl_help.complete(before + line, before.count("\n"), len(line))]


def until(mark: str) -> str:
    return GAME[: GAME.index(mark)]


@pytest.mark.parametrize(
    ("before", "line", "wanted", "refused"),
    [
        (until("    Inter"), "        dog > Chas", {"Chaser"}, {"chase", "hero"}),
        (until("    Inter"), "        dog > Missile sp", {"speed"}, {"stype"}),
        (until("    Inter"), "        dog > Chaser stype=", {"hero", "bat", "monster"}, {"EOS", "Chaser"}),
        (until("    Inter"), "        dog > Missile orientation=", {"UP", "LEFT"}, {"RED"}),
        (until("    Inter"), "        dog > Missile singleton=T", {"True"}, {"False"}),
        (until("    Inter"), "        dog > Missile color=LIGHT", {"LIGHTBLUE"}, {"RED"}),
        (until("    Inter"), "    I", {"InteractionSet"}, {"SpriteSet"}),
        (until("    Level"), "        hero mon", {"monster"}, {"hero"}),
        (until("    Level"), "        hero ", {"EOS", "TIME", "wall", "avatar"}, {"killSprite"}),
        (until("    Level"), "        hero wall > kill", {"killSprite", "killBoth"}, {"stepBack"}),
        (until("    Level"), "        hero wall > stepBack scoreChange=1 ", {"pixelPerfect"}, {"scoreChange"}),
        (until("    Level"), "        hero wall > transformTo stype=kn", {"knife"}, {"hero"}),
        (until("    Term"), "        x > he", {"hero"}, {"knife"}),
        (GAME, "        Time", {"Timeout"}, {"SpriteCounter"}),
        (GAME, "        SpriteCounter stype=cat,b", {"bat"}, {"cat"}),
        (GAME, "        SpriteCounter stype=cat # ", set(), {"limit"}),
    ],
)  # fmt: skip
def test_what_fits_is_proposed(before: str, line: str, wanted: set[str], refused: set[str]) -> None:
    found = set(proposed(line, before))
    assert wanted <= found
    assert not refused & found


def test_parameters_are_those_of_the_class_and_of_ancestors() -> None:
    before = until("        hero > Shoot")
    inherited = proposed("            owl > ", before.replace("cat > Chaser stype=hero", "cat >"))
    assert "Chaser" in inherited
    text = before + "            owl > speed=1 "
    assert {p.text for p in vgdl_help.complete(text, text.count("\n"), 40)} >= {"cooldown", "cons"}, "of RandomNPC"


@pytest.mark.parametrize("name", [*builtin_games()])
def test_every_word_of_a_game_has_its_role(name: str) -> None:
    text = (builtin_games()[name] / "game.vgdl").read_text()
    definition = read_game(text, reading="strict")
    found = words(text)
    assert {w.text for w in found if w.role == "definition"} >= {t.name for t in definition.types} - {"wall", "avatar"}
    tables = {"class": ontology.SPRITE_CLASSES, "effect": ontology.EFFECTS, "termination": ontology.TERMINATIONS}
    for role, table in tables.items():
        assert all(w.text in table for w in found if w.role == role)
    known = {t.name for t in definition.types} | {"EOS", "TIME"}
    assert {w.text for w in found if w.role == "sprite"} <= known
    lines = text.split("\n")
    assert all(lines[w.at.line][w.at.start : w.at.end] == w.text for w in found)


def test_explanations_say_what_a_word_is_and_what_a_rule_does() -> None:
    def said(what: str, after: int = 1) -> str:
        found = vgdl_help.explain(GAME, *place(GAME, what, after))
        assert found is not None
        return found[0]

    assert said("Chaser").startswith("**Chaser**: sprite class, a kind of RandomNPC")
    assert said("killBoth").startswith("A monster and a knife destroy each other") and "**killBoth**: effect" in said(
        "killBoth"
    )
    assert "score" in said("scoreChange") and "points" in said("scoreChange")
    assert said("SpriteSet").startswith("The sprites")
    assert "bat > speed=0.5" in said("bat >")
    assert "edge of the screen" in said("EOS")
    assert vgdl_help.explain(GAME, *place(GAME, "who there")) is None, "a comment"
    broken = GAME.replace("killBoth scoreChange=2", "killBoth scoreCh")
    assert vgdl_help.explain(broken, *place(broken, "killBoth", 2)) is not None


def test_a_sprite_is_renamed_everywhere_and_nothing_else_is() -> None:
    text = GAME.replace("# who there is", "# monster")
    name, found = vgdl_help.places_of(text, *place(text, "monster >", 3))
    assert name == "monster" and len(found) == 4
    lines = text.split("\n")
    for word in sorted(found, key=lambda w: -w.at.start):
        row = lines[word.at.line]
        lines[word.at.line] = row[: word.at.start] + "beast" + row[word.at.end :]
    renamed = "\n".join(lines)
    assert "monster" not in renamed.replace("# monster", "")
    assert [d.message.replace("beast", "monster") for d in check_game(renamed)] == [d.message for d in check_game(text)]
    assert "taken" in vgdl_help.check_name(GAME, "monster", "cat")
    assert "every game has" in vgdl_help.check_name(GAME, "wall", "fence")
    assert vgdl_help.check_name(GAME, "monster", "beast") == ""
    assert vgdl_help.places_of(GAME, *place(GAME, "killBoth")) == ("", [])


def test_the_outline_has_sets_and_what_is_in_them() -> None:
    found = {s.name: [p.name for p in s.parts] for s in vgdl_help.outline(GAME)}
    assert list(found) == ["SpriteSet", "InteractionSet", "LevelMapping", "TerminationSet"]
    assert found["SpriteSet"] == ["monster", "bat", "cat", "hero", "knife"]
    assert found["InteractionSet"][0] == "monster knife > killBoth scoreChange=2"


# --- rule sheets ------------------------------------------------------------------------------------------------------


def shape(text: str) -> list[tuple[str, list[str]]]:
    return [(str(rule.head), [str(part) for part in rule.body]) for rule in parse_sheet(text).rules]


@pytest.mark.parametrize("name", [*builtin_sheets()])
def test_a_formatted_sheet_means_the_same_and_keeps_its_comments(name: str) -> None:
    text = Path(builtin_sheets()[name]).read_text()
    crowded = re.sub(r"(?m)^ +", "", text).replace(" (", "    (")
    for given in (text, crowded):
        done = gdl_help.format_sheet(given)
        assert shape(done) == shape(given)
        comments = [[t.text for t in gdl_help.tokens(s) if t.role == "comment"] for s in (given, done)]
        assert comments[0] == comments[1]
        assert gdl_help.format_sheet(done) == done


def test_names_of_a_sheet_are_proposed_explained_and_renamed() -> None:
    line = SHEET.count("\n")
    found = [p.text for p in gdl_help.complete(SHEET + "(<= (le", line, 7)]
    assert found[0] == "legal"
    assert "role" in {p.text for p in gdl_help.complete(SHEET + "(", line, 1)}
    keyword = gdl_help.explain(SHEET, *place(SHEET, "(role", 2))
    assert keyword is not None and "is a player" in keyword[0]
    variable = re.search(r"\?\w+", SHEET)
    assert variable is not None
    name, places = gdl_help.places_of(SHEET, *place(SHEET, variable.group(), 1))
    assert name == variable.group() and len({t.form for t in places}) == 1
    assert "language" in gdl_help.check_name(SHEET, "x", "legal")
    assert "variable" in gdl_help.check_name(SHEET, "x", "?y")
    assert gdl_help.check_name(SHEET, "?a", "?never-used") == ""
    assert gdl_help.outline(SHEET)[0].name == "role"


# --- the extension ----------------------------------------------------------------------------------------------------


def scopes(grammar: dict[str, object], line: str) -> dict[str, str]:
    """The scope of each word of a line, by the first rule that matches where it stands."""
    rules = [(re.compile(rule["match"]), rule["name"]) for rule in grammar["patterns"]]  # type: ignore[attr-defined]
    found: dict[str, str] = {}
    at = 0
    while at < len(line):
        matches = [(m.start(), k, m, name) for k, (rule, name) in enumerate(rules) if (m := rule.search(line, at))]
        matches = [one for one in matches if one[2].group()]
        if not matches:
            break
        _, _, match, name = min(matches)
        found[match.group().strip()] = name
        at = match.end()
    return found


def test_grammars_know_every_part_of_the_languages() -> None:
    grammar = vgdl_grammar()
    seen = scopes(grammar, "        cat > Chaser stype=hero speed=0.5 color=RED singleton=True  # runs")
    assert seen["Chaser"] == "support.class.sprite.vgdl" and seen["stype"] == "variable.parameter.vgdl"
    assert seen["0.5"] == "constant.numeric.vgdl" and seen["RED"] == seen["True"] == "constant.language.vgdl"
    assert seen["# runs"].startswith("comment") and seen[">"].startswith("keyword.operator")
    for name in ontology.EFFECTS:
        assert scopes(grammar, f"        a b > {name} x=1")[name] == "support.function.effect.vgdl"
    assert scopes(grammar, "    SpriteSet")["SpriteSet"] == "keyword.control.set.vgdl"
    sheet = scopes(gdl_grammar(), "(<= (legal ?who (mark 1 ?y)) (true (cell 1)))  ; free")
    assert sheet["legal"] == "keyword.control.gdl" and sheet["?who"] == "variable.other.gdl"
    assert sheet["mark"] == "entity.name.function.gdl" and sheet["; free"].startswith("comment")
    assert {"package.json", "extension.js", "vgdl.tmLanguage.json", "gdl.tmLanguage.json"} <= set(extension_files())
