"""Runs that make rules for the sprites and levels of a game.

Layout of the folder (as of all runs, see `pcg.runs`; here what is different):

`run.json`
    `kind` ("rules"), `game` (as of runs that make levels), `levels` (numbers played), `generator` {`name`,
    `parameters`}, `evaluation`, `start`, `drop`, `archive` {`size`, `distance`}, `confirm`, `finalists`, `budget`,
    `seed`, `versions`.
`game/game.vgdl`, `game/lvl0.txt`, ...
    The game as it was: a resumed run never reads the original. Its own rules are the parent where `start` is "own".
`events.jsonl`
    One line per evaluation: `id`, `genotype` (rules and terminations, each a list of words), `origin`, `generation`,
    `parents` (ids), and the verdict (see `evaluators.games.GameEvaluation`).
`games/index.json`
    The best games that are unlike one another, best first: {`games`: [{`file`, `id`, `origin`, `generation`, `parents`,
    the verdict, `confirmed` (the verdict of the last plays with other seeds, or null), `edits` (from the game's own
    rules)}]}.
`games/archive.json`
    Of generators with an archive (`map-elites`): the best game of every cell, as its rules, with its values.
`games/game0.txt`, `games/game0_lvl0.txt`, ...
    These games, strict VGDL, with their levels: `pcg.load("DIR/games/game0.txt")`.
`summary.json`
    When the run stops: `stopped`, `evaluations`, `repeated`, `feasible`, `distinct`, `best`, `reasons` {why games were
    not feasible: how often}, `confirmed` {`games`, `ordered`, `separated`, `both`} of the last plays.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self, Unpack

import numpy as np

from pcg.engine.game import Game, load
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.games import GameEvaluation, GameEvaluator
from pcg.evaluators.judging.game_static import RuleFindings
from pcg.evaluators.parameters import Setting
from pcg.generators.rules import RuleCandidate, RuleSet, RuleSpace, make_rule_generator
from pcg.generators.rules.genes import edits, shape_distance, shape_of
from pcg.generators.rules.made_levels import LevelMaker
from pcg.runs.experiments.game_search import (
    CONFIRM,
    EVALUATION,
    GameSearch,
    GameSearchResult,
    sample_seed,
    settings_of,
)
from pcg.runs.experiments.rules_config import RulesRun
from pcg.runs.game_text import GameText
from pcg.runs.process_cache import ProcessCache
from pcg.runs.run import RunOptions, run_experiment
from pcg.runs.search import check_version


def run_rules(config: RulesRun, folder: Path | str, **options: Unpack[RunOptions]) -> GameSearchResult:
    """Make rules into a new run folder; `pcg.runs.resume` goes on with it.

    Args:
        config: what to do.
        folder: of the run; must not exist or be empty.
        options: see `pcg.runs.RunOptions`.

    Raises:
        PcgError: for anything wrong with the configuration, before anything is written.

    >>> import tempfile
    >>> config = RulesRun("boxes", generator="random", levels="0", evaluations=2, confirm=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result = run_rules(config, f"{folder}/run")
    >>> result.evaluations, result.stopped
    (2, 'evaluations')
    """
    result: GameSearchResult = run_experiment(config, folder, **options)
    return result


DRAWS = 9
"""Most levels that are drawn for a game until enough of them are won in good time."""


@dataclass(frozen=True)
class Work:
    """Everything that an evaluation needs besides the rules; all of it can be sent to another machine."""

    game: GameText
    levels: tuple[str, ...]
    settings: tuple[tuple[str, Setting], ...]
    seed: int
    made: int = 0
    """Levels that are made for the rules; 0: those above are played."""


def _build(work: Work) -> tuple[RuleSpace, GameEvaluator]:
    space = RuleSpace.of(work.game.source, work.levels)
    return space, GameEvaluator(space.levels, **dict(work.settings))


_SPACES_AND_EVALUATORS = ProcessCache(_build)


def evaluate_rules(
    work: Work,
    genotype: RuleSet,
    plays: int = 0,
    code: str = "",
    bar: float = 0.0,
    sample: int = 0,
    levels: Sequence[str] = (),
) -> tuple[GameEvaluation, float]:
    """Judge a rule set in whatever thread, process or machine this runs; with the seconds it took.

    Args:
        work: what all evaluations of a run share.
        genotype: the rules.
        plays: 0 for an evaluation; else so many plays of every agent, with seeds of their own.
        code: see `code_digest`.
        bar: a fitness that the game must be able to reach; an evaluation ends when it no longer is.
        sample: evaluations with other numbers have other seeds.
        levels: that were made for the rules before; none to make them now, where the run makes any.

    Raises:
        PcgError: when this is not the version that `code` names.
    """
    check_version(code)
    started = time.perf_counter()
    space, evaluator = _SPACES_AND_EVALUATORS.get(work)
    compiled = space.compile(genotype)
    if not compiled.ok:
        verdict = GameEvaluation.unreadable(_first_problem(compiled.diagnostics, compiled.problem))
    else:
        if work.made and not levels:
            levels = made_for(compiled.game(space.levels), space.levels, evaluator, work.seed, work.made)
        if levels:
            evaluator = GameEvaluator(levels, **dict(work.settings))
        game = compiled.game(evaluator.levels)
        if plays:
            seed = sample_seed(work.seed, sample) + CONFIRM
            verdict = evaluator.confirm(game, plays, seed, diagnostics=compiled.diagnostics)
        else:
            verdict = evaluator.evaluate(
                game, sample_seed(work.seed, sample), diagnostics=compiled.diagnostics, threshold=bar
            )
        verdict = replace(verdict, levels=tuple(levels))
    return verdict, time.perf_counter() - started


def made_for(game: Game, own: Sequence[str], evaluator: GameEvaluator, seed: int, count: int) -> tuple[str, ...]:
    """Return levels made for the rules of a game, the easiest first; none where the rules read badly.

    What is wrong with such rules is found without a level of their own.

    Args:
        game: of the rules.
        own: levels from which sizes and numbers of sprites are taken.
        evaluator: whose limits hold.
        seed: equal seeds give equal levels for equal games.
        count: levels wanted.
    """
    try:
        if RuleFindings.of(game, [game.read_level(text) for text in game.levels]).problem():
            return ()
        maker = LevelMaker(
            own, seed=seed, calls=max(1000, evaluator.integer("proof")), min_win=evaluator.integer("min_win"),
            max_work=evaluator.integer("max_work"), max_sprites=evaluator.integer("max_sprites"),
        )  # fmt: skip
        return tuple(level.text for level in maker.make(game, count, DRAWS))
    except PcgError:
        return ()


def _first_problem(diagnostics: Sequence[Any], problem: str) -> str:
    errors = [d.message for d in diagnostics if d.severity == "error"]
    return errors[0] if errors else problem


def initial_rules(config: RulesRun, game: GameText) -> tuple[RuleSet, ...]:
    """Return the rule sets that the search begins with: none, or the game's own with some of its rules taken out."""
    if config.start != "own":
        return ()
    own = RuleSet.of(game.source)
    if not config.drop:
        return (own,)
    rng = np.random.default_rng(np.random.SeedSequence([config.seed, 0xD209]))
    gone = set(rng.permutation(len(own.rules))[: round(config.drop * len(own.rules))].tolist())
    return (RuleSet(tuple(rule for k, rule in enumerate(own.rules) if k not in gone), own.terminations),)


class RuleSearch(GameSearch):
    """A run that makes rules for the sprites and levels of a game.

    Args:
        config: what to do.
        game: the game, as text.
        folder: of the run.
    """

    kind = "rules"
    task = "makes rules"
    config: RulesRun

    def __init__(self, config: RulesRun, game: GameText, folder: Path) -> None:
        self.game = game
        # Made here, before anything is written, so that every mistake shows at once.
        self.numbers = tuple(game.select_levels(config.levels))
        levels = tuple(game.levels[k] for k in self.numbers)
        self.space = RuleSpace.of(game.source, levels)
        self.own = RuleSet.of(game.source)
        start = initial_rules(config, game)
        given: dict[str, Any] = dict(config.generator_parameters)
        if start:
            given["start"] = start
        generator = make_rule_generator(config.generator, self.space, seed=config.seed, **given)
        super().__init__(config, folder, generator, lambda data: shape_of(RuleSet.from_json(data)), shape_distance)
        self.evaluator = GameEvaluator(self.space.levels, **{**EVALUATION, **config.evaluation_parameters})
        self.work = Work(game, levels, settings_of(self.evaluator.settings), config.seed, config.make_levels)
        _SPACES_AND_EVALUATORS.put(self.work, (self.space, self.evaluator))

    @classmethod
    def new(cls, config: RulesRun, folder: Path) -> Self:
        """Return the run that a configuration describes."""
        return cls(config, GameText.of(load(config.game, reading=config.reading or None)), folder)

    @classmethod
    def open(cls, folder: Path, manifest: dict[str, Any], seconds: float | None, evaluations: int | None) -> Self:
        """Return the run in a folder."""
        config = RulesRun.read(folder / "config.toml").with_budget(seconds=seconds, evaluations=evaluations)
        return cls(
            config, GameText.read(folder / "game", manifest["game"]["name"], manifest["game"]["reading"]), folder
        )

    def write_inputs(self) -> None:
        """Write the game as it is now."""
        self.game.write(self.folder / "game")

    def manifest(self) -> dict[str, Any]:
        """Return what `run.json` says of a run that makes rules."""
        return {
            **super().manifest(),
            "game": {**self.game.manifest(), "levels": len(self.game.levels)},
            "levels": self.numbers,
            "start": self.config.start,
            "drop": self.config.drop,
            "evaluation": self.evaluator.settings,
            "make_levels": self.config.make_levels,
        }

    def _evaluation(self) -> tuple[Callable[..., tuple[GameEvaluation, float]], Work]:
        return evaluate_rules, self.work

    def _final(self, candidate: RuleCandidate, levels: Sequence[str] = ()) -> tuple[str, Sequence[str]]:
        return self.space.tidy(candidate.genotype), levels or self.space.levels

    def _index(self, candidate: RuleCandidate) -> dict[str, Any]:
        return {"edits": edits(self.own, candidate.genotype)}

    def _candidate(self, data: dict[str, Any]) -> RuleCandidate:
        return RuleCandidate.from_json(data)

    def _text(self, candidate: Any) -> str:
        return self.space.text(candidate.genotype)
