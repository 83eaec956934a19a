"""Ablation of rules and resources: recorded plays are repeated without each of them, and compared.

A rule matters where a play then ends otherwise: by another winner, or at another time; a resource, where it does when
nobody can hold any of it. Of all measures of evolved games
the number of such rules agreed best with a designer's marks. What no recorded play executes cannot matter to them and
is not tried. Points alone are something where they tell of an event that no other rule pays for; a rule that only makes
another's points more, of which every play is the same when the other pays them all, tells nobody anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pcg.engine.game import Game
from pcg.engine.state import Outcome, State
from pcg.engine.vgdl.definition import GameDefinition
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.effect_semantics import consequences, first_number
from pcg.evaluators.judging.game_plays import MOST_MOVING, TICK_WORK, GamePlay, GamePlays


@dataclass(frozen=True)
class Ablation:
    """Effects of leaving out rules.

    Attributes:
        rules: number of rules, terminations not included.
        outcome: effects whose removal changes who wins or when.
        score: further effects whose removal changes the score alone, and whose points no other effect could give.
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


@dataclass(frozen=True)
class _Recording:
    """A recorded play, with the random numbers that were to come before each of its ticks and the score after it."""

    play: GamePlay
    chance: tuple[tuple[int, int], ...]
    scores: tuple[float, ...]


@dataclass(frozen=True)
class _Replay:
    """A recorded play in another version of the game: how it ends, and the score after each tick."""

    won: bool
    lost: bool
    scores: tuple[float, ...]


def ablation(plays: GamePlays, recorded: Sequence[GamePlay]) -> Ablation:
    """Play recorded plays again without each rule that was executed in any play, each termination and each resource.

    Every tick begins with the random numbers that it had: that a rule draws some, which others then do not get, is no
    change that its absence makes.
    """
    definition = plays.game.definition
    recordings = _recordings(plays, recorded)
    outcome, score, endings = [], [], []
    for effect in definition.effects:
        if not plays.fired[effect.index]:
            continue
        changed = _difference(plays, without_effect(definition, effect.index), recordings)
        if changed == 2:
            outcome.append(effect.index)
        elif changed == 1:
            score.append(effect.index)
    score = _own_points(plays, score, recordings)
    for k in range(len(definition.terminations)):
        if _difference(plays, without_termination(definition, k), recordings) == 2:
            endings.append(k)
    resources = resources_of(definition)
    held = [t for t in resources if _difference(plays, without_resource(definition, t), recordings) == 2]
    return Ablation(
        len(definition.effects), tuple(outcome), tuple(score), tuple(endings), len(definition.terminations),
        tuple(held), len(resources),
    )  # fmt: skip


def _with_points(definition: GameDefinition, index: int, points: int) -> GameDefinition:
    """A game in which an effect gives more points."""
    effects = list(definition.effects)
    given = first_number(effects[index].params.get("scoreChange"), 0)
    effects[index] = replace(effects[index], params={**effects[index].params, "scoreChange": given + points})
    return replace(definition, effects=tuple(effects), diagnostics=())


def _own_points(plays: GamePlays, score: Sequence[int], recordings: Sequence[_Recording]) -> list[int]:
    """Return the effects, of those whose removal changes the score alone, whose points no other effect could give: with
    these added to the other's all recorded plays would have the same score at every tick.
    """
    definition = plays.game.definition
    scores = [recording.scores for recording in recordings]
    paying = [
        e.index for e in definition.effects if plays.fired[e.index] and first_number(e.params.get("scoreChange"), 0)
    ]
    own = list(score)
    for index in score:
        without = without_effect(definition, index)
        points = more_points(scores, [again.scores for again in _replays(plays, without, recordings)])
        for other in paying if points else ():
            if other == index or (other in score and other not in own):
                continue
            summed = _replays(plays, _with_points(without, other, points), recordings)
            if all(again.scores == whole for again, whole in zip(summed, scores, strict=True)):
                own.remove(index)
                break
    return own


def more_points(scores: Sequence[Sequence[float]], fewer: Sequence[Sequence[float]]) -> int:
    """Return how many points are missing where the scores of plays begin to differ, 0 where nothing else is given then.

    Args:
        scores: of each play, after every tick.
        fewer: the same in a game that lacks a rule.

    >>> more_points([[0, 2, 2]], [[0, 1, 1]]), more_points([[0, 2, 2]], [[0, 0, 0]])
    (1, 0)
    """
    for whole, part in zip(scores, fewer, strict=True):
        for tick in range(min(len(whole), len(part))):
            if whole[tick] != part[tick]:
                return int(whole[tick] - part[tick]) if part[tick] != (part[tick - 1] if tick else 0.0) else 0
    return 0


def _difference(plays: GamePlays, definition: GameDefinition, recordings: Sequence[_Recording]) -> int:
    """2 where a play ends otherwise in another version of the game, 1 where only its score differs, else 0."""
    most = 0
    try:
        for recording, again in zip(recordings, _replays(plays, definition, recordings), strict=True):
            play = recording.play
            if len(again.scores) != play.ticks or again.won != play.won or again.lost != play.lost:
                return 2
            most = max(most, int(again.scores[-1:] != recording.scores[-1:]))
    except PcgError:
        return 2
    return most


def _recordings(plays: GamePlays, recorded: Sequence[GamePlay]) -> list[_Recording]:
    found = []
    for play, state in zip(recorded, _starts(plays, plays.game.definition, recorded), strict=True):
        chance, scores = [], []
        for action in play.actions:
            chance.append((state.rng, state.aux))
            state.advance(action)
            scores.append(float(state.score))
        found.append(_Recording(play, tuple(chance), tuple(scores)))
    return found


def _replays(plays: GamePlays, definition: GameDefinition, recordings: Sequence[_Recording]) -> Iterator[_Replay]:
    """Yield recorded plays as they are in another version of the game, each when it is asked for."""
    starts = _starts(plays, definition, [recording.play for recording in recordings])
    for recording, state in zip(recordings, starts, strict=True):
        scores = []
        for action, chance in zip(recording.play.actions, recording.chance, strict=True):
            if state.is_over:
                break
            state.rng, state.aux = chance
            state.advance(action)
            scores.append(float(state.score))
        yield _Replay(state.winner == Outcome.PLAYER_WINS, state.winner == Outcome.PLAYER_LOSES, tuple(scores))


def _starts(plays: GamePlays, definition: GameDefinition, recorded: Sequence[GamePlay]) -> Iterator[State]:
    """Yield the start of each recorded play in a version of the game, which is compiled once."""
    game = Game(definition, reading=plays.game.reading)
    for play in recorded:
        game.context(plays.levels[play.level]).limit(TICK_WORK, MOST_MOVING)
        yield game.start(plays.levels[play.level], play.seed)
