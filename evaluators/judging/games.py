"""Judging games of one player with their levels: constraints that a game must meet, and a value made of named parts.

`judge_game` reads the rules (`game_rules`, `game_conventions`), lets nobody, chance and capable players play
(`game_plays`), and looks at what the plays show: where sprites go (`game_places`), which rules matter (`game_ablation`)
and what could have been done at some moments (`game_moments`). The first constraint that is not met ends it, and the
cheapest come first. docs/game-evaluation.md says what each part means and where it comes from.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pcg.engine.game import Game
from pcg.engine.vgdl.definition import Level
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.games.evaluation import RANDOM_WINS
from pcg.evaluators.judging.game_ablation import Ablation, ablation
from pcg.evaluators.judging.game_assignment import EffectUse
from pcg.evaluators.judging.game_conventions import Usage, usage
from pcg.evaluators.judging.game_kinds import GameKinds, game_kinds
from pcg.evaluators.judging.game_moments import Moments, moments
from pcg.evaluators.judging.game_places import Astray, astray
from pcg.evaluators.judging.game_plays import (
    HASTY,
    NOTHING,
    RANDOM,
    THOROUGH,
    GamePlay,
    GamePlays,
    Overgrown,
    worth,
)
from pcg.evaluators.judging.game_rules import RuleReading
from pcg.evaluators.judging.game_static import STATIC, Customs, PartValue, RuleFindings, assignment_part, customs
from pcg.evaluators.judging.game_static import fitted_weights as fitted_weights
from pcg.evaluators.judging.judgement import Judgement, Part
from pcg.evaluators.judging.obstacles import nothing_but_time

RANDOM_PLAYS = 40
"""Plays of chance, over all levels in turn."""
RANDOM_TICKS = 1000
"""They last at least so long, however small the level."""
ASTRAY = 0.5
"""Share of the movers, or of the avatar's moments, that may be outside the map or in walls."""
_SOON = 10
"""Plays of chance after which a game that it nearly always wins is given up."""
_DOUBT = 0.01
"""Doubt in which chance is not played any further."""
_LEVELS = 3
"""Levels that capable players play; nobody and chance play all."""
_FIRST_SHARE = 0.2
"""Share of what capable players may spend that they spend on each level; the rest only where nobody wins any."""
_RECORDED = 6
"""Plays that are played again without each rule."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One part of the value of a game: its name, what it measures, and where it comes from."""

    name: str
    help: str
    source: str = ""


GENETIC = "Khalifa, Green, Perez-Liebana, Togelius: General Video Game Rule Generation, 2017"
PROFILES = "Nielsen, Barros, Togelius, Nelson: General Video Game Evaluation Using Relative Algorithm Performance, 2015"
LUDI = "Browne, Maire: Evolutionary Game Design, 2010"
GAVEL = "Todd, Padula, Stephenson, Piette, Soemers, Togelius: GAVEL, 2024"

MEASURES: tuple[Measure, ...] = (
    Measure("goal", "terminations that can happen, and that count what players can see and change"),
    Measure("danger", "a way to lose that is met in play, or a limit that bites"),
    Measure("resistance", "told, as 0, where nothing, or nothing but a short time limit, is in the way of the player"),
    Measure("rules", "rules and terminations that people write for such sprites", GAVEL),
    Measure("assignment", "effects with the sprites that people use them on", GAVEL),
    Measure("points", "points for what people give points for"),
    Measure("meetings", "meetings that call for a rule and have one", GAVEL),
    Measure("purpose", "sprites that lead to the avatar, to a termination or to points"),
    Measure("live", "rules for meetings that can happen and that do something there"),
    Measure("executed", "rules that are executed in some play", GENETIC),
    Measure("matter", "rules, terminations and resources whose removal changes who wins or when: how many"),
    Measure("share", "the same as a share of all"),
    Measure("inside", "movers that stay inside the map and out of walls"),
    Measure("bounded", "an avatar that stays inside the map and out of walls"),
    Measure("chance", "wins of a random player, none to as many as are allowed"),
    Measure("idle", "levels that doing nothing does not win", GENETIC),
    Measure("winning", "wins of capable players, and how near they come without one"),
    Measure("skill", "advantage of the best player over chance", PROFILES),
    Measure("depth", "advantage of a thorough player over a hasty one: strength grows with budget", PROFILES),
    Measure("length", "length of the shortest win"),
    Measure("decisions", "moments in which it matters what is done", LUDI),
    Measure("tension", "near misses and moments at risk", LUDI),
    Measure("drama", "how long the end is open, falls that are made good, changes of the lead", LUDI),
)
"""The parts of the value, in the order in which they are told."""


@dataclass(frozen=True)
class GameFindings:
    """All that a judgement found out about a game; what was not looked at any more is None."""

    kinds: GameKinds
    reading: RuleReading
    usage: Usage
    uses: EffectUse
    plays: GamePlays | None = None
    random_wins: float | None = None
    random_plays: int = 0
    places: Astray | None = None
    ablation: Ablation | None = None
    moments: Moments | None = None
    best: GamePlay | None = None

    @property
    def read(self) -> RuleFindings:
        """Findings about the game that need no play."""
        return RuleFindings(self.kinds, self.reading, self.usage, self.uses)


def judge_game(game: Game, levels: Sequence[str] | None = None, *, seed: int = 0, effort: float = 1.0) -> Judgement:
    """Judge a game with its levels.

    Args:
        game: with one player.
        levels: level texts; by default the game's own.
        seed: of all plays. Equal seeds give equal judgements, on every machine.
        effort: factor on what capable players may spend, 1 for some seconds.

    Returns:
        The judgement; bad games are no error but infeasible, with the first constraint that they break as `problem`.

    >>> import pcg
    >>> game = pcg.load("dungeon")
    >>> judge_game(game, game.levels[:1], effort=0.2).feasible
    True
    """
    return GameJudge(seed=seed, effort=effort).judge(game, levels)


class _Broken(Exception):
    """The end of a judgement: a constraint is not met."""


class GameJudge:
    """Judges games of one player.

    Args:
        seed: of all plays.
        effort: factor on what capable players may spend, 1 for some seconds.
        weights: of the parts by name; by default those fitted on games that people made.
        known: what people write; by default what comes with the toolkit.
    """

    def __init__(
        self,
        *,
        seed: int = 0,
        effort: float = 1.0,
        weights: Mapping[str, float] | None = None,
        known: Customs | None = None,
    ) -> None:
        if not 0.0 < effort <= 1000.0:
            raise PcgError(f"effort is {effort}, expected more than 0 and at most 1000")
        self.seed = seed
        self.effort = effort
        self.weights = fitted_weights() if weights is None else weights
        self.known = customs() if known is None else known

    def judge(self, game: Game, levels: Sequence[str] | None = None) -> Judgement:
        """Judge a game with its levels; see `judge_game`."""
        try:
            findings, problem = self.examine(game, levels)
        except PcgError as error:
            return Judgement(False, 0.0, (), f"The game cannot be played: {' '.join(str(error).split())[:200]}.")
        parts = tuple(
            Part(m.name, value, sentence, self.weights.get(m.name, 1.0), m.source)
            for m in MEASURES
            if (found := measure(m.name, findings)) is not None
            for value, sentence in [found]
        )
        total = math.fsum(p.weight for p in parts)
        value = math.fsum(p.weight * p.value for p in parts) / total if total and not problem else 0.0
        return Judgement(not problem, value, parts, problem)

    def examine(self, game: Game, levels: Sequence[str] | None = None) -> tuple[GameFindings, str]:
        """Find out all that the parts are read from, and the first constraint that is not met, "" for none.

        Raises:
            PcgError: the game is not for one player, has no level, or a level does not fit.
        """
        if game.players != 1:
            raise PcgError(f"{game.name} has {game.players} players, expected one")
        texts = game.levels if levels is None else tuple(levels)
        if not texts:
            raise PcgError(f"{game.name} has no level to be judged on")
        read: list[Level] = [game.read_level(text) for text in texts]
        kinds = game_kinds(game.definition, read)
        known: dict[str, object] = {
            "reading": RuleReading(kinds, read),
            "usage": usage(kinds, self.known.conventions),
            "uses": self.known.uses,
        }
        problem = ""
        try:
            self._examine(game, read, kinds, known)
        except (_Broken, Overgrown) as broken:
            problem = str(broken)
        return GameFindings(kinds, **known), problem  # type: ignore[arg-type]

    def _examine(self, game: Game, read: Sequence[Level], kinds: GameKinds, known: dict[str, object]) -> None:
        reading = known["reading"]
        assert isinstance(reading, RuleReading)
        if fault := RuleFindings(kinds, reading, known["usage"], self.known.uses).problem():  # type: ignore[arg-type]
            raise _Broken(fault)
        plays = GamePlays(game, read, kinds.analysis, self.seed, self.effort)
        known["plays"] = plays
        if any(board.first.header.avatar0 < 0 for board in plays.boards):
            raise _Broken("A level has no avatar.")
        for k in range(len(read)):
            _bounded(plays, NOTHING, k)
        self._let_chance_play(plays, known)
        known["places"] = places = _places(kinds, plays)
        if places.minded_share > ASTRAY:
            raise _Broken(f"{places.minded_share:.0%} of the movers are outside the map or inside walls.")
        if places.avatars_share > ASTRAY:
            raise _Broken("The avatar leaves the map, or walks through walls.")
        if places.goals_gone:
            raise _Broken("What has to go for a win leaves the map for good.")
        self._let_players_play(plays, known)
        best = known["best"]
        assert isinstance(best, GamePlay)
        known["ablation"] = ablation(plays, _recorded(plays))
        known["moments"] = moments(plays, best, self.seed)

    def _let_chance_play(self, plays: GamePlays, known: dict[str, object]) -> None:
        """Random plays of all levels in turn, until it is clear that they win too often."""
        number = len(plays.levels)
        won = 0
        for k in range(RANDOM_PLAYS):
            play = _bounded(plays, RANDOM, k, max(RANDOM_TICKS, plays.horizon(k % number)))
            won += play.won
            known["random_plays"], known["random_wins"] = k + 1, won / (k + 1)
            if won > RANDOM_WINS * RANDOM_PLAYS or (k + 1 >= _SOON and won > 0.8 * (k + 1)):
                raise _Broken(f"A random player wins {won} of {k + 1} plays, at most {RANDOM_WINS:.0%} are allowed.")
            if k + 1 >= number and _surely_less(won, k + 1):
                break

    def _let_players_play(self, plays: GamePlays, known: dict[str, object]) -> None:
        found: list[GamePlay] = []
        for k in range(min(_LEVELS, len(plays.levels))):
            found += [_bounded(plays, rung, k) for rung in (HASTY, THOROUGH)]
            if not any(p.won for p in found[-2:]) or not plays.game.context(plays.levels[k]).stochastic:
                found += _found(plays.search(k, _FIRST_SHARE))
        for k in range(len(plays.levels)):
            if not any(p.won for p in found):
                found += _found(plays.prove(k))
        known["best"] = max(found, key=lambda p: (p.won, worth(p), -p.ticks))
        idle = plays.made["nothing"]
        if all(play.won for play in idle) and max(p.score for p in found) <= max(p.score for p in idle):
            raise _Broken("Doing nothing wins every level, and nobody gets more points.")
        if not any(p.won for p in found):
            chance = plays.made["random"]
            near = math.fsum(p.progress for p in chance) / len(chance)
            points = math.fsum(p.score for p in chance) / len(chance)
            if not any(p.progress > near or (p.score > points and p.score > 0.0) for p in found):
                raise _Broken("Nobody wins, and capable players come no nearer to it than chance.")


def _found(play: GamePlay | None) -> list[GamePlay]:
    return [] if play is None else [play]


def _surely_less(won: int, number: int) -> bool:
    """Return True when so few wins have a chance of at most `_DOUBT` where chance wins as often as is allowed.

    >>> _surely_less(0, 12), _surely_less(0, 14), _surely_less(2, 20)
    (False, True, False)
    """
    p = RANDOM_WINS
    return sum(math.comb(number, k) * p**k * (1.0 - p) ** (number - k) for k in range(won + 1)) <= _DOUBT


def _bounded(plays: GamePlays, rung: int, k: int, ticks: int | None = None) -> GamePlay:
    try:
        return plays.play(rung, k, ticks)
    except Overgrown as grown:
        raise Overgrown(f"The game grows beyond bounds: {grown}.") from None


def _places(kinds: GameKinds, plays: GamePlays) -> Astray:
    found = Astray()
    for play in [*plays.made["nothing"][:2], *plays.made["random"][:4]]:
        found += astray(kinds, plays.game.start(plays.levels[play.level], play.seed), play.actions)
    return found


def _recorded(plays: GamePlays) -> list[GamePlay]:
    """Plays that are played again: wins first, then the best of each player, one of chance and one of nobody."""
    chosen = plays.wins()[:2]
    for player, listed in plays.made.items():
        if player not in ("nothing", "random"):
            chosen.append(max(listed, key=lambda p: (worth(p), -p.ticks)))
    chosen += plays.made["random"][:2] + plays.made["nothing"][:1]
    return list(dict.fromkeys(chosen))[:_RECORDED]


# -- parts -------------------------------------------------------------------------------------------------------------


def measure(name: str, found: GameFindings) -> PartValue | None:
    """Return the value and the sentence of a part, None where it was not looked at any more."""
    told = found.read.part(name) if name in STATIC and name not in _PARTS else _PARTS[name](found)
    return None if told is None else (max(0.0, min(1.0, float(told[0]))), told[1])


def _points(f: GameFindings) -> PartValue:
    idle = f.plays.made.get("nothing", []) if f.plays is not None else []
    if any(p.score > 0.0 for p in idle):
        return 0.6 * f.usage.points, f"Doing nothing gains up to {max(p.score for p in idle):g} points."
    return f.read.part("points")


def _danger(f: GameFindings) -> PartValue | None:
    if f.plays is None:
        return None
    lost = sum(p.lost for listed in f.plays.made.values() for p in listed)
    if lost:
        return 1.0, f"{lost} of the plays were lost."
    if f.reading.dangers:
        return 0.6, "There is a way to lose, which no play met."
    return 0.2, "There is no way to lose."


def _resistance(f: GameFindings) -> PartValue | None:
    if f.plays is None or f.best is None or f.ablation is None:
        return None
    anybody = [play for listed in f.plays.made.values() for play in listed]
    skilled = [play for player in f.plays.skilled() for play in f.plays.made[player]]
    limit = nothing_but_time(f.kinds, f.ablation.held, anybody, skilled)
    if limit is None:
        return None
    what = f"Only the time limit, {limit} ticks, stands" if limit else "Nothing stands"
    return 0.0, f"{what} in the way of the player."


def _executed(f: GameFindings) -> PartValue | None:
    if f.plays is None or f.best is None:
        return None
    number = len(f.plays.fired)
    return float(f.plays.fired.mean()) if number else 0.0, f"{int(f.plays.fired.sum())} of {number} rules are executed."


def _matter(f: GameFindings) -> PartValue | None:
    if f.ablation is None:
        return None
    a = f.ablation
    held = f", or {len(a.held)} of {a.resources} resources" if a.resources else ""
    return 1.0 - math.exp(-a.number / 6.0), (
        f"Without {len(a.outcome)} of {a.rules} rules, or {len(a.endings)} of {a.terminations} terminations{held}, "
        f"somebody else wins or the end comes at another time; {len(a.score)} further rules change the score."
    )


def _share(f: GameFindings) -> PartValue | None:
    if f.ablation is None:
        return None
    return f.ablation.share, f"{f.ablation.share:.0%} of the rules, terminations and resources change a play."


def _inside(f: GameFindings) -> PartValue | None:
    if f.places is None:
        return None
    p = f.places
    return 1.0 - p.movers_share, f"Of {p.movers} sightings of movers {p.outside} are outside, {p.inside} in walls."


def _bounded_part(f: GameFindings) -> PartValue | None:
    if f.places is None:
        return None
    share = f.places.avatars_share
    return 1.0 - share, f"The avatar is outside the map or in walls {share:.0%} of the time."


def _chance(f: GameFindings) -> PartValue | None:
    if f.random_wins is None:
        return None
    return 1.0 - f.random_wins / RANDOM_WINS, f"A random player wins {f.random_wins:.0%} of {f.random_plays} plays."


def _idle(f: GameFindings) -> PartValue | None:
    if f.plays is None or "nothing" not in f.plays.made:
        return None
    idle = f.plays.made["nothing"]
    won = sum(p.won for p in idle)
    return 1.0 - won / len(idle), f"Doing nothing wins {won} of {len(idle)} levels."


def _winning(f: GameFindings) -> PartValue | None:
    if f.plays is None or f.best is None:
        return None
    won = {p.level for p in f.plays.wins()}
    tried = min(_LEVELS, len(f.plays.levels))
    if won:
        return 0.6 + 0.4 * len(won) / tried, f"Capable players win {len(won)} of {tried} levels."
    return 0.4 * f.best.progress, f"Nobody wins; the best play comes {f.best.progress:.0%} of the way."


def _skill(f: GameFindings) -> PartValue | None:
    if f.plays is None or f.best is None:
        return None
    best = max(map(f.plays.strength, f.plays.skilled()))
    chance = f.plays.strength("random")
    return (best - chance) / 0.8, f"The best player is worth {best:.2f}, chance {chance:.2f}."


def _depth(f: GameFindings) -> PartValue | None:
    if f.plays is None or f.best is None:
        return None
    chance, hasty, thorough = (f.plays.strength(p) for p in ("random", "hasty", "thorough"))
    searched = max((f.plays.strength(p) for p in f.plays.skilled() if p != "hasty"), default=0.0)
    steps = max(0.0, hasty - chance), max(0.0, max(thorough, searched) - hasty)
    return steps[1] / 0.5 + 0.3 * (steps[0] > 0.05), f"More thinking is worth {steps[1]:.2f}."


def _length(f: GameFindings) -> PartValue | None:
    if f.plays is None or f.best is None:
        return None
    wins = f.plays.wins()
    if not wins:
        return 0.5, "Nobody wins, so the length of a win is not known."
    ticks = wins[0].ticks
    return 1.0 - math.exp(-ticks / 25.0), f"The shortest win takes {ticks} ticks."


def _decisions(f: GameFindings) -> PartValue | None:
    if f.moments is None:
        return None
    return f.moments.decisions, f"What is done matters in {f.moments.decisions:.0%} of the moments."


def _tension(f: GameFindings) -> PartValue | None:
    if f.moments is None:
        return None
    m = f.moments
    return 0.5 * m.risk + 0.5 * m.narrow, (
        f"In {m.risk:.0%} of the moments death is near, in {m.narrow:.0%} one action decides about it."
    )


def _drama(f: GameFindings) -> PartValue | None:
    if f.moments is None:
        return None
    m = f.moments
    return 0.4 * m.open + 0.3 * min(1.0, 2.0 * m.falls) + 0.3 * m.changes, (
        f"The end is open for {m.open:.0%} of the play; the lead changes {m.changes:.0%} of the times it could."
    )


_PARTS: Mapping[str, Callable[[GameFindings], PartValue | None]] = {
    "danger": _danger, "resistance": _resistance, "assignment": lambda f: assignment_part(f.read), "points": _points,
    "executed": _executed, "matter": _matter, "share": _share, "inside": _inside, "bounded": _bounded_part,
    "chance": _chance, "idle": _idle, "winning": _winning, "skill": _skill, "depth": _depth, "length": _length,
    "decisions": _decisions, "tension": _tension, "drama": _drama,
}  # fmt: skip
