"""A person as a player, asked for every action at a prompt.

Serves any game and any player of it (reference/agents 11.3), so that a person can also play against agents. The
terminal player of `pcg play` shows pictures and reads single keys.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pcg.evaluators.agents.base import Agent, GameState
from pcg.evaluators.agents.registry import register


@register("human", "asks a person for every action", attended=True)
class Human(Agent):
    """A person, asked for every action at a prompt.

    An action may be shortened ("l" for LEFT); nothing is NIL; "q", or the end of the input, ends the game (ESCAPE).

    Args:
        read: shows a text and returns an answer; by default `input`.
        common: see `Agent`; seed and budget are not used.
    """

    def __init__(self, *, read: Callable[[str], str] | None = None, **common: Any) -> None:
        super().__init__(**common)
        self._read = read

    def act(self, state: GameState) -> str:
        """The action that the person names."""
        several = state.model.players > 1
        own = list(state.actions[self.player] if several else state.actions)
        score = state.score[self.player] if several else state.score
        who = f"player {self.player}, " if several else ""
        question = f"{who}tick {state.tick + 1}, score {score:g}: {' '.join(own)} > "
        while True:
            try:
                answer = (self._read or input)(question).strip().upper()
            except EOFError:
                return "ESCAPE"
            if answer in ("Q", "QUIT"):
                return "ESCAPE"
            meant = [name for name in (*own, "NIL") if name.startswith(answer)] if answer else ["NIL"]
            if len(meant) == 1:
                return meant[0]
            question = f"{answer}: expected one of {' '.join(own)}, nothing to wait, q to quit > "
