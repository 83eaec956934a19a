"""ConnectX for libraries of reinforcement learning: against an agent (Gymnasium), or for two learners (PettingZoo)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, SupportsInt

import gymnasium
import numpy as np
from gymnasium import spaces

from pcg.connectx.agents import AgentLike
from pcg.connectx.configuration import FAULTS, board, read_configuration
from pcg.connectx.environment import Environment
from pcg.connectx.rendering import text
from pcg.engine.envs.boards import RENDER_MODES, Planes, check_render_mode, mask_of, planes_of
from pcg.engine.vgdl.diagnostics import PcgError

if TYPE_CHECKING:
    from pcg.engine.envs.boards import ConnectAEC


class ConnectEnv(gymnasium.Env[Planes, Any]):
    """ConnectX against an agent, ``gymnasium.make("pcg/ConnectX-v0")``.

    Args:
        opponent: what `Environment.run` takes as an agent.
        first: whether the learner begins; None lets chance decide for every episode.
        configuration: as for `make`.
        render_mode: "ansi" (a text), "human" (printed) or None.

    Observations are int8 [2, rows, columns] from the top row, the learner's own discs first. Actions are columns; the
    reward is 1 for a win and -1 for a loss, also by a move that cannot be made. ``info["action_mask"]`` marks the
    columns that have room. If the opponent makes a fault of its own, the episode is truncated without a reward.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # type: ignore[misc]

    def __init__(
        self,
        opponent: AgentLike = "random",
        *,
        first: bool | None = None,
        configuration: Mapping[str, Any] | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.render_mode = check_render_mode(render_mode)
        if first not in (True, False, None):
            raise PcgError(f"first is {first!r}, expected True, False or None")
        self._opponent = opponent
        self._first = first
        self._environment = Environment(configuration)
        self._trainers = [
            self._environment.train([None, opponent]),
            self._environment.train([opponent, None]),
        ]
        self._place = 0
        config = self._environment.configuration
        self.observation_space = spaces.Box(0, 1, (2, config.rows, config.columns), np.int8)
        self.action_space = spaces.Discrete(config.columns)

    def __repr__(self) -> str:
        return f"<ConnectEnv against {self._opponent!r}>"

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Planes, dict[str, Any]]:
        """Start an episode; equal seeds give equal ones."""
        super().reset(seed=seed)
        self._environment.configuration["seed"] = int(self.np_random.integers(2**31))
        self._place = int(self.np_random.integers(2)) if self._first is None else 0 if self._first else 1
        self._trainers[self._place].reset()
        return self._seen(), self._info()

    def step(self, action: SupportsInt) -> tuple[Planes, float, bool, bool, dict[str, Any]]:
        """Drop a disc, and let the opponent answer."""
        environment = self._environment
        if environment.done:
            raise PcgError("the episode is over: reset the environment")
        _, reward, done, _ = self._trainers[self._place].step(int(action))
        failed = environment.state[1 - self._place].status in FAULTS
        limited = done and not failed and reward == 0 and not environment.position.is_over
        worth = -1.0 if reward is None else float(reward)
        if self.render_mode == "human":
            self.render()
        return self._seen(), worth, done and not failed and not limited, failed or limited, self._info()

    def _seen(self) -> Planes:
        return planes_of(self._environment.position, self._place)

    def _info(self) -> dict[str, Any]:
        environment = self._environment
        state = environment.state
        mask = (
            np.zeros(environment.configuration.columns, np.int8) if environment.done else mask_of(environment.position)
        )
        return {"action_mask": mask, "mark": self._place + 1, "statuses": [agent.status for agent in state]}

    def render(self) -> str | None:
        """The board as `render_mode` says."""
        if self.render_mode == "human":
            print(text(self._environment))
        return text(self._environment) if self.render_mode == "ansi" else None


def aec_env(configuration: Mapping[str, Any] | None = None, *, render_mode: str | None = None) -> ConnectAEC:
    """ConnectX for two learners as a PettingZoo environment; see `pcg.engine.envs.boards.ConnectAEC`."""
    from pcg.engine.envs.boards import ConnectAEC

    config = read_configuration(configuration)
    return ConnectAEC(board(config.rows, config.columns, config.inarow), render_mode=render_mode)
