"""The words of the command line: an option that is known from one command is known in all."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from tiers import first_fast
from typer.testing import CliRunner

import pcg
from pcg.cli import app, catalogue, doctor, vocabulary
from pcg.engine.game import builtin_games, builtin_sheets
from pcg.engine.vgdl.diagnostics import PcgError, nearest

ROOT: Any = typer.main.get_command(app)


def leaves(command: Any, words: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return all commands that do something, by their words."""
    if hasattr(command, "commands"):
        found: dict[str, Any] = {}
        for name, below in command.commands.items():
            found |= leaves(below, (*words, name))
        return found
    return {" ".join(words): command}


COMMANDS = leaves(ROOT)


def options(word: str) -> dict[str, Any]:
    """Return the option of a name in all commands that have it."""
    return {name: p for name, command in COMMANDS.items() for p in command.params if word in p.opts}


@pytest.mark.parametrize("word", vocabulary.SPELLINGS)
def test_an_option_has_the_same_spellings_in_all_commands(word: str) -> None:
    found = options(word)
    assert found
    for name, option in found.items():
        assert set(vocabulary.SPELLINGS[word]) <= set(option.opts), name


@pytest.mark.parametrize("word", vocabulary.MEANINGS)
def test_an_option_has_the_same_sentence_and_kind_in_all_commands(word: str) -> None:
    found = options(word)
    assert found
    assert {option.help for option in found.values()} == {vocabulary.MEANINGS[word]}
    assert len({(option.is_flag, option.multiple) for option in found.values()}) == 1, word


@pytest.mark.parametrize("word", vocabulary.DEFAULTS)
def test_an_option_has_the_same_default_in_all_commands_but_those_with_a_reason(word: str) -> None:
    found = options(word)
    assert found
    other = {name: default for (name, option), (default, _) in vocabulary.OTHER_DEFAULTS.items() if option == word}
    assert {name: option.default for name, option in found.items()} == {
        name: other.get(name, vocabulary.DEFAULTS[word]) for name in found
    }


def test_every_default_of_its_own_is_of_an_option_that_the_command_has_and_says_why() -> None:
    for (name, word), (default, reason) in vocabulary.OTHER_DEFAULTS.items():
        assert name in options(word) and default != vocabulary.DEFAULTS[word] and reason, (name, word)


def test_a_budget_says_what_it_is_of_and_refuses_a_number_without_unit() -> None:
    for name, option in options("--budget").items():
        kind = vocabulary.budget_of(name)
        assert option.help.startswith(vocabulary.BUDGETS[kind]), name
        with pytest.raises(PcgError, match="needs its unit"):
            vocabulary.check_unit("300", name)


def test_flags_of_a_word_can_be_taken_back_alike() -> None:
    for word in ("--open", "--links", "--reasons"):
        assert len({tuple(option.secondary_opts) for option in options(word).values()}) == 1, word


def test_seeds_are_not_negative() -> None:
    for name, option in options("--seed").items():
        assert option.min == 0, name


def test_every_command_is_quiet_or_verbose_when_asked() -> None:
    for name, command in COMMANDS.items():
        spelt = {spelling for option in command.params for spelling in option.opts}
        assert {"--quiet", "-q", "--verbose", "-v"} <= spelt, name


def test_what_opens_a_browser_or_serves_takes_host_and_port() -> None:
    for name in options("--open"):
        assert name in options("--host") and name in options("--port"), name


def test_every_command_is_in_a_group_and_every_name_of_a_group_is_a_command() -> None:
    shown = {name for name, command in ROOT.commands.items() if not command.hidden}
    named = {name for names in vocabulary.GROUPS.values() for name in names}
    assert shown == named & set(ROOT.commands) == named
    panels = {name: command.rich_help_panel for name, command in ROOT.commands.items() if not command.hidden}
    assert panels == {name: vocabulary.group_of(name) for name in shown}


@pytest.mark.parametrize("old", first_fast(vocabulary.ALIASES))
def test_an_old_name_does_what_the_new_one_does(old: str) -> None:
    run = CliRunner()
    first, second = run.invoke(app, old.split()), run.invoke(app, vocabulary.ALIASES[old].split())
    assert first.exit_code == second.exit_code == 0
    assert second.output in first.output


@pytest.mark.parametrize("name", COMMANDS)
def test_paragraphs_of_the_help_are_wrapped_where_the_window_ends_only(name: str) -> None:
    text = COMMANDS[name].help
    assert text and "\n" not in text.replace("\n\n", "")
    assert text.partition("\n\n")[0].rstrip()[-1] in ".:"


# --- list and doctor --------------------------------------------------------------------------------------------------


@pytest.mark.full
def test_list_tells_the_number_of_every_kind_and_each_kind_has_so_many() -> None:
    run = CliRunner()
    kinds = json.loads(run.invoke(app, ["list", "--json"]).output)
    assert {entry["kind"] for entry in kinds} == set(catalogue.KINDS) - {"kernels"}
    for entry in kinds:
        found = json.loads(run.invoke(app, ["list", entry["kind"], "--json"]).output)
        assert len(found) == entry["number"] > 0
        assert all(one["name"] and one["help"] for one in found), entry["kind"]


def test_list_shows_names_and_sentences() -> None:
    output = CliRunner().invoke(app, ["list", "agents"]).output
    assert "mcts" in output and "Monte Carlo tree search" in output


def test_doctor_finds_nothing_wrong_here() -> None:
    result = CliRunner().invoke(app, ["doctor", "--json"])
    found = {entry["name"]: entry for entry in json.loads(result.output)}
    assert result.exit_code == 0 and set(found) == set(doctor.LOOKS)
    assert not [entry for entry in found.values() if entry["state"] == "wrong"]
    assert "Python" in found["versions"]["text"]


def test_doctor_says_that_the_cache_folder_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor.os, "access", lambda path, mode: False)
    result = CliRunner().invoke(app, ["doctor", "--json"])
    cache = next(entry for entry in json.loads(result.output) if entry["name"] == "cache")
    assert result.exit_code == doctor.UNWELL
    assert cache["state"] == "wrong" and "PCG_CACHE_DIR" in cache["text"]


def test_verbose_tells_where_in_the_program_an_error_comes_from() -> None:
    plain, told = (CliRunner().invoke(app, ["check", "dungon", *more]) for more in ([], ["--verbose"]))
    assert plain.exit_code == told.exit_code == 2
    assert "Traceback" not in plain.output and "Traceback" in told.output
    assert told.output.rstrip().endswith(plain.output.rstrip())


def test_findings_of_a_check_are_data_when_asked(tmp_path: Path) -> None:
    (tmp_path / "bad.vgdl").write_text("BasicGame\n  SpriteSet\n    a > Chasr\n    b > MovingAvatar\n")
    result = CliRunner().invoke(app, ["check", str(tmp_path / "bad.vgdl"), "--json"])
    found = json.loads(result.stdout)
    assert result.exit_code == 2 and (3, "Chaser") in {(one["line"], one["suggestion"]) for one in found}


def test_completion_knows_games_and_agents() -> None:
    assert "dungeon" in vocabulary._games("du") and vocabulary._agents("mct") == ["mcts"]
    assert vocabulary._level_generators("evo") == ["evolve"]


def test_quiet_and_verbose_stand_before_a_command_as_well() -> None:
    for words in (["-v", "check", "dungon"], ["check", "dungon", "-v"]):
        assert "Traceback" in CliRunner().invoke(app, words).stderr
    assert "Traceback" not in CliRunner().invoke(app, ["check", "dungon"]).stderr
    game = "BasicGame\n    SpriteSet\n        hero > MovingAvatar sped=2\n    LevelMapping\n        A > hero\n"
    noisy, quiet = (CliRunner().invoke(app, [*before, "describe", "-"], input=game) for before in ([], ["-q"]))
    assert "sped" in noisy.stderr and quiet.stderr == ""
    assert noisy.stdout == quiet.stdout != ""


def test_the_package_is_a_command_too() -> None:
    done = subprocess.run([sys.executable, "-m", "pcg", "-V"], capture_output=True, text=True)
    assert done.stdout.startswith("pcg ") and not done.returncode


@pytest.mark.parametrize("command", ["check", "format", "describe", "judge --effort 0.01"])
def test_a_game_comes_from_standard_input(command: str) -> None:
    text = (builtin_games()["boxes"] / "game.vgdl").read_text()
    result = CliRunner().invoke(app, [*command.split(), "-"], input=text)
    assert result.exit_code == 0 and result.stdout, result.stderr


@pytest.mark.parametrize("command", ["check boxes -", "measure boxes -", "render boxes -", "prove boxes -"])
def test_a_level_comes_from_standard_input(command: str) -> None:
    level = pcg.load("boxes").levels[0]
    by_hand = CliRunner().invoke(app, command.split(), input=level)
    assert by_hand.exit_code == 0 and by_hand.stdout, by_hand.stderr


def test_a_rule_sheet_from_standard_input_is_known_as_one() -> None:
    result = CliRunner().invoke(app, ["check", "-"], input=builtin_sheets()["hex"].read_text())
    assert result.exit_code == 0, result.stderr


def test_the_judge_looks_at_the_levels_that_are_named() -> None:
    one, other = (
        json.loads(CliRunner().invoke(app, ["judge", "hunt", "--effort", "0.05", "--json", *more]).stdout)
        for more in (["--levels", "0-1"], ["--level", "0,1"])
    )
    every = json.loads(CliRunner().invoke(app, ["judge", "hunt", "--effort", "0.05", "--json"]).stdout)
    assert one == other != every


def test_only_what_is_near_is_proposed() -> None:
    games = [*builtin_games(), *builtin_sheets()]
    far = "aliens bait butterflies camelRace chopper freeway frogs seaquest sokoban waves zelda mario"
    assert {name: nearest(name, games) for name in far.split()} == dict.fromkeys(far.split(), "")
    near = {"boxs": "boxes", "pacman": "pacman-3p", "dungoen": "dungeon", "Hunt": "hunt", "lode-runner": "lode_runner"}
    assert {name: nearest(name, games) for name in near} == near


@pytest.mark.parametrize(
    "command",
    [
        "describe boxes",
        "describe boxes --level 0",
        "agents",
        "agents mcts",
        "ontology",
        "ontology Chaser",
        "list games",
    ],
)
def test_what_is_listed_and_explained_comes_as_json_too(command: str) -> None:
    result = CliRunner().invoke(app, [*command.split(), "--json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    named = found if isinstance(found, dict) else found[0]
    assert found and ("name" in named or "boxes" in result.stdout)
