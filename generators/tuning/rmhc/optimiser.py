"""Random mutation hill climbing with resampling.

One point is changed a little; if the changed one seems no worse, it takes its place. Because chance decides much of
what one evaluation says, both are evaluated several times, and what is known of the parent adds up over the steps it
survives (Liu, Fairbank, Perez-Liebana, Lucas 2017). Points that were evaluated before keep what is known of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pcg.evaluators.parameters import Parameter
from pcg.generators.tuning.contract import Candidate, Optimiser
from pcg.generators.tuning.space import Point


class RandomMutationHillClimber(Optimiser):
    """Random mutation hill climbing."""

    name = "rmhc"
    help = "random mutation hill climbing: changes the best point a little, and resamples both"
    papers = (
        "Liu, Fairbank, Perez-Liebana, Lucas: Optimal Resampling for the Noisy OneMax Problem (2017)",
        "Liu, Togelius, Perez-Liebana, Lucas: Evolving Game Skill-Depth using General Video Game AI Agents (2017)",
    )
    parameters = (
        Parameter("resamples", 2, "evaluations of the changed point in a step; the parent gets one more", 1, 1000),
        Parameter("rate", 0.2, "probability that a parameter changes; at least one does", 0.0, 1.0),
        Parameter("near", 0.5, "share of changes of numbers that go to the next value up or down", 0.0, 1.0),
    )

    def __init__(self, sizes: Any, **params: Any) -> None:
        super().__init__(sizes, **params)
        self.parent: Point = self.start
        self.child: Point | None = None
        self.steps = 0
        self._queue: list[tuple[Point, str]] = [(self.parent, "start")] * self.integer("resamples")
        self._out = 0

    def ask(self, n: int) -> list[Candidate]:
        """At most `n` candidates; none while a step is not told completely."""
        if not self._queue and not self._out:
            rng = self.rng(1, self.steps)
            self.child = self._mutated(rng, self.parent, self.number("rate"), self.number("near"))
            child = [(self.child, "mutation")] * self.integer("resamples")
            self._queue = [*child, (self.parent, "parent")]
        taken, self._queue = self._queue[:n], self._queue[n:]
        self._out += len(taken)
        return [self._candidate(point, origin) for point, origin in taken]

    def _learn(self, candidate: Candidate, value: float) -> None:
        self._out -= 1
        if self._out or self._queue:
            return
        if self.child is not None and self.tried[self.child].mean >= self.tried[self.parent].mean:
            self.parent = self.child
        self.child = None
        self.steps += 1

    def recommend(self) -> Point | None:
        """Return the point that the climb has come to."""
        return self.parent

    def state_dict(self) -> dict[str, Any]:
        """The parent, the child, and what is left of the step."""
        return super().state_dict() | {
            "parent": list(self.parent),
            "child": None if self.child is None else list(self.child),
            "steps": self.steps,
            "queue": [[list(point), origin] for point, origin in self._queue],
            "out": self._out,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on as the one whose `state_dict` this was."""
        super().load_state_dict(state)
        self.parent = tuple(state["parent"])
        self.child = None if state["child"] is None else tuple(state["child"])
        self.steps = int(state["steps"])
        self._queue = [(tuple(point), str(origin)) for point, origin in state["queue"]]
        self._out = int(state["out"])
