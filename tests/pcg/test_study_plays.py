"""Plays of a study: minimum and maximum time, restarts, saving, coming back, and two processes that want one play."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import postgres
import pytest
from starlette.websockets import WebSocketDisconnect
from studies import make
from study_walks import Walker, served, small_study

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.study.folders import open_study
from pcg.study.items import Source
from pcg.study.replaying import Replayer
from pcg.study.rows import Progress
from pcg.study.server.plays import ASLEEP, SLEEP_S, TRY_AGAIN, YIELD_S, StudyPlays, StudySeat
from pcg.study.store import StudyStore
from pcg.web.player import Recording

postgres_server, postgres_url = postgres.postgres_server, postgres.postgres_url


@pytest.fixture
def store(tmp_path: Path) -> StudyStore:
    return small_study(tmp_path / "study")


@pytest.fixture
def one(store: StudyStore) -> Iterator[Walker]:
    with served(store) as another:
        yield another().join().begin()


def plays_of(one: Walker) -> StudyPlays:
    found = one.client.app.state.site.plays
    assert isinstance(found, StudyPlays)
    return found


def until(one: Walker, true: Callable[[], bool]) -> None:
    """Let the server run until something is true."""
    portal = one.client.portal
    assert portal is not None
    while not true():
        portal.call(asyncio.sleep, 0.01)


def receive(socket: Any, kind: str) -> dict[str, Any]:
    """The next message of a kind."""
    while (message := socket.receive_json())["type"] != kind:
        assert message["type"] != "error", message
    return dict(message)


def until_closed(socket: Any) -> int:
    """The code with which the server closes a connection."""
    try:
        while True:
            socket.receive_json()
    except WebSocketDisconnect as closed:
        return closed.code


def press(socket: Any, action: str) -> None:
    """Press a key, wait for its frame, let it go."""
    socket.send_json({"type": "down", "action": action})
    receive(socket, "frame")
    socket.send_json({"type": "up", "action": action})


def replay_all(store: StudyStore) -> None:
    """Every stored play leads to its own result."""
    replayer = Replayer(store)
    stored = replayer.plays()
    assert stored and [problem for _, problem in replayer.verify(stored) if problem] == []


# -- saving ------------------------------------------------------------------------------------------------------------


def test_a_play_goes_on_where_it_was_after_the_connection_is_lost(store: StudyStore, one: Walker) -> None:
    with one.socket() as socket:
        receive(socket, "welcome")
        socket.send_json({"type": "resume"})
        press(socket, "LEFT")
        press(socket, "DOWN")
    with one.socket() as socket:
        assert socket.receive_json()["frame"]["tick"] == 2
    until(one, lambda: store.plays()[0].actions == "LD")
    (play,) = store.plays()
    assert play.actions == "LD" and json.loads(play.presses)[0] == [0, "L", 1] and play.seconds > 0
    replay_all(store)


def test_a_play_goes_on_where_it_was_after_the_server_was_killed(store: StudyStore, one: Walker) -> None:
    with one.socket() as socket:
        receive(socket, "welcome")
        socket.send_json({"type": "resume"})
        press(socket, "LEFT")
        press(socket, "DOWN")
    until(one, lambda: store.plays()[0].actions == "LD")
    with served(store) as another:  # a process that knows nothing but the database
        two = another()
        two.client.cookies = one.client.cookies
        two.get("/pair/1/first")
        assert two.at == one.at
        with two.socket() as socket:
            welcome = socket.receive_json()
            assert welcome["frame"]["tick"] == 2 and welcome["study"]["seconds"] > 0
            socket.send_json({"type": "resume"})
            press(socket, "RIGHT")
        until(two, lambda: store.plays()[0].actions == "LDR")
    (play,) = store.plays()
    assert len(json.loads(play.presses)) == 6
    replay_all(store)


def test_running_plays_are_saved_about_once_a_second(tmp_path: Path) -> None:
    store = small_study(tmp_path / "running", play__minimum=600)
    with served(store) as another:
        one = another().join().begin()
        with one.socket() as socket:
            receive(socket, "welcome")
            socket.send_json({"type": "resume"})
            press(socket, "LEFT")
            (seat,) = plays_of(one)._tables.values()
            until(one, lambda: store.plays()[0].seconds > 0)
            assert store.plays()[0].actions == "L" and not seat.paused


def test_the_process_that_lost_a_play_lets_go_of_it(store: StudyStore, one: Walker) -> None:
    with one.socket() as socket:
        receive(socket, "welcome")
        socket.send_json({"type": "resume"})
        press(socket, "LEFT")
        with served(store) as another:  # another process on the same database takes the play over
            two = another()
            two.client.cookies = one.client.cookies
            two.get("/pair/1/first")
            with two.socket() as other:
                receive(other, "welcome")
                other.send_json({"type": "resume"})
                press(other, "RIGHT")
                assert until_closed(socket) == 4001  # its clock runs, so it wants to save before long
            assert two.client.app.state.site.plays is not plays_of(one)
    (play,) = store.plays()
    assert play.actions.endswith("R")
    with one.socket() as socket:  # back at the first process: it must not offer what it remembers
        assert receive(socket, "welcome")["frame"]["tick"] == play.ticks
    replay_all(store)


def test_a_lease_protects_a_play(store: StudyStore, one: Walker) -> None:
    person = one.person
    pair = store.pairs_of(person.id)[0]
    play = store.begin_play(pair.id, 0, 0, 1, "mine")
    progress = Progress(play.id, "L", "[]", 1, 0.0, -1, False, "", 1.0)
    other = Progress(10**6, "L", "[]", 1, 0.0, -1, False, "", 1.0)
    assert store.save_plays([progress], "mine") == []
    store.take_play(pair.id, 0, 0, "theirs")
    assert store.save_plays([progress, other], "mine") == [play.id, 10**6]
    assert store.save_plays([progress], "theirs") == []


def test_a_database_that_is_away_for_a_moment_ends_no_play(
    store: StudyStore, one: Walker, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, failures = store.save_plays, [1]

    def sometimes(*args: Any) -> list[int]:
        if failures and failures.pop():
            raise OSError("no disk today")
        return whole(*args)

    monkeypatch.setattr(store, "save_plays", sometimes)
    with one.socket() as socket:
        receive(socket, "welcome")
        socket.send_json({"type": "resume"})
        press(socket, "LEFT")
    until(one, lambda: store.plays()[0].actions == "L")
    assert not failures


# -- the end of a game -------------------------------------------------------------------------------------------------


def lose(socket: Any) -> dict[str, Any]:
    """Walk about until the game is over; with fewer keys than the server takes for those of a program."""
    for step in count():
        if step % 4 == 0:
            action = ("UP", "RIGHT", "UP", "LEFT")[step // 4 % 4]
            socket.send_json({"type": "down", "action": action})
            socket.send_json({"type": "up", "action": action})
        message = socket.receive_json()
        if message["type"] == "end":
            return dict(message)
    raise AssertionError


def test_a_game_that_is_over_is_checked_saved_and_enough(tmp_path: Path) -> None:
    make(
        tmp_path / "lost", Source("crossing"),
        settings={"design": {"checks": 0, "pairs": 1}, "play": {"minimum": 3000, "restarts": 1, "speed": 60.0}},
    )  # fmt: skip
    store = open_study(tmp_path / "lost")
    with served(store) as another:
        one = another().join().begin()
        with one.socket() as socket:
            assert not receive(socket, "welcome")["study"]["enough"]
            socket.send_json({"type": "resume"})
            end = lose(socket)
            told = receive(socket, "study")
            assert told["enough"] and told["restarts"] == 1
            (play,) = store.plays()  # saved before it was told
            assert play.over and play.winner == end["winner"] and play.key
            socket.send_json({"type": "restart"})
            while receive(socket, "study")["restarts"]:
                pass
            socket.send_json({"type": "resume"})
            press(socket, "LEFT")
            socket.send_json({"type": "restart"})
            assert "anew" in receive_error(socket)
        one.get("/")
        assert one.at == "/pair/1/second"
    first, second = store.plays()
    assert (first.attempt, second.attempt) == (0, 1) and first.seed == second.seed
    replay_all(store)


def receive_error(socket: Any) -> str:
    """The next error."""
    while (message := socket.receive_json())["type"] != "error":
        pass
    return str(message["message"])


def test_a_play_that_is_not_what_its_record_says_does_not_count_as_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def untrue(self: Recording, game: Any) -> Any:
        raise PcgError("the record is not true")

    monkeypatch.setattr(Recording, "replay", untrue)
    make(
        tmp_path / "untrue", Source("crossing"),
        settings={"design": {"checks": 0}, "play": {"minimum": 3000, "speed": 60.0}},
    )  # fmt: skip
    store = open_study(tmp_path / "untrue")
    with served(store) as another:
        one = another().join().begin()
        with one.socket() as socket:
            receive(socket, "welcome")
            socket.send_json({"type": "resume"})
            lose(socket)
            assert not receive(socket, "study")["enough"]
    assert not store.plays()[0].over


# -- time --------------------------------------------------------------------------------------------------------------


def test_the_minimum_is_counted_by_the_server_while_the_clock_runs(tmp_path: Path) -> None:
    store = small_study(tmp_path / "timed", play__minimum=0.4)
    with served(store) as another:
        one = another().join().begin()
        with one.socket() as socket:
            report = receive(socket, "welcome")["study"]
            assert report == {"seconds": 0, "minimum": 0.4, "enough": False, "restarts": 3, "spent": False}
        assert one.get("/pair/1/second").url.path == "/pair/1/first"
        with one.socket("/pair/1/second") as socket:
            assert socket.receive_json()["type"] == "gone"
        assert one.play()["seconds"] >= 0.4
        assert one.get("/").url.path == "/pair/1/second"
        assert store.plays()[0].seconds >= 0.4


def test_the_maximum_ends_a_play(tmp_path: Path) -> None:
    store = small_study(tmp_path / "short", play__minimum=0.2, play__maximum=0.4)
    with served(store) as another:
        one = another().join().begin()
        told = one.play(until="spent")
        assert told["enough"] and told["restarts"] == 0
        with one.socket() as socket:
            assert receive(socket, "welcome")["study"]["spent"]
            socket.send_json({"type": "resume"})
            assert receive_error(socket) == "The time for this game is up."
            socket.send_json({"type": "restart"})
            socket.send_json({"type": "pause"})
            assert socket.receive_json()["type"] in ("error", "paused")
        assert one.get("/").url.path == "/pair/1/second"


def test_the_speed_is_the_studys(one: Walker) -> None:
    with one.socket() as socket:
        receive(socket, "welcome")
        socket.send_json({"type": "pace", "ticks_per_second": 60, "by_turn": False})
        assert "same for everybody" in receive_error(socket)


def test_a_play_is_closed_when_its_pair_has_its_vote(store: StudyStore, one: Walker) -> None:
    one.play_both()
    with one.socket("/pair/1/first") as socket:
        receive(socket, "welcome")
        one.vote()
        assert until_closed(socket) == 4001
    with one.socket("/pair/1/first") as socket:
        assert socket.receive_json()["type"] == "gone"
    assert not plays_of(one)._tables


def test_seats_without_a_connection_leave_the_memory(one: Walker) -> None:
    one.play("L")
    plays = plays_of(one)
    (seat,) = plays._tables.values()
    assert isinstance(seat, StudySeat)
    portal = one.client.portal
    assert portal is not None
    portal.call(plays.save, seat)
    until(one, lambda: seat.socket is None)
    seat.seen -= 10_000
    portal.call(plays._tidy)
    assert not plays._tables
    with one.socket("/pair/1/first") as socket:
        assert receive(socket, "welcome")["frame"]["tick"] == 1


def test_there_is_no_room_for_more_than_the_most(store: StudyStore) -> None:
    with served(store, most=1) as another:
        one, two = another().join().begin(), another().join().begin()
        with one.socket() as socket:
            receive(socket, "welcome")
            with two.socket() as other:
                assert until_closed(other) == TRY_AGAIN


def test_plays_that_are_left_alone_make_room_and_wake_where_they_were(store: StudyStore) -> None:
    with served(store, most=1) as another:
        one, two = another().join().begin(), another().join().begin()
        plays = plays_of(one)
        with one.socket() as socket:
            receive(socket, "welcome")
            socket.send_json({"type": "resume"})
            press(socket, "LEFT")
            (seat,) = plays._tables.values()
            seat.acted -= YIELD_S + 1
            with two.socket() as other:  # the first is being played, however slowly
                assert until_closed(other) == TRY_AGAIN
            socket.send_json({"type": "pause"})
            receive(socket, "paused")
            with two.socket() as other:
                assert receive(other, "welcome")["frame"]["tick"] == 0
                assert until_closed(socket) == ASLEEP
                with one.socket() as back:
                    assert until_closed(back) == TRY_AGAIN  # somebody else's turn
        until(one, lambda: plays.playing == 0)
        with one.socket() as socket:
            assert receive(socket, "welcome")["frame"]["tick"] == 1
            socket.send_json({"type": "resume"})
            press(socket, "DOWN")
    until(one, lambda: store.plays()[0].actions == "LD")
    replay_all(store)


def test_a_play_without_keys_falls_asleep(store: StudyStore, one: Walker) -> None:
    plays = plays_of(one)
    with one.socket() as socket:
        receive(socket, "welcome")
        socket.send_json({"type": "resume"})
        press(socket, "LEFT")
        (seat,) = plays._tables.values()
        seat.acted -= SLEEP_S + 1
        assert until_closed(socket) == ASLEEP
        assert seat.paused and plays.playing == 0
    until(one, lambda: store.plays()[0].actions == "L")
    ran = seat.seconds
    with one.socket() as socket:
        welcome = receive(socket, "welcome")
        assert welcome["frame"]["tick"] == 1 and welcome["study"]["seconds"] == round(ran, 1)


def test_saving_waits_for_what_happened_before(store: StudyStore, one: Walker) -> None:
    one.play("LR")
    plays = plays_of(one)
    (seat,) = plays._tables.values()
    portal = one.client.portal
    assert portal is not None
    portal.call(plays.save, seat)
    portal.call(asyncio.sleep, 0)
    assert store.plays()[0].actions == "LR"


# -- PostgreSQL --------------------------------------------------------------------------------------------------------


def test_two_processes_on_one_postgresql_share_a_participant(tmp_path: Path, postgres_url: str) -> None:
    store = small_study(tmp_path / "shared", postgres_url, design__pairs=1)
    again = open_study(tmp_path / "shared", postgres_url)
    with served(store) as here, served(again) as there:
        one, two = here().join().begin(), there()
        one.play("L")
        two.client.cookies = one.client.cookies
        with two.socket("/pair/1/first") as socket:
            assert receive(socket, "welcome")["frame"]["tick"] == 1
            socket.send_json({"type": "resume"})
            press(socket, "RIGHT")
            until(two, lambda: again.plays()[0].actions == "LR")
        two.get("/")
        assert two.at == "/pair/1/second"
        two.play()
        one.get("/")
        assert one.at == "/pair/1/vote"
        one.vote("both")
        assert one.at == "/thanks" and two.get("/").url.path == "/thanks"
    assert [row["answer"] for row in again.vote_rows()] == ["both"]
    replay_all(again)
