"""Agents that read a game's rules say so, and hidden sprites are in nothing that agents observe."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pcg
from pcg.engine.kernel.runtime import invoke4, invoke5
from pcg.engine.model import Model
from pcg.evaluators.agents import AGENTS, observed_chance
from pcg.evaluators.agents.base import CHANCE, NO_RULES, RULES, Agent
from pcg.evaluators.agents.observed_chance import ChanceObserver, observation_of
from pcg.evaluators.agents.registry import rules_column

FOLDER = Path(inspect.getfile(Agent)).parent
VARIANTS = (
    *("mcts:guidance=1", "mcts:transpositions=true", "mcts:nst=true,chance=observed", "iw:chance=observed"),
    *("ybcriber:chance=observed", "enhanced:chance=observed", "iw:guidance=1", "rhea:heuristic=goals"),
    *("onestep:heuristic=goals", "ga:heuristic=goals", "rhea:shift=true", "kbfastevo:keep=true"),
)
PLAYERS = [name for name in AGENTS if name not in ("replay", "alphabeta", "flatmc", "uct", "mmcts", "mmctsown")]
RULES_OF_RULES = {"definition": RULES, "stochastic": CHANCE}

HIDDEN = """\
BasicGame
    SpriteSet
        floor > Immovable hidden=True
        ghost > RandomNPC hidden=True
        mist > Immovable invisible=True
        nest > SpawnPoint stype=ghost cooldown=3 hidden=True invisible=True
        gem > Immovable hidden=True
        coin > Immovable
        avatar > MovingAvatar
    InteractionSet
        avatar EOS > stepBack
        ghost EOS > stepBack
        gem avatar > killSprite scoreChange=1
        coin avatar > killSprite scoreChange=1
    LevelMapping
        A > floor avatar
        g > floor ghost
        n > floor nest
        m > floor mist
        d > floor gem
        c > floor coin
        . > floor
    TerminationSet
        SpriteCounter stype=coin limit=0 win=True
"""
LEVEL = "A..g.\n.n.m.\nd...c\n"


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[str]]:
    """List the parts of models' rules that code in the folder of agents has read."""
    found: set[str] = set()

    def spy(name: str) -> property:
        def get(model: Any) -> Any:
            caller = Path(sys._getframe(1).f_code.co_filename)
            if caller.parent == FOLDER and caller.name != "playout.py":
                found.add(RULES_OF_RULES[name])
            return model.__dict__[name]

        def put(model: Any, value: Any) -> None:
            model.__dict__[name] = value

        return property(get, put)

    for name in RULES_OF_RULES:
        monkeypatch.setattr(Model, name, spy(name), raising=False)
    return found


def play_a_little(text: str) -> Agent:
    agent = pcg.make_agent(text, seed=1, budget=40)
    for game in ("boxes", "hunt"):
        state = pcg.load(game).start(level=0, seed=1)
        if text == "solver" and game == "hunt":
            continue
        agent.reset(state)
        for _ in range(3):
            state.advance(agent.act(state))
    return agent


@pytest.mark.parametrize("text", [*PLAYERS, *VARIANTS])
def test_what_an_agent_reads_of_the_rules_is_what_it_declares(text: str, reads: set[str]) -> None:
    agent = play_a_little(text)
    most = RULES if RULES in reads else CHANCE if CHANCE in reads else NO_RULES
    assert most == agent.rules_read
    if ":" not in text:
        assert AGENTS[text].reads_rules == agent.rules_read


def test_an_agent_that_reads_rules_in_secret_is_found(reads: set[str]) -> None:
    spied = compile("def peek(model): return model.definition", str(FOLDER / "secret.py"), "exec")
    scope: dict[str, Any] = {}
    exec(spied, scope)
    scope["peek"](pcg.load("boxes").start(level=0, seed=1).model)
    assert reads == {RULES}


READERS = {
    "goal_weights",
    "GoalField",
    "Targets",
    "Subgoals",
    "SubgoalField",
    "subgoal_field",
    "subgoals_of",
    "analyse",
}


def names_in(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    found |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return found | {a.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for a in node.names}


@pytest.mark.parametrize("name", [*AGENTS])
def test_modules_of_agents_that_declare_nothing_name_nothing_that_reads_rules(name: str) -> None:
    entry = AGENTS[name]
    if entry.reads_rules == RULES or ("rules_read" in dir(entry.cls) and entry.cls.rules_read is not Agent.rules_read):
        return  # what these read depends on parameters: the test by playing tells
    modules = {Path(inspect.getfile(cls)) for cls in entry.cls.__mro__ if cls.__module__.startswith("pcg.evaluators")}
    for path in modules:
        assert not names_in(path) & (READERS | {"definition", "stochastic"}), path.name


def test_tables_tell_what_is_read_with_the_parameters_given() -> None:
    told = [rules_column(text) for text in ("pcg", "mcts", "mcts:guidance=1", "iw", "iw:chance=observed", "nobody")]
    assert told == ["yes", "no", "yes", "chance", "no", "?"]


# --- hidden sprites ---


@pytest.fixture
def hidden() -> Any:
    return pcg.load(HIDDEN, levels=[LEVEL]).start(level=0, seed=1)


def features_of(state: Any) -> dict[str, tuple[float, float]]:
    types = state.model.definition.types
    numbers = np.zeros(2 * len(types))
    record = state.model.record
    invoke5(int(record["features"]), int(record["game"]), state.address, 0, int(numbers.ctypes.data), len(numbers))
    return {t.name: (float(numbers[2 * k]), float(numbers[2 * k + 1])) for k, t in enumerate(types)}


def test_hidden_sprites_are_in_no_feature_and_invisible_ones_are(hidden: Any) -> None:
    found = features_of(hidden)
    assert {found[name] for name in ("floor", "ghost", "nest", "gem")} == {(0.0, -1.0)}
    assert found["mist"] == (1.0, 4.0)
    assert found["coin"] == (1.0, 6.0)


def test_model_says_which_kinds_are_hidden(hidden: Any) -> None:
    names = [t.name for t in hidden.model.definition.types]
    kept = {name for name, is_hidden in zip(names, hidden.model.hidden, strict=True) if is_hidden}
    assert kept == {"floor", "ghost", "nest", "gem"}


def atoms_of(state: Any) -> list[int]:
    facts = np.zeros(256, dtype=np.int64)
    record = state.model.record
    used = invoke5(int(record["atoms"]), int(record["game"]), state.address, 0, int(facts.ctypes.data), len(facts))
    return [int(fact) for fact in facts[:used]]


def test_hidden_sprites_are_no_facts(hidden: Any) -> None:
    before = atoms_of(hidden)
    for _ in range(9):  # ghosts are born and walk about
        hidden.advance("NIL")
    assert len(hidden.sprites("ghost")) > 1
    assert atoms_of(hidden) == before


def test_hidden_sprites_are_on_no_map(hidden: Any) -> None:
    names = [t.name for t in hidden.model.definition.types]
    flags = np.array([name in ("gem", "ghost", "coin", "mist") for name in names], dtype=np.int8)
    marks = np.zeros(15, dtype=np.int8)
    record = hidden.model.record
    flags_at, marks_at = int(flags.ctypes.data), int(marks.ctypes.data)
    assert invoke4(int(record["map"]), int(record["game"]), hidden.address, flags_at, marks_at) == 2
    assert np.flatnonzero(marks).tolist() == [8, 14]


def test_hidden_sprites_are_in_no_observation_and_invisible_ones_are(hidden: Any) -> None:
    view = hidden.observe()
    names = [t.name for t in hidden.model.definition.types]
    seen = {names[o.type] for column in view.grid() for cell in column for o in cell}
    assert seen == {"avatar", "coin", "mist"}
    listed = {names[group[0].type] for category in view.by_category() for group in category}
    assert listed == {"avatar", "coin", "mist"}


def test_chance_that_nobody_observes_is_not_found(hidden: Any) -> None:
    observer = ChanceObserver(seed=1)
    observer.begin(hidden)
    assert hidden.model.stochastic
    assert not observer.found


# --- chance, observed ---


def test_observed_chance_agrees_with_the_rules_on_our_games() -> None:
    for name in ("boxes", "dungeon", "hunt", "crossing", "invaders", "digger"):
        state = pcg.load(name).start(level=0, seed=1)
        observer = ChanceObserver(seed=1)
        observer.begin(state)
        assert observer.found <= state.model.stochastic, name


def test_chance_seen_in_the_play_itself_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(observed_chance, "PLAYOUTS", 0)
    state = pcg.load("hunt").start(level=0, seed=1)
    agent = pcg.make_agent("ybcriber:chance=observed", seed=1, budget=50)
    agent.reset(state)
    believed = [agent.expects_chance(state.model)]
    for _ in range(30):
        state.advance(agent.act(state))
        believed.append(agent.expects_chance(state.model))
        if state.is_over:
            break
    assert believed[0] is False
    assert believed[-1] is True


@pytest.mark.parametrize("name", ["iw", "ybcriber"])
def test_a_width_search_in_a_hurry_keeps_its_memory_when_chance_is_found(name: str) -> None:
    state = pcg.load("boxes").start(level=0, seed=1)
    agent: Any = pcg.make_agent(f"{name}:chance=observed", seed=1, budget="40ms")
    agent.reset(state)
    state.advance(agent.act(state))
    states = agent._memory.states
    assert agent._memory.search["chance"] == 0
    agent._observer.found = True
    agent.share(agent._observer)
    state.advance(agent.act(state))
    assert agent._memory.states is states
    assert agent._memory.search["chance"] == 1
    assert agent._memory.search["runs"] > 0  # searched anew on fresh samples, as where chance plays a part
    agent.reset(pcg.load("dungeon").start(level=0, seed=1))
    assert agent._memory.states is not states


def test_agents_that_observe_chance_repeat_their_plays() -> None:
    plays = [
        pcg.play(
            pcg.load("hunt"), pcg.make_agent("iw:chance=observed", seed=3, budget=60), seed=2, max_ticks=25
        ).actions
        for _ in range(2)
    ]
    assert plays[0] == plays[1]


def test_observations_of_equal_states_are_equal_and_of_others_differ() -> None:
    state = pcg.load("boxes").start(level=0, seed=1)
    other = state.copy()
    assert observation_of(state) == observation_of(other)
    seen = {observation_of(state)}
    for action in state.actions:
        moved = state.copy()
        moved.advance(action)
        seen.add(observation_of(moved))
    assert len(seen) > 1
