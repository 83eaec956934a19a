"""Games in participants' browsers, all of the toolkit's own: what a page claims is what the server finds."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import browsers
import pytest
from study_walks import small_study

import pcg
from pcg.engine.game import Game, builtin_games
from pcg.study.server import Limits, study_app
from pcg.study.server.page_engine import KERNELS, level_image
from pcg.study.server.page_plays import Claim

pytestmark = [pytest.mark.browser, browsers.needs_browser]

TICKS = 150
PLAY = """async ([engine, kernels, about, data, seed, actions]) => {
  const { Game, Play, ACTIONS } = await import(`${engine}/game.js`);
  const { witness } = await import("/static/page_play.js");
  const module = await WebAssembly.compile(await (await fetch(`${engine}/${kernels}`)).arrayBuffer());
  const bytes = Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
  const play = new Play(new Game(about, [{ module, names: {} }], bytes), 0, seed);
  for (const action of actions) play.advance(ACTIONS.indexOf(action));
  const { tick, score, winner, over } = play.status();
  return { ticks: tick, score, winner, over, sum: witness(play) };
}"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, Any]]:
    """A page of a study, and the study's site."""
    app = study_app(small_study(tmp_path_factory.mktemp("page") / "s"), limits=Limits.none())
    with browsers.chromium() as browser, browsers.served(app) as url:
        tab = browsers.Tab(browser)
        tab.page.goto(url)
        yield tab.page, app.state.site
        assert not tab.complaints, tab.complaints


def own_games() -> list[str]:
    """The toolkit's VGDL games for one player."""
    found = [(name, pcg.load(name)) for name in builtin_games()]
    return [name for name, game in found if isinstance(game, Game) and game.players == 1]


@pytest.mark.parametrize("seed", [1, 2])
def test_pages_and_server_find_the_same_in_every_game(page: tuple[Any, Any], seed: int) -> None:
    names = own_games()
    assert len(names) > 5
    for name in names:
        game: Any = pcg.load(name)
        image = json.loads(level_image(game, game.levels[0]) or b"{}")
        state = game.start(game.levels[0], seed=seed)
        keys = random.Random(f"{name}/{seed}")
        actions: list[str] = []
        while not state.is_over and len(actions) < TICKS:
            actions.append(keys.choice(list(state.actions) or ["NIL"]))
            state.advance(actions[-1])
        true = Claim.of(state)
        engine = page[1].engine
        found = page[0].evaluate(
            PLAY, [f"/engine/{engine.name}", KERNELS, image["about"], image["data"], seed, actions]
        )  # fmt: skip
        assert Claim(**found) == true, name
