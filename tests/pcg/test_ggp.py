"""Networked play: messages, the player that answers them over HTTP, and the manager that keeps clocks and rules."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiers import first_fast
from typer.testing import CliRunner

from pcg.cli import app
from pcg.engine.gdl import load
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.agents import Agent, register
from pcg.evaluators.agents.registry import AGENTS
from pcg.ggp import GamePlayer, LocalServer, MessageError, play_match, read_message
from pcg.ggp.manager import read_address, send
from pcg.ggp.messages import Abort, Info, Play, Preview, Start, Stop, read_term, write_message
from pcg.ggp.player import Refused

TAKE = """; who takes the last of five sticks wins
(role white) (role black)
(init (sticks 5)) (init (turn white))
(<= (legal ?r (take 1)) (true (turn ?r)) (true (sticks ?n)))
(<= (legal ?r (take 2)) (true (turn ?r)) (true (sticks ?n)) (distinct ?n 1))
(<= (legal white noop) (true (turn black)))
(<= (legal black noop) (true (turn white)))
(<= (next (sticks ?m)) (does ?r (take ?k)) (true (sticks ?n)) (minus ?n ?k ?m))
(<= (next (turn black)) (true (turn white)))
(<= (next (turn white)) (true (turn black)))
(<= terminal (true (sticks 0)))
(<= (goal white 100) (true (sticks 0)) (true (turn black)))
(<= (goal white 0) (true (sticks 0)) (true (turn white)))
(<= (goal black 100) (true (sticks 0)) (true (turn white)))
(<= (goal black 0) (true (sticks 0)) (true (turn black)))
(minus 5 1 4) (minus 4 1 3) (minus 3 1 2) (minus 2 1 1) (minus 1 1 0)
(minus 5 2 3) (minus 4 2 2) (minus 3 2 1) (minus 2 2 0)
; the end"""

PENNIES = """
(role even) (role odd)
(init (step 1))
(<= (legal ?r heads) (role ?r)) (<= (legal ?r tails) (role ?r))
(<= (next (step 2)) (true (step 1)))
(<= (next same) (does even ?x) (does odd ?x))
(<= terminal (true (step 2)))
(<= (goal even 100) (true same)) (<= (goal even 0) (not (true same)))
(<= (goal odd 0) (true same)) (<= (goal odd 100) (not (true same)))
"""

ENDLESS = """
(role a) (init (s 1))
(<= (legal a go) (role a))
(<= (next (s 1)) (true (s 1)))
(<= (next (s 2)) (does a stop))
(<= terminal (true (s 2)))
(<= (goal a 100) terminal)
"""

PLANNER = "uct:budget=2000"
"""An agent that does not think for as long as the clock allows."""


@pytest.fixture(scope="module")
def take() -> Any:
    from pcg.ggp.warm_up import warm_up

    for agent in ("uct", "random"):
        warm_up(agent)
    return load(TAKE)


def start(role: str = "white", match: str = "m", sheet: str = TAKE, clocks: tuple[int, int] = (60, 60)) -> str:
    return write_message(Start(match, role, sheet, *clocks))


# --- messages ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "message",
    [
        Info(),
        Preview("(role a)", 10),
        Start("m.1", "white", "(role white) ; a comment at the end", 30, 10),
        Play("m.1", None),
        Play("m.1", ("noop", "(mark 1 (cell 2))")),
        Stop("m.1", ("a", "b")),
        Stop("m.1", None),
        Abort("m.1"),
    ],
)
def test_messages_are_read_as_they_are_written(message: Any) -> None:
    read = read_message(write_message(message))
    assert type(read) is type(message)
    for name in message.__slots__:
        assert str(getattr(read, name)).strip() == str(getattr(message, name)).strip()


def test_letter_case_blanks_and_comments_do_not_matter() -> None:
    assert read_message(" ( play  m ; which\n ( noop ( mark 1  2 ) ) ) ") == Play("m", ("noop", "(mark 1 2)"))
    assert read_message("(Play m nil)") == Play("m", None)
    assert read_message("(PLAY m ())") == Play("m", None)
    assert read_message("info") == read_message("(info)") == Info()
    assert read_term("(noop)") == "noop"
    assert read_term("(f (g) (h 1 (i)))") == "(f g (h 1 i))"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "nothing is no message, expected one list"),
        ("hello", "`hello` is no message"),
        ("(PLAY m", "1 parentheses are not closed"),
        ("(PLAY m))", "a closing parenthesis without"),
        ("(PLAY m) (PLAY m)", "expected one list"),
        ("()", "is no message, expected"),
        ("((PLAY) m)", "is no message"),
        ("(PLEY m NIL)", "there is no message `PLEY`, did you mean PLAY?"),
        ("(PLAY m)", "PLAY has 1 parts after it, expected 2"),
        ("(PLAY (m) NIL)", "the id of the match is `(m)`, expected a word"),
        (f"(PLAY {'m' * 300} NIL)", "expected a word of at most 200 characters"),
        ("(PLAY m noop)", "the moves are `noop`, expected a list or NIL"),
        ("(PLAY m (a ()))", "an empty list is no term"),
        ("(START m white rules 1 1)", "the rules are `rules`, expected a list"),
        ("(START m white () -1 1)", "the start clock is `-1`, expected seconds"),
        ("(START m white () 1 1e9)", "the play clock is `1e9`"),
        ("(START m white () 1 \u0663)", "the play clock is"),
        ("(" * 300 + ")" * 300, "nested deeper than 200"),
    ],
)
def test_what_is_no_message_is_told(text: str, message: str) -> None:
    with pytest.raises(MessageError) as caught:
        read_message(text)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 400


@given(st.text(alphabet="()PLAYSTOPINFO mnil19;\n\u00e9?", max_size=60))
def test_any_text_is_a_message_or_none(text: str) -> None:
    try:
        message = read_message(text)
    except MessageError:
        return
    assert read_message(write_message(message)) == message


# --- the player -------------------------------------------------------------------------------------------------------


def test_a_match_from_start_to_stop(take: Any) -> None:
    said: list[str] = []
    player = GamePlayer(PLANNER, name="tester", seed=1, log=said.append)
    assert player.answer("(INFO)") == "((name tester) (status available))"
    assert player.answer(f"(PREVIEW ({TAKE}\n) 3)") == "ready"
    assert player.answer(start()) == "ready"
    assert player.answer("(INFO)") == "((name tester) (status busy))"
    assert player.answer(start(match="other")) == "busy"
    first = player.answer("(PLAY m NIL)")
    assert first == "(take 2)"  # five sticks: only that wins
    assert player.answer("(PLAY m NIL)") == first  # asked once more
    assert player.answer("(PLAY m ((take 2) noop))") == "noop"
    assert player.answer("(PLAY m (NOOP (TAKE 1)))") == "(take 2)"  # in other letters
    assert player.answer("(STOP m ((take 2) noop))") == "done"
    assert said[-1] == "match m: done after 3 steps, white 100, black 0"
    assert player.answer("(INFO)").endswith("(status available))")


def test_moves_that_do_not_fit_change_nothing(take: Any) -> None:
    player = GamePlayer("random", seed=1)
    with pytest.raises(Refused, match="there is no match m: none is being played"):
        player.answer("(PLAY m NIL)")
    player.answer(start("black"))
    assert player.answer("(PLAY m NIL)") == "noop"
    for moves, message in (
        ("((take 1))", "1 moves, expected one for each of white, black"),
        ("((take 3) noop)", "`(take 3)` is not legal for white in step 0"),
        ("(noop noop)", "`noop` is not legal for white"),
    ):
        with pytest.raises(Refused) as caught:
            player.answer(f"(PLAY m {moves})")
        assert message in str(caught.value)
    with pytest.raises(Refused, match="there is no match n: the one being played is m"):
        player.answer("(PLAY n NIL)")
    assert player.answer("(PLAY m ((take 2) noop))").startswith("(take")
    with pytest.raises(Refused, match="no moves, expected those of step 1"):
        player.answer("(PLAY m NIL)")
    assert player.answer("(ABORT m)") == "aborted"
    with pytest.raises(Refused, match="no match m"):
        player.answer("(ABORT m)")


@pytest.mark.parametrize(
    ("sheet", "message"),
    [
        ("", "the rules cannot be used"),
        ("(role a", "not closed"),
        ("(role white) (<= (legal white ?x) (not (true ?x)))", "the rules cannot be used"),
        ("(role black) (legal black a) terminal (goal black 1)", "there is no role `white`"),
        (")(", "START has 6 parts after it, expected 5"),
        ("nonsense", "the rules cannot be used"),
    ],
)
def test_rules_that_cannot_be_used_are_refused_and_the_player_stays_free(sheet: str, message: str) -> None:
    player = GamePlayer("random")
    with pytest.raises(PcgError) as caught:
        player.answer(f"(START m white ({sheet}) 5 5)")
    assert message in str(caught.value)
    assert player.answer("(INFO)").endswith("(status available))")


def test_a_match_of_which_nothing_is_heard_is_given_up(take: Any) -> None:
    player = GamePlayer("random")
    now = time.monotonic()
    assert player.answer(start(clocks=(60, 5)), now) == "ready"
    assert player.answer(start(match="n"), now + 100) == "busy"
    assert player.answer(start(match="n"), now + 190) == "ready"
    assert player.answer("(PLAY n NIL)").startswith("(take")


class _Bad(Agent):
    how = "raise"

    def __init__(self, *, seed: int, budget: Any, player: int) -> None:
        self.seed, self.player = seed, player

    def act(self, state: Any) -> str:
        if self.how == "raise":
            raise ValueError("no idea")
        if self.how == "sleep":
            time.sleep(40)
        return "(take 9)"


@pytest.mark.parametrize("how", ["raise", "sleep", "nonsense"])
def test_a_legal_move_goes_out_whatever_the_agent_does(how: str, take: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Bad, "how", how)
    register("bad_player_of_a_test", "made for a test")(_Bad)
    try:
        said: list[str] = []
        player = GamePlayer("bad_player_of_a_test", log=said.append)
        assert player.answer(start(clocks=(60, 1))) == "ready"
        began = time.monotonic()
        assert player.answer("(PLAY m NIL)") in ("(take 1)", "(take 2)")
        assert time.monotonic() - began < 30
        assert any("the agent" in line for line in said)
    finally:
        AGENTS.unregister("bad_player_of_a_test")


@pytest.mark.full
def test_rules_that_do_not_ground_are_played_all_the_same(take: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from pcg.engine import gdl

    monkeypatch.setattr(gdl, "load", lambda text, limits: load(text, evaluator="prover"))
    said: list[str] = []
    player = GamePlayer("uct", seed=1, log=said.append)
    assert player.answer(start(clocks=(60, 5))) == "ready"
    assert "match m: the rules do not ground; flat Monte-Carlo plays instead of uct" in said
    assert player.answer("(PLAY m NIL)") in ("(take 1)", "(take 2)")
    assert player.answer("(PLAY m ((take 2) noop))") == "noop"
    # two sticks are left: one of the two moves wins
    assert player.answer("(PLAY m (noop (take 1)))") == "(take 2)"
    assert player.answer("(STOP m ((take 2) noop))") == "done"


def test_what_cannot_be_a_player_is_refused() -> None:
    with pytest.raises(PcgError, match="unknown agent `uctt`"):
        GamePlayer("uctt")
    with pytest.raises(PcgError, match="expected one word"):
        GamePlayer("random", name="two words")


# --- over HTTP --------------------------------------------------------------------------------------------------------


def post(url: str, body: bytes, headers: dict[str, str] | None = None) -> tuple[int, str, str]:
    host = url.removeprefix("http://").rstrip("/")
    connection = http.client.HTTPConnection(host, timeout=60)
    connection.request("POST", "/", body, headers or {})
    response = connection.getresponse()
    found = response.status, response.getheader("content-type") or "", response.read().decode()
    connection.close()
    return found


def test_the_server_survives_garbage(take: Any) -> None:
    with LocalServer(GamePlayer("random", name="tough")) as server:
        assert post(server.url, start().encode())[::2] == (200, "ready")
        for body in (
            b"",
            b"\x00\xff\xfe" * 100,
            b"(" * 100_000,
            b"(PLAY m (" + b"a " * 50_000,
            b"(PLAY m ((take 99) noop))",
        ):
            status, _, text = post(server.url, body)
            assert status == 400
            assert text.startswith("error: ")
            assert len(text) < 500
        assert post(server.url, b"(" + b"x" * (5 << 20) + b")")[0] == 413
        assert post(server.url, b"(INFO)", {"Origin": "http://elsewhere"})[0] == 403
        host, port = server.url.removeprefix("http://").rstrip("/").split(":")
        for raw in (
            b"GARBAGE\r\n\r\n",
            b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n(PLAY",
            b"\x16\x03\x01",
        ):
            with socket.create_connection((host, int(port)), timeout=10) as connection:
                connection.sendall(raw)
        connection = http.client.HTTPConnection(host, int(port), timeout=30)
        connection.request("GET", "/")
        assert "tough" in connection.getresponse().read().decode()
        connection.close()
        status, kind, reply = post(server.url, b"(PLAY m NIL)")
        assert (status, kind.partition(";")[0]) == (200, "text/acl")
        assert reply in ("(take 1)", "(take 2)")


def test_our_players_play_a_match_over_loopback(take: Any) -> None:
    with LocalServer(GamePlayer(PLANNER, seed=1)) as white, LocalServer(GamePlayer("random", seed=2)) as black:
        seen: list[int] = []
        record = play_match(
            take, [white.url, black.url], start_clock=60, play_clock=30, progress=lambda r: seen.append(len(r.moves))
        )
    assert record.finished
    assert record.faults == []
    assert record.goals == (100, 0)  # five sticks are won by who begins, and plays well
    assert record.moves[0] == ("(take 2)", "noop")
    assert seen == list(range(1, len(record.moves) + 1))
    json.dumps(record.to_json())


def test_players_who_move_at_once_can_meet(take: Any) -> None:
    pennies = load(PENNIES)
    with LocalServer(GamePlayer("uct", seed=1)) as even, LocalServer(GamePlayer("alphabeta", seed=2)) as odd:
        record = play_match(pennies, [even.url, odd.url], start_clock=60, play_clock=5)
    assert record.faults == []
    assert sorted(record.goals) == [0, 100]


# --- players who misbehave --------------------------------------------------------------------------------------------


@contextmanager
def raw_player(answer: Callable[[str], bytes | None]) -> Iterator[str]:
    """A server that sends whatever `answer` makes of a message, headers included; None breaks the connection off."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=handle, args=(connection,), daemon=True).start()

    def handle(connection: socket.socket) -> None:
        with connection:
            data = b""
            while b"\r\n\r\n" not in data:
                part = connection.recv(65536)
                if not part:
                    return
                data += part
            head, _, body = data.partition(b"\r\n\r\n")
            length = next(int(h.split(b":")[1]) for h in head.split(b"\r\n") if h.lower().startswith(b"content-length"))
            while len(body) < length:
                body += connection.recv(65536)
            reply = answer(body.decode())
            if reply is not None:
                try:
                    connection.sendall(reply)
                except OSError:
                    return

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
    finally:
        listening.close()


def page(text: str, status: str = "200 OK") -> bytes:
    return f"HTTP/1.0 {status}\r\nContent-Type: text/acl\r\n\r\n{text}".encode()


def sleepy(text: str) -> bytes:
    time.sleep(10 if text == "(PLAY text.5 NIL)" else 0)
    return page("noop" if "PLAY" in text else "ready")


MISBEHAVING: dict[str, tuple[Callable[[str], bytes | None], set[str]]] = {
    "late": (sleepy, {"late", "illegal"}),
    "illegal": (lambda text: page("(take 7)" if text.startswith("(PLAY") else "ready"), {"illegal"}),
    "malformed": (lambda text: page("((take 1)"), {"malformed"}),
    "empty": (lambda text: page(""), {"malformed"}),
    "two terms": (lambda text: page("(take 1) (take 1)"), {"malformed"}),
    "binary": (lambda text: b"HTTP/1.0 200 OK\r\n\r\n\xff\x00\xfe", {"illegal", "malformed"}),
    "no HTTP": (lambda text: b"take 1\r\n\r\n", {"malformed"}),
    "huge": (lambda text: page("x" * 200_000), {"malformed"}),
    "error": (lambda text: page("sorry", "500 Oh"), {"refused"}),
    "hangs up": (lambda text: None, {"malformed", "unreachable"}),
}


@pytest.mark.parametrize("name", first_fast(sorted(MISBEHAVING, key="late".__eq__), len(MISBEHAVING) - 1))
def test_faults_are_recorded_and_the_match_goes_on(name: str, take: Any) -> None:
    answer, kinds = MISBEHAVING[name]
    with raw_player(answer) as bad, LocalServer(GamePlayer("random", seed=3)) as good:
        record = play_match(take, [bad, good.url], start_clock=30, play_clock=4, seed=5)
    assert record.finished
    assert record.faults
    assert name != "late" or next(fault for fault in record.faults if fault.step == 0).kind == "late"
    assert {fault.role for fault in record.faults} == {"white"}
    assert {fault.kind for fault in record.faults if fault.step >= 0} <= kinds
    assert all(len(fault.message) < 500 for fault in record.faults)
    assert sum(record.goals) == 100  # type: ignore[arg-type]


def test_nobody_there_is_a_fault_too(take: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with LocalServer(GamePlayer("random", seed=1)) as good:
        record = play_match(take, [f"127.0.0.1:{port}", good.url], start_clock=30, play_clock=10)
    assert {fault.kind for fault in record.faults} == {"unreachable"}
    assert record.faults[0].step == -1
    assert record.finished


def test_the_same_seed_draws_the_same_moves(take: Any) -> None:
    def moves(seed: int) -> list[tuple[str, ...]]:
        with raw_player(lambda text: page("?")) as one, raw_player(lambda text: page("?")) as other:
            return play_match(take, [one, other], start_clock=10, play_clock=10, seed=seed).moves

    assert moves(1) == moves(1)
    assert len({tuple(moves(seed)) for seed in range(6)}) > 1


def test_a_match_without_an_end_is_aborted(take: Any) -> None:
    endless = load(ENDLESS)
    told: list[str] = []
    with raw_player(lambda text: told.append(text) or page("go" if "PLAY" in text else "ready")) as player:
        record = play_match(endless, [player], start_clock=10, play_clock=10, most_steps=4)
    assert not record.finished
    assert record.goals == (None,)
    assert told[-1] == "(ABORT text.0)"


def test_bad_matches_are_refused(take: Any) -> None:
    with pytest.raises(PcgError, match="1 players, expected one for each of the roles white, black"):
        play_match(take, ["localhost:1"])
    for address in ("localhost", "ftp://localhost:3", "http://:9", "localhost:99999", "http://[::1"):
        with pytest.raises(PcgError, match="no address of a player"):
            read_address(address)
    with (
        LocalServer(GamePlayer("random")) as server,
        pytest.raises(PcgError, match="HTTP 400: error: there is no match x"),
    ):
        send(server.url, "(PLAY x NIL)", 10)


# --- on the command line ----------------------------------------------------------------------------------------------


def test_a_match_on_the_command_line(tmp_path: Path, take: Any) -> None:
    sheet = tmp_path / "take.kif"
    sheet.write_text(TAKE)
    options = ["--start-clock", "60", "--play-clock", "5"]
    result = CliRunner().invoke(
        app, ["gdl", "match", str(sheet), PLANNER, "random", *options, "-o", str(tmp_path / "r.json")]
    )
    assert result.exit_code == 0, result.output
    assert "finished after" in result.output
    record = json.loads((tmp_path / "r.json").read_text())
    assert record["roles"] == ["white", "black"]
    assert record["names"] == [PLANNER, "random"]
    with raw_player(lambda text: page("(take 7)" if "PLAY" in text else "ready")) as bad:
        result = CliRunner().invoke(app, ["gdl", "match", str(sheet), bad, "random", *options])
    assert "white, step 0: illegal: `(take 7)` is not legal" in result.output


def test_a_built_in_game_is_played_by_its_name() -> None:
    options = ["--start-clock", "20", "--play-clock", "1", "--json"]
    result = CliRunner().invoke(app, ["gdl", "match", "nim", "uct:budget=50", "random", *options])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["game"] == "nim"


@pytest.mark.full
def test_an_agent_with_a_memory_searches_until_the_start_clock_ends(take: Any) -> None:
    """Also the second player, who has no choice in the first state; others are ready at once."""
    for role in ("white", "black"):
        player = GamePlayer("mmctsown", seed=1, margin=2.5)
        began = time.monotonic()
        assert player.answer(start(role=role, clocks=(8, 60))) == "ready"
        spent = time.monotonic() - began
        assert player._match is not None and player._match.agent is not None
        memory = player._match.agent.memory["used"]
        assert 3 < spent < 8 and memory > 5
        player.answer("(STOP m NIL)")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["match", "SHEET", "uct"], "1 players, expected one for each of the roles white, black"),
        (["match", "SHEET", "uctt", "random"], "unknown agent `uctt`"),
        (["match", "nowhere.kif", "uct", "random"], "nowhere.kif"),
        (["match", "conect-four", "uct", "random"], "did you mean `connect-four`?"),
        (["serve-player", "--agent", "uctt"], "unknown agent `uctt`"),
        (["serve-player", "--port", "99999"], "port 99999: expected 0 to 65535"),
        (["serve-player", "--name", "a b"], "expected one word"),
    ],
)
def test_bad_input_is_told_in_one_message(arguments: list[str], message: str, tmp_path: Path) -> None:
    sheet = tmp_path / "take.kif"
    sheet.write_text(TAKE)
    result = CliRunner().invoke(app, ["gdl", *(str(sheet) if word == "SHEET" else word for word in arguments)])
    assert result.exit_code == 2
    assert message in result.output
    assert "Traceback" not in result.output


def test_a_served_player_answers_until_it_is_interrupted(take: Any) -> None:
    program = [sys.executable, "-c", "from pcg.cli import main; main()"]
    options = ["gdl", "serve-player", "--agent", "random", "--port", "0", "--name", "served"]
    process = subprocess.Popen([*program, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("served (random) listens at http://127.0.0.1:")
        url = line.split()[-1]
        assert send(url, "(INFO)", 30) == "((name served) (status available))"
        assert send(url, start(), 60) == "ready"
        assert send(url, "(PLAY m NIL)", 30).startswith("(take")
    finally:
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode in (0, 130)
    assert "Traceback" not in err
    assert "match m: white in a game for 2" in err
