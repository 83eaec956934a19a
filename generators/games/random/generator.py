"""Games drawn at random: the baseline that the others are measured against.

Of the games to begin with only the levels are taken: what their characters stand for, which types there are, what
these can do and what happens when they meet is drawn.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.parameters import Parameter
from pcg.generators.games.contract import IndependentGameGenerator
from pcg.generators.games.game_repair import ground, repair_game, space_of
from pcg.generators.games.genes import GameGenotype, Sprite
from pcg.generators.games.operators import draw_sprite
from pcg.generators.rules.genes import RuleSet

_SHARES = {"static": 0.3, "npc": 0.2, "resource": 0.12, "passive": 0.12, "producer": 0.1, "mover": 0.08,
           "portal": 0.05, "flicker": 0.03}  # fmt: skip


def blank_game(game: GameGenotype) -> GameGenotype:
    """A game of which only the characters of the levels are left: a hero on its characters, no other type, no rule."""
    hero = Sprite("hero", "MovingAvatar", (("color", "LIGHTBLUE"),))
    players = [c for c, names in game.mapping if any(game.is_avatar(n) for n in names)]
    mapping = tuple((c, ("hero",)) for c in players[:1])
    header = tuple(pair for pair in game.header if pair[0] == "square_size")
    levels = tuple(t.replace(ground(game), " ").replace("\n", "\n") for t in game.levels)
    for other in players[1:]:
        levels = tuple(t.replace(other, players[0]) for t in levels)
    return GameGenotype(header, (hero,), mapping, RuleSet((), ()), levels)


def free_characters(game: GameGenotype, levels: tuple[str, ...]) -> list[str]:
    """Characters of levels that stand for nothing yet, the most frequent first, blanks left out."""
    text = "".join(levels)
    found = {c for c in text if not c.isspace() and c not in game.characters}
    return sorted(found, key=lambda c: (-text.count(c), c))


class RandomGames(IndependentGameGenerator):
    """Types, mapping and rules drawn at random, on given levels."""

    name = "random"
    help = "types, their parameters and rules drawn at random for the levels of a given game"
    parameters = (
        Parameter("min_types", 4, "fewest types, the avatar aside", 1, 50),
        Parameter("max_types", 9, "most types, the avatar aside", 1, 50),
        Parameter("min_rules", 5, "fewest rules drawn", 1, 200),
        Parameter("max_rules", 16, "most rules drawn", 1, 200),
    )

    def __init__(self, start: object, *, seed: int, max_edits: int = 0, **params: object) -> None:
        super().__init__(start, seed=seed, max_edits=max_edits, **params)  # type: ignore[arg-type]
        for what in ("types", "rules"):
            low, high = self.integer(f"min_{what}"), self.integer(f"max_{what}")
            if low > high:
                raise PcgError(f"generator random: min_{what} is {low}, expected at most max_{what}, which is {high}")

    def generate(self, rng: np.random.Generator) -> GameGenotype:
        """One game."""
        game = blank_game(self.repaired_start[int(rng.integers(len(self.repaired_start)))])
        hero = draw_sprite(replace(game, sprites=()), "avatar", rng)
        if hero is not None:
            game = replace(game, sprites=(replace(hero, name="hero"),))
        families, shares = list(_SHARES), np.array(list(_SHARES.values()))
        made = []
        for _ in range(int(rng.integers(self.integer("min_types"), self.integer("max_types") + 1))):
            sprite = draw_sprite(game, families[int(rng.choice(len(families), p=shares))], rng)
            if sprite is not None:
                game = replace(game, sprites=(*game.sprites, sprite))
                made.append(sprite.name)
        for character in free_characters(game, game.levels):
            name = made[int(rng.integers(len(made)))] if made else "hero"
            game = replace(game, mapping=(*game.mapping, (character, (name,))))
        game = repair_game(game, rng, most=self.most)
        space = space_of(game)
        if space is not None:
            count = int(rng.integers(self.integer("min_rules"), self.integer("max_rules") + 1))
            rules = tuple(space.draw_rule(rng) for _ in range(count))
            game = replace(game, rules=RuleSet(rules, (space.draw_termination(rng, win=True),)))
        return repair_game(game, rng, most=self.most)
