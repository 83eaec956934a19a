"""Judging a game by playing it: can it be played at all, and does it tell capable players from weak ones?

The idea is that of the genetic rule generator of the GVGAI framework (Khalifa et al. 2017; reference/generators 12.8)
in the reading its authors must have meant: agents of rising skill play, skill must pay, and every rule must matter.
Looking at the rules comes first, then cheap plays, then dear ones; an evaluation ends at the first constraint that
cannot be kept any more, and more plays are made only where the order of two agents is in doubt. All limits are counts,
so that a result depends on the game, the levels, the settings and the seed, and on nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence

from pcg.engine.game import Game
from pcg.engine.vgdl.diagnostics import Diagnostic, PcgError
from pcg.evaluators.games.evaluation import CONSTRAINTS as CONSTRAINTS
from pcg.evaluators.games.evaluation import RANDOM_WINS as RANDOM_WINS
from pcg.evaluators.games.evaluation import GameEvaluation
from pcg.evaluators.games.evaluation_stages import StagedEvaluation
from pcg.evaluators.games.trials import Rung, read_ladder
from pcg.evaluators.parameters import Parameter, Setting, resolve

PARAMETERS: tuple[Parameter, ...] = (
    Parameter(
        "ladder",
        "nothing random onestep mcts:budget=60 olets:budget=240",
        "agents, weakest first; those after `onestep` need a budget",
    ),
    Parameter("plays", 3, "plays of each agent", 1, 1000),
    Parameter("max_plays", 9, "plays of an agent whose place in the order is in doubt", 1, 1000),
    Parameter("patience", 1, "plays of the strongest agent after which a game nobody has won is given up", 1, 1000),
    Parameter("max_ticks", 200, "plays end here", 1, 2000, "ticks"),
    Parameter("min_ticks", 40, "the longest of the random player's plays takes at least so long", 0, 2000, "ticks"),
    Parameter("start", 5, "a player who does nothing lives at least so long", 0, 2000, "ticks"),
    Parameter("waiting", 2000, "in so long nobody wins by doing nothing; looked at where all else is kept",
              0, 100_000, "ticks"),
    Parameter("min_rules", 1.0, "smallest share of the rules that somebody's play must execute", 0.0, 1.0),
    Parameter("explorations", 10, "further random plays where nothing but unused rules is at fault", 0, 1000),
    Parameter("random_plays", 20, "further random plays by which its wins are counted", 1, 1000),
    Parameter("random_ticks", 2000, "these plays end here", 1, 2000, "ticks"),
    Parameter("proof", 6000, "forward-model calls of a proof that a level can be won; 0: agents of the ladder have to",
              0, 10_000_000),
    Parameter("min_win", 0, "ticks that a win takes in most levels", 0, 2000, "ticks"),
    Parameter("resistance", 0, "dangers have to end some play, unless there is something to push: 1 or 0", 0, 1),
    Parameter("astray", 0.05, "share of the movers, or of the avatar's moments, outside the map or in walls", 0.0, 1.0),
    Parameter("usual", 0.0, "share of the fitness that is how like those of people the rules read", 0.0, 1.0),
    Parameter("foreseen", 20, "further plays of each agent in which the order would have to hold", 1, 10_000),
    Parameter("max_score", 1_000_000, "largest score, either way", 1, 1_000_000_000),
    Parameter("max_sprites", 400, "moving sprites at a time, or three times those of the level", 1, 16_000),
    Parameter("max_work", 20_000, "work of a tick", 100, 10_000_000, "executions of effects"),
    Parameter("mean_work", 150, "work per forward-model call, over a play", 1, 10_000_000, "executions of effects"),
    Parameter("max_rules", 200, "rules of a game", 1, 100_000),
    Parameter("max_types", 100, "sprite types of a game", 1, 10_000),
    Parameter("max_pairs", 4000, "rules of all pairs of types, inherited ones included", 1, 1_000_000),
)  # fmt: skip
"""Settings of an evaluation, with their defaults."""


class GameEvaluator:
    """Evaluates games with one player. Safe to use from several threads at once.

    Args:
        levels: level texts in the mapping of the games; the k-th play of an agent is on level k modulo their number.
        settings: see `PARAMETERS`.

    The stages of an evaluation:

    1. The text is checked before anything is played.
    2. The agents play from cheap to dear, up to the first constraint that fails; the strongest stops after `patience`
       plays if nobody has won. Where nothing is left to chance, `nothing` plays each level once.
    3. With a `threshold` a game is dropped as soon as it cannot reach it: with 1 for everyone who has not played, and
       the favourable ends of the 90 % intervals of differences for the rest.
    4. Where only unused rules are at fault, up to `explorations` further random plays look for them, outside the
       profile. A rule counts as executed when the engine executes its effect, by timers too.
    5. Where all else is kept, the first play of `nothing` on each level goes on to `waiting` ticks if it was undecided,
       and `random` plays `random_plays` times.
    6. Where the order of two neighbours is in doubt (the 90 % interval of the paired differences, Student's t, contains
       0), both play again, up to `max_plays` times, unless others are so surely the wrong way round that the order is
       worth nothing.

    A play ends undecided when it has done `mean_work` times the calls it may make, and four ticks of `max_work`;
    further plays spend no more work than the first might have. Work is counted in executions of effects, 20 to 60 ns
    each; looking at rules, sprites, cells and timers counts by what it takes.

    Raises:
        PcgError: without a level, for unknown settings, bad values, or a ladder that cannot be used.

    >>> import pcg
    >>> game = pcg.load("boxes")
    >>> GameEvaluator(game.levels[:1]).evaluate(game, seed=1).constraints["playable"]
    1.0
    """

    def __init__(self, levels: Sequence[str], **settings: object) -> None:
        if isinstance(levels, str) or not levels:
            raise PcgError(f"games are evaluated on a list of level texts, got {levels!r}")
        self.levels = tuple(levels)
        self.settings: dict[str, Setting] = resolve(PARAMETERS, settings, "evaluation of games")
        self.ladder: tuple[Rung, ...] = read_ladder(str(self.settings["ladder"]))
        if self.integer("max_plays") < self.integer("plays"):
            if "max_plays" in settings:
                raise PcgError(
                    f"evaluation of games: max_plays is {self.settings['max_plays']}, expected at least plays, "
                    f"which is {self.settings['plays']}"
                )
            self.settings["max_plays"] = self.settings["plays"]

    def __repr__(self) -> str:
        return f"<game evaluator: {len(self.levels)} levels, {' < '.join(r.name for r in self.ladder)}>"

    def integer(self, name: str) -> int:
        """A setting that is a whole number."""
        return int(self.settings[name])

    def number(self, name: str) -> float:
        """A setting that is a number."""
        return float(self.settings[name])

    def evaluate(
        self,
        game: Game,
        seed: int = 0,
        *,
        diagnostics: Sequence[Diagnostic] | None = None,
        threshold: float = 0.0,
    ) -> GameEvaluation:
        """Evaluate a game.

        Args:
            game: read, with one player; whether it was played before does not matter.
            seed: of all plays.
            diagnostics: what checking the game has found, where that is more than `game.definition.diagnostics`.
            threshold: a fitness that the game must be able to reach; the evaluation ends when it no longer is.

        Returns:
            The evaluation; bad games are not an error but infeasible.
        """
        return StagedEvaluation(self, game, seed, diagnostics, threshold).result()

    def confirm(
        self, game: Game, seeds: int = 20, seed: int = 0, *, diagnostics: Sequence[Diagnostic] | None = None
    ) -> GameEvaluation:
        """The profile of a game by many plays of every agent, whatever they show: for final reports.

        `GameEvaluation.ordered` and `GameEvaluation.separated` then say whether all agents are in order and whether
        the weakest and the strongest are apart.

        Args:
            game: with one player.
            seeds: plays of each agent. With the `seed` of an evaluation the first of them are played again.
            seed: of all plays.
            diagnostics: as those of `evaluate`.
        """
        return StagedEvaluation(self, game, seed, diagnostics, 0.0, plays=seeds).result()
