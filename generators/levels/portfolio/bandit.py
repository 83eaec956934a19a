"""A bandit over families of levels: Thompson sampling with discounted counts.

Each arm has a Beta distribution over the chance that its next level is of use, from successes and failures that count
less the longer ago they were; the arm is taken whose draw is largest (Thompson 1933; discounting for chances that
change, as those of finding something new do: Raj, Kalyani: Taming Non-stationary Bandits, 2017).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

DISCOUNT = 0.985
"""Discount: weight of earlier outcomes is multiplied by this with each new one."""
DOUBT = 2.0
"""Weight of the prior expectation of an arm, in outcomes."""


class Bandit:
    """Bandit over named arms.

    Args:
        expected: arm -> expectation of its reward before anything is known, in (0, 1).

    >>> bandit = Bandit({"rooms": 0.5, "caves": 0.5})
    >>> for _ in range(30):
    ...     bandit.reward("rooms", 1.0)
    ...     bandit.reward("caves", 0.0)
    >>> bandit.choose(np.random.default_rng(1)), round(bandit.mean("caves"), 2)
    ('rooms', 0.05)
    """

    def __init__(self, expected: Mapping[str, float]) -> None:
        self._prior = {arm: (DOUBT * share, DOUBT * (1.0 - share)) for arm, share in expected.items()}
        self._won = dict.fromkeys(expected, 0.0)
        self._lost = dict.fromkeys(expected, 0.0)
        self.times = dict.fromkeys(expected, 0)
        """Outcomes of each arm."""

    @property
    def arms(self) -> tuple[str, ...]:
        """The names of the arms, in order."""
        return tuple(self._prior)

    def choose(self, rng: np.random.Generator, among: Mapping[str, float] | None = None) -> str:
        """Return the arm whose draw is largest.

        Args:
            rng: draws.
            among: arms that can be chosen now, each with a factor of its draw; None for all.
        """
        arms = self.arms if among is None else tuple(arm for arm in self.arms if arm in among)
        draws = [rng.beta(self._prior[a][0] + self._won[a], self._prior[a][1] + self._lost[a]) for a in arms]
        if among is not None:
            draws = [draw * among[arm] for draw, arm in zip(draws, arms, strict=True)]
        return arms[int(np.argmax(draws))]

    def reward(self, arm: str, value: float, made: bool = True) -> None:
        """Add the reward of an arm, in [0, 1].

        Args:
            arm: that was taken.
            value: its reward.
            made: False where nothing came of it, so that it does not count among the outcomes.
        """
        for name in self._won:
            self._won[name] *= DISCOUNT
            self._lost[name] *= DISCOUNT
        self._won[arm] += value
        self._lost[arm] += 1.0 - value
        self.times[arm] += made

    def mean(self, arm: str) -> float:
        """Return the expected reward of an arm, in (0, 1)."""
        won, lost = self._prior[arm][0] + self._won[arm], self._prior[arm][1] + self._lost[arm]
        return won / (won + lost)

    def state_dict(self) -> dict[str, Any]:
        """Return the state as JSON."""
        return {"won": dict(self._won), "lost": dict(self._lost), "times": dict(self.times)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Load the state of another bandit; arms that it did not have stay as they are."""
        for name in self._won:
            if name in state["won"]:
                self._won[name] = float(state["won"][name])
                self._lost[name] = float(state["lost"][name])
                self.times[name] = int(state["times"][name])
