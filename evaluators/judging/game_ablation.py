"""Ablation of rules and resources: recorded plays are repeated without each of them, and compared.

A rule matters where a play then ends otherwise: by another winner, or at another time; a resource, where it does when
nobody can hold any of it. Of all measures of evolved games
the number of such rules agreed best with a designer's marks. What no recorded play executes cannot matter to them and
is not tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pcg.engine.game import Game
from pcg.engine.state import Outcome
from pcg.engine.vgdl.definition import GameDefinition
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.effect_semantics import consequences
from pcg.evaluators.judging.game_plays import MOST_MOVING, TICK_WORK, GamePlay, GamePlays


@dataclass(frozen=True)
class Ablation:
    """Effects of leaving out rules.

    Attributes:
        rules: number of rules, terminations not included.
        outcome: effects whose removal changes who wins or when.
        score: further effects whose removal changes the score alone.
        endings: terminations whose removal changes who wins or when.
        terminations: number of terminations.
        held: resources without which somebody else wins or the end comes at another time, by type.
        resources: number of resources that rules give or ask for.
    """

    rules: int
    outcome: tuple[int, ...]
    score: tuple[int, ...]
    endings: tuple[int, ...]
    terminations: int
    held: tuple[int, ...] = ()
    resources: int = 0

    @property
    def number(self) -> float:
        """Number of rules, terminations and resources that matter, rules that change the score alone at one half."""
        return len(self.outcome) + 0.5 * len(self.score) + len(self.endings) + len(self.held)

    @property
    def share(self) -> float:
        """The same as a share of all."""
        return self.number / max(1, self.rules + self.terminations + self.resources)


def without_effect(definition: GameDefinition, index: int) -> GameDefinition:
    """A game in which an effect is never executed."""
    effects = list(definition.effects)
    effects[index] = replace(effects[index], params={**effects[index].params, "enabled": False})
    return replace(definition, effects=tuple(effects), diagnostics=())


def without_termination(definition: GameDefinition, index: int) -> GameDefinition:
    """A game without a termination."""
    kept = definition.terminations[:index] + definition.terminations[index + 1 :]
    return replace(definition, terminations=kept, diagnostics=())


def without_resource(definition: GameDefinition, resource: int) -> GameDefinition:
    """A game in which nobody can hold any of a resource."""
    types = list(definition.types)
    types[resource] = replace(types[resource], resource_limit=0)
    return replace(definition, types=tuple(types), diagnostics=())


def resources_of(definition: GameDefinition) -> tuple[int, ...]:
    """Types of the resources that rules give or ask for, ascending.

    >>> import pcg
    >>> game = pcg.load("dungeon").definition
    >>> [game.types[t].name for t in resources_of(game)]
    ['key', 'coin']
    """
    found: set[int] = set()
    given = any(c.kind == "collect" for effect in definition.effects for c in consequences(definition, effect))
    for effect in definition.effects:
        for c in consequences(definition, effect):
            found |= {c.holding.resource} if c.holding is not None else set()
            found |= set(c.products) if c.kind == "gain" else set()
    for t in definition.types:
        if given and t.leaf and t.class_name in ("Resource", "ResourcePack"):
            found.add(definition.type_index.get(str(t.params.get("resource_name", t.name)), t.id))
    return tuple(sorted(found))


def ablation(plays: GamePlays, recorded: Sequence[GamePlay]) -> Ablation:
    """Play recorded plays again without each rule that was executed in any play, each termination and each resource."""
    definition = plays.game.definition
    outcome, score, endings = [], [], []
    for effect in definition.effects:
        if not plays.fired[effect.index]:
            continue
        changed = _difference(plays, without_effect(definition, effect.index), recorded)
        if changed == 2:
            outcome.append(effect.index)
        elif changed == 1:
            score.append(effect.index)
    for k in range(len(definition.terminations)):
        if _difference(plays, without_termination(definition, k), recorded) == 2:
            endings.append(k)
    resources = resources_of(definition)
    held = [t for t in resources if _difference(plays, without_resource(definition, t), recorded) == 2]
    return Ablation(
        len(definition.effects), tuple(outcome), tuple(score), tuple(endings), len(definition.terminations),
        tuple(held), len(resources),
    )  # fmt: skip


def _difference(plays: GamePlays, definition: GameDefinition, recorded: Sequence[GamePlay]) -> int:
    """2 where a play ends otherwise in another version of the game, 1 where only its score differs, else 0."""
    game = Game(definition, reading=plays.game.reading)
    most = 0
    for play in recorded:
        try:
            context = game.context(plays.levels[play.level])
            context.limit(TICK_WORK, MOST_MOVING)
            state = game.start(plays.levels[play.level], play.seed)
        except PcgError:
            return 2
        ticks = 0
        for action in play.actions:
            if state.is_over:
                break
            state.advance(action)
            ticks += 1
        won, lost = state.winner == Outcome.PLAYER_WINS, state.winner == Outcome.PLAYER_LOSES
        if ticks != play.ticks or won != play.won or lost != play.lost:
            return 2
        most = max(most, int(float(state.score) != play.score))
    return most
