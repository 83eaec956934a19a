"""Different games judged per minute, from text to verdict: by how far they go, with one thread and with several.

Candidates are the toolkit's own games with some rules changed at random: interactions and terminations are inserted,
deleted, or get another sprite, effect, number or outcome. Each is read, compiled and evaluated on the first level of
its game with the default settings: five agents, three seeds, plays of up to 200 ticks, racing on. `--checked` keeps
candidates whose text gives warnings out of the tables, as a generator that checks its own texts would.

Processor time is that of the process; the wall time per minute depends on what else the machine does, so its load is
printed.

    python benchmarks/game_evaluations.py [--games boxes hunt ...] [--candidates N] [--threads 1 2] [--checked] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import time
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from pcg.engine.game import Game, builtin_games, load
from pcg.engine.kernel.runtime import compile_all
from pcg.engine.vgdl import ontology, read_game
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.games import GameEvaluation, GameEvaluator

MOST_CHANGES = 4
SIMPLE = tuple(name for name, effect in ontology.EFFECTS.items() if set(effect.required) <= {"stype"})
"""Effects that need nothing, or a sprite."""


@dataclass(frozen=True)
class Base:
    """A game to start from: its lines before, between and behind the rules, and how to judge what comes of it."""

    name: str
    parts: dict[str, list[str]]
    """Lines by section; "" for those before the first."""
    sprites: tuple[str, ...]
    evaluator: GameEvaluator

    @classmethod
    def of(cls, name: str) -> Base:
        """A built-in game."""
        game = load(name)
        parts: dict[str, list[str]] = {"": []}
        section = ""
        for line in game.definition.source.splitlines():
            if re.fullmatch(r"\s*\w+Set\s*|\s*LevelMapping\s*", line):
                section = line.strip()
                parts[section] = [line]
            elif line.strip() and not line.strip().startswith("#"):
                parts[section].append(line)
        sprites = tuple(t.name for t in game.definition.types if t.leaf and t.line > 0)
        return cls(name, parts, sprites, GameEvaluator(game.levels[:1]))

    def mutated(self, chance: random.Random) -> str:
        """The game's text with some rules changed."""
        parts = {section: list(lines) for section, lines in self.parts.items()}
        for _ in range(chance.randint(1, MOST_CHANGES)):
            if chance.random() < 0.8:
                self._change_rule(parts["InteractionSet"], chance)
            else:
                self._change_ending(parts["TerminationSet"], chance)
        return "\n".join(line for lines in parts.values() for line in lines) + "\n"

    def _change_rule(self, lines: list[str], chance: random.Random) -> None:
        what = chance.choice(("insert", "delete", "sprite", "effect", "score"))
        at = chance.randrange(1, len(lines)) if len(lines) > 1 else 0
        if what == "insert" or at == 0:
            first, second = chance.choice(self.sprites), chance.choice((*self.sprites, "EOS"))
            lines.insert(max(1, at), f"        {first} {second} > {self._effect(chance)}")
        elif what == "delete":
            if len(lines) > 2:
                del lines[at]
        elif what == "sprite":
            pair, _, effect = lines[at].partition(">")
            words = pair.split()
            words[chance.randrange(len(words))] = chance.choice(self.sprites)
            lines[at] = f"        {' '.join(words)} >{effect}"
        elif what == "effect":
            pair, _, _ = lines[at].partition(">")
            lines[at] = f"{pair}> {self._effect(chance)}"
        else:
            lines[at] = re.sub(r" scoreChange=\S+", "", lines[at]) + f" scoreChange={chance.randint(-3, 5)}"

    def _effect(self, chance: random.Random) -> str:
        name = chance.choice(SIMPLE)
        score = f" scoreChange={chance.randint(-3, 5)}" if chance.random() < 0.4 else ""
        needed = "".join(f" {key}={chance.choice(self.sprites)}" for key in ontology.EFFECTS[name].required)
        return f"{name}{needed}{score}"

    def _change_ending(self, lines: list[str], chance: random.Random) -> None:
        sprite, win = chance.choice(self.sprites), chance.choice(("True", "False"))
        new = f"        SpriteCounter stype={sprite} limit={chance.choice((0, 0, 0, 1, 2))} win={win}"
        if chance.random() < 0.3:
            new = f"        Timeout limit={chance.randrange(50, 1000, 50)} win={win}"
        at = chance.randrange(1, len(lines) + 1)
        lines[at : at + chance.randint(0, 1)] = [new]


def judged(base: Base, text: str, seed: int) -> GameEvaluation | None:
    """Read, compile and evaluate a candidate; None for a text that is no game."""
    try:
        definition = read_game(text, reading="strict")
    except PcgError:
        return None
    return base.evaluator.evaluate(Game(definition, base.evaluator.levels, reading="strict"), seed)


def measured(work: Sequence[tuple[Base, str, int]], threads: int) -> dict[str, float]:
    """Wall and processor time of all candidates."""
    wall, cpu = time.perf_counter(), time.process_time()
    if threads == 1:
        for one in work:
            judged(*one)
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(lambda one: judged(*one), work))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return {
        "threads": threads,
        "candidates": len(work),
        "per_minute": 60 * len(work) / wall,
        "per_cpu_minute": 60 * len(work) / cpu,
        "cpu_ms": 1000 * cpu / len(work),
    }


def main() -> None:
    """Measure and print the tables."""
    single = [name for name in builtin_games() if load(name).players == 1]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="+", default=single, choices=single, metavar="GAME")
    parser.add_argument("--candidates", type=int, default=1000)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--checked", action="store_true", help="only candidates without warnings")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    compile_all()
    bases = [Base.of(name) for name in options.games]
    chance = random.Random(options.seed)
    work: list[tuple[Base, str, int]] = []
    seen: set[str] = set()
    while len(work) < options.candidates:
        base = bases[len(work) % len(bases)]
        text = base.mutated(chance)
        if text in seen:
            continue
        seen.add(text)
        if options.checked:
            try:
                if read_game(text, reading="strict").diagnostics:
                    continue
            except PcgError:
                continue
        work.append((base, text, len(work)))
    for base in bases:
        judged(base, "\n".join(line for lines in base.parts.values() for line in lines) + "\n", 0)
    stages: dict[str, list[float]] = defaultdict(list)
    reasons: dict[str, int] = defaultdict(int)
    feasible = 0
    for one in work:
        started = time.thread_time()
        found = judged(*one)
        stages["no game" if found is None else found.stage].append(time.thread_time() - started)
        if found is not None:
            feasible += found.feasible
            reasons[re.sub(r"\d[\d.,]*", "#", found.reason).split(":")[0] or "feasible"] += 1
    table: dict[str, Any] = {
        "games": options.games,
        "load": os.getloadavg()[0],
        "processors": os.cpu_count(),
        "feasible": feasible / len(work),
        "slowest_ms": 1000 * max(max(s) for s in stages.values()),
        "by_stage": {
            stage: {"share": len(spent) / len(work), "cpu_ms": 1000 * sum(spent) / len(spent)}
            for stage, spent in sorted(stages.items(), key=lambda s: sum(s[1]) / len(s[1]))
        },
        "reasons": dict(sorted(reasons.items(), key=lambda r: -r[1])),
        "all": [measured(work, n) for n in options.threads],
    }
    if options.json:
        print(json.dumps(table, indent=1))
        return
    print(f"{len(work)} candidates of {len(bases)} games, {table['feasible']:.1%} feasible, {table['processors']} "
          f"processors, load {table['load']:.1f}, slowest {table['slowest_ms']:.0f} ms of processor time")  # fmt: skip
    print(f"{'went as far as':24s} {'share':>8s} {'ms of CPU':>10s}")
    for stage, row in table["by_stage"].items():
        print(f"{stage:24s} {row['share']:8.1%} {row['cpu_ms']:10.1f}")
    print()
    for reason, number in table["reasons"].items():
        print(f"{number / len(work):8.1%}  {reason}")
    print(f"\n{'threads':>8s} {'per minute':>12s} {'per CPU minute':>16s} {'ms of CPU':>10s}")
    for row in table["all"]:
        print(f"{row['threads']:8.0f} {row['per_minute']:12,.0f} {row['per_cpu_minute']:16,.0f} {row['cpu_ms']:10.1f}")


if __name__ == "__main__":
    main()
