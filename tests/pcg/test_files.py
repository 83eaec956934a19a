"""Files that people have: levels of Tiled, LDtk, PuzzleScript and text corpora, and runs as tables."""

from __future__ import annotations

import base64
import csv
import gzip
import json
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image
from typer.testing import CliRunner

import pcg
from pcg import files
from pcg.cli import app
from pcg.engine.game import Game, builtin_games
from pcg.generators.levels import make_generator

LEVEL = "wwwww\nwA.ow\nw.b.w\nwwwww"
ONE_PLAYER = [name for name in builtin_games() if pcg.load(name).players == 1]


@pytest.fixture(scope="module")
def boxes() -> Game:
    return pcg.load("boxes")


@pytest.mark.parametrize("name", ONE_PLAYER)
def test_levels_go_to_editors_and_come_back(name: str, tmp_path: Path) -> None:
    game = pcg.load(name)
    mapping = files.read_mapping(game)
    levels = [level.rstrip("\n") for level in game.levels]
    tiled = files.write_tiled(game, levels[0], tmp_path / "level.tmj")
    assert files.read_levels(tiled, mapping) == levels[:1]
    project = files.write_ldtk(game, levels, tmp_path / "levels.ldtk")
    assert files.read_levels(project, mapping) == levels


def test_a_map_has_a_picture_of_its_tiles(boxes: Game, tmp_path: Path) -> None:
    path = files.write_tiled(boxes, LEVEL, tmp_path / "level.tmj")
    data = json.loads(path.read_text())
    (tiles,) = data["tilesets"]
    with Image.open(tmp_path / tiles["image"]) as picture:
        assert picture.size == (tiles["imagewidth"], tiles["imageheight"]) == (16 * tiles["tilecount"], 16)
    assert (data["width"], data["height"], len(data["layers"][0]["data"])) == (5, 4, 20)
    assert {data["tilesets"][0]["tiles"][k]["properties"][0]["value"] for k in range(3)} <= set(
        boxes.definition.mapping
    )


def packed(gids: list[int], how: str) -> dict[str, object]:
    raw = struct.pack(f"<{len(gids)}I", *gids)
    pack: dict[str, Callable[[bytes], bytes]] = {"zlib": zlib.compress, "gzip": gzip.compress, "": lambda data: data}
    return {"encoding": "base64", "compression": how, "data": base64.b64encode(pack[how](raw)).decode()}


@pytest.mark.parametrize("how", ["", "zlib", "gzip", "list"])
def test_foreign_maps_are_read_however_their_layers_are_stored(boxes: Game, tmp_path: Path, how: str) -> None:
    flipped = 0x80000000
    gids = [2, 2, 2, 2 | flipped, 3, 0, 2, 1, 4]
    layer = {"type": "tilelayer", "name": "a", **({"data": gids} if how == "list" else packed(gids, how))}
    (tmp_path / "set.tsj").write_text(json.dumps({"tilecount": 4, "tiles": [{"id": 2, "type": "hero"}]}))
    hidden = {"type": "tilelayer", "visible": False, "data": [2] * 9}
    things = {"type": "objectgroup", "objects": [{"id": 7, "type": "Crate", "x": 17.0, "y": 33.0}]}
    data = {"width": 3, "height": 3, "tilewidth": 16, "tileheight": 16, "layers": [layer, hidden, things],
            "tilesets": [{"firstgid": 1, "source": "set.tsj"}]}  # fmt: skip
    (tmp_path / "map.json").write_text(json.dumps(data))
    mapping = files.Mapping(boxes, {"0": ".", "1": "w", "3": "o", "Crate": "b"})
    assert files.read_tiled(tmp_path / "map.json", mapping) == ["www\nwA.\nwbo"]


def test_a_project_is_read_with_its_entities_and_upper_layers(boxes: Game, tmp_path: Path) -> None:
    def layer(uid: int, grid: list[int], **more: object) -> dict[str, object]:
        return {"__type": "IntGrid", "__cWid": 3, "__cHei": 2, "layerDefUid": uid, "intGridCsv": grid, **more}

    entity = {"__identifier": "Player", "__grid": [1, 1]}
    upper = layer(2, [0, 0, 0, 0, 0, 1])
    lower = layer(1, [1, 1, 1, 0, 0, 1], entityInstances=[entity])
    data = {
        "defs": {"layers": [
            {"uid": 1, "intGridValues": [{"value": 1, "identifier": "Wall"}]},
            {"uid": 2, "intGridValues": [{"value": 1, "identifier": "goal"}]},
        ]},
        "levels": [{"identifier": "One", "layerInstances": [upper, lower]}],
    }  # fmt: skip
    (tmp_path / "p.ldtk").write_text(json.dumps(data))
    assert files.read_levels(tmp_path / "p.ldtk", files.Mapping(boxes, {"goal": "o"})) == ["www\n.Ao"]


SCRIPT = """\
title Boxes (a test)

========
OBJECTS
========

Background
LIGHTGREEN
11111

Wall #
BROWN
00000

Player P
BLACK
.000.

Box *
ORANGE
00000

Mark
DARKBLUE
.....

=======
LEGEND
=======

. = Background
O = Mark

=======
SOUNDS
=======

=======
LEVELS
=======

message first (of
two) levels

#####
#P.O#
#.*.#
#####

message and the second

###
#p#
###
"""


def test_levels_of_a_script_are_read_by_the_names_of_their_objects(boxes: Game, tmp_path: Path) -> None:
    (tmp_path / "game.ps").write_text(SCRIPT)
    assert files.read_levels(tmp_path / "game.ps", files.Mapping(boxes)) == [LEVEL, "www\nwAw\nwww"]


def test_an_object_that_the_game_has_not_is_named_with_its_place(boxes: Game, tmp_path: Path) -> None:
    (tmp_path / "game.ps").write_text(SCRIPT.replace("O = Mark", "O = Mark and Wall and Lava"))
    with pytest.raises(pcg.PcgError, match=r"game\.ps:\d+:4: `mark and wall and lava` is nothing in boxes"):
        files.read_levels(tmp_path / "game.ps", files.Mapping(boxes))
    known = files.Mapping(boxes, {"O": "o"})
    assert files.read_levels(tmp_path / "game.ps", known)[0] == LEVEL


def test_all_objects_that_the_game_has_not_are_named_at_once(boxes: Game, tmp_path: Path) -> None:
    script = tmp_path / "script.txt"
    changed = SCRIPT.replace("O = Mark", "O = Mark\nC = Cat\nD = Cat and Dog").replace("#p#", "#pCD#")
    script.write_text(changed.replace("#.*.#", "#C*.#"), encoding="utf-8")
    with pytest.raises(pcg.PcgError, match=r"script.txt:\d+:2: `cat`, `cat and dog` are nothing in boxes") as refused:
        files.read_puzzlescript(script, files.Mapping(boxes))
    assert '{"cat": ".", "cat and dog": "."}' in str(refused.value)


def test_comments_hold_comments_and_backgrounds_have_names_of_their_own(boxes: Game, tmp_path: Path) -> None:
    script = tmp_path / "script.txt"
    changed = SCRIPT.replace(". = Background", ". = Grass\n~ = Sand\nBackground = Grass or Sand")
    changed = changed.replace("LEVELS\n=======", "LEVELS\n=======\n(tips (two (of\n###\n) them)\n#X#) and (one)\n")
    script.write_text(changed.replace("#.*.#", "#~*.#") + "(never closed\n#X#\n", encoding="utf-8")
    read = files.read_puzzlescript(script, files.Mapping(boxes))
    assert read == ["wwwww\nwA.ow\nw.b.w\nwwwww", "www\nwAw\nwww"]


def test_characters_of_the_language_without_sprites_in_the_game_are_none_of_its(tmp_path: Path) -> None:
    spire = pcg.load("spire")  # has no walls, though `w` is a wall in every game that has them
    with pytest.raises(pcg.PcgError, match="`w` is no character of spire"):
        files.Mapping(spire, {"#": "w"})
    game = Game(spire.definition, ["wwwww\nwA.dw\nwwwww"], name="spire")
    with pytest.raises(pcg.PcgError, match=r"none that can be read \(level 0: character 'w' in row 1, column 1"):
        make_generator("wfc", game, seed=1)


def test_all_characters_that_the_game_has_not_are_named_at_once(boxes: Game, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("w.?\n-w?\n")
    with pytest.raises(pcg.PcgError, match=r"a\.txt:1:3: `\?`, `-` are nothing in boxes \(map each to one of "):
        files.read_levels(tmp_path / "a.txt", files.Mapping(boxes))


def test_without_files_all_levels_of_the_game_are_converted(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["convert", "boxes", "--out", str(tmp_path / "boxes.ldtk")])
    assert result.exit_code == 0 and "boxes.ldtk: 5 levels" in result.output, result.output
    boxes = pcg.load("boxes")
    assert files.read_levels(tmp_path / "boxes.ldtk", files.Mapping(boxes)) == [
        text.rstrip("\n") for text in boxes.levels
    ]


def test_a_corpus_of_text_is_read_with_a_mapping_and_is_an_example_for_generators(tmp_path: Path) -> None:
    row = "X" * 12
    for k in range(2):
        body = "\n".join("X" + "-" * 10 + "X" for _ in range(6 + k))
        (tmp_path / f"level{k}.txt").write_text(f"{row}\n{body.replace('-', 'M', 1 + k)}\n{row}\n\n")
    (tmp_path / "mapping.json").write_text('{"X": "w", "-": ".", "M": "A"}')
    arguments = ["convert", "dungeon", *(str(tmp_path / f"level{k}.txt") for k in range(2))]
    arguments += ["--mapping", str(tmp_path / "mapping.json"), "--out", str(tmp_path / "corpus")]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0 and "corpus: 2 levels; 1 cannot be played" in result.output, result.output
    game = pcg.load(tmp_path / "corpus")
    assert [len(level.splitlines()) for level in game.levels] == [8, 9]
    assert set("".join(game.levels)) == set("w.A\n")
    learnt = pcg.make_generator("markov", game, seed=1, min_width=12, max_width=12, min_height=8, max_height=8)
    assert learnt.ask(1)[0].level.splitlines()[0].count("w") >= 10  # the repair may put a door into the frame


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.tmj", "[]", "expected a JSON object"),
        ("a.tmj", "{", "is no JSON"),
        ("a.tmj", "{}", "no map of Tiled"),
        ("a.tmj", '{"layers": [], "tilesets": [], "infinite": true}', "infinite"),
        ("a.ldtk", "{}", "no project of LDtk"),
        ("a.ps", "title nothing", "no section LEVELS"),
        ("a.txt", "w?w", "a.txt:1:2: `?` is nothing in boxes"),
        ("a.doc", "", "the suffix of"),
    ],
)
def test_files_that_are_none_are_refused(boxes: Game, tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(pcg.PcgError) as refused:
        files.read_levels(tmp_path / name, files.Mapping(boxes))
    assert message in str(refused.value)


@pytest.mark.parametrize("name", ["a.ps", "a.txt", "a.tmj", "a.ldtk"])
def test_files_that_are_no_text_are_refused(boxes: Game, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"LEVELS\n\xff\xfe")
    with pytest.raises(pcg.PcgError, match=name):
        files.read_levels(tmp_path / name, files.Mapping(boxes))


def test_a_mapping_to_no_character_of_the_game_is_refused(boxes: Game, tmp_path: Path) -> None:
    with pytest.raises(pcg.PcgError, match="`q` is no character of boxes"):
        files.Mapping(boxes, {"X": "q"})
    (tmp_path / "m.json").write_text('{"X": "wall"}')
    with pytest.raises(pcg.PcgError, match="expected a JSON object from names to characters"):
        files.read_mapping(boxes, tmp_path / "m.json")


# --- runs as tables ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "run"
    pcg.generate("boxes", 2, generator="constructive", evaluations=6, out=folder)
    return folder


def test_a_run_is_a_table_with_a_row_for_every_evaluation(run: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["table", str(run), "--out", str(tmp_path / "run.csv")])
    assert result.exit_code == 0
    with (tmp_path / "run.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    events = [json.loads(line) for line in (run / "events.jsonl").read_text().splitlines()]
    assert [row["level"] for row in rows] == [event["level"] for event in events]
    assert [float(row["fitness"]) for row in rows] == [event["fitness"] for event in events]
    assert all(float(row["metrics.width"]) == len(row["level"].splitlines()[0]) for row in rows)


def test_a_run_is_a_dataset_on_disk(run: Path, tmp_path: Path) -> None:
    assert files.write_dataset(run, tmp_path / "data") == len((run / "events.jsonl").read_text().splitlines())
    card = (tmp_path / "data" / "README.md").read_text()
    assert card.startswith("---\n") and "data_files: data/train.csv" in card
    assert (tmp_path / "data" / "data" / "train.csv").is_file()
    with pytest.raises(pcg.PcgError, match="is not empty"):
        files.write_dataset(run, tmp_path / "data")


def test_parquet_has_the_same_rows(run: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra `tables`")
    assert files.write_table(run, tmp_path / "run.parquet") == parquet.read_table(tmp_path / "run.parquet").num_rows


def test_other_tables_and_no_runs_are_refused(run: Path, tmp_path: Path) -> None:
    with pytest.raises(pcg.PcgError, match=r"a table is a \.csv or a \.parquet file"):
        files.write_table(run, tmp_path / "run.xls")
    with pytest.raises(pcg.PcgError, match="is no run"):
        files.write_table(tmp_path, tmp_path / "run.csv")
