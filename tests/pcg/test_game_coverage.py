"""The collection as a whole: how many games it has, and that each word of the language matters in one of them.

A class counts where a sprite of it can come into being: from a level, or from something that can come into being
itself. An effect counts where sprites that can come into being set it off. A mere mention in a text is not enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from pcg.engine.game import Game, builtin_games, load
from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.definition import Effect, GameDefinition

NAMES = tuple(builtin_games())
LEVELS = 5
SINGLE_PLAYER_GAMES, TWO_PLAYER_GAMES = 24, 6

Rule = tuple[Effect, frozenset[int], frozenset[int] | None]
"""An effect, the types it may hold first, and second (None: there is no second sprite)."""


def rules(definition: GameDefinition) -> Iterator[Rule]:
    """Every effect that the game runs, with the exact types that set it off; none for one that hangs on no sprite."""

    def family(kind: int) -> frozenset[int]:
        return frozenset(definition.types[kind].subtypes)

    for pair in definition.pairs:
        for index in pair.effects:
            yield definition.effects[index], family(pair.first), family(pair.second)
    for kind, indices in definition.eos_effects.items():
        for index in indices:
            yield definition.effects[index], family(kind), None
    for timed in definition.time_effects:
        bound = family(timed.bound) if timed.bound >= 0 else frozenset()
        yield definition.effects[timed.effect], bound, None


def named(definition: GameDefinition, text: object) -> list[int]:
    """The types in a parameter that lists names."""
    return [definition.type_index[name] for name in str(text or "").split(",") if name in definition.type_index]


def unfolded(definition: GameDefinition, effect: Effect) -> Iterator[Effect]:
    """An effect and, for a timer, what the timer sets off."""
    yield effect
    if effect.inner is not None:
        yield definition.effects[effect.inner]


def can_happen(rule: Rule, existing: set[int]) -> bool:
    """Tell whether the sprites exist that set a rule off; a rule that hangs on no sprite always can."""
    _, first, second = rule
    return (not first or bool(first & existing)) and (second is None or bool(second & existing))


def products(definition: GameDefinition, effect: Effect, first: Iterable[int]) -> Iterator[int]:
    """The types an effect can create."""
    spec = ontology.EFFECTS[effect.name]
    if spec.creates_first:
        yield from first
    for key in spec.creates:
        for kind in named(definition, effect.params.get(key)):
            yield from definition.types[kind].subtypes if spec.creates_subtypes else (kind,)


def existing_types(game: Game) -> set[int]:
    """The types of which sprites can come into being in one of the game's levels."""
    definition = game.definition
    found = {kind for number in range(len(game.levels)) for kind, _, _ in game.read_level(number).placements}
    while True:
        more: set[int] = set()
        for kind in found:
            sprite = definition.types[kind]
            for key in ontology.SPRITE_CLASSES[sprite.class_name].creates if sprite.class_name else ():
                more.update(named(definition, sprite.params.get(key)))
        for rule in rules(definition):
            if can_happen(rule, found):
                for effect in unfolded(definition, rule[0]):
                    more.update(products(definition, effect, rule[1] & found))
        more = {kind for kind in more if definition.types[kind].class_name}
        if more <= found:
            return found
        found |= more


@pytest.fixture(scope="module")
def games() -> list[Game]:
    return [load(name) for name in NAMES]


def classes_used(game: Game) -> set[str]:
    return {game.definition.types[kind].class_name or "" for kind in existing_types(game)}


def effects_used(game: Game) -> set[str]:
    existing = existing_types(game)
    return {
        effect.name
        for rule in rules(game.definition)
        if can_happen(rule, existing)
        for effect in unfolded(game.definition, rule[0])
    }


def unused(known: Iterable[str], used: Iterable[set[str]]) -> list[str]:
    return sorted(set(known).difference(*used))


def test_there_are_enough_games_for_one_and_for_two_players(games: list[Game]) -> None:
    players = [game.players for game in games]
    assert players.count(1) >= SINGLE_PLAYER_GAMES
    assert players.count(2) >= TWO_PLAYER_GAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_game_has_five_levels(name: str) -> None:
    assert len(load(name).levels) == LEVELS


def test_every_sprite_class_appears_in_a_game(games: list[Game]) -> None:
    known = [name for name, spec in ontology.SPRITE_CLASSES.items() if not spec.avatar]
    assert len(known) == 31
    assert unused(known, map(classes_used, games)) == []


def test_every_avatar_class_is_played_in_a_game(games: list[Game]) -> None:
    known = [name for name, spec in ontology.SPRITE_CLASSES.items() if spec.avatar]
    assert len(known) == 19
    assert unused(known, map(classes_used, games)) == []


def test_every_effect_can_happen_in_a_game(games: list[Game]) -> None:
    assert len(ontology.EFFECTS) == 58
    assert unused(ontology.EFFECTS, map(effects_used, games)) == []


def test_every_termination_is_used_in_a_game(games: list[Game]) -> None:
    used = [{termination.name for termination in game.definition.terminations} for game in games]
    assert len(ontology.TERMINATIONS) == 6
    assert unused(ontology.TERMINATIONS, used) == []
