"""Triples of levels with a known answer: how they are made, and what the table says of distances."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import pcg
from benchmarks.validation import similarity_material as material
from pcg.evaluators.metrics.likeness import codes, level_distance

GAMES = ("boxes", "dungeon", "digger")


@pytest.fixture(scope="module")
def games() -> dict[str, list[str]]:
    return {name: [level.rstrip("\n") for level in pcg.load(name).levels] for name in GAMES}


def made(name: str, games: dict[str, list[str]]) -> dict[str, list[material.Triple]]:
    found: dict[str, list[material.Triple]] = {}
    for kind, triple in material.triples(name, games[name], {"random": games[name][:1]}, games):
        found.setdefault(kind, []).append(triple)
    return found


def test_triples_are_of_every_kind_and_the_same_again(games: dict[str, list[str]]) -> None:
    found = made("dungeon", games)
    assert set(found) == set(material.KINDS) - {"constructive", "evolve"}
    assert all(len(triples) == material.EACH for triples in found.values())
    assert found == made("dungeon", games)


def test_changed_levels_differ_by_what_their_kind_says(games: dict[str, list[str]]) -> None:
    rng = np.random.default_rng(1)
    level = codes(games["dungeon"][0])
    for change in material.CHANGES.values():
        assert not np.array_equal(change(level), level)
    assert np.array_equal(material.mirrored(material.mirrored(level)), level)
    assert sorted(material.rolled(level).ravel()) == sorted(level.ravel())
    assert material.cropped(level).shape == (level.shape[0], level.shape[1] - 2)
    assert 0 < np.count_nonzero(material.swapped(level, 2, rng) != level) <= 4
    few, many = material.turned(level, 0.02, rng), material.turned(level, 0.5, rng)
    assert np.count_nonzero(few != level) < np.count_nonzero(many != level)
    edge = level[0], level[-1], level[:, 0], level[:, -1]
    changed = many[0], many[-1], many[:, 0], many[:, -1]
    assert all(np.array_equal(a, b) for a, b in zip(edge, changed, strict=True))


def test_a_level_of_another_game_gets_the_tiles_of_this_one(games: dict[str, list[str]]) -> None:
    level = material.renamed(games["boxes"][0], games["boxes"], games["dungeon"])
    assert set(level) - {"\n"} <= set("".join(games["dungeon"]))
    frame, ground, avatar, *_ = map(chr, material.parts(games["dungeon"]))
    assert level[0] == frame and avatar == "A" and level.count("A") == 1 and level.count(ground) > level.count("A")
    assert [len(row) for row in level.split("\n")] == [len(row) for row in games["boxes"][0].split("\n")]


def test_a_distance_is_right_where_the_nearer_level_is_nearer(games: dict[str, list[str]]) -> None:
    one, other = games["boxes"][:2]
    triple = material.Triple(one, one, other)
    assert material.right(level_distance, triple) == 1.0
    assert material.right(level_distance, triple._replace(nearer=other, farther=one)) == 0.0
    assert material.right(lambda a, b: 0.0, triple) == 0.5


def test_the_table_compares_with_the_best_of_the_tile_patterns(games: dict[str, list[str]]) -> None:
    found = material.measured(games, {})
    assert set(found["mirrored"]["pcg"]) == set(GAMES) and not found["evolve"]["pcg"]
    assert all(0.0 <= x <= 1.0 for by in found.values() for shares in by.values() for x in shares.values())
    assert found["few swaps"]["tile frequencies"] == dict.fromkeys(GAMES, 0.5)
    rows = material.table(found).split("\n")
    assert len(rows) == 2 + len(material.KINDS) - 3 + 1 and rows[-1].startswith("| all kinds |")
    assert "patterns)" in rows[-1] or "frequencies)" in rows[-1]


def test_the_corpus_is_read_by_its_list_of_games(
    games: dict[str, list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "games"
    folder.mkdir()
    for name, levels in games.items():
        (folder / f"{name}.txt").write_text("BasicGame\n")
        for k, level in enumerate(levels):
            (folder / f"{name}_lvl{k}.txt").write_text(level + "\n")
    (folder / "all_games_sp.csv").write_text("".join(f"{k},examples/{name}.txt\n" for k, name in enumerate(games)))
    found = material.report_corpus(tmp_path, 2)
    assert len(found["mirrored"]["pcg"]) == 2 and json.dumps(found)
    assert capsys.readouterr().out.startswith("all games (2)")
