"""Every agent of the table, also with options that make it another search, for what holds for all of them.

As a program it prints what each of them decides, so that one other process is enough to compare kernel modes.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))

from tiny_engine import TinyGame, walk

from pcg.engine.game import load
from pcg.evaluators.agents import make_agent, play


@dataclass(frozen=True)
class Variant:
    """An agent with options.

    Args:
        name: as `make_agent` reads it.
        least: share of a budget that is used up where there is a choice; 0: it may stop sooner.
        more: forward-model calls by which an iteration that has begun may exceed a budget.
    """

    name: str
    least: float = 1.0
    more: int = 10


ALL_OPTIONS = "nst=true,samples=2,loss_avoidance=true,novelty=true,knowledge=true,transpositions=true,history=1.0"

VARIANTS = (
    Variant("nothing", 0),
    Variant("random", 0),
    Variant("onestep", 0),
    Variant("onestep:heuristic=simple,samples=3", 0, 14),
    Variant("replay", 0),
    Variant("greedytree"),
    Variant("mcts"),
    Variant("mcts:closed_loop=true"),
    Variant("mcts:history=2.0"),
    Variant("mcts:nst=true,nst_visits=2"),
    Variant("mcts:reuse=true"),
    Variant("mcts:samples=3"),
    Variant("mcts:loss_avoidance=true"),
    Variant("mcts:novelty=true"),
    Variant("mcts:knowledge=true"),
    Variant("mcts:transpositions=true"),
    Variant("mcts:opponent=careful"),
    Variant("mcts:td=true,reuse=true,nst=true,novelty=true"),
    Variant("sarsauct"),
    Variant("sarsauct:trace=0.5,discount=0.9,others=1.0,opponent=careful"),
    Variant(f"mcts:reuse=true,{ALL_OPTIONS}"),
    Variant(f"mcts:closed_loop=true,{ALL_OPTIONS}"),
    Variant("enhanced"),
    Variant("kbfastevo"),
    Variant("kbfastevo:depth=6", more=5),
    Variant("olets"),
    Variant("rhea", 0.001, 14),
    Variant("rhea:population=1", 0.001, 14),
    Variant("rhea:crossover=one-point,tournament=4,elite=2,mutations=3", 0.001, 14),
    Variant("rhea:crossover=none,elite=0,samples=3", 0.001, 14),
    Variant("rhea:shift=true", 0.001, 14),
    Variant("rhea:rollouts=2,rollout_length=3,length=6", 0.001, 14),
    Variant("rhea:recommend=visits", 0.001, 14),
    Variant("rhea:recommend=value,shift=true", 0.001, 14),
    Variant("rhea:recommend=bound", 0.001, 14),
    Variant("rhea:macro=3,length=4", 0.001, 14),
    Variant("rhea:macro=2,length=5,shift=true,recommend=value", 0.001, 14),
    Variant("rhea:seed_plan=onestep", 0.001, 14),
    Variant("rhea:seed_plan=mcts", 0.001, 14),
    Variant("rhea:seed_plan=mcts,shift=true,macro=2,length=5", 0.001, 14),
    Variant("rhea:heuristic=simple,discount=0.9,nil=false", 0.001, 14),
    Variant("rhea:coevolve=true", 0.001, 14),
    Variant("randomsearch", 0.001, 14),
    Variant("randomsearch:shift=true", 0.001, 14),
    Variant("ga", 0.001, 14),
    Variant("ga:nil=true,population=2,sweeps=3", 0.001, 14),
    Variant("iw", 0, 3),
    Variant("iw:width=2,order=reward", 0, 3),
    Variant("ybcriber", 0, 3),
    Variant("ybcriber:width=1.5", 0, 3),
    Variant("solver", 0),
    Variant("valuefield", more=4),
    Variant("loderunnerbot", more=4),
    Variant("loderunnerbot:field_from=chain,field_counts=end,eaten=after,monsters_stay=false", more=4),
    Variant("guided", more=14),
    Variant("alphabeta", 0),
    Variant("pcg", 0, more=14),
    Variant("hyper", 0),
    Variant("ybcriber:maps=true,chance=observed", 0, 4),
    Variant("flatmc", 0),
    Variant("uct", 0),
    Variant("mmcts", 0),
    Variant("mmctsown", 0),
)

ALONE: dict[str, dict[str, Any]] = {
    "corridor": {"rows": "A..c..G"},
    "pit": {"rows": "A..c..G\n..x....", "crumbs": True, "room": 1},
    "wind": {"rows": "A.c.\n.x.G\nc...", "wind": 200},
    "limit": {"rows": "c.A.c", "limit": 6},
}
"""Maps for one player: the ways to go, a state that grows, chance, and an end by time."""

TOGETHER: dict[str, dict[str, Any]] = {"race": {"rows": "A..c.G.c.B"}, "windy race": {"rows": "A.c.\n.x.B", "wind": 50}}
"""Maps for two players."""

CELLAR = "wwwwww\nwA...w\nwbbbbw\nw.g..w\nwbbbbw\nwwwwww"
SPRITE_READERS = (
    "valuefield",
    "loderunnerbot",
    "loderunnerbot:field_from=chain,monsters_stay=false",
    "mcts:knowledge=true,novelty=true",
    "guided",
    "olets:taboo=2",
)
"""Agents that look at sprites, which these maps do not have; they decide in a cellar of lode_runner."""


def maps_of(number: int) -> dict[str, TinyGame]:
    """Two maps for one player and one for two, others for each variant: any two neighbours see all there are."""
    alone, together = list(ALONE), list(TOGETHER)
    names = alone[2 * number % 4], alone[(2 * number + 1) % 4]
    games = {name: walk(**ALONE[name]) for name in names}
    name = together[number % 2]
    return games | {name: walk(**TOGETHER[name])}


def decisions() -> dict[str, list[Any]]:
    """Play each variant on its maps: as reproducible as the kernels are."""
    found: dict[str, list[Any]] = {}
    for number, variant in enumerate(VARIANTS):
        for name, game in maps_of(number).items():
            if game.model.players == 2 and variant.name == "solver":
                continue
            agents = [make_agent(variant.name, seed=5, budget=80, player=k) for k in range(game.model.players)]
            played = play(game, agents if len(agents) > 1 else agents[0], max_ticks=4)
            found[f"{variant.name} {name}"] = [list(played.actions), played.score, played.winner]
    cellar = load("lode_runner", levels=[CELLAR]).start()
    for name in SPRITE_READERS:
        found[f"{name} cellar"] = list(play(cellar, make_agent(name, seed=5, budget=40), max_ticks=4).actions)
    return found


if __name__ == "__main__":
    json.dump(decisions(), sys.stdout)
