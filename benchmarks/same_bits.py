"""Comparison of two builds of the kernels bit by bit: plays of all games, a checksum after every tick.

Each level of each game is played with random actions (seed 0 uniformly, seed 1 repeating itself, and so on). `record`
writes what the kernels of this process make of them, `node` what a WebAssembly module makes of a recording's plays, and
`compare` says where recordings differ. Recordings can be made on different machines; with ``--like`` the plays of a
recording are repeated, and the state of the first difference is kept, so that `compare` can name its fields.

    python -m benchmarks.same_bits record build/v3.json.gz --corpus ../shared/gvgai/games
    PCG_KERNELS_TARGET=x86-64-v2 python -m benchmarks.same_bits record build/v2.json.gz --like build/v3.json.gz
    python -m benchmarks.same_bits node build/engine.wasm --like build/v3.json.gz --out build/wasm.json.gz
    python -m benchmarks.same_bits compare build/v3.json.gz build/v2.json.gz build/wasm.json.gz
    python -m benchmarks.same_bits speed build/engine.wasm --games boxes invaders
"""

from __future__ import annotations

import argparse
import base64
import gzip
import hashlib
import json
import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pcg.engine.benchmark import geometric_mean
from pcg.engine.context import Context
from pcg.engine.game import builtin_games, load
from pcg.engine.kernel.protocol import OK
from pcg.engine.native.difference import differences
from pcg.engine.native.replay import Native, Node, Play, Player, Record, advances, random_play, ticks_for
from pcg.engine.vgdl.diagnostics import PcgError

FORMAT = 1
SETS = ("gridphysics", "contphysics", "2player", "gameDesign")
_ENOUGH = 0.2
"""Processor seconds that a measurement of speed shall take at least."""
_TRIES = 3


# --- games and levels ---


def game_paths(corpus: Path | None, only: list[str]) -> dict[str, str | Path]:
    """Names of games and where they are: our own, and those of the corpus as ``<set>/<game>``."""
    found: dict[str, str | Path] = {name: name for name in builtin_games()}
    for folder in SETS if corpus is not None else ():
        for path in sorted((Path(str(corpus)) / folder).glob("*.txt")):
            if "_lvl" not in path.stem and not path.stem.endswith("_glvl"):  # levels alone
                found[f"{folder}/{path.stem}"] = path
    unknown = [name for name in only if name not in found]
    if unknown:
        raise PcgError(f"no game `{unknown[0]}` among {len(found)} games (games of the corpus need --corpus)")
    return {name: path for name, path in found.items() if not only or name in only}


def levels_of(name: str, path: str | Path, skipped: dict[str, str]) -> Iterator[tuple[str, int, Context]]:
    """The levels of a game as (``<game>:<level>``, players, context); what cannot be played is noted in `skipped`."""
    try:
        game = load(path)
        game.tables  # noqa: B018 - some games can be read but not run
    except PcgError as error:
        skipped[name] = str(error).splitlines()[0]
        return
    for k in range(len(game.levels)):
        try:
            yield f"{name}:{k}", game.players, game.context(k)
        except PcgError as error:
            skipped[f"{name}:{k}"] = str(error).splitlines()[0]


# --- recordings ---


def entry_of(play: Play, record: Record) -> dict[str, Any]:
    """A play and its record as plain data; checksums are eight hexadecimal digits each."""
    text = "".join(f"{c:08x}" for c in record.checksums)
    return {
        "seed": play.seed,
        "actions": [actions[: record.ticks] for actions in play.actions],
        "end": record.end,
        "digest": hashlib.sha256(text.encode()).hexdigest()[:16],
        "checksums": text,
    }


def checksums_of(entry: dict[str, Any]) -> list[str]:
    """The checksums of a recorded play: before the first tick, and after every tick."""
    text = entry["checksums"]
    return [text[k : k + 8] for k in range(0, len(text), 8)]


def first_difference(a: dict[str, Any], b: dict[str, Any]) -> int | None:
    """Return the tick after which two records of a play differ first, None when they are the same.

    The number of ticks both have plus 1 says that one of them ended earlier, or for another reason.
    """
    if (a["digest"], a["end"]) == (b["digest"], b["end"]):
        return None
    ones, others = checksums_of(a), checksums_of(b)
    pairs = enumerate(zip(ones, others, strict=False))
    return next((k for k, (one, other) in pairs if one != other), min(len(ones), len(others)))


def read(path: Path) -> dict[str, Any]:
    """A recording from a file."""
    try:
        data = path.read_bytes()
        found = json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)
    except (OSError, ValueError, EOFError) as error:
        raise PcgError(f"{path}: {error}") from error
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise PcgError(f"{path}: no recording of this version")
    return found


def write(path: Path, recording: dict[str, Any]) -> None:
    """Write a recording, compressed when the file's name ends with ``.gz``."""
    data = json.dumps(recording, separators=(",", ":")).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(data, 6, mtime=0) if path.suffix == ".gz" else data)


def kernels_here() -> str:
    """Name the kernels of this process in a few words."""
    target = os.environ.get("PCG_KERNELS_TARGET", "")
    return f"{platform.system()} {platform.machine()} {target or 'native'}"


def record_all(player: Player, kernels: str, args: argparse.Namespace, like: dict[str, Any] | None) -> dict[str, Any]:
    """Play all levels, or those of another recording as they were played there."""
    skipped: dict[str, str] = {}
    found: dict[str, list[dict[str, Any]]] = {}
    corpus = args.corpus or (Path(like["corpus"]) if like and like["corpus"] else None)
    for name, path in game_paths(corpus, args.games).items():
        for label, players, context in levels_of(name, path, skipped):
            if like is None:
                plays = [random_play(players, seed, args.ticks) for seed in range(args.plays)]
                found[label] = [entry_of(*pair) for pair in zip(plays, player.play(context, plays), strict=True)]
            elif label in like["plays"]:
                found[label] = _repeat(player, context, like["plays"][label])
        if args.verbose:
            print(f"  {name}", file=sys.stderr, flush=True)
    return {
        "format": FORMAT,
        "kernels": kernels,
        "corpus": str(corpus.resolve()) if corpus else "",
        "skipped": skipped,
        "plays": found,
    }


def _repeat(player: Player, context: Context, entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Repeat recorded plays; with the first one that differs goes the state in which it does."""
    plays = [Play(e["seed"], tuple(e["actions"])) for e in entries]
    found = []
    for entry, play, record in zip(entries, plays, player.play(context, plays), strict=True):
        made = entry_of(play, record)
        tick = first_difference(entry, made)
        if tick is not None and tick <= record.ticks:
            made["block"] = base64.b64encode(player.block(context, play, tick)).decode()
        found.append(made)
    return found


# --- comparing ---


def compare(
    one: dict[str, Any], other: dict[str, Any], most: int = 10, corpus: Path | None = None
) -> tuple[dict[str, Any], list[str]]:
    """Counts for the table, and a line for each level where plays differ (the first `most` with their fields)."""
    if corpus is None and one["corpus"]:
        corpus = Path(one["corpus"])
    row: dict[str, Any] = {"kernels": other["kernels"], "levels": 0, "plays": 0, "ticks": 0, "different": 0}
    games: dict[str, bool] = {}
    lines: list[str] = []
    for label, entries in one["plays"].items():
        if label not in other["plays"]:
            continue
        row["levels"] += 1
        name = label.rpartition(":")[0]
        reported = False
        for a, b in zip(entries, other["plays"][label], strict=False):
            if a["seed"] != b["seed"] or any(
                not _agree(*pair) for pair in zip(a["actions"], b["actions"], strict=True)
            ):
                raise PcgError(f"{label}: the recordings are of different plays, make one --like the other")
            row["plays"] += 1
            row["ticks"] += len(checksums_of(a)) - 1
            tick = first_difference(a, b)
            games[name] = games.get(name, True) and tick is None
            row["different"] += tick is not None
            if tick is not None and not reported:
                reported = True
                what = _fields(corpus, label, a, b, tick) if len(lines) < most else []
                lines.append("\n    ".join([f"{label} seed {a['seed']}: {_when(a, b, tick)}", *what]))
    row["games"] = len(games)
    row["identical"] = row["plays"] - row["different"]
    row["games_different"] = sum(not same for same in games.values())
    row["only_in_one"] = len(one["plays"].keys() ^ other["plays"].keys())
    return row, lines


def _agree(one: str, other: str) -> bool:
    """True when one of two sequences of actions is the beginning of the other."""
    return one.startswith(other) or other.startswith(one)


def _when(a: dict[str, Any], b: dict[str, Any], tick: int) -> str:
    if tick < min(len(checksums_of(a)), len(checksums_of(b))):
        return f"differs after tick {tick}" if tick else "differs before the first tick"
    return f"ends differently after tick {tick - 1}: {a['end']}, {b['end']}"


def _fields(corpus: Path | None, label: str, a: dict[str, Any], b: dict[str, Any], tick: int) -> list[str]:
    """The fields of the first difference, when `b` has kept its state and this process computes the state of `a`."""
    if "block" not in b:
        return ["(record it with --like to see which fields)"]
    name, _, level = label.rpartition(":")
    path = game_paths(corpus, [name])[name]
    context = load(path).context(int(level))
    play = Play(a["seed"], tuple(a["actions"]))
    (record,) = Native().play(context, [play])
    if len(record.checksums) <= tick or f"{record.checksums[tick]:08x}" != checksums_of(a)[tick]:
        return ["(the kernels here compute neither: compare where the first recording was made to see which fields)"]
    return differences(context, Native().block(context, play, tick), base64.b64decode(b["block"]))


def print_table(rows: list[dict[str, Any]]) -> None:
    """Print what was compared, a row for each build."""
    columns = ("kernels", "games", "games_different", "levels", "plays", "ticks", "identical", "different")
    widths = [max(len(c), *(len(str(row[c])) for row in rows)) for c in columns]
    for cells in ({c: c.replace("_", " ") for c in columns}, *rows):
        print("  ".join(str(cells[c]).rjust(w) for c, w in zip(columns, widths, strict=True)))


# --- speed ---


def speeds(context: Context, node: Node) -> tuple[float, float]:
    """Random ticks per processor second of the kernels here and of those in Node: the best of tries in turn."""
    room, count = ticks_for(context, _ENOUGH)
    tries = [(advances(context, room, count), node.advances(context, room, count)) for _ in range(_TRIES)]
    if any(status != OK for pair in tries for status, _ in pair):
        raise PcgError(f"{context!r}: ticks that fitted once do not fit again")
    return count / min(here[1] for here, _ in tries), count / min(there[1] for _, there in tries)


# --- commands ---


def _record(args: argparse.Namespace) -> None:
    recording = record_all(Native(), args.name or kernels_here(), args, read(args.like) if args.like else None)
    write(args.out, recording)
    _summary(recording)


def _node(args: argparse.Namespace) -> None:
    with Node(*args.module) as node:
        recording = record_all(node, args.name or f"WebAssembly {args.module[0].name}", args, read(args.like))
    write(args.out, recording)
    _summary(recording)


def _summary(recording: dict[str, Any]) -> None:
    games = {label.rpartition(":")[0] for label in recording["plays"]}
    plays = [entry for entries in recording["plays"].values() for entry in entries]
    ticks = sum(len(checksums_of(e)) - 1 for e in plays)
    levels = len(recording["plays"])
    print(f"{recording['kernels']}: {len(games)} games, {levels} levels, {len(plays)} plays, {ticks} ticks")
    for name, why in recording["skipped"].items():
        print(f"  skipped {name}: {why}")


def _compare(args: argparse.Namespace) -> None:
    one = read(args.one)
    rows = []
    for path in args.others:
        row, lines = compare(one, read(path), args.most, args.corpus)
        rows.append(row)
        for line in lines:
            print(f"{row['kernels']}: {line}")
    print_table(rows)
    missing = sum(row["only_in_one"] for row in rows)
    if missing:
        print(f"{missing} levels are in one recording only")
    sys.exit(any(row["different"] for row in rows))


def _speed(args: argparse.Namespace) -> None:
    found = []
    with Node(*args.module) as node:
        for name, path in game_paths(args.corpus, args.games).items():
            for _, _, context in levels_of(name, path, {}):
                here, there = speeds(context, node)
                found.append(there / here)
                print(f"{name:32} {here:10.0f}/s here {there:10.0f}/s in Node {there / here:6.2f}", flush=True)
                break
    print(
        f"{len(found)} games: Node / here {geometric_mean(found):.2f} (geometric mean), "
        f"{min(found):.2f} to {max(found):.2f}"
    )


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    games = argparse.ArgumentParser(add_help=False)
    games.add_argument("--corpus", type=Path, help="folder with the reference's games")
    games.add_argument("--games", nargs="+", default=[], help="only these, corpus games as SET/GAME")
    games.add_argument("--name", default="", help="what to call these kernels")
    games.add_argument("--verbose", action="store_true", help="print each game")
    record = commands.add_parser("record", parents=[games], help="play with the kernels of this process")
    record.add_argument("out", type=Path)
    record.add_argument("--like", type=Path, help="repeat the plays of this recording")
    record.add_argument("--ticks", type=int, default=200)
    record.add_argument("--plays", type=int, default=2, help="plays of each level")
    record.set_defaults(run=_record)
    node = commands.add_parser("node", parents=[games], help="repeat a recording with a WebAssembly module")
    node.add_argument("module", type=Path, nargs="+", help="the engine's module, and others that share its memory")
    node.add_argument("--like", type=Path, required=True, help="the recording")
    node.add_argument("--out", type=Path, required=True)
    node.set_defaults(run=_node)
    compared = commands.add_parser("compare", help="say where recordings differ from the first")
    compared.add_argument("one", type=Path)
    compared.add_argument("others", type=Path, nargs="+")
    compared.add_argument("--corpus", type=Path, help="where the reference's games are now")
    compared.add_argument("--most", type=int, default=10, help="differences whose fields are named")
    compared.set_defaults(run=_compare)
    speed = commands.add_parser("speed", parents=[games], help="a module's speed beside that of the kernels here")
    speed.add_argument("module", type=Path, nargs="+")
    speed.set_defaults(run=_speed)
    args = parser.parse_args()
    try:
        args.run(args)
    except PcgError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
