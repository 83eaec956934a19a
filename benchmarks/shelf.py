"""The shelf of evolved games: `games/evolved`, and its page `docs/gallery-games.md`.

    python benchmarks/shelf.py finish RUN... --to CANDIDATES   # the games of runs, finished, to be read and played
    python benchmarks/shelf.py shelve CANDIDATE NAME           # one that is worth it goes on the shelf
    python benchmarks/shelf.py page                            # the gallery, from what is on the shelf

A RUN is the folder of `pcg rules` on one of the toolkit's own games. `finish` takes every game that the run kept:
points are rounded, levels are chosen, what changes nothing goes (as by `pcg minimise`), sprites get names after their
roles. The judge of games is asked again; what it finds unsound, or what random wins too often, is left out. A
candidate that is there is not made again. What goes on the shelf is decided by people, who play it.
"""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from pcg.engine.game import evolved_games, load
from pcg.engine.vgdl import parse
from pcg.engine.vgdl.formatter import dumps
from pcg.evaluators.agents import replay
from pcg.evaluators.evaluation import decode_play
from pcg.evaluators.judging.games import judge_game
from pcg.generators.rules.sprite_set import without_comments
from pcg.minimise.themes import THEMES
from pcg.render import render_level
from pcg.runs.experiments.finishing import THOROUGH, finished_game
from pcg.runs.experiments.kept_games import EFFORT
from pcg.runs.experiments.presentation import commented
from pcg.runs.store import read_json, to_json

ROOT = Path(__file__).parent.parent
SHELF = ROOT / "games" / "evolved"
PAGE = ROOT / "docs" / "gallery-games.md"
PICTURES = ROOT / "docs" / "images" / "games"
REPLAY_KEYS = {"U": "U", "D": "D", "L": "L", "R": "R", "X": "S", ".": "N"}
"""Letters of plays in runs, and those of stored replays."""

HEAD = """\
# Evolved games

{number} games that were found by search, each from the sprites of one of the toolkit's own games: rules, goal and
levels are new. Their goals are of {families} families: {names}.
What the search ranked first was read (rules, levels, wins), and these are what seemed worth showing; players have not
been asked. A click on a picture plays a level in its place, `pcg play NAME` on your machine; `games/evolved/NAME` has
the rules, the levels from easy to hard, a stored win of each, and where it comes from. What was measured, and what was
left out and why, is in [results](results/rules.md).
`benchmarks/shelf.py` makes this page.
"""
GAME = """\
## {name}

<a class="play-here" href="../play/evolved/{name}.html#level={shown}">![A level of {name}](images/games/{name}.png)</a>

{pitch}

{summary}

*How to play:* {how_to_play}

{levels} levels. A middling player (`olets`, 60 calls a decision) wins {middle:.0%} of its plays, chance {chance:.0%};
judged {value:.3f}. Concept: {concept}.

```sh
pcg play {name}
{command}    # makes it: candidate {candidate}, revision {revised}
```
"""


def finish(folders: list[str], to: Path, revision: str) -> None:
    """Finish the games that runs kept."""
    for given in folders:
        place, _, which = given.partition(":")
        only, _, chosen = which.partition("@")
        folder = Path(place)
        index = folder / "games" / "index.json"
        if not index.is_file():
            print(f"{folder.name}: nothing kept")
            continue
        manifest = read_json(folder / "run.json")
        for k, entry in enumerate(read_json(index)["games"]):
            out = to / f"{folder.name}-{k}"
            if out.is_dir() or (only and str(k) not in only.split(",")):
                continue
            game = load(folder / "games" / entry["file"], reading="strict")
            theme = chosen or THEMES[(sum(map(ord, folder.name)) + k) % len(THEMES)]
            done = finished_game(game.definition.source, game.levels, manifest["seed"], effort=THOROUGH, theme=theme)
            out.mkdir(parents=True)
            if done is None:
                (out / "rejected.txt").write_text("fewer than two levels can be won in twenty ticks or more\n")
                print(f"{out.name}: too short, or nobody wins", flush=True)
                continue
            last = load(done.text, levels=done.levels, reading="strict")
            verdict = judge_game(last, seed=manifest["seed"], effort=EFFORT)
            text, told = commented(done.text, done.levels)
            (out / "game.vgdl").write_text(text, encoding="utf-8")
            for number, level in enumerate(done.levels):
                (out / f"lvl{number}.txt").write_text(level + "\n", encoding="utf-8")
            plays = [_replay(last, win.level, win.seed, win.play) for win in done.wins]
            _write_replays(out, plays)
            provenance = {
                "start": manifest["start"],
                "command": _command(manifest), "sprites": manifest["game"]["name"], "seed": manifest["seed"],
                "candidate": entry["id"], "generation": entry["generation"], "revision": revision, **told,
                "value": round(verdict.value, 3), "middle": done.middle, "problem": verdict.problem,
                "random_wins": _random_wins(verdict.as_dict()), "removed": list(done.removed),
            }  # fmt: skip
            (out / "provenance.json").write_text(to_json(provenance, indent=2) + "\n", encoding="utf-8")
            print(f"{out.name}: {verdict.value:.3f} {told.get('goal')} {verdict.problem}", flush=True)


def _write_replays(folder: Path, plays: list[dict[str, Any]]) -> None:
    lines = ",\n".join("  " + json.dumps(play) for play in plays)
    (folder / "replays.json").write_text(f'{{"format": 1, "plays": [\n{lines}\n]}}\n', encoding="utf-8")


def _replay(game: Any, level: int, seed: int, play: str) -> dict[str, Any]:
    end = replay(game.start(level, seed=seed), decode_play(play))[-1]
    return {
        "level": level, "seed": seed, "actions": "".join(REPLAY_KEYS[c] for c in play), "winner": [int(end.winner)],
        "score": [float(end.score)], "ticks": int(end.tick),
    }  # fmt: skip


def _random_wins(judgement: dict[str, Any]) -> float | None:
    part = judgement["parts"].get("chance")
    return None if part is None else round(0.3 * (1.0 - part["value"]), 3)


def _command(manifest: dict[str, Any]) -> str:
    """Return the command that makes the run again."""
    words = ["pcg", "rules", manifest["game"]["name"], "--generator", manifest["generator"]["name"]]
    words += ["--seed", str(manifest["seed"]), "--budget", f"{manifest['budget']['evaluations']}evaluations"]
    words += ["--level", ",".join(map(str, manifest["levels"])), "-n", str(manifest["archive"]["size"])]
    words += ["--set", f"run.confirm={manifest['confirm']}", "--set", f"run.finalists={manifest['finalists']}"]
    words += [] if manifest.get("finish", 1) else ["--set", "run.finish=0"]
    if manifest["start"] != "nothing":
        words += ["--start", manifest["start"], "--set", f"run.drop={manifest['drop']:g}"]
    population = manifest["generator"]["parameters"].get("population")
    words += ["--set", f"generator.population={population}"] if population else []
    return shlex.join(words)


def shelve(candidate: Path, name: str) -> None:
    """Put a candidate on the shelf under a name, which is its title too."""
    if (candidate / "rejected.txt").is_file():
        raise SystemExit(f"{candidate} was rejected: {(candidate / 'rejected.txt').read_text()}")
    to = SHELF / name
    if to.is_dir():
        shutil.rmtree(to)
    shutil.copytree(candidate, to)
    game = load(to, reading="strict")
    text, told = commented(dumps(without_comments(parse(game.definition.source))), game.levels)
    title = name.replace("_", " ").capitalize()
    text, told = text.replace(f"# {told['title']}: ", f"# {title}: ", 1), {**told, "title": title}
    (to / "game.vgdl").write_text(text, encoding="utf-8")
    letters = {stored: own for own, stored in REPLAY_KEYS.items()}
    plays = read_json(to / "replays.json")["plays"]
    _write_replays(to, [
        _replay(game, p["level"], p["seed"], "".join(letters[c] for c in p["actions"])) for p in plays
    ])  # fmt: skip
    about = {**read_json(to / "provenance.json"), **told}
    (to / "provenance.json").write_text(to_json(about, indent=2) + "\n", encoding="utf-8")


def page() -> None:
    """Write the gallery."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    games = {name: (load(name), read_json(folder / "provenance.json")) for name, folder in evolved_games().items()}
    families = sorted({about["goal"] for _, about in games.values()})
    parts = [HEAD.format(number=len(games), families=len(families), names=", ".join(families))]
    for name, (game, about) in games.items():
        picture = PICTURES / f"{name}.png"
        middle = len(game.levels) // 2
        render_level(game, game.levels[middle], picture)
        chance = about["random_wins"] or 0.0
        known = {"levels": len(game.levels), "chance": chance, "revised": about["revision"][:10],
                 "shown": middle + 1}  # fmt: skip
        parts.append(GAME.format(name=name, **known, **about))
    PAGE.write_text("\n".join(parts), encoding="utf-8")
    for picture in PICTURES.glob("*.png"):
        if picture.stem not in games:
            picture.unlink()


def _revision() -> str:
    return subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()


def main() -> None:
    """Finish, shelve, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    made = commands.add_parser("finish")
    made.add_argument("runs", nargs="+", metavar="RUN", help="a folder; FOLDER:0,2@sea for some games, with a theme")
    made.add_argument("--to", type=Path, required=True)
    made.add_argument("--revision", default="", help="of the toolkit that made the runs")
    put = commands.add_parser("shelve")
    put.add_argument("candidate", type=Path)
    put.add_argument("name")
    commands.add_parser("page")
    options = parser.parse_args()
    if options.command == "finish":
        finish(options.runs, options.to, options.revision or _revision())
    elif options.command == "shelve":
        shelve(options.candidate, options.name)
    else:
        page()


if __name__ == "__main__":
    sys.exit(main())
