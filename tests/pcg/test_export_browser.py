"""Exported pages in headless Chromium: the states and decisions of Python, and everything that a person can do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsers import PHONE, Tab, chromium, needs_browser
from page_identity import compare, compare_decisions

import pcg
from pcg.engine.game import Game, builtin_games
from pcg.engine.kernel.ids import ACTIONS
from pcg.engine.kernel.runtime import MODE
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.export import RecordedPlay, bundle, iframe, one_game, play_of, write_page, write_site
from pcg.export.page import source
from pcg.report import write_report
from pcg.runs import LevelRun, run_levels

pytestmark = [
    pytest.mark.browser,
    needs_browser,
    pytest.mark.skipif(MODE != "aot", reason="the kernels of pages are built ahead of time"),
]

KEYS = {"UP": "ArrowUp", "LEFT": "ArrowLeft", "DOWN": "ArrowDown", "RIGHT": "ArrowRight", "USE": "Space"}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture
def tab(browser: Any) -> Iterator[Tab]:
    made = Tab(browser)
    yield made
    asked = [url for url in made.bytes if not url.startswith(("file:", "blob:", "data:"))]
    made.close()
    assert made.complaints == [] and asked == []


@pytest.fixture
def phone(browser: Any) -> Iterator[Tab]:
    made = Tab(browser, **PHONE)
    yield made
    made.close()
    assert made.complaints == []


def show(tab: Tab, game: Game, folder: Path, fragment: str = "", **options: Any) -> Any:
    """The page of a game, opened from a file."""
    path = write_page(bundle(game, **options), folder / "page.html")
    tab.page.goto(path.as_uri() + fragment)
    tab.page.wait_for_function("window.pcg?.page")
    return tab.page


def ticks(page: Any) -> int:
    """Ticks played in a page."""
    return int(page.evaluate("window.pcg.page.play.taken.length"))


def wait_for_ticks(page: Any, count: int, back: bool = False) -> None:
    """Wait until so many ticks have been played, or are left when turns are taken back; never one more or less."""
    page.wait_for_function(f"window.pcg.page.play.taken.length {'<=' if back else '>='} {count}")
    assert ticks(page) == count


# --- the same bits ---


@pytest.mark.parametrize("name", sorted(builtin_games()))
def test_every_tick_of_every_level_is_the_one_of_python(name: str, tab: Tab, tmp_path: Path) -> None:
    game = pcg.load(name)
    assert compare(show(tab, game, tmp_path), game) > 0


def test_every_tick_of_the_corpus_is_the_one_of_python(shared: Path, tab: Tab, tmp_path: Path) -> None:
    """Every fourth game, each a page of its own; `make same-bits` plays all levels of all games by the same kernels."""
    games = ticks = 0
    paths = [
        path
        for path in sorted((shared / "gvgai" / "games").rglob("*.txt"))
        if "_lvl" not in path.stem and not path.stem.endswith("_glvl")
    ]
    for path in paths[::4]:
        try:
            game = pcg.load(path)
            made = bundle(game)
        except PcgError:
            continue  # sets of rules without levels, and what the checker refuses
        tab.page.goto(write_page(made, tmp_path / "page.html").as_uri())
        tab.page.wait_for_function("window.pcg?.page")
        ticks += compare(tab.page, game, 60)
        games += 1
    assert games > 35 and ticks > 12_000


@pytest.mark.parametrize("name", ["boxes", "duel", "invaders", "watchtower"])
def test_agents_decide_as_in_python(name: str, tab: Tab, tmp_path: Path) -> None:
    game = pcg.load(name)
    page = show(tab, game, tmp_path)
    compare_decisions(page, game)


# --- by keyboard ---


def plan(game: Game, level: int = 0) -> list[str]:
    return [str(action) for action in pcg.solve(game.start(level), max_nodes=100_000).actions]


def test_a_game_is_won_by_keyboard_and_the_next_level_follows(tab: Tab, tmp_path: Path) -> None:
    game = pcg.load("boxes")
    page = show(tab, game, tmp_path)
    assert page.locator("[data-veil] b").text_content() == "Ready?"
    actions = plan(game)
    for count, action in enumerate(actions, start=1):
        page.keyboard.press(KEYS[action])
        wait_for_ticks(page, count)
    assert page.locator("[data-veil] b").text_content() == "Won!"
    assert f"after {len(actions)} turns" in page.locator("[data-say]").text_content()
    assert "✓" in page.locator("[data-levels] button").first.text_content()
    page.keyboard.press("Enter")  # the button that has the focus: the next level
    page.wait_for_function("window.pcg.page.play.number === 1")
    assert ticks(page) == 0


def test_turns_are_taken_back_also_after_the_end(tab: Tab, tmp_path: Path) -> None:
    game = pcg.load("boxes")
    page = show(tab, game, tmp_path)
    actions = plan(game)
    state = game.start(0, seed=0)
    for count, action in enumerate(actions, start=1):
        page.keyboard.press(KEYS[action])
        wait_for_ticks(page, count)
        if count < len(actions):
            state.advance(action)
    page.keyboard.press("KeyZ")
    wait_for_ticks(page, len(actions) - 1, back=True)
    assert page.locator("[data-veil]").is_hidden()
    seen = page.evaluate("window.pcg.page.play.sprites().map((s) => [s.id, s.x, s.y])")
    assert sorted(map(tuple, seen)) == sorted((s.id, s.x, s.y) for s in state.sprites())
    page.keyboard.press("KeyR")
    wait_for_ticks(page, 0, back=True)


def test_a_running_game_waits_for_a_key_and_stops_for_p(tab: Tab, tmp_path: Path) -> None:
    page = show(tab, pcg.load("invaders"), tmp_path)
    assert ticks(page) == 0
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("window.pcg.page.play.taken.length > 5")
    assert page.locator("[data-tools] [data-do=pause]").text_content() == "Pause"
    page.keyboard.press("KeyP")
    assert page.locator("[data-tools] [data-do=pause]").text_content() == "Go on"
    assert page.locator("[data-veil] b").text_content() == "Paused"
    stopped = ticks(page)
    page.keyboard.press("KeyZ")  # takes back a second
    assert ticks(page) == max(0, stopped - 20)


def test_chance_is_another_one_when_a_game_begins_anew(tab: Tab, tmp_path: Path) -> None:
    page = show(tab, pcg.load("hunt"), tmp_path)
    page.keyboard.press("KeyR")
    page.keyboard.press("KeyR")
    assert page.evaluate("window.pcg.page.play.seed") == 2
    page.click("[data-levels] li:nth-child(2) button")
    assert page.evaluate("window.pcg.page.play.seed") == 0
    page = show(tab, pcg.load("boxes"), tmp_path)
    page.keyboard.press("KeyR")
    assert page.evaluate("window.pcg.page.play.seed") == 0


def test_two_people_and_an_agent_play_duels(tab: Tab, tmp_path: Path) -> None:
    page = show(tab, pcg.load("duel"), tmp_path)
    page.keyboard.press("ArrowRight")
    page.wait_for_function("window.pcg.page.play.taken.length > 20")
    assert page.evaluate("window.pcg.page.play.taken.some(([, second]) => second > 0)")  # the agent moves
    page.select_option("[data-against]", "person")
    page.keyboard.press("KeyR")
    page.evaluate("document.querySelector('canvas').focus()")
    page.keyboard.press("KeyA")
    page.wait_for_function("window.pcg.page.play.taken.length > 10")
    page.keyboard.press("KeyP")
    second = page.evaluate("window.pcg.page.play.taken.map((codes) => codes[1])")
    assert second.count(ACTIONS.index("LEFT")) == 1 and set(second) == {0, ACTIONS.index("LEFT")}


# --- watching, hints and links ---


def test_agents_and_recorded_wins_can_be_watched(tab: Tab, tmp_path: Path) -> None:
    game = pcg.load("boxes")
    page = show(tab, game, tmp_path, plays={0: RecordedPlay(4, tuple(plan(game)))})
    page.evaluate("window.pcg.page.clock.period = 5")
    assert page.locator("[data-watch]").input_value() == "recorded"
    page.click("[data-tools] ~ * [data-do=watch]")
    page.evaluate("window.pcg.page.clock.period = 5")
    page.wait_for_function("window.pcg.page.play.over")
    assert page.locator("[data-veil] b").text_content() == "Won!"
    page.select_option("[data-watch]", "onestep")
    page.click("[data-tools] ~ * [data-do=watch]")
    page.wait_for_function("window.pcg.page.play.taken.length > 3 && !window.pcg.page.play.over")
    page.keyboard.press("ArrowLeft")  # takes over
    assert page.locator("[data-veil] b").text_content() == "Paused"


def test_agents_take_a_time_in_place_of_a_number_of_ticks(tab: Tab, tmp_path: Path) -> None:
    page = show(tab, pcg.load("dungeon"), tmp_path)
    budget, agents = page.locator("[data-budget]"), "window.pcg.page.watcher.agents"
    shown = ["800 ticks", "for 20 ms", "for 40 ms", "for 200 ms"]
    assert (
        budget.locator("option").all_text_contents() == shown
        and budget.get_attribute("aria-label") == "Agents simulate"
    )
    page.select_option("[data-watch]", "onestep")
    assert budget.locator("option").first.text_content() == "40 ticks"
    page.select_option("[data-watch]", "olets")
    page.click("[data-tools] ~ * [data-do=watch]")
    page.wait_for_function("window.pcg.page.play.taken.length > 1")
    assert page.evaluate(f"[{agents}[0].budget, {agents}[0].get('calls') >= 800]") == [800, True]
    page.select_option("[data-budget]", "20ms")  # from here on
    page.wait_for_function(f"{agents}[0].get('calls') > 0")
    assert page.evaluate(f"[{agents}[0].budget, {agents}[0].milliseconds, {agents}[0].get('deadline')]") == [
        "20ms",
        20,
        0,
    ]
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("KeyH")  # a hint by time
    page.wait_for_function("document.querySelector('[data-say]').textContent.startsWith('Hint')")
    page.click("[data-do=language]")
    assert budget.locator("option").all_text_contents() == ["800 步", "20 毫秒", "40 毫秒", "200 毫秒"]
    assert budget.input_value() == "20ms"


def test_a_hint_is_the_next_step_of_a_known_win_else_an_agents(tab: Tab, tmp_path: Path) -> None:
    game = pcg.load("boxes")
    actions = plan(game)
    page = show(tab, game, tmp_path, plays={0: RecordedPlay(0, tuple(actions))})
    page.keyboard.press("KeyH")
    page.wait_for_function("document.querySelector('[data-say]').textContent.startsWith('Hint')")
    assert actions[0].lower() in page.locator("[data-say]").text_content()
    page.click("[data-levels] li:nth-child(2) button")
    page.keyboard.press("KeyH")
    page.wait_for_function("document.querySelector('[data-say]').textContent.startsWith('Hint')")
    assert ticks(page) == 0


def test_a_play_is_shared_as_a_link_and_watched_by_another(browser: Any, tab: Tab, tmp_path: Path) -> None:
    game = pcg.load("boxes")
    page = show(tab, game, tmp_path)
    for count, action in enumerate(plan(game)[:6], start=1):
        page.keyboard.press(KEYS[action])
        wait_for_ticks(page, count)
    page.click("[data-tools] [data-do=share]")
    page.wait_for_function("location.hash.startsWith('#play=0,0,')")
    checksum, address = page.evaluate("window.pcg.page.play.checksum()"), page.url
    other = Tab(browser)
    other.page.goto(address)
    other.page.wait_for_function("window.pcg?.page")
    assert "6 turns" in other.page.locator("[data-veil] b").text_content()
    other.page.click("[data-veil] button")
    wait_for_ticks(other.page, 6)
    other.page.wait_for_function("window.pcg.page.paused")
    assert other.page.evaluate("window.pcg.page.play.checksum()") == checksum
    other.page.goto(address.split("#")[0] + "#play=99,0,U")
    other.page.wait_for_function("document.querySelector('[data-say]').textContent.includes('does not fit')")
    assert other.complaints == []
    other.close()


def test_a_level_has_an_address(tab: Tab, tmp_path: Path) -> None:
    page = show(tab, pcg.load("boxes"), tmp_path, "#level=3")
    assert page.evaluate("window.pcg.page.play.number") == 2


# --- by finger and by gamepad ---


def test_a_game_is_played_by_buttons_and_swipes_on_a_phone(phone: Tab, tmp_path: Path) -> None:
    game = pcg.load("boxes")
    page = show(phone, game, tmp_path)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("[...document.querySelectorAll('[data-pad] button')].every((b) => b.offsetHeight >= 44)")
    page.tap("[data-veil] button")
    page.tap("[data-pad] [data-action=LEFT]")
    wait_for_ticks(page, 1)
    box = page.locator("[data-stage]").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch = page.context.new_cdp_session(page)
    scrolled = page.evaluate("scrollY")
    for kind, up in (("touchStart", 0), ("touchMove", 15), ("touchMove", 60), ("touchEnd", None)):
        points = [] if up is None else [{"x": x, "y": y - up}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    page.wait_for_function("window.pcg.page.play.taken.length >= 2")
    taken = page.evaluate("window.pcg.page.play.taken.map(([first]) => first)")
    assert taken[:2] == [ACTIONS.index("LEFT"), ACTIONS.index("UP")]
    assert page.evaluate("scrollY") == scrolled


GAMEPAD = """
() => {
  const pad = { axes: [0, 0], buttons: Array.from({ length: 16 }, () => ({ pressed: false })) };
  navigator.getGamepads = () => [pad];
  window.pad = pad;
  window.dispatchEvent(new Event("gamepadconnected"));
}
"""


def test_a_gamepad_steers(tab: Tab, tmp_path: Path) -> None:
    page = show(tab, pcg.load("boxes"), tmp_path)
    page.evaluate(GAMEPAD)
    page.evaluate("window.pad.axes[0] = -1")
    page.wait_for_function("window.pcg.page.play.taken.length >= 1")
    page.evaluate("window.pad.axes[0] = 0")
    page.wait_for_function("!window.pcg.page.hands[0].busy")
    before = ticks(page)
    page.evaluate("window.pad.buttons[12].pressed = true")
    page.wait_for_function(f"window.pcg.page.play.taken.length > {before}")
    taken = page.evaluate("window.pcg.page.play.taken.map(([first]) => first)")
    assert taken[0] == ACTIONS.index("LEFT") and taken[before] == ACTIONS.index("UP")


# --- what is seen and said ---


def test_the_page_speaks_chinese_and_remembers_it(tab: Tab, tmp_path: Path) -> None:
    page = show(tab, pcg.load("dungeon"), tmp_path)
    assert page.locator("[data-text=summary]").text_content().startswith("You are the hero")
    page.click("[data-do=language]")
    assert page.locator("[data-text=summary]").text_content().startswith("您是英雄")
    assert page.evaluate("document.documentElement.lang") == "zh"
    assert page.locator("[data-veil] b").text_content() == "准备好了吗？"
    page.reload()
    page.wait_for_function("window.pcg?.page")
    assert page.evaluate("document.documentElement.lang") == "zh"


def test_everything_to_press_has_a_name_and_all_is_reached_by_tab(tab: Tab, tmp_path: Path) -> None:
    page = show(tab, pcg.load("duel"), tmp_path)
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("button, select, input, canvas[role], [role=group]")]
        .filter((e) => !(e.ariaLabel || e.labels?.length || e.textContent.trim() || e.dataset.tools !== undefined))
        .map((e) => e.outerHTML)"""
    )
    assert nameless == []
    reached = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.dataset.do ?? document.activeElement.tagName"))
    assert {"language", "undo", "restart", "hint", "watch", "CANVAS", "SELECT", "INPUT"} - {"undo"} <= reached


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (375, "dark")])
def test_nothing_sticks_out(width: int, scheme: str, browser: Any, tmp_path: Path) -> None:
    tab = Tab(browser, viewport={"width": width, "height": 800}, color_scheme=scheme)
    for name in ("lode_runner", "duel"):
        page = show(tab, pcg.load(name), tmp_path)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        tab.shot(f"export-{name}-{width}")
    tab.close()
    assert tab.complaints == []


# --- pages in pages ---


def test_a_frame_tells_of_plays_that_python_can_repeat(tab: Tab, tmp_path: Path) -> None:
    game = pcg.load("boxes")
    write_page(bundle(game), tmp_path / "boxes.html")
    listen = "<script>window.told = []; addEventListener('message', (event) => told.push(event.data));</script>"
    (tmp_path / "outer.html").write_text(f"<title>x</title>{listen}{iframe('boxes.html')}", encoding="utf-8")
    tab.page.goto((tmp_path / "outer.html").as_uri())
    (frame,) = [frame for frame in tab.page.frames if frame != tab.page.main_frame]
    frame.wait_for_function("window.pcg?.page")
    frame.focus("canvas")
    actions = plan(game)
    for count, action in enumerate(actions, start=1):
        tab.page.keyboard.press(KEYS[action])
        wait_for_ticks(frame, count)
    tab.page.wait_for_function("window.told.length === 1")
    assert play_of(tab.page.evaluate("window.told[0]"), game) == (0, 0, actions)


def test_the_script_of_the_widget_hands_plays_on(tab: Tab, tmp_path: Path) -> None:
    (tmp_path / "x.html").write_text("<title>x</title><div id='el'></div>", encoding="utf-8")
    tab.page.goto((tmp_path / "x.html").as_uri())
    tab.page.evaluate(
        """async (code) => {
          const { default: widget } = await import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
          const inner = "<script>parent.postMessage({ pcg: 'play', level: 1 }, '*');<" + "/script>";
          const values = window.values = { text: inner, height: 99, plays: [] };
          const model = {
            get: (name) => values[name],
            set: (name, value) => { values[name] = value; },
            save_changes: () => { window.saved = true; },
          };
          widget.render({ el: document.getElementById("el"), model });
        }""",
        source("widget.js"),
    )
    tab.page.wait_for_function("window.saved")
    assert tab.page.evaluate("window.values.plays") == [{"pcg": "play", "level": 1}]


def test_a_gallery_leads_to_its_games_and_back_to_what_was_searched(tab: Tab, tmp_path: Path) -> None:
    names = sorted(builtin_games())[:12]
    path = write_site([one_game(name) for name in names], tmp_path / "site", title="Our games")
    page = tab.page
    page.goto(path.as_uri())
    assert page.locator("h1").text_content() == "Our games"
    page.fill("#search", "dungeon")
    assert page.locator(".cards li:visible").count() == 1
    page.click("#language")
    assert "您是英雄" in page.locator(".cards li:visible").inner_text()
    tab.shot("gallery")
    page.click(".cards li:visible a")
    page.wait_for_function("window.pcg?.page")
    assert page.locator("h1").text_content() == "dungeon"


def test_the_report_of_a_run_links_each_level_to_its_play(tab: Tab, tmp_path: Path) -> None:
    run = tmp_path / "run"
    result = run_levels(LevelRun("boxes", generator="constructive", count=2, seed=1, evaluations=20), run)
    assert len(result.levels) == 2
    tab.page.goto(write_report(run).as_uri())
    tab.page.get_by_role("link", name="Play lvl1.txt, or watch its win").click()
    tab.page.wait_for_url("**/play.html#level=2")
    tab.page.locator("[data-levels] button[aria-current=true]").filter(has_text="2").wait_for()
