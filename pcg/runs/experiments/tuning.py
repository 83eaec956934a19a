"""Runs that tune a game: points of a game space are played, and the best settings are played again at the end.

Layout of the folder (as of all runs, see `pcg.runs`; here what is different):

`run.json`
    `kind` ("tuning"), `game` (as of runs that make levels), `space` [{`name`, `kind`, `values`, `current` (the game's
    own), `help`}], `targets` [text], `levels` (numbers played), `optimiser` {`name`, `parameters`}, `evaluation`,
    `finalists`, `confirm`, `budget`, `seed`, `versions`.
`game/game.vgdl`, `game/lvl0.txt`, ..., `objective/objectives.json`
    The game as it was, and the texts of Python files with objectives: a resumed run never reads the originals.
`events.jsonl`
    One line per evaluation: `id`, `point` (number of the value of each parameter), `values` {name: text}, `origin`,
    `sample` (how often the point was evaluated before), `value` in [0, 1], `error` (its standard error), `targets`
    [[measure, value, error]], `plays` {agent: [[level, seed, outcome, score, ticks]]}, `note` (why the
    game could not be played, or "").
`best.txt`, `best_lvl0.txt`, ...
    The best game so far, plain VGDL, with the levels: `pcg.load("DIR/best.txt")`.
`settings.csv`
    When the run stops: every point that was evaluated, best first.
`summary.json`
    When the run stops: `stopped`, `evaluations`, `settings` (different points), `confirm`, `best` {`values`, `value`,
    `error`}, `edges` {parameters at an end of their range: "lower" or "upper"}; unless it was interrupted also
    `finalists` [{`values`, `value`, `error`, `plays`}] and, with seeds of their own, `before` and `after` {`values`,
    `value`, `error`, `plays`, `targets` [{`target`, `measure`, `low`, `high` (95 % interval), `value`, `met` (as far as
    the interval tells)}]}.
"""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, Unpack

from pcg.engine.game import Game, load
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.parameters import Setting
from pcg.generators.tuning import (
    Candidate,
    GameSpace,
    Objective,
    PlayedEvaluation,
    PlayRecord,
    evaluate_game,
    make_optimiser,
)
from pcg.generators.tuning.space import Point
from pcg.runs.cache import code_digest
from pcg.runs.experiments.tuning_config import TuningRun
from pcg.runs.game_text import GameText
from pcg.runs.process_cache import ProcessCache
from pcg.runs.run import RunOptions, RunResult, run_experiment
from pcg.runs.search import FAILED, SearchRun, check_version
from pcg.runs.store import read_json, to_json, write_whole
from pcg.runs.workers import Ticket

CONFIRM = 2**31
"""Number of the sample with which the game is played before and after; the next ones are for finalists."""


@dataclass(frozen=True)
class TuningProgress:
    """State of a run that tunes a game, for a progress bar."""

    evaluations: int
    settings: int
    best: float
    """Value of the best settings, 0 without any."""
    error: float
    fraction: float
    """Share of the budget that is spent, in [0, 1]."""

    def __str__(self) -> str:
        text = f"{self.evaluations} evaluations of {self.settings} settings, best {self.best:.2f} ± {self.error:.2f}"
        return text + ("; playing the best again" if self.fraction >= 1.0 else "")


@dataclass(frozen=True)
class TuningResult(RunResult):
    """Result of a run that tunes a game."""

    evaluations: int
    summary: Mapping[str, Any] = field(repr=False)
    """As `summary.json`."""


def run_tuning(config: TuningRun, folder: Path | str, **options: Unpack[RunOptions]) -> TuningResult:
    """Tune a game into a new run folder; `pcg.runs.resume` goes on with it.

    Args:
        config: what to do.
        folder: of the run; must not exist or be empty.
        options: see `pcg.runs.RunOptions`.

    Raises:
        PcgError: for anything wrong with the configuration, before anything is written.

    >>> import tempfile
    >>> wanted = "duration:random=20..25"
    >>> config = TuningRun("hunt", "sprite.dog.cooldown=2..6", wanted, levels="0", evaluations=2, confirm=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result = run_tuning(config, f"{folder}/run")
    >>> result.evaluations, result.summary["settings"]
    (2, 2)
    """
    result: TuningResult = run_experiment(config, folder, **options)
    return result


@dataclass(frozen=True)
class Work:
    """Everything that an evaluation needs besides the game; all of it can be sent to another machine."""

    levels: tuple[str, ...]
    numbers: tuple[int, ...]
    reading: str
    targets: str
    sources: tuple[tuple[str, str], ...]
    seed: int
    settings: tuple[tuple[str, Setting], ...]


def _read_objective(key: tuple[str, tuple[tuple[str, str], ...]]) -> Objective:
    targets, sources = key
    return Objective(targets, sources=dict(sources))


_OBJECTIVES = ProcessCache(_read_objective)


def evaluate_settings(
    work: Work, text: str, sample: int, plays: int = 0, code: str = ""
) -> tuple[PlayedEvaluation, float]:
    """Judge one game in whatever thread, process or machine this runs; with the seconds it took.

    Args:
        work: what all evaluations of a run share.
        text: of the plain game.
        sample: number of the sample.
        plays: of each agent; 0 for the run's own number.
        code: see `code_digest`.

    Raises:
        PcgError: when this is not the version that `code` names, or a function of the user's fails.
    """
    check_version(code)
    started = time.perf_counter()
    settings = dict(work.settings)
    if plays:
        settings["plays"] = plays
    judged = evaluate_game(
        text, work.levels, _OBJECTIVES.get((work.targets, work.sources)), numbers=work.numbers, reading=work.reading,
        seed=work.seed, sample=sample, settings=settings,
    )  # fmt: skip
    return judged, time.perf_counter() - started


class TuningSearch(SearchRun):
    """A run that tunes a game.

    Args:
        config: what to do.
        game: the game, parsed.
        folder: of the run.
        sources: texts of the Python files with objectives, by name; None reads those that the configuration names.
    """

    kind = "tuning"
    task = "tunes a game"
    config: TuningRun

    def __init__(self, config: TuningRun, game: Game, folder: Path, sources: Mapping[str, str] | None = None) -> None:
        self.game = GameText.of(game)
        # Made here, before anything is written, so that every mistake shows at once.
        if game.players != 1:
            raise PcgError(f"{game.name} is for {game.players} players; only games for one player can be tuned")
        self.objective = Objective(config.target, sources=sources)
        self.sources = dict(self.objective.files if sources is None else sources)
        text = self.game
        self.space = GameSpace(text.source, config.params.split(), reading=text.reading, name=text.name)
        self.numbers = tuple(text.select_levels(config.levels))
        for number in self.numbers:
            game.read_level(number)
        self.tuner = make_optimiser(config.optimiser, self.space, seed=config.seed, **config.optimiser_parameters)
        super().__init__(config, folder, self.tuner)
        self.work = Work(
            text.levels, self.numbers, text.reading, config.target, tuple(self.sources.items()), config.seed,
            tuple(config.evaluation_parameters.items()),
        )  # fmt: skip
        _OBJECTIVES.put((config.target, self.work.sources), self.objective)
        self.ended: dict[str, Any] = {}
        """Results of the last plays, for the summary."""

    @classmethod
    def new(cls, config: TuningRun, folder: Path) -> Self:
        """Return the run that a configuration describes."""
        return cls(config, load(config.game, reading=config.reading or None), folder)

    @classmethod
    def open(cls, folder: Path, manifest: dict[str, Any], seconds: float | None, evaluations: int | None) -> Self:
        """Return the run in a folder."""
        config = TuningRun.read(folder / "config.toml").with_budget(seconds=seconds, evaluations=evaluations)
        game = GameText.read(folder / "game", manifest["game"]["name"], manifest["game"]["reading"])
        return cls(config, game.load(), folder, read_json(folder / "objective" / "objectives.json"))

    # -- files ---------------------------------------------------------------------------------------------------------

    def write_inputs(self) -> None:
        """Write the game, and the files with objectives, as they are now."""
        self.game.write(self.folder / "game")
        (self.folder / "objective").mkdir(exist_ok=True)
        write_whole(self.folder / "objective" / "objectives.json", to_json(self.sources, indent=1) + "\n")

    def manifest(self) -> dict[str, Any]:
        """Return what `run.json` says of a run that tunes a game."""
        config = self.config
        return {
            **super().manifest(),
            "game": {**self.game.manifest(), "levels": len(self.game.levels)},
            "space": [
                {"name": p.name, "kind": p.kind, "values": p.values, "current": p.current, "help": p.help}
                for p in self.space.parameters
            ],
            "targets": [str(target) for target in self.objective.targets],
            "levels": self.numbers,
            "optimiser": {"name": config.optimiser, "parameters": self.tuner.settings},
            "evaluation": dict(config.evaluation_parameters),
            "finalists": config.finalists,
            "confirm": config.confirm,
        }

    def write_results(self) -> None:
        """Write the best game so far, with its levels."""
        best = self._best()
        if best is None:
            return
        write_whole(self.folder / "best.txt", self.space.instantiate(best))
        for k, level in enumerate(self.game.levels):
            path = self.folder / f"best_lvl{k}.txt"
            if not path.exists():
                write_whole(path, level)

    def _write_settings(self) -> None:
        """Write `settings.csv`, from the log."""
        rows: dict[Point, list[list[float]]] = {}
        notes: dict[Point, str] = {}
        for event in self.log.read_all(0, self.told):
            point = tuple(event["point"])
            rows.setdefault(point, []).append([measure for measure, _, _ in event["targets"]])
            notes[point] = notes.get(point, "") or event["note"]
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        targets = [str(target) for target in self.objective.targets]
        writer.writerow([*(p.name for p in self.space.parameters), "samples", "value", "error", *targets, "note"])
        for point in self.tuner.best(len(rows)):
            tried = self.tuner.tried[point]
            found = [row for row in rows.get(point, []) if row]
            means = [f"{sum(column) / len(column):.6g}" for column in zip(*found, strict=True)]
            means += [""] * (len(targets) - len(means))
            values = self.space.values(point).values()
            numbers = [tried.told, f"{tried.mean:.6g}", f"{tried.error:.6g}"]
            writer.writerow([*values, *numbers, *means, notes.get(point, "")])
        write_whole(self.folder / "settings.csv", text.getvalue())

    # -- the search ----------------------------------------------------------------------------------------------------

    def _result(self, reason: str) -> TuningResult:
        return TuningResult(self.folder, reason, self.told, read_json(self.folder / "summary.json"))

    def _conclude(self, reason: str) -> None:
        """Choose among the finalists with new seeds; then play the game before and after, with new seeds again.

        In every round each finalist that is left is played twice as often as in the one before, and the better half,
        by all plays so far, goes on (successive halving: Karnin, Koren, Somekh, Almost Optimal Exploration in
        Multi-Armed Bandits, 2013).
        """
        config = self.config
        points = self.tuner.best(config.finalists)
        recommended = self.tuner.recommend()
        if recommended is not None and recommended not in points:
            points = [recommended, *points[: config.finalists - 1]]
        if not points or not config.confirm:
            return
        texts = {point: self.space.instantiate(point) for point in points}
        played: dict[Point, dict[str, list[PlayRecord]]] = {}
        judged: dict[Point, PlayedEvaluation] = {}
        left = points
        last = (len(points) - 1).bit_length()
        for number in range(1, last + 1):
            count = max(2, config.confirm >> (last - number))
            for point, new in zip(left, self._play([texts[p] for p in left], CONFIRM + number, count), strict=True):
                both = played.setdefault(point, {})
                for agent, records in new.plays.items():
                    both[agent] = [*both.get(agent, []), *records]
                total = self.objective.evaluate(both)[0] if not new.note else new
                judged[point] = PlayedEvaluation(total.value, total.error, new.note)
            left = sorted(left, key=lambda p: -judged[p].value)[: (len(left) + 1) // 2]  # stable: the earlier of equals
        chosen = left[0]
        before, after = self._play([self.space.original, texts[chosen]], CONFIRM, config.confirm)
        own = {p.name: p.current for p in self.space.parameters}
        others = [p for p in judged if p != chosen]
        order = [chosen, *sorted(others, key=lambda p: (-self._rounds(played, p), -judged[p].value))]
        self.ended = {
            "chosen": list(chosen),
            "finalists": [
                {"values": self.space.values(p), "value": judged[p].value, "error": judged[p].error,
                 "plays": self._rounds(played, p)}
                for p in order if p in judged
            ],
            "before": self._last_plays(own, before),
            "after": self._last_plays(self.space.values(chosen), after),
        }  # fmt: skip

    @staticmethod
    def _rounds(played: Mapping[Point, Mapping[str, Sequence[PlayRecord]]], point: Point) -> int:
        """Return the number of plays of each agent of a finalist."""
        return max((len(records) for records in played.get(point, {}).values()), default=0)

    def _play(self, texts: Sequence[str], sample: int, plays: int) -> list[PlayedEvaluation]:
        """Play every game so often with every agent."""
        tickets = [
            self.workers.submit(
                "a play at the end of the run", evaluate_settings, self.work, text, sample, plays, code_digest()
            )
            for text in texts
        ]
        return [self.workers.result(ticket)[0] for ticket in tickets]

    def _last_plays(self, values: Mapping[str, str], judged: PlayedEvaluation) -> dict[str, Any]:
        """Return the results of the last plays of a game, for the summary."""
        targets = []
        for target, result in zip(self.objective.targets, judged.results, strict=False):
            low, high = target.interval(judged.plays)
            entry = {
                "target": str(target), "measure": result.measure, "low": low, "high": high, "value": result.value,
                "met": target.met(low, high),
            }  # fmt: skip
            targets.append(
                {key: value if value not in (float("inf"), float("-inf")) else None for key, value in entry.items()}
            )
        told = {"values": dict(values), "value": judged.value, "error": judged.error, "note": judged.note}
        return {**told, "plays": self.config.confirm, "targets": targets}

    def _finish(self, reason: str) -> dict[str, Any]:
        self._write_settings()
        best = self._best()
        summary: dict[str, Any] = {
            "evaluations": self.told,
            "settings": self._settings(),
            "confirm": self.config.confirm,
        }
        if best is not None:
            tried = self.tuner.tried.get(best)
            known = {"value": tried.mean, "error": tried.error} if tried is not None and tried.told else {}
            summary["best"] = {"values": self.space.values(best), **known}
            summary["edges"] = self._edges(best)
        if self.ended:
            summary |= {key: value for key, value in self.ended.items() if key != "chosen"}
        return summary

    def _edges(self, point: Point) -> dict[str, str]:
        """Return the parameters whose best value is an end of their range, and which end."""
        return {
            parameter.name: "lower" if at == 0 else "upper"
            for parameter, at in zip(self.space.parameters, point, strict=True)
            if parameter.ordered and len(parameter.values) > 1 and at in (0, len(parameter.values) - 1)
        }

    def _best(self) -> Point | None:
        if "chosen" in self.ended:
            return tuple(self.ended["chosen"])
        found = self.tuner.best(1)
        return found[0] if found else None

    def _settings(self) -> int:
        return sum(1 for tried in self.tuner.tried.values() if tried.told)

    def _progress(self) -> TuningProgress:
        best = self.tuner.tried[self.tuner.best(1)[0]]
        return TuningProgress(self.told, self._settings(), best.mean, best.error, self._fraction())

    # -- for the loop --------------------------------------------------------------------------------------------------

    def _candidate(self, data: dict[str, Any]) -> Candidate:
        return Candidate.from_json(data)

    def _same(self, event: dict[str, Any], candidate: Candidate) -> bool:
        return tuple(event["point"]) == candidate.point and event["sample"] == candidate.sample

    def _begin(self, candidate: Candidate) -> Ticket:
        return self.workers.submit(
            f"the evaluation of candidate {candidate.id} (its game is in {self.folder / FAILED})", evaluate_settings,
            self.work, self.space.instantiate(candidate.point), candidate.sample, 0, code_digest(),
        )  # fmt: skip

    def _verdict(self, event: dict[str, Any]) -> PlayedEvaluation:
        return PlayedEvaluation.from_json(event)

    def _event(self, candidate: Candidate, verdict: PlayedEvaluation) -> dict[str, Any]:
        return {**candidate.to_json(), "values": self.space.values(candidate.point), **verdict.to_json()}

    def _keep(self, candidate: Candidate, verdict: PlayedEvaluation, fresh: bool) -> None:
        """Do nothing: the optimiser itself keeps what is known of every point."""

    def _meet(self, event: dict[str, Any]) -> None:
        PlayedEvaluation.from_json(event)  # a damaged event shows at once

    def _take_again(self, event: dict[str, Any]) -> None:
        """Do nothing: the optimiser restores itself."""

    def _text(self, candidate: Candidate) -> str:
        return self.space.instantiate(candidate.point)
