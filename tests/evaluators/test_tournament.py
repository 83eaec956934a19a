"""Matches of tournaments: what is played and by which rules; recorded and human players."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import pcg
from pcg.engine.registry import load_plugin
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.agents import AGENTS, Agent, AgentError, Budget, Human, play, register
from pcg.evaluators.evaluation import encode_play
from pcg.evaluators.tournament import (
    Entry,
    Match,
    MatchResult,
    Rules,
    play_match,
    schedule,
    select_games,
    select_levels,
    split_agents,
)
from pcg.evaluators.tournament.rules import DISQUALIFIED, LOST, NO_WINNER, WON, settle

FEW = Rules(Budget(calls=20), max_ticks=40)


@pytest.fixture
def agent():
    """Register a Python agent that acts by a function of (agent, state), for one test."""
    made: list[str] = []

    def add(name: str, act, reset=lambda self, state: None) -> str:
        @register(name, "made for a test")
        class Made(Agent):
            def act(self, state):
                return act(self, state)

            def reset(self, state) -> None:
                reset(self, state)

        made.append(name)
        return name

    yield add
    for name in made:
        AGENTS.unregister(name)


def one(game: str, *agents: str, rules: Rules = FEW, level: int = 0) -> MatchResult:
    (entry,) = select_games([game])
    return play_match(Match(0, entry.name, level, 0, 1, agents), entry, rules)


# --- what people type -------------------------------------------------------------------------------------------------


def test_games_are_found_by_name_pattern_file_and_folder_each_once(tmp_path: Path, monkeypatch) -> None:
    game = pcg.load("boxes")
    for name in ("pushing", "shoving"):
        (tmp_path / f"{name}.txt").write_text(game.definition.source)
        (tmp_path / f"{name}_lvl0.txt").write_text(game.levels[0])
    (tmp_path / "nolevels.txt").write_text(game.definition.source)
    (tmp_path / "list").write_text("# ours\nhunt\npushing.txt\n")
    monkeypatch.chdir(tmp_path)
    assert [e.name for e in select_games(["boxes", "hunt, boxes"])] == ["boxes", "hunt"]
    assert [e.name for e in select_games(["*.txt"])] == ["pushing", "shoving"]
    assert [e.name for e in select_games(["."])] == ["pushing", "shoving"]
    assert [e.name for e in select_games(["@list", str(tmp_path / "shoving.txt")])] == ["hunt", "pushing", "shoving"]
    entry = select_games(["pushing.txt"])[0]
    assert (entry.players, entry.levels, Path(entry.source).is_absolute()) == (1, 1, True)


def test_games_of_the_same_name_get_their_folders_name(tmp_path: Path) -> None:
    game = pcg.load("boxes")
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "push.txt").write_text(game.definition.source)
        (tmp_path / folder / "push_lvl0.txt").write_text(game.levels[0])
    assert [e.name for e in select_games([str(tmp_path / "one"), str(tmp_path / "two")])] == ["one/push", "two/push"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["dungon"], "did you mean `dungeon`"),
        (["z*"], "no game matches `z\\*`"),
        ([""], "no games"),
        (["@missing"], "cannot read the list"),
    ],
)
def test_games_that_do_not_exist_are_reported(given: list[str], message: str) -> None:
    with pytest.raises(PcgError, match=message):
        select_games(given)


def test_a_game_without_levels_and_an_empty_folder_are_reported(tmp_path: Path) -> None:
    (tmp_path / "bare.txt").write_text(pcg.load("boxes").definition.source)
    with pytest.raises(PcgError, match="has no levels"):
        select_games([str(tmp_path / "bare.txt")])
    with pytest.raises(PcgError, match="no game with levels"):
        select_games([str(tmp_path)])


def test_rule_sheets_are_games_with_one_level_and_as_many_players_as_roles(tmp_path: Path) -> None:
    text = pcg.load("nim").program.sheet.text
    for name in ("one.kif", "two.kif"):
        (tmp_path / name).write_text(text)
    found = select_games(["connect-four", "l*.kif", str(tmp_path), "trails"])
    assert [(e.name, e.players, e.levels) for e in found] == [
        ("connect-four", 2, 1), ("lights-out", 1, 1), ("one", 2, 1), ("two", 2, 1), ("trails", 4, 1),
    ]  # fmt: skip
    assert found[2].digest == found[3].digest != found[0].digest
    assert "babel" not in [e.name for e in select_games(["b*"])]  # patterns without .kif are over the games of VGDL
    with pytest.raises(PcgError, match="has none of the levels 1"):
        select_levels("1", found[:1])
    with pytest.raises(PcgError, match="trails is for four players: expected at least two agents"):
        schedule(found[-1:], ["random"], {"trails": [0]}, 1)


def test_a_rule_sheet_that_cannot_be_played_is_reported(tmp_path: Path) -> None:
    (tmp_path / "bad.kif").write_text("(role you) (legal you wait")
    with pytest.raises(PcgError, match=r"bad\.kif:1"):
        select_games([str(tmp_path / "bad.kif")])
    with pytest.raises(PcgError, match="did you mean `connect-four`"):
        select_games(["conect-four"])


def test_levels_are_numbers_and_ranges_that_games_have() -> None:
    entries = [Entry("long", "", "", 1, 5, ""), Entry("short", "", "", 1, 2, "")]
    assert select_levels("all", entries) == {"long": [0, 1, 2, 3, 4], "short": [0, 1]}
    assert select_levels("4, 0-1", entries) == {"long": [0, 1, 4], "short": [0, 1]}
    with pytest.raises(PcgError, match="short has none of the levels 3"):
        select_levels("3", entries)
    for wrong in ("", "a", "2-1", "-1", "1,,2"):
        with pytest.raises(PcgError, match="expected `all`"):
            select_levels(wrong, entries)


def test_commas_separate_agents_and_their_parameters() -> None:
    assert split_agents(["mcts:c=1.0,depth=12,budget=40ms,random", "onestep"]) == [
        "mcts:c=1.0,depth=12,budget=40ms",
        "random",
        "onestep",
    ]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("mtcs", "did you mean `mcts`"),
        ("mcts:dept=3", "did you mean `depth`"),
        ("mcts:depth=0", "expected a whole number from 1"),
        ("random,random", "named twice"),
        ("human", "needs a person"),
        ("", "no agents"),
        ("mcts:budget=soon", "expected forward-model calls"),
    ],
)
def test_agents_that_cannot_play_are_reported(given: str, message: str) -> None:
    with pytest.raises(PcgError, match=message):
        split_agents([given])


def test_a_file_of_the_user_registers_agents_and_its_mistakes_are_reported(tmp_path: Path, monkeypatch) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "from pcg.evaluators.agents import Nothing, register\nregister('mine_of_a_test', 'waits')(Nothing)\n"
    )
    load_plugin(file)
    load_plugin(str(file))
    try:
        assert split_agents(["mine_of_a_test"]) == ["mine_of_a_test"]
    finally:
        AGENTS.unregister("mine_of_a_test")
    (tmp_path / "broken.py").write_text("1 / 0\n")
    with pytest.raises(PcgError, match="ZeroDivisionError"):
        load_plugin(tmp_path / "broken.py")
    with pytest.raises(PcgError, match="no such Python file"):
        load_plugin(tmp_path / "absent.py")


# --- schedule ---------------------------------------------------------------------------------------------------------


def test_pairs_play_every_level_twice_with_sides_swapped_and_the_same_seed() -> None:
    duel = Entry("duel", "duel", "", 2, 2, "")
    matches = schedule([duel], ["a", "b", "c"], {"duel": [0, 1]}, repeats=1, seed=7)
    assert len(matches) == 3 * 2 * 2
    assert {m.seed for m in matches} == {7}
    for level in (0, 1):
        played = [m.agents for m in matches if m.level == level]
        assert sorted(played) == sorted((a, b) for a in "abc" for b in "abc" if a != b)
    assert [m.id for m in matches] == list(range(12))
    with pytest.raises(PcgError, match="at least two agents"):
        schedule([duel], ["a"], {"duel": [0]}, 1)


def test_every_agent_has_every_role_against_every_other_one() -> None:
    (entry,) = select_games(["pacman-3p"])
    meetings = [m.agents for m in schedule([entry], ["a", "b", "c"], {"pacman-3p": [0]}, 1)]
    assert len(meetings) == len(set(meetings)) == 6 * 3
    for role in range(3):
        assert Counter(m[role] for m in meetings) == {"a": 6, "b": 6, "c": 6}
    assert all(len(set(m)) == 2 for m in meetings)


def test_repetitions_come_last_and_have_new_seeds() -> None:
    entries = [Entry("x", "", "", 1, 2, ""), Entry("y", "", "", 1, 1, "")]
    matches = schedule(entries, ["a"], {"x": [0, 1], "y": [0]}, repeats=2, seed=5)
    assert [(m.repeat, m.level, m.game, m.seed) for m in matches] == [
        (0, 0, "x", 5), (0, 0, "y", 5), (0, 1, "x", 5), (1, 0, "x", 6), (1, 0, "y", 6), (1, 1, "x", 6),
    ]  # fmt: skip
    assert len({matches[0].agent_seed(0), matches[0].agent_seed(1), matches[3].agent_seed(0)}) == 3


# --- rules ------------------------------------------------------------------------------------------------------------


def test_late_actions_are_replaced_and_later_ones_disqualify() -> None:
    rules = Rules(Budget(milliseconds=40))
    verdicts = [rules.judge(ms) for ms in (40.0, 40.1, 50.0, 50.5)]
    assert verdicts == ["in time", "late", "late", "overtime"]
    assert Rules(Budget(calls=10)).judge(1e9) == "in time"


@pytest.mark.parametrize(
    ("before", "after"),
    [((WON, 0.0), (WON, 1.0)), ((WON, -2.0), (WON, 1.0)), ((WON, 0.5), (WON, 0.5)), ((LOST, -2.0), (LOST, -2.0)),
     ((NO_WINNER, 3.0), (NO_WINNER, 3.0)), ((DISQUALIFIED, 99.0), (DISQUALIFIED, -1000.0))],
)  # fmt: skip
def test_results_are_settled_as_in_the_reference(before: tuple[int, float], after: tuple[int, float]) -> None:
    assert settle(*before) == after


def test_rules_go_to_json_and_back() -> None:
    for rules in (Rules(), Rules(Budget(milliseconds=40), max_ticks=7, stall=0.5)):
        assert Rules.from_json(rules.to_json()) == rules
    with pytest.raises(PcgError, match="max_ticks"):
        Rules(max_ticks=0)


# --- matches ----------------------------------------------------------------------------------------------------------


def test_a_match_is_the_play_that_the_library_plays_and_comes_back_from_json() -> None:
    result = one("hunt", "mcts:depth=5")
    match = result.match
    expected = play(
        pcg.load("hunt"),
        pcg.make_agent("mcts:depth=5", seed=match.agent_seed(0), budget=20),
        seed=match.seed,
        max_ticks=40,
    )
    assert result.play == (encode_play(expected.actions),)
    assert (result.ticks, result.calls, result.fault) == (expected.ticks, expected.calls, None)
    assert MatchResult.from_json(result.to_json()) == result


@pytest.mark.parametrize("game", ["connect-four", "trails", "lights-out"])
def test_rule_sheets_are_played_the_same_watched_and_unwatched(agent, game: str) -> None:
    def first_or_last(self: Agent, state):
        own = state.actions if state.model.players == 1 else state.actions[self.player]
        return own[0] if own and state.tick % 2 else None

    (entry,) = select_games([game])
    names = ("random", "flatmc", "uct", "nothing")[: entry.players]
    done = one(game, *names, rules=FEW)
    assert done.fault is None and done == MatchResult.from_json(done.to_json())
    state = entry.game.start()
    moves = [text.split(";") for text in done.play]
    for joint in zip(*moves, strict=True):
        state.advance(joint)
    known = {1: WON, -1: LOST, 0: NO_WINNER}
    winners = [state.winner] if entry.players == 1 else state.winner
    scores = [state.score] if entry.players == 1 else state.score
    assert state.ply == done.ticks
    assert list(done.outcomes) == [known[w] if state.is_terminal else NO_WINNER for w in winners]
    assert list(done.scores) == list(scores)
    slow = one(game, *(agent("either", first_or_last),) * entry.players, rules=FEW)
    assert slow.fault is None
    state = entry.game.start()
    for joint in zip(*(text.split(";") for text in slow.play), strict=True):
        state.advance(joint)
    assert state.ply == slow.ticks and list(slow.scores) == list([state.score] if entry.players == 1 else state.score)


def test_a_move_that_is_not_in_the_sheet_is_a_fault(agent) -> None:
    found = one("nim", agent("wrong", lambda self, state: "(take 99 1)"), "random")
    assert found.fault is not None and found.fault.kind == "nonsense" and found.outcomes == (DISQUALIFIED, NO_WINNER)


def test_an_agents_own_budget_wins_over_that_of_the_rules() -> None:
    assert one("hunt", "mcts:budget=50").calls > 2 * one("hunt", "mcts:budget=20").calls > 0


def test_watched_and_unwatched_ways_play_the_same(agent) -> None:
    wrapped = agent("wrapped", lambda self, s: self.inner.act(s), lambda self, s: _wrap(self, s))
    quick, slow = one("duel", "mcts", "random"), one("duel", "mcts", wrapped)
    assert (quick.play, quick.outcomes, quick.scores) == (slow.play, slow.outcomes, slow.scores)


def _wrap(self, state) -> None:
    self.inner = pcg.make_agent("random", seed=self.seed, player=self.player)
    self.inner.reset(state)


def test_an_agent_that_raises_is_disqualified_and_the_other_stays_undecided(agent) -> None:
    def act(self, state):
        if state.tick == 4:
            raise ValueError("lost\nmy way")
        return "NIL"

    name = agent("raising", act)
    for players in ((name, "random"), ("random", name)):
        result = one("duel", *players)
        mine = players.index(name)
        assert result.outcomes[mine] == DISQUALIFIED and result.scores[mine] == -1000
        assert result.outcomes[1 - mine] == NO_WINNER
        assert result.fault is not None
        assert (result.fault.player, result.fault.agent, result.fault.tick) == (mine, name, 5)
        assert result.fault.kind == "raised" and "ValueError: lost my way (test_tournament.py:" in result.fault.message
        assert result.ticks == 5 and len(result.play[0]) == 5


class _Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError

    __eq__ = __hash__ = __repr__  # type: ignore[assignment]


@pytest.mark.parametrize("answer", ["UPWARDS", 1, ("UP",), b"UP", _Unprintable(), ["UP"] * 10_000])
def test_an_answer_that_is_no_action_is_a_fault(agent, answer: object) -> None:
    result = one("hunt", agent("nonsense", lambda self, state: answer))
    assert result.fault is not None and result.fault.kind == "nonsense" and result.fault.tick == 0
    assert result.outcomes == (DISQUALIFIED,) and len(result.fault.message) <= 300


def test_none_and_actions_that_are_not_available_count_as_doing_nothing(agent) -> None:
    waiting = one("hunt", "nothing")
    assert one("hunt", agent("none", lambda self, state: None)).scores == waiting.scores
    impossible = one("crossing", agent("using", lambda self, state: "USE"))
    assert impossible.fault is None


def test_leaving_the_process_is_a_fault_like_any_other(agent) -> None:
    result = one("hunt", agent("leaving", lambda self, state: exit(0)))
    assert result.fault is not None and result.fault.message.startswith("SystemExit")


def test_an_agent_that_cannot_be_prepared_does_not_play(agent) -> None:
    def fail(self, state):
        raise KeyError("no plan")

    result = one("hunt", agent("unprepared", lambda self, state: "NIL", fail))
    assert result.fault is not None and (result.fault.kind, result.fault.tick) == ("construction", -1)
    assert result.ticks == 0 and result.scores == (-1000.0,)


def test_an_agent_cannot_spoil_the_state_it_is_shown(agent) -> None:
    def act(self, state):
        while not state.is_over and state.tick < 30:
            state.advance("UP")
        return "NIL"

    assert one("hunt", agent("meddling", act)).play == one("hunt", "nothing").play


def _burn(milliseconds: float) -> None:
    until = time.thread_time() + milliseconds / 1000
    while time.thread_time() < until:
        pass


@pytest.mark.parametrize(
    ("taken", "fault", "late", "play"),
    [(39, None, 0, "LLLL"), (41, None, 4, "...."), (49, None, 4, "...."), (51, "overtime", 0, "")],
)
def test_late_answers_do_nothing_and_later_ones_lose(agent, monkeypatch, taken, fault, late, play) -> None:
    # a clock of the test's own: a processor's can jump by more than the ten milliseconds between late and too late
    now = 0.0

    def think(self: Any, state: Any) -> str:
        nonlocal now
        now += taken / 1000
        return "LEFT"

    monkeypatch.setattr(time, "thread_time", lambda: now)
    result = one("hunt", agent("thinking", think), rules=Rules(Budget(milliseconds=40), max_ticks=4))
    assert (result.fault and result.fault.kind, result.late, result.play) == (fault, (late,), (play,))


@pytest.mark.full
def test_time_is_cpu_time_and_is_enforced(agent) -> None:
    rules = Rules(Budget(milliseconds=40), max_ticks=4)
    over = one("hunt", agent("over", lambda self, state: _burn(60)), rules=rules)
    assert over.fault is not None and over.fault.kind == "overtime" and over.scores == (-1000.0,)
    sleeping = one("hunt", agent("sleeping", lambda self, state: time.sleep(0.06)), rules=rules)
    assert sleeping.fault is None and sleeping.late == (0,)
    slow = agent("slow", lambda self, state: None, lambda self, state: _burn(1100))
    assert one("hunt", slow, rules=rules).fault.kind == "construction"  # type: ignore[union-attr]
    assert one("hunt", slow, rules=Rules(Budget(calls=10), max_ticks=4)).fault is None


def test_agents_see_the_clock_when_they_are_made_prepared_and_asked_and_hear_the_result() -> None:
    seen: list[tuple[str, float]] = []

    @register("clockwatcher", "notes its clock")
    class Clockwatcher(Agent):
        def __init__(self, **given: Any) -> None:
            seen.append(("made", self.timer.budget))
            super().__init__(**given)

        def reset(self, state: Any) -> None:
            seen.append(("reset", self.timer.budget))

        def act(self, state: Any) -> str:
            seen.append(("act", self.timer.budget))
            return "NIL"

        def result(self, state: Any) -> None:
            seen.append(("result", state.tick))
            raise ValueError("too late to matter")

    try:
        timed = one("hunt", "clockwatcher", rules=Rules(Budget(milliseconds=40), max_ticks=2))
        assert seen == [("made", 1000.0), ("reset", 1000.0), ("act", 40.0), ("act", 40.0), ("result", 1)]
        assert timed.fault is None and timed.ticks == 2
    finally:
        AGENTS.unregister("clockwatcher")


# --- recorded and human players ---------------------------------------------------------------------------------------


def test_replay_repeats_a_play_and_then_waits() -> None:
    first = one("hunt", "mcts")
    again = one("hunt", f"replay:actions={first.play[0][:25]}")
    assert again.play[0] == first.play[0][:25] + "." * (again.ticks - 25)
    with pytest.raises(AgentError, match="'Z' is no action"):
        pcg.make_agent("replay:actions=UZ")


def test_replay_reads_letters_and_logs_for_either_player(tmp_path: Path) -> None:
    played = one("duel", "mcts", "random")
    letters, log = tmp_path / "letters.txt", tmp_path / "log.txt"
    letters.write_text("\n".join(played.play))
    names = {"U": "UP", "L": "LEFT", "D": "DOWN", "R": "RIGHT", "X": "USE", ".": "NIL"}
    pairs = zip(*played.play, strict=True)
    log.write_text("1 40\n0 0\n-1 -1\n" + "\n".join(f"ACTION_{names[a]} ACTION_{names[b]}" for a, b in pairs))
    for file in (letters, log):
        again = one("duel", f"replay:file={file}", f"replay:file={file}, actions=")
        assert (again.play, again.scores) == (played.play, played.scores)


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "holds no actions"), ("UUUZ", "is no action"), ("LEFT\nSIDEWAYS\n", "`SIDEWAYS`"), ("0 1 2\n", "no actions")],
)
def test_recordings_that_cannot_be_read_are_reported(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "play.txt"
    file.write_text(text)
    with pytest.raises(AgentError, match=message):
        pcg.make_agent("replay", file=str(file))
    file.write_text("UU")
    with pytest.raises(AgentError, match="none of player 1"):
        pcg.make_agent("replay", file=str(file), player=1)


def test_a_person_may_shorten_wait_and_leave() -> None:
    questions: list[str] = []
    answers = iter(["left", "x", "r", "", "q"])

    def read(question: str) -> str:
        questions.append(question)
        return next(answers)

    done = play(pcg.load("crossing"), Human(read=read), max_ticks=10)
    assert done.actions == ("LEFT", "RIGHT", "NIL", "ESCAPE") and done.over
    assert "tick 0" in questions[0] and "expected one of" in questions[2]

    def closed(question: str) -> str:
        raise EOFError

    assert play(pcg.load("duel"), [Human(read=closed), "random"], max_ticks=10).actions[0][0] == "ESCAPE"


def test_a_person_is_an_agent_by_name_but_in_no_list_that_programs_go_through() -> None:
    assert isinstance(pcg.make_agent("human"), Human) and "human" not in AGENTS
    with pytest.raises(AgentError, match="there is an agent `human` already"):
        register("human", "another")(Agent)
