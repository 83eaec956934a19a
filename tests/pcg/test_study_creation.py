"""Making studies: what is taken as items, what is refused, and that nothing half-made is left."""

from __future__ import annotations

import json
import os
import stat
from itertools import accumulate
from pathlib import Path

import pytest
import studies
from study_walks import served
from typer.testing import CliRunner

import pcg
from pcg.cli import app
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.runs import LevelRun, run_levels
from pcg.study.admission import Unfit, trap
from pcg.study.checks import check_study
from pcg.study.creation import read_plan
from pcg.study.database import connect, study_names
from pcg.study.folders import attention_checks, open_study
from pcg.study.items import Source, gather, name_apart
from pcg.study.server.pairing import Pairing

run = CliRunner().invoke

GAME_OF_TWO = """BasicGame no_players=2
  SpriteSet
    wall > Immovable
    a > MovingAvatar
    b > MovingAvatar
  LevelMapping
    w > wall
    A > a
    B > b
  InteractionSet
    a b wall > stepBack
  TerminationSet
    SpriteCounter stype=a limit=0 win=False,False
"""


def names(made: studies.Made) -> list[str]:
    return [item.name for item in made.items]


@pytest.fixture(scope="module")
def level_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "made"
    run_levels(LevelRun("boxes", generator="constructive", count=3, seed=1, evaluations=60), folder)
    return folder


def test_a_study_of_a_built_in_game_stands_alone(tmp_path: Path) -> None:
    made = studies.make(tmp_path / "boxes")
    store = open_study(tmp_path / "boxes")
    assert names(made) == [i.name for i in store.items] == [f"boxes-{k}" for k in range(5)]
    game = pcg.load("boxes")
    assert [i.level for i in store.items] == [text.strip("\n") for text in game.levels]
    assert {i.digest for i in store.items} == {game.digest}
    assert store.items[0].about["en"]["goal"].startswith("You win when")
    assert store.is_researcher(made.token)
    assert (tmp_path / "boxes" / "researcher-token").read_text().strip() == made.token
    for file in ("researcher-token", "study.db"):
        assert stat.S_IMODE(os.stat(tmp_path / "boxes" / file).st_mode) == 0o600
    assert check_study(store)[0] == []
    assert sorted(p.name for p in tmp_path.iterdir()) == ["boxes"]


@pytest.mark.full
def test_groups_are_generators_folders_or_what_one_says(tmp_path: Path, level_run: Path) -> None:
    files = studies.level_files(tmp_path / "by-hand", "boxes", [0, 1])
    found = [Source(str(level_run)), Source(f"{files}/*.txt", game="boxes"), Source("boxes", levels="2", group="mine")]
    made = studies.make(tmp_path / "a", *found)
    assert [i.group for i in made.items] == ["constructive"] * 3 + ["by-hand"] * 2 + ["mine"]
    assert {i.game for i in made.items} == {"boxes"}
    by_run = studies.make(tmp_path / "b", *found, group_by="run")
    assert [i.group for i in by_run.items] == ["made"] * 3 + ["by-hand"] * 2 + ["mine"]
    assert {i.group for i in studies.make(tmp_path / "c", *found[:2], group_by="game").items} == {"boxes"}
    assert len({i.group for i in studies.make(tmp_path / "d", *found[:2], group_by="item").items}) == 5
    with pytest.raises(PcgError, match="did you mean `generator`"):
        studies.make(tmp_path / "e", *found, group_by="generatr")


def test_levels_of_a_run_come_best_first_with_their_measures(tmp_path: Path, level_run: Path) -> None:
    made = studies.make(tmp_path / "s", Source(str(level_run), count=2))
    index = json.loads((level_run / "levels" / "index.json").read_text())["levels"]
    assert names(made) == ["made/kept-0", "made/kept-1"]
    for item, entry in zip(made.items, index, strict=False):
        assert item.features["fitness"] == entry["fitness"]
        assert item.features["solution_length"] == entry["metrics"]["solution_length"]
    # The folder of its levels is another way to name the same.
    again = studies.make(tmp_path / "t", Source(str(level_run / "levels"), count=2))
    assert [i.level for i in again.items] == [i.level for i in made.items]
    assert [i.group for i in again.items] == ["constructive"] * 2
    assert again.items[0].features == made.items[0].features


def test_whole_games_of_a_run_are_items(tmp_path: Path) -> None:
    folder = tmp_path / "rules"
    (folder / "games").mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps({"format": 1, "kind": "rules", "generator": {"name": "evolve"}}))
    index = []
    for k, name in enumerate(("boxes", "dungeon")):
        game = pcg.load(name)
        (folder / "games" / f"game{k}.txt").write_text(game.definition.source)
        for number, level in enumerate(game.levels[:2]):
            (folder / "games" / f"game{k}_lvl{number}.txt").write_text(level)
        index.append({"file": f"game{k}.txt", "id": k, "fitness": 0.5 + k / 10, "feasible": True})
    (folder / "games" / "index.json").write_text(json.dumps({"games": index}))
    across = {"design": {"checks": 0, "within_game": False}}
    made = studies.make(tmp_path / "s", Source(str(folder)), settings=across)
    assert names(made) == ["rules/game0", "rules/game1"]
    assert [i.group for i in made.items] == ["evolve", "evolve"]
    assert [i.features for i in made.items] == [{"fitness": 0.5}, {"fitness": 0.6}]
    both = studies.make(tmp_path / "t", Source(str(folder), levels="all"), settings=across)
    assert names(both) == ["rules/game0-0", "rules/game0-1", "rules/game1-0", "rules/game1-1"]
    with pytest.raises(PcgError, match="within_game is on"):
        studies.make(tmp_path / "u", Source(str(folder)))


def test_one_level_under_two_rules_is_an_a_b_test(tmp_path: Path) -> None:
    rules, levels = pcg.load("boxes").definition.source, pcg.load("boxes").levels
    for name, text in (("plain", rules), ("scored", rules.replace("scoreChange=1", "scoreChange=2"))):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.txt").write_text(text, encoding="utf-8")
        for number in (0, 1):
            (tmp_path / name / f"{name}_lvl{number}.txt").write_text(levels[number], encoding="utf-8")
    assert "scoreChange=1" in rules
    both = [Source(str(tmp_path / name / f"{name}.txt")) for name in ("plain", "scored")]
    settings = {"design": {"checks": 0, "within_game": False, "within_level": True}, "play": {"minimum": 0.0}}
    studies.make(tmp_path / "s", *both, settings=settings)
    store = open_study(tmp_path / "s")
    allowed = {frozenset(pair) for pair in Pairing(store)._allowed}
    assert allowed == {frozenset({"plain-0", "scored-0"}), frozenset({"plain-1", "scored-1"})}
    with served(store) as another:
        one = another().join().begin()
        one.play_both()
    first, second = store.plays()
    shown = store.pairs()[0]
    assert store.item[shown.first].level == store.item[shown.second].level
    assert (first.side, second.side) == (0, 1) and first.seed == second.seed  # both with the same chance
    with pytest.raises(PcgError, match="within_level is on"):
        studies.make(tmp_path / "t", both[0], settings=settings)


def test_items_of_a_file(tmp_path: Path) -> None:
    level = pcg.load("boxes").levels[0]
    (tmp_path / "lvl7.txt").write_text(level)
    (tmp_path / "study.toml").write_text(
        '[design]\nchecks = 1\n[[item]]\nname = "a"\ngroup = "people"\ngame = "boxes"\nlevel = 1\n'
        'goal = { en = "Push!", zh = "推！" }\n[[item]]\ngame = "boxes"\nlevel = "lvl7.txt"\ncontrols = "Keys."\n'
        f'[[item]]\nname = "c"\ngame = "boxes"\nlevel = """\n{level}"""\n'
        '[[item]]\nname = "good"\ngame = "boxes"\nlevel = 2\ncheck = "alert"\n'
        '[[item]]\nname = "bad"\ngame = "boxes"\nlevel = 3\ncheck = "alert"\n'
        '[[item]]\nfrom = "boxes"\nlevels = "3-4"\nname = "more"\n'
    )
    plan, sources, texts = read_plan("s", tmp_path / "study.toml")
    made = studies.make_study(tmp_path / "s", plan, sources, texts=texts, measure=False)
    assert names(made) == ["a", "lvl7", "c", "good", "bad", "more-0", "more-1"]
    a, lvl7 = made.items[:2]
    assert (a.group, a.about["en"]["goal"], a.about["zh"]) == ("people", "Push!", {"goal": "推！"})
    assert lvl7.about["en"]["controls"] == "Keys."
    assert lvl7.about["zh"]["goal"] == "标记一个也不剩时，您获胜。英雄消失时，您失败。"
    assert lvl7.level == made.items[2].level == level.strip("\n")
    assert [i.name for i in attention_checks(made.items)["alert"]] == ["good", "bad"]
    assert any("are the same level" in note for note in made.notes)


@pytest.mark.parametrize(("lines", "message"), [
    ('gaem = "boxes"', "section \\[\\[item\\]\\] number 1 has no key `gaem`, did you mean `game`"),
    ('name = "x"', "names neither `game` nor `from`"),
    ('game = "boxes"\nlevel = true', "`level` is True, expected a text or a whole number"),
    ('game = "boxes"\nreading = "loose"', "expected strict or gvgai"),
    ('game = "boxes"\ngoal = { en = 1 }', "`goal` holds something that is no text"),
    ('game = "boxes"\ngoal = { fr = "But" }', "language `fr`, which the study has not"),
    ('game = "boxes"\nlevel = 9', "boxes has no level 9, expected 0 to 4"),
    ('game = "boxes"\nlevel = "no.txt"', "cannot read the file"),
    ('game = "boxs"', "did you mean `boxes`"),
    ('from = "*.vgdl"', "nothing matches"),
])  # fmt: skip
def test_bad_items_of_a_file_are_told(tmp_path: Path, lines: str, message: str) -> None:
    (tmp_path / "study.toml").write_text(f"[[item]]\n{lines}\n")

    def make() -> None:
        plan, sources, texts = read_plan("s", tmp_path / "study.toml")
        studies.make_study(tmp_path / "s", plan, sources, texts=texts, measure=False)

    with pytest.raises(PcgError, match=message):
        make()
    assert [p.name for p in tmp_path.iterdir()] == ["study.toml"]


def test_every_bad_text_has_a_line_of_its_own_and_nothing_is_made(tmp_path: Path) -> None:
    folder = studies.level_files(tmp_path / "levels", "boxes", [0, 1, 2])
    good = (folder / "lvl0.txt").read_text()
    (folder / "lvl1.txt").write_text(good.replace("A", "."))  # nothing to steer
    (folder / "lvl2.txt").write_text("ww?ww\n")
    (folder / "lvl3.txt").write_text(good.replace("o", "."))  # no mark is left: won at once
    (folder / "lvl4.txt").write_text(("w" * 101 + "\n") * 3)
    with pytest.raises(Unfit) as error:
        studies.make(tmp_path / "s", Source(str(folder), game="boxes"))
    lines = str(error.value).splitlines()
    assert len(lines) == 5
    for line, words in zip(lines[1:], ("lvl1", "lvl2", "lvl3", "lvl4"), strict=True):
        assert words in line
    assert "over at the first tick" in lines[3]
    assert "101 x 3 cells" in lines[4]
    assert [p.name for p in tmp_path.iterdir()] == ["levels"]


def test_games_are_refused_that_warn_or_need_two(tmp_path: Path) -> None:
    (tmp_path / "two.vgdl").write_text(GAME_OF_TWO)
    (tmp_path / "two_lvl0.txt").write_text("wwww\nwABw\nwwww\n")
    with pytest.raises(PcgError, match="2 players, expected one"):
        studies.make(tmp_path / "s", Source(str(tmp_path / "two.vgdl")))
    source = pcg.load("boxes").definition.source.replace(
        "InteractionSet", "InteractionSet\n        nosuch box > stepBack"
    )
    (tmp_path / "odd.vgdl").write_text(source)
    (tmp_path / "odd_lvl0.txt").write_text(pcg.load("boxes").levels[0])
    with pytest.raises(PcgError, match="nosuch"):
        studies.make(tmp_path / "t", Source(str(tmp_path / "odd.vgdl")))
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize(
    ("ticks", "told"),
    [
        ([0.00002] * 200, ""),
        ([0.00002] * 100 + [1.0] + [0.00002] * 99, ""),
        ([0.003] * 200, "a tick takes 3.0 ms; few can play at once"),
        ([0.03] * 200, "a tick takes 30 ms, expected at most 20 ms: it is too slow to play"),
    ],
    ids=["quick", "one pause", "slow", "too slow"],
)
def test_slow_levels_are_told_and_a_pause_of_the_process_is_not_the_level(
    ticks: list[float], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full collection of garbage within a tick once made `boxes` a slow game."""
    clock = accumulate(step for tick in ticks * 2 for step in (0.0, tick))
    monkeypatch.setattr("pcg.study.admission.thread_time", lambda: next(clock))
    source = Source("boxes", levels="0-1")
    if "expected" in told:
        with pytest.raises(Unfit, match=told):
            studies.make(tmp_path / "s", source)
    else:
        notes = studies.make(tmp_path / "s", source).notes
        assert notes == ([f"boxes, level {k}: {told}" for k in (0, 1)] if told else [])


def test_a_database_elsewhere_keeps_nothing_of_a_study_that_failed(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'all.db'}"
    studies.make(tmp_path / "one", database=url)
    assert not (tmp_path / "one" / "study.db").exists()
    assert stat.S_IMODE(os.stat(tmp_path / "one" / "database").st_mode) == 0o600
    assert open_study(tmp_path / "one").name == open_study("one", url).name == "one"
    with pytest.raises(PcgError, match="`one` in this database already"):
        studies.make(tmp_path / "elsewhere" / "one", database=url)
    with pytest.raises(PcgError, match="is there already"):
        studies.make(tmp_path / "one", database=url)
    (tmp_path / "file").write_text("")
    with pytest.raises(PcgError):
        studies.make(tmp_path / "file" / "two", database=url)
    assert study_names(connect(url)) == ["one"]


def test_names_are_told_apart() -> None:
    found = gather([Source("boxes", levels="0"), Source("boxes", levels="0-1")])
    assert [f.name for f in name_apart(found)] == ["boxes-0", "boxes-0-2", "boxes-1"]


def test_attention_checks_are_made_by_walling_the_avatar_in(tmp_path: Path) -> None:
    made = studies.make(tmp_path / "s", settings={"design": {"checks": 2}}, auto_checks=2)
    checks = attention_checks(made.items)
    assert list(checks) == ["check-1", "check-2"]
    game = pcg.load("boxes")
    for good, bad in checks.values():
        assert good.level in [i.level for i in made.items if not i.check]
        state = game.start(bad.level)
        place = (state.avatar.x, state.avatar.y)
        for action in ("UP", "LEFT", "DOWN", "RIGHT") * 3:
            state.advance(action)
        assert (state.avatar.x, state.avatar.y) == place
    invaders = pcg.load("invaders")
    assert trap(invaders, invaders.levels[0]) is None  # it is lost or shot free while one waits


def test_two_games_of_one_name_are_told_apart(tmp_path: Path) -> None:
    for k in range(2):
        (tmp_path / str(k)).mkdir()
        (tmp_path / str(k) / "g.vgdl").write_text(pcg.load("boxes").definition.source + "\n" * k)
        (tmp_path / str(k) / "g_lvl0.txt").write_text(pcg.load("boxes").levels[k])
    found = [Source(str(tmp_path / "*" / "g.vgdl"))]
    with pytest.raises(PcgError, match="every item is of another game"):
        studies.make(tmp_path / "s", *found)
    made = studies.make(tmp_path / "s", *found, settings={"design": {"checks": 0, "within_game": False}})
    assert [i.game for i in made.items] == ["g", "g-2"]


def test_the_commands_keep_a_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(app, ["study", "new", "s", "--items", "boxes", "--no-measure", "--check", "auto", "--pairs", "4",
                     "--set", "play.minimum=2", "--code", "ABC"])  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "5 items in 1 groups" in done.output
    config = open_study("s").config
    assert (config.pairs, config.minimum, config.code) == (4, 2.0, "ABC")
    assert read_plan("s", tmp_path / "s" / "study.toml")[0] == config
    shown = json.loads(run(app, ["study", "show", "s", "--json"]).output)
    assert [i["check"] for i in shown["items"]] == [""] * 5 + ["check-1"] * 2
    for word, state in (("pause", "paused"), ("close", "closed"), ("open", "open")):
        assert run(app, ["study", word, "s"]).exit_code == 0
        assert open_study("s").state == state
    assert "nothing wrong" in run(app, ["study", "check", "s"]).output
    assert "boxes" not in run(app, ["study", "list", "."]).output
    old = run(app, ["study", "token", "s"]).output.strip()
    new = run(app, ["study", "token", "s", "--new"]).output.strip()
    assert open_study("s").is_researcher(new) and not open_study("s").is_researcher(old)
    assert run(app, ["study", "token", "s"]).output.strip() == new
    assert run(app, ["study", "delete", "s"], input="n\n").exit_code != 0
    assert run(app, ["study", "delete", "s", "--yes"]).exit_code == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("arguments", "message"), [
    (["new", "s"], "the study has no items"),
    (["new", "s", "--items", "boxs"], "did you mean `boxes`"),
    (["new", "s", "--items", "boxes", "--set", "plai.minimum=2"], "did you mean [play]"),
    (["new", "s", "--items", "boxes", "--pairing", "adaptiv"], "did you mean `adaptive`"),
    (["new", "s", "--items", "boxes", "--languages", "en, fr"], "fr"),
    (["new", "s", "--items", "boxes", "--check", "all"], "expected auto"),
    (["new", "s", "--items", "boxes", "--levels", "7"], "boxes has none of the levels 7"),
    (["new", "s", "--items", "boxes", "--database", "oracle://x/y"], "cannot use the database"),
    (["show", "s"], "there is no study at s"),
    (["show", "s", "--database", "nothing.db"], "there is no database nothing.db"),
])  # fmt: skip
def test_bad_commands_end_with_one_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(app, ["study", *arguments])
    assert done.exit_code == 2, done.output
    assert message in done.output
    assert "Traceback" not in done.output
    assert list(tmp_path.iterdir()) == []
