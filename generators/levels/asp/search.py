"""Search for a level that solves a problem: clashes are explained, our own choices give way, plans are played.

A bound from below on the number of moves is kept by refuting shorter plans one after the other: the engine's solver
looks for a win in fewer moves, and a win it finds becomes a plan that must fail (counterexample-guided, as in Solar-
Lezama's sketching, 2008). The winning plan itself is played in the engine before a level is handed out, so that what
was read from the rules never has to be believed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pcg.engine.game import Game
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.agents import solve as solve_by_engine
from pcg.evaluators.level_grid import Grid
from pcg.generators.levels.asp.clingo_solver import Answer, Limits, OutOfTimeError, Solver
from pcg.generators.levels.asp.problem import DIRECTIONS, Constraint, Problem

MOST_REFUTED = 60
"""Shorter plans refuted one by one before a search for a longer puzzle is given up."""
SOFT_CONFLICTS = 1_000
"""Dead ends after which our own choices are dropped rather than disproved."""
ENGINE_NODES = 200_000
"""States the engine's solver may visit in the search for a shorter plan."""


class ClashError(PcgError):
    """No level keeps all constraints; `constraints` are a smallest set that cannot be kept together."""

    def __init__(self, constraints: Sequence[Constraint], shape: tuple[int, int]) -> None:
        self.constraints = tuple(constraints)
        level = f"no level of {shape[1]} x {shape[0]} cells"
        if not constraints:
            message = f"{level} can be built of the tiles allowed"
        elif len(constraints) == 1:
            message = f"{level} can have this: {constraints[0].text}"
        else:
            listed = "\n".join(f"  - {d.text}" for d in constraints)
            message = f"{level} can have all of this together:\n{listed}"
        super().__init__(message)


@dataclass(frozen=True)
class Found:
    """A level that keeps all firm constraints."""

    grid: Grid
    plan: tuple[str, ...]
    """Actions that win, where a bound on moves was asked for."""
    relaxed: tuple[Constraint, ...]
    """Choices of our own that had to be dropped."""
    cost: int = 0
    optimal: bool = True


def hints(problem: Problem, sketch: Grid, rng: np.random.Generator, strength: float = 1.0) -> str:
    """Rules by which the solver first tries the tiles of a sketch, cell by cell in a random order.

    Args:
        problem: whose cells are meant.
        sketch: a level of the same size.
        rng: draws the order.
        strength: share of the cells for which the sketch is followed.
    """
    lines = []
    order = rng.permutation(sketch.size)
    followed = rng.random(sketch.size) < strength
    for cell, tile in enumerate(sketch.ravel().tolist()):
        if followed[cell] and tile in problem.allowed(problem.place(cell)):
            if problem.moves is None:
                lines.append(f"#heuristic at({cell},{tile}). [{1 + int(order[cell])},init]")
                lines.append(f"#heuristic at({cell},{tile}). [1,true]")
            else:
                # With a plan to be found the order of choices is better left to what the solver learns.
                lines.append(f"#heuristic at({cell},{tile}). [1,sign]")
    return "\n".join(lines)


def find(
    problem: Problem, *, seed: int, limits: Limits, extra: str = "", options: Sequence[str] = (),
) -> Found:  # fmt: skip
    """A level for a problem.

    Args:
        problem: facts and constraints.
        seed: of the solver's own choices.
        limits: of all solving together.
        extra: further rules (hints, costs).
        options: further options of clingo.

    Raises:
        ClashError: the firm constraints cannot be kept together; it names a smallest set of them.
        OutOfTimeError: neither a level nor a clash was found within the limits.
    """
    return _Search(problem, seed, limits.started(), extra, options).result()


class _Search:
    def __init__(self, problem: Problem, seed: int, limits: Limits, extra: str, options: Sequence[str]) -> None:
        self.problem = problem
        self.limits = limits
        self.solver = Solver(f"{extra}\n{problem.text()}", seed=seed, options=options)
        self.solver.ground(*problem.parts)
        self.firm = [d.number for d in problem.constraints if d.firm]
        self.soft = [d.number for d in problem.constraints if not d.firm]
        self.relaxed: list[Constraint] = []
        self.patience = SOFT_CONFLICTS
        self._game: Game | None = None

    def result(self) -> Found:
        refuted = 0
        while True:
            answer = self._answer()
            grid = self.problem.grid(answer.of("at"))
            if self.problem.moves is None:
                return Found(grid, (), tuple(self.relaxed), answer.cost, answer.optimal)
            presses = sorted((t, d) for p, d, t in answer.of("press") if p == 0)
            plan = tuple(DIRECTIONS[d][0] for _, d in presses)
            shorter = self._shorter(grid, plan)
            if shorter is None:
                return Found(grid, self._played(grid, plan), tuple(self.relaxed), answer.cost, answer.optimal)
            refuted += 1
            if refuted > MOST_REFUTED:
                low, high = self.problem.moves
                raise OutOfTimeError(
                    f"{MOST_REFUTED} levels that can be won in {low} to {high} moves could be won in fewer after all;"
                    " a wider range or other walls may help"
                )
            self._refute(refuted, shorter)

    def _answer(self) -> Answer:
        """The next answer; what is not firm gives way where it clashes."""
        while True:
            if self.soft:
                try:
                    found = self.solver.solve([*self.firm, *self.soft], self.limits.part(self.patience))
                except OutOfTimeError:
                    # The finest choices first: those put last.
                    half = len(self.soft) // 2
                    self.relaxed += [self.problem.constraints[i] for i in self.soft[half:]]
                    self.soft = self.soft[:half]
                    continue
            else:
                found = self.solver.solve(self.firm, self.limits)
            if isinstance(found, Answer):
                return found
            clashing = [d for d in self.soft if d in found]
            if not clashing:
                smallest = self.solver.smallest_clash(found, (), self.limits)
                raise ClashError([self.problem.constraints[i] for i in smallest], self.problem.shape)
            dropped = clashing[-1]
            self.soft.remove(dropped)
            self.relaxed.append(self.problem.constraints[dropped])

    # -- plans ---------------------------------------------------------------------------------------------------------

    def _state(self, grid: Grid) -> Any:
        if self._game is None:
            self._game = Game(self.problem.context.definition)
        return self._game.start(self.problem.palette.text(grid), seed=0)

    def _played(self, grid: Grid, plan: Sequence[str]) -> tuple[str, ...]:
        """The plan as far as it takes to win, played in the engine.

        Raises:
            PcgError: it does not win there.
        """
        state = self._state(self.problem.planned_tiles(grid))
        if state.model.stochastic:
            return tuple(plan)
        for n, action in enumerate(plan, start=1):
            state.advance(action)
            if state.is_over:
                if state.winner == 1:
                    return tuple(plan[:n])
                break
        raise PcgError(
            f"a plan read from the rules does not win in the engine"
            f" ({' '.join(plan)}):\n{self.problem.palette.text(grid)}"
        )

    def _shorter(self, grid: Grid, plan: Sequence[str]) -> tuple[str, ...] | None:
        """A win in fewer moves than asked for, if there is one."""
        assert self.problem.moves is not None
        low = self.problem.moves[0]
        if low <= 1:
            return None
        if len(plan) < low:
            return tuple(plan)
        state = self._state(self.problem.planned_tiles(grid))
        found = solve_by_engine(state, max_nodes=ENGINE_NODES, max_ticks=low - 1)
        return found.actions if found.status == "solved" else None

    def _refute(self, number: int, actions: Sequence[str]) -> None:
        """Demand that a line of actions does not win."""
        index: Mapping[str, int] = {name: d for d, (name, _, _) in enumerate(DIRECTIONS)}
        presses = [index[a] for a in actions if a in index]
        facts = " ".join(f"press({number},{d},{t})." for t, d in enumerate(presses, start=1))
        self.solver.add(facts)
        self.solver.ground(("plan", (number, len(presses))), ("refute", (number, self.problem.plan_demand)))


class SolverCheck:
    """Tells which constraints of a problem a given level breaks.

    Args:
        problem: whose constraints are meant.
        seed: of the solver.
        limits: of each question.
    """

    def __init__(self, problem: Problem, *, seed: int, limits: Limits) -> None:
        self.problem = problem
        self.limits = limits
        self.seed = seed

    def broken(self, grid: Grid) -> list[str]:
        """The sentences of the broken constraints; a plan that is not found within the limits counts as none."""
        problem = self.problem
        fixed = []
        for cell, tile in enumerate(grid.ravel().tolist()):
            if tile not in problem.allowed(problem.place(cell)):
                return ["the frame is closed"]
            fixed.append(f":- not at({cell},{tile}).")
        solver = Solver(f"{' '.join(fixed)}\n{problem.text()}", seed=self.seed)
        solver.ground(*problem.parts)
        firm = [d for d in problem.constraints if d.firm]
        if isinstance(solver.solve([d.number for d in firm], self.limits.started()), Answer):
            return []
        found = []
        for constraint in firm:
            try:
                answer = solver.solve([constraint.number], self.limits.started())
            except OutOfTimeError:
                answer = ()
            if not isinstance(answer, Answer):
                found.append(constraint.text)
        return found or ["the constraints do not hold together"]
