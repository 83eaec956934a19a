"""Text to syntax tree (reference/language 1.1 and 1.3)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pcg.engine import vgdl
from pcg.engine.vgdl import Tree, VGDLError, loads, parse
from pcg.engine.vgdl.lexer import MAX_DEPTH, tokenize
from pcg.engine.vgdl.tree import InteractionLine, MappingLine, Section, SpriteLine


def names(tree: Tree) -> list[tuple[str | None, list[str | None]]]:
    """Every line with its children's first words."""
    return [(node.identifier, [child.identifier for child in node.children]) for node in tree.walk()]


def sprite(text: str) -> SpriteLine:
    node = parse(f"BasicGame\n SpriteSet\n  {text}\n").header.children[0].children[0]
    assert isinstance(node, SpriteLine)
    return node


def rule(text: str) -> InteractionLine:
    node = parse(f"BasicGame\n InteractionSet\n  {text}\n").header.children[0].children[0]
    assert isinstance(node, InteractionLine)
    return node


def test_a_tab_counts_as_one_column() -> None:
    tree = parse("BasicGame\n    SpriteSet\n        a >\n        \tb >\n\t\t\t\t\t\t\t\tc >\n")
    assert names(tree)[2:] == [("a", ["b"]), ("b", []), ("c", [])]


def test_a_line_attaches_to_the_nearest_line_indented_less() -> None:
    tree = parse("BasicGame\n  SpriteSet\n      a >\n          b >\n        c >\n      d >\n")
    assert names(tree)[1:] == [("SpriteSet", ["a", "d"]), ("a", ["b", "c"]), ("b", []), ("c", []), ("d", [])]


def test_a_less_indented_sibling_is_still_a_sibling() -> None:
    tree = parse("BasicGame\n  SpriteSet\n      a >\n    b >\n")
    assert names(tree)[1] == ("SpriteSet", ["a", "b"])


def test_set_headers_switch_the_line_grammar_in_any_case_and_at_any_depth() -> None:
    tree = parse("BasicGame\n  spriteSET\n    a >\n      terminationset\n        Timeout limit=1\n")
    kinds = [type(node).__name__ for node in tree.walk()]
    assert kinds == ["Header", "Section", "SpriteLine", "Section", "TerminationLine"]
    section = tree.header.children[0]
    assert isinstance(section, Section) and section.name.text == "spriteSET"


def test_a_set_name_with_more_words_is_no_set_header() -> None:
    tree = parse("BasicGame\n SpriteSet\n  TerminationSet > Missile\n")
    assert isinstance(tree.header.children[0].children[0], SpriteLine)


def test_the_last_class_and_every_option_of_a_sprite() -> None:
    node = sprite("rock Passive speed=1 > Missile img=a=b")
    assert node.defines
    assert [word.text for word in node.classes] == ["Passive", "Missile"]
    assert [(o.key, o.value, o.rest) for o in node.options] == [("speed", "1", ""), ("img", "a", "=b")]


def test_a_sprite_line_without_an_arrow_defines_nothing() -> None:
    assert not sprite("rock Passive").defines
    assert not sprite("rock>Passive").defines


def test_interaction_words_up_to_the_arrow_are_objects() -> None:
    node = rule("a b x=1 c > limit=2 killSprite scoreChange=3")
    assert [word.text for word in node.seconds] == ["b", "x=1", "c"]
    assert [word.text for word in node.effects] == ["killSprite"]
    assert [option.key for option in node.options] == ["limit", "scoreChange"]


def test_mapping_lines_do_not_look_at_equals_signs() -> None:
    node = parse("BasicGame\n LevelMapping\n  = > rock =\n").header.children[0].children[0]
    assert isinstance(node, MappingLine)
    assert node.character.text == "=" and [word.text for word in node.names] == ["rock", "="]


@pytest.mark.parametrize(
    "line",
    ["SpriteSet\n  a > x=", "TerminationSet\n  Timeout =", "InteractionSet\n  a b > x=1", "InteractionSet\n  a b"],
)
def test_a_line_that_does_not_convert_is_dropped_before_it_reaches_the_tree(line: str) -> None:
    tree = parse(f"BasicGame\n {line}\n")
    assert tree.header.children[0].children == ()
    assert [remark.kind for remark in tree.remarks()] == ["broken"]


def test_children_of_a_dropped_line_attach_to_what_stands_before_it() -> None:
    tree = parse("BasicGame\n  SpriteSet\n    a >\n    b > x=\n      c >\n")
    assert names(tree)[2:] == [("a", ["c"]), ("c", [])]


def test_lines_indented_no_deeper_than_the_header_are_dropped_but_switch_the_grammar() -> None:
    tree = parse("  BasicGame\n  SpriteSet\n    rock > Missile\n")
    assert [remark.kind for remark in tree.remarks()] == ["outside"]
    assert isinstance(tree.header.children[0], SpriteLine)


def test_an_empty_key_is_a_key() -> None:
    assert [(o.key, o.value) for o in sprite("a > =v").options] == [("", "v")]
    assert [(o.key, o.value, o.rest) for o in sprite("a > k==v").options] == [("k", "", "=v")]


def test_comments_are_kept_and_mean_nothing() -> None:
    tree = parse("# top\nBasicGame # game\n  SpriteSet\n    # first\n\n    a > Missile # fast\n# end\n")
    assert [remark.text for remark in tree.remarks()] == ["# top", "# first", "# end"]
    assert [node.comment for node in tree.walk()] == ["# game", "", "# fast"]
    assert tree.after[0].text == "# end"


def test_places_take_no_part_in_equality() -> None:
    spaced = parse("BasicGame\n\n      SpriteSet\n\n           a  >   Missile\n")
    plain = parse("BasicGame\n SpriteSet\n  a > Missile\n")
    assert spaced == plain
    found = sprite("a > Missile speed=2")
    assert (found.line, found.column) == (3, 3)
    assert (found.options[0].line, found.options[0].column, found.options[0].value_column) == (3, 15, 21)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_of_all_systems(end: str) -> None:
    assert parse(end.join(["BasicGame", " SpriteSet", "  a > Door", ""])) == parse("BasicGame\n SpriteSet\n  a > Door")


def failure(text: str) -> str:
    with pytest.raises(VGDLError) as caught:
        parse(text, file="x.txt")
    (finding,) = caught.value.diagnostics
    assert finding.file == "x.txt"
    return str(finding)


def test_a_line_of_hashes_stops_the_reference() -> None:
    assert "nothing but `#`" in failure("BasicGame\n###\n")
    assert parse("BasicGame\n ###\n# #\n").header.children == ()


def test_a_set_in_first_place_is_an_error() -> None:
    message = failure("SpriteSet\n  a > Missile\n")
    assert "x.txt:1:1" in message and "game header" in message and "^" in message


def test_a_line_between_header_and_first_set_is_an_error_with_a_suggestion() -> None:
    message = failure("BasicGame\n  SpritSet\n    a > Missile\n")
    assert "x.txt:2:3" in message and "did you mean `SpriteSet`" in message


@pytest.mark.parametrize("text", ["", "\n\n", "   \n\t\n"])
def test_an_empty_text_is_an_error(text: str) -> None:
    assert "empty" in failure(text)


def test_a_text_of_comments_has_no_header() -> None:
    assert "no game header" in failure("# nothing\n")


def test_nesting_has_a_bound() -> None:
    deep = "BasicGame\n SpriteSet\n" + "".join(" " * (i + 2) + f"a{i} >\n" for i in range(MAX_DEPTH - 2))
    assert len(list(parse(deep).walk())) == MAX_DEPTH
    assert "nested deeper" in failure(deep + " " * (MAX_DEPTH + 2) + "z >\n")


def test_every_token_is_what_the_grammar_file_says(own_games: dict[str, tuple[str, str]]) -> None:
    grammar = (Path(vgdl.__file__).parent / "grammar.lark").read_text()
    patterns = dict(re.findall(r"^([A-Z_]+): /(.*)/i?$", grammar, re.M))
    assert len(patterns) == 14
    seen = set()
    for text, _ in own_games.values():
        for token in tokenize(text + "    ParameterSet\n        N > values=1:1:2 string=n\n"):
            if token.type in patterns:
                seen.add(token.type)
                assert re.fullmatch(patterns[token.type], str(token), re.I), (token.type, str(token))
    assert seen == set(patterns)


def test_loads_is_parse() -> None:
    assert loads is parse
