"""The page of a ConnectX episode in headless Chromium: a reader plays on from any step, against a search there."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsers import Tab, chromium, needs_browser, until

from pcg.connectx import make
from pcg.connectx.agents import make_player
from pcg.connectx.rendering import winning_cells

pytestmark = [pytest.mark.browser, needs_browser]

YOURS = "!answering && episode !== recorded"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


def opened(browser: Any, folder: Path, env: Any, *, width: int = 520, **options: Any) -> Tab:
    path = folder / "episode.html"
    path.write_text(env.render(mode="html", autoplay=False, **options), encoding="utf-8")
    tab = Tab(browser, viewport={"width": width, "height": 640}, has_touch=width < 500)
    tab.page.goto(path.as_uri())
    return tab


def finished_episode(**configuration: Any) -> Any:
    env = make("connectx", {"seed": 3, **configuration})
    env.run(["onestep", "random"])
    return env


def answer(page: Any, cells: list[int], mark: int) -> int:
    return int(page.evaluate("([cells, mark]) => opponent.choose(cells, mark)", [cells, mark]))


@pytest.mark.parametrize("width", [320, 1280])
def test_a_reader_plays_on_from_any_step_and_comes_back(browser: Any, tmp_path: Path, width: int) -> None:
    env = finished_episode()
    tab = opened(browser, tmp_path, env, width=width, step=-1)
    page = tab.page
    assert page.locator(".outcome").inner_text() == "onestep (1) has won"
    assert page.locator(".hint").inner_text() == "Go back some steps to play on."
    assert page.locator(".column[aria-disabled=false]").count() == 0
    page.locator(".column").first.click(force=True)
    assert page.evaluate("episode === recorded")  # it is over
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    before = page.evaluate("boardAt(1).cells")
    page.locator(".column").nth(4).click()  # the second player's move
    until(page, f"{YOURS} && step === 3")
    after = page.evaluate("boardAt(3).cells")
    assert sum(1 for cell in after if cell) == 3
    assert all(old in (0, new) for old, new in zip(before, after, strict=True))
    assert after[5 * 7 + 4] == 2 or before[5 * 7 + 4]
    assert page.locator(".name").all_inner_texts() == ["the page", "you"]
    assert "The page chose column" in page.locator(".hint").inner_text()
    tab.shot(f"connectx-{width}")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(
        "document.querySelector('.controls').scrollWidth <= document.querySelector('.controls').clientWidth"
    )
    page.locator("#back").click()
    page.locator("#back").click()
    page.keyboard.press("3")  # another move instead
    until(page, f"{YOURS} && step === 3")
    page.get_by_role("button", name="Back to the episode").click()
    assert page.evaluate("episode === recorded && step === episode.moves.length")
    assert page.locator(".name").all_inner_texts() == ["onestep", "random"]
    assert tab.complaints == []
    tab.close()


@pytest.mark.parametrize(("rows", "columns", "inarow"), [(6, 7, 4), (3, 12, 3), (9, 4, 5), (4, 3, 3)])
def test_games_to_the_end_follow_the_rules(browser: Any, tmp_path: Path, rows: int, columns: int, inarow: int) -> None:
    size = {"rows": rows, "columns": columns, "inarow": inarow}
    tab = opened(browser, tmp_path, make("connectx", size))
    page, rng = tab.page, random.Random(rows)
    for first in (True, False):
        page.evaluate("go(0, false)")
        if not first:  # the page begins: the reader takes the second move of an opening
            page.evaluate("move(0, ['the page', 'you'])")
        while not page.evaluate("finishedAt(step)"):
            cells = page.evaluate("boardAt(step).cells")
            column = rng.choice([k for k in range(columns) if not cells[k]])
            page.locator(".column").nth(column).focus()
            page.keyboard.press("Enter")
            until(page, "!answering")
        cells, line = page.evaluate("[boardAt(step).cells, episode.line]")
        assert sorted(set(line)) == winning_cells(cells, rows, columns, inarow)
        moves = page.evaluate("episode.moves")
        env = make("connectx", size)
        for number, (cell, mark) in enumerate(moves):
            assert mark == 1 + number % 2
            assert not env.done
            env.step([cell % columns, None] if mark == 1 else [None, cell % columns])
        assert env.done
        assert env.state[0].observation.board == cells
        assert [agent.reward for agent in env.state] == page.evaluate("episode.rewards")
    tab.close()


def test_the_page_wins_at_once_blocks_and_sees_two_threats(browser: Any, tmp_path: Path) -> None:
    tab = opened(browser, tmp_path, make("connectx"))
    rows = {
        "wins": (["0000000"] * 5 + ["1112220"], 2, {6}),
        "blocks": (["0000000"] * 3 + ["1000000", "1000000", "1200020"], 2, {0}),
        "fork": (["0000000"] * 5 + ["0011000"], 2, {1, 4}),  # an open three would win by force
    }
    for name, (board, mark, right) in rows.items():
        cells = [int(mark) for row in board for mark in row]
        assert answer(tab.page, cells, mark) in right, name
    full = [1, 1, 2, 2, 1, 1, 2] * 6
    assert answer(tab.page, full, 1) == -1
    tab.close()


def test_the_page_is_stronger_than_a_search_of_four_moves(browser: Any, tmp_path: Path) -> None:
    tab = opened(browser, tmp_path, make("connectx"))
    won = lost = 0
    for seed in range(8):
        env, negamax = make("connectx", {"seed": seed}), make_player("negamax", seed)
        own = seed % 2
        while not env.done:
            observation = env.state[0].observation
            mover = sum(1 for cell in observation.board if cell) % 2
            seen = {"board": observation.board, "mark": mover + 1}
            column = (
                answer(tab.page, list(seen["board"]), mover + 1) if mover == own else negamax(seen, env.configuration)
            )
            env.step([column, None] if mover == 0 else [None, column])
        won += env.state[own].reward == 1
        lost += env.state[own].reward == -1
    assert won >= 5, (won, lost)
    tab.close()


def test_pages_only_to_watch_take_no_moves(browser: Any, tmp_path: Path) -> None:
    env = finished_episode()
    tab = opened(browser, tmp_path, env, play=False, step=0)
    page = tab.page
    page.keyboard.press("3")
    assert page.evaluate("episode === recorded")
    assert page.locator(".column").count() == 0
    assert page.locator(".hint").is_hidden()
    assert json.loads(page.evaluate("JSON.stringify(options)"))["play"] is False
    tab.close()
