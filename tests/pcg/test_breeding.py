"""Breeding by eye: the same choices breed the same levels, killed or not; what is liked is learnt; the pages work."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import browsers
import numpy as np
import pytest
from run_folders import files
from starlette.testclient import TestClient
from typer.testing import CliRunner

import pcg
from pcg.breeding import BreedingRun, LearntPreference, LevelPopulation
from pcg.breeding.app import breeding_app
from pcg.breeding.preference import Comparison
from pcg.cli import app
from pcg.engine.vgdl import check_level
from pcg.engine.vgdl.diagnostics import PcgError

CONFIG = BreedingRun("boxes", seed=5, population=5, elites=1, litter=2)


def longest_first(population: LevelPopulation, number: int) -> float:
    return -population.members[number].measures.get("solution_length", 0.0)


def choose(population: LevelPopulation, like: Callable[[LevelPopulation, int], float] = longest_first) -> None:
    """Mark the two that are liked best, and compare the pair that is asked about."""
    order = sorted(population.shown, key=lambda n: (like(population, n), n))
    population.like(order[:2])
    pair = population.pair()
    assert pair is not None
    population.vote(*pair, "first" if like(population, pair[0]) < like(population, pair[1]) else "second")


@pytest.mark.fuzz
def test_the_same_choices_breed_the_same_levels_killed_or_not(tmp_path: Path) -> None:
    population = LevelPopulation.create(CONFIG, tmp_path / "a")
    for _ in range(3):
        choose(population)
        population.breed()
    population.close()

    again = LevelPopulation.create(CONFIG, tmp_path / "b")
    for turn in range(3):
        # The process is gone after each thing that was said; at one time it wrote half a line.
        choose(again)
        again.close()
        if turn == 1:
            with open(tmp_path / "b" / "events.jsonl", "ab") as log:
                log.write(b'{"id": 99, "type": "gener')
        again = LevelPopulation.open(tmp_path / "b")
        again.breed()
        again.close()
        again = LevelPopulation.open(tmp_path / "b")
    again.close()
    assert files(tmp_path / "a") == files(tmp_path / "b")
    assert (again.generation, again.shown, again.votes) == (population.generation, population.shown, population.votes)


@pytest.mark.full
def test_every_level_is_one_of_the_game_and_no_two_shown_are_the_same(tmp_path: Path) -> None:
    population = LevelPopulation.create(CONFIG, tmp_path / "run")
    for _ in range(2):
        choose(population)
        population.breed()
        assert len(population.shown) == CONFIG.population
        assert len({population.members[n].level for n in population.shown}) == CONFIG.population
        for number in population.shown:
            assert check_level(population.members[number].level + "\n", population.game.definition) == []
            assert population.members[number].evaluation.feasible
    born = [m for m in population.members.values() if m.parents]
    assert born
    assert all(p in population.members for m in born for p in m.parents)
    population.close()
    saved = pcg.load(tmp_path / "run" / "levels" / "game.vgdl")
    best = population.ranking()[0]
    assert saved.levels[0].strip("\n") == population.members[best].level
    assert population.shown[0] == best


@pytest.mark.full
def test_what_is_liked_becomes_more(tmp_path: Path) -> None:
    population = LevelPopulation.create(BreedingRun("boxes", seed=2, population=6), tmp_path / "run")

    def length(numbers: list[int]) -> float:
        return float(np.mean([population.members[n].measures["solution_length"] for n in numbers]))

    before = length(population.shown)
    for _ in range(4):
        choose(population)
        population.breed()
    population.close()
    assert length(population.shown) > before * 1.2
    assert population.preference.weights["solution_length"] > 0


def test_taste_finds_the_hidden_weights() -> None:
    rng = np.random.default_rng(1)
    measures = {n: {"a": rng.normal(), "b": rng.normal(), "c": rng.normal(), "same": 1.0} for n in range(40)}
    hidden = {n: 2 * m["a"] - m["b"] for n, m in measures.items()}
    comparisons = []
    for _ in range(300):
        one, other = rng.choice(40, 2, replace=False)
        first = rng.random() < 1 / (1 + np.exp(hidden[int(other)] - hidden[int(one)]))
        comparisons.append(Comparison(int(one if first else other), int(other if first else one)))
    preference = LearntPreference(measures, comparisons)
    assert set(preference.weights) == {"a", "b", "c"}
    assert preference.weights["a"] > 1
    assert preference.weights["b"] < -0.4
    assert abs(preference.weights["c"]) < 0.35
    known = sorted(hidden)
    assert np.corrcoef([preference.utility(n) for n in known], [hidden[n] for n in known])[0, 1] > 0.9
    fresh = {"a": 1.0, "b": -1.0, "c": 0.0}
    assert preference.expect(fresh)[0] > 1
    assert LearntPreference(measures, []).expect(fresh)[0] == 0.0


def test_what_cannot_be_said_is_refused(tmp_path: Path) -> None:
    population = LevelPopulation.create(CONFIG, tmp_path / "run")
    before = (tmp_path / "run" / "events.jsonl").read_bytes()
    first, second = population.shown[:2]
    for work, message in (
        (lambda: population.breed(), "nothing was said"),
        (lambda: population.vote(first, 99, "first"), "level 99 is not shown now"),
        (lambda: population.vote(first, first, "first"), "compared with itself"),
        (lambda: population.vote(first, second, "third"), "expected first, second, both, neither"),
        (lambda: population.like([first, -1]), "level -1 is not shown"),
        (lambda: LevelPopulation.create(CONFIG, tmp_path / "run"), "holds a run already"),
        (lambda: LevelPopulation.open(tmp_path), "is no run"),
        (lambda: BreedingRun("boxes", elites=8), "expected less than population"),
        (lambda: BreedingRun.from_mapping({"run": {"game": "boxes", "liter": 2}}), "did you mean `litter`"),
        (lambda: LevelPopulation.create(BreedingRun("boxs"), tmp_path / "x"), "did you mean `boxes`"),
    ):
        with pytest.raises(PcgError, match=message):
            work()
    assert (tmp_path / "run" / "events.jsonl").read_bytes() == before
    assert not (tmp_path / "x").exists()
    population.close()


def test_the_addresses(tmp_path: Path) -> None:
    population = LevelPopulation.create(CONFIG, tmp_path / "run")
    with TestClient(breeding_app(population), base_url="http://localhost") as client:
        page = client.get("/")
        assert page.status_code == 200
        assert "default-src 'self'" in page.headers["content-security-policy"]
        state = client.get("/api/population").json()
        assert [one["number"] for one in state["levels"]] == population.shown
        assert client.get(f"/api/levels/{population.shown[0]}/picture.png").content.startswith(b"\x89PNG")
        first, second = state["pair"]
        state = client.post("/api/vote", json={"first": first, "second": second, "answer": "both"}).json()
        assert (state["said"], state["counted"]) == (1, 1)
        client.post("/api/vote", json={"first": second, "second": first, "answer": "first"})
        assert population.votes == {(second, first): "first"}
        assert client.post("/api/liked", json={"liked": [first]}).json()["levels"][0]["liked"] is not None
        opened = client.post("/api/play", json={"number": first})
        assert opened.status_code == 201
        assert client.get(opened.json()["page"]).status_code == 200
        # The button pressed twice breeds once.
        state = client.post("/api/breed", json={"generation": 0}).json()
        assert state["generation"] == 1
        assert client.post("/api/breed", json={"generation": 0}).json() == state
        for path, body, message in (
            ("/api/vote", {"first": 0}, "`second` is missing"),
            ("/api/vote", {"first": 0, "second": True, "answer": "first"}, "expected a whole number"),
            ("/api/liked", {"liked": ["0"]}, "no whole number"),
            ("/api/play", {"number": 10**9}, "there is no level"),
            ("/api/breed", {}, "`generation` is missing"),
        ):
            answer = client.post(path, json=body)
            assert 400 <= answer.status_code < 500
            assert message in answer.json()["error"]
        assert (
            client.post("/api/breed", json={"generation": 1}, headers={"origin": "http://elsewhere"}).status_code == 403
        )
        assert client.post("/api/breed", content="generation=1").status_code == 415
    population.close()


def test_the_command_refuses_bad_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for arguments, message in (
        (["boxs"], "did you mean `boxes`"),
        (["boxes", "--population", "2"], "expected a whole number from 4 to 24"),
        (["boxes", "--set", "run.boldnes=1"], "did you mean `boldness`"),
        (["boxes", "--want", "enemis=3"], "enemis"),
    ):
        done = CliRunner().invoke(app, ["breed", *arguments])
        assert done.exit_code == 2, done.output
        assert message in done.output
    assert list(tmp_path.iterdir()) == []


@pytest.mark.browser
@browsers.needs_browser
def test_levels_are_marked_compared_played_and_bred_in_a_browser(tmp_path: Path) -> None:
    population = LevelPopulation.create(CONFIG, tmp_path / "run")
    with browsers.chromium() as browser, browsers.served(breeding_app(population)) as url:
        tab = browsers.Tab(browser, viewport={"width": 1280, "height": 900})
        page = tab.page
        page.goto(url)
        page.locator(".population li").nth(4).wait_for()
        assert page.locator(".population li").count() == 5
        assert page.locator("#breed").is_disabled()
        page.get_by_label("I like it").nth(1).check()
        page.get_by_role("button", name="The right one").click()
        page.locator("#said", has_text="2 judgements").wait_for()
        assert population.liked == [population.shown[1]]
        page.get_by_role("button", name="Play level").first.click()
        page.locator("[data-veil-title]", has_text="Ready").wait_for()
        page.keyboard.press("ArrowRight")
        page.locator("#playing").wait_for()
        tab.shot("breeding")
        page.get_by_role("button", name="Close").click()
        page.get_by_role("button", name="Breed the next generation").click()
        page.locator("#generation", has_text="2").wait_for()
        assert population.generation == 1
        page.reload()
        page.locator(".population li").nth(4).wait_for()
        assert page.locator("#generation").inner_text() == "2"
        tab.shot("breeding-next")
        assert tab.complaints == []
        phone = browsers.Tab(browser, **browsers.PHONE)
        phone.page.goto(url)
        phone.page.locator(".population li").nth(4).wait_for()
        assert phone.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        phone.shot("breeding-phone")
        assert phone.complaints == []
        phone.close()
        tab.close()
    population.close()
