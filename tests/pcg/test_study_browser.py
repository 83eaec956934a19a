"""A participant with a real browser: consent, both games really played, vote, completion code; and all that goes wrong.

PCG_SCREENSHOTS=FOLDER keeps pictures of the pages.
"""

from __future__ import annotations

import contextlib
import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import browsers
import pytest
import studies
import uvicorn

import pcg
from pcg.study.exporting import study_data
from pcg.study.folders import open_study
from pcg.study.items import Source
from pcg.study.replaying import Replayer
from pcg.study.server.app import study_app
from pcg.study.store import StudyStore
from pcg.web.serving import address, listen

pytestmark = [pytest.mark.browser, browsers.needs_browser]

KEYS = {"UP": "ArrowUp", "LEFT": "ArrowLeft", "DOWN": "ArrowDown", "RIGHT": "ArrowRight", "USE": "Space"}
PAGE_KB = 200


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browsers.chromium() as browser:
        yield browser


class Server:
    """The study's application, which can go away and come back at the same address."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, 0
        self.start()

    def start(self) -> None:
        self.bound = listen(port=self.port)
        self.url = address(self.bound).rstrip("/")
        self.port = self.bound.getsockname()[1]
        self.store = open_study(self.folder)
        config = uvicorn.Config(study_app(self.store), log_level="error", timeout_graceful_shutdown=1, lifespan="on")
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self.bound]})
        self.thread.start()

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join()
        self.bound.close()
        self.store.engine.dispose()


@contextlib.contextmanager
def study(folder: Path, **sections: dict[str, Any]) -> Iterator[Server]:
    settings = {
        "design": {"pairs": 1, "checks": 0, "pairing": "full"}, "play": {"minimum": 1.0},
        "access": {"code": "THANKS-77"},
    }  # fmt: skip
    for name, values in sections.items():
        settings[name] = {**settings.get(name, {}), **values}
    studies.make(folder, Source("boxes", levels="0-2"), settings=settings)
    server = Server(folder)
    try:
        yield server
    finally:
        server.stop()


def place(page: Any) -> str:
    """The path of the page, when it has arrived."""
    page.wait_for_load_state()
    return re.sub(r"^https?://[^/]+", "", page.url).partition("?")[0]


def ticks(page: Any) -> int:
    return int(page.locator("[data-tick]").inner_text())


READY = re.compile("Ready|准备好了")
"""Title of a board that takes keys, in either language."""


def veil(page: Any, title: str | re.Pattern[str]) -> None:
    page.locator("[data-veil-title]", has_text=title).wait_for()


def until_ticks(page: Any, count: int) -> None:
    page.wait_for_function("n => Number(document.querySelector('[data-tick]').textContent) === n", arg=count)


def agree(page: Any, url: str, arrived: str = "instructions") -> None:
    """Open a study and agree to take part."""
    page.goto(url)
    page.check("input[name=consent]")
    page.click("form.card button[type=submit]")
    page.wait_for_url(f"**/{arrived}")


def consent(page: Any, url: str) -> None:
    agree(page, url)
    page.click("form button.primary")
    page.wait_for_url("**/pair/1/first")


def plan(store: StudyStore, side: int, pair: int = -1) -> list[str]:
    """The keys that win the level on a side of a pair, the last one unless another is said."""
    shown = store.pairs()[-1] if pair < 0 else next(p for p in store.pairs() if p.id == pair)
    level = store.item[shown.item(side)].level
    return [str(a) for a in pcg.solve(pcg.load("boxes").start(level), max_nodes=50_000).actions]


def wait_and_go_on(page: Any, arrived: str) -> None:
    """Play at random until it was enough, and go on."""
    veil(page, READY)
    page.keyboard.press("ArrowLeft")
    page.locator("#onward").wait_for(state="visible")
    page.click("#onward")
    page.wait_for_url(arrived)


def overflow(page: Any) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth > window.innerWidth"))


@pytest.mark.parametrize("runs", ["browser", "server"])
def test_from_consent_to_the_code_with_everything_that_goes_wrong(tmp_path: Path, chromium: Any, runs: str) -> None:
    with study(tmp_path / "s", design={"pairs": 2, "checks": 1}, play={"runs": runs}) as server:
        tab = browsers.Tab(chromium, viewport={"width": 1280, "height": 900}, locale="en-GB")
        page = tab.page
        page.goto(f"{server.url}/?PROLIFIC_PID=abc%3Cb%3E&other=1")
        tab.shot("study-welcome")
        page.click("form.card button[type=submit]")  # without a tick nothing begins
        page.locator("#consent-problem").wait_for()
        assert server.store.participants() == []
        assert all("422" in complaint for complaint in tab.complaints), tab.complaints
        tab.complaints.clear()  # the browser's own words about that page
        page.check("input[name=consent]")
        page.click("form.card button[type=submit]")
        page.wait_for_url("**/instructions")
        tab.shot("study-instructions")
        page.click("form button.primary")
        page.wait_for_url("**/pair/1/first")

        # The first game is won with keys; in the middle the page is reloaded.
        veil(page, "Ready")
        tab.shot("study-play")
        keys = plan(server.store, 0)
        for count, action in enumerate(keys, start=1):
            page.keyboard.press(KEYS[action])
            until_ticks(page, count)
            if count == 3:
                page.reload()
                veil(page, "Paused")
                assert ticks(page) == 3
        veil(page, "Won!")
        page.locator("#onward").wait_for(state="visible")
        tab.shot("study-won")
        page.click("#onward")
        page.wait_for_url("**/pair/1/second")

        # In the second game the server goes away and comes back; nothing of the play is lost.
        veil(page, "Ready")
        keys = plan(server.store, 1)
        for count, action in enumerate(keys[:4], start=1):
            page.keyboard.press(KEYS[action])
            until_ticks(page, count)
        before = len(tab.complaints)
        server.stop()
        if runs == "server":
            veil(page, "Connection lost")
            tab.shot("study-lost")
            server.start()
            veil(page, "Paused")
            assert ticks(page) == 4
            page.keyboard.press(KEYS[keys[4]])
            until_ticks(page, 5)
        else:  # the game goes on without the server, which gets the rest when it is back
            page.keyboard.press(KEYS[keys[4]])
            until_ticks(page, 5)
            page.locator("[data-say]", has_text="Connection lost").wait_for()
            tab.shot("study-away")
            server.start()
            browsers.until(page, "document.querySelector('[data-say]').textContent === ''")
            assert server.store.plays()[-1].ticks == 5
        away = tab.complaints[before:]
        assert all("WebSocket" in c or "ERR_CONNECTION" in c for c in away), away  # the browser's own words
        del tab.complaints[before:]
        page.locator("#onward").wait_for(state="visible")
        page.click("#onward")
        page.wait_for_url("**/pair/1/vote")

        # A vote with a double click, and then back.
        tab.shot("study-vote")
        page.locator("label.answer.first").click()
        page.fill("#reason", "<script>document.title = 'hacked'</script>")
        page.locator("form.vote button[type=submit]").dblclick()
        page.wait_for_url(re.compile(r".*/pair/2/.*"))
        assert [(v["answer"], v["reason"]) for v in server.store.vote_rows()] == [
            ("first", "<script>document.title = 'hacked'</script>")
        ]
        here = place(page)
        page.go_back()
        page.wait_for_url(f"**{here}")
        assert len(server.store.vote_rows()) == 1

        # The rest: a pair and a page that tests attention, in whichever order.
        for number in (2, 3):
            page.wait_for_url(re.compile(rf".*/pair/{number}/.*"))
            if place(page).endswith("/first"):
                wait_and_go_on(page, f"**/pair/{number}/second")
                wait_and_go_on(page, f"**/pair/{number}/vote")
                page.locator("label.answer.neither").click()
            else:
                tab.shot("study-check")
                expected = server.store.pairs()[-1].expected
                page.locator(f"label.answer.{expected}").click()
            page.locator("form.vote button[type=submit]").click()
        page.wait_for_url("**/thanks")
        tab.shot("study-thanks")
        assert page.locator("output").inner_text() == "THANKS-77"
        page.reload()
        assert place(page) == "/thanks"

        person = server.store.participants()[0]
        assert person.finished is not None
        assert person.external == {"PROLIFIC_PID": "abc<b>"}
        data = study_data(server.store)
        assert len(data.votes) == 3
        assert [v["passed"] for v in data.votes if v["check"]] == [True]
        assert data.votes[0]["first_outcome"] == "win"
        replayer = Replayer(server.store)
        assert {problem for _, problem in replayer.verify(replayer.plays())} == {""}
        first = data.votes[0]["pair"]
        played = [p["ticks"] for p in data.plays if (p["pair"], p["side"]) == (first, "first")]
        assert played == [len(plan(server.store, 0, first))]
        assert tab.complaints == []
        tab.close()


def test_on_a_phone_in_chinese_by_finger(tmp_path: Path, chromium: Any) -> None:
    with study(tmp_path / "s", play={"minimum": 0.5}) as server:
        tab = browsers.Tab(chromium, **browsers.PHONE, locale="zh-CN")
        page = tab.page
        page.goto(server.url)
        assert page.locator("html").get_attribute("lang") == "zh"
        assert not overflow(page)
        tab.shot("phone-welcome")
        page.tap("label.tick")
        page.tap("form.card button[type=submit]")
        page.wait_for_url("**/instructions")
        assert not overflow(page)
        page.tap("form button.primary")
        for side, onward in (("first", "second"), ("second", "vote")):
            page.wait_for_url(f"**/pair/1/{side}")
            page.locator("[data-action=LEFT]").wait_for()
            veil(page, READY)  # taps before that are lost
            assert not overflow(page)
            small = page.evaluate(
                "[...document.querySelectorAll('.pcg-pad button')].filter(b => b.offsetHeight < 44).length"
            )
            assert small == 0
            for count, action in enumerate(plan(server.store, ("first", "second").index(side)), start=1):
                page.tap(f"[data-action={action}]")
                until_ticks(page, count)
            page.locator("#onward").wait_for(state="visible")
            tab.shot(f"phone-{side}")
            page.tap("#onward")
            page.wait_for_url(f"**/pair/1/{onward}")
        assert not overflow(page)
        tab.shot("phone-vote")
        page.tap("label.answer.both")
        page.tap("form.vote button[type=submit]")
        page.wait_for_url("**/thanks")
        assert "THANKS-77" in page.content()
        assert [(v["answer"]) for v in server.store.vote_rows()] == ["both"]
        assert {p.language for p in server.store.participants()} == {"zh"}
        assert [p.winner for p in server.store.plays()] == [1, 1]
        # Everything can be deleted.
        page.tap("footer a")
        page.tap("label.tick")
        page.tap("form.danger button")
        page.wait_for_url("**/forget")
        assert server.store.participants() == []
        assert tab.complaints == []
        tab.close()


def test_by_keyboard_alone(tmp_path: Path, chromium: Any) -> None:
    def tab_to(selector: str) -> None:
        for _ in range(60):
            if page.evaluate("s => document.activeElement?.matches(s)", selector):
                return
            page.keyboard.press("Tab")
        raise AssertionError(f"the Tab key does not lead to {selector}")

    with study(tmp_path / "s") as server:
        tab = browsers.Tab(chromium, viewport={"width": 1000, "height": 700}, locale="en-GB", reduced_motion="reduce")
        page = tab.page
        page.goto(server.url)
        tab_to("input[name=consent]")
        page.keyboard.press("Space")
        tab_to("form.card button[type=submit]")
        page.keyboard.press("Enter")
        page.wait_for_url("**/instructions")
        tab_to("form button.primary")
        page.keyboard.press("Enter")
        for side, onward in ((0, "second"), (1, "vote")):
            page.wait_for_url(f"**/pair/1/{('first', 'second')[side]}")
            veil(page, "Ready")  # the keys are the game's at once
            for count, action in enumerate(plan(server.store, side), start=1):
                page.keyboard.press({"UP": "w", "LEFT": "a", "DOWN": "s", "RIGHT": "d"}[action])
                until_ticks(page, count)
            veil(page, "Won!")
            page.locator("#onward").wait_for(state="visible")
            tab_to("#onward")
            assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
            page.keyboard.press("Enter")
            page.wait_for_url(f"**/pair/1/{onward}")
        page.keyboard.press("2")
        assert page.evaluate("document.querySelector('input[value=second]').checked")
        tab_to("form.vote button[type=submit]")
        page.keyboard.press("Enter")
        page.wait_for_url("**/thanks")
        assert [v["answer"] for v in server.store.vote_rows()] == ["second"]
        assert tab.complaints == []
        tab.close()


def test_the_way_to_the_game_is_light(tmp_path: Path, chromium: Any) -> None:
    with study(tmp_path / "s") as server:
        tab = browsers.Tab(chromium, locale="en-GB")
        sizes: dict[str, int] = {}

        def weigh(request: Any) -> None:
            with contextlib.suppress(Exception):
                found = request.sizes()
                size = found["responseBodySize"] + found["responseHeadersSize"]
                sizes[request.url] = max(size, sizes.get(request.url, 0))

        tab.page.on("requestfinished", weigh)
        consent(tab.page, server.url)
        veil(tab.page, "Ready")
        assert sum(sizes.values()) <= PAGE_KB * 1024, sizes
        assert all(url.startswith(server.url) for url in sizes), sizes  # nothing from elsewhere
        assert tab.complaints == []
        tab.close()


def test_without_webassembly_the_server_plays(tmp_path: Path, chromium: Any) -> None:
    with study(tmp_path / "s") as server:
        tab = browsers.Tab(chromium, locale="en-GB")
        tab.context.add_init_script("delete window.WebAssembly")
        page = tab.page
        consent(page, server.url)
        wait_and_go_on(page, "**/pair/1/second")
        (play, *_) = server.store.plays()
        assert not play.client and play.ticks
        assert not tab.complaints, tab.complaints


def test_without_the_kernels_the_server_plays(tmp_path: Path, chromium: Any) -> None:
    with study(tmp_path / "s") as server:
        tab = browsers.Tab(chromium, locale="en-GB")
        tab.page.route("**/kernels.wasm", lambda route: route.fulfill(status=404))
        consent(tab.page, server.url)
        wait_and_go_on(tab.page, "**/pair/1/second")
        (play, *_) = server.store.plays()
        assert play.ticks == 1 and play.input == "keys"
        assert all("404" in complaint for complaint in tab.complaints), tab.complaints


def test_a_play_that_the_server_does_not_believe_goes_on_there(tmp_path: Path, chromium: Any) -> None:
    def forge(route: Any) -> None:
        batch = route.request.post_data_json
        route.continue_(post_data=json.dumps({**batch, "claim": {**batch["claim"], "score": 1000}}))

    with study(tmp_path / "s") as server:
        tab = browsers.Tab(chromium, locale="en-GB")
        page = tab.page
        tab.page.route("**/actions", forge)
        consent(page, server.url)
        veil(page, "Ready")
        page.keyboard.press("ArrowLeft")
        veil(page, "Ready")  # nothing of it was believed, so it begins where it was
        assert server.store.plays()[0].refused == "played again, score is 0.0, and not 1000.0"
        page.keyboard.press("ArrowRight")
        until_ticks(page, 1)
        page.locator("#onward").wait_for(state="visible")
        (play,) = server.store.plays()
        assert (play.actions, play.score) == ("R", 0.0)
        assert all("422" in complaint for complaint in tab.complaints), tab.complaints


def test_two_windows_of_one_participant_are_one_play(tmp_path: Path, chromium: Any) -> None:
    with study(tmp_path / "s") as server:
        tab = browsers.Tab(chromium, locale="en-GB")
        consent(tab.page, server.url)
        veil(tab.page, "Ready")
        tab.page.keyboard.press(KEYS[plan(server.store, 0)[0]])
        until_ticks(tab.page, 1)
        tab.page.locator("#onward").wait_for(state="visible")  # the server has it; a hidden page would send at once
        other = tab.context.new_page()
        other.goto(f"{server.url}/pair/1/first")
        veil(other, "Paused")
        assert ticks(other) == 1
        veil(tab.page, "Opened elsewhere")
        assert len(server.store.participants()) == len({p.pair for p in server.store.plays()}) == 1
        tab.close()


def test_the_researchers_page_has_a_heading_and_cuts_nothing(tmp_path: Path, chromium: Any) -> None:
    with study(tmp_path / "s") as server:
        for _ in range(2):
            studies.take_part(server.store, ["first"] * 7)
        token = server.store.new_token()
        for width in (375, 1280):
            tab = browsers.Tab(chromium, viewport={"width": width, "height": 800})
            tab.page.goto(f"{server.url}/researcher#{token}")
            tab.page.locator("#live table").last.wait_for()
            tab.shot(f"researcher-{width}")
            assert tab.page.locator("h1").count() == 1
            assert not overflow(tab.page)
            wide = "[...document.querySelectorAll('.scroll:has(table)')].filter(e => e.scrollWidth > e.clientWidth)"
            assert tab.page.evaluate(f"{wide}.length") == 0
            assert tab.complaints == []
            tab.close()


SIZES = ((320, 568), (375, 667), (375, 740), (390, 844), (430, 932))
PHONE_BROWSER = "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36"
OFF_SCREEN = """[...document.querySelectorAll('#player canvas, #player button, #player a')].filter((e) => {
  const box = e.getBoundingClientRect(), style = getComputedStyle(e);
  if (!box.width || style.visibility === 'hidden') return false;
  return box.left < 0 || box.top < 0 || box.right > innerWidth + .5 || box.bottom > innerHeight + .5 || e.disabled;
}).map((e) => e.outerHTML)"""


@pytest.mark.parametrize("game", ["boxes", "dungeon"])
def test_board_and_controls_fit_one_screen_of_a_phone(tmp_path: Path, chromium: Any, game: str) -> None:
    studies.make(tmp_path / "s", Source(game, levels="0-1"),
                 settings={"design": {"pairs": 1, "checks": 0}, "play": {"minimum": 0.5}})  # fmt: skip
    server = Server(tmp_path / "s")
    try:
        for narrow, long in SIZES:
            tab = browsers.Tab(chromium, viewport={"width": narrow, "height": long}, has_touch=True, is_mobile=True,
                               locale="en-GB", user_agent=PHONE_BROWSER)  # fmt: skip
            page = tab.page
            consent(page, server.url)
            for width, height in ((narrow, long), (long, narrow)):
                page.set_viewport_size({"width": width, "height": height})
                veil(page, "Ready")
                page.wait_for_timeout(100)
                assert page.evaluate(OFF_SCREEN) == [], (width, height)
                assert not overflow(page)
                least = page.evaluate("Math.min(...[...document.querySelectorAll('canvas')].map(c => c.offsetWidth))")
                assert least >= 0.4 * narrow, (width, height)  # and the board can be seen
            assert page.locator(".controls .touch").is_visible()
            assert not page.locator(".controls .keys").first.is_visible()
            assert server.store.plays()[-1].seconds == 0  # nothing runs before the first input
            page.tap("[data-action=LEFT]")
            page.locator("#onward").wait_for(state="visible")
            for width, height in ((long, narrow), (narrow, long)):
                page.set_viewport_size({"width": width, "height": height})
                page.wait_for_timeout(100)
                assert page.evaluate(OFF_SCREEN) == [], (width, height)
                tab.shot(f"{game}-{width}x{height}")
            page.tap("#onward")
            page.wait_for_url("**/pair/1/second")
            for _ in range(50):  # the play is stored when its connection has ended, which may be after the next page
                first = [play for play in server.store.plays() if not play.side][-1]
                if first.input:
                    break
                page.wait_for_timeout(100)
            assert first.input == "touch"
            assert tab.complaints == []
            tab.close()
        assert {p.device for p in server.store.participants()} == {"phone"}
    finally:
        server.stop()


@pytest.mark.parametrize("width", [1280, 375])
def test_questions_practice_and_replays_in_a_browser(tmp_path: Path, chromium: Any, width: int) -> None:
    settings = {
        "study": {"demographics": "before"}, "design": {"pairs": 1, "checks": 0}, "access": {"code": "C"},
        "play": {"minimum": 0.5, "replays": True},
    }  # fmt: skip
    practice = Source(name="try", game="boxes", level=3, practice=True)
    studies.make(tmp_path / "s", Source("boxes", levels="0-2"), practice, settings=settings)
    server = Server(tmp_path / "s")
    try:
        tab = browsers.Tab(chromium, viewport={"width": width, "height": 800}, locale="en-GB")
        page = tab.page
        agree(page, server.url, "questions/before")
        page.fill("#a-age", "7")
        page.click("form.questions button[type=submit]")
        page.locator("#a-age-problem").wait_for()
        assert all("422" in complaint for complaint in tab.complaints), tab.complaints
        tab.complaints.clear()
        page.fill("#a-age", "70")
        for name, value in (("gender", "unsaid"), ("plays_games", "daily"), ("plays_like_these", "2")):
            page.check(f"input[name=a-{name}][value='{value}']")
        tab.shot(f"study-questions-{width}")
        assert not overflow(page)
        page.click("form.questions button[type=submit]")
        page.wait_for_url("**/instructions")
        page.click("form button.primary")
        page.wait_for_url("**/practice")
        veil(page, "Ready")
        assert page.locator(".legend img").count() == 5
        assert page.evaluate("[...document.querySelectorAll('.legend img')].every(i => i.complete && i.naturalWidth)")
        page.keyboard.press("ArrowRight")
        until_ticks(page, 1)
        tab.shot(f"study-practice-{width}")
        page.click("#onward")
        page.wait_for_url("**/pair/1/first")
        wait_and_go_on(page, "**/pair/1/second")
        wait_and_go_on(page, "**/pair/1/vote")
        page.click("[data-play] >> nth=1")
        canvas = page.locator(".replays canvas").nth(1)
        canvas.wait_for(state="visible")
        page.wait_for_function("() => document.querySelectorAll('[data-place]')[1].value > 0")
        tab.shot(f"study-replays-{width}")
        assert not overflow(page)
        page.check("input[name=q-prefer][value=second]")
        page.click("form.vote button[type=submit]")
        page.wait_for_url("**/thanks")
        assert not tab.complaints, tab.complaints
        assert [row["question"] for row in server.store.answers.rows()][-1] == "boxes"
    finally:
        server.stop()
