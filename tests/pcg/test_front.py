"""The front door: jobs as functions, and parts of a user's own in them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import pcg
from pcg import api, own_parts
from pcg.engine.registry import load_plugin, plugin_path
from pcg.evaluators.agents import AGENTS
from pcg.evaluators.fitness_functions import FITNESS_FUNCTIONS
from pcg.runs import resume

CORRIDOR = """\
BasicGame
    SpriteSet
        floor > Immovable color=GRAY
        gem > Immovable color=GOLD
        hero > MovingAvatar
    InteractionSet
        hero wall > stepBack
        gem hero > killSprite scoreChange=1
    LevelMapping
        . > floor
        g > floor gem
        A > floor hero
    TerminationSet
        SpriteCounter stype=gem limit=0 win=True
        Timeout limit=200 win=False
"""
MINE = '''\
"""Parts of a user."""
import pcg


def tidy(metrics):
    return metrics["symmetry"]


def corridor(context, rng):
    """A corridor with a gem at its end."""
    n = int(rng.integers(5, 12))
    return "w" * (n + 4) + "\\nwA" + "." * n + "gw\\n" + "w" * (n + 4)


class Rusher(pcg.Agent):
    """Always to the right."""

    steps: int = pcg.parameter(1, "steps at a time", low=1)

    def act(self, state):
        return "RIGHT"
'''

pytestmark = pytest.mark.usefixtures("registrations")


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(MINE)
    return tmp_path / "mine.py"


@pytest.mark.parametrize("name", api.__all__)
def test_jobs_are_exported_and_say_how_they_are_used(name: str) -> None:
    job = getattr(api, name)
    assert getattr(pcg, name) is job or callable(getattr(pcg, name))
    if not isinstance(job, type):
        assert ">>> " in job.__doc__ and "Args:" in job.__doc__
        assert set(job.__annotations__) >= {"return"}


def test_the_package_lists_what_it_exports_and_nothing_else() -> None:
    assert set(dir(pcg)) == set(pcg.__all__)
    for name in pcg.__all__:
        assert getattr(pcg, name) is not None


def test_packages_named_like_a_job_do_the_job_and_keep_their_modules() -> None:
    import pcg.describe
    import pcg.render

    assert pcg.render("boxes").size == (144, 128)
    assert str(pcg.describe("hunt")).startswith("hunt\n")
    assert callable(pcg.render.render_gif)


def test_a_game_is_named_in_any_way() -> None:
    boxes = pcg.load("boxes")
    values = [pcg.measure(game, 0, seed=3) for game in ("boxes", boxes)]
    assert values[0] == values[1]
    texts = [pcg.measure(game, boxes.levels[0])["solution_length"] for game in (boxes.definition.source, boxes)]
    assert texts[0] == texts[1] == values[0]["solution_length"]


def test_board_games_and_bad_levels_are_refused() -> None:
    with pytest.raises(pcg.PcgError, match="board game"):
        pcg.generate("hex", evaluations=1)
    with pytest.raises(pcg.VGDLError, match="no avatar"):
        pcg.measure("boxes", "www\nw.w\nwww")
    with pytest.raises(pcg.PcgError, match="no level 9"):
        pcg.evaluate("boxes", 9)
    with pytest.raises(pcg.PcgError, match="did you mean `Chaser`"):
        pcg.load(CORRIDOR.replace("MovingAvatar", "MovingAvatar\n        cat > Chasr stype=hero"))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: pcg.generate("boxes", n=1), "generate() has no argument `n`, did you mean `count`?"),
        (
            lambda: pcg.generate("boxes", budget="9s"),
            "generate() has no argument `budget`, did you mean `evaluations`?",
        ),
        (lambda: pcg.evolve_rules("hunt", sed=1), "evolve_rules() has no argument `sed`, did you mean `seed`?"),
        (lambda: pcg.describe("boxes", lang="zh"), "describe() has no argument `lang`, did you mean `language`?"),
        (lambda: pcg.generate("boxes", zzzz=1), "has no argument `zzzz`; it has game, count, generator"),
        (
            lambda: pcg.generate("boxes", 1, "evolve"),
            "generate() takes game and count in this order; name what follows",
        ),
        (lambda: pcg.generate("boxes", 1, count=2), "generate() was given `count` twice"),
        (lambda: pcg.generate(), "generate() needs `game`, as in generate(game)"),
        (lambda: pcg.make_generator("evolve", "boxes"), "needs `seed`, as in make_generator(name, game, seed=...)"),
        (lambda: pcg.solve("boxes", nodes=9), "solve() has no argument `nodes`, did you mean `max_nodes`?"),
        (lambda: pcg.load("boxes", level=0), "load() has no argument `level`, did you mean `levels`?"),
        (lambda: pcg.load(None), "no game None: expected a name, a file, or VGDL text"),
        (lambda: pcg.evaluate("boxes", "nope.txt"), "no level `nope.txt`: neither a file nor a text of characters"),
        (lambda: pcg.evaluate("boxes", "3"), "did you mean the number 3?"),
        (lambda: pcg.measure("boxes", [0]), "no level [0]: expected the number"),
        (lambda: pcg.check_level("www", "boxes"), "expected a game or its definition"),
    ],
)
def test_arguments_that_there_are_not_are_told_with_those_that_are_meant(call: Any, says: str) -> None:
    with pytest.raises(pcg.PcgError) as raised:
        call()
    assert says in str(raised.value)


def test_games_and_levels_are_named_as_one_guesses() -> None:
    assert pcg.play("boxes", "nothing", max_ticks=3).ticks == 3
    assert pcg.analyse("boxes").avatars == pcg.analyse(pcg.load("boxes")).avatars
    assert pcg.check_level("w?A", pcg.load("boxes"))[0].column == 2
    assert pcg.measure("boxes", "Ao.b")["width"] == 4
    with pytest.raises(AttributeError, match="did you mean `generate`"):
        pcg.generat  # noqa: B018


@pytest.mark.full
@pytest.mark.parametrize("guarded", [True, False], ids=["guarded", "not guarded"])
def test_a_program_may_begin_processes_wherever_its_jobs_stand(guarded: bool, tmp_path: Path) -> None:
    job = """
class Right(pcg.Agent):
    def act(self, state):
        return "RIGHT"

print("begun", flush=True)
print(len(pcg.tournament("boxes", [Right, "nothing"], levels=[0], max_ticks=9, workers=2).results))
print(run_levels(LevelRun("boxes", "minimal", evaluations=2), "run", executor="processes", workers=2).evaluations)
"""
    if guarded:
        job = 'if __name__ == "__main__":' + job.replace("\n", "\n    ")
    (tmp_path / "program.py").write_text(f"import pcg\nfrom pcg.runs import LevelRun, run_levels\n{job}\n")
    done = subprocess.run([sys.executable, "program.py"], capture_output=True, text=True, cwd=tmp_path)
    assert (done.stdout, done.returncode) == ("begun\n2\n2\n", 0), done.stderr


def test_generated_levels_are_a_game_with_verdicts(tmp_path: Path) -> None:
    made = pcg.generate("crossing", 2, generator="constructive", evaluations=30, seed=1, out=tmp_path / "run")
    assert made.folder == tmp_path / "run" and (made.folder / "run.json").is_file()
    assert list(made) == list(made.game.levels) and made.best == made[0]
    assert [verdict.feasible for verdict in made.evaluations] == [True] * len(made)
    assert pcg.evaluate("crossing", made.best, seed=1).fitness == made.evaluations[0].fitness
    again = pcg.generate("crossing", 2, generator="constructive", evaluations=30, seed=1, workers=1)
    assert list(again) == list(made) and again.folder is None


def test_no_level_found_is_said() -> None:
    def without_gem(context: Any, rng: Any) -> str:
        return "wwwwwww\nwA....w\nwwwwwww"

    made = pcg.generate(CORRIDOR, 1, generator=without_gem, evaluations=1)
    assert len(made) == made.feasible == 0 and made.tried == 1
    with pytest.raises(pcg.PcgError, match="more evaluations"):
        _ = made.best


def test_a_state_is_solved_as_well_as_a_game() -> None:
    state = pcg.load("boxes").start(level=0, seed=1)
    assert pcg.solve(state).actions == pcg.solve("boxes", 0, seed=1).actions


# --- own parts --------------------------------------------------------------------------------------------------------


def test_a_function_decides_what_is_good_and_a_function_makes_levels(tmp_path: Path) -> None:
    def wide(metrics: Any) -> float:
        return min(1.0, metrics["width"] / 16)

    def corridor(context: Any, rng: Any) -> str:
        n = int(rng.integers(5, 12))
        return "w" * (n + 4) + "\nwA" + "." * n + "gw\n" + "w" * (n + 4)

    given: dict[str, Any] = {"evaluation.min_length": 1, "evaluation.min_cover": 0.0, "run.distance": 0.0}
    run = tmp_path / "run"
    made = pcg.generate(CORRIDOR, 20, generator=corridor, fitness=wide, evaluations=6, out=run, settings=given)
    assert len(made) > 0
    for level, verdict in zip(made, made.evaluations, strict=True):
        assert verdict.fitness == min(1.0, len(level.splitlines()[0]) / 16)
    more = resume(run, evaluations=9)
    assert more.evaluations == 9 and "wide" in (run / "config.toml").read_text()


def test_a_run_with_own_parts_goes_on_in_another_process(tmp_path: Path) -> None:
    def airy(metrics: Any) -> float:
        return 1.0 - metrics["cover"]

    run = tmp_path / "run"
    pcg.generate("boxes", 20, generator="constructive", fitness=airy, evaluations=2, out=run)
    FITNESS_FUNCTIONS.unregister("airy")
    code = f"from pcg.runs import resume; print(resume({str(run)!r}, evaluations=3).evaluations)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path.parent)
    assert done.stdout == "3\n", done.stderr


@pytest.mark.full
def test_own_parts_go_to_worker_processes(tmp_path: Path) -> None:
    from pcg.runs import LevelRun, run_levels

    (tmp_path / "mine.py").write_text(MINE)
    load = f"{tmp_path / 'mine.py'}:fitness:tidy"
    config = LevelRun("boxes", "constructive", evaluations=4, load=load, evaluation_parameters={"fitness": "tidy"})
    folders = [tmp_path / executor for executor in ("threads", "processes")]
    for folder in folders:
        run_levels(config, folder, executor=folder.name, workers=2)
    logs = [[json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()] for folder in folders]
    assert logs[0] == logs[1]


def test_agents_of_all_kinds_meet_in_a_tournament(mine: Path, tmp_path: Path) -> None:
    class Waiter(pcg.Agent):
        """Waits."""

        def act(self, state: Any) -> str:
            return "NIL"

    game = pcg.load(CORRIDOR, levels=["wwwwwww\nwA...gw\nwwwwwww"])
    known = pcg.make_agent("mcts:depth=3")
    agents = [Waiter, f"{mine}:Rusher:steps=2", known, "random"]
    result = pcg.tournament(game, agents, budget="20calls", max_ticks=30, out=tmp_path / "cup", workers=1)
    assert not result.faults
    ranked = [standing.agent for standing in result.standings.overall]
    assert sorted(ranked) == ["Rusher:steps=2", "Waiter", "mcts:depth=3", "random"]
    tally = {standing.agent: standing.tally.wins for standing in result.standings.overall}
    assert tally["Rusher:steps=2"] == 1 and tally["Waiter"] == 0
    AGENTS.unregister("Waiter")
    assert pcg.runs.read_tournament(tmp_path / "cup").standings == result.standings


def test_an_instance_counts_with_its_parameters(mine: Path) -> None:
    module = sys.modules[load_plugin(mine)]
    names, plugins = own_parts.given_parts("agent", [module.Rusher(steps=4)], mine.parent / "parts.py")
    assert names == ["Rusher:steps=4"] and plugins == [f"{mine}:agent:Rusher"]


@pytest.mark.parametrize(
    ("kind", "name", "message"),
    [
        ("fitness", "tdy", "has no `tdy`, did you mean `tidy`?"),
        ("fitness", "Rusher", "no fitness function"),
        ("agent", "tidy", "is no agent"),
        ("level-generator", "Rusher", "is no level generator"),
    ],
)
def test_what_is_no_such_part_is_refused(mine: Path, kind: str, name: str, message: str) -> None:
    with pytest.raises(pcg.PcgError, match=message):
        own_parts.load_part(f"{mine}:{kind}:{name}")


def test_a_part_keeps_its_name_and_its_file_wherever_the_run_goes_on(
    mine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert own_parts.named_parts("fitness", "mine.py:tidy") == ("tidy", ["mine.py:fitness:tidy"])
    assert plugin_path("mine.py:fitness:tidy") == f"{mine}:fitness:tidy"


def test_the_code_of_a_function_without_a_file_is_told_apart() -> None:
    from pcg.evaluators.fitness_functions import users_code

    digests = []
    for body in ("0.5", "0.25"):
        space: dict[str, Any] = {"__name__": "notebook"}
        exec(f"def own(metrics): return {body}", space)
        own_parts.import_module(own_parts.HOMES["fitness"])
        FITNESS_FUNCTIONS.register("own", space["own"])
        digests += [users_code(), users_code()]
        FITNESS_FUNCTIONS.unregister("own")
    assert digests[0] == digests[1] != digests[2] == digests[3]
