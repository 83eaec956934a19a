"""The studio: texts are checked with the place of every finding, and what has no error is played at once."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsers import Tab, chromium, needs_browser, served, until
from starlette.testclient import TestClient

import pcg
from pcg.engine.kernel.runtime import MODE
from pcg.studio import studio_app
from pcg.studio.writing import findings_of

BOXES = pcg.load("boxes")
compiled = pytest.mark.skipif(MODE != "aot", reason="the kernels of pages are built ahead of time")


def client() -> TestClient:
    return TestClient(studio_app(BOXES), base_url="http://localhost")


def text_of(*changes: tuple[str, str]) -> str:
    text = str(BOXES.definition.source)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


def test_findings_have_their_places() -> None:
    assert findings_of(text_of(), list(BOXES.levels))[0] == []
    wrong, _ = findings_of(text_of(("MovingAvatar", "MovingAvater")), [])
    (found,) = [one for one in wrong if "MovingAvater" in one["message"]]
    line = text_of().splitlines()[found["line"] - 1]
    assert "MovingAvatar" in line and found["column"] == line.index("MovingAvatar") + 1
    assert found["part"] == "game" and "did you mean `MovingAvatar`?" in found["message"]
    (found,) = findings_of(text_of(), [BOXES.levels[0], "wA?\n"])[0][-1:]
    assert (found["part"], found["line"], found["column"]) == (1, 1, 3) and "`?` is not mapped" in found["message"]


def test_a_game_without_errors_comes_back_to_be_played() -> None:
    answer = client().post("/api/game", json={"text": text_of(), "levels": list(BOXES.levels), "name": "mine"}).json()
    assert answer["findings"] == [] and answer["about"]["name"] == "mine" and len(answer["about"]["levels"]) == 5
    assert len(base64.b64decode(answer["data"])) == sum(size for size, _ in answer["about"]["pieces"])


@pytest.mark.parametrize("levels", [[], ["w"], ["www"]])
def test_what_cannot_be_played_is_a_finding(levels: list[str]) -> None:
    answer = client().post("/api/game", json={"text": text_of(), "levels": levels}).json()
    assert "about" in answer or [one for one in answer["findings"] if one["severity"] == "error"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ([], 400),
        ({"text": 1, "levels": []}, 400),
        ({"text": "", "levels": [1]}, 400),
        ({"text": "", "levels": [""] * 21}, 413),
        ({"text": "x" * 100_001, "levels": []}, 413),
        ({"text": "", "levels": [], "name": 5}, 400),
    ],
)
def test_other_requests_are_refused(body: Any, status: int) -> None:
    answer = client().post("/api/game", json=body)
    assert answer.status_code == status and answer.json()["error"]


def test_other_sites_and_other_files_are_refused() -> None:
    assert client().post("/api/game", json={}, headers={"origin": "http://evil.example"}).status_code == 403
    assert client().get("/exported/secrets.js").status_code == 404
    assert client().get("/exported/page.js").headers["content-type"].startswith("text/javascript")
    assert "wasm-unsafe-eval" in client().get("/").headers["content-security-policy"]


def test_words_have_roles_and_places_get_help() -> None:
    answer = (
        client().post("/api/game", json={"text": "BasicGame\n    SpriteSet\n        cat > Chas", "levels": []}).json()
    )
    assert [2, 8, "cat", "definition"] in answer["words"] and [2, 14, "Chas", "class"] in answer["words"]
    text = text_of()
    line = next(k for k, row in enumerate(text.split("\n")) if "MovingAvatar" in row)
    column = text.split("\n")[line].index("MovingAvatar") + 6
    help = client().post("/api/help", json={"text": text, "line": line, "column": column}).json()
    assert help["written"] == "Moving" and [p["text"] for p in help["proposals"]] == ["MovingAvatar"]
    assert help["explained"]["text"].startswith("**MovingAvatar**") and help["explained"]["start"] == column - 6


@pytest.mark.parametrize("body", [{"text": "x"}, {"text": "x", "line": -1, "column": 0}, {"text": "x", "line": True}])
def test_help_for_no_place_is_refused(body: Any) -> None:
    assert client().post("/api/help", json=body).status_code == 400


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@compiled
@needs_browser
@pytest.mark.browser
def test_a_game_is_written_mended_and_played(browser: Any, tmp_path: Path) -> None:
    tab = Tab(browser, viewport={"width": 1280, "height": 860})
    with served(studio_app(BOXES, folder=tmp_path)) as url:
        page = tab.page
        page.goto(url)
        until(page, "window.studio?.page")
        assert page.locator(".pcg-main canvas").first.is_visible()
        text = page.input_value("#text")
        page.fill("#text", text.replace("MovingAvatar", "MovingAvater"))
        page.wait_for_selector("#findings button.error")
        assert "did you mean `MovingAvatar`?" in page.locator("#findings").inner_text()
        assert "MovingAvater" in page.locator("#marks mark").all_text_contents()
        assert page.locator("#numbers .error").count() >= 1
        tab.shot("studio-error")
        page.fill("#text", text)
        page.wait_for_selector("#findings .good")
        assert {"stepBack", "killSprite"} & set(page.locator("#marks .effect").all_text_contents())
        start = text.index("MovingAvatar")
        page.evaluate(f"document.getElementById('text').setSelectionRange({start}, {start + 12})")
        page.keyboard.type("Mov")
        page.locator("#proposals li").first.wait_for()
        tab.shot("studio-proposals")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        assert page.input_value("#text") == text and page.locator("#proposals").is_hidden()
        page.keyboard.press("Control+i")
        page.locator("#explained", has_text="MovingAvatar: avatar class").wait_for()
        tab.shot("studio-explained")
        card = page.locator("#explained")
        before = card.bounding_box()["y"]
        page.evaluate("document.getElementById('text').scrollTop -= 8")  # a late scroll to the caret takes it along
        until(page, f"document.getElementById('explained').getBoundingClientRect().y > {before + 4}")
        assert card.is_visible()
        page.evaluate(
            "Object.assign(document.getElementById('text').style, { height: '60px', minHeight: 0, flex: 'none' })"
        )
        page.evaluate("document.getElementById('text').scrollTop = 0")
        card.wait_for(state="hidden")  # its word is out of sight
        page.evaluate("document.getElementById('text').removeAttribute('style')")
        page.keyboard.press("Control+i")
        card.wait_for()
        page.keyboard.press("Escape")
        assert page.locator("#explained").is_hidden()
        stamps = page.evaluate("window.studio.game.about.sheet.stamps.length")
        before = page.evaluate("window.studio.version")
        page.fill("#text", text.replace("scoreChange=1", "scoreChange=7"))
        until(page, f"window.studio.version > {before}")
        assert page.locator("#findings .good").count() == 1
        more = (
            "SpriteSet",
            "SpriteSet\n        lava > Immovable color=RED\n        torch > Flicker limit=5 color=YELLOW",
        )
        for _ in range(2):  # more pictures than before, and fewer again, faster than the levels are drawn
            page.fill(
                "#text", text.replace(*more).replace("LevelMapping", "LevelMapping\n        L > floor lava torch")
            )
            until(page, f"window.studio.game.about.sheet.stamps.length > {stamps}")
            page.fill("#text", text)
            until(page, f"window.studio.game.about.sheet.stamps.length === {stamps}")
        page.get_by_role("tab", name="Level 2").click()
        page.fill("#text", "wwwwww\nwA.bow\nwwwwww")
        until(page, "window.studio.game.about.levels[1].width === 6")
        page.focus("#player canvas")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        until(page, "window.studio.page.play.over")
        assert page.evaluate("window.studio.page.play.status()")["winner"] == 1
        tab.shot("studio")
        page.reload()  # what was written is still there
        until(page, "window.studio?.page")
        page.get_by_role("tab", name="Level 2").click()
        assert page.input_value("#text") == "wwwwww\nwA.bow\nwwwwww"
        page.set_viewport_size({"width": 375, "height": 740})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        tab.shot("studio-375")
    tab.close()
    assert tab.complaints == []
