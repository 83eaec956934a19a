"""Rule sheets as text: what is read, what is refused, and where the message points."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from tiers import examples

from pcg.engine.gdl import GDLError, check, load, parse
from pcg.engine.gdl.tree import Variable

BASE = "(role you) (init (n 0)) (legal you go) (<= terminal (true (n 3))) (goal you 100)\n"


def errors(text: str) -> list[str]:
    with pytest.raises(GDLError) as caught:
        load(text)
    return [str(d).split("\n")[0] for d in caught.value.diagnostics if d.severity == "error"]


def test_printed_sheet_reads_as_the_same_sheet(sheet: str) -> None:
    tree = parse(sheet)
    assert parse(str(tree)) == tree


def test_keywords_have_any_case_and_other_words_keep_theirs() -> None:
    tree = parse("(ROLE X)\n(<= (Legal X Go) (NOT (Or (TRUE Busy) (DISTINCT X ?y))))")
    assert str(tree.rules[0]) == "(role X)"
    assert str(tree.rules[1]) == "(<= (legal X Go) (not (or (true Busy) (distinct X ?y))))"
    assert isinstance(tree.rules[1].body[0].body.parts[1].right, Variable)  # type: ignore[union-attr]


def test_places_count_from_one_across_comments_and_line_ends() -> None:
    tree = parse("; first\r\n(role x) ; (role y)\r\n  (role z)")
    assert [(rule.line, rule.column) for rule in tree.rules] == [(2, 2), (3, 4)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(role x", "<text>:1:1: error: this parenthesis is never closed"),
        ("(role x))", "<text>:1:9: error: `)` closes nothing"),
        ("(role x)\n(<= (a) ?x)", "<text>:2:9: error: unexpected `?x`"),
        ("(a (b ?))", "<text>:1:7: error: a variable without a name"),
        ("(a" * 70, "<text>:1:129: error: the parentheses are nested too deeply"),
        ("(role \0x)", "<text>:1:7: error: not a text"),
        ("(f a)\n" * 400_000, "<text>: error: the text has 2400000 characters"),
        (BASE + "(<= (next (n ?y)) (true (n ?x)))", "<text>:2:1: error: the rule is not safe: nothing binds `?y`"),
        (BASE + "(<= (next a b) (true x))", "<text>:2:6: error: `next` has 2 arguments"),
        (BASE + "(<= (does you go) (true x))", "<text>:2:6: error: `does` cannot be defined"),
        (BASE + "(<= (next x) (next y))", "<text>:2:15: error: `next` cannot be asked for"),
        (BASE + "(<= (legal you up) (does you go))", "<text>:2:1: error: `legal` must not depend on `does`"),
        (BASE + "(<= (init b) (true a))", "<text>:2:1: error: `init` must not depend on `true`"),
        ("(role you)(legal you go)(goal you 1)(<= terminl (true x))", "did you mean `terminl`?"),
        ("(legal you go)(goal you 1)(<= terminal (true x))", "no rule defines `role`"),
        ("(role you)(init a)(legal you go)(goal you win)(<= terminal (true a))", "1:34: error: the goal value `win`"),
        (BASE + "(<= (next x) " + "(or a b) " * 40 + ")", "<text>:2:1: error: the rule has too many alternatives"),
        (BASE + "(<= (next x) " + "(true x)" * 300 + ")", "<text>:2:1: error: the rule has 300 literals"),
    ],
)
def test_bad_sheet_gives_one_clear_message(text: str, message: str) -> None:
    assert message in errors(text)[0]


def test_negation_in_a_cycle_is_refused_with_the_cycle() -> None:
    text = BASE + "(<= p (true (n 1)) (not q))\n(<= q (true (n 2)) (not p))\n(<= (next (n 1)) p)"
    assert any("`p` depends on its own negation: p -> not q -> p" in message for message in errors(text))


def test_negation_that_only_arguments_keep_apart_is_allowed() -> None:
    text = "(role x)(init a)(legal x go)(<= terminal (true b))(<= (next b) (true a))"
    text += "(<= (goal x 0) (true a))(<= (goal x 100) (not (goal x 0)))"
    game = load(text)
    assert any("only its arguments" in warning.message for warning in game.warnings)
    state = game.start()
    assert state.goals == {"x": (0,)}
    state.advance("go")
    assert state.goals == {"x": (100,)}


def test_unknown_relation_is_a_warning_with_the_nearest_name() -> None:
    findings = check(BASE + "(<= open (true (n 1)))(<= (next (n 1)) (not opne))")
    assert [(f.severity, f.suggestion) for f in findings] == [("warning", "open")]


def test_role_that_only_the_head_names_ranges_over_the_roles() -> None:
    game = load("(role a)(role b)(legal ?r ?r)(goal ?r 7)(init x)(<= terminal (true x))")
    assert [game.start().legal(role) for role in game.roles] == [("a",), ("b",)]
    assert game.start().goals == {"a": (7,), "b": (7,)}
    assert len(game.warnings) == 2


def test_terms_that_grow_without_bound_are_played_without_a_network() -> None:
    game = load(
        "(role x)(init (n z))(legal x go)(goal x 1)(<= (next (n (s ?a))) (true (n ?a)))"
        "(<= terminal (true (n (s (s z)))))"
    )
    assert "does not ground" in game.warnings[-1].message
    state = game.start()
    state.advance("go")
    state.advance("go")
    assert state.is_terminal
    assert state.facts == ("(n (s (s z)))",)
    with pytest.raises(GDLError, match="without a network"):
        _ = game.model


WORDS = st.sampled_from(
    ["(", ")", "(", ")", "<=", "not", "or", "distinct", "role", "init", "true", "does", "legal", "next", "goal",
     "terminal", "?x", "?y", "a", "b", "100", "you", "(f ?x)", ";", "\n", "(role you)", "(true a)", "(legal you a)"]
)  # fmt: skip


@given(st.lists(WORDS, max_size=40))
@settings(max_examples=examples(300))
def test_any_text_is_played_or_refused(words: list[str]) -> None:
    try:
        game = load("(role you)\n" + " ".join(words))
    except GDLError:
        return
    state = game.start()
    assert isinstance(state.facts, tuple)


RULES = (
    "(init a)",
    "(init (p 1))",
    "(<= (next ?f) (true ?f))",
    "(<= (next (p ?y)) (true (p ?x)) (d ?x ?y))",
    "(d 1 2)",
    "(d 2 1)",
    "(d 2 3)",
    "(<= (q ?x) (d ?x ?y) (not (true (p ?y))))",
    "(<= (next b) (q ?x) (does ?r (m ?x)))",
    "(<= (q ?x) (q ?y) (d ?y ?x))",
    "(<= (legal ?r (m ?x)) (role ?r) (d ?x ?y))",
    "(<= (legal ?r n) (role ?r) (not (q 2)))",
    "(<= terminal (true b))",
    "(<= terminal (true (p 3)) (not (true b)))",
    "(<= (goal ?r 50) (role ?r) (or (q 1) (true b)))",
    "(<= (goal you 100) (true (p 3)))",
    "(<= (next a) (does you (m ?x)) (does me (m ?x)))",
    "(<= (next c) (true a) (distinct a c) (not (true c)))",
    "(role me)",
)


@given(st.lists(st.sampled_from(RULES), max_size=14, unique=True), st.integers(0, 99))
@settings(max_examples=examples(150))
def test_random_sheets_play_alike_in_both_evaluators(rules: list[str], seed: int) -> None:
    import random

    text = "(role you)(legal you rest)(goal you 1)(<= terminal (true (never)))\n" + "\n".join(rules)
    network, prover = load(text, evaluator="network"), load(text, evaluator="prover")
    assert network.roles == prover.roles
    draw = random.Random(seed)
    one, other = network.start(), prover.start()
    for _ in range(6):
        assert one.facts == other.facts
        assert (one.goals, one.is_terminal, one.is_over) == (other.goals, other.is_terminal, other.is_over)
        legal = [one.legal(role) for role in network.roles]
        assert legal == [other.legal(role) for role in network.roles]
        if one.is_over:
            break
        moves = [draw.choice(moves) for moves in legal]
        one.advance(moves)
        other.advance(moves)
