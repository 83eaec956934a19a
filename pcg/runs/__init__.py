"""Runs: experiments that make or measure something, each a folder that survives being killed.

This package stores and drives; it draws nothing (`pcg.render`) and writes no report (`pcg.report`), which read the
folder described here. The idea of a run as an append-only log plus a checkpoint that is only a shortcut is the
write-ahead log of databases: the log alone decides what happened.

`run_levels`, `run_rules`, `run_games`, `run_tuning` and `run_tournament` begin a run, and `resume` goes on with any.
One process at a time writes to a run: a second one is refused (`lock`). `pcg.runs.run` is what all have in common,
`pcg.runs.search` the loop of those that search, and `pcg.runs.experiments` has the kinds, each of which says what is
different in its folder.

Layout of the folder of a run that makes levels (every path is relative to it; text is UTF-8, JSON has sorted keys, one
object per line in `.jsonl`):

`run.json`
    The manifest, written once: `format` (1), `kind` ("levels"), `game` {`name`, `reading`, `sha256` of the game text,
    `levels` number of the game's own levels}, `seed`, `generator` {`name`, `parameters` with every default filled
    in}, `evaluation` (all parameters), `wants` (list of texts, as "enemies=3"), `archive` {`size`, `distance`},
    `budget` {`seconds`: float or null, `evaluations`: int or null}, `versions` {`pcg`, `python`, `numpy`, `numba`}.
`config.toml`
    The configuration the run was started with; `LevelRun.read` reads it.
`game/game.vgdl`, `game/lvl0.txt`, ...
    The game and its own levels as they were when the run started: a resumed run never reads the originals.
`events.jsonl`
    One line per evaluated candidate, in the order in which they were asked for; line k has `id` = k. Fields: `id`,
    `origin` (how the genotype was made: "random", "constructive", "ca", "crossover", "mutation"), `generation` (0 for
    generators without generations), `level` (level text, rows joined by newlines), `feasible`, `fitness` (>= 0; 0
    when infeasible), `constraint` (mean constraint value in [0, 1]; 1 when feasible), `constraints` {name: value in
    [0, 1]}, `metrics` {name: number}, `stage` ("static", "idle", "capable" or "complete": how far the evaluation had
    to go), `winner` (agent whose play won: "solver", "mcts", or ""), `seed` (of the winning play), `play` (winning
    play, one letter per tick: . NIL, U UP, L LEFT, D DOWN, R RIGHT, X USE, E ESCAPE; "" if none), `mechanics` (names
    of the rules that take effect in it), `wants` {name: how nearly it is met, in [0, 1]}, `parts` of the judgement of a
    feasible level {name: {`value`, `weight`, `sentence`}}.
`checkpoint.json`
    The generator's state and the candidates in flight after the first `events` lines of the log. Written under a
    temporary name and renamed; may be deleted at any time (the run is then replayed from its log).
`summary.json`
    Written when the run stops: `stopped` ("evaluations", "seconds", "enough", "interrupted"), `evaluations`,
    `repeated` (evaluations of a level that had been evaluated before), `feasible`, `distinct` (number of levels in
    `levels/`), `gave_way` (better ones that are not among them, for the sake of variety), `best` (fitness),
    `generations`; where something was wanted also `wants` [{`want`, `achieved` (levels of
    `levels/` that do), `of`}] and `all_wants` (levels that achieve all).
`archive.json`
    Only of generators that keep an archive over measures, written with every checkpoint: `kind` ("grid" or "cvt"),
    `measures`: [{`name`, `low`, `high`, `cells`}], `cells`: [{`index` (place along each measure, from 0; of a "cvt"
    only for pictures), `cell` (its number), `feasible` (false for the best of the levels that are not feasible, where
    a cell has no other), `fitness`, `constraint`, `metrics`, `values` (of the measures, in their order), `level`,
    `candidate` (its `id` in the log), `origin`, `winner`, `seed`, `play`, `mechanics`, `wants`}], `centroids` (of a
    "cvt": the values at each centre), `statistics` {`cells`, `elites` (cells with a feasible level), `coverage` (their
    share), `qd_score` (sum of their fitness), `best`, `mean`}. `summary.json` has the same `statistics` as `archive`.
`levels/index.json`
    The best distinct feasible levels, best first: {`levels`: [{`file` ("lvl0.txt"), `id`, `origin`, `generation`,
    `width`, `height`, `feasible`, `fitness`, `constraint`, `constraints`, `metrics`, `wants`, `mechanics`, `parts`,
    `winner`, `seed`, `actions` (list of action names of the winning play, replay with `game.start(level=...,
    seed=seed)`)}]}; of the grammar generators also `mission` {`nodes`, `edges`} (see
    `generators.levels.grammar.Mission.to_json`).
`levels/lvl0.txt`, `levels/lvl1.txt`, ... and `levels/game.vgdl`
    The levels and a copy of the game, so that `pcg.load("DIR/levels/game.vgdl")` is the game with the generated levels.
`infeasible/index.json`, `infeasible/lvl0.txt`, ...
    The same for the best of the other levels; only as many as the feasible ones fall short of the wanted number.
`timing.jsonl`
    The only file with wall-clock times, and the only one that differs between equal runs. Lines of `type` "session"
    (`started` ISO time, `command` list, `workers`), "evaluation" (`id`, `seconds`, `elapsed`), "stopped" (`elapsed`,
    `reason`, `cached`: evaluations that came from the cache on disk, `lost_workers`).
`failed.txt`
    Only after a run that stopped because a level ends its worker every time: that level.

Pictures and the report are put beside these by other modules and never read back: `levels/lvl0.png`, `sheet.png`,
`best.gif`, `report.html`.
"""

from pcg.runs.archive import Archive, Entry
from pcg.runs.config import parse_seconds
from pcg.runs.experiments.games import run_games
from pcg.runs.experiments.games_config import GamesRun
from pcg.runs.experiments.levels import LevelProgress, LevelResult, run_levels
from pcg.runs.experiments.levels_config import LevelRun
from pcg.runs.experiments.rules import run_rules
from pcg.runs.experiments.rules_config import RulesRun
from pcg.runs.experiments.tournament import Tournament, plan, read_tournament, run_tournament
from pcg.runs.experiments.tuning import run_tuning
from pcg.runs.experiments.tuning_config import TuningRun
from pcg.runs.run import EXPERIMENTS, Progress, RunOptions, RunResult, resume, run_experiment

__all__ = [
    "EXPERIMENTS",
    "Archive",
    "Entry",
    "GamesRun",
    "LevelProgress",
    "LevelResult",
    "LevelRun",
    "Progress",
    "RulesRun",
    "RunOptions",
    "RunResult",
    "Tournament",
    "TuningRun",
    "parse_seconds",
    "plan",
    "read_tournament",
    "resume",
    "run_experiment",
    "run_games",
    "run_levels",
    "run_rules",
    "run_tournament",
    "run_tuning",
]
