"""Time until the default of `pcg levels` has feasible levels in every one-player grid game of the corpus and ours.

A level is feasible when an agent wins it and all constraints of the evaluation are kept. Each game is one run on one
core; what is measured is the processor time from the start of the generator to the verdict on the first feasible
level and to that on the tenth of ten distinct ones (as runs tell levels apart), so that other programs on the machine
do not count. A game ends with that or with its time. Games that were measured are skipped when the program is called
again (also after `kill -9`); `--again` measures those anew that fell short, `report` writes docs/results/levels.md, and
levels.csv beside it, from which games that are not in the store are taken.

    python benchmarks/levels_corpus.py measure --minutes 60
    python benchmarks/levels_corpus.py measure --games aliens zelda --seconds 20 --store build/try --show
    python benchmarks/levels_corpus.py report
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path

from pcg.engine.game import Game, builtin_games, load
from pcg.engine.kernel.runtime import compile_all
from pcg.engine.model import RESERVE
from pcg.engine.vgdl.diagnostics import PcgError, nearest
from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.fitness import CONSTRAINTS, LevelEvaluator
from pcg.evaluators.metrics.niches import niche_width
from pcg.evaluators.metrics.skeletons import StructuralShape, StructuralShapes
from pcg.generators.levels import Candidate, make_generator
from pcg.runs.experiments.levels_config import LevelRun

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT.parent / "shared" / "gvgai" / "games"
STORE = ROOT / "runs" / "levels-corpus"
REPORT = ROOT / "docs" / "results" / "levels.md"
LIST, PHYSICS = "all_games_sp.csv", "gridphysics"
FEW = 20
"""Evaluations below which it is their cost that leaves a game short."""
DISTINCT = 10
"""Feasible levels that are wanted of a game, no two of them alike."""


@dataclass(frozen=True)
class Outcome:
    """Result of one run over one game."""

    game: str
    own: bool
    """True for games of the toolkit, False for games of the corpus."""
    seed: int
    limit: float
    seconds: float
    """Processor seconds to the verdict on the first feasible level, or until it was given up."""
    evaluations: int
    """Levels evaluated until then."""
    feasible: bool
    origin: str = ""
    """Generator or operator that made the feasible level."""
    winner: str = ""
    """The agent that won it."""
    length: int = 0
    """Ticks of its win."""
    failing: Mapping[str, int] = field(default_factory=dict)
    """Constraint -> infeasible levels of which it is the first that is not kept."""
    level: str = ""
    """The feasible level, or the one nearest to it."""
    constraints: Mapping[str, float] = field(default_factory=dict)
    """Of `level`."""
    revision: str = ""
    """Of the repository when it was measured; "" for one before revisions were kept."""
    maker: str = "portfolio"
    """The generator."""
    distinct: int = 0
    """Distinct feasible levels, up to `DISTINCT`."""
    seconds_distinct: float = 0.0
    """Processor seconds to the last of these."""
    evaluations_all: int = 0
    """Levels evaluated until the game ended."""

    @property
    def worst(self) -> str:
        """The constraint that fails most, "" without infeasible levels."""
        return max(self.failing, key=lambda name: self.failing[name], default="")

    @property
    def soon(self) -> bool:
        """True where the verdict on a feasible level came in time: an evaluation that has begun is not cut short."""
        return self.feasible and self.seconds <= self.limit

    @property
    def ten(self) -> bool:
        """True where that on the last of `DISTINCT` did."""
        return self.distinct == DISTINCT and self.seconds_distinct <= self.limit


def games(folder: Path) -> dict[str, Path | None]:
    """Name -> file of every game to be measured, None for a built-in one; those of the corpus first.

    Raises:
        PcgError: when there is no corpus in the folder.
    """
    try:
        rows = list(csv.reader((folder / LIST).open(encoding="utf-8")))
    except OSError as error:
        raise PcgError(f"no corpus in {folder}: {error.strerror} ({LIST}); name its folder with --corpus") from None
    files = [folder / row[1].removeprefix("examples/") for row in rows if len(row) > 1]
    found: dict[str, Path | None] = {file.stem: file for file in files if file.parent.name == PHYSICS}
    for name in builtin_games():
        found[f"our {name}" if name in found else name] = None
    return found


def open_game(name: str, file: Path | None) -> Game:
    """The game."""
    return load(file, reading="gvgai") if file is not None else load(name.removeprefix("our "))


@cache
def revision() -> str:
    """The commit that is checked out, "" outside a repository."""
    asked = subprocess.run(
        ("git", "rev-parse", "--short", "HEAD"), cwd=ROOT, capture_output=True, text=True, check=False
    )
    return asked.stdout.strip()


def measure(name: str, file: Path | None, seed: int, limit: float, maker: str) -> Outcome:
    """Make levels of one game until ten distinct ones are feasible or the time is up; memory is kept, as by runs."""
    with RESERVE.open():
        return measured(name, file, seed, limit, maker)


def measured(name: str, file: Path | None, seed: int, limit: float, maker: str) -> Outcome:
    """Return what becomes of the levels of one game."""
    game = open_game(name, file)
    started = time.process_time()
    generator = make_generator(maker, game, seed=seed)
    evaluator = LevelEvaluator(game)
    distance = niche_width(generator.context.example_texts, LevelRun.distance)  # as runs tell levels apart
    shapes = StructuralShapes(generator.context.palette, generator.context.examples, distance)
    failing = Counter[str]()
    nearest_one: tuple[float, Candidate, Evaluation] | None = None
    first: tuple[float, int] | None = None
    kept: list[StructuralShape] = []
    last = seconds = 0.0
    evaluations = 0
    while len(kept) < DISTINCT and seconds < limit:
        (candidate,) = generator.ask(1)
        evaluation = evaluator.evaluate(candidate.level, seed)
        generator.tell([candidate], [evaluation])
        evaluations += 1
        seconds = time.process_time() - started
        value = 2.0 if evaluation.feasible else evaluation.constraint
        if nearest_one is None or value > nearest_one[0]:
            nearest_one = value, candidate, evaluation
        if not evaluation.feasible:
            if first is None:
                failing[next(c for c in CONSTRAINTS if evaluation.constraints[c] < 1)] += 1
            continue
        first = first or (seconds, evaluations)
        shape = shapes(candidate.level)
        if all(shape.distance(other) >= distance for other in kept):
            kept.append(shape)
            last = seconds
    assert nearest_one is not None
    _, candidate, evaluation = nearest_one
    return Outcome(
        name, file is None, seed, limit, round(first[0] if first else seconds, 2), first[1] if first else evaluations,
        evaluation.feasible, candidate.origin if evaluation.feasible else "", evaluation.winner, len(evaluation.play),
        dict(failing.most_common()), candidate.level, {k: round(v, 3) for k, v in evaluation.constraints.items()},
        revision(), maker, len(kept), round(last, 2), evaluations,
    )  # fmt: skip


# --- the store --------------------------------------------------------------------------------------------------------


def stored(store: Path) -> dict[str, Outcome]:
    """The latest outcome of each game; a last line that was cut off is left out."""
    found: dict[str, Outcome] = {}
    path = store / "results.jsonl"
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                outcome = Outcome(**json.loads(line))
            except (json.JSONDecodeError, TypeError):
                continue
            found[outcome.game] = outcome
    return found


COLUMNS = (
    "game", "own", "seed", "limit", "seconds", "evaluations", "feasible", "origin", "winner", "length", "failing",
    "revision", "maker", "distinct", "seconds_distinct", "evaluations_all",
)  # fmt: skip
"""Row of an outcome in the table beside the page: all but the level and its constraints."""


def table(outcomes: Sequence[Outcome]) -> str:
    """The outcomes as CSV."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(COLUMNS)
    for outcome in outcomes:
        found = asdict(outcome)
        rows.writerow([json.dumps(found[c]) if c == "failing" else found[c] for c in COLUMNS])
    return text.getvalue()


def of_table(path: Path) -> dict[str, Outcome]:
    """The outcomes of a table that `table` wrote, by game; none where there is no such file."""
    if not path.exists():
        return {}
    found = {}
    for row in csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))):
        numbers = {name: int(row[name]) for name in ("seed", "evaluations", "length", "distinct", "evaluations_all")}
        times = {name: float(row[name]) for name in ("limit", "seconds", "seconds_distinct")}
        words = {name: row[name] for name in ("game", "origin", "winner", "revision", "maker")}
        states = {name: row[name] == "True" for name in ("own", "feasible")}
        found[row["game"]] = Outcome(**words, **numbers, **times, **states, failing=json.loads(row["failing"]))
    return found


def keep(store: Path, outcome: Outcome) -> None:
    """Write an outcome down."""
    store.mkdir(parents=True, exist_ok=True)
    path = store / "results.jsonl"
    cut = path.exists() and path.stat().st_size > 0 and not path.read_bytes().endswith(b"\n")
    with path.open("a", encoding="utf-8") as file:
        file.write(("\n" if cut else "") + json.dumps(asdict(outcome)) + "\n")


def chosen(names: Sequence[str], known: Mapping[str, Path | None]) -> list[str]:
    """The games named, all without any.

    Raises:
        PcgError: for a name that is none of `known`.
    """
    for name in names:
        if name not in known:
            near = nearest(name, known)
            raise PcgError(f"no game `{name}` among the {len(known)}" + (f", did you mean `{near}`?" if near else ""))
    return list(names) or list(known)


def run(given: argparse.Namespace) -> bool:
    """Measure what has not been measured; whether everything has been."""
    known = games(given.corpus)
    names = chosen(given.games, known)
    done = stored(given.store)
    deadline = None if given.minutes is None else time.monotonic() + 60 * given.minutes
    revision()  # of what is loaded now, whatever is checked out later
    compile_all()
    for name in names:
        outcome = done.get(name)
        if outcome is not None and (outcome.ten or not given.again) and not given.show:
            continue
        if deadline is not None and time.monotonic() > deadline:
            return False
        game = open_game(name, known[name])
        if game.players != 1:
            continue
        outcome = measure(name, known[name], given.seed, given.seconds, given.generator)
        keep(given.store, outcome)
        found = f"{outcome.winner}, {outcome.length} ticks" if outcome.feasible else f"none: {dict(outcome.failing)}"
        print(
            f"{name:20} {outcome.seconds:6.1f} s {outcome.evaluations:4} evaluations  {found}; "
            f"{outcome.distinct} distinct in {outcome.seconds_distinct:.1f} s, {outcome.evaluations_all} evaluations",
            flush=True,
        )
        if given.show:
            print(outcome.level, {k: v for k, v in outcome.constraints.items() if v < 1}, sep="\n", flush=True)
    return True


# --- report -----------------------------------------------------------------------------------------------------------


def page(outcomes: Mapping[str, Outcome], known: Mapping[str, Path | None], note: str = "") -> str:
    """The results as Markdown, with a sentence on the machine or whatever is to be known besides."""
    found = [outcomes[name] for name in known if name in outcomes]
    groups = {"corpus": [o for o in found if not o.own], "our own": [o for o in found if o.own], "together": found}
    limit = max((o.limit for o in found), default=0.0)
    lines = [
        "# Results: levels for every game",
        "",
        f"How soon `{'`, `'.join(sorted({o.maker for o in found}))}`, the default of `pcg levels`, has feasible "
        "levels: an agent wins them, doing nothing neither wins nor loses them at once, and all other constraints are "
        "kept ([Level generators](../generators.md)). One run per game on one core, default parameters, ended by "
        f"{DISTINCT} distinct feasible levels (as runs tell levels apart) or after {limit:g} s of processor time; seed "
        f"{', '.join(sorted({str(o.seed) for o in found}))}. Written by `python benchmarks/levels_corpus.py report`.",
        "",
        "Their style, courses, and levels a second are on a [page of their own](level-style.md), hard "
        "[puzzles](puzzles.md) and the problems of the [PCG Benchmark](pcg-benchmark.md) on others, each with its "
        "commands. `evolve`, the default before, was "
        "measured on all of them (seed 7, at several earlier states): 108 of the 110 of the corpus and all 18 of ours "
        "had a feasible level, in 0.8 s in the median; *assemblyline* and *rivers* had none.",
        "",
        "| games | measured | with a feasible one | median seconds | within 5 s | with ten | share | median seconds |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for title, group in groups.items():
        if group:
            won = sorted(o.seconds for o in group if o.soon)
            ten = sorted(o.seconds_distinct for o in group if o.ten)
            middle = [f"{times[len(times) // 2]:.1f}" if times else "" for times in (won, ten)]
            lines.append(
                f"| {title} | {len(group)} | {len(won)} | {middle[0]} | {sum(s <= 5 for s in won)} | {len(ten)} | "
                f"{len(ten) / len(group):.1%} | {middle[1]} |"
            )
    lines += ["", *([note, ""] if note else [])]
    lines += [*_unseen(found), *_left_out(known), "", *_revisions(found), *_dear(found)]
    failed = [o for o in found if not o.feasible]
    if failed:
        lines += ["## Games without", "", "| game | evaluations | what failed first, and how often |", "|---|---:|---|"]
        lines += [
            f"| {o.game} | {o.evaluations} | {', '.join(f'{k} {v}' for k, v in o.failing.items())} |" for o in failed
        ]
        lines.append("")
    fewer = [o for o in found if o.feasible and not o.ten]
    if fewer:
        lines += [
            f"## Games without {DISTINCT} in time", "",
            "An evaluation that has begun in time is not cut short, and counts here but not above.", "",
            "| game | distinct | in seconds | evaluations |", "|---|---:|---:|---:|",
        ]  # fmt: skip
        lines += [f"| {o.game} | {o.distinct} | {o.seconds_distinct:.1f} | {o.evaluations_all} |" for o in fewer]
        lines.append("")
    lines += [
        "## Game by game",
        "",
        "| game | seconds | evaluations | made by | won by | ticks | fails most | distinct | in seconds | of |",
        "|---|---:|---:|---|---|---:|---|---:|---:|---:|",
    ]
    for o in found:
        lines.append(
            f"| {o.game} | {o.seconds:.1f} | {o.evaluations} | {o.origin if o.feasible else '**none**'} | {o.winner} | "
            f"{o.length or ''} | {o.worst} | {o.distinct} | {o.seconds_distinct:.1f} | {o.evaluations_all} |"
        )
    return "\n".join(lines) + "\n"


def _unseen(found: Sequence[Outcome]) -> Iterator[str]:
    """Say in how many games the first feasible level is one of which no win is known."""
    unseen = [o.game for o in found if o.feasible and not o.winner]
    if unseen:
        yield (
            f"In {len(unseen)} games no win of the first feasible level is known: the search does not win all of their "
            "own levels either, and the text is like theirs ([Judging levels](../judging-levels.md)). These are "
            f"{', '.join(unseen)}."
        )
        yield ""


def _revisions(found: Sequence[Outcome]) -> Iterator[str]:
    """Tell the state of the repository at which games were measured."""
    by_revision: dict[str, list[str]] = {}
    for outcome in found:
        by_revision.setdefault(outcome.revision, []).append(outcome.game)
    if len(by_revision) < 2:
        yield from (f"All of it was measured at {state}, one state of the repository.\n" for state in by_revision)
        return
    *few, most = sorted(by_revision, key=lambda r: len(by_revision[r]))

    def at(state: str) -> str:
        return f"at {state}" if state else "before revisions were kept"

    apart = "; ".join(f"{at(r)}: {', '.join(by_revision[r])}" for r in few)
    yield f"Not all of it is from the same state of the repository: most was measured {at(most)}; {apart}."
    yield "The sums above join them, and were not measured as a whole at any one state."
    yield ""


def _dear(found: Sequence[Outcome]) -> Iterator[str]:
    """Say in how many of the games that fall short it is the cost of an evaluation that leaves them so."""
    short = [o for o in found if not o.ten]
    dear = [o for o in short if o.evaluations_all < FEW]
    if dear:
        yield (
            f"In {len(dear)} of the {len(short)} games without {DISTINCT} no more than {FEW - 1} levels were evaluated "
            "in the time: their maps are large, and a level that is not won costs whole searches, as do one "
            "or two of the game's own levels, which are asked whether the same search wins them."
        )
        yield ""


def _left_out(known: Mapping[str, Path | None]) -> Iterator[str]:
    """List the games that are not measured, with the reason."""
    two = [name for name, file in known.items() if file is None and open_game(name, file).players != 1]
    yield (
        f"The corpus here is the {sum(file is not None for file in known.values())} games with grid physics of its "
        f"list of one-player games ({LIST}). Left out are games for two players, for which no levels are generated: "
        f"the corpus' list of them and, of our own, {', '.join(two)}."
    )


def main() -> int:
    """Read the command line and do it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("measure", "report"))
    parser.add_argument("--games", nargs="+", default=[], metavar="GAME", help="only these")
    parser.add_argument("--seconds", type=float, default=60.0, help="processor time after which a game is given up")
    parser.add_argument("--minutes", type=float, help="begin no further game after this time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--generator", default="portfolio", help="which levels are made by")
    parser.add_argument("--again", action="store_true", help="measure games anew that fell short")
    parser.add_argument("--show", action="store_true", help="measure in any case, and print the levels")
    parser.add_argument("--corpus", type=Path, default=CORPUS, help="folder of the corpus")
    parser.add_argument("--store", type=Path, default=STORE, help="folder of the results")
    parser.add_argument("--note", default="", help="a sentence that `report` puts below the sums")
    parser.add_argument("--out", type=Path, default=REPORT, help="page that `report` writes")
    given = parser.parse_args()
    try:
        if given.what == "report":
            known, beside = games(given.corpus), given.out.with_suffix(".csv")
            outcomes = of_table(beside) | stored(given.store)
            given.out.write_text(page(outcomes, known, given.note), encoding="utf-8")
            beside.write_text(table([outcomes[name] for name in known if name in outcomes]), encoding="utf-8")
            print(given.out)
            return 0
        done = run(given)
        print("everything is measured" if done else "the time is up; the same command goes on")
    except PcgError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted; the same command goes on", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
