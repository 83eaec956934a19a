"""Games that cannot have a feasible level are refused before one is made."""

from __future__ import annotations

from pathlib import Path

import pytest

import pcg
from pcg.engine.game import builtin_games
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.analysis import analyse
from pcg.evaluators.feasibility import check_size, check_winnable
from pcg.evaluators.level_grid import palette
from pcg.evaluators.requirements import requirements
from pcg.runs import LevelRun, run_levels

GAME = """
BasicGame
    SpriteSet
        goal > Immovable
        ghost > Immovable
        avatar > MovingAvatar
        wall > Immovable
    InteractionSet
        {interaction}
    TerminationSet
        SpriteCounter stype={counted} limit=0 win={win}
    LevelMapping
        g > goal
        A > avatar
        w > wall
"""


def game(interaction: str = "goal avatar > killSprite", counted: str = "goal", win: str = "True") -> pcg.Game:
    return pcg.load(GAME.format(interaction=interaction, counted=counted, win=win))


def check(made: pcg.Game) -> None:
    analysis = analyse(made.definition)
    check_winnable(analysis, requirements(analysis))


def test_a_game_that_can_be_won_passes() -> None:
    check(game())


@pytest.mark.parametrize("name", sorted(builtin_games()))
def test_our_own_games_pass(name: str) -> None:
    made = pcg.load(name)
    if made.players == 1:
        check(made)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"win": "False"}, r"cannot be won: none of its terminations has win=True \(it has: SpriteCounter\)"),
        ({"interaction": "wall avatar > killSprite"}, "waits for goal to go, and no rule removes them"),
        ({"interaction": "avatar goal > stepBack"}, "waits for goal to go, and no rule removes them"),
        ({"counted": "ghost"}, "of ghost wins at once, for no level can hold them and nothing makes them"),
    ],
)
def test_a_game_without_feasible_levels_is_refused(change: dict[str, str], message: str) -> None:
    with pytest.raises(PcgError, match=message):
        check(game(**change))


@pytest.mark.parametrize(
    "interaction",
    [
        "goal avatar > transformTo stype=wall",
        "wall avatar > transformToAll stype=goal stypeTo=wall",
        "wall avatar > killAll stype=goal",
        "goal wall > killBoth",
        "goal avatar > killIfOtherHasMore resource=ghost limit=1",
    ],
)
def test_goals_that_some_rule_may_remove_pass(interaction: str) -> None:
    check(game(interaction=interaction))


def test_levels_larger_than_the_engine_holds_are_refused() -> None:
    tiles = palette(analyse(pcg.load("boxes").definition))
    check_size(tiles, 60, 60)
    with pytest.raises(PcgError, match=r"levels of up to 200 x 200 cells .* as in"):
        check_size(tiles, 200, 200)


def test_a_run_says_so_before_it_begins(tmp_path: Path) -> None:
    path = tmp_path / "game.vgdl"
    path.write_text(GAME.format(interaction="goal avatar > killSprite", counted="goal", win="False"))
    with pytest.raises(PcgError, match="cannot be won"):
        run_levels(LevelRun(str(path), evaluations=5), tmp_path / "run")
    large = LevelRun("boxes", evaluations=5, generator_parameters={"max_width": 200, "max_height": 200})
    with pytest.raises(PcgError, match="expected at most"):
        run_levels(large, tmp_path / "run")
    assert not (tmp_path / "run").exists()
