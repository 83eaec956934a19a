"""Speed at which rule sets for one sprite set are checked, compiled and put on a level, against reading their texts.

    python benchmarks/rule_compiler.py [--candidates 3000] [--games dungeon invaders] [--memory 100000] [--json FILE]

Candidates are a game's own rules changed as evolution does it: some taken out, some replaced or added at random.
Times are processor time of one thread. Candidates with errors count: finding them is the work. `--memory N` compiles N
candidates and prints the resident memory on the way.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
from rich.console import Console
from rich.table import Table

import pcg
from pcg.engine.context import Context
from pcg.engine.vgdl import check_game, loads, ontology, read_game
from pcg.engine.vgdl.compiler import GameTables
from pcg.engine.vgdl.rule_compiler import RuleCompiler, rules_of
from pcg.engine.vgdl.tree import InteractionLine, Option, TerminationLine, Word

Rules = tuple[list[InteractionLine], list[TerminationLine]]


def drawn(names: list[str], rng: random.Random) -> InteractionLine:
    """A rule from the ontology with its required parameters."""
    effect = rng.choice([e for e in ontology.EFFECTS.values() if e.runnable])
    options = []
    for param in effect.params.values():
        if param.required:
            options.append(Option(param.name, rng.choice(names) if param.references else "killSprite"))
    if rng.random() < 0.5:
        options.append(Option("scoreChange", str(rng.randint(-9, 9))))
    one, two = rng.choice(names), rng.choice([*names, "EOS"])
    return InteractionLine(
        first=Word(one), seconds=(Word(two),), arrow=Word(">"), effects=(Word(effect.name),), options=tuple(options)
    )


def candidates(game: pcg.Game, count: int, seed: int = 0) -> Iterator[Rules]:
    """Rule sets, each a change of one of the last hundred: lines pass from parent to child as objects."""
    rng = random.Random(seed)
    names = [t.name for t in game.definition.types if t.leaf]
    own, endings = rules_of(loads(game.definition.source))
    population = [own]
    for _ in range(count):
        rules = list(rng.choice(population))
        for _ in range(rng.randint(1, 2)):
            kind = rng.randrange(3)
            if kind == 0 or not rules:
                rules.insert(rng.randint(0, len(rules)), drawn(names, rng))
            elif kind == 1 and len(rules) > len(own) // 2:
                del rules[rng.randrange(len(rules))]
            else:
                rules[rng.randrange(len(rules))] = drawn(names, rng)
        rules = rules[: 2 * len(own)]
        population = [*population[-99:], rules]
        yield rules, endings


def timed(work: Callable[[], object]) -> float:
    """Processor seconds."""
    before = time.process_time()
    work()
    return time.process_time() - before


def measure(name: str, count: int) -> dict[str, Any]:
    """Milliseconds per candidate of both ways."""
    game = pcg.load(name)
    level = game.levels[0]
    compiler = RuleCompiler(game.definition)
    sets = list(candidates(game, count))
    made: list[Any] = []
    new = timed(lambda: made.extend(compiler.compile(*rules) for rules in sets)) / count
    good = [m for m in made if m.ok]
    game.context(0)  # what is loaded once is no cost of a candidate
    contexts = timed(lambda: [m.game([level]).context(0) for m in good]) / len(good)
    few = made[: max(1, count // 20)]
    checked = timed(lambda: [check_game(m.text) for m in few]) / len(few)
    valid = [m for m in few if m.definition is not None]
    read = timed(lambda: [GameTables(read_game(m.text)) for m in valid]) / max(1, len(valid))
    resolved = game.read_level(0)
    alone = timed(lambda: [Context(GameTables(m.definition), resolved) for m in valid]) / max(1, len(valid))
    rules = sum(len(r) for r, _ in sets) / count
    return {
        "game": name,
        "rules": round(rules, 1),
        "valid": round(len(good) / count, 3),
        "compile_ms": round(1e3 * new, 3),
        "compiled_per_minute": round(60 / new),
        "context_ms": round(1e3 * contexts, 3),
        "contexts_per_minute": round(60 / contexts),
        "text_check_ms": round(1e3 * checked, 3),
        "text_read_and_tables_ms": round(1e3 * read, 3),
        "tables_and_context_alone_ms": round(1e3 * alone, 3),
    }


def memory(name: str, count: int, console: Console) -> list[tuple[int, float]]:
    """Resident MiB after so many candidates."""
    game = pcg.load(name)
    compiler = RuleCompiler(game.definition)
    process = psutil.Process()
    found = []
    for k, rules in enumerate(candidates(game, count), 1):
        made = compiler.compile(*rules)
        if made.ok and k % 10 == 0:
            made.game([game.levels[0]]).start(0, seed=k).advance("NIL")
        if k % max(1, count // 10) == 0:
            found.append((k, process.memory_info().rss / 2**20))
            console.print(f"{name}: {k} candidates, {found[-1][1]:.1f} MiB")
    return found


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--candidates", type=int, default=3000)
    parser.add_argument("--games", nargs="+", default=["boxes", "invaders", "dungeon", "crossing"])
    parser.add_argument("--memory", type=int, default=0, metavar="N")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    console = Console()
    rows = [measure(name, args.candidates) for name in args.games]
    table = Table(title=f"{args.candidates} rule sets per game, processor time of one thread")
    table.add_column("")
    for row in rows:
        table.add_column(row["game"], justify="right")
    for key in list(rows[0])[1:]:
        table.add_row(key.replace("_", " "), *(f"{row[key]:,}" for row in rows))
    console.print(table)
    used = memory(args.games[0], args.memory, console) if args.memory else []
    if args.json:
        args.json.write_text(json.dumps({"games": rows, "memory_mib": used}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
