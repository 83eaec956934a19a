"""The reference's own games: all read, all survive formatting, and all agree with the reference's recorded plays."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pcg.engine.vgdl import GameDefinition, Level, check_level, dumps, loads, ontology, read_game, read_level

GAMES, LEVELS, TRACED = 199, 970, 156


def game_files(shared: Path) -> list[Path]:
    return [
        path
        for path in sorted((shared / "gvgai/games").glob("*/*.txt"))
        if "_lvl" not in path.name and not path.stem.endswith("_glvl")
    ]


@cache
def game(path: Path) -> GameDefinition:
    return read_game(path, reading="gvgai")


def test_all_games_read_and_only_two_are_cut_short(shared: Path) -> None:
    paths = game_files(shared)
    assert len(paths) == GAMES
    cut = {path.stem for path in paths if any(d.rule.startswith("language 1.2.5") for d in game(path).diagnostics)}
    assert cut == {"invest", "solarfox_ggame"}
    assert all(d.severity == "warning" and d.rule and d.line for path in paths for d in game(path).diagnostics)


def test_the_oddities_of_the_games_are_those_that_are_known(shared: Path) -> None:
    cited = {
        f"{path.parent.name}/{path.stem}".removeprefix("gridphysics/"): game(path).diagnostics
        for path in game_files(shared)
    }
    unknown_keys = {name for name, found in cited.items() if any("unknown parameter" in d.message for d in found)}
    assert unknown_keys == {"waferthinmints", "contphysics/pong", "sistersavior"}
    lost = [name for name, found in cited.items() if any("does not fit" in d.message for d in found)]
    assert lost == []
    redefined = {name for name, found in cited.items() if any(d.rule == "language 1.5.6" for d in found)}
    assert redefined == {"vortex", "themole", "2player/decks"}
    several_eos = {name for name, found in cited.items() if any(d.rule == "language 1.6.5" for d in found)}
    assert several_eos == {"chopper", "contphysics/arkanoid", "2player/arkanoid2p", "aliens_ggame"}
    undefined = {name for name, found in cited.items() if any(d.rule == "language 1.8" for d in found)}
    assert undefined == {"flower", "witnessprotection", "witnessprotected", "2player/spotted"}
    shadowed = {name for name, found in cited.items() if any(d.rule == "language 1.5.3" for d in found)}
    assert {"frogs", "pacman", "portals", "eighthpassenger", "x-racer", "2player/teamescape"} <= shadowed


def test_all_levels_read(shared: Path) -> None:
    paths = sorted((shared / "gvgai/games").glob("*/*_lvl*.txt"))
    assert len(paths) == LEVELS
    odd: Counter[str] = Counter()
    for path in paths:
        definition = game(path.with_name(path.name.rsplit("_lvl", 1)[0] + ".txt"))
        found = check_level(path, definition, reading="gvgai")
        assert all(d.severity == "warning" for d in found), path
        odd.update(f"{path.stem} {d.rule}" for d in found)
    assert odd["arkanoid_lvl3 language 2.1.4"] == 14
    assert (
        odd["thecitadel_lvl1 language 2.1.3"]
        and odd["shipwreck_lvl4 language 2.1.3"]
        and odd["lander_lvl0 language 2.1.3"]
    )


def test_formatting_keeps_every_tree(shared: Path) -> None:
    for path in game_files(shared):
        tree = loads(path.read_text(), file=path.name)
        text = dumps(tree)
        assert loads(text) == tree, path
        assert dumps(loads(text)) == text, path


def test_formatting_keeps_every_game(shared: Path) -> None:
    for path in game_files(shared):
        formatted = read_game(dumps(loads(path.read_text())), reading="gvgai")
        assert essence(formatted) == essence(game(path)), path


def essence(definition: GameDefinition) -> Any:
    """A game without the lines it was written on."""
    return (
        [(t.name, t.class_name, t.path, t.subtypes, dict(t.params), t.singleton) for t in definition.types],
        definition.draw_order,
        [(e.name, dict(e.params), e.inner) for e in definition.effects],
        [(p.first, p.second, p.effects) for p in definition.pairs],
        definition.eos_types,
        [(t.name, dict(t.params)) for t in definition.terminations],
        dict(definition.mapping),
    )


def traces(shared: Path) -> list[Path]:
    return sorted((shared / "gvgai/traces").glob("*/*/lvl*_random.jsonl.gz"))


def test_types_classes_order_and_size_are_the_references(shared: Path) -> None:
    seen = set()
    for path in traces(shared):
        with gzip.open(path, "rt") as lines:
            header = json.loads(next(lines))
        seen.add(header["game"])
        definition, level = setup(shared, header)
        assert [t.name for t in definition.types] == header["types"], path
        assert [t.class_name for t in definition.types] == header["classes"], path
        assert list(definition.draw_order) == header["sprite_order"], path
        resources = [t.id for t in definition.types if t.class_name in ("Resource", "ResourcePack")]
        assert resources == header["resource_types"], path
        assert (definition.counters, definition.players) == (header["no_counters"], header["players"]), path
        size = (level.width, level.height, level.block_size)
        assert size == (header["width"], header["height"], header["block_size"]), path
    assert len(seen) == TRACED


def test_initial_sprites_are_the_references(shared: Path) -> None:
    for path in traces(shared):
        with gzip.open(path, "rt") as lines:
            header, start = json.loads(next(lines)), json.loads(next(lines))
        definition, level = setup(shared, header)
        recorded = {sprite[0]: sprite for sprite in start["s"]}
        created = list(creations(definition, level))
        assert sorted(recorded) == [number for number, *_ in created], path
        for number, type_id, x, y in created:
            sprite = recorded[number]
            assert (type_id, x * level.block_size, y * level.block_size) == tuple(sprite[1:4]), path
            assert field_values(definition, type_id, level.block_size) == tuple(sprite[4:10]), path


def setup(shared: Path, header: dict[str, Any]) -> tuple[GameDefinition, Level]:
    path = shared / "gvgai/games" / f"{header['game']}.txt"
    level = path.with_name(f"{path.stem}_lvl{header['level']}.txt")
    return game(path), read_level(level, game(path), reading="gvgai")


def creations(definition: GameDefinition, level: Level) -> list[tuple[int, int, int, int]]:
    """Sprite ids of the placements: singletons refused, surplus avatars removed (reference/language 2.1.4, 2.1.7)."""
    counts: Counter[int] = Counter()
    result = []
    for type_id, x, y in level.placements:
        singles = [definition.types[a] for a in definition.types[type_id].path if definition.types[a].singleton]
        if any(sum(counts[u] for u in single.subtypes) for single in singles):
            continue
        result.append((sum(counts.values()), type_id, x, y))
        counts[type_id] += 1
    avatars = [c for c in result if ontology.SPRITE_CLASSES[definition.types[c[1]].class_name or ""].avatar]
    return [c for c in result if c not in avatars[definition.players :]]


def field_values(definition: GameDefinition, type_id: int, block: int) -> tuple[float, ...]:
    """Width, height, orientation, speed and health of a new sprite: given parameters, else the class's defaults."""
    sprite = definition.types[type_id]
    params = ontology.SPRITE_CLASSES[sprite.class_name or ""].params
    value: dict[str, Any] = {key: sprite.params.get(key, param.default) for key, param in params.items()}
    size = int(block * value["wMult"]), int(block * value["hMult"])
    return (*size, *value["orientation"], value["speed"], value["healthPoints"])


@pytest.mark.parametrize("reading", ["strict", "gvgai"])
def test_nothing_but_findings_comes_out_of_swapped_games_and_levels(shared: Path, reading: str) -> None:
    levels = sorted((shared / "gvgai/games/gridphysics").glob("*_lvl0.txt"))
    for path, other in zip(levels, [*levels[7:], *levels[:7]], strict=True):
        definition = game(path.with_name(path.name.rsplit("_lvl", 1)[0] + ".txt"))
        assert isinstance(check_level(other, definition, reading=reading), list)
