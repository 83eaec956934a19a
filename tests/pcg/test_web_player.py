"""The browser's player without a browser: frames, keys, records, and the messages of the websocket."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from tiers import examples

import pcg
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.render.colours import BACKDROP
from pcg.render.picture import rgb_array
from pcg.render.tileset import scaled
from pcg.web.player import FrameWriter, Pace, PlaySession, Recording, natural_pace, replay_frames, sheet_for
from pcg.web.player import server as player_server
from pcg.web.single_level import play_app

GAMES = ("boxes", "dungeon", "digger", "crossing", "invaders", "flyby", "lode_runner", "meteors", "snakes")


class Screen:
    """A reader of frames in Python: the counterpart of board.js."""

    def __init__(self, game: Any) -> None:
        self.sheet = sheet_for(game)
        self.stamps = self.sheet.describe()["stamps"]
        self.pixels = np.asarray(Image.open(io.BytesIO(self.sheet.png)).convert("RGBA"))
        self.sprites: dict[int, list[int]] = {}

    def show(self, frame: dict[str, Any]) -> None:
        if frame.get("whole"):
            self.sprites.clear()
        for one in frame.get("gone", ()):
            del self.sprites[one]
        for put in frame.get("put", ()):
            self.sprites[put[0]] = put

    def picture(self, columns: int, rows: int, block: int) -> np.ndarray[Any, Any]:
        tile = 16
        canvas = np.empty((rows * tile, columns * tile, 3), np.uint8)
        canvas[:] = BACKDROP
        for put in sorted(self.sprites.values(), key=lambda p: (self.stamps[p[1]][0], p[0])):
            _, stamp, x, y, w, h = put if len(put) == 6 else [*put, block, block]
            left, top = x * tile // block, y * tile // block
            right, bottom = max(left + 1, (x + w) * tile // block), max(top + 1, (y + h) * tile // block)
            shrink = self.stamps[stamp][1]
            if shrink < 1:
                across, down = int((right - left) * (1 - shrink) / 2), int((bottom - top) * (1 - shrink) / 2)
                left, right, top, bottom = left + across, right - across, top + down, bottom - down
            row, column = stamp // 16 * tile, stamp % 16 * tile
            shown = scaled(self.pixels[row : row + tile, column : column + tile], right - left, bottom - top)
            ys = slice(max(top, 0), max(0, min(bottom, canvas.shape[0])))
            xs = slice(max(left, 0), max(0, min(right, canvas.shape[1])))
            part = shown[ys.start - top : ys.stop - top, xs.start - left : xs.stop - left]
            np.copyto(canvas[ys, xs], part[..., :3], where=part[..., 3:] > 0)
        return canvas


# -- frames ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_frames_show_what_pictures_show_tick_after_tick(name: str) -> None:
    game = pcg.load(name)
    state = game.start(0, seed=1)
    writer, screen, rng = FrameWriter(game), Screen(game), np.random.default_rng(3)
    screen.show(writer.whole(state))
    for tick in range(60):
        if tick % 6 == 0:
            shown = screen.picture(state.width, state.height, state.block_size)
            assert np.array_equal(shown, rgb_array(state, tile=16)), tick
        if state.is_over:
            break
        state.advance(str(rng.choice(state.actions)) if state.actions else "NIL")
        screen.show(writer.changes(state))


def test_frames_of_a_standing_game_are_empty_and_those_of_a_step_are_small() -> None:
    session = PlaySession(pcg.load("boxes"), 0)
    assert len(session.whole_frame()["put"]) > 50
    session.press("DOWN")
    frame = session.tick()
    assert 1 <= len(frame["put"]) <= 2
    assert len(json.dumps(frame)) < 120


def test_a_sheet_holds_every_stamp_and_is_small() -> None:
    for name in GAMES:
        sheet = sheet_for(pcg.load(name))
        image = Image.open(io.BytesIO(sheet.png))
        about = sheet.describe()
        assert image.height // 16 * 16 >= len(about["stamps"])
        assert len(sheet.png) < 20_000


def test_replay_frames_lead_to_the_end_of_the_play() -> None:
    game = pcg.load("boxes")
    plan = pcg.solve(game.start(0), max_nodes=50_000)
    actions = [str(a) for a in plan.actions]
    frames = replay_frames(game, game.levels[0], 0, actions)
    assert len(frames) == len(actions) + 1
    assert frames[-1]["over"]
    assert frames[-1]["winner"] == 1
    state = game.start(0)
    screen = Screen(game)
    for action in actions:
        state.advance(action)
    for frame in frames:
        screen.show(frame)
    assert np.array_equal(screen.picture(state.width, state.height, state.block_size), rgb_array(state, tile=16))


# -- keys and time -----------------------------------------------------------------------------------------------------


def test_puzzles_go_by_turn_and_games_with_movers_do_not() -> None:
    assert natural_pace(pcg.load("boxes")) == Pace(12.0, True)
    for name in ("dungeon", "digger", "invaders", "crossing", "survival"):
        assert natural_pace(pcg.load(name)) == Pace(20.0, False), name


def test_a_tap_shorter_than_a_tick_is_one_step() -> None:
    session = PlaySession(pcg.load("dungeon"), 0, seed=1)
    session.press("RIGHT")
    session.release("RIGHT")
    for _ in range(3):
        session.tick()
    assert session.actions == ["RIGHT", "NIL", "NIL"]


def test_a_held_key_repeats_after_a_moment_and_the_last_of_several_counts() -> None:
    session = PlaySession(pcg.load("dungeon"), 0, seed=1, pace=Pace(20))
    session.press("RIGHT")
    for _ in range(7):
        session.tick()
    assert session.actions == ["RIGHT", "NIL", "NIL", "NIL", "NIL", "RIGHT", "RIGHT"]
    session.press("DOWN")
    session.tick()
    session.release("DOWN")
    session.tick()
    assert session.actions[7:] == ["DOWN", "NIL"]


@pytest.mark.parametrize("name", ["rebound", "meteors", "flyby"])
def test_steering_repeats_at_once_where_an_action_is_part_of_a_cell(name: str) -> None:
    session = PlaySession(pcg.load(name), 0, seed=1)
    session.press(session.state.actions[0])
    for _ in range(3):
        session.tick()
    assert len(set(session.actions)) == 1


def test_by_turn_nothing_happens_without_a_key() -> None:
    session = PlaySession(pcg.load("boxes"), 0)
    assert not session.wants_ticks
    assert session.tick() == {}
    session.press("LEFT")
    assert session.wants_ticks
    assert session.tick()["tick"] == 1
    assert session.tick() == {}  # still held: the moment before it repeats
    session.release("LEFT")
    assert not session.wants_ticks


def test_what_the_avatar_cannot_do_takes_no_turn() -> None:
    session = PlaySession(pcg.load("boxes"), 0)
    session.press("USE")
    assert not session.wants_ticks
    assert session.recording().presses == ()


def test_releasing_all_keys_forgets_what_was_not_played() -> None:
    session = PlaySession(pcg.load("dungeon"), 0)
    session.press("RIGHT")
    session.press("DOWN")
    session.release_all()
    session.tick()
    assert session.actions == ["NIL"]


def test_unknown_actions_and_impossible_sessions_are_refused() -> None:
    session = PlaySession(pcg.load("boxes"), 0)
    with pytest.raises(PcgError, match="did you mean `LEFT`"):
        session.press("LEFTY")
    with pytest.raises(PcgError, match=r"expected UP, LEFT"):
        session.press(["UP"])  # type: ignore[arg-type]
    with pytest.raises(PcgError, match="2 players"):
        PlaySession(pcg.load("duel"), 0)
    with pytest.raises(PcgError, match="32 bits"):
        PlaySession(pcg.load("boxes"), 0, seed=2**40)
    with pytest.raises(PcgError, match=r"0\.5 to 60"):
        Pace(1000)


# -- records -----------------------------------------------------------------------------------------------------------


def play_something(session: PlaySession, ticks: int = 50) -> None:
    rng = np.random.default_rng(5)
    for _ in range(ticks):
        action = str(rng.choice(["UP", "LEFT", "DOWN", "RIGHT", "USE"]))
        session.press(action)
        session.tick()
        session.release(action)


@pytest.mark.parametrize("name", ["dungeon", "invaders", "flyby"])
def test_a_record_plays_again_to_the_same_end(name: str) -> None:
    session = PlaySession(pcg.load(name), 0, seed=9)
    play_something(session)
    record = Recording.from_json(json.loads(json.dumps(session.recording().to_json())))
    assert record == session.recording()
    assert record.replay(pcg.load(name)).key() == session.state.key()
    assert record.presses[0].down
    assert [p.ticks for p in record.presses] == sorted(p.ticks for p in record.presses)


def test_a_record_that_was_changed_is_noticed() -> None:
    session = PlaySession(pcg.load("dungeon"), 0, seed=9)
    play_something(session)
    data = session.recording().to_json()
    better = {**data, "result": {**data["result"], "score": data["result"]["score"] + 1}}
    with pytest.raises(PcgError, match="its score is"):
        Recording.from_json(better).replay(session.game)
    with pytest.raises(PcgError, match="its ticks is"):
        Recording.from_json({**data, "play": data["play"][:-1]}).replay(session.game)
    with pytest.raises(PcgError, match="another version"):
        Recording.from_json({**data, "digest": "0" * 32}).replay(session.game)


@pytest.mark.parametrize("change", [{"format": 2}, {"play": "Q"}, {"result": None}, {"presses": [[1]]}, {"seed": "x"}])
def test_what_is_no_record_is_refused(change: dict[str, Any]) -> None:
    data = PlaySession(pcg.load("boxes"), 0).recording().to_json()
    with pytest.raises(PcgError, match="record of a play"):
        Recording.from_json({**data, **change})


def test_a_restart_keeps_the_earlier_play() -> None:
    session = PlaySession(pcg.load("dungeon"), 0, seed=2)
    play_something(session, 5)
    first = session.recording()
    frame = session.restart()
    assert frame["whole"]
    assert frame["tick"] == 0
    assert list(session.attempts) == [first]
    session.restart()
    assert len(session.attempts) == 1  # nothing was played, so there is nothing to keep


# -- the websocket -----------------------------------------------------------------------------------------------------


class Browser:
    """One end of the websocket."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket

    def say(self, kind: str, **content: Any) -> None:
        self.socket.send_text(json.dumps({"type": kind, **content}))

    def hear(self, kind: str, limit: int = 300) -> dict[str, Any]:
        for _ in range(limit):
            message: dict[str, Any] = json.loads(self.socket.receive_text())
            if message["type"] == kind:
                return message
        raise AssertionError(f"no {kind} in {limit} messages")


@pytest.fixture
def client() -> Any:
    game = pcg.load("boxes")
    with TestClient(play_app(game, 0, 1), base_url="http://localhost") as client:
        yield client


def begin(client: TestClient) -> str:
    response = client.get("/", follow_redirects=False)
    assert response.status_code == 303
    return str(response.headers["location"])


def connect(client: TestClient, page: str, **options: Any) -> Any:
    return client.websocket_connect(f"ws://localhost{page}/socket", **options)


def test_a_play_over_the_websocket_from_the_first_frame_to_the_checked_end(client: TestClient) -> None:
    page = begin(client)
    game = pcg.load("boxes")
    plan = [str(a) for a in pcg.solve(game.start(0), max_nodes=50_000).actions]
    with connect(client, page) as socket:
        browser = Browser(socket)
        welcome = browser.hear("welcome")
        assert welcome["protocol"] == 1
        assert welcome["pace"] == {"ticks_per_second": 12.0, "by_turn": True}
        assert client.get(welcome["sheet"]["url"]).headers["content-type"] == "image/png"
        browser.say("pace", ticks_per_second=60, by_turn=True)
        browser.hear("pace")
        browser.say("resume")
        assert browser.hear("paused")["paused"] is False
        for action in plan:
            browser.say("down", action=action)
            browser.say("up", action=action)
            browser.hear("frame")
        end = browser.hear("end")
    assert end["winner"] == 1
    assert end["ticks"] == len(plan)
    (play,) = client.get(f"{page}/recording").json()["plays"]
    assert Recording.from_json(play).replay(game).is_over


def test_a_lost_connection_leaves_the_play_paused_where_it_was(client: TestClient) -> None:
    page = begin(client)
    with connect(client, page) as socket:
        browser = Browser(socket)
        browser.hear("welcome")
        browser.say("resume")
        browser.say("down", action="DOWN")
        assert browser.hear("frame")["tick"] == 1
    with connect(client, page) as socket:
        browser = Browser(socket)
        frame = browser.hear("welcome")["frame"]
        assert frame["whole"]
        assert frame["tick"] == 1
        browser.say("down", action="UP")  # paused: not played
        browser.say("restart")
        assert browser.hear("frame")["tick"] == 0


def test_the_play_goes_to_the_connection_that_came_last(client: TestClient) -> None:
    page = begin(client)
    with connect(client, page) as first:
        Browser(first).hear("welcome")
        with connect(client, page) as second:
            Browser(second).hear("welcome")
            with pytest.raises(WebSocketDisconnect) as lost:
                first.receive_text()
            assert lost.value.code == player_server.TAKEN_OVER
            Browser(second).say("restart")
            Browser(second).hear("frame")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("nonsense", "no JSON text"),
        ("[1]", "no JSON object"),
        ("[" * 900, "no JSON text"),
        ("x" * 1001, "at most 1000"),
        ('{"type": "jump"}', "unknown message type 'jump'"),
        ('{"type": ["down"]}', "unknown message type"),
        ('{"type": "up", "action": "UPP"}', "did you mean `UP`"),
        ('{"type": "pace", "ticks_per_second": 1e9}', "0.5 to 60"),
        ('{"type": "pace", "ticks_per_second": "fast"}', "a number"),
        ('{"type": "pace"}', "a number"),
    ],
)
def test_a_bad_message_is_answered_and_the_play_goes_on(client: TestClient, text: str, answer: str) -> None:
    with connect(client, begin(client)) as socket:
        browser = Browser(socket)
        browser.hear("welcome")
        socket.send_text(text)
        assert answer in browser.hear("error")["message"]
        browser.say("resume")
        browser.say("down", action="DOWN")
        assert browser.hear("frame")["tick"] == 1


MESSAGES = st.fixed_dictionaries(
    {"type": st.sampled_from(["down", "up", "release", "pause", "resume", "restart", "pace"])},
    optional={
        "action": st.sampled_from(["UP", "LEFT", "NIL", "ESCAPE", ""])
        | st.none()
        | st.lists(st.integers(), max_size=2),
        "ticks_per_second": st.integers() | st.floats() | st.none() | st.text(max_size=3),
        "by_turn": st.booleans() | st.integers() | st.none(),
    },
)


@settings(max_examples=examples(15), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(messages=st.lists(MESSAGES, max_size=12))
def test_no_sequence_of_messages_ends_a_play(client: TestClient, messages: list[dict[str, Any]]) -> None:
    page = begin(client)
    with connect(client, page) as socket:
        browser = Browser(socket)
        browser.hear("welcome")
        for message in messages:
            socket.send_text(json.dumps(message))
        browser.say("restart")
        for _ in range(200):
            frame = browser.hear("frame")
            if frame.get("whole") and frame["tick"] == 0:
                break
    for play in client.get(f"{page}/recording").json()["plays"]:
        Recording.from_json(play).replay(pcg.load("boxes"))


def test_a_binary_message_is_answered_too(client: TestClient) -> None:
    with connect(client, begin(client)) as socket:
        Browser(socket).hear("welcome")
        socket.send_bytes(b"\x00")
        assert "expected a text" in Browser(socket).hear("error")["message"]


def test_a_flood_of_messages_ends_the_connection(client: TestClient) -> None:
    with connect(client, begin(client)) as socket:
        Browser(socket).hear("welcome")
        for _ in range(3 * player_server.MESSAGES_PER_SECOND):
            Browser(socket).say("release")
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_text()
        assert closed.value.code == player_server.TOO_MANY


def test_a_play_that_the_engine_gives_up_is_told_and_paused(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def give_up(self: PlaySession) -> dict[str, Any]:
        raise PcgError("the kernel gave up")

    with connect(client, begin(client)) as socket:
        browser = Browser(socket)
        browser.hear("welcome")
        browser.say("resume")
        assert browser.hear("paused")["paused"] is False
        monkeypatch.setattr(PlaySession, "tick", give_up)
        browser.say("down", action="DOWN")
        assert "gave up" in browser.hear("error")["message"]
        assert browser.hear("paused")["paused"] is True
        monkeypatch.undo()
        browser.say("restart")
        assert browser.hear("frame")["whole"]


def test_an_unknown_play_is_gone(client: TestClient) -> None:
    with connect(client, "/play/nonesuch") as socket:
        assert "no such play" in Browser(socket).hear("gone")["message"]
    assert client.get("/play/nonesuch").status_code == 404
    assert client.get("/play/nonesuch/recording").status_code == 404


def test_a_websocket_of_another_site_is_refused(client: TestClient) -> None:
    page = begin(client)
    with (
        pytest.raises(WebSocketDisconnect),
        connect(client, page, headers={"origin": "https://elsewhere.example"}),
    ):
        pass


def test_only_so_many_plays_are_kept_and_the_longest_unattended_goes_first() -> None:
    plays = player_server.PlayServer(most=3)
    game = pcg.load("boxes")
    tokens = [plays.create(PlaySession(game, 0)) for _ in range(4)]
    with pytest.raises(PcgError, match="no such play"):
        plays.session(tokens[0])
    for token in tokens[1:]:
        plays.session(token)
        plays._seats[token].socket = object()  # type: ignore[assignment] # someone is playing
    with pytest.raises(PcgError, match="3 levels are being played"):
        plays.create(PlaySession(game, 0))


def test_everything_the_player_loads_is_small_and_our_own(client: TestClient) -> None:
    page = client.get(begin(client))
    assert "http://" not in page.text
    assert "https://" not in page.text
    weight = len(page.content) + sum(
        len(client.get(path).content)
        for path in (
            "/static/site.css", "/static/play.js", "/static/player/player.css", "/static/player/player.js",
            "/static/player/board.js",
        )
    )  # fmt: skip
    assert weight < 60_000
