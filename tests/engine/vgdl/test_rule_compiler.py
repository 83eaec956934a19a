"""Rule sets compiled line by line are what their text means: findings, places, definition and tables, bit by bit."""

from __future__ import annotations

import gc
import random
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiers import examples

import pcg
from pcg.engine.game import builtin_games
from pcg.engine.kernel.runtime import EntryPoint, compile_all
from pcg.engine.vgdl import GameDefinition, PcgError, check_game, loads, ontology, read_game, rule_lines
from pcg.engine.vgdl.compiler import GameTables
from pcg.engine.vgdl.ontology_params import Param
from pcg.engine.vgdl.rule_compiler import CompiledRules, RuleCompiler, rules_of
from pcg.engine.vgdl.tree import InteractionLine, Option, TerminationLine, Word

BASES = {
    # sprites with doubts of their own, in a text with comments
    "doubtful": "BasicGame bad=1 # all\n  SpriteSet\n    # first\n    a > Missile speed=x\n    b > Door # x\n"
    "    c > Chaser stype=ghost\n    d > Mover\n  LevelMapping\n    AB > avatar\n    . > ghost b\n",
    "space": "GameSpace\n  ParameterSet\n    N > values=1:1:5 value=3\n  SpriteSet\n    a > Missile cooldown=N\n"
    "    b > Door\n  LevelMapping\n    a > a b\n",
}  # fmt: skip
"""Game texts; those of `own_games` join them."""


@pytest.fixture(scope="module", autouse=True)
def users_effects(own_games: dict[str, tuple[str, str]]) -> Iterator[None]:
    """The texts, and an effect of a user's own that can be checked and not run."""
    BASES.update({name: text for name, (text, _) in own_games.items()})
    params = [Param("ticks", "int", 5, "how long"), Param("whom", "sprite", None, "whom", required=True)]
    ontology.register_effect("freeze", help="stops A", params=params, needs_first=True, changes_first=True)
    yield
    ontology.unregister("freeze")


def base_of(name: str) -> GameDefinition:
    return read_game(BASES[name], reading="gvgai")


def assert_same_tables(one: GameTables, two: GameTables) -> None:
    assert vars(one).keys() == vars(two).keys()
    for key, value in vars(one).items():
        other = getattr(two, key)
        if isinstance(value, np.ndarray):
            assert value.dtype == other.dtype and value.shape == other.shape, key
            assert value.tobytes() == other.tobytes(), key
    assert one.roles == two.roles
    for key in (
        "names",
        "resources",
        "shields",
        "stride",
        "stochastic",
        "time_matters",
        "n_entries",
        "n_eos",
        "eos_at",
    ):
        assert getattr(one, key) == getattr(two, key), key


def assert_means_its_text(made: CompiledRules, reading: str) -> None:
    """The slow way comes to the same end."""
    assert list(made.diagnostics) == check_game(made.text, reading=reading)
    if made.errors:
        assert made.definition is None and made.tables is None
        return
    slow = read_game(made.text, reading=reading)
    # repr too: it tells 1 from 1.0 and True
    assert made.definition == slow or "nan" in repr(slow)
    assert repr(made.definition) == repr(slow)
    if made.tables is not None:
        assert_same_tables(made.tables, GameTables(slow))
        return
    with pytest.raises(PcgError) as problem:
        GameTables(slow)
    assert str(problem.value) == made.problem


def compile_and_compare(
    compiler: RuleCompiler, rules: list[InteractionLine], endings: list[TerminationLine]
) -> CompiledRules:
    made = compiler.compile(rules, endings)
    if not made.text:
        assert made.definition is None
        with pytest.raises(PcgError) as problem:
            compiler.text(rules, endings)
        assert [d.message for d in made.diagnostics] == [str(problem.value)]
        return made
    assert made.text == compiler.text(rules, endings)
    assert_means_its_text(made, compiler.reading)
    return made


# --- random rules of the whole ontology ---

VALUES = {
    "int": ["1", "0", "-1", "5", "1001", "2.5"],
    "double": ["0.5", "1", "-0.0", "2", "NaN", "x"],
    "float": ["1", "2.0"],
    "bool": ["True", "False", "maybe"],
    "direction": ["UP", "NONE", "north"],
    "effect": ["killSprite", "stepBack", "spawn", "transformTo", "addTimer", "killSprit"],
    "integers": ["1", "-2", "1,2", "1,2,3", "a"],
    "flags": ["True", "False", "True,False", "maybe"],
    "text": ["word"],
    "image": ["word"],
    "colour": ["RED"],
}
ODD = [
    Option("repeat", "3"), Option("repeat", "1001"), Option("repeat", "-1"), Option("prob", "2"), Option("timer", "0"),
    Option("repeating", "True"), Option("timer", "7"), Option("ftype", "addTimer"), Option("scoreChange", "1,2,3"),
    Option("scorechange", "2"), Option("stype", "ghost"), Option("win", "True", "=x"), Option("counter", "1,0"),
    Option("nextExecution", "3"), Option("enabled", "False"), Option("limit", "99999999999"), Option("", "x"),
]  # fmt: skip
IRREGULAR = [
    InteractionLine(first=Word("avatar")),
    InteractionLine(first=Word("SpriteSet")),
    InteractionLine(first=Word("a b"), seconds=(Word("c"),), arrow=Word(">"), effects=(Word("stepBack"),)),
    InteractionLine(first=Word("avatar"), seconds=(Word("wall"),), arrow=Word(">"), effects=(Word("x=y"),)),
    InteractionLine(first=Word("avatar"), seconds=(Word("wall"),), arrow=Word(">")),
    InteractionLine(first=Word("avatar"), seconds=(Word(">"),), arrow=Word(">"), effects=(Word("stepBack"),)),
    InteractionLine(first=Word("a\x00"), seconds=(Word("wall"),), arrow=Word(">"), effects=(Word("stepBack"),)),
    InteractionLine(
        first=Word("avatar"),
        seconds=(Word("wall"),),
        arrow=Word(">"),
        effects=(Word("stepBack"),),
        children=(InteractionLine(first=Word("a"), seconds=(Word("b"),), arrow=Word(">"), effects=(Word("align"),)),),
    ),
]  # fmt: skip


def some_options(draw: st.DrawFn, params: dict[str, Param], names: list[str]) -> tuple[Option, ...]:
    options = []
    for param in params.values():
        wanted = param.required or draw(st.integers(0, 9)) == 0
        if not wanted or draw(st.integers(0, 19)) == 0:
            continue
        if param.references:
            value = draw(st.sampled_from(names))
            value += "," + draw(st.sampled_from(names)) if param.type == "sprites" and draw(st.booleans()) else ""
        else:
            value = draw(st.sampled_from(VALUES[param.type]))
        options.append(Option(param.name, value))
    if draw(st.integers(0, 3)) == 0:
        options.append(draw(st.sampled_from(ODD)))
    return tuple(options)


@st.composite
def interactions(draw: st.DrawFn, names: list[str]) -> InteractionLine:
    if draw(st.integers(0, 199)) == 0:
        return draw(st.sampled_from(IRREGULAR))
    effect = draw(st.sampled_from([*ontology.EFFECTS, "addTimer", "addTimer", "killsprite"]))
    params = dict(ontology.EFFECTS[effect].params) if effect in ontology.EFFECTS else {}
    objects = draw(st.sampled_from([names, names, [*names, "EOS", "TIME", "eos", "ghost"]]))
    first = draw(st.sampled_from(objects))
    seconds = draw(st.lists(st.sampled_from([*objects, "EOS"]), min_size=1, max_size=3))
    if draw(st.integers(0, 14)) == 0:
        first, seconds = draw(st.sampled_from([("TIME", seconds[:1]), (first, ["TIME"])]))
        params |= ontology.TIME_EFFECT_PARAMS
    options = some_options(draw, params, names)
    if effect == "addTimer":
        inner = draw(st.sampled_from(VALUES["effect"]))
        options += (Option("ftype", inner), Option("stype", draw(st.sampled_from(names))))
    effects = (Word(effect),) if draw(st.integers(0, 39)) else (Word("align"), Word(effect))
    return InteractionLine(
        first=Word(first), seconds=tuple(map(Word, seconds)), arrow=Word(">"), effects=effects, options=options
    )


@st.composite
def terminations(draw: st.DrawFn, names: list[str]) -> TerminationLine:
    name = draw(st.sampled_from([*ontology.TERMINATIONS, "timeout"]))
    params = dict(ontology.TERMINATIONS[name].params) if name in ontology.TERMINATIONS else {}
    ignored = (Word("x"),) if draw(st.integers(0, 29)) == 0 else ()
    return TerminationLine(name=Word(name), options=some_options(draw, params, names), ignored=ignored)


COMPILERS: dict[tuple[str, str], RuleCompiler] = {}


@pytest.mark.fuzz
@pytest.mark.parametrize("reading", ["strict", "gvgai"])
@pytest.mark.parametrize("base", ["doubtful", "duel", "herding", "space"])
@given(data=st.data())
@settings(max_examples=examples(150))
def test_random_rule_sets(base: str, reading: str, data: st.DataObject) -> None:
    # one compiler for all examples, so that lines are known from others
    definition = base_of(base)
    compiler = COMPILERS.setdefault((base, reading), RuleCompiler(definition, reading=reading))
    names = list(definition.type_index)
    rules = data.draw(st.lists(interactions(names), max_size=8))
    endings = data.draw(st.lists(terminations(names), max_size=3))
    compile_and_compare(compiler, rules, endings)
    if rules:
        compile_and_compare(compiler, [*rules[1:], rules[0]], endings)


def faultless(name: str, seed: int, count: int) -> list[InteractionLine]:
    """Rules that are well written one by one."""
    definition = base_of(name)
    rng = random.Random(seed)
    names = [t.name for t in definition.types if t.leaf]
    found: list[InteractionLine] = []
    while len(found) < count:
        effect = rng.choice(list(ontology.EFFECTS.values()))
        options = tuple(
            Option(p.name, rng.choice(names if p.references else VALUES[p.type][:2]))
            for p in effect.params.values()
            if p.required
        )
        first, second = rng.sample(names, 2)
        found.append(
            InteractionLine(
                first=Word(first),
                seconds=(Word(second),),
                arrow=Word(">"),
                effects=(Word(effect.name),),
                options=options,
            )
        )
    return found


def test_most_well_written_rule_sets_are_games() -> None:
    compiler = RuleCompiler(base_of("herding"))
    endings = rules_of(loads(BASES["herding"]))[1]
    made = [compile_and_compare(compiler, faultless("herding", seed, 3), endings) for seed in range(120)]
    assert sum(one.ok for one in made) > 40 and not all(one.ok for one in made)


def test_many_findings_are_cut_where_the_text_cuts_them() -> None:
    compiler = RuleCompiler(base_of("doubtful"))
    wrong = InteractionLine(
        first=Word("a"), seconds=(Word("ghost"),), arrow=Word(">"), effects=(Word("stepBack"),), options=(ODD[-1],)
    )
    crash = InteractionLine(first=Word("ghost"), seconds=(Word("EOS"),), arrow=Word(">"), effects=(Word("stepBack"),))
    assert len(compile_and_compare(compiler, [wrong] * 120, []).errors) == 100
    assert "unknown sprite `ghost` with EOS" in str(compile_and_compare(compiler, [wrong] * 120 + [crash], []).errors)


def test_texts_beyond_the_bounds_are_refused() -> None:
    compiler = RuleCompiler(base_of("herding"))
    rules, endings = rules_of(loads(BASES["herding"]))
    assert compile_and_compare(compiler, rules * 3000, endings).errors


def test_comments_of_lines_are_left_out() -> None:
    rules, endings = rules_of(
        loads(BASES["herding"].replace("> undoAll", "> undoAll # why").replace("scoreChangeIfKilled=2", "# x"))
    )
    made = RuleCompiler(base_of("herding")).compile(rules, endings)
    assert made.ok and "#" not in made.text


# --- whole games ---


@pytest.mark.parametrize("name", sorted(builtin_games()))
def test_own_games_with_their_own_rules(name: str) -> None:
    game = pcg.load(name)
    compiler = RuleCompiler(game.definition, name=name)
    made = compile_and_compare_named(compiler, *rules_of(loads(game.definition.source)))
    again = made.game(game.levels)
    one, two = again.start(0, seed=3), game.start(0, seed=3)
    rng = random.Random(name)
    for _ in range(60):
        if one.is_over:
            break
        actions = [rng.choice(["NIL", *a]) for a in ([two.actions] if game.players == 1 else two.actions)]
        for state in (one, two):
            state.advance(actions[0] if game.players == 1 else tuple(actions))
        assert one.render() == two.render() and one.score == two.score and one.winner == two.winner


def compile_and_compare_named(
    compiler: RuleCompiler, rules: list[InteractionLine], endings: list[TerminationLine]
) -> CompiledRules:
    made = compiler.compile(rules, endings)
    slow = read_game(compiler.text(rules, endings))
    assert made.ok and made.tables is not None and made.definition is not None
    assert vars_without_name(made.definition) == vars_without_name(slow)
    assert_same_tables(made.tables, GameTables(slow))
    return made


def vars_without_name(definition: GameDefinition) -> dict[str, object]:
    return {key: getattr(definition, key) for key in definition.__slots__ if key != "name"}


def test_corpus_games_with_their_own_rules(shared: Path) -> None:
    whole = 0
    for path in sorted((shared / "gvgai/games").glob("*/*.txt")):
        if "_lvl" in path.name or path.stem.endswith("_glvl"):
            continue
        definition = read_game(path, reading="gvgai")
        rules, endings = rules_of(loads(definition.source))
        for reading in ("strict", "gvgai"):
            made = compile_and_compare(RuleCompiler(definition, reading=reading), rules, endings)
            whole += made.ok
    assert whole == 350


# --- cost ---


def test_different_rule_sets_are_played_without_compiling_a_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    game = pcg.load("dungeon")
    compile_all()
    first = game.start(0, seed=1)
    first.copy().advance("LEFT")
    before = [(entry_point.name, entry_point._address) for entry_point in EntryPoint.registry]
    compiled: list[str] = []

    def refuse(self: EntryPoint) -> int:
        compiled.append(self.name)
        raise AssertionError(f"{self.name} was compiled")

    monkeypatch.setattr(EntryPoint, "_compile", refuse)
    events: list[object] = []
    from numba.core import event

    listener = event.RecordingListener()
    with event.install_listener("numba:compile", listener):
        compiler = RuleCompiler(game.definition)
        rules, endings = rules_of(loads(game.definition.source))
        names = [t.name for t in game.definition.types if t.leaf]
        rng = random.Random(5)
        texts = set()
        while len(texts) < 100:
            extra = [
                InteractionLine(
                    first=Word(rng.choice(names)),
                    seconds=(Word(rng.choice(names)),),
                    arrow=Word(">"),
                    effects=(Word(effect.name),),
                    options=tuple(
                        Option(p.name, rng.choice(names if p.references else VALUES[p.type][:2]))
                        for p in effect.params.values()
                        if p.required
                    ),
                )
                for effect in rng.sample([e for e in ontology.EFFECTS.values() if e.runnable], 3)
            ]
            made = compiler.compile([*rng.sample(rules, len(rules) // 2), *extra], endings)
            if not made.ok or made.text in texts:
                continue
            texts.add(made.text)
            state = made.game(game.levels).start(0, seed=rng.randrange(100))
            for _ in range(10):
                if not state.is_over:
                    state.advance(rng.choice(["NIL", *state.actions]))
        events += listener.buffer
    assert compiled == [] and events == []
    assert before == [(entry_point.name, entry_point._address) for entry_point in EntryPoint.registry]


@pytest.mark.full
def test_memory_stays_flat(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the bound on kept lines it grows by 2.6 MB here, with it by less than half a megabyte."""
    monkeypatch.setattr(rule_lines, "LINES_KEPT", 200)
    definition = base_of("herding")
    level = "xxxx\nxD.x\nxlpx\nxxxx\n"
    compiler = RuleCompiler(definition)
    endings = rules_of(loads(BASES["herding"]))[1]

    def some(start: int, count: int) -> None:
        for seed in range(start, start + count):
            made = compiler.compile(faultless("herding", seed, 3), endings)
            if made.ok:
                made.game([level]).context(0)

    tracemalloc.start()
    try:
        some(0, 200)
        gc.collect()  # what waits to be collected is no growth
        before = tracemalloc.get_traced_memory()[0]
        some(200, 300)
        gc.collect()
        after = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert after < before + 1_000_000
