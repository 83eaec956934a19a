"""Repair and completion: sound levels stay, damaged ones are made sound by few edits, each with a reason."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import pcg
from pcg.cli import app
from pcg.engine.game import Game, load
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.level_grid import avatar_cells
from pcg.generators.levels import LevelContext
from pcg.generators.levels.repair.by_search import search_for_repair
from pcg.generators.levels.repair.completion import complete
from pcg.generators.levels.repair.edits import edits_of, faults, read_draft
from pcg.generators.levels.repair.level import NoRepairError, repair_level

BOXES = "wwwwwww\nwA.b..w\nw....ow\nw...b.w\nwwwwwww"
PARTIAL = "wwwwwwwww\nwA??????w\nw???????w\nw??wwwwww\nw???????w\nw??????ow\nwwwwwwwww"


@pytest.fixture(scope="module")
def boxes() -> Game:
    return load("boxes")


def replayed(before: str, repaired: object) -> str:
    """The edits carried out on the text they are about."""
    rows = [list(row) for row in before.splitlines()]
    for edit in repaired.edits:  # type: ignore[attr-defined]
        row = rows[edit.row - 1]
        row += [""] * (edit.column - len(row))
        assert row[edit.column - 1] == edit.before
        row[edit.column - 1] = edit.after
    return "\n".join("".join(row) for row in rows)


@pytest.mark.parametrize("method", ["solver", "mend"])
@pytest.mark.parametrize(
    ("level", "most"),
    [
        (BOXES.replace("....o", "..A.o"), 1),
        (BOXES.replace("wA.b", "w..b"), 1),
        (BOXES.replace("wwwwwww\nwA", "www.www\nwA"), 1),
        (BOXES.replace("....o", "..x.o"), 1),
        ("wwwwwww\nwA.b..w\nw....o\nw...b.w\nwwwwwww", 1),
        (BOXES.replace("o", "."), 1),
        (BOXES.replace("b", "."), 1),
    ],
)
def test_one_damage_takes_one_edit(boxes: Game, method: str, level: str, most: int) -> None:
    if method == "solver":
        pytest.importorskip("clingo")
    repaired = repair_level(boxes, level, method=method)
    assert 1 <= len(repaired.edits) <= most
    assert all(edit.why for edit in repaired.edits)
    assert replayed(level, repaired) == repaired.level
    context = LevelContext.of(boxes)
    assert faults(context, context.palette.parse(repaired.level)) == []
    if method == "solver":
        assert repaired.fewest


@pytest.mark.parametrize("name", ["boxes", "dungeon", "portals"])
def test_the_games_own_levels_need_no_edit(name: str) -> None:
    pytest.importorskip("clingo")
    game = load(name)
    for level in game.levels[:3]:
        assert repair_level(game, level, method="solver").edits == ()


def test_a_level_that_takes_too_long_is_made_shorter(boxes: Game) -> None:
    pytest.importorskip("clingo")
    level = "wwwwwwwww\nwA......w\nw..b....w\nw......ow\nwwwwwwwww"
    longest = len(pcg.solve(boxes.start(level, seed=0)).actions)
    assert longest > 6
    repaired = repair_level(boxes, level, method="solver", max_moves=longest - 3)
    assert 1 <= len(repaired.edits) <= 2
    assert any("moves" in edit.why for edit in repaired.edits)
    assert len(pcg.solve(boxes.start(repaired.level, seed=0)).actions) <= longest - 3


def test_wants_are_met_by_the_fewest_edits() -> None:
    pytest.importorskip("clingo")
    game = load("dungeon")
    level = "wwwwwwwwww\nwA...w..kw\nw........w\nw....w...d\nwwwwwwwwww"
    repaired = repair_level(game, level, method="solver", targets="enemies=2")
    assert len(repaired.edits) == 2 and {e.why for e in repaired.edits} == {"enemies=2"}


def test_locked_cells_stay_as_they_are(boxes: Game) -> None:
    pytest.importorskip("clingo")
    from pcg.generators.levels.asp.search import ClashError

    two = BOXES.replace("....o", "..A.o")
    locked = np.zeros((5, 7), bool)
    locked[1, 1] = True
    assert repair_level(boxes, two, method="solver", locked=locked).level.splitlines()[1][1] == "A"
    locked[2, 3] = True
    with pytest.raises(ClashError, match="the locked cells as they are") as error:
        repair_level(boxes, two, method="solver", locked=locked)
    assert "exactly one avatar" in str(error.value)


def test_search_repairs_what_only_playing_shows(boxes: Game) -> None:
    """The box stands in a corner: nothing is wrong with the text, but the level cannot be won."""
    level = "wwwwwwwww\nwb......w\nw....o..w\nw..A....w\nw.......w\nw..ww...w\nwwwwwwwww"
    evaluator = LevelEvaluator(boxes)
    assert evaluator.evaluate(level, 1).constraints["win"] < 1
    repaired = repair_level(boxes, level, method="search", evaluations=400)
    assert evaluator.evaluate(repaired.level, 1).feasible
    assert repaired.edits and all(edit.why.startswith("so that") for edit in repaired.edits)
    assert replayed(level, repaired) == repaired.level
    assert repair_level(boxes, level, method="search", evaluations=400) == repaired
    # No edit can be taken back.
    context = LevelContext.of(boxes)
    for edit in repaired.edits:
        grid = context.palette.parse(repaired.level)
        grid[edit.row - 1, edit.column - 1] = context.palette.parse(level)[edit.row - 1, edit.column - 1]
        assert not evaluator.evaluate(context.palette.text(grid), 1).feasible


def test_search_keeps_to_its_budget_and_its_locks(boxes: Game) -> None:
    context = LevelContext.of(boxes)
    draft = read_draft(context.palette, BOXES)
    locked = np.ones(draft.grid.shape, bool)
    locked[3] = False
    asked: list[str] = []

    def never(text: str) -> Evaluation:
        asked.append(text)
        return Evaluation(False, 0.0, 0.5, {}, {}, "static")

    rng = np.random.default_rng(1)
    assert search_for_repair(context, draft, [], locked, never, rng=rng, budget=40) is None
    assert len(asked) == 40 == len(set(asked))
    rows = BOXES.splitlines()
    assert all(text.splitlines()[:3] == rows[:3] for text in asked)


def test_a_search_without_time_looks_at_nothing(boxes: Game) -> None:
    context = LevelContext.of(boxes)
    draft = read_draft(context.palette, BOXES)

    def never(text: str) -> Evaluation:
        raise AssertionError(text)

    rng = np.random.default_rng(1)
    assert search_for_repair(context, draft, [], None, never, rng=rng, budget=40, deadline=time.monotonic()) is None


def test_auto_says_that_its_time_ran_out(boxes: Game) -> None:
    hopeless = "wwww\nwwww\nwwww\nwwww"
    with pytest.raises(NoRepairError, match=r"within 0\.1 s"):
        repair_level(boxes, hopeless, method="auto", seconds=0.1, evaluations=1_000_000)


@pytest.mark.parametrize("damage", ["?", "x", "A"])
def test_the_solver_puts_bare_ground_where_that_will_do(damage: str) -> None:
    """Characters that are no tile, open, or one avatar too many could also become a wall or a second key."""
    pytest.importorskip("clingo")
    game = load("dungeon")
    level = "wwwwwwww\nwA.....w\nw...k..w\nw.....dw\nwwwwwwww"
    spoilt = level.replace("w...k..w", f"w...k.{damage}w")
    repaired = repair_level(game, spoilt, method="solver")
    assert repaired.fewest and repaired.level == level


def test_a_sound_level_is_left_alone(boxes: Game) -> None:
    evaluator = LevelEvaluator(boxes)
    level = next(level for level in boxes.levels if evaluator.evaluate(level, 1).feasible)
    repaired = repair_level(boxes, level)
    assert repaired.edits == () and repaired.method == "none" and repaired.level == level.rstrip("\n")


def test_no_repair_is_told(boxes: Game) -> None:
    hopeless = "wwww\nwwww\nwwww\nwwww"
    with pytest.raises(NoRepairError, match="the level as it is lacks"):
        repair_level(boxes, hopeless, method="search", evaluations=10)


@pytest.mark.parametrize(
    ("level", "options", "message"),
    [
        ("", {}, "the level is empty"),
        (BOXES, {"method": "magic"}, "expected one of auto"),
        (BOXES, {"targets": "boxen=2"}, "did you mean"),
        (BOXES, {"locked": np.zeros((2, 2), bool)}, r"expected \(5, 7\)"),
        (BOXES, {"evaluations": 0}, "evaluations"),
        ("w", {"method": "solver"}, "too small"),
    ],
)
def test_bad_input_is_refused(boxes: Game, level: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(PcgError, match=message):
        repair_level(boxes, level, **options)  # type: ignore[arg-type]


# -- completion --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("use_solver", [True, False])
def test_completions_keep_what_is_given(boxes: Game, use_solver: bool) -> None:
    if use_solver:
        pytest.importorskip("clingo")
    context = LevelContext.of(boxes)
    made = [complete(context, PARTIAL, None, np.random.default_rng(3), use_solver=use_solver) for _ in range(2)]
    assert made[0] == made[1] and len(made[0]) == len(set(made[0])) == 3
    for level in made[0]:
        assert all(a in ("?", b) for a, b in zip(PARTIAL, level, strict=True))
        grid = context.palette.parse(level)
        assert faults(context, grid) == [] and len(avatar_cells(context.palette, grid)) == 1


@pytest.mark.parametrize("use_solver", [True, False])
def test_cells_that_are_not_locked_may_change(boxes: Game, use_solver: bool) -> None:
    if use_solver:
        pytest.importorskip("clingo")
    context = LevelContext.of(boxes)
    locked = np.zeros((5, 7), bool)
    locked[1, 3] = True
    two = BOXES.replace("....o", "..A.o")
    for level in complete(context, two, locked, np.random.default_rng(1), "pit=1", count=2, use_solver=use_solver):
        assert level.splitlines()[1][3] == "b" and level.count("A") == 1 and level.count("p") == 1


def test_a_partial_level_that_cannot_be_completed_says_why(boxes: Game) -> None:
    context = LevelContext.of(boxes)
    two = PARTIAL.replace("ow\n", "Aw\n")
    with pytest.raises(PcgError, match="avatar"):
        complete(context, two, None, np.random.default_rng(1), use_solver=False)
    pytest.importorskip("clingo")
    with pytest.raises(PcgError, match="locked cells"):
        complete(context, two, None, np.random.default_rng(1), use_solver=True)


def test_drafts_show_what_cannot_be_read(boxes: Game) -> None:
    palette = LevelContext.of(boxes).palette
    draft = read_draft(palette, "wwww\nwA?\nw#.w")
    assert draft.free.sum() == 1 and draft.unreadable.sum() == 2
    edits = edits_of(draft, palette, draft.grid)
    assert [(e.row, e.column, e.before) for e in edits] == [(2, 3, "?"), (2, 4, ""), (3, 2, "#")]


# -- the command -------------------------------------------------------------------------------------------------------


def test_the_command_repairs_and_reports(tmp_path: Path) -> None:
    pytest.importorskip("clingo")
    level, out = tmp_path / "level.txt", tmp_path / "repaired.txt"
    level.write_text(BOXES.replace("....o", "..A.o"))
    run = CliRunner().invoke(app, ["repair", "boxes", str(level), "--method", "solver", "--json", "--out", str(out)])
    assert run.exit_code == 0
    data = json.loads(run.stdout)
    assert out.read_text() == data["level"] + "\n"
    assert [e["before"] for e in data["edits"]] == ["A"] and data["fewest"]
    mask = tmp_path / "lock.txt"
    mask.write_text("\n ##\n   #\n")
    run = CliRunner().invoke(app, ["repair", "boxes", str(level), "--method", "solver", "--lock", str(mask)])
    assert run.exit_code == 1 and "locked cells" in run.stderr
    run = CliRunner().invoke(app, ["repair", "boxes", "77"])
    assert run.exit_code == 2 and "no level 77" in run.stderr


def test_without_clingo_the_solver_says_how_to_get_it(boxes: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "clingo", None)
    with pytest.raises(PcgError, match="pip install"):
        repair_level(boxes, BOXES, method="solver")
    assert repair_level(boxes, BOXES.replace("....o", "..A.o"), method="mend").edits
    assert complete(LevelContext.of(boxes), PARTIAL, None, np.random.default_rng(1), count=1)
