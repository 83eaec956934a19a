"""Syntax tree to canonical text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiers import examples

from pcg.engine.vgdl import PcgError, Tree, dumps, format_text, loads
from pcg.engine.vgdl.tree import (
    Entry,
    Header,
    InteractionLine,
    MappingLine,
    Option,
    ParameterLine,
    Remark,
    Section,
    SpriteLine,
    TerminationLine,
    Word,
)

UGLY = """\
#the game
BasicGame    square_size=10   # small

      SpriteSet
          rock >   Passive   # heavy

              # two kinds
              big > speed=1    Missile
              enormousBoulder > color=RED


          avatar > 	MovingAvatar
      # what happens
      InteractionSet
          rock   wall   EOS >    undoAll
          rock wall > scoreChange=1 stepBack
      TerminationSet

          Timeout   win=True limit=10
          SpriteCounter stype=rock
      LevelMapping
          r  >   rock
          q  ->  rock big
# end"""
PRETTY = """\
#the game
BasicGame square_size=10  # small
    SpriteSet
        rock   > Passive  # heavy
            # two kinds
            big             > Missile speed=1
            enormousBoulder > color=RED

        avatar > MovingAvatar

    # what happens
    InteractionSet
        rock wall EOS > undoAll
        rock wall     > stepBack scoreChange=1

    TerminationSet
        Timeout       win=True limit=10
        SpriteCounter stype=rock

    LevelMapping
        r > rock
        q -> rock big
# end
"""


def test_the_canonical_form() -> None:
    assert format_text(UGLY) == PRETTY
    assert format_text(PRETTY) == PRETTY


def test_what_the_reference_drops_stays_where_it_is() -> None:
    text = "BasicGame\n SpriteSet\n  a > Missile\n  b > x=\n   c > speed=1\n outside\nBasicGame\n  d > Door\n"
    formatted = format_text(text)
    assert loads(formatted) == loads(text)
    assert formatted.split("\n")[3] == "            b > x="
    assert "\nBasicGame\n" in formatted


def test_a_comment_of_hashes_never_starts_a_line() -> None:
    text = " ###\nBasicGame\n  ####\n SpriteSet\n"
    assert format_text(text) == " ###\nBasicGame\n    ####\n    SpriteSet\n"
    assert format_text(format_text(text)) == format_text(text)


def test_formatting_own_games_changes_nothing_but_blanks(own_game: tuple[str, str]) -> None:
    text, _ = own_game
    assert loads(format_text(text)) == loads(text)
    assert format_text(text).split() == text.split()
    assert format_text(format_text(text)) == format_text(text)


@pytest.mark.parametrize(
    "node",
    [
        SpriteLine(Word("two words")),
        SpriteLine(Word("")),
        SpriteLine(Word("a#b")),
        SpriteLine(Word("a"), options=(Option("k=", "v"),)),
        SpriteLine(Word("a"), options=(Option("k", "a b"),)),
        SpriteLine(Word("a"), comment="no hash"),
        SpriteLine(Word("a"), before=(Remark("comment", "# a\nb"),)),
    ],
)
def test_a_tree_that_no_text_has_is_refused(node: SpriteLine) -> None:
    tree = Tree(Header(Word("BasicGame"), children=(Section(Word("SpriteSet"), children=(node,)),)))
    with pytest.raises(PcgError):
        dumps(tree)


# Words as wild as a text can hold them: no blanks, no `#`, no line ends; `=` and `>` only where they stay that.
_character = st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"), exclude_characters=" #=>")
_text = st.text(_character, min_size=1, max_size=6).filter(
    lambda text: text.lower() not in ("spriteset", "interactionset", "terminationset", "levelmapping", "parameterset")
)
words = st.builds(Word, _text)
options = st.builds(
    Option, st.one_of(_text, st.just("")), _text, st.sampled_from(("", "", "=x", "==", "=a=b"))
)  # fmt: skip
several_options = st.lists(options, max_size=3).map(tuple)
several_words = st.lists(words, max_size=3).map(tuple)
comments = st.one_of(st.just(""), _text.map(lambda text: f"# {text}".rstrip()))
befores = st.lists(
    st.builds(Remark, st.just("comment"), _text.map(lambda text: f"#{text}")), max_size=2
).map(tuple)  # fmt: skip
common = {"before": befores, "comment": comments}
arrows = st.just(Word(">"))


def sprites(children: st.SearchStrategy[tuple[Entry, ...]]) -> st.SearchStrategy[SpriteLine]:
    return st.builds(SpriteLine, words, several_words, several_options, st.booleans(), children=children, **common)


sprite_lines = st.recursive(
    sprites(st.just(())), lambda inner: sprites(st.lists(inner, max_size=3).map(tuple)), max_leaves=8
)
interactions = st.one_of(
    st.builds(InteractionLine, words, **common),
    st.builds(
        InteractionLine,
        words,
        several_words,
        st.lists(words, min_size=1, max_size=2).map(tuple),
        several_options,
        arrows,
        **common,
    ),
)
terminations = st.builds(TerminationLine, words, several_options, several_words, **common)
mappings = st.one_of(
    st.builds(MappingLine, words, **common),
    st.builds(MappingLine, words, st.one_of(arrows, words), several_words, **common),
)
parameters = st.builds(ParameterLine, words, several_options, several_words, **common)
sections = st.one_of(
    *(
        st.builds(Section, st.just(Word(name)), children=st.lists(lines, max_size=4).map(tuple), **common)
        for name, lines in (
            ("SpriteSet", sprite_lines),
            ("interactionset", interactions),
            ("TerminationSet", terminations),
            ("LevelMapping", mappings),
            ("ParameterSet", parameters),
        )
    )
)
trees = st.builds(
    Tree,
    st.builds(
        Header, words, several_options, several_words, children=st.lists(sections, max_size=4).map(tuple), **common
    ),
    after=befores,
)


@given(trees)
@settings(max_examples=examples(300))
def test_any_tree_survives_its_text(tree: Tree) -> None:
    text = dumps(tree)
    again = loads(text)
    assert again == tree
    assert dumps(again) == text


@given(
    st.lists(st.sampled_from([*UGLY.split("\n"), " outside", "BasicGame", "     a b > x=", "##"]), max_size=30).map(
        "\n".join
    )
)
@settings(max_examples=examples(200))
def test_formatting_any_lines_is_idempotent_and_keeps_the_tree(text: str) -> None:
    text = "BasicGame\n  SpriteSet\n" + text.replace("##", " ##")
    try:
        tree = loads(text)
    except PcgError:
        return
    formatted = dumps(tree)
    assert loads(formatted) == tree
    assert dumps(loads(formatted)) == formatted
