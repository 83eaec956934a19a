"""Playing rule sheets: states, the compiled evaluators against each other and the prover, agents, traces."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import numpy as np
import pytest

import pcg
from pcg.engine.gdl import GDLError, GroundingLimit, Limits, load
from pcg.engine.gdl.conformance import replay, step_line
from pcg.engine.traces import TraceWriter

from .conftest import CLAIM, COUNTDOWN, RING, SHEETS

pytestmark = pytest.mark.kernel


def test_states_say_what_the_rules_say() -> None:
    game = load(COUNTDOWN)
    state = game.start()
    assert (game.roles, state.facts, state.legal("runner")) == (("runner",), ("(left 3)",), ("(take 1)", "(take 2)"))
    before = state.copy()
    state.advance("(take 2)")
    assert (state.facts, state.goals, state.is_terminal, state.ply) == (("(left 1)",), {"runner": (0,)}, False, 1)
    state.advance({"runner": "(take 1)"})
    assert (state.is_terminal, state.goals, state.score, state.winner) == (True, {"runner": (100,)}, 100.0, 1)
    assert before.facts == ("(left 3)",)
    with pytest.raises(GDLError, match="terminal"):
        state.advance("(take 1)")


def test_roles_move_at_once() -> None:
    state = load(CLAIM).start()
    state.advance(["(claim a)", "(claim a)"])
    assert state.facts == ("(free b)", "(free c)", "(free d)")
    state.advance({"blue": "(claim c)", "red": "(claim b)"})
    assert state.facts == ("(free d)", "(owns blue c)", "(owns red b)")


def test_long_calls_find_out_what_is_faster_and_give_the_same_playouts() -> None:
    game = load(CLAIM)
    whole = game.playouts(1500, seed=5, first=3)
    assert game._batches is not None
    for how in (True, False):
        game._batches = how
        again = game.playouts(1500, seed=5, first=3)
        for field in ("plies", "goals", "stuck", "cut"):
            assert np.array_equal(getattr(whole, field), getattr(again, field)), field


def test_illegal_moves_are_refused_and_change_nothing() -> None:
    state = load(CLAIM).start()
    key = state.key()
    for moves in (["(claim a)"], ["(claim a)", "(claim e)"], {"red": "(claim a)", "green": "(claim b)"}):
        with pytest.raises(GDLError):
            state.advance(moves)
    with pytest.raises(GDLError, match="did you mean `red`"):
        state.legal("rod")
    assert state.key() == key


def test_both_ways_of_playing_give_the_same_playouts(sheet: str) -> None:
    game = load(sheet)
    single, batched = game.playouts(70, seed=5, batched=False), game.playouts(70, seed=5, batched=True)
    for field in ("plies", "goals", "stuck", "cut"):
        assert np.array_equal(getattr(single, field), getattr(batched, field)), field
    part = game.playouts(7, seed=5, first=20)
    assert np.array_equal(part.plies, single.plies[20:27])


def test_network_agrees_with_the_prover_in_every_state(sheet: str) -> None:
    network, prover = load(sheet), load(sheet, evaluator="prover")
    draw = random.Random(1)
    for _ in range(6):
        one, other = network.start(), prover.start()
        while True:
            assert step_line(one, 0, one.ply, None) == step_line(other, 0, other.ply, None)
            assert network.state(one.facts).facts == one.facts
            assert network.state(one.facts).legal(0) == one.legal(0)
            if one.is_over:
                break
            moves = [draw.choice(one.legal(role)) for role in network.roles]
            one.advance(moves)
            other.advance(moves)


def test_a_positive_cycle_is_a_least_fixpoint() -> None:
    game = load(RING)
    assert game.network.component.any()
    state = game.start()
    assert "(go (pos 0) (pos 3))" in state.legal("one")
    state.advance(["(shut 1)", "wait"])
    assert "(go (pos 2) (pos 0))" in state.legal("two")
    assert "(go (pos 2) (pos 1))" not in state.legal("two")


def test_state_without_a_move_for_a_role_is_over_and_says_so() -> None:
    game = load(
        "(role you)(role me)(init a)(legal you go)(<= (legal me go) (true b))(goal you 1)(<= terminal (true z))"
    )
    state = game.start()
    assert (state.is_over, state.is_terminal) == (True, False)
    with pytest.raises(GDLError, match="leaves me without a legal move"):
        state.advance(["go", "go"])
    assert game.playouts(3, batched=True).stuck.all() and game.playouts(3, batched=False).stuck.all()


def test_a_game_that_never_ends_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    from pcg.engine.gdl.kernel import single
    from pcg.engine.kernel.runtime import COMPILED

    if not COMPILED:
        pytest.skip("a hundred thousand plies in plain Python")
    game = load("(role you)(legal you go)(goal you 1)(<= terminal (true never))(init a)(<= (next a) (true a))")
    for batched in (False, True):
        made = game.playouts(2, batched=batched)
        assert made.cut.all() and (made.plies == single.MAX_PLIES).all()


def test_limits_lead_to_the_prover_or_to_an_error() -> None:
    limits = Limits(atoms=20)
    assert "does not ground" in load(CLAIM, limits=limits).warnings[-1].message
    with pytest.raises(GroundingLimit):
        load(CLAIM, limits=limits, evaluator="network")


def test_splitting_and_demand_change_nothing(sheet: str) -> None:
    from pcg.engine.gdl.checker import analyse
    from pcg.engine.gdl.demand import on_demand
    from pcg.engine.gdl.game import GdlGame
    from pcg.engine.gdl.grounding import ground
    from pcg.engine.gdl.parser import parse
    from pcg.engine.gdl.propnet import build_network
    from pcg.engine.gdl.splitting import split

    program = analyse(parse(sheet))
    plays = []
    for variant in (program, split(program), split(on_demand(program)), on_demand(program, everything=True)):
        game = GdlGame(program, "variant", build_network(variant, ground(variant)))
        made = game.playouts(20, seed=3)
        plays.append((made.plies.tolist(), made.goals.tolist()))
    assert all(play == plays[0] for play in plays)


def test_agents_play_rule_sheets() -> None:
    game = pcg.load(RING)
    state = game.start()
    agents = [pcg.make_agent("mcts", seed=1, budget=200, player=0), pcg.make_agent("random", seed=2, player=1)]
    for agent in agents:
        agent.reset(state)
    while not state.is_over:
        state.advance([agent.act(state) for agent in agents])
    assert state.goals["one"] == (100,)


def test_actions_of_agents_are_the_legal_moves_each_once() -> None:
    game = load(RING)
    state = game.start()
    assert state.actions == (state.legal(0)[:-1], ())
    model = game.model
    assert model.action_names[0] == "NIL"
    assert model.players == 2 and not model.stochastic
    by_nil, by_name = state.copy(), state.copy()
    by_nil.advance(["NIL", "NIL"])
    by_name.advance([state.legal(0)[-1], "wait"])
    assert by_nil.facts == by_name.facts


def test_traces_replay_and_a_changed_one_does_not(tmp_path: Path) -> None:
    game = load(CLAIM)
    lines = [
        {"type": "game", "game": "claim", "roles": ["red", "blue"], "init": list(game.start().facts), "playouts": 1}
    ]
    state = game.start()
    while not state.is_terminal:
        moves = [state.legal(0)[0], state.legal(1)[-1]]
        lines.append(step_line(state, 0, state.ply, moves))
        state.advance(moves)
    lines.append(step_line(state, 0, state.ply, None))
    path = tmp_path / "claim.jsonl.gz"

    def write() -> None:
        with TraceWriter(path) as out:
            for line in lines:
                out.line(line)

    write()
    result = replay(game, path, emit=tmp_path / "own" / "claim.jsonl.gz")
    assert result.ok and result.ticks == len(lines) - 1
    own = tmp_path / "own" / "claim.jsonl.gz"
    assert gzip.decompress(own.read_bytes()) == gzip.decompress(path.read_bytes())
    lines[2]["legal"]["red"].append("(claim z)")
    write()
    found = replay(game, path).difference
    assert found is not None and (found.tick, found.field) == (1, "legal")


def test_conformance_and_bench_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from typer.testing import CliRunner

    from pcg.cli import app
    from pcg.engine.kernel.runtime import COMPILED

    (tmp_path / "claim.kif").write_text(CLAIM)
    (tmp_path / "bad.kif").write_text("(role x)\n(legal x")
    run = CliRunner()
    bad = run.invoke(app, ["check", str(tmp_path / "bad.kif")])
    assert bad.exit_code == 2
    assert run.invoke(app, ["check", str(tmp_path / "claim.kif")]).exit_code == 0
    if COMPILED:
        made = run.invoke(app, ["bench", "gdl", str(tmp_path / "claim.kif"), "--seconds", "0.01", "--json"])
        assert made.exit_code == 0
        assert json.loads(made.stdout)[0]["batched_playouts_per_s"] > 0


@pytest.mark.parametrize("folders", [("edgecases", "edgecases"), ("traces", "rulesheets")])
def test_recorded_plays_replay(gdl_shared: Path, folders: tuple[str, str]) -> None:
    from pcg.engine.gdl.conformance import find_gdl_traces, replay_sheet
    from pcg.engine.kernel.runtime import COMPILED

    traces, sheets = (gdl_shared / folder for folder in folders)
    names = find_gdl_traces(traces)
    if folders[0] == "traces":
        names = names[::7] if COMPILED else [Path("ticTacToe.jsonl.gz")]
    wrong = [
        str(result.difference or result.error)
        for result in (replay_sheet(sheets, traces, n) for n in names)
        if not result.ok
    ]
    assert names
    assert wrong == []


def test_own_sheets_are_all_here() -> None:
    assert sorted(SHEETS) == ["claim", "countdown", "ring"]
