"""Linear SARSA(lambda): a learner for the learning track, in NumPy.

The value of an action is a weighted sum of the features of what is seen (`features`), with weights of its own. All
training plays learn together, each with replacing traces; exploration fades while the time passes. Sources: Rummery
and Niranjan, On-Line Q-Learning Using Connectionist Systems, 1994; Singh and Sutton, Reinforcement Learning with
Replacing Eligibility Traces, 1996; Sutton and Barto, Reinforcement Learning, 2018, chapter 12.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.learning.features import Floats, RelativeFeatures
from pcg.evaluators.learning.track import Clock, Learner

if TYPE_CHECKING:
    from pcg.engine.envs import VectorEnv


class LinearSarsa(Learner):
    """SARSA(lambda) with linear values, for any game for one player.

    Args:
        seed: of exploration.
        step_size: share of an error that a decision corrects; training plays that are alike correct it together.
        discount: of rewards, per tick.
        trace: lambda, how much earlier decisions learn from an error.
        explore: share of random actions at the beginning; it fades to `explore_last` in the first half of the time.
        explore_last: in the second half, and in tests: a little keeps a learner from standing still for ever.
        radius: see `RelativeFeatures`.

    Raises:
        PcgError: a number out of range.
    """

    def __init__(
        self,
        *,
        seed: int = 0,
        step_size: float = 0.1,
        discount: float = 0.95,
        trace: float = 0.8,
        explore: float = 1.0,
        explore_last: float = 0.05,
        radius: int = 2,
    ) -> None:
        super().__init__(seed=seed)
        shares = {"discount": discount, "trace": trace, "explore": explore, "explore_last": explore_last}
        for name, value in shares.items():
            if not 0 <= value <= 1:
                raise PcgError(f"linear sarsa: {name} is {value}, expected 0 to 1")
        if step_size <= 0 or radius < 0:
            raise PcgError(f"linear sarsa: step_size {step_size}, radius {radius}: expected more than 0, at least 0")
        self.step_size, self.discount, self.trace = step_size, discount, trace
        self.explore, self.explore_last, self.radius = explore, explore_last, radius
        self._rng = np.random.default_rng(seed)
        self._features: RelativeFeatures | None = None
        self.weights: Floats = np.zeros((0, 0), np.float32)
        """Float32 (actions, features), after learning."""

    def learn(self, plays: VectorEnv, clock: Clock) -> None:
        """Learn until the clock is over."""
        features = self._features = RelativeFeatures(plays.game, self.radius)
        actions = len(plays.actions)
        weights = self.weights = np.zeros((actions, features.count), np.float32)
        traces = np.zeros((plays.num_envs, actions, features.count), np.float32)
        every = np.arange(plays.num_envs)
        most = 1.0
        seen, infos = plays.reset()
        here = features(seen)
        chosen = self._choose(here @ weights.T, infos["action_mask"], self.explore)
        while not clock.over:
            fade = max(0.0, 1.0 - 2.0 * clock.share)
            explore = self.explore_last + (self.explore - self.explore_last) * fade
            seen, rewards, terminated, truncated, infos = plays.step(chosen)
            clock.spend(plays.num_envs)
            ended = terminated | truncated
            value = (here * weights[chosen]).sum(1)
            there = features(seen)
            values = there @ weights.T
            following = self._choose(values, infos["action_mask"], explore)
            ahead = np.where(ended, 0.0, values[every, following])
            cut = np.flatnonzero(truncated & ~terminated)
            if len(cut):  # a play that was only cut off has no end whose value is 0
                last = features(np.stack([infos["final_obs"][k] for k in cut.tolist()]))
                ahead[cut] = (last @ weights.T).max(1)
            error = compressed(rewards) + self.discount * ahead - value
            traces *= self.discount * self.trace
            traces *= (1.0 - here)[:, None, :]
            traces[every, chosen] += here
            # by the largest number of features: traces have more of them than an observation without an avatar
            most = max(most, float(here.sum(1).max()))
            rate = self.step_size / most
            # the mean over the plays that a weight has to do with: their sum would overshoot where plays are alike, and
            # the mean over all plays would learn next to nothing from what few of them see
            correction = np.tensordot((rate * error).astype(np.float32), traces, 1)
            correction /= np.maximum(traces.sum(0), 1.0)
            weights += correction
            traces[ended] = 0.0
            here, chosen = there, following

    def _choose(self, values: Floats, mask: npt.NDArray[Any], explore: float) -> npt.NDArray[np.int64]:
        """Return the best possible action of each play, equal ones in random order; now and then any possible one."""
        n, actions = values.shape
        possible = mask.astype(bool)
        noise = self._rng.random((n, actions))
        best = np.where(possible, values + 1e-6 * noise, -np.inf).argmax(1)
        anything = np.where(possible, noise, -1.0).argmax(1)
        chosen: npt.NDArray[np.int64] = np.where(self._rng.random(n) < explore, anything, best)
        return chosen

    def act(self, observation: Any, mask: npt.NDArray[Any]) -> int:
        """Return the best action by what was learned."""
        if self._features is None:
            raise PcgError("linear sarsa has learned nothing yet")
        values = self._features(observation[None]) @ self.weights.T
        return int(self._choose(values, mask[None], self.explore_last)[0])


def compressed(rewards: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return sign(r) log(1 + abs(r)): scores of games differ by orders of magnitude.

    >>> compressed(np.array([0.0, 1.0, -1.0])).round(3).tolist()
    [0.0, 0.693, -0.693]
    """
    found: npt.NDArray[Any] = np.sign(rewards) * np.log1p(np.abs(rewards))
    return found
