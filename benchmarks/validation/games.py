"""V2: games that people made against broken, random and evolved ones, as the judge of games sees them.

Compares every game of the reference with variants of itself in which 30 % of the rules are taken out, swapped or
scrambled (`game_variants`), with random rule sets, and with rule sets that evolution made from its sprites before there
was this judge (`negatives/rules.json.xz`, made by revision d7d1835). Reported is the chance that the game that people
made is judged better, ties half, infeasible 0: within each game, and over all games together; with 95 % intervals by
bootstrap over games. Judgements are kept in a file as they are made, and not made again.

    python benchmarks/validity.py games --corpus ../shared/gvgai --games 40 --log build/v2.jsonl
    python benchmarks/validity.py games --corpus ../shared/gvgai --log build/v2.jsonl --fit
"""

from __future__ import annotations

import argparse
import json
import lzma
import math
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks.validation.game_variants import VARIANTS, variant
from benchmarks.validation.split import fold, held_out
from pcg.engine.game import Game, load
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.engine.vgdl.formatter import dumps
from pcg.engine.vgdl.parser import parse
from pcg.evaluators.judging.game_assignment import VIEWS, EffectUse, assignment_views, exchange_margins
from pcg.evaluators.judging.game_kinds import GameKinds, game_kinds
from pcg.generators.rules.genes import RuleSet, replace_rules

ORIGINAL = "original"
FROZEN = ("random", "evolve")
KINDS = (*VARIANTS, *FROZEN)
"""Kinds of games that the judge should like less."""
HERE = Path(__file__).parent
NEGATIVES = HERE / "negatives" / "rules.json.xz"
JUDGING = HERE.parent.parent / "evaluators" / "judging"
SAMPLES = 2000
"""Samples of the bootstrap."""
FOLDS = 5
PULL = 0.002
"""Strength with which fitted weights are drawn to equal ones."""
SHRINK = 0.005
"""Strength with which the weights of the views of an effect are drawn to nothing."""
APART = "assignment"
"""The part whose share is fitted by itself: games differ much in it, so that regression on pairs of different games
gives it less than what tells a game from its own negatives."""
SET = ("resistance",)
"""Parts that few games that people made have, and few negatives: their weights are set by hand."""
AS_GOOD = 0.002
"""Difference in agreement up to which a smaller share is as good."""
EQUAL = 0.2
"""Share of the weight that all parts get alike: what tells little in these negatives, as skill, may be all that others
lack."""

Row = dict[str, Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this measure."""
    parser.add_argument("--corpus", type=Path, required=True, help="folder with games/ and PEER_SPEED.tsv")
    parser.add_argument("--games", type=int, default=0, help="how many games, by the digest of their names; 0: all")
    parser.add_argument("--levels", type=int, default=3, help="levels of each game, from the first")
    parser.add_argument("--kinds", default=",".join(KINDS), help=f"of the negatives, of {', '.join(KINDS)}")
    parser.add_argument("--each", type=int, default=1, help="negatives of each kind for each game")
    parser.add_argument("--effort", type=float, default=1.0, help="what capable players may spend")
    parser.add_argument("--seed", type=int, default=1, help="of variants and plays")
    parser.add_argument(
        "--log", type=Path, default=Path("build/validity-games.jsonl"), help="where judgements are kept"
    )
    parser.add_argument("--negatives", type=Path, default=NEGATIVES, help="rule sets made by an earlier revision")
    parser.add_argument("--fit", action="store_true", help="fit the weights of the parts on the games not held out")
    parser.add_argument("--fit-share", action="store_true", help=f"fit the share of {APART} alone")
    parser.add_argument("--count", action="store_true", help="count conventions of rules in the games not held out")
    parser.add_argument("--prior", action="store_true", help="count all games and our own as the prior of rules")
    parser.add_argument("--freeze", type=Path, help="folder of JSON files with rule sets, to be packed as negatives")
    parser.add_argument(
        "--share", default="0/1", help="K/N: judge each Nth game from the Kth, for processes side by side"
    )
    parser.add_argument("--json", type=Path, help="write the results here")


def run(args: argparse.Namespace) -> int:
    """Judge what is not judged yet and print the table."""
    if args.freeze:
        return freeze(args.freeze, args.negatives)
    if args.count:
        return count(args.corpus)
    if args.prior:
        return count_prior(args.corpus)
    names = chosen(args.corpus, args.games)
    wanted = [kind for kind in args.kinds.split(",") if kind]
    rows = read_log(args.log)
    part, parts = (int(text) for text in args.share.split("/"))
    judge_missing(names[part::parts], wanted, args, rows)
    rows = [row for row in read_log(args.log) if row["game"] in set(names)]
    if args.fit:
        weights = fit([row for row in rows if not held_out(row["game"])])
        write_weights(weights, rows)
    elif args.fit_share:
        write_weights(fit_share([row for row in rows if not held_out(row["game"])], stored_weights()), rows, APART)
    result = report(rows, wanted)
    if args.json:
        args.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return 0


# -- games and negatives -----------------------------------------------------------------------------------------------


def chosen(corpus: Path, number: int) -> list[str]:
    """Names of games with one player, a number of them by the digest of their names, those of both halves in turn."""
    lines = (corpus / "PEER_SPEED.tsv").read_text(encoding="utf-8").splitlines()
    names = [line.split("\t")[0] for line in lines if line and not line.startswith(("#", "game\t"))]
    names.sort(key=lambda name: sha256(name.encode()).digest())
    halves = [[n for n in names if held_out(n) == half] for half in (True, False)]
    mixed = [n for pair in zip(*halves, strict=False) for n in pair]
    mixed += [n for n in names if n not in set(mixed)]
    return mixed[: number or None]


def read_negatives(path: Path) -> Mapping[str, Mapping[str, list[Any]]]:
    """Rule sets by game and kind, empty where the file is not there."""
    if not path.is_file():
        return {}
    found: Mapping[str, Mapping[str, list[Any]]] = json.loads(lzma.decompress(path.read_bytes()))
    return found


def freeze(folder: Path, path: Path) -> int:
    """Pack the rules of whole games as negatives: InteractionSet and TerminationSet only."""
    packed = {}
    for file in sorted(folder.glob("*.json")):
        data = json.loads(file.read_text(encoding="utf-8"))
        packed[data["game"]] = {
            kind: [RuleSet.of(text).to_json() for text in data.get(kind, [])] for kind in FROZEN
        }  # fmt: skip
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(lzma.compress(json.dumps(packed, separators=(",", ":")).encode(), preset=9))
    print(f"{path}: {len(packed)} games, {path.stat().st_size:,} bytes")
    return 0


def texts_of(name: str, source: str, kinds: Sequence[str], args: argparse.Namespace) -> Iterator[tuple[str, int, str]]:
    """The game and its negatives: kind, number, text."""
    yield ORIGINAL, 0, source
    frozen = read_negatives(args.negatives).get(name, read_negatives(args.negatives).get(name.rpartition("/")[2], {}))
    for kind in kinds:
        if kind in VARIANTS:
            for k in range(args.each):
                yield kind, k, variant(source, kind, args.seed + k)
        for k, genes in enumerate(frozen.get(kind, ())[: args.each]):
            yield kind, k, dumps(replace_rules(parse(source), RuleSet.from_json(genes)))


def judge_missing(names: Sequence[str], kinds: Sequence[str], args: argparse.Namespace, rows: list[Row]) -> None:
    """Judge what the log does not hold yet, a line for each as it is done.

    A game that was counted as what people write is judged, and its negatives are, by the counts of the others.
    """
    from pcg.evaluators.judging.game_static import customs
    from pcg.evaluators.judging.games import GameJudge

    done = {(r["game"], r["kind"], r["number"]) for r in rows}
    args.log.parent.mkdir(parents=True, exist_ok=True)
    with args.log.open("a", encoding="utf-8") as log:
        for name in names:
            game = load(args.corpus / "games" / f"{name}.txt", reading="gvgai")
            levels = game.levels[: args.levels]
            known = customs() if held_out(name) else customs().without(kinds_of(args.corpus, name))
            judge = GameJudge(seed=args.seed, effort=args.effort, known=known)
            for kind, number, text in texts_of(name, game.definition.source, kinds, args):
                if (name, kind, number) in done:
                    continue
                begin = time.process_time()
                row: Row = {"game": name, "kind": kind, "number": number}
                try:
                    other: Game = load(text, levels=levels, reading="gvgai")
                    row |= judge.judge(other).as_dict()
                except PcgError as error:
                    row |= {"feasible": False, "value": 0.0, "parts": {}, "problem": f"unreadable: {error}"[:200]}
                row["parts"] = {part: told["value"] for part, told in row["parts"].items()}
                row["seconds"] = round(time.process_time() - begin, 3)
                log.write(json.dumps(row) + "\n")
                log.flush()


def read_log(path: Path) -> list[Row]:
    """Judgements made so far, the last of each game, kind and number."""
    if not path.is_file():
        return []
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.endswith("}")]
    return list({(r["game"], r["kind"], r["number"]): r for r in rows}.values())


def count(corpus: Path) -> int:
    """Count conventions and uses of effects in the games that are not held out, and write them where the judge finds
    them.
    """
    from pcg.evaluators.judging.game_assignment import count_uses
    from pcg.evaluators.judging.game_conventions import count_conventions

    games = [kinds_of(corpus, name) for name in chosen(corpus, 0) if not held_out(name)]
    counted = count_conventions(games)
    uses = count_uses(games)
    uses = EffectUse(uses.games, uses.seen, fit_assignment(games, uses))
    for name, what, listed in (
        ("game_conventions", "counts of rules by kinds of sprites", counted.to_json()),
        (
            "game_assignment",
            "counts of effects by kinds and classes of sprites, and weights fitted on them",
            uses.to_json(),
        ),
    ):
        data = {
            "provenance": f"{what}, without names, in the games of the GVGAI framework that are not held out "
            "(benchmarks/validity.py games --count)",
            **listed,
        }
        path = JUDGING / f"{name}.json"
        path.write_text(json.dumps(data, separators=(",", ":")).replace("],[", "],\n[") + "\n", encoding="utf-8")
    print(f"{counted.games} games, {len(counted.rules)} kinds of rules, {len(uses.seen)} uses of effects")
    return 0


def kinds_of(corpus: Path, name: str) -> GameKinds:
    """Kinds of the sprites of a game on all its levels."""
    game = load(corpus / "games" / f"{name}.txt", reading="gvgai")
    return game_kinds(game.definition, [game.read_level(k) for k in range(len(game.levels))])


def fit_assignment(games: Sequence[GameKinds], known: EffectUse) -> dict[str, float]:
    """Weights, none negative, that tell the rules that people wrote from the same rules with two effects exchanged.

    Logistic regression on what two rules lose by an exchange, a game weighing as much as any other and seen by the
    counts of the others.
    """
    margins = [exchange_margins(assignment_views(game, known.without(game)))[0] for game in games]
    pairs = np.concatenate(margins)
    mass = np.concatenate([np.full(len(m), 1.0 / (len(m) * len(games))) for m in margins if len(m)])

    def loss(w: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        lost = pairs @ w
        slope = -(pairs * (mass / (1.0 + np.exp(lost)))[:, None]).sum(axis=0)
        return float(mass @ np.logaddexp(0.0, -lost)) + SHRINK * float(w @ w), slope + 2.0 * SHRINK * w

    found = minimize(loss, np.full(len(VIEWS), 0.3), jac=True, bounds=[(0.0, None)] * len(VIEWS), method="L-BFGS-B")
    return {view: float(round(w, 3)) for view, w in zip(VIEWS, found.x, strict=True)}


def count_prior(corpus: Path) -> int:
    """Count what people write in all games and in our own, and write it where the generators of rules find it."""
    from pcg.engine.game import builtin_games
    from pcg.evaluators.judging.game_conventions import count_conventions

    games = [load(corpus / "games" / f"{name}.txt", reading="gvgai") for name in chosen(corpus, 0)]
    own = [game for game in map(load, builtin_games()) if game.players == 1 and game.levels]
    counted = count_conventions(
        game_kinds(g.definition, [g.read_level(k) for k in range(len(g.levels))]) for g in games + own
    )
    data = {
        "provenance": f"counts of rules by kinds of sprites, without names or numbers, in {len(games)} games of the "
        f"GVGAI framework and {len(own)} of the toolkit (benchmarks/validity.py games --prior)",
        **counted.to_json(),
    }
    path = HERE.parent.parent / "generators" / "rules" / "prior.json"
    path.write_text(json.dumps(data, separators=(",", ":")).replace("],[", "],\n[") + "\n", encoding="utf-8")
    print(f"{path.name}: {counted.games} games, {len(counted.rules)} kinds of rules")
    return 0


# -- weights -----------------------------------------------------------------------------------------------------------


def part_names() -> list[str]:
    """Names of the parts whose weights are fitted, in the judge's order."""
    from pcg.evaluators.judging.games import MEASURES

    return [m.name for m in MEASURES if m.name not in SET]


def vector(row: Row) -> NDArray[np.float64]:
    """Parts of a judgement but `APART`, as numbers."""
    return np.array([row["parts"].get(name, 0.0) for name in part_names() if name != APART])


def fit(rows: Sequence[Row]) -> dict[str, float]:
    """Weights, none negative, that let the games that people made come out above the others.

    Logistic regression on differences of parts, of each game with its own negatives, and as much again with those of
    other games; only between feasible ones, for the constraints decide about the others. Drawn to equal weights, and
    mixed with them. What `APART` gets is fitted after them.
    """
    feasible = [row for row in rows if row["feasible"]]
    originals = [row for row in feasible if row["kind"] == ORIGINAL]
    rng = np.random.default_rng(1)
    own, across = [], []
    negatives: dict[str, list[Row]] = {kind: [r for r in feasible if r["kind"] == kind] for kind in KINDS}
    for one in originals:
        for kind in KINDS:
            own += [(vector(one) - vector(r), kind) for r in negatives[kind] if r["game"] == one["game"]]
            if negatives[kind]:
                picked = rng.integers(len(negatives[kind]), size=3)
                across += [(vector(one) - vector(negatives[kind][int(k)]), kind) for k in picked]
    names = [name for name in part_names() if name != APART]
    if not own:
        return dict.fromkeys(names, 1.0 / len(names))
    pairs = [*own, *across]
    share = {kind: sum(k == kind for _, k in group) for group in (own,) for kind in KINDS}
    apart = {kind: sum(k == kind for _, k in across) for kind in KINDS}
    differences = np.array([d for d, _ in pairs])
    kinds_seen = sum(1 for kind in KINDS if share[kind])
    mass = np.array(
        [1.0 / (kinds_seen * share[k]) for _, k in own] + [0.5 / (kinds_seen * apart[k]) for _, k in across if apart[k]]
    )

    def loss(w: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        margin = differences @ w
        total = float(mass @ np.logaddexp(0.0, -margin)) + PULL * float(((w - w.mean()) ** 2).sum())
        slope = -(differences * (mass / (1.0 + np.exp(margin)))[:, None]).sum(axis=0)
        return total, slope + 2.0 * PULL * (w - w.mean())

    found = minimize(loss, np.full(len(names), 1.0), jac=True, bounds=[(0.0, None)] * len(names), method="L-BFGS-B")
    mixed = EQUAL / len(names) + (1.0 - EQUAL) * found.x / found.x.sum()
    weights = fit_share(rows, {name: float(w) for name, w in zip(names, mixed, strict=True)})
    return {name: round(w / sum(weights.values()), 4) for name, w in weights.items()}


def fit_share(rows: Sequence[Row], weights: Mapping[str, float]) -> dict[str, float]:
    """Weights in which `APART` has the least share, in steps of a twentieth up to one half, with which the games that
    people made come out above their own negatives most often, or as good as that.

    Args:
        rows: judgements.
        weights: of the other parts, which keep them.
    """
    others = {name: weights.get(name, 1.0) for name in part_names() if name != APART}
    total = sum(others.values())

    def with_share(share: float) -> dict[str, float]:
        return {name: others.get(name, round(total * share / (1.0 - share), 4)) for name in part_names()}

    def agreement(share: float) -> float:
        values = revalue(rows, with_share(share))
        return float(np.mean([np.mean(list(own.values())) for kind in KINDS if (own := within(values, kind))]))

    found = {k / 20: agreement(k / 20) for k in range(11)}
    best = max(found.values())
    return with_share(min(share for share, value in found.items() if value >= best - AS_GOOD))


def stored_weights() -> Mapping[str, float]:
    """The weights that the judge has."""
    from pcg.evaluators.judging.games import fitted_weights

    return fitted_weights()


def write_weights(weights: Mapping[str, float], rows: Sequence[Row], part: str = "") -> None:
    """Write the weights where the judge finds them, with where they come from."""
    fitted = {row["game"] for row in rows if not held_out(row["game"])}
    known = json.loads((JUDGING / "game_weights.json").read_text(encoding="utf-8"))["provenance"] if part else ""
    how = f"the weight of {part} " if part else ""
    stored = stored_weights()
    scale = math.fsum(weights.values()) / math.fsum(
        stored.get(name, 0.0) for name in weights
    )  # those set keep their share
    data = {
        "provenance": f"{known}{'; ' if known else ''}{how}fitted on {len(fitted)} games of the GVGAI framework that "
        f"are not held out, against their negatives (benchmarks/validity.py games --fit{'-share' if part else ''}; "
        "docs/results/validity/games.md)",
        "weights": {**weights, **{name: round(stored[name] * scale, 4) for name in SET}},
    }
    (JUDGING / "game_weights.json").write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


def revalue(rows: Iterable[Row], weights: Mapping[str, float]) -> dict[tuple[str, str], list[float]]:
    """Values with these weights, by game and kind."""
    by: dict[tuple[str, str], list[float]] = {}
    names = part_names()
    w = np.array([weights.get(name, 1.0) for name in names])
    for row in rows:
        parts = np.array([row["parts"].get(name, 0.0) for name in names])
        value = float(parts @ w / w.sum()) if row["feasible"] and w.sum() else 0.0
        by.setdefault((row["game"], row["kind"]), []).append(value)
    return by


# -- the table ---------------------------------------------------------------------------------------------------------


def better(one: float, other: float) -> float:
    """1 for the larger first value, one half for a tie, else 0."""
    return 1.0 if one > other + 1e-12 else 0.5 if abs(one - other) <= 1e-12 else 0.0


def within(values: Mapping[tuple[str, str], list[float]], kind: str) -> dict[str, float]:
    """By game the chance that it is judged better than a negative of its own."""
    return {
        game: sum(better(v[0], other) for other in values[game, kind]) / len(values[game, kind])
        for (game, what), v in values.items()
        if what == ORIGINAL and values.get((game, kind))
    }


def interval(shares: Sequence[float]) -> tuple[float, float, float]:
    """Mean, and its 95 % interval by bootstrap over games."""
    if not shares:
        return float("nan"), float("nan"), float("nan")
    drawn = np.random.default_rng(7).integers(len(shares), size=(SAMPLES, len(shares)))
    means = np.asarray(shares)[drawn].mean(axis=1)
    return float(np.mean(shares)), float(np.quantile(means, 0.025)), float(np.quantile(means, 0.975))


def pooled(values: Mapping[tuple[str, str], list[float]], kind: str, games: Sequence[str]) -> tuple[float, ...]:
    """The chance over all games together, and its 95 % interval by bootstrap over games."""
    have = [g for g in games if values.get((g, ORIGINAL)) and values.get((g, kind))]
    if not have:
        return float("nan"), float("nan"), float("nan")
    wins = np.array(
        [[np.mean([better(values[a, ORIGINAL][0], v) for v in values[b, kind]]) for b in have] for a in have]
    )
    rng = np.random.default_rng(7)
    means = [float(wins[np.ix_(k, k)].mean()) for k in rng.integers(len(have), size=(SAMPLES // 4, len(have)))]
    return float(wins.mean()), float(np.quantile(means, 0.025)), float(np.quantile(means, 0.975))


def report(rows: Sequence[Row], kinds: Sequence[str]) -> dict[str, Any]:
    """Print the table; returns the numbers."""
    from pcg.evaluators.judging.games import fitted_weights

    fitted_weights.cache_clear()
    games = sorted({row["game"] for row in rows if row["kind"] == ORIGINAL})
    halves = {"held out": [g for g in games if held_out(g)], "fitted on": [g for g in games if not held_out(g)]}
    result: dict[str, Any] = {"games": {name: len(listed) for name, listed in halves.items()}, "auc": {}}
    originals = [row for row in rows if row["kind"] == ORIGINAL]
    for name, listed in halves.items():
        feasible = [row["feasible"] for row in originals if row["game"] in listed]
        print(f"{name}: {sum(feasible)} of {len(feasible)} games feasible")
        result[f"feasible, {name}"] = [sum(feasible), len(feasible)]
    crossed: dict[tuple[str, str], list[float]] = {}
    for k in range(FOLDS):
        weights = fit([row for row in rows if fold(row["game"], FOLDS) != k])
        crossed |= revalue((row for row in rows if fold(row["game"], FOLDS) == k), weights)
    values = revalue(rows, fitted_weights())
    print(
        f"{'negatives':10s} {'held out':22s} {'all, cross-validated':22s} {'held out, pooled':22s} n  feasible  seconds"
    )
    for kind in kinds:
        own = within(values, kind)
        cells = {
            "held out": interval([own[g] for g in halves["held out"] if g in own]),
            "cross-validated": interval(list(within(crossed, kind).values())),
            "held out, pooled": pooled(values, kind, halves["held out"]),
        }
        those = [row for row in rows if row["kind"] == kind]
        kept = sum(row["feasible"] for row in those)
        seconds = float(np.mean([row["seconds"] for row in those])) if those else 0.0
        text = " ".join(f"{m:.3f} ({low:.3f}..{high:.3f})  " for m, low, high in cells.values())
        number = f"{sum(g in own for g in halves['held out'])}/{len(own)}"
        print(f"{kind:10s} {text} {number}  {kept}/{len(those)} {seconds:.1f}")
        result["auc"][kind] = {name: list(cell) for name, cell in cells.items()} | {
            "n": len(own), "n held out": sum(g in own for g in halves["held out"]), "feasible": kept,
            "judged": len(those),
        }  # fmt: skip
    seconds = [row["seconds"] for row in originals]
    if seconds:
        print(f"a game that people made takes {np.mean(seconds):.1f} s on average, {np.max(seconds):.1f} at most")
        result["seconds"] = [float(np.mean(seconds)), float(np.max(seconds))]
    sys.stdout.flush()
    return result
