"""The ConnectX environment: its interface, the rules around the game, and what bad agents and configurations get."""

from __future__ import annotations

import copy
import functools
import json
import math
import pickle
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pcg.connectx import BUILT_IN, Struct, evaluate, get_win_percentages, make, read_configuration
from pcg.engine.vgdl.diagnostics import PcgError

QUICK = {"actTimeout": 0.1, "agentTimeout": 0}


def play_columns(*columns: int, **configuration: Any) -> Any:
    """An environment in which these columns were played in turn."""
    env = make("connectx", configuration)
    for number, column in enumerate(columns):
        env.step([column, None] if number % 2 == 0 else [None, column])
    return env


def told(env: Any) -> list[tuple[str, int | None]]:
    return [(agent.status, agent.reward) for agent in env.state]


def answering(answer: Any) -> Callable[[], Any]:
    return lambda: answer


# --- an episode -------------------------------------------------------------------------------------------------------


def test_a_new_episode_has_an_empty_board_and_the_first_agent_to_move() -> None:
    env = make("connectx")
    assert told(env) == [("ACTIVE", 0), ("INACTIVE", 0)]
    for place, agent in enumerate(env.state):
        assert agent.observation.board == [0] * 42
        assert agent.observation.mark == place + 1
        assert agent.observation.step == 0
        assert agent.observation.remainingOverageTime == 60
    assert not env.done
    assert (env.name, len(env.steps), list(env.agents)) == ("connectx", 1, list(BUILT_IN))
    config = env.configuration
    assert (config.rows, config.columns, config.inarow) == (6, 7, 4)
    assert (config.timeout, config.actTimeout, config.agentTimeout) == (2, 2, 60)
    assert (config.episodeSteps, config.runTimeout) == (1000, 1200)


def test_discs_fall_and_turns_change() -> None:
    env = play_columns(3, 3, 2)
    assert told(env) == [("INACTIVE", 0), ("ACTIVE", 0)]
    board = env.state[0].observation.board
    assert (board[38], board[31], board[37]) == (1, 2, 1)
    assert sum(map(bool, board)) == 3
    assert env.state[1].observation.board == board
    assert [agent.action for agent in env.state] == [2, 0]
    assert [s[0].observation.step for s in env.steps] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "columns",
    [
        (0, 1, 0, 1, 0, 1, 0),
        (0, 0, 1, 1, 2, 2, 3),
        (0, 1, 1, 2, 2, 3, 2, 3, 3, 6, 3),
        (6, 5, 5, 4, 4, 3, 4, 3, 3, 0, 3),
    ],
    ids=["column", "row", "rising", "falling"],
)
def test_a_line_wins(columns: tuple[int, ...]) -> None:
    env = play_columns(*columns)
    assert env.done
    assert told(env) == [("DONE", 1), ("DONE", -1)]
    with pytest.raises(PcgError, match="the episode is over: call reset"):
        env.step([0, 0])


def test_the_second_agent_can_win_too() -> None:
    assert told(play_columns(6, 0, 5, 0, 6, 0, 5, 0)) == [("DONE", -1), ("DONE", 1)]


def test_a_full_board_without_a_line_is_a_draw() -> None:
    env = play_columns(0, 1, 2, 3, rows=2, columns=4, inarow=3)
    for column in (1, 0, 3, 2):
        env.step([column, column])
    assert told(env) == [("DONE", 0), ("DONE", 0)]
    assert "drawn, the board is full" in env.render(mode="ansi")


def test_an_episode_ends_after_its_steps() -> None:
    env = make("connectx", {"episodeSteps": 5})
    steps = env.run(["leftmost", "middle"])
    assert len(steps) == 5
    assert told(env) == [("DONE", 0), ("DONE", 0)]


def test_an_episode_stops_when_its_time_is_up() -> None:
    env = make("connectx", {"runTimeout": 0})
    env.run(["random", "random"])
    assert told(env) == [("ACTIVE", 0), ("INACTIVE", 0)]


# --- moves that are none ----------------------------------------------------------------------------------------------


class Unreadable:
    def __repr__(self) -> str:
        raise RuntimeError("no")

    def __index__(self) -> int:
        raise RuntimeError("no")


@pytest.mark.parametrize(
    "answer",
    [7, -1, 10**30, None, "3", 3.0, 2.5, math.nan, True, [3], {"column": 3}, np.float64(3), np.bool_(True),
     Unreadable(), np.array([1, 2]), object],
    ids=lambda answer: type(answer).__name__,
)  # fmt: skip
def test_what_is_no_column_is_invalid(answer: Any) -> None:
    env = make("connectx")
    env.run([answering(answer), "random"])
    assert told(env) == [("INVALID", None), ("DONE", 0)]
    assert "expected a column from 0 to 6" in env.state[0].info.error
    assert env.state[0].observation.board == [0] * 42
    json.dumps(env.toJSON())


@pytest.mark.parametrize("kind", [int, np.int8, np.int64, np.uint16, lambda k: np.array(k)])
def test_whole_numbers_of_all_kinds_are_columns(kind: Callable[[int], Any]) -> None:
    env = make("connectx")
    env.step([kind(3), None])
    assert told(env) == [("INACTIVE", 0), ("ACTIVE", 0)]
    assert type(env.state[0].action) is int
    json.dumps(env.toJSON())


def test_a_full_column_is_invalid() -> None:
    env = play_columns(0, 0, 0, 0, 0, 0, 0)
    assert told(env) == [("INVALID", None), ("DONE", 0)]
    assert env.state[0].info.error == "column 0 is full"


# --- agents that misbehave --------------------------------------------------------------------------------------------


def raising(observation: Any) -> int:
    raise ValueError("no idea")


def leaving(observation: Any) -> int:
    sys.exit(3)


def deep(observation: Any) -> int:
    return deep(observation)


@pytest.mark.parametrize(("agent", "message"), [(raising, "ValueError: no idea"), (leaving, "SystemExit: 3"),
                                                (deep, "RecursionError")])  # fmt: skip
def test_an_agent_that_raises_has_an_error(agent: Callable[[Any], int], message: str) -> None:
    env = make("connectx")
    env.run(["middle", agent])
    assert told(env) == [("DONE", 0), ("ERROR", None)]
    assert env.state[1].info.error.startswith(message)
    assert message.partition(":")[0] in env.logs[-1][1].stderr


def sleeping(observation: Any) -> int:
    time.sleep(60)
    return 0


def busy(observation: Any) -> int:
    while True:
        pass


def stubborn(observation: Any) -> int:
    started = time.perf_counter()
    while time.perf_counter() - started < 0.3:
        try:
            time.sleep(0.02)
        except BaseException:
            continue
    return 0


@pytest.mark.parametrize("agent", [sleeping, busy, stubborn])
def test_an_agent_that_takes_too_long_is_interrupted(agent: Callable[[Any], int]) -> None:
    env = make("connectx", QUICK)
    started = time.perf_counter()
    env.run(["middle", agent])
    assert time.perf_counter() - started < 30
    assert told(env) == [("DONE", 0), ("TIMEOUT", None)]
    assert "no time left" in env.state[1].info.error
    assert env.state[1].observation.remainingOverageTime == 0


@pytest.mark.parametrize("agent", [sleeping, busy])
def test_away_from_the_main_thread_as_well(agent: Callable[[Any], int]) -> None:
    env = make("connectx", QUICK)
    thread = threading.Thread(target=lambda: env.run([agent, "middle"]))
    thread.start()
    thread.join(120)
    assert not thread.is_alive()
    assert told(env) == [("TIMEOUT", None), ("DONE", 0)]


def test_errors_and_answers_pass_away_from_the_main_thread() -> None:
    first, second = make("connectx"), make("connectx", {"seed": 1})
    thread = threading.Thread(
        target=lambda: (first.run([raising, "middle"]), second.run([lambda o: o.board.index(0), "leftmost"]))
    )
    thread.start()
    thread.join()
    assert told(first)[0] == ("ERROR", None)
    assert second.done


def test_overage_time_is_used_up_bit_by_bit() -> None:
    def slow(observation: Any) -> int:
        time.sleep(0.3 if observation.step == 0 else 60)
        return 0

    # the first move takes some of it, whatever a busy machine adds; the second takes the rest and is interrupted
    env = make("connectx", {"actTimeout": 0.2, "agentTimeout": 1.0})
    env.run([slow, "leftmost"])
    assert told(env) == [("TIMEOUT", None), ("DONE", 0)]
    assert len(env.steps) == 4
    left = [step[0].observation.remainingOverageTime for step in env.steps]
    assert left[0] == 1.0 and 0 < left[1] <= 0.9 and left[-1] == 0
    assert left == sorted(left, reverse=True)


def test_what_agents_print_is_kept_and_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    def chatty(observation: Any) -> int:
        print("thinking", observation.step)
        print("x" * 50_000, file=sys.stderr)
        return observation.step

    env = make("connectx")
    env.run([chatty, "leftmost"])
    assert env.logs[1][0].stdout == "thinking 0\n"
    assert len(env.logs[1][0].stderr) < 11_000
    assert env.logs[1][0].duration > 0
    assert capsys.readouterr() == ("", "")
    make("connectx", debug=True).run([chatty, raising])
    shown = capsys.readouterr()
    assert "thinking 0" in shown.out
    assert "ERROR: ValueError: no idea" in shown.err


def test_agents_can_spoil_only_their_own_copies() -> None:
    def spoiling(observation: Any, configuration: Any) -> int:
        column = observation.board.index(0)
        observation.board[:] = [1] * 42
        observation.mark = 2
        observation.pop("step")
        configuration.columns = 1
        configuration["rows"] = 0
        return column

    env = make("connectx", {"seed": 1})
    env.run([spoiling, "leftmost"])
    assert env.done
    assert env.configuration.columns == 7
    assert all(agent.status == "DONE" for agent in env.state)
    assert env.steps[1][0].observation.mark == 1


# --- agents of all kinds ----------------------------------------------------------------------------------------------


class Methodical:
    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, observation: Any) -> int:
        self.calls += 1
        return 0

    def choose(self, observation: Any, configuration: Any) -> int:
        return configuration.columns - 1


def with_default(observation: Any, configuration: Any, depth: int = 3) -> int:
    return depth


AGENTS = [
    lambda: 3,
    lambda observation: observation["board"].index(0),
    lambda observation, configuration: configuration.columns // 2,
    lambda *arguments: len(arguments),
    with_default,
    functools.partial(with_default, depth=2),
    Methodical(),
    Methodical().choose,
    4,
    np.int64(4),
    "random",
    "nstep:depth=2",
    "mcts:budget=200",
    "alphabeta:depth=2",
    "def agent(observation):\n    return 1\n",
    "lambda observation: 2",
]


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: str(getattr(agent, "__name__", agent))[:20])
def test_agents_of_all_kinds_can_play(agent: Any) -> None:
    env = make("connectx", {"episodeSteps": 4})
    env.run([agent, "leftmost"])
    assert told(env) == [("DONE", 0), ("DONE", 0)]


def test_the_last_function_of_a_file_plays(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("COLUMN = 5\n")
    file = tmp_path / "mine.py"
    file.write_text(
        "import helper\ncalls = []\ndef other():\n    return 0\ndef agent(observation, configuration):\n"
        "    calls.append(1)\n    return helper.COLUMN if len(calls) < 3 else other()\n"
    )
    for given in (str(file), file):
        env = make("connectx")
        env.run([given, "leftmost"])
        assert [step[0].action for step in env.steps[1:6:2]] == [5, 5, 0]
        assert env.info.TeamNames == ["mine", "leftmost"]
    assert str(tmp_path) not in sys.path
    sys.modules.pop("helper", None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def agent(:\n", "SyntaxError"),
        ("import nothing_like_it\n", "ModuleNotFound"),
        ("x = 1\n", "defines no function"),
    ],
)
def test_a_broken_file_is_its_agents_error(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    file.write_text(text)
    env = make("connectx")
    env.run([str(file), "random"])
    assert told(env) == [("ERROR", None), ("DONE", 0)]
    assert message in env.state[0].info.error


@pytest.mark.parametrize(
    ("agents", "message"),
    [
        (["negamx", "random"], "no agent `negamx`, did you mean `negamax`"),
        (["nowhere.py", "random"], "no agent file `nowhere.py`"),
        (["random"], "expected a list of 2"),
        ("random", "expected a list of 2"),
        ([1.5, "random"], "an agent cannot be 1.5"),
        ([{}, "random"], "an agent cannot be {}"),
        (["nstep:dept=3", "random"], "did you mean `depth`"),
        (["leftmost:depth=3", "random"], "has no parameters"),
        ([lambda a, b, c: 0, "random"], "wants `c`, expected at most two arguments"),
    ],
)
def test_what_is_no_agent_is_refused(agents: Any, message: str) -> None:
    with pytest.raises(PcgError, match=message):
        make("connectx").run(agents)


def test_built_in_agents_are_functions_too() -> None:
    env = make("connectx", {"seed": 1})
    for name in BUILT_IN:
        assert env.agents[name](env.observe(0), env.configuration) in range(7)
    plain = {"board": [0] * 42, "mark": 1}
    assert env.agents["negamax"](plain, {"rows": 6, "columns": 7, "inarow": 4}) in range(7)


def test_every_built_in_agent_finishes_games_on_all_sorts_of_boards() -> None:
    for size in ({}, {"rows": 4, "columns": 5, "inarow": 3}, {"rows": 10, "columns": 9, "inarow": 5},
                 {"rows": 1, "columns": 1, "inarow": 1}, {"rows": 3, "columns": 12, "inarow": 6}):  # fmt: skip
        for name in BUILT_IN:
            player = f"{name}:budget=300" if name in ("mcts", "nstep", "negamax") else name
            env = make("connectx", {**size, "seed": 2})
            env.run([player, "random"])
            assert [agent.status for agent in env.state] == ["DONE", "DONE"], (size, name)


def test_the_middle_agent_moves_aside_when_its_column_is_full() -> None:
    env = make("connectx")
    env.run(["middle", "middle"])
    assert all(agent.status == "DONE" for agent in env.state)


def test_stronger_agents_win() -> None:
    onestep = get_win_percentages("onestep", "random", 100, {"seed": 1})
    assert onestep.wins[0] >= 98
    assert get_win_percentages("nstep", "onestep", 40, {"seed": 1}).percentages[0] > 60
    assert get_win_percentages("negamax", "random", 40, {"seed": 1}).percentages[0] > 85
    assert get_win_percentages("mcts:budget=20000", "nstep", 20, {"seed": 1}).percentages[0] >= 60


# --- evaluation and training ------------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_episodes() -> None:
    def texts(seed: int) -> list[str]:
        env = make("connectx", {"seed": seed})
        env.run(["random", "mcts:budget=300"])
        return [env.render(mode="json"), env.render(mode="html")]

    assert texts(5) == texts(5)
    assert texts(5) != texts(6)
    first = evaluate("connectx", ["random", "random"], {"seed": 1}, num_episodes=30)
    assert first == evaluate("connectx", ["random", "random"], {"seed": 1}, num_episodes=30)
    assert len({tuple(rewards) for rewards in first}) > 1


def test_evaluate_gives_the_rewards_of_every_episode() -> None:
    assert evaluate("connectx", ["leftmost", lambda: 99], num_episodes=3) == [[0, None]] * 3
    assert evaluate("connectx", [raising, "leftmost"]) == [[None, 0]]
    env = make("connectx", {"rows": 1, "columns": 3, "inarow": 3})
    assert evaluate(env, ["leftmost", "leftmost"], num_episodes=2) == [[0, 0]] * 2
    assert evaluate("connectx", ["random", "random"], num_episodes=0) == []


def test_evaluate_goes_on_from_recorded_steps() -> None:
    before = play_columns(0, 1, 0, 1, 0, 1)
    steps = before.toJSON()["steps"]
    assert evaluate("connectx", ["leftmost", "random"], None, steps, num_episodes=2) == [[1, -1]] * 2
    env = make("connectx", steps=steps)
    env.run(["negamax", "random"])
    assert len(env.steps) == 8


def test_the_winner_of_both_halves_is_counted() -> None:
    outcomes = get_win_percentages("leftmost", raising, 5)
    assert (outcomes.wins, outcomes.draws, outcomes.faults, outcomes.played) == ((0, 0), 0, (0, 5), 5)
    assert "agent 2 (raising): won 0 %, 5 invalid plays" in str(outcomes)
    low, high = get_win_percentages("onestep", "leftmost", 4, {"seed": 1}).interval(0)
    assert 0 <= low <= high <= 1


@pytest.mark.parametrize("place", [0, 1])
def test_a_trainer_lets_the_other_agent_answer(place: int) -> None:
    env = make("connectx", {"seed": 1})
    trainer = env.train([None, "leftmost"] if place == 0 else ["leftmost", None])
    observation = trainer.reset()
    assert observation.mark == place + 1
    assert sum(map(bool, observation.board)) == place
    rewards = []
    for _ in range(2):
        done = False
        while not done:
            observation, reward, done, info = trainer.step(6)
        rewards.append(reward)
        assert info == {}
        trainer.reset()
    # who begins is the first to have four in a column
    assert rewards == [[1, 1], [-1, -1]][place]
    observation, reward, done, info = trainer.step("left")
    assert (reward, done) == (None, True)
    assert "is no whole number" in info.error


def test_training_needs_one_agent_to_train() -> None:
    for agents in (["random", "random"], [None, None]):
        with pytest.raises(PcgError, match="one of the agents must be None"):
            make("connectx").train(agents)
    with pytest.raises(PcgError, match="the trainer has not been reset"):
        make("connectx").train([None, "random"]).step(0)
    with pytest.raises(PcgError, match="no agent `rndom`"):
        make("connectx").train([None, "rndom"])


# --- configuration and data -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("configuration", "message"),
    [
        ({"rows": 0}, "`rows` is 0, expected a whole number from 1 to 100"),
        ({"columns": 7.0}, "`columns` is 7.0"),
        ({"columns": "7"}, "`columns` is '7'"),
        ({"columns": True}, "`columns` is True"),
        ({"inarow": None}, "`inarow` is None"),
        ({"inarow": 8}, "inarow is 8, but no line on a board of 6 rows and 7 columns is that long"),
        ({"actTimeout": -1}, "`actTimeout` is -1, expected a number of at least 0"),
        ({"actTimeout": math.nan}, "`actTimeout` is nan"),
        ({"actTimeout": math.inf}, "`actTimeout` is inf"),
        ({"episodeSteps": 0}, "`episodeSteps` is 0"),
        ({"seed": 1.5}, "`seed` is 1.5"),
        ({"colums": 7}, "has no `colums`, did you mean `columns`"),
        ([("rows", 6)], "expected a dictionary"),
        ("rows=6", "expected a dictionary"),
    ],
)
def test_bad_configurations_are_refused(configuration: Any, message: str) -> None:
    with pytest.raises(PcgError, match=message):
        make("connectx", configuration)


def test_configurations_take_numpy_numbers_and_the_older_name() -> None:
    config = read_configuration({"rows": np.int64(8), "actTimeout": np.float64(1.5)})
    assert (config.rows, config.actTimeout, config.timeout) == (8, 1.5, 1.5)
    assert read_configuration({"timeout": 5}).actTimeout == 5
    json.dumps(config)


def test_other_environments_are_refused() -> None:
    with pytest.raises(PcgError, match="no environment 'conectx', did you mean `connectx`"):
        make("conectx")
    for bad in (None, [1], [None, 1, 2], 5):
        with pytest.raises(PcgError, match="expected a list of 2"):
            make("connectx").step(bad)  # type: ignore[arg-type]
    with pytest.raises(PcgError, match="for 2 agents, not 3"):
        make("connectx").reset(3)
    with pytest.raises(PcgError, match=r"num_episodes is 1\.5"):
        evaluate("connectx", ["random", "random"], num_episodes=1.5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ("steps", "the list `steps`"),
        ([1], "step 0: expected a list of 2 states"),
        ([[{}, {}]], "step 0, agent 1: expected a dictionary with an observation"),
        ([[{"observation": {}}, {"observation": {}}]], "the first agent's observation has no board"),
        ([[{"observation": {"board": [1]}}, {"observation": {}}]], "step 0: a board of 1 cells, expected 42"),
        ([[{"observation": {"board": [1] + [0] * 41}}, {"observation": {}}]], "a disc with nothing below it"),
        ([[{"observation": {"board": [0] * 42}, "status": "HAPPY"}, {"observation": {}}]], "status 'HAPPY'"),
    ],
)
def test_bad_recordings_are_refused(steps: Any, message: str) -> None:
    with pytest.raises(PcgError, match=message):
        make("connectx", steps=steps)


def test_a_recording_in_which_only_the_first_agent_has_the_board_can_be_gone_on_with() -> None:
    steps = play_columns(3, 3, 2).toJSON()["steps"]
    for step in steps:
        del step[1]["observation"]["board"]
    env = make("connectx", steps=json.loads(json.dumps(steps)))
    assert env.state[1].observation.board == env.state[0].observation.board
    env.step([None, 2])
    assert env.state[1].action == 2


def test_observations_have_attributes_and_items() -> None:
    observation = make("connectx").observe(0)
    assert observation.board is observation["board"]
    observation.extra = 1
    assert observation["extra"] == 1
    del observation.extra
    assert not hasattr(observation, "extra")
    with pytest.raises(AttributeError, match="no `bord`, did you mean `board`"):
        _ = observation.bord
    with pytest.raises(AttributeError):
        del observation.nothing
    for twin in (copy.deepcopy(observation), pickle.loads(pickle.dumps(observation)), copy.copy(observation)):
        assert isinstance(twin, Struct)
        assert twin == observation
    assert json.loads(json.dumps(observation))["mark"] == 1
    assert "board" in dir(observation)


def test_the_specification_and_the_json_describe_the_episode() -> None:
    env = make("connectx", {"seed": 3}, info={"match": 12})
    env.run(["negamax", "leftmost"])
    assert env.specification.configuration.rows.default == 6
    assert env.specification.agents == [2]
    assert env.specification.action.type == "integer"
    data = json.loads(env.render(mode="json"))
    assert data == env.toJSON()
    assert type(data["steps"][0][0]) is dict
    assert (data["name"], data["rewards"], data["statuses"]) == ("connectx", [1, -1], ["DONE", "DONE"])
    assert data["info"] == {"match": 12, "TeamNames": ["negamax", "leftmost"]}
    assert make("connectx", data["configuration"], steps=data["steps"]).state == env.state


# --- rendering --------------------------------------------------------------------------------------------------------


def test_the_board_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    env = play_columns(0, 1, 0, rows=2, columns=3, inarow=2)
    expected = "+---+---+---+\n| 1 |   |   |\n+---+---+---+\n| 1 | 2 |   |\n+---+---+---+\n  0   1   2\nagent 1 has won"
    assert env.render(mode="ansi") == expected
    assert env.render() is None
    assert capsys.readouterr().out == expected + "\n"
    assert "agent 2 is to move" in play_columns(0).render(mode="ansi")
    wide = make("connectx", {"columns": 12}).render(mode="ansi").splitlines()
    assert len({len(line) for line in wide[:-2]}) == 1


def test_the_page_is_complete_in_itself_and_nothing_in_it_can_break_out() -> None:
    env = make("connectx", {"seed": 1})
    env.run(["onestep", "random"])
    page = env.render(mode="html")
    assert page.startswith("<!doctype html>")
    assert "src=" not in page
    assert "<link" not in page
    assert page.count("http") == page.count('"http://www.w3.org/2000/svg"') == 1
    env.info["TeamNames"] = ["</script><script>alert(1)</script>", "a & b"]
    page = env.render(mode="html")
    assert page.count("<script>") == 1
    assert "<title>&lt;/script&gt;" in page
    assert "{{" not in page


@pytest.mark.parametrize(
    ("mode", "options", "message"),
    [
        ("htm", {}, "no render mode 'htm', did you mean `html`"),
        ("html", {"widht": 3}, "no option `widht`, did you mean `width`"),
        ("html", {"width": "wide"}, "`width` is 'wide', expected a whole number"),
        ("html", {"speed": 0}, "`speed` is 0"),
        ("html", {"autoplay": 1}, "`autoplay` is 1, expected true or false"),
    ],
)
def test_bad_ways_to_render_are_refused(mode: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(PcgError, match=message):
        make("connectx").render(mode=mode, **options)


def test_notebooks_show_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    display = pytest.importorskip("IPython.display")
    shown = []
    monkeypatch.setattr(display, "display", lambda bundle, raw: shown.append(bundle))
    make("connectx").render(mode="ipython", width=400, height=300)
    assert 'width="400" height="300"' in shown[0]["text/html"]
    assert "&lt;!doctype html&gt;" in shown[0]["text/html"]
    monkeypatch.setitem(sys.modules, "IPython.display", None)
    with pytest.raises(PcgError, match="needs IPython"):
        make("connectx").render(mode="ipython")
