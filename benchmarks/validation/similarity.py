"""Agreement of the distance between levels with people's choices which of two is more like a third.

Reads the levels `NN.txt` of a folder and writes the square matrix of their distances, rows and columns in the sorted
order of the files' names. Where the folder has `triplets.tsv` (prompt, a, b, how many chose a and b, how they were
shown), prints the share of choices that distances predict, with intervals by bootstrap over levels, beside those of
Hamming and of tile patterns (Jensen-Shannon), and what the weights of the distance would predict of levels on which
they were not fitted. After Berns, Volz, Tokarchuk, Snodgrass, Guckelsberger: Not All the Same (CHI 2024). With
`--corpus` it reports triples of many games instead, whose answer is known by how they are made (`similarity_material`).
"""

from __future__ import annotations

import argparse
import csv
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.validation import similarity_material
from benchmarks.validation.tile_patterns import hamming, jensen_shannon, patterns
from pcg.evaluators.kernel import level_likeness as kernel
from pcg.evaluators.metrics.likeness import LevelShape, codes

Matrix = NDArray[np.float64]
"""Distances of levels, shape (levels, levels)."""
ROUNDS = 1000
"""Resamples of a bootstrap."""
PARTS = ("stretches", "tiles", "forms", "sizes", "kinds", "pieces", "neighbours")
WEIGHTS = np.array([getattr(kernel, f"WEIGHT_{part.upper()}") for part in PARTS])
LEFT_OUT = 4
"""Levels that are left out at a time."""


@dataclass(frozen=True)
class Choices:
    """Choices which of two levels is more like a third; arrays of one length."""

    prompt: NDArray[np.int64]
    a: NDArray[np.int64]
    b: NDArray[np.int64]
    chose_a: NDArray[np.float64]
    chose_b: NDArray[np.float64]
    shown_as: tuple[str, ...]

    def where(self, mask: NDArray[np.bool_]) -> Choices:
        """Return those choices for which a mask holds."""
        shown = tuple(s for s, kept in zip(self.shown_as, mask.tolist(), strict=True) if kept)
        arrays = (x[mask] for x in (self.prompt, self.a, self.b, self.chose_a, self.chose_b))
        return Choices(*arrays, shown)

    def predicted(self, distances: Matrix, times: NDArray[np.float64] | None = None) -> float:
        """Return the share of choices of the level that is nearer by a matrix; equally near ones count half.

        Args:
            distances: of all levels.
            times: how often each triplet counts; once each without.
        """
        nearer = distances[self.prompt, self.b] - distances[self.prompt, self.a]
        right = np.where(nearer > 0, self.chose_a, self.chose_b)
        right = np.where(np.abs(nearer) < 1e-9, (self.chose_a + self.chose_b) / 2, right)
        times = np.ones(len(right)) if times is None else times
        return float((right * times).sum() / ((self.chose_a + self.chose_b) * times).sum())

    def majority(self) -> float:
        """Return the share that always naming the majority of a triplet would predict."""
        return float(np.maximum(self.chose_a, self.chose_b).sum() / (self.chose_a + self.chose_b).sum())


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the measure."""
    parser.add_argument("folder", type=Path, nargs="?", help="levels NN.txt, and triplets.tsv where people chose")
    parser.add_argument(
        "--corpus", type=Path, help="folder of the corpus, of which triples with known answers are made"
    )
    parser.add_argument("--games", type=int, default=0, help="of the corpus, by the digest of their names; 0: all")
    parser.add_argument("--json", type=Path, help="file for the square matrix: a list of lists of numbers")
    parser.add_argument("--seed", type=int, default=1, help="of the resampling")


def run(args: argparse.Namespace) -> int:
    """Write the matrix and print how well it agrees with people; or with what is known of the corpus."""
    if args.corpus is not None:
        found = similarity_material.report_corpus(args.corpus, args.games)
        if args.json:
            args.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        return 0
    if args.folder is None:
        print("name a folder of levels, or --corpus")
        return 1
    files = sorted(args.folder.glob("*.txt"))
    if not files:
        print(f"{args.folder} holds no levels (*.txt)")
        return 1
    texts = [file.read_text(encoding="utf-8") for file in files]
    shapes = [LevelShape(text) for text in texts]
    distances = square(shapes, LevelShape.distance)
    if args.json:
        args.json.write_text(json.dumps(distances.tolist()) + "\n", encoding="utf-8")
    print(f"{len(files)} levels, {files[0].name} to {files[-1].name}; {microseconds(texts)}")
    table = args.folder / "triplets.tsv"
    if table.is_file():
        report(texts, shapes, distances, read_choices(table, len(files)), args.seed)
    return 0


def square(things: Sequence[object], apart: Callable[..., float]) -> Matrix:
    """Return the matrix of a symmetric distance."""
    matrix = np.zeros((len(things), len(things)))
    for k, one in enumerate(things):
        for j in range(k):
            matrix[k, j] = matrix[j, k] = apart(one, things[j])
    return matrix


def read_choices(table: Path, levels: int) -> Choices:
    """Read the choices of a table with a row for each triplet.

    Raises:
        ValueError: for a row that names a level which is not there.
    """
    with table.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    named = np.array([[int(row[key]) for key in ("prompt", "a", "b")] for row in rows]).reshape(-1, 3)
    if named.size and not 0 <= named.min() <= named.max() < levels:
        raise ValueError(f"{table} names level {named.max()}, but there are {levels} levels")
    counts = np.array([[float(row[key]) for key in ("chose_a", "chose_b")] for row in rows]).reshape(-1, 2)
    return Choices(*named.T, *counts.T, tuple(row.get("shown_as", "") for row in rows))


def report(texts: Sequence[str], shapes: Sequence[LevelShape], distances: Matrix, choices: Choices, seed: int) -> None:
    """Print the table of distances, the gains over the baselines, and what fitting has to do with it."""
    matrices = {"pcg": distances, **baselines(texts)}
    ways = sorted({way for way in choices.shown_as if way})
    counts = f"{int((choices.chose_a + choices.chose_b).sum())} choices in {len(choices.a)} triplets"
    print(f"\n{counts}; the majority of each triplet: {choices.majority():.3f}\n")
    print(f"| distance | share predicted | 95 % interval |{''.join(f' {way} |' for way in ways)} pcg is better by |")
    print(f"|---|---:|---:|{'---:|' * len(ways)}---:|")
    times = resampled(choices, len(texts), seed)
    shares = {name: np.array([choices.predicted(matrix, t) for t in times]) for name, matrix in matrices.items()}
    shown = {way: np.array([way == s for s in choices.shown_as]) for way in ways}
    for name, matrix in matrices.items():
        low, high = np.quantile(shares[name], (0.025, 0.975))
        apart = [f" {choices.where(shown[way]).predicted(matrix):.3f} |" for way in ways]
        gain = " |"
        if name != "pcg":
            least, most = np.quantile(shares["pcg"] - shares[name], (0.025, 0.975))
            gain = f" {choices.predicted(distances) - choices.predicted(matrix):+.3f} ({least:+.3f} to {most:+.3f}) |"
        share = f"{choices.predicted(matrix):.3f} | {low:.3f} to {high:.3f}"
        print(f"| {name} | {share} |{''.join(apart)}{gain}")
    parts = part_matrices(shapes)
    fitted = fit(parts, choices)
    even = choices.predicted(np.tensordot(np.full(len(PARTS), 1 / len(PARTS)), parts, 1))
    print(f"\nweights as shipped: {told(WEIGHTS)}; equal weights would predict {even:.3f}")
    print(f"fitted to all choices: {told(fitted)}: {choices.predicted(np.tensordot(fitted, parts, 1)):.3f}")
    out = left_out(parts, choices, len(texts), seed)
    print(f"fitted without {LEFT_OUT} levels at a time, on triplets that hold one of them: {out:.3f}")
    for k, part in enumerate(PARTS):
        rest = np.delete(np.arange(len(PARTS)), k)
        without = choices.predicted(np.tensordot(WEIGHTS[rest], parts[rest], 1))
        print(f"  {part:<10} alone {choices.predicted(parts[k]):.3f}, all others without it {without:.3f}")


def resampled(choices: Choices, levels: int, seed: int) -> list[NDArray[np.float64]]:
    """Return how often each triplet counts when levels are drawn anew, `ROUNDS` times: the product over its levels."""
    rng = np.random.default_rng(seed)
    drawn = [np.bincount(rng.integers(levels, size=levels), minlength=levels).astype(float) for _ in range(ROUNDS)]
    times = (d[choices.prompt] * d[choices.a] * d[choices.b] for d in drawn)
    return [t for t in times if t.any()]


# -- baselines ---------------------------------------------------------------------------------------------------------


def baselines(texts: Sequence[str]) -> Mapping[str, Matrix]:
    """Return the matrices of distances that are in use: cells that differ, and tile patterns."""
    cells = [codes(text) for text in texts]
    found = {"Hamming": square(cells, hamming)}
    for side, name in ((1, "tile frequencies"), (2, "2x2 patterns"), (3, "3x3 patterns")):
        counts = [patterns(level, side) for level in cells]
        found[name] = square(counts, jensen_shannon)
    return found


# -- weights -----------------------------------------------------------------------------------------------------------


def part_matrices(shapes: Sequence[LevelShape]) -> Matrix:
    """Return the matrix of each part of the distance, shape (parts, levels, levels)."""
    pairs = [[one.parts(other) for other in shapes] for one in shapes]
    return np.array([[[pair[part] for pair in row] for row in pairs] for part in PARTS])


def fit(parts: Matrix, choices: Choices) -> NDArray[np.float64]:
    """Return the weights, at least 0 and with sum 1, under which the choices are most likely (logistic, weak prior)."""
    from scipy.optimize import minimize

    nearer = np.stack([part[choices.prompt, choices.b] - part[choices.prompt, choices.a] for part in parts], axis=1)

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        odds = nearer @ weights
        wrong = choices.chose_a * np.logaddexp(0, -odds) + choices.chose_b * np.logaddexp(0, odds)
        chance = 1 / (1 + np.exp(-odds))
        slope = -choices.chose_a * (1 - chance) + choices.chose_b * chance
        return float(wrong.sum() + 0.5 * (weights**2).sum()), nearer.T @ slope + weights

    found = minimize(loss, np.ones(len(parts)), jac=True, method="L-BFGS-B", bounds=[(0, None)] * len(parts)).x
    return np.asarray(found / found.sum())


def left_out(parts: Matrix, choices: Choices, levels: int, seed: int, rounds: int = 5) -> float:
    """Return the share predicted of triplets that hold a level on which the weights were not fitted."""
    rng = np.random.default_rng(seed)
    right = total = 0.0
    for _ in range(rounds):
        for out in np.array_split(rng.permutation(levels), max(2, levels // LEFT_OUT)):
            tested = np.isin(np.stack([choices.prompt, choices.a, choices.b]), out).any(axis=0)
            if tested.all() or not tested.any():
                continue
            rest = choices.where(tested)
            weights = fit(parts, choices.where(~tested))
            count = float((rest.chose_a + rest.chose_b).sum())
            right += count * rest.predicted(np.tensordot(weights, parts, 1))
            total += count
    return right / total if total else float("nan")


def told(weights: NDArray[np.float64]) -> str:
    """Return weights by the names of their parts."""
    return ", ".join(f"{part} {weight:.2f}" for part, weight in zip(PARTS, weights, strict=True))


def microseconds(texts: Sequence[str], least: float = 0.2) -> str:
    """Return a line with the times that describing a level and comparing two take."""
    started, rounds = time.perf_counter(), 0
    while time.perf_counter() - started < least:
        shapes = [LevelShape(text) for text in texts]
        for shape in shapes:
            shape.distance(shapes[0])
        rounds += 1
    described = (time.perf_counter() - started) / rounds / len(texts)
    started, rounds = time.perf_counter(), 0
    while time.perf_counter() - started < least:
        for one in shapes:
            for other in shapes:
                one.distance(other)
        rounds += 1
    compared = (time.perf_counter() - started) / rounds / len(texts) ** 2
    return f"{1e6 * described:.0f} us to describe one, {1e6 * compared:.1f} us to compare two"
