"""Repair of a level of any source: few edits, each with its reason.

`repair_level` tries what is cheap first: nothing (the level may be sound), the solver's fewest edits, then edits
judged by playing. What counts as sound is what a run of a generator counts as feasible, and all targets achieved.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from pcg.engine.game import Game
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.fitness import CONSTRAINTS, LevelEvaluator
from pcg.evaluators.level_grid import Grid, Mask
from pcg.evaluators.parameters import Parameter, resolve
from pcg.evaluators.target_parsing import resolve_targets
from pcg.evaluators.targets import Target
from pcg.generators.levels.context import LevelContext, require_single_player
from pcg.generators.levels.level_builder import LevelBuilder
from pcg.generators.levels.repair.by_rules import repair
from pcg.generators.levels.repair.by_search import meets_all_targets, search_for_repair
from pcg.generators.levels.repair.by_solver import UNTRIED, solve_for_repair
from pcg.generators.levels.repair.edits import Draft, Judge, Repaired, faults, read_draft, trimmed

METHODS = {
    "auto": "the solver's edits where clingo is installed, and on from there by search",
    "solver": "the fewest edits that keep all constraints that need no playing (extra asp)",
    "search": "edits judged by playing",
    "mend": "frame, avatar, counts and reach put right in one go; nothing is played",
}
"""Ways to repair a level."""

PARAMETERS: tuple[Parameter, ...] = (
    Parameter("evaluations", 200, "levels the search may look at", 1, 1_000_000, "levels"),
    Parameter("max_moves", 0, "the level can be won in at most so many moves; 0: not asked for", 0, 500, "moves"),
    Parameter(
        "seconds",
        20.0,
        "what auto may take, and half of it the solver there; what the solver may take alone",
        0.1,
        3600.0,
        "seconds",
    ),
    Parameter("conflicts", 2_000_000, "dead ends the solver may run into; the same on every machine", 100, 10**9),
)
SOLVERS_SHARE = 0.5
"""Of the time of `auto`: what the solver may take, so that the search has some left."""


class NoRepairError(PcgError):
    """No sound level was found near the given one."""


def repair_level(
    game: Game, level: str, *, method: str = "auto", targets: str | Sequence[Target] = (), locked: Mask | None = None,
    seed: int = 1, **params: object,
) -> Repaired:  # fmt: skip
    r"""Make a level sound with few edits.

    Args:
        game: the level's game.
        level: text; rows may be short, characters unknown, `?` stands for a cell left open.
        method: one of `METHODS`.
        targets: what the level is to be like, as in `pcg levels --target`.
        locked: cells that stay as they are, shape (rows, columns).
        seed: equal seeds give equal repairs, unless the time runs out.
        params: see `PARAMETERS`.

    Returns:
        The level and its edits; none for a sound level.

    Raises:
        NoRepairError: none was found.
        PcgError: for bad input, a method that needs clingo where it is not installed, constraints that clash
            (`pcg.generators.levels.asp.ClashError`).

    >>> import pcg
    >>> without_avatar = "wwwwwww\nw..b..w\nw....ow\nw...b.w\nwwwwwww"
    >>> repaired = repair_level(pcg.load("boxes"), without_avatar, method="mend")
    >>> len(repaired.edits), "A" in repaired.level
    (1, True)
    """
    return _Repair(game, level, method, targets, locked, seed, params).result()


class _Repair:
    def __init__(
        self, game: Game, level: str, method: str, targets: str | Sequence[Target], locked: Mask | None, seed: int,
        params: dict[str, object],
    ) -> None:  # fmt: skip
        if method not in METHODS:
            raise PcgError(f"unknown method of repair `{method}`, expected one of {', '.join(METHODS)}")
        self.method = method
        self.settings = resolve(PARAMETERS, params, "repair")
        self.game, self.context = game, LevelContext.of(game)
        require_single_player(self.context)
        self.targets = resolve_targets(targets, self.context.analysis)
        self.draft: Draft = read_draft(self.context.palette, level)
        if locked is not None and locked.shape != self.draft.grid.shape:
            raise PcgError(f"locked cells have the shape {locked.shape}, expected {self.draft.grid.shape} as the level")
        self.locked = locked
        self.seed = seed
        self.rng = np.random.default_rng(np.random.SeedSequence([seed, 0x4E9A1]))
        self._evaluator: LevelEvaluator | None = None
        self._known: dict[str, Evaluation] = {}

    def result(self) -> Repaired:
        if self.method == "mend":
            return self._mend()
        if self.method == "solver":
            return self._solve()
        deadline = time.monotonic() + float(self.settings["seconds"]) if self.method == "auto" else math.inf
        readable = not (self.draft.unreadable.any() or self.draft.free.any())
        if readable and meets_all_targets(self.evaluate(self.context.palette.text(self.draft.grid))):
            return Repaired(self.context.palette.text(self.draft.grid), (), "none", fewest=True)
        starts: list[Grid] = []
        if self.method == "auto":
            from pcg.generators.levels.asp.clingo_solver import OutOfTimeError, has_clingo

            if has_clingo():
                with suppress(OutOfTimeError):  # then the search goes on from the level itself
                    starts = [self.context.palette.parse(self._solve(SOLVERS_SHARE).level)]
        found = search_for_repair(
            self.context, self.draft, starts, self.locked, self.evaluate, rng=self.rng,
            budget=int(self.settings["evaluations"]), deadline=deadline,
        )  # fmt: skip
        if found is None:
            missing = "; ".join(w.removeprefix("so that ") for w in self._wrong(self.draft.grid))
            looked = f"among the {self.settings['evaluations']} levels looked at"
            if time.monotonic() >= deadline:
                looked = f"within {self.settings['seconds']:g} s (see `seconds`)"
            raise NoRepairError(f"no repair {looked}; the level as it is lacks: {missing}")
        method = "solver" if any(np.array_equal(found, s) for s in starts) else "search"

        def judge(grid: Grid) -> Sequence[str]:
            return self._wrong(grid) if time.monotonic() < deadline else [UNTRIED]

        return self._report(found, method, judge)

    def evaluate(self, text: str) -> Evaluation:
        """The verdict on a level text, remembered."""
        if self._evaluator is None:
            self._evaluator = LevelEvaluator(self.game, self.targets)
        if text not in self._known:
            self._known[text] = self._evaluator.evaluate(text, self.seed)
        return self._known[text]

    def _wrong(self, grid: Grid) -> list[str]:
        """Return what an evaluation holds against a level."""
        evaluation = self.evaluate(self.context.palette.text(grid))
        broken = [f"so that {CONSTRAINTS[name]}" for name, value in evaluation.constraints.items() if value < 1.0]
        # Stages that were not reached say nothing; the first that failed is the reason.
        missed = [f"so that {target}" for target in self.targets if evaluation.targets.get(target.name, 0.0) < 1.0]
        return broken[:1] if broken else missed

    def _mend(self) -> Repaired:
        builder = LevelBuilder(self.context, self.draft.grid.copy())
        repair(builder, self.rng)
        if self.locked is not None:
            fixed = self.locked & ~self.draft.free
            builder.grid[fixed] = self.draft.grid[fixed]
        left = faults(self.context, builder.grid)
        if left:
            raise NoRepairError(f"repair by rules leaves this wrong: {'; '.join(left)}")
        return self._report(builder.grid, "mend", lambda grid: faults(self.context, grid))

    def _solve(self, share: float = 1.0) -> Repaired:
        """The solver's repair within a share of the time it may take."""
        from pcg.generators.levels.asp.clingo_solver import Limits
        from pcg.generators.levels.asp.constraints import LevelConstraints

        settings = {
            "max_moves": self.settings["max_moves"], "min_moves": 0, "min_path": 0, "max_path": 0, "symmetry": "none",
            "pockets": True, "keys_first": True,
        }  # fmt: skip
        limits = Limits(share * float(self.settings["seconds"]), int(self.settings["conflicts"]))
        level_constraints = LevelConstraints.of(settings, self.targets)
        found, judge = solve_for_repair(
            self.context, self.draft, level_constraints, self.locked, seed=self.seed, limits=limits
        )
        repaired = self._report(found.grid, "solver", judge)
        return Repaired(repaired.level, repaired.edits, "solver", fewest=found.optimal)

    def _report(self, grid: Grid, method: str, judge: Judge) -> Repaired:
        palette = self.context.palette
        grid, edits = trimmed(self.draft, palette, grid, judge)
        return Repaired(palette.text(grid), edits, method if edits else "none")
