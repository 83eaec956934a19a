"""The gallery of levels in the documentation: what is written of a campaign, and the levels that are shown now."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from benchmarks import gallery
from benchmarks.levels_corpus import CORPUS
from pcg.engine.game import Game, builtin_games, evolved_games, load
from pcg.engine.state import Outcome
from pcg.evaluators.evaluation import decode_play
from pcg.render import render_level

DOCS = Path(__file__).resolve().parent.parent / "docs"
LEVELS = sorted((DOCS / "gallery" / "levels").glob("*.json"))
PAGES = ("gallery.md", "hand-made-or-generated.md")
MOST_BYTES = 1_500_000
"""Most that all pictures of the gallery take."""
needs_corpus = pytest.mark.skipif(not CORPUS.is_dir(), reason="needs the reference's games")


def record(name: str, own: bool = True, number: int = 2) -> dict[str, Any]:
    """Return a record as a campaign keeps it, here with the levels of the game turned left to right."""
    game = load(name)
    levels = ["\n".join(row[::-1] for row in text.splitlines()) for text in game.levels[:number]]
    return {
        "game": name, "own": own, "kinds": ["puzzle"], "seconds": 5.0, "tried": 9, "feasible": number,
        "levels": [
            {"level": text, "family": "pieces", "value": 0.5, "winner": "search", "seed": 1, "play": "LL.U",
             "sentence": "More <walls> than usual."}
            for text in levels
        ],
    }  # fmt: skip


def pictures(page: str) -> list[str]:
    return re.findall(r"!\[[^]]+\]\(([^)]+)\)", page)


def test_a_campaign_becomes_pages_with_pictures_and_levels(tmp_path: Path) -> None:
    gallery.write({name: record(name) for name in ("boxes", "digger")}, tmp_path, CORPUS)
    text = (tmp_path / "gallery.md").read_text(encoding="utf-8")
    assert all((tmp_path / path).is_file() for path in pictures(text)) and len(pictures(text)) == 4
    assert "0.50 · 3 moves · pieces" in text and "More &lt;walls&gt; than usual." in text
    assert text.count('<a class="play-here" href="../play/gallery/boxes.html#level=') == 2
    kept = json.loads((tmp_path / "gallery" / "levels" / "boxes.json").read_text(encoding="utf-8"))
    assert ["\n".join(one["rows"]) for one in kept["levels"]] == [one["level"] for one in record("boxes")["levels"]]


def test_games_written_anew_leave_the_others_as_they_are(tmp_path: Path) -> None:
    names = ("boxes", "digger", "hunt", "dungeon")
    found = {name: record(name) for name in names}
    found["dungeon"] |= {"game": "our dungeon"}
    anew = {"boxes": record("boxes", number=3), "dungeon": record("dungeon", number=1) | {"game": "our dungeon"}}
    once, whole = tmp_path / "once", tmp_path / "whole"
    gallery.write(found, once, CORPUS)
    gallery.renew(anew, once, CORPUS)
    gallery.write(found | anew, whole, CORPUS)
    files = [sorted(str(path.relative_to(folder)) for path in folder.rglob("*.*")) for folder in (once, whole)]
    assert files[0] == files[1] and len(files[0]) > 20
    assert [n for n in files[0] if (once / n).read_bytes() != (whole / n).read_bytes()] == []
    with pytest.raises(SystemExit, match=r"not shown in gallery\.md: spire"):
        gallery.renew({"spire": record("spire")}, once, CORPUS)


def test_the_answer_to_a_pair_is_the_picture_of_a_hand_made_level(tmp_path: Path) -> None:
    names = ("boxes", "dungeon")
    found = {name: record(name) for name in names}
    found["dungeon"] |= {"game": "our dungeon"}
    gallery.write(found, tmp_path, CORPUS)
    text = (tmp_path / "hand-made-or-generated.md").read_text(encoding="utf-8")
    answers = re.findall(r'data-hand-made="(\w+)"', text)
    shown = pictures(text)
    assert set(answers) <= {"first", "second"} and len(answers) == len(names)
    for k, name in enumerate(sorted(names)):
        path = tmp_path / shown[2 * k + (answers[k] == "second")]
        game = load(name)
        drawn = [render_level(game, text, tile=gallery.tile_of(text.splitlines())).tobytes() for text in game.levels]
        with Image.open(path) as image:
            assert image.convert("RGB").tobytes() in drawn


@needs_corpus
def test_of_games_of_the_corpus_only_pictures_are_written(tmp_path: Path) -> None:
    game = gallery.open_game("zelda", CORPUS / "gridphysics" / "zelda.txt")
    made = record("boxes") | {"game": "zelda", "own": False}
    made["levels"][0]["level"] = game.levels[0]
    del made["levels"][1]
    gallery.write({"zelda": made, "boxes": record("boxes")}, tmp_path, CORPUS)
    assert [p.name for p in (tmp_path / "gallery" / "levels").iterdir()] == ["boxes.json"]
    rows = {row for row in game.levels[0].splitlines() if len(set(row)) > 1}
    texts = [p.read_text(encoding="utf-8") for p in tmp_path.rglob("*") if p.suffix in (".md", ".json")]
    assert not any(row in text for row in rows for text in texts)
    assert (tmp_path / "gallery" / "pictures" / "gvgai-zelda-1.webp").is_file()


def test_cells_fill_the_width_of_a_picture() -> None:
    assert [gallery.tile_of(["w" * width] * 9) for width in (8, 24, 100)] == [16, 12, 5]


def test_so_many_right_guesses_are_luck_in_less_than_one_of_twenty_cases() -> None:
    assert [gallery.lucky(number) for number in (5, 10, 25)] == [5, 9, 18]


def test_pages_show_pictures_that_exist_and_all_pictures_are_shown() -> None:
    shown = {path for page in PAGES for path in pictures((DOCS / page).read_text(encoding="utf-8"))}
    there = {p.relative_to(DOCS).as_posix() for p in (DOCS / "gallery").rglob("*.webp")}
    assert shown == there and len(shown) > 20
    assert sum((DOCS / path).stat().st_size for path in there) < MOST_BYTES


def test_the_documentation_makes_pages_on_which_the_levels_are_played(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("play", DOCS / "hooks" / "play.py")
    assert spec is not None and spec.loader is not None
    hook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hook)
    path = tmp_path / "boxes.json"
    path.write_text(json.dumps(gallery.shared_levels(record("boxes"))), encoding="utf-8")
    made = hook.gallery_levels(path)
    assert (made.name, made.titles, len(made.game.levels)) == ("boxes", ("1", "2"), 2)
    assert made.game.levels[0].rstrip("\n") == record("boxes")["levels"][0]["level"]
    assert made.plays[1].actions == ("LEFT", "LEFT", "NIL", "UP")


GAMES_OF_PICTURES = re.compile(r"^(gallery/(pictures|pairs)|images/games)/")
"""Pictures of levels; all others in the documentation are charts, drawings and pages of programs."""


@pytest.mark.parametrize("page", sorted(path.name for path in DOCS.glob("*.md")))
def test_every_picture_of_a_level_is_played_in_its_place(page: str) -> None:
    """The link around a picture, or the one in the answer to a pair, leads to a page that the documentation makes."""
    text = (DOCS / page).read_text(encoding="utf-8")
    shown = [path for path in pictures(text) if GAMES_OF_PICTURES.match(path)]
    linked = dict(re.findall(r'<a class="play-here" href="([^"]+)">!\[[^]]+\]\(([^)]+)\)</a>', text))
    by_picture = {path: address for address, path in linked.items()}
    for path in shown:
        if path.startswith("gallery/pictures/gvgai-"):  # the corpus, which is not ours to give on
            assert path not in by_picture
        elif not path.startswith("gallery/pairs/"):
            assert level_shown(by_picture[path]), path
    for pair in text.split('<div class="pair"')[1:]:
        answers = re.findall(r'<a class="play-here" title="[^"]+" href="([^"]+)"', pair)
        assert len(pictures(pair)) == len(answers) == 2
        assert all(level_shown(address) for address in answers)


def level_shown(address: str) -> str:
    """The level that an address of the documentation opens, as its page has it."""
    found = re.fullmatch(r"\.\./play/(?:(gallery|evolved)/)?(\w+)\.html#level=(\d+)", address)
    assert found is not None, address
    folder, name, number = found[1], found[2], int(found[3]) - 1
    if folder == "gallery":
        rows = json.loads((DOCS / "gallery" / "levels" / f"{name}.json").read_text(encoding="utf-8"))["levels"]
        return "\n".join(rows[number]["rows"])
    known = evolved_games() if folder == "evolved" else builtin_games()
    assert name in known
    return str(load(name).levels[number])


def test_other_pictures_of_the_documentation_are_not_of_levels() -> None:
    """A new picture has a place: one of a level among those that are played, any other in this list.

    They are of pages of programs, and of an episode of a board game, which pages do not play.
    """
    others = {
        path
        for page in DOCS.glob("*.md")
        for path in pictures(page.read_text(encoding="utf-8"))
        if not GAMES_OF_PICTURES.match(path)
    }
    pages = {f"images/{name}.png" for name in (
        "connectx", "studio-compare", "studio-generate", "studio-paint", "study-four", "study-participants",
        "study-practice", "study-questions", "study-vote",
    )}  # fmt: skip
    assert others == {"images/architecture.svg", "images/describe-dungeon.svg", *pages}


def test_levels_of_the_gallery_are_of_our_games_alone() -> None:
    assert {path.stem for path in LEVELS} <= set(builtin_games())


@pytest.mark.parametrize("path", LEVELS, ids=lambda path: path.stem)
def test_every_level_of_the_gallery_is_won_by_its_play(path: Path) -> None:
    data = json.loads(path.read_text(encoding="utf-8"))
    game = load(data["game"])
    levels = ["\n".join(one["rows"]) for one in data["levels"]]
    made = Game(game.definition, levels, name=game.name, reading=game.reading)
    for number, one in enumerate(data["levels"]):
        assert levels[number] not in game.levels
        if not one["winner"]:  # feasible all the same, where players do not win all of the game's own levels
            assert not one["play"]
            continue
        state = made.start(number, seed=one["seed"])
        for action in decode_play(one["play"]):
            state.advance(action)
        assert state.winner == Outcome.PLAYER_WINS, number
