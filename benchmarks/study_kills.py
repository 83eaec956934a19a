"""kill -9 of a study's server at random moments while people take part: what is lost of what was acknowledged.

    python -m benchmarks.study_kills --kills 50
    python -m benchmarks.study_kills --kills 50 --runs server
    python -m benchmarks.study_kills --kills 50 --postgres
    python -m benchmarks.study_kills --kills 50 --shown four      # and the worst is asked for too

Simulated participants play and vote through the real pages, in the page or over the websocket; the server is killed and
started again on the same port, every second time in the middle of somebody's play. At the end the votes that the
participants saw acknowledged are compared with the database, so are the actions that were acknowledged to plays in the
page, and every play is played again.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from benchmarks.study_drill import drill
from pcg.study.config import RUNS
from pcg.study.creation import make_study, read_plan
from pcg.study.items import Source

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "pcg"))

BEST_AND_WORST = """
[[question]]
name = "prefer"

[[question]]
name = "worst"
answers = "worst"
"""


def main() -> None:
    """Print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--participants", type=int, default=8, help="at a time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", choices=RUNS, default="browser", help="where the games run")
    parser.add_argument("--shown", choices=("pair", "four"), default="pair", help="how many games are judged together")
    parser.add_argument("--postgres", action="store_true", help="in PostgreSQL instead of SQLite")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with contextlib.ExitStack() as open_:
        folder = Path(open_.enter_context(tempfile.TemporaryDirectory())) / "study"
        database = None
        if options.postgres:
            from postgres import Server

            server = Server()
            open_.callback(server.stop)
            database = server.new()
        config = folder.parent / "study.toml"
        config.write_text(BEST_AND_WORST if options.shown == "four" else "", encoding="utf-8")
        design = {"pairs": 4 if options.shown == "four" else 8, "shown": options.shown}
        settings = {"play": {"minimum": 1.5, "runs": options.runs}, "design": design}
        plan, _, texts = read_plan("study", config, settings)
        make_study(folder, plan, [Source("dungeon")], texts=texts, measure=False, database=database)
        report = drill(
            folder, database, kills=options.kills, participants=options.participants, seed=options.seed,
            progress=lambda count: print(f"\rkill {count}", end="", flush=True),
        )  # fmt: skip
    print()
    for name, value in asdict(report).items():
        print(f"{name:>16}  {value:.2f}" if isinstance(value, float) else f"{name:>16}  {value}")
    if options.json:
        options.json.write_text(json.dumps(asdict(report), indent=1) + "\n")


if __name__ == "__main__":
    main()
