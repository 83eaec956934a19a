"""Rule sheets to ground rules: our grounder beside clingo's, on the same split rules, in the same run.

    python benchmarks/gdl_grounding.py SHEETS... [--limit 60] [--json FILE]

Both get what the checker and the splitting make of a sheet. For clingo it is written as a logic program in which every
fact that can be reached may or may not hold (`{true(F)} :- next(F).`) and every legal move may or may not be made, so
that only what depends on neither is decided while grounding. Three times are taken, in processor seconds: *ours*;
*clingo*, of its grounding alone; *handed over*, of its grounding with an observer that counts the ground rules, which
is the least that a program in Python must do to get at them. A grounding that takes longer than the limit, which for
clingo only another process can enforce, is shown as such.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import clingo

from pcg.engine.gdl.checker import Program, analyse
from pcg.engine.gdl.clauses import Clause
from pcg.engine.gdl.errors import GroundingLimit
from pcg.engine.gdl.grounding import Limits, ground
from pcg.engine.gdl.parser import read
from pcg.engine.gdl.splitting import split
from pcg.engine.gdl.tree import Sentence, Term, Variable

STATE = """
{ true(F) } :- init(F).
{ true(F) } :- next(F).
{ does(R, M) } :- legal(R, M).
"""


class AsProgram:
    """A program in clingo's language; names are numbered, since what GDL allows in a name clingo does not."""

    KEPT = ("init", "next", "legal", "true", "does")

    def __init__(self, program: Program) -> None:
        self._names: dict[tuple[str, str], str] = {}
        self.text = "\n".join(
            [*map(self._clause, program.clauses), STATE, *(f"#defined {n}/1." for n in ("init", "next")),
             "#defined legal/2."]
        )  # fmt: skip

    def _clause(self, clause: Clause) -> str:
        body = [*map(self._sentence, (*clause.positive, *clause.guards))]
        body += [f"not {self._sentence(s)}" for s in clause.negative]
        body += [f"{self._term(a)} != {self._term(b)}" for a, b in clause.distinct]
        head = self._sentence(clause.head)
        return f"{head} :- {', '.join(body)}." if body else f"{head}."

    def _sentence(self, sentence: Sentence) -> str:
        known = sentence.name in self.KEPT
        name = sentence.name if known else self._name("p", f"{sentence.name}/{len(sentence.args)}")
        return f"{name}({', '.join(map(self._term, sentence.args))})" if sentence.args else name

    def _term(self, term: Term) -> str:
        if isinstance(term, Variable):
            return self._name("V", str(term))
        if isinstance(term, tuple):
            return f"{self._name('f', str(term[0]))}({', '.join(map(self._term, term[1:]))})"
        return self._name("c", str(term))

    def _name(self, kind: str, name: str) -> str:
        return self._names.setdefault((kind, name), f"{kind}{len(self._names)}")


class Count(clingo.Observer):
    """Counts ground rules that are no facts, as they are handed over one by one."""

    def __init__(self) -> None:
        self.rules = 0

    def rule(self, choice: bool, head: Any, body: Any) -> None:
        """One of them."""
        self.rules += bool(body) and not choice


def ours(path: str) -> tuple[float, int]:
    """Processor seconds and ground rules of our grounder."""
    program = split(analyse(read(path)))
    started = time.process_time()
    found = ground(program, Limits(seconds=1e9))
    return time.process_time() - started, found.rows


def clingos(path: str, observed: bool) -> tuple[float, int]:
    """Those of clingo's."""
    text = AsProgram(split(analyse(read(path)))).text
    count = Count()
    started = time.process_time()
    control = clingo.Control(["--warn=none"])
    if observed:
        control.register_observer(count)
    control.add("base", [], text)
    control.ground([("base", [])])
    return time.process_time() - started, count.rules


def _answer(pipe: Connection, work: Callable[..., Any], args: tuple[Any, ...]) -> None:
    try:
        pipe.send(work(*args))
    except (GroundingLimit, RuntimeError) as error:
        pipe.send(str(error))


def limited(seconds: float, work: Callable[..., tuple[float, int]], *args: Any) -> tuple[float, int] | None:
    """Return the result of grounding in a process of its own; None when that takes too long."""
    mine, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=_answer, args=(theirs, work, args), daemon=True)
    process.start()
    answer = mine.recv() if mine.poll(seconds) else None
    process.kill()
    process.join()
    if isinstance(answer, str):
        print(answer)
        return None
    return answer


def main() -> None:
    """Print a line per sheet, and who was faster how often."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("sheets", nargs="+", type=Path)
    options.add_argument("--limit", type=float, default=60.0, help="seconds for one grounding")
    options.add_argument("--json", type=Path)
    given = options.parse_args()
    print(f"{'game':28} {'ours s':>8} {'rules':>10} {'clingo s':>9} {'handed over s':>14} {'rules':>10}")
    rows = []
    for path in given.sheets:
        mine = limited(given.limit, ours, str(path))
        alone = limited(given.limit, clingos, str(path), False)
        handed = limited(given.limit, clingos, str(path), True)
        rows.append({"game": path.stem, "ours": mine, "clingo": alone, "handed_over": handed})

        def shown(found: tuple[float, int] | None, width: int) -> str:
            return f"{found[0]:{width}.3f}" if found else f"{f'> {given.limit:g}':>{width}}"

        print(
            f"{path.stem:28} {shown(mine, 8)} {mine[1] if mine else '':>10} {shown(alone, 9)} {shown(handed, 14)} "
            f"{handed[1] if handed else '':>10}",
            flush=True,
        )
    never = (float("inf"), 0)
    for name, title in (("clingo", "clingo alone"), ("handed_over", "clingo, handed over")):
        faster = sum((row["ours"] or never)[0] < (row[name] or never)[0] for row in rows)
        both = [(row["ours"][0], row[name][0]) for row in rows if row["ours"] and row[name]]
        print(f"{title}: ours is faster on {faster} of {len(rows)}; in all {sum(a for a, _ in both):.1f} s and "
              f"{sum(b for _, b in both):.1f} s on the {len(both)} that both ground in time")  # fmt: skip
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
