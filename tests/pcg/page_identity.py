"""States and decisions in an exported page, held against those of Python."""

from __future__ import annotations

from typing import Any

from pcg.engine.game import Game
from pcg.engine.kernel.ids import ACTIONS
from pcg.engine.native.replay import Native, random_play
from pcg.evaluators.agents import make_agent
from pcg.export import AGENTS

PLAYS = """
([level, plays]) => {
  const play = new window.pcg.Play(window.pcg.game, level, 0);
  return plays.map(([seed, actions]) => {
    play.begin(seed);
    const checksums = [play.checksum()];
    for (let k = 0; k < actions[0].length && !play.over; k++) {
      play.advance(Number(actions[0][k]), Number(actions[1]?.[k] ?? 0));
      checksums.push(play.checksum());
    }
    return checksums;
  });
}
"""
DECISIONS = """
([level, seed, name, ticks]) => {
  const { game, Play, Agent } = window.pcg, play = new Play(game, level, seed), chosen = [];
  const find = (images) => images.find((image) => image.name === name);
  const players = game.about.agents.map((images, p) => new Agent(play, find(images), seed + p));
  while (chosen.length < ticks && !play.over) {
    chosen.push(players.map((player) => player.decide()));
    play.advance(...chosen.at(-1));
  }
  return chosen;
}
"""


def compare(page: Any, game: Game, length: int = 150) -> int:
    """Hold plays of all levels against those of the kernels here; returns the ticks compared."""
    compared = 0
    for level in range(len(game.levels)):
        plays = [random_play(game.players, seed, length) for seed in (0, 1)]
        found = page.evaluate(PLAYS, [level, [[play.seed, list(play.actions)] for play in plays]])
        for record, checksums in zip(Native().play(game.context(level), plays), found, strict=True):
            assert checksums == list(record.checksums), (game.name, level)
            compared += record.ticks
    return compared


def compare_decisions(page: Any, game: Game, level: int = 1) -> int:
    """Hold what every agent of a page does on a level against what it does here; returns the decisions compared."""
    compared = 0
    for agent, budget in AGENTS.items():
        state = game.start(level, seed=7)
        players = [make_agent(agent, seed=7 + p, budget=budget, player=p) for p in range(game.players)]
        for player in players:
            player.reset(state)
        for codes in page.evaluate(DECISIONS, [level, 7, agent, 30]):
            actions = [player.act(state) for player in players]
            assert [ACTIONS.index(action) for action in actions] == codes, (game.name, level, agent)
            state.advance(actions if game.players > 1 else actions[0])
            compared += len(actions)
    return compared
