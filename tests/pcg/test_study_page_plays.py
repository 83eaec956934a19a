"""Plays in participants' browsers: stored as those on the server are, and nothing is stored that is not true."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
import studies
from study_pages import KEYS, PageOf, press
from study_walks import Walker, served, small_study

import pcg
from pcg.engine.state import State
from pcg.evaluators.evaluation import encode_play
from pcg.study.exporting import study_data
from pcg.study.folders import open_study
from pcg.study.items import Source
from pcg.study.monitoring import study_statistics
from pcg.study.replaying import Replayer
from pcg.study.rows import Play
from pcg.study.schema import plays as plays_table
from pcg.study.server.page_plays import MOST_ACTIONS, MOST_TICKS, Batch, _played
from pcg.study.server.security import Limits
from pcg.study.store import StudyStore


@pytest.fixture
def store(tmp_path: Path) -> StudyStore:
    return small_study(tmp_path / "study", play__minimum=600)


@pytest.fixture
def one(store: StudyStore) -> Iterator[Walker]:
    with served(store) as another:
        yield another().join().begin()


@pytest.fixture
def page(one: Walker) -> PageOf:
    return PageOf(one)


def the_play(store: StudyStore) -> Play:
    (play,) = store.plays()
    return play


def all_true(store: StudyStore) -> None:
    """Every stored play leads to its own result."""
    replayer = Replayer(store)
    assert [problem for _, problem in replayer.verify(replayer.plays()) if problem] == []


def older(store: StudyStore, seconds: float) -> None:
    """Make the plays begin earlier, so that there was time for what is played next."""
    with store.engine.begin() as db:
        db.execute(sa.update(plays_table).values(started=plays_table.c.started - seconds))


def until(socket: Any, kind: str, name: str = "") -> None:
    """Wait for a message of a kind that tells something."""
    while (message := socket.receive_json())["type"] != kind or (name and name not in message):
        assert message["type"] != "error", message


def until_saved(one: Walker, true: Callable[[], bool]) -> None:
    """Let the server run until it has saved what it plays itself."""
    assert one.client.portal is not None
    while not true():
        one.client.portal.call(asyncio.sleep, 0.01)


def winning_keys(store: StudyStore, side: int) -> str:
    """Keys that win the level on a side of the first pair."""
    level = store.item[store.pairs()[0].item(side)].level
    return encode_play(str(a) for a in pcg.solve(pcg.load("boxes").start(level), max_nodes=50_000).actions)


# -- what is stored ----------------------------------------------------------------------------------------------------


def test_a_play_in_the_page_is_stored_as_one_on_the_server_is(store: StudyStore, one: Walker, page: PageOf) -> None:
    play = page.open()
    press(play, "LDRU")
    assert page.send(play).status_code == 200
    with one.socket() as socket:  # the same level with the same seed and keys, on the server
        assert socket.receive_json()["type"] == "welcome"
        socket.send_json({"type": "restart"})
        until(socket, "study")
        socket.send_json({"type": "resume"})
        for letter in "LDRU":
            socket.send_json({"type": "down", "action": KEYS[letter], "by": "keys"})
            until(socket, "frame", "tick")
            socket.send_json({"type": "up", "action": KEYS[letter]})
        socket.send_json({"type": "pause"})
        until_saved(one, lambda: store.plays()[-1].key != "")
    mine, theirs = store.plays()
    for name in ("seed", "actions", "presses", "ticks", "score", "winner", "over", "input", "key"):
        assert getattr(mine, name) == getattr(theirs, name), name
    assert (mine.client, theirs.client, mine.refused) == (True, False, "")
    all_true(store)
    assert [(row["client"], row["refused"]) for row in study_data(store).plays] == [(True, ""), (False, "")]


def test_a_won_level_lets_one_go_on(store: StudyStore, one: Walker, page: PageOf) -> None:
    page.open()
    older(store, 60)  # a win has more ticks than a page may hurry
    play = page.open()
    assert not play.study["enough"]
    press(play, winning_keys(store, 0))
    assert play.session.is_over and page.send(play).status_code == 200
    assert play.study["enough"]
    found = the_play(store)
    assert found.over and found.winner == 1 and found.key
    one.get("/")
    assert one.at == "/pair/1/second"
    all_true(store)


def test_time_of_a_play_counts_as_far_as_it_is_acknowledged(store: StudyStore, page: PageOf) -> None:
    play = page.open()
    older(store, 700)
    page.open()  # reads when it began
    play = page.open()
    play.clock = 599_000
    assert page.send(play).json()["study"] == {
        "seconds": 599.0, "minimum": 600.0, "maximum": 0.0, "enough": False, "spent": False, "restarts": 3,
    }  # fmt: skip
    play.clock = 600_001
    assert page.send(play).json()["study"]["enough"]


def test_a_page_goes_on_where_it_was_and_the_one_before_cannot(store: StudyStore, page: PageOf) -> None:
    first = page.open()
    press(first, "LD")
    page.send(first)
    press(first, "R")
    second = page.open()
    assert second.opened["actions"] == "LD" and second.session.state.tick == 1
    assert page.send(first).status_code == 410
    press(second, "U")
    assert page.send(second).status_code == 200
    assert the_play(store).actions == "LDU"
    all_true(store)


def test_a_page_goes_on_behind_what_the_one_before_it_sent_when_it_was_left(
    store: StudyStore, page: PageOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = page.open()
    press(left, "LD")
    checking, go_on = threading.Event(), threading.Event()

    def waits(state: State, batch: Batch) -> State:
        checking.set()
        assert go_on.wait(60)
        return _played(state, batch)

    monkeypatch.setattr("pcg.study.server.page_plays._played", waits)
    with ThreadPoolExecutor(2) as threads:
        sent = threads.submit(page.send, left)
        assert checking.wait(60)
        opened = threads.submit(page.open)
        assert wait([opened], timeout=0.3).not_done
        go_on.set()
        assert sent.result().status_code == 200
        assert opened.result().opened["actions"] == "LD"
    assert page.send(left).status_code == 410
    all_true(store)


def test_a_page_writes_on_after_the_server_was_killed(store: StudyStore, one: Walker, page: PageOf) -> None:
    play = page.open()
    press(play, "LD")
    page.send(play)
    with served(store) as another:  # a process that knows nothing but the database
        two = another()
        two.client.cookies = one.client.cookies
        two.page = one.page
        press(play, "R")
        assert PageOf(two, page.path).send(play).status_code == 200
    assert the_play(store).actions == "LDR" and len(json.loads(the_play(store).presses)) == 6
    all_true(store)


def test_a_play_changes_between_page_and_server_without_a_loss(store: StudyStore, one: Walker, page: PageOf) -> None:
    play = page.open()
    press(play, "LD")
    page.send(play)
    with one.socket() as socket:
        assert socket.receive_json()["frame"]["tick"] == 2
        socket.send_json({"type": "resume"})
        socket.send_json({"type": "down", "action": "RIGHT"})
        until(socket, "frame", "tick")
        again = page.open()  # takes it from the server, which saves it before
        assert again.opened["actions"] == "LDR"
    press(again, "U")
    assert page.send(again).status_code == 200
    assert the_play(store).actions == "LDRU"
    all_true(store)


def test_a_level_is_started_anew_as_often_as_the_study_says(tmp_path: Path) -> None:
    store = small_study(tmp_path / "anew", play__minimum=600, play__restarts=1)
    with served(store) as another:
        page = PageOf(another().join().begin())
        play = page.open()
        assert page.ask("open", {"token": page.token, "again": 0}).status_code == 409  # nothing was played yet
        press(play, "L")
        page.send(play)
        play = page.open(again=0)
        assert (play.opened["attempt"], play.opened["actions"], play.study["restarts"]) == (1, "", 0)
        play = page.open(again=0)  # asked twice, it is the same attempt
        assert play.opened["attempt"] == 1
        press(play, "R")
        assert page.send(play).status_code == 200
        assert page.ask("open", {"token": page.token, "again": 1}).status_code == 409
    assert [(p.attempt, p.actions) for p in store.plays()] == [(0, "L"), (1, "R")]


def test_a_study_may_run_its_games_on_the_server(tmp_path: Path) -> None:
    store = small_study(tmp_path / "server", play__runs="server")
    with served(store) as another:
        one = another().join().begin()
        page = PageOf(one)
        assert "data-open" not in one.page.text and page.token == ""
        assert "wasm-unsafe-eval" not in one.page.headers["content-security-policy"]
        found = re.search(r'name="token" value="([0-9a-f]+)"', one.page.text)
        assert found and page.ask("open", {"token": found[1]}).status_code == 404
        one.play("L", until="enough")
    assert [(p.client, p.ticks > 0) for p in store.plays()] == [(False, True)]


@pytest.fixture(scope="module")
def practised(tmp_path_factory: pytest.TempPathFactory) -> StudyStore:
    folder = tmp_path_factory.mktemp("practice") / "s"
    practice = Source(name="try", game="boxes", level=3, practice=True)
    studies.make(folder, Source("boxes", levels="0-2"), practice, settings={"design": {"checks": 0}})
    return open_study(folder)


def test_a_level_for_practice_runs_in_the_page_and_is_not_stored(practised: StudyStore) -> None:
    with served(practised) as another:
        one = another().join().begin()
        assert one.at == "/practice"
        page = PageOf(one)
        assert "data-actions" not in one.page.text
        opened = page.ask("open", {"token": page.token}).json()
        assert opened["seed"] == practised.config.seed and "lease" not in opened
        assert one.client.get(opened["image"]).json()["about"]["name"] == "boxes"
    assert practised.plays() == []


def test_image_and_engine_are_kept_by_browsers_for_good(one: Walker, page: PageOf) -> None:
    opened = page.open().opened
    image = one.client.get(opened["image"])
    assert image.status_code == 200 and "immutable" in image.headers["cache-control"]
    for name, kind in (
        ("kernels.wasm", "application/wasm"),
        ("game.js", "text/javascript"),
        ("machine.mjs", "text/javas"),
    ):
        found = one.client.get(f"{opened['engine']}/{name}")
        assert found.status_code == 200 and found.headers["content-type"].startswith(kind)
        assert "immutable" in found.headers["cache-control"]
    assert one.client.get(f"{opened['engine']}/page.js").status_code == 404
    assert one.client.get("/engine/0123456789abcdef/game.js").status_code == 404


# -- what a participant may try ----------------------------------------------------------------------------------------


def test_a_result_that_is_not_true_is_refused_and_noted(store: StudyStore, page: PageOf) -> None:
    play = page.open()
    press(play, "LD")
    page.send(play)
    press(play, "R")
    true = play.batch()["claim"]
    forged = {"score": true["score"] + 1, "winner": 1, "over": True, "sum": true["sum"] ^ 1, "ticks": 4}
    for name, value in forged.items():
        answer = page.send(play, claim={**true, name: value})
        assert answer.status_code == 422, (name, answer.text)
        found = the_play(store)
        assert (found.actions, found.winner, found.over) == ("LD", -1, False)
        assert found.refused
    person = store.participants()[0]
    suspects = {one.participant: one.reasons for one in study_statistics(store, 2).suspects}
    assert suspects[person.id] == ("sent what is not true of 1 plays",)
    assert page.send(play).status_code == 200  # what is true is taken all the same
    assert the_play(store).actions == "LDR" and the_play(store).refused
    all_true(store)


def test_a_seed_is_the_servers(store: StudyStore, page: PageOf) -> None:
    play = page.open()
    press(play, "L")
    assert page.send(play, seed=7).status_code == 400
    assert page.ask("open", {"token": page.token, "seed": 7}).json()["seed"] == play.opened["seed"]
    assert the_play(store).actions == "" and the_play(store).seed == play.opened["seed"]


def test_actions_after_the_end_are_refused(store: StudyStore, page: PageOf) -> None:
    page.open()
    older(store, 60)
    play = page.open()
    keys = winning_keys(store, 0)
    press(play, keys)
    whole = play.batch()
    more = {**whole, "actions": whole["actions"] + "L", "times": [*whole["times"], 0],
            "claim": {**whole["claim"], "ticks": len(keys) + 1}}  # fmt: skip
    assert page.ask("actions", more).status_code == 422
    assert the_play(store).actions == ""
    assert page.send(play).status_code == 200
    after = {**play.batch(), "actions": "L", "times": [0], "claim": {**whole["claim"], "ticks": len(keys) + 1}}
    assert page.ask("actions", after).status_code == 422
    assert (
        the_play(store).actions == whole["actions"] and the_play(store).refused == "actions after the end of the game"
    )


def test_too_many_actions_are_refused(store: StudyStore, page: PageOf) -> None:
    play = page.open()
    batch = play.batch()
    count = MOST_ACTIONS + 1
    many = {**batch, "actions": "L" * count, "times": [0] * count}
    assert page.ask("actions", many).status_code == 400
    fast = {**batch, "actions": "L" * 1000, "times": [0] * 1000, "claim": {**batch["claim"], "ticks": 1000}}
    answer = page.ask("actions", fast)
    assert answer.status_code == 422 and "faster than the game" in answer.json()["error"]
    assert page.ask("actions", {**batch, "from": MOST_TICKS + 1}).status_code == 400
    huge = page.walker.client.post(
        f"{page.path}/actions", content=b"[" * 70_000, headers={"content-type": "application/json"}
    )
    assert huge.status_code == 413
    assert the_play(store).actions == ""


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"clock": 60_000}, "longer than there was time"),
        ({"times": [5000, 5000]}, "later than the clock"),
    ],
)
def test_times_that_cannot_be_are_refused(
    store: StudyStore, page: PageOf, change: dict[str, Any], problem: str
) -> None:
    play = page.open()
    press(play, "LD")
    answer = page.send(play, **change)
    assert answer.status_code == 422 and problem in answer.json()["error"]
    assert the_play(store).actions == "" and problem in the_play(store).refused


def test_a_clock_does_not_run_backwards(store: StudyStore, page: PageOf) -> None:
    play = page.open()
    press(play, "LD", ms=50)
    page.send(play)
    press(play, "R")
    answer = page.send(play, clock=20, times=[0])
    assert answer.status_code == 422 and "backwards" in answer.json()["error"]
    assert the_play(store).actions == "LD"


def test_nothing_is_played_after_the_maximum(tmp_path: Path) -> None:
    store = small_study(tmp_path / "short", play__minimum=1, play__maximum=5)
    with served(store) as another:
        page = PageOf(another().join().begin())
        page.open()
        older(store, 100)
        play = page.open()
        press(play, "L", ms=9_000)
        assert page.send(play).status_code == 409
        play.times, play.clock = [4_000], 5_500
        answer = page.send(play)
        assert answer.status_code == 200 and answer.json()["study"]["spent"]
    assert the_play(store).actions == "L"


def test_batches_of_somebody_else_are_refused(store: StudyStore) -> None:
    with served(store) as another:
        one, two = another().join().begin(), another().join().begin()
        mine, theirs = PageOf(one), PageOf(two)
        play = mine.open()
        other = theirs.open()
        press(play, "LD")
        batch = play.batch()
        assert theirs.ask("actions", batch).status_code == 410  # with the lease that is not theirs
        assert theirs.ask("actions", {**batch, "lease": other.opened["lease"][::-1]}).status_code == 410
        stranger = another()
        stranger.page = one.page
        assert PageOf(stranger, mine.path).ask("actions", batch).status_code == 410
        assert mine.ask("actions", batch).status_code == 200
        replayed = theirs.ask(
            "actions", {**batch, "lease": other.opened["lease"], "claim": {**batch["claim"], "sum": 1}}
        )
        assert replayed.status_code == 422
    assert [(p.actions) for p in store.plays()] == ["LD", ""]


def test_a_batch_sent_twice_or_in_the_wrong_order_is_stored_once(store: StudyStore, page: PageOf) -> None:
    play = page.open()
    press(play, "LD")
    first = play.batch()
    early = {**first, "from": 2, "presses": [], "claim": {**first["claim"], "ticks": 4}}
    assert page.ask("actions", early).status_code == 409  # one that is to come later
    assert page.ask("actions", first).status_code == 200
    again = page.ask("actions", first)
    assert again.status_code == 409 and again.json()["ticks"] == 2  # so that a page knows that it was stored
    assert page.ask("actions", {**first, "attempt": 1}).status_code == 409
    found = the_play(store)
    assert found.actions == "LD" and len(json.loads(found.presses)) == 4 and not found.refused


def test_half_a_batch_and_no_batch_are_refused(store: StudyStore, page: PageOf) -> None:
    play = page.open()
    press(play, "LD")
    batch = play.batch()
    text = json.dumps(batch)
    post = page.walker.client.post
    for half in (text[:-1], text[: len(text) // 2], "", "[]", "null"):
        answer = post(f"{page.path}/actions", content=half, headers={"content-type": "application/json"})
        assert answer.status_code == 400, half
    assert post(f"{page.path}/actions", data={"token": page.token}).status_code == 415
    wrong: list[dict[str, Any]] = [
        {"times": [1]}, {"actions": "LZ"}, {"from": -1}, {"from": True}, {"clock": 1.5}, {"presses": [[9, "L", 1]]},
        {"presses": [[1, "L", 1], [0, "L", 0]]}, {"presses": ["L"]}, {"by": ["mind"]}, {"claim": {}},
        {"times": [1, -1]},
        {"claim": {**batch["claim"], "score": "1"}}, {"claim": None}, {"lease": "x" * 33}, {"attempt": 10**9},
    ]  # fmt: skip
    for change in wrong:
        assert page.send(play, **change).status_code == 400, change
    missing = dict(batch)
    del missing["times"]
    assert page.ask("actions", missing).status_code == 400
    assert the_play(store).actions == "" and the_play(store).refused == ""


def test_a_play_that_was_voted_on_takes_no_more(tmp_path: Path) -> None:
    store = small_study(tmp_path / "voted")
    with served(store) as another:
        one = another().join().begin()
        page = PageOf(one)
        play = page.open()
        one.get("/pair/1/second")
        other = PageOf(one)
        other.open()
        one.get("/pair/1/vote")
        one.vote()
        press(play, "L")
        assert page.send(play).status_code == 410
        assert page.ask("open", {"token": page.token}, follow_redirects=False).status_code == 410
    assert [p.actions for p in store.plays()] == ["", ""]


def test_a_vote_in_another_process_ends_the_play_in_this_one(tmp_path: Path) -> None:
    store = small_study(tmp_path / "elsewhere")
    with served(store) as another, served(store) as other:
        one = another().join().begin()
        page = PageOf(one)
        play = page.open()
        two = other()
        two.client.cookies = one.client.cookies
        two.get("/pair/1/second")
        PageOf(two).open()
        two.get("/pair/1/vote")
        two.vote()
        press(play, "L")
        assert page.send(play).status_code == 410
    assert {p.actions for p in store.plays() if p.pair == store.pairs()[0].id} == {""}


def test_other_sites_open_and_write_nothing(store: StudyStore, page: PageOf) -> None:
    assert page.ask("open", {"token": "0" * 64}).status_code == 403
    assert page.ask("open", {}).status_code == 403
    far = {"origin": "https://elsewhere.example"}
    client = page.walker.client
    assert client.post(f"{page.path}/open", json={"token": page.token}, headers=far).status_code == 403
    assert store.plays() == []
    play = page.open()
    press(play, "L")
    assert client.post(f"{page.path}/actions", json=play.batch(), headers=far).status_code == 403
    assert the_play(store).actions == ""


def test_a_game_that_is_to_come_is_not_opened(one: Walker, page: PageOf) -> None:
    opened = page.open().opened
    for path in ("/pair/1/second", "/pair/2/first", "/pair/1/third"):
        assert PageOf(one, path).ask("open", {"token": page.token}).status_code == 410
    number, _, name = opened["image"].rpartition("/")[2].partition("-")
    for wrong in (f"{int(number) % 5 + 1}-{name}", f"{number}-{'0' * 32}.json", "999-x.json", f"{number}.json"):
        assert one.client.get(f"/images/{wrong.removesuffix('.json')}.json").status_code == 404


def test_a_flood_of_batches_is_slowed_down(store: StudyStore) -> None:
    with served(store, limits=Limits()) as another:
        page = PageOf(another().join().begin())
        play = page.open()
        batch = play.batch()
        found = [page.ask("actions", {**batch, "from": 5}).status_code for _ in range(80)]
        assert found[0] == 409 and 429 in found
    assert the_play(store).actions == ""


def test_batches_are_refused_while_too_many_wait(
    store: StudyStore, page: PageOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    play = page.open()
    press(play, "L")
    monkeypatch.setattr("pcg.study.server.page_plays.MOST_WAITING", 0)
    assert page.send(play).status_code == 503
    assert the_play(store).actions == ""
    monkeypatch.undo()
    assert page.send(play).status_code == 200


def test_a_database_that_fails_acknowledges_nothing(
    store: StudyStore, page: PageOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    play = page.open()
    press(play, "L")
    site = page.walker.client.app.state.site  # type: ignore[attr-defined]
    save_plays: Callable[..., Any] = site.store.save_page_plays

    def fails(progress: Any) -> list[int]:
        save_plays(progress[:0])
        raise sa.exc.OperationalError("UPDATE", {}, Exception("disk full"))

    monkeypatch.setattr(site.store, "save_page_plays", fails)
    assert page.send(play).status_code == 503
    monkeypatch.undo()
    assert page.send(play).status_code == 200  # the same once more
    assert the_play(store).actions == "L"
    all_true(store)


def test_batches_that_come_together_are_stored_together(
    store: StudyStore, page: PageOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    play = page.open()
    site = page.walker.client.app.state.site  # type: ignore[attr-defined]
    save_plays: Callable[..., Any] = site.store.save_page_plays
    sizes: list[int] = []

    def counts(progress: Any) -> list[int]:
        sizes.append(len(progress))
        return []  # as if all were stored

    async def many() -> list[bool]:
        plays = site.page_plays
        (seat,) = plays._open.values()

        async def one(number: int) -> bool:
            await asyncio.sleep(number / 1000)
            return bool(await plays._store(seat.play, 0))

        return list(await asyncio.gather(*(one(number) for number in range(100))))

    monkeypatch.setattr(site.store, "save_page_plays", counts)
    assert page.walker.client.portal is not None
    assert all(page.walker.client.portal.call(many))
    assert sum(sizes) == 100 and len(sizes) <= 10  # a tenth of a second and what it takes; one by one they would be 100
    monkeypatch.setattr(site.store, "save_page_plays", save_plays)
    press(play, "L")
    assert page.send(play).status_code == 200
    all_true(store)


@pytest.mark.parametrize("page", ["study-security.md", "results/study.md"])
def test_the_tests_named_in_the_documentation_exist(page: str) -> None:
    root = Path(__file__).parents[2]
    text = (root / "docs" / page).read_text(encoding="utf-8")
    named = set(re.findall(r"`(test_\w+)`", text))
    files = [*(root / "tests" / "pcg").glob("test_study_*.py"), *(root / "tests").rglob("test_preferences_*.py")]
    written = "".join(path.read_text(encoding="utf-8") for path in files)
    assert len(named) > 55
    assert {name for name in named if f"def {name}(" not in written} == set()
    if page == "results/study.md":  # every point has a row that names a test
        rows = re.findall(r"^\| (\d+) \|.*`test_\w+`.*\|$", text, flags=re.M)
        assert [int(number) for number in rows] == list(range(1, 17))
