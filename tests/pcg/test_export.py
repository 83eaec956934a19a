"""Games exported as pages: what can be exported, what a page holds, its size, and that it plays as Python does."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import pcg
from pcg.cli import app
from pcg.engine.kernel.ids import ACTIONS
from pcg.engine.kernel.runtime import MODE
from pcg.engine.native.image import image_of
from pcg.engine.native.replay import Native, random_play
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.agents import make_agent
from pcg.export import AGENTS, Exportable, RecordedPlay, all_games, bundle, iframe, one_game, play_of
from pcg.export.bundle import Bundle
from pcg.export.kernels import modules_for
from pcg.export.page import SCRIPTS, page, script, source, style, write_page
from pcg.export.pieces import Pieces, deflated, in_planes
from pcg.export.site import write_site

NODE = shutil.which("node")
compiled = pytest.mark.skipif(MODE != "aot", reason="the kernels of pages are built ahead of time")
LIMIT = 150_000
"""Bytes of the page of a game with ten levels."""


def content(made: Bundle, number: int) -> bytes:
    """A piece of a bundle, out of its planes."""
    at = sum(size for size, _ in made.about["pieces"][:number])
    size, record = made.about["pieces"][number]
    data = made.data[at : at + size]
    if not record:
        return data
    count = size // record
    planes = np.frombuffer(data, np.uint8, count * record).reshape(record, count)
    return np.cumsum(planes, axis=1, dtype=np.uint8).T.tobytes() + data[count * record :]


# --- what a bundle holds ---


@given(st.binary(max_size=200), st.integers(1, 9))
def test_planes_lose_nothing(data: bytes, record: int) -> None:
    found = in_planes(data, record)
    count = len(data) // record
    planes = np.frombuffer(found, np.uint8, count * record).reshape(record, count)
    assert np.cumsum(planes, axis=1, dtype=np.uint8).T.tobytes() + found[count * record :] == data


def test_a_piece_is_in_planes_only_where_that_makes_it_smaller() -> None:
    pieces = Pieces()
    rows = np.arange(4000, dtype=np.int32).tobytes()
    pieces.add(rows, 4)
    pieces.add(bytes(range(64)), 64)
    assert [record for _, record in pieces.sizes] == [4, 0]
    assert len(deflated(bytes(pieces.data))) < len(deflated(rows)) / 5


def test_path_tables_are_left_out_and_can_be_computed() -> None:
    game = pcg.load("lode_runner")
    made = bundle(game)
    level = made.about["levels"][0]
    cells = level["width"] * level["height"]
    whole, without = image_of(game.context(0)), image_of(game.context(0), paths=False)
    assert len(whole.data) - len(without.data) >= cells**2
    assert without.paths is not None
    at, inputs = without.paths
    assert at == level["paths"]["at"] and content(made, level["paths"]["blocked"]) == inputs.blocked.tobytes()
    table = inputs.build(level["width"], level["height"])
    assert table.tobytes() in whole.data


def test_what_levels_share_is_kept_once() -> None:
    first, *others = (set(level["pieces"]) for level in bundle(pcg.load("dungeon")).about["levels"])
    assert all(len(first & other) >= 5 for other in others)


def test_everything_that_is_said_of_a_game_is_there_in_both_languages() -> None:
    text = bundle(pcg.load("dungeon")).about["text"]
    assert text["en"]["summary"].startswith("You are the hero") and text["zh"]["summary"].startswith("您是英雄")
    names = [[stamp for _, _, stamp, _ in text[language]["things"]] for language in ("en", "zh")]
    assert names[0] == names[1] and len(names[0]) >= 5


def test_a_game_that_cannot_be_played_is_refused() -> None:
    with pytest.raises(PcgError, match="has no levels"):
        bundle(pcg.load("boxes", levels=[]))
    with pytest.raises(PcgError, match="a page takes 100"):
        bundle(pcg.load("boxes", levels=[pcg.load("boxes").levels[0]] * 101))


def test_agents_that_do_not_decide_in_kernels_alone_are_refused() -> None:
    for name, message in {
        "guided": "compiled code alone",
        "human": "compiled code alone",
        "ga": "kernels of pages",
    }.items():
        with pytest.raises(PcgError, match=message):
            bundle(pcg.load("boxes"), agents={name: 50})
    with pytest.raises(PcgError, match="keeps states in `states`"):
        bundle(pcg.load("boxes"), agents={"mcts:closed_loop=true": 50})


# --- scripts and styles ---


def test_scripts_import_only_what_comes_before_them() -> None:
    text = script()
    assert not re.search(r"^(?:import|export) ", text, re.MULTILINE)
    for name in SCRIPTS:
        assert all(other in SCRIPTS for other in re.findall(r'from "\./([\w.]+)"', source(name)))


def test_the_words_of_both_languages_are_the_same_ones(tmp_path: Path) -> None:
    if NODE is None:
        pytest.skip("needs Node")
    (tmp_path / "words.mjs").write_text(source("words.js"), encoding="utf-8")
    code = 'import { WORDS } from "./words.mjs"; console.log(JSON.stringify(WORDS));'
    (tmp_path / "main.mjs").write_text(code, encoding="utf-8")
    words = json.loads(subprocess.run([NODE, "main.mjs"], cwd=tmp_path, check=True, capture_output=True).stdout)
    assert words["en"].keys() == words["zh"].keys()
    assert words["en"]["agents"].keys() == words["zh"]["agents"].keys() == {*AGENTS, "recorded"}
    for name, text in words["en"].items():
        if isinstance(text, str):
            assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", words["zh"][name])), name
    used = set(re.findall(r"\b(?:say|words)\.(\w+)", source("page.js"))) | set(
        re.findall(r'data-(?:word|do)="(\w+)"', source("page.js"))
    )
    assert used <= words["en"].keys() | {"append", "js"}


SHARE = """
import { fragmentOf, playIn } from "./share.mjs";
const about = { players: 2, levels: [{}, {}, {}] };
const taken = [[1, 0], [1, 5], [1, 5], [0, 2], [4, 0], [6, 6]];
const fragment = fragmentOf({ about, number: 2, seed: -7, taken });
const bad = ["#play=3,0,U", "#play=0,0,Q", "#play=0,0,U9999999", "#play=0,0,U999999U999999", "#play=0,x,U",
  "#level=1", ""];
console.log(JSON.stringify({ fragment, back: playIn(fragment, about), bad: bad.map((text) => playIn(text, about)),
  one: playIn("#play=0,5,R3_2U", { players: 1, levels: [{}] }) }));
"""


def test_plays_travel_in_addresses(tmp_path: Path) -> None:
    if NODE is None:
        pytest.skip("needs Node")
    (tmp_path / "share.mjs").write_text(source("share.js"), encoding="utf-8")
    (tmp_path / "main.mjs").write_text(SHARE, encoding="utf-8")
    found = json.loads(subprocess.run([NODE, "main.mjs"], cwd=tmp_path, check=True, capture_output=True).stdout)
    assert found["fragment"] == "#play=2,-7,U3_RE,_X2L_E"
    assert found["back"] == {"level": 2, "seed": -7, "actions": [[1, 0], [1, 5], [1, 5], [0, 2], [4, 0], [6, 6]]}
    assert found["bad"] == [None] * 7
    assert found["one"]["actions"] == [[4, 0]] * 3 + [[0, 0]] * 2 + [[1, 0]]


# --- what can be exported ---


def folder_of(game: str, target: Path, index: list[dict[str, Any]] | None = None) -> Path:
    """A folder with a built-in game, as runs keep their levels."""
    from pcg.engine.game import builtin_games

    shutil.copytree(builtin_games()[game], target)
    if index is not None:
        (target / "index.json").write_text(json.dumps({"levels": index}), encoding="utf-8")
    return target


def test_a_run_brings_the_plays_that_won_its_levels(tmp_path: Path) -> None:
    entry = {"seed": 3, "actions": ["UP", "NIL"], "fitness": 0.731, "winner": "mcts"}
    folder_of("boxes", tmp_path / "run" / "levels", [entry, {"fitness": 0.5, "winner": ""}])
    (tmp_path / "run" / "run.json").write_text('{"format": 1, "kind": "levels"}', encoding="utf-8")
    one = one_game(str(tmp_path / "run"))
    assert (one.name, one.title) == ("run", "run")
    assert one.plays == {0: RecordedPlay(3, ("UP", "NIL"))}
    assert one.notes[0] == ("quality 0.73, won by mcts in 2 ticks", "质量 0.73，mcts 用 2 步获胜")
    assert bundle(one.game, plays=one.plays).about["levels"][0]["play"] == {"seed": 3, "actions": ["UP", "NIL"]}


def test_a_folder_of_games_is_a_gallery_and_no_page(tmp_path: Path) -> None:
    for game in ("boxes", "lode_runner"):
        folder_of(game, tmp_path / game)
    (tmp_path / "README.txt").write_text("about these games", encoding="utf-8")
    (tmp_path / "broken.vgdl").write_text("BasicGame\n  SpriteSet\n", encoding="utf-8")
    with pytest.raises(PcgError, match=r"has 3 games.*--site"):
        one_game(str(tmp_path))
    games, left_out = all_games(str(tmp_path))
    assert [one.title for one in games] == ["boxes", "lode runner"]
    assert [one.name for one in left_out] == ["broken"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda folder: "connect-four", "is a board game"),
        (lambda folder: "boxe", "did you mean `boxes`"),
        (lambda folder: str(folder), "no game there"),
    ],
)
def test_what_cannot_be_exported_is_told(tmp_path: Path, make: Any, message: str) -> None:
    with pytest.raises(PcgError, match=message):
        one_game(make(tmp_path))


def test_a_game_without_levels_is_told(tmp_path: Path) -> None:
    target = folder_of("boxes", tmp_path / "boxes")
    for path in target.glob("lvl*.txt"):
        path.unlink()
    with pytest.raises(PcgError, match="has no levels, so there is nothing to play"):
        one_game(str(target))
    (target / "lvl0.txt").write_text("w?w\n", encoding="utf-8")
    with pytest.raises(PcgError, match=r"\?"):
        one_game(str(target / "game.vgdl"), reading="strict")
    result = CliRunner().invoke(app, ["export", str(target), "-o", str(tmp_path / "page.txt")])
    assert result.exit_code == 2 and "a page is a .html file" in result.stderr


def test_a_frame_is_escaped() -> None:
    text = iframe('a".html', title="<b>", height=300)
    assert 'src="a&quot;.html"' in text and 'title="&lt;b&gt;"' in text and 'height="300"' in text


def message_of(game: Any, actions: list[str]) -> dict[str, Any]:
    """A page's account of a play."""
    state = game.start(0, seed=2)
    for action in actions:
        state.advance(action)
    letters = {"UP": "U", "LEFT": "L", "NIL": "."}
    return {
        "digest": game.digest, "level": 0, "seed": 2, "plays": ["".join(letters[a] for a in actions)],
        "ticks": state.tick + 1, "winner": int(state.winner), "score": state.score,
    }  # fmt: skip


def test_plays_that_come_back_are_played_again() -> None:
    game = pcg.load("boxes")
    message = message_of(game, ["UP", "LEFT", "NIL"])
    assert play_of(message, game) == (0, 2, ["UP", "LEFT", "NIL"])
    for wrong, told in (
        ({"score": 5}, "not true"),
        ({"ticks": 9}, "not true"),
        ({"digest": "0"}, "another game"),
        ({"plays": ["U", "L"]}, "another game"),
        ({"plays": ["Q"]}, "not a play"),
        ({"seed": None}, "not a play"),
    ):
        with pytest.raises(PcgError, match=told):
            play_of({**message, **wrong}, game)


# --- pages ---


def mirrored(level: str) -> str:
    """A level with left and right exchanged: as different from the others as they are from each other."""
    return "\n".join(row[::-1] for row in level.splitlines())


@compiled
@pytest.mark.modes
def test_a_page_of_ten_levels_is_small_and_asks_nobody_for_anything(tmp_path: Path) -> None:
    for name in ("lode_runner", "snakes", "bazaar", "duel"):
        levels = pcg.load(name).levels
        text = page(bundle(pcg.load(name, levels=[*levels, *(mirrored(level) for level in levels)])))
        assert len(text.encode()) <= LIMIT
        assert not re.findall(r"""(?:src|href)=["'](?!data:)|url\((?!["']?data:)|https?://""", text)


@compiled
@pytest.mark.modes
def test_equal_games_give_equal_pages(tmp_path: Path) -> None:
    first = write_page(bundle(pcg.load("duel")), tmp_path / "a.html").read_bytes()
    assert write_page(bundle(pcg.load("duel")), tmp_path / "b.html").read_bytes() == first


@compiled
@pytest.mark.modes
def test_the_command_writes_pages_and_galleries(tmp_path: Path) -> None:
    run = CliRunner().invoke
    result = run(app, ["export", "boxes", "-o", str(tmp_path / "b.html"), "--title", "A <game>", "--embed"])
    assert result.exit_code == 0, result.output
    assert "5 levels" in result.stdout and '<iframe src="b.html" title="A &lt;game&gt;"' in result.stdout
    assert "<title>A &lt;game&gt;</title>" in (tmp_path / "b.html").read_text(encoding="utf-8")
    result = run(app, ["export", "boxes", "--site", str(tmp_path / "site")])
    assert result.exit_code == 0, result.output
    overview = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert overview.count('href="boxes.html#level=') == 5 and "http" not in overview
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").write_text("mine", encoding="utf-8")
    assert run(app, ["export", "boxes", "--site", str(tmp_path / "other")]).exit_code != 0


@compiled
@pytest.mark.modes
def test_pages_of_equal_names_do_not_overwrite_each_other(tmp_path: Path) -> None:
    one = Exportable("index", "index", pcg.load("boxes"))
    path = write_site([one, one], tmp_path / "site")
    assert {p.name for p in path.parent.iterdir()} == {"index.html", "index-2.html", "index-3.html"}


# --- plays in WebAssembly, by Node ---

PLAYER = """
import fs from "fs";
import { Agent } from "./agent.js";
import { Game, Play } from "./game.js";
const [about, data, jobs] = ["about.json", "data", "jobs.json"].map((name) => fs.readFileSync(name));
const game = await Game.open(JSON.parse(about), new Uint8Array(data));
const answers = JSON.parse(jobs).map(({ level, seed, actions, agents, back, image, budgets }) => {
  if (image) return Buffer.from(game.image(level)).toString("base64");
  const play = new Play(game, level, seed);
  if (agents) {
    const find = (name, p) => game.about.agents[p].find((one) => one.name === name);
    const players = agents.map((name, p) => new Agent(play, find(name, p), seed + p));
    const chosen = [];
    for (let k = 0; k < 25 && !play.over; k++) {
      const codes = players.map((player) => player.decide());
      chosen.push(codes);
      play.advance(...codes);
    }
    return { chosen, checksum: play.checksum() };
  }
  if (budgets) {
    // a clock by which every look at it takes a millisecond, then that of the machine
    const { name, times } = budgets, about = game.about.agents[0].find((one) => one.name === name), looked = [];
    const clock = performance.now, top = play.machine.top;
    let former;
    for (const [budget, faked] of times) {
      let now = 1000;
      performance.now = faked ? () => now++ : clock;
      former = new Agent(play, about, seed, budget, former);
      const action = former.decide(), calls = former.get("calls");
      const left = [former.get("deadline"), former.get("resume")];
      looked.push({ action, calls, looks: now - 1000, left });
    }
    return { looked, bytes: play.machine.top - top };
  }
  const checksums = [play.checksum()];
  for (const codes of actions) {
    if (play.over) break;
    play.advance(...codes);
    checksums.push(play.checksum());
  }
  const ticks = play.taken.length, found = [];
  for (const count of back || []) {
    play.back(count);
    found.push([play.taken.length, play.checksum()]);
  }
  return { checksums, ticks, found, sprites: play.sprites().length, status: play.status() };
});
console.log(JSON.stringify(answers));
"""


def in_node(game: Any, jobs: list[dict[str, Any]], folder: Path, **options: Any) -> list[Any]:
    """Answers of the page's own scripts, without a page."""
    if NODE is None:
        pytest.skip("needs Node to run WebAssembly")
    made = bundle(game, **options)
    modules = modules_for(made.functions)
    about = {**made.about, "modules": [{"size": len(m.code), "names": m.names} for m in modules]}
    for name in ("machine.mjs", "game.js", "agent.js"):
        (folder / name).write_text(source(name), encoding="utf-8")
    (folder / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    (folder / "about.json").write_text(json.dumps(about), encoding="utf-8")
    (folder / "data").write_bytes(b"".join([*(m.code for m in modules), made.data]))
    (folder / "jobs.json").write_text(json.dumps(jobs), encoding="utf-8")
    (folder / "player.js").write_text(PLAYER, encoding="utf-8")
    done = subprocess.run([NODE, "player.js"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: list[Any] = json.loads(done.stdout)
    return found


def pairs(play: Any) -> list[list[int]]:
    second = play.actions[1] if len(play.actions) > 1 else "0" * len(play.actions[0])
    return [[int(a), int(b)] for a, b in zip(play.actions[0], second, strict=True)]


@compiled
@pytest.mark.modes
@pytest.mark.parametrize("name", ["boxes", "duel", "lode_runner", "watchtower"])
def test_the_image_of_a_level_is_put_together_again(name: str, tmp_path: Path) -> None:
    game = pcg.load(name)
    jobs = [{"level": k, "image": True} for k in range(len(game.levels))]
    for k, answer in enumerate(in_node(game, jobs, tmp_path)):
        assert base64.b64decode(answer) == image_of(game.context(k), paths=False).data


@compiled
@pytest.mark.modes
@pytest.mark.parametrize("name", ["boxes", "duel", "lode_runner", "snakes"])
def test_every_tick_leaves_the_state_that_python_has(name: str, tmp_path: Path) -> None:
    game = pcg.load(name)
    plays = [(level, random_play(game.players, seed, 120)) for level in range(len(game.levels)) for seed in (0, 1)]
    jobs = [{"level": level, "seed": play.seed, "actions": pairs(play)} for level, play in plays]
    for (level, play), answer in zip(plays, in_node(game, jobs, tmp_path), strict=True):
        (record,) = Native().play(game.context(level), [play])
        assert answer["checksums"] == list(record.checksums)
        state = game.start(level, seed=play.seed)
        for first, second in pairs(play)[: record.ticks]:
            state.advance((first, second) if game.players > 1 else first)
        assert answer["sprites"] == len([s for s in state.sprites() if not s.disabled])
        assert answer["status"]["over"] == state.is_over


@compiled
@pytest.mark.modes
def test_a_play_goes_back_to_what_it_was(tmp_path: Path) -> None:
    game = pcg.load("invaders")
    play = random_play(1, 3, 1500)
    job = {"level": 0, "seed": 3, "actions": pairs(play), "back": [1, 1, 40, 200, 1, 10_000]}
    (answer,) = in_node(game, [job], tmp_path)
    at = answer["ticks"]
    assert at > 60
    for count, (ticks, checksum) in zip(job["back"], answer["found"], strict=True):
        at = max(0, at - count)
        assert (ticks, checksum) == (at, answer["checksums"][at])


@compiled
@pytest.mark.modes
@pytest.mark.parametrize("name", ["boxes", "duel", "dungeon"])
def test_agents_decide_as_in_python(name: str, tmp_path: Path) -> None:
    game = pcg.load(name)
    jobs = [{"level": 1, "seed": 5, "agents": [agent] * game.players} for agent in AGENTS]
    for (agent, budget), answer in zip(AGENTS.items(), in_node(game, jobs, tmp_path), strict=True):
        players = [make_agent(agent, seed=5 + p, budget=budget, player=p) for p in range(game.players)]
        state = game.start(1, seed=5)
        for player in players:
            player.reset(state)
        for codes in answer["chosen"]:
            actions = [player.act(state) for player in players]
            assert [ACTIONS.index(action) for action in actions] == codes, agent
            state.advance(actions if game.players > 1 else actions[0])
        assert len(answer["chosen"]) == 25 or state.is_over


@compiled
@pytest.mark.modes
@pytest.mark.parametrize("name", ["mcts", "olets", "onestep", "random"])
def test_agents_stop_when_their_time_is_over(name: str, tmp_path: Path) -> None:
    """By a clock that goes on by 1 ms with every look at it, which kernels take every fourth tick."""
    game = pcg.load("dungeon")
    times = [(800, False), *((f"{ms}ms", True) for ms in (40, 80, 400.5, 40)), ("300ms", False), (800, True)]
    (answer,) = in_node(game, [{"level": 1, "seed": 5, "budgets": {"name": name, "times": times}}], tmp_path)
    ticks, short, twice, long, again, real, after = answer["looked"]
    assert again == short and {tuple(look["left"]) for look in answer["looked"]} == {(0, 0)}
    assert after == {**ticks, "looks": 0}  # a time leaves nothing behind that changes a number of ticks
    player, state = make_agent(name, seed=5, budget=800), game.start(1, seed=5)
    player.reset(state)
    assert ACTIONS.index(player.act(state)) == ticks["action"]
    if name in ("onestep", "random"):  # they know when they have seen enough
        assert short["calls"] == twice["calls"] == real["calls"] <= 40
        return
    for look, limit in ((short, 40), (twice, 80), (long, 400)):
        # the time is used, and not exceeded; a look is one of the kernel, after four ticks, or one between two slices
        assert 0.6 * limit < look["looks"] <= limit
        assert 2 * look["looks"] < look["calls"] < 4 * (look["looks"] + 4)
    assert short["calls"] < twice["calls"] < long["calls"]
    assert real["calls"] >= 32  # a tick takes some 20 us, and a busy machine may stand still for a while
    assert answer["bytes"] < 12_000_000  # one memory for those that follow each other


CROWD = """BasicGame square_size=10
    SpriteSet
        avatar > MovingAvatar
        nest > SpawnPoint stype=bird cooldown=1 prob=1
        bird > RandomNPC cooldown=2
    InteractionSet
        bird EOS > stepBack
    LevelMapping
        A > avatar
        n > nest
    TerminationSet
        Timeout limit=200 win=True
"""


@compiled
@pytest.mark.modes
def test_states_and_agents_grow_with_the_crowd(tmp_path: Path) -> None:
    game = pcg.load(CROWD, levels=["n.....n\n...A...\nn.....n"])
    play = random_play(1, 1, 120)
    jobs = [
        {"level": 0, "seed": 1, "actions": pairs(play), "back": [100, 5]},
        {"level": 0, "seed": 1, "agents": ["mcts"]},
    ]
    answer, agent = in_node(game, jobs, tmp_path, agents={"mcts": 200})
    (record,) = Native().play(game.context(0), [play])
    assert answer["checksums"] == list(record.checksums) and answer["sprites"] > 60
    assert answer["found"] == [[20, record.checksums[20]], [15, record.checksums[15]]]
    player, state = make_agent("mcts", seed=1, budget=200), game.start(0, seed=1)
    player.reset(state)
    for (code,) in agent["chosen"]:
        assert ACTIONS.index(player.act(state)) == code
        state.advance(code)


OWN = """BasicGame square_size=10
    SpriteSet
        avatar > MovingAvatar
        stone > Immovable
    InteractionSet
        stone avatar > crumble
    LevelMapping
        A > avatar
        s > stone
    TerminationSet
        SpriteCounter stype=stone limit=0 win=True
"""


@compiled
@pytest.mark.modes
def test_effects_of_users_are_a_module_that_shares_the_memory(tmp_path: Path) -> None:
    from pcg.engine.kernel.store import kill
    from pcg.engine.vgdl import extensions

    @extensions.effect("crumble", help="A falls apart", needs_first=True, kills_first=True)
    def crumble(gm: int, st: int, e: int, a: int, b: int) -> int:
        kill(gm, st, a, 0)
        return 0

    try:
        game = pcg.load(OWN, levels=["A.s"])
        (answer,) = in_node(game, [{"level": 0, "seed": 0, "actions": [[4, 0]] * 4}], tmp_path)
        assert len(modules_for(bundle(game).functions)) == 2
    finally:
        extensions.unregister("crumble")
    assert answer["status"]["winner"] == 1 and answer["ticks"] == 2


@compiled
@pytest.mark.modes
def test_the_pack_of_a_page_is_what_it_says() -> None:
    text = page(bundle(pcg.load("boxes")))
    found = re.search(r'data-parts="(\d+) (\d+)">\n(\S+)\n', text)
    assert found is not None
    data = zlib.decompress(base64.b64decode(found[3]), -15)
    first, second = int(found[1]), int(found[2])
    assert data[:first].decode() == script() and style() in text
    about = json.loads(data[first : first + second])
    sizes = sum(m["size"] for m in about["modules"]) + sum(size for size, _ in about["pieces"])
    assert len(data) == first + second + sizes
