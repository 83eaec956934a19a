"""ConnectX as a PettingZoo environment in which the two agents take turns."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pettingzoo
from gymnasium import spaces

from pcg.engine.boards import ConnectState, ConnectX
from pcg.engine.vgdl.diagnostics import PcgError

RENDER_MODES = ("ansi", "human")

Planes = npt.NDArray[np.int8]


def planes_of(state: ConnectState, player: int) -> Planes:
    """The board as a player sees it, int8 [2, rows, columns] from the top row: its own discs, then the other's."""
    cells = np.array(state.board, dtype=np.int8).reshape(state.game.rows, state.game.columns)
    return np.stack([cells == player + 1, cells == 2 - player]).astype(np.int8)


def mask_of(state: ConnectState) -> Planes:
    """1 for every column that has room for a disc, int8 [columns]; 0 when the game is over."""
    mask = np.zeros(state.game.columns, dtype=np.int8)
    mask[state.columns] = 1
    return mask


def check_render_mode(mode: str | None) -> str | None:
    """The mode, if there is such a one."""
    if mode is not None and mode not in RENDER_MODES:
        raise PcgError(f"render_mode is {mode!r}, expected one of {', '.join(RENDER_MODES)}")
    return mode


class ConnectAEC(pettingzoo.AECEnv):  # type: ignore[misc]
    """ConnectX for the agents `player_0` and `player_1`, who take turns.

    Args:
        game: the board; 6 x 7 with four in a row without it.
        render_mode: "ansi" (a text), "human" (printed) or None.

    An observation is a dictionary of `observation`, int8 [2, rows, columns] (the agent's own discs, then the other's),
    and `action_mask`, int8 [columns]. Actions are columns. Rewards are 1 and -1 for who has won and lost; a column
    without room ends the game with -1 for who chose it and 0 for the other, as in PettingZoo's own board games.

    >>> env = ConnectAEC()
    >>> env.reset()
    >>> env.step(3)
    >>> env.agent_selection
    'player_1'
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "connectx",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
    }

    def __init__(self, game: ConnectX | None = None, *, render_mode: str | None = None) -> None:
        super().__init__()
        self.game = ConnectX() if game is None else game
        self.render_mode = check_render_mode(render_mode)
        self.possible_agents = ["player_0", "player_1"]
        self.agents: list[str] = []
        rows, columns = self.game.rows, self.game.columns
        seen: dict[str, spaces.Space[Any]] = {
            "observation": spaces.Box(0, 1, (2, rows, columns), np.int8),
            "action_mask": spaces.Box(0, 1, (columns,), np.int8),
        }
        self.observation_spaces = {agent: spaces.Dict(seen) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(columns) for agent in self.possible_agents}
        self.game_state = self.game.start()
        self.agent_selection = ""

    def __repr__(self) -> str:
        return f"<ConnectAEC {self.game!r}>"

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's observations; always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's actions; always the same object."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start with the empty board; nothing is left to chance, so the seed changes nothing."""
        self.agents = self.possible_agents[:]
        self.game_state = self.game.start()
        self.agent_selection = self.agents[0]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}

    def observe(self, agent: str) -> dict[str, Planes]:
        """Return an agent's observation; a player who is not to move has no actions."""
        player = self.possible_agents.index(agent)
        state = self.game_state
        mine = agent == self.agent_selection and not state.is_over
        mask = mask_of(state) if mine else np.zeros(self.game.columns, dtype=np.int8)
        return {"observation": planes_of(state, player), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Drop a disc for the agent whose turn it is."""
        if not self.agents:
            raise PcgError("the play is over: reset the environment")
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        if action is None:
            raise PcgError(f"the action of {self.agent_selection} is None, expected a column")
        agent, player = self.agent_selection, self.game_state.mover
        self._cumulative_rewards[agent] = 0.0
        self.game_state.drop(int(action))
        self.rewards = dict.fromkeys(self.agents, 0.0)
        if self.game_state.is_over:
            scores: tuple[float, ...] = self.game_state.score
            if self.game_state.forfeited:
                scores = (-1.0, 0.0) if player == 0 else (0.0, -1.0)
            self.rewards = dict(zip(self.possible_agents, scores, strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()
        self.agent_selection = self.possible_agents[1 - player]
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """The board as `render_mode` says."""
        if self.render_mode == "human":
            print(self.game_state.render())
        return self.game_state.render() if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Nothing to close."""
