"""Space of rules with weights learned from games that people made.

The model is a typed, weighted grammar in the smallest sense: for two kinds of sprites that meet (a chaser and the
avatar, a shot and the frame) how often people write a rule, which effect it has, and whether it gives points; for each
kind what goal people make of it. It is counted in the games of the GVGAI framework and in our own
(`benchmarks/validity.py games --prior`), as GAVEL (Todd et al. 2024) draws its mutations from a model of games that
people made, and kept in `prior.json`: counts by kinds, no names, no numbers, no rules.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import numpy as np

from pcg.engine.lazy import cached_property
from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.definition import Level
from pcg.engine.vgdl.level import read_level
from pcg.evaluators.judging.game_conventions import Conventions
from pcg.evaluators.judging.game_kinds import EDGE, GameKinds, game_kinds
from pcg.evaluators.judging.game_kinds import TIME as TIMED
from pcg.generators.rules.genes import EOS, TIME, Params, Rule, Termination, with_params
from pcg.generators.rules.space import RuleSpace

_FILE = Path(__file__).with_name("prior.json")
_SURE = 0.15
"""Weight of a pair of kinds that has no rule in any counted game; that of one that always has a rule is 1."""
_LIKE = 0.85
"""Share of the counts in the probabilities of effects; the rest are the probabilities of `RuleSpace`."""
_ENCLOSING = 0.9
"""Share of the border of a level that its frame takes up at least."""
_SURVIVED = 50
"""Ticks of which a player who wins when time is up has to survive a few."""
_GIVEN = {-1: ("-1",), 0: (), 1: ("1", "1", "2", "5")}
"""Sign of a change of score -> values from which it is drawn."""


@lru_cache(1)
def prior() -> Conventions:
    """The counts that come with the toolkit; their provenance is in the file beside this module."""
    data: dict[str, list[list[object]]] = json.loads(_FILE.read_text(encoding="utf-8"))
    return Conventions.from_json(data)


class LearnedSpace(RuleSpace):
    """Space of the rules of a sprite set, in which rules are drawn as often as people write such rules.

    Args:
        space: the rules that can be written.
        known: counts of what people write.

    >>> import pcg
    >>> game = pcg.load("dungeon")
    >>> space = LearnedSpace(RuleSpace.of(game.definition.source, game.levels))
    >>> names, weights = space.effects("wall", "avatar")
    >>> space.roles["wall"], max(zip(weights.tolist(), names))[1] in names
    ('frame', True)
    """

    def __init__(self, space: RuleSpace, known: Conventions | None = None) -> None:
        self.__dict__.update({k: v for k, v in vars(space).items() if k not in ("pair_weights", "_fitting")})
        self._fitting = {}
        self.known = known if known is not None else prior()

    @cached_property
    def levels_kinds(self) -> GameKinds:
        """Kinds of the sprites, by the sprite set and the levels."""
        return game_kinds(self.definition, self._read_levels)

    @cached_property
    def _read_levels(self) -> list[Level]:
        return [read_level(text, self.definition, reading="gvgai") for text in self.levels]

    @cached_property
    def roles(self) -> Mapping[str, str]:
        """Kind of each type by name, groups and the edge of the screen included."""
        kinds = self.levels_kinds.kinds
        named = {t.name: kinds[t.id] for t in self.definition.types if t.id in kinds}
        return {**named, EOS: EDGE, TIME: TIMED}

    def goes(self, name: str) -> bool:
        """Return True for a leaf whose sprites change place by themselves."""
        sprite = self.definition.types[self.definition.type_index[name]]
        spec = ontology.SPRITE_CLASSES.get(str(sprite.class_name))
        if spec is None or not sprite.leaf:
            return False

        def value(key: str) -> float:
            param = spec.params.get(key)
            return float(sprite.params.get(key, param.default if param is not None else 0.0) or 0.0)  # type: ignore[arg-type]

        return spec.moves or (bool(spec.creates) and not value("is_static") and value("speed") > 0.0)

    @cached_property
    def enclosed(self) -> bool:
        """True when the frame takes up nearly the whole border of every level: there may be a door in it."""
        frames = {self.definition.types[t].name for t in self.levels_kinds.of("frame")}
        for level in self._read_levels:
            edge = {
                (x, y) for t, x, y in level.placements
                if (x in (0, level.width - 1) or y in (0, level.height - 1)) and self.definition.types[t].name in frames
            }  # fmt: skip
            if len(edge) < _ENCLOSING * (2 * (level.width + level.height) - 4):
                return False
        return True

    @cached_property
    def pair_weights(self) -> np.ndarray:
        """Relative frequencies of pairs of sprite types, by the number of rules that people write for their kinds."""
        roles = self.roles
        known = self.known
        written: dict[tuple[str, str], float] = {}
        for (a, _, b), n in known.rules.items():
            written[a, b] = written.get((a, b), 0.0) + n
        weights = []
        for a, b in self.pairs:
            pair = (roles[a], roles[b])
            met = max(known.met.get(pair, (0.0, 0.0))[1], known.met.get(pair[::-1], (0.0, 0.0))[1])
            weights.append(_SURE + min(2.0, written.get(pair, 0.0) / (met + 2.0)))
        shares: np.ndarray = np.array(weights) / math.fsum(weights)
        return shares

    def effects(self, first: str, second: str) -> tuple[tuple[str, ...], np.ndarray]:
        """Names of the effects that fit a pair, and their probabilities."""
        found = self._fitting.get((first, second))
        if found is None:
            names, plain = super().effects(first, second)
            a, b = self.roles[first], self.roles[second]
            likely = np.array([self.known.likelihood((a, name, b)) for name in names])
            mixed = plain if not likely.sum() else _LIKE * likely / likely.sum() + (1.0 - _LIKE) * plain
            found = self._fitting[first, second] = names, mixed / mixed.sum()
        return found

    def draw_rule(self, rng: np.random.Generator, *, pair: tuple[str, str] | None = None) -> Rule:
        """Draw a rule for a given pair, or for any, with points where people give them."""
        rule = super().draw_rule(rng, pair=pair)
        return Rule(*rule.pair, rule.effect, self.scored(rng, rule))

    def scored(self, rng: np.random.Generator, rule: Rule) -> Params:
        """Draw the parameters of a rule, with a change of score as often as people give one."""
        shares = [self.known.usual_score(self.roles[rule.first], rule.effect, sign) for sign in (-1, 0, 1)]
        sign = (-1, 0, 1)[int(rng.choice(3, p=np.array(shares) / math.fsum(shares)))]
        texts = _GIVEN[sign]
        return with_params(rule.params, {"scoreChange": texts[int(rng.integers(len(texts)))] if texts else None})

    def draw_termination(self, rng: np.random.Generator, *, win: bool | None = None) -> Termination:
        """Draw a termination about a kind that people use; wins never count scenery or the avatar."""
        wins = bool(rng.integers(2)) if win is None else win
        outcome = "win" if wins else "lose"
        roles = self.roles
        names = [
            n for n in self.kinds.actors if not (roles[n] in ("frame", "floor") or (wins and roles[n] == "avatar"))
        ]
        options = [
            (name, kind, self.known.rules.get((roles[name], kind, outcome), 0.0) + 0.5)
            for name in names for kind in ("vanish", "appear") if kind == "vanish" or name in self.kinds.creatable
        ]  # fmt: skip
        timed = 0.3 * self.known.rules.get((TIMED, "timeout", outcome), 0.0) + 0.5
        weights = np.array([*(w for _, _, w in options), timed])
        at = int(rng.choice(len(weights), p=weights / weights.sum()))
        tail = (("win", "True" if wins else "False"),)
        if at == len(options):
            # surviving for longer than evaluations last cannot be told from losing
            limit = _SURVIVED * int(rng.integers(2, 5)) if wins else 100 * int(rng.integers(3, 11))
            return Termination("Timeout", (("limit", str(limit)), *tail))
        name, kind, _ = options[at]
        if kind == "appear":
            limit = self.counts.get(name, 0) + int(rng.integers(1, 6))
            return Termination("SpriteCounterMore", (("stype", name), ("limit", str(limit)), *tail))
        return Termination("SpriteCounter", (("stype", name), ("limit", "0"), *tail))
