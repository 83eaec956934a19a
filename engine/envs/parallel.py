"""Games for two players as a PettingZoo environment, in which both act at once in every tick."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pettingzoo
from gymnasium import spaces
from gymnasium.utils import seeding

from pcg.engine.envs.pictures import PLAIN_TILE, CellRenderer, Renderer
from pcg.engine.envs.plays import ActionTable, Levels, SeedStreams, contexts_of
from pcg.engine.envs.single import (
    RENDER_MODES,
    Screen,
    avatar_type,
    bonus,
    chosen_level,
    make_observer,
    require_positive,
)
from pcg.engine.state import State
from pcg.engine.vgdl.diagnostics import PcgError

if TYPE_CHECKING:
    from pcg.engine.game import Game

_ONLY = np.zeros(1, np.int64)


class ParallelEnv(pettingzoo.ParallelEnv):  # type: ignore[misc]
    """A game for two players, the agents `player_0` and `player_1`.

    Arguments, actions, observations, rewards and seeds are those of `pcg.engine.envs.Env`, for each agent its own. Both
    stay until the game is over, also one whose avatar is dead: its actions then count for nothing. An agent that is
    missing from the actions of a step does nothing. Planes, entities and pictures show both the same; the JSON
    dictionary is the player's own.

    >>> import pcg
    >>> env = ParallelEnv(pcg.load("duel"))
    >>> observations, infos = env.reset(seed=1)
    >>> sorted(observations), env.actions
    (['player_0', 'player_1'], ('NIL', 'UP', 'LEFT', 'DOWN', 'RIGHT', 'USE'))
    >>> observations, rewards, terminations, truncations, infos = env.step({"player_0": 1, "player_1": 0})
    >>> sorted(rewards)
    ['player_0', 'player_1']
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "pcg", "render_modes": list(RENDER_MODES), "render_fps": 20}

    def __init__(
        self,
        game: Game,
        level: Levels = 0,
        *,
        observation: str = "planes",
        render_mode: str | None = None,
        tile: int = PLAIN_TILE,
        max_entities: int | None = None,
        max_ticks: int | None = None,
        win_bonus: float = 0.0,
        renderer: Renderer | None = None,
    ) -> None:
        if game.players != 2:
            raise PcgError(f"{game.name} is for one player: use `pcg.env`")
        require_positive(max_ticks)
        renderer = CellRenderer() if renderer is None else renderer
        self.game = game
        self.render_mode = render_mode
        self.max_ticks = max_ticks
        self.win_bonus = float(win_bonus)
        self.metadata = {**type(self).metadata, "name": f"pcg_{game.name}"}  # type: ignore[misc]
        self._contexts = contexts_of(game, level)
        self._table = ActionTable(game)
        self._observer = make_observer(
            observation, game, self._contexts, renderer=renderer, tile=tile, max_entities=max_entities
        )
        self._screen = Screen(game, self._contexts, render_mode, renderer, tile)
        self._seeds: SeedStreams | None = None
        self._state: State | None = None
        self._scores = (0.0, 0.0)
        self.possible_agents = [f"player_{p}" for p in range(game.players)]
        self.agents: list[str] = []
        self.observation_spaces = dict.fromkeys(self.possible_agents, self._observer.space)
        self.action_spaces = {agent: spaces.Discrete(len(self._table)) for agent in self.possible_agents}

    def __repr__(self) -> str:
        return f"<ParallelEnv {self.game.name}: {self._observer.name}, {len(self._table)} actions>"

    @property
    def actions(self) -> tuple[str, ...]:
        """Action names by index."""
        return self._table.names

    @property
    def observer(self) -> Any:
        """Observer that makes the observations."""
        return self._observer

    @property
    def game_state(self) -> State:
        """The state being played (PettingZoo's `state` is a method). Raises PcgError before the first reset."""
        if self._state is None:
            raise PcgError("the environment has not been reset yet")
        return self._state

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's observations; always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's actions; always the same object."""
        return self.action_spaces[agent]

    def _observations(self) -> dict[str, Any]:
        state = self.game_state
        return {agent: self._observer.observe(state, p) for p, agent in enumerate(self.possible_agents)}

    def _infos(self) -> dict[str, dict[str, Any]]:
        state = self.game_state
        winners = state.winner
        return {
            agent: {
                "score": self._scores[p],
                "winner": int(winners[p]),
                "tick": state.tick,
                "action_mask": self._table.legal[avatar_type(state, p)].copy(),
            }
            for p, agent in enumerate(self.possible_agents)
        }

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Start a play; see `Env.reset`."""
        if self._seeds is None or seed is not None:
            self._seeds = SeedStreams(1)
            first = int(seeding.np_random()[0].integers(2**31)) if seed is None else seed
            self._seeds.begin([first], _ONLY)
        index = chosen_level(options, len(self._contexts))
        if index is None:
            index = int(self._seeds.levels(_ONLY, len(self._contexts))[0])
        self._state = self.game.start(self._contexts[index].level, self._seeds.seeds(_ONLY)[0])
        self._scores = self._state.score
        self.agents = self.possible_agents[:]
        if self.render_mode == "human":
            self.render()
        return self._observations(), self._infos()

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Play a tick; returns observations, rewards, terminations, truncations and infos by agent."""
        state = self.game_state
        if not self.agents:
            raise PcgError("the play is over: reset the environment")
        unknown = sorted(set(actions) - set(self.possible_agents))
        if unknown:
            raise PcgError(f"unknown agent {unknown[0]}, expected one of {', '.join(self.possible_agents)}")
        state.advance([self._table.code(int(actions.get(agent, 0))) for agent in self.possible_agents])
        before, self._scores = self._scores, state.score
        over = state.is_over
        cut = not over and self.max_ticks is not None and state.tick + 1 >= self.max_ticks
        rewards = {
            agent: self._scores[p] - before[p] + (bonus(state.winner[p], self.win_bonus) if over else 0.0)
            for p, agent in enumerate(self.possible_agents)
        }
        result = (
            self._observations(),
            rewards,
            dict.fromkeys(self.possible_agents, over),
            dict.fromkeys(self.possible_agents, cut),
            self._infos(),
        )
        if over or cut:
            self.agents = []
        if self.render_mode == "human":
            self.render()
        return result

    def render(self) -> Any:
        """The state as `render_mode` says."""
        return self._screen.show(self.game_state)

    def state(self) -> Any:
        """The whole state for centralised training: what both players observe."""
        return self._observer.observe(self.game_state)

    def close(self) -> None:
        """Nothing to close."""
