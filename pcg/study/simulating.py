"""Simulated participants: they know how much they like each item, play, and vote accordingly.

They take part as people do, through pages, forms and websockets of a real server, many at once. What they like is
written down (the *truth*), so that an analysis can be compared with it, and a study tried out before people see it.
Votes follow the model of Davidson (see `pcg.evaluators.preferences.davidson`); careless participants answer anything.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import ssl
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np

from pcg.engine.vgdl.diagnostics import PcgError, did_you_mean
from pcg.evaluators.parameters import Parameter, Setting, resolve
from pcg.evaluators.preferences.davidson import answer_probabilities
from pcg.runs.store import to_json, write_whole
from pcg.study.client import Away, Browser, KeySource, Page
from pcg.study.page_client import play_in_page
from pcg.study.players import check_player, game_for, make_player
from pcg.study.questionnaire import Ask
from pcg.study.rows import SIDES, Pair, StudyItem
from pcg.study.store import StudyStore

PARAMETERS: tuple[Parameter, ...] = (
    Parameter("spread", 1.0, "standard deviation of the utilities of items, in log odds", 0.0, 20.0),
    Parameter("likes", "", "measures that make items liked, instead of chance, as in solution_length=1, enemies=-0.5"),
    Parameter("tie", -0.5, "how easily two items are equally liked, in log odds; the more the more ties", -20.0, 20.0),
    Parameter("both", 0.0, "how readily a tie is answered with both rather than neither", -20.0, 20.0),
    Parameter("appeal", 0.5, "how much that depends on how good the two are", -20.0, 20.0),
    Parameter("position", 0.0, "what being shown first adds to an item", -20.0, 20.0),
    Parameter("win", 0.0, "what it adds to have won a game", -20.0, 20.0),
    Parameter("careless", 0.0, "share of participants that answer anything", 0.0, 1.0),
    Parameter("left", 0.0, "share of participants that always choose the first", 0.0, 1.0),
    Parameter("quit", 0.0, "share of participants that leave before the end", 0.0, 1.0),
)  # fmt: skip
"""Kinds of simulated participants."""

ATTENTIVE, CARELESS, LEFT = "attentive", "careless", "left"
SLIPS = 0.02
"""Share of attention checks that attentive participants fail."""


@dataclass(frozen=True)
class Truth:
    """The true preferences of simulated participants, and the model of their answers."""

    seed: int
    utilities: Mapping[str, float]
    """By name of the item; mean 0."""
    settings: Mapping[str, Setting]
    """Values of `PARAMETERS`."""

    @classmethod
    def draw(cls, items: Sequence[StudyItem], seed: int, settings: Mapping[str, object]) -> Truth:
        """Utilities by chance, or by measures.

        Raises:
            PcgError: for unknown parameters, and measures that no item has.
        """
        values = resolve(PARAMETERS, settings, "simulated participants")
        if float(values["careless"]) + float(values["left"]) > 1:
            raise PcgError("simulated participants: `careless` and `left` are shares of all, and sum to more than 1")
        judged = [item for item in items if not item.check]
        likes = str(values["likes"])
        if likes:
            found = _by_measures(judged, likes)
        else:
            found = np.random.default_rng([seed, 1]).normal(0.0, float(values["spread"]), len(judged))
        found = found - found.mean()
        return cls(seed, {item.name: float(u) for item, u in zip(judged, found, strict=True)}, values)

    def number(self, name: str) -> float:
        """A parameter."""
        return float(self.settings[name])

    def probabilities(self, names: Sequence[str], won: Sequence[bool], *, worst: bool = False) -> dict[str, float]:
        """Return the probability of each answer of an attentive participant: of a pair, or of the best of a set.

        Args:
            names: of the items, in the order shown.
            won: True where the play was won.
            worst: it is the worst that is asked for.
        """
        win = self.number("win")
        u = np.array([self.utilities.get(name, 0.0) + win * one for name, one in zip(names, won, strict=True)])
        if len(u) == 2:
            known = {k: self.number(k) for k in ("tie", "both", "appeal", "position")}
            return answer_probabilities(float(u[0]), float(u[1]), known)
        u[0] += self.number("position")
        odds = np.exp(-u if worst else u)
        return dict(zip(SIDES, (odds / odds.sum()).tolist(), strict=False))

    def kind(self, number: int) -> str:
        """Return the kind of the participant of that number."""
        lot = float(np.random.default_rng([self.seed, 2, number]).random())
        if lot < self.number("careless"):
            return CARELESS
        return LEFT if lot < self.number("careless") + self.number("left") else ATTENTIVE

    def answer(
        self, kind: str, choices: Sequence[str], names: Sequence[str], rng: np.random.Generator,
        won: Sequence[bool] = (), *, worst: bool = False,
    ) -> str:  # fmt: skip
        """An answer; where ties are not offered, one of those shown."""
        if kind == CARELESS:
            return str(rng.choice(list(choices)))
        if kind == LEFT:
            return choices[0]
        odds = self.probabilities(names, won or [False] * len(names), worst=worst)
        weights = np.array([odds[choice] for choice in choices])
        if "both" not in choices and "tie" in odds:  # a tie is settled by a coin
            weights += odds["tie"] / 2
        return str(choices[int(rng.choice(len(choices), p=weights / weights.sum()))])

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object."""
        return asdict(self)


def _by_measures(items: Sequence[StudyItem], likes: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Weighted sums of measures, each over the items brought to mean 0 and deviation 1."""
    known = sorted({name for item in items for name in item.features})
    total = np.zeros(len(items))
    for part in likes.split(","):
        name, _, weight = (piece.strip() for piece in part.partition("="))
        if name not in known:
            hint = did_you_mean(name, known, f" (there are {', '.join(known) or 'none'})")
            raise PcgError(f"no item has the measure `{name}`{hint}")
        try:
            factor = float(weight)
        except ValueError:
            factor = math.nan
        if not math.isfinite(factor):
            raise PcgError(f"likes `{part.strip()}`: expected a measure and a number, as in solution_length=1")
        values = np.array([item.features.get(name, math.nan) for item in items])
        values = np.where(np.isnan(values), np.nanmean(values), values)
        deviation = values.std()
        total += factor * (values - values.mean()) / deviation if deviation else 0.0
    return total


@dataclass
class Simulated:
    """One simulated participant, as it is told in the truth."""

    number: int
    kind: str
    player: str
    participant: str = ""
    """The id that the study gave it."""
    finished: bool = False
    acknowledged: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    """Votes that the server said it has stored: position of the pair, and answer to each question."""
    stored: dict[tuple[int, int], str] = field(default_factory=dict)
    """Actions of plays in the page that the server said it has stored, by position of the pair and side."""
    problem: str = ""


@dataclass(frozen=True)
class Outcome:
    """The outcome of a simulation."""

    truth: Truth
    people: Sequence[Simulated]
    seconds: float
    requests: int

    @property
    def votes(self) -> int:
        """Votes that were acknowledged."""
        return sum(len(one.acknowledged) for one in self.people)

    @property
    def finished(self) -> int:
        """Participants that came to the end."""
        return sum(one.finished for one in self.people)

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object."""
        people = [{k: v for k, v in asdict(one).items() if k not in ("acknowledged", "stored")} for one in self.people]
        return {**self.truth.to_json(), "participants": people}

    def write(self, path: Path) -> None:
        """Write the truth down; participants that an earlier simulation with the same truth wrote stay."""
        data = self.to_json()
        if path.is_file():
            with contextlib.suppress(PcgError):
                if read_truth(path).utilities == self.truth.utilities:
                    known = {one["participant"] for one in data["participants"]}
                    before = json.loads(path.read_text(encoding="utf-8"))["participants"]
                    data["participants"] = [p for p in before if p["participant"] not in known] + data["participants"]
        write_whole(path, to_json(data, indent=1) + "\n")


async def simulate(
    store: StudyStore,
    base: str,
    token: str,
    truth: Truth,
    *,
    participants: int,
    first: int = 0,
    players: Sequence[str] = ("random",),
    at_once: int = 50,
    patience: float = 60.0,
    progress: Callable[[int], None] | None = None,
) -> Outcome:
    """Let simulated participants take part.

    Args:
        store: of the study, from which they learn what they are shown.
        base: address of its server.
        token: of the researcher, without which nobody can say that they are simulated.
        truth: what they like.
        participants: how many.
        first: number of the first, for more of them later.
        players: who plays, by turns: "random", "idle", or agents as in "mcts:depth=12".
        at_once: how many take part at the same time.
        patience: seconds for which the server may be away.
        progress: called with the number of those who are through.

    Raises:
        PcgError: for unknown players.
    """
    for name in players:
        check_player(name)
    began = time.monotonic()
    context = ssl.create_default_context() if base.startswith("https") else None
    people = [
        Simulated(number, truth.kind(number), players[number % len(players)])
        for number in range(first, first + participants)
    ]
    room = asyncio.Semaphore(at_once)
    requests = done = 0

    async def one(person: Simulated) -> None:
        nonlocal requests, done
        async with room:
            browser = Browser(base, context=context, patience=patience)
            try:
                await TakesPart(person, browser, store, truth, token).go()
            except Away as error:
                person.problem = str(error)
            finally:
                requests += browser.requests
                await browser.close()
            done += 1
            if progress is not None:
                progress(done)

    async with asyncio.TaskGroup() as group:
        for person in people:
            group.create_task(one(person))
    return Outcome(truth, people, time.monotonic() - began, requests)


class TakesPart:
    """A participant's way through a study: whatever page they are on says what to do next."""

    def __init__(self, person: Simulated, browser: Browser, store: StudyStore, truth: Truth, token: str) -> None:
        self.person, self.browser, self.store, self.truth, self.token = person, browser, store, truth, token
        self._trouble = 0
        leaves = np.random.default_rng([truth.seed, 3, person.number])
        stays = leaves.random() >= truth.number("quit")
        self.leaves_after = math.inf if stays else int(leaves.integers(max(1, store.config.pairs)))

    async def go(self) -> None:
        """Go on until the end.

        Raises:
            Away: when the server stays away, or leads nowhere.
        """
        while not self.person.finished:
            page = await self.browser.get("/" if self.browser.cookie() else self._link())
            if not self.person.participant:
                await self._find_out()
            if len(self.person.acknowledged) >= self.leaves_after:
                return
            before = (len(self.person.acknowledged), self.person.participant)
            try:
                await self._step(page)
                self._trouble = 0
            except Away:
                if (len(self.person.acknowledged), self.person.participant) == before:
                    self._trouble += 1
                if self._trouble > 40:
                    raise
                await asyncio.sleep(min(0.5, 0.02 * 2**self._trouble))

    def _link(self) -> str:
        """The link that a panel would send them with."""
        identity = self.store.config.identity
        return f"/?{urlencode({identity: f'simulated-{self.person.number}'})}" if identity else "/"

    async def _step(self, page: Page) -> None:
        """Do what a page asks for, and look where that leads."""
        parts = page.path.strip("/").split("/")
        if page.path == "/":
            await self._join(page)
        elif parts[0] == "instructions":
            landed = await self.browser.post("/begin", {"token": page.token})
            if landed.path.startswith("/questions/"):  # of comprehension
                await self._answer(landed, landed.path.rpartition("/")[2])
        elif parts[0] == "questions":
            await self._answer(page, parts[1])
        elif parts[0] == "practice":
            await self.browser.post("/practice", {**page.hidden(), "token": page.token})
        elif parts[0] == "thanks":
            self.person.finished = True
        elif parts[0] == "pair" and parts[-1] == "vote":
            await self._vote(page, int(parts[1]))
        elif parts[0] == "pair":
            await self._play(page, int(parts[1]), parts[2])
        else:
            raise Away(f"nobody knows what to do at {page.path} ({page.status})")

    async def _answer(self, page: Page, part: str) -> None:
        """Answer a page of questions: rightly and so that one may take part, unless careless; else by lot."""
        rng = self._rng(99, len(part))
        fields = {"token": page.token}
        for ask in self.store.config.asked(part):
            fields |= simulated_answer(ask, rng, attentive=self.person.kind == ATTENTIVE)
        await self.browser.post(f"/questions/{part}", fields)

    async def _join(self, page: Page) -> None:
        if page.status != 200 or not page.token:
            raise Away(f"the study lets nobody in ({page.status})")
        kept = dict.fromkeys(self.store.config.kept_parameters, f"simulated-{self.person.number}")
        fields = {**page.hidden(), "token": page.token, "consent": "yes", "simulated": self.token, **kept}
        landed = await self.browser.post("/join", fields)
        if landed.status == 429:
            raise Away("too many join at once")
        if landed.status >= 400:
            raise PcgError(f"the study does not take simulated participants: it answered {landed.status}")
        await self._find_out()

    async def _find_out(self) -> None:
        """Learn one's own id, once there is one."""
        secret = self.browser.cookie()
        if secret:
            found = await asyncio.to_thread(self.store.participant, secret)
            self.person.participant = found.id if found is not None else ""

    async def _pair(self, number: int) -> Pair:
        pairs = await asyncio.to_thread(self.store.pairs_of, self.person.participant)
        for pair in pairs:
            if pair.position == number - 1:
                return pair
        raise Away(f"there is no pair {number}")

    def _rng(self, *key: int) -> np.random.Generator:
        return np.random.default_rng([self.truth.seed, 4, self.person.number, *key])

    async def _play(self, page: Page, number: int, side: str) -> None:
        pair = await self._pair(number)
        place = SIDES.index(side)
        item = self.store.item[pair.item(place)]
        keys: KeySource = make_player(
            self.person.player if self.person.kind == ATTENTIVE else "idle",
            int(self._rng(number, place).integers(2**31)), item, lambda: self._seed(pair, place),
        )  # fmt: skip
        if page.token_of_play:
            game = await asyncio.to_thread(game_for, item.rules, item.reading, item.game)

            def stored(actions: str) -> None:
                self.person.stored[pair.position, place] = actions

            played = await play_in_page(self.browser, page, keys, game, item.level, stored=stored)
        else:
            played = await self.browser.play(page.path, keys)
        if not played.enough:
            raise Away("the game was not enough")

    def _seed(self, pair: Pair, side: int) -> tuple[int, str]:
        """Seed and actions so far of the play at a side, for a player that plays along."""
        plays = [play for play in self.store.plays_of(pair.id) if play.side == side]
        return (plays[-1].seed, plays[-1].actions) if plays else (0, "")

    async def _vote(self, page: Page, number: int) -> None:
        pair = await self._pair(number)
        config = self.store.config
        rng = self._rng(number)
        names = [self.store.item[item].name for item in pair.items]
        won = await self._won(pair)
        fields = {**page.hidden(), "token": page.token}
        answers: dict[str, str] = {}
        for question in config.questions_about(pair.check):
            choices = list(question.choices_of(len(names)))
            if question.answers == "worst":  # of those that are left
                choices.remove(answers[config.questions[0].name])
            if pair.check and self.person.kind == ATTENTIVE and rng.random() >= SLIPS:
                answers[question.name] = pair.expected
            else:
                answers[question.name] = self.truth.answer(
                    self.person.kind, choices, names, rng, won, worst=question.answers == "worst"
                )
            fields[f"q-{question.name}"] = answers[question.name]
        for scale in config.scales:
            for name, item in zip([f"-{side}" for side in SIDES] if scale.each else [""], names, strict=False):
                like = 1 / (1 + math.exp(-self.truth.utilities.get(item, 0.0)))
                point = 1 + round((scale.points - 1) * like + float(rng.normal(0, 0.7)))
                fields[f"s-{scale.name}{name}"] = str(min(scale.points, max(1, point)))
        status = await self.browser.send(f"/pair/{number}/vote", fields)
        if status == 303:
            self.person.acknowledged.append((pair.position, answers))
        elif status == 429:
            raise Away("too many votes at once")
        else:
            raise PcgError(f"the vote on pair {number} was answered with {status}")

    async def _won(self, pair: Pair) -> list[bool]:
        if not self.truth.number("win"):
            return [False] * len(pair.items)
        plays = await asyncio.to_thread(self.store.plays_of, pair.id)
        won = Counter(play.side for play in plays if play.winner == 1)
        return [won[side] > 0 for side in range(len(pair.items))]


def simulated_answer(ask: Ask, rng: np.random.Generator, *, attentive: bool = True) -> dict[str, str]:
    """Return the fields of an answer to a question of a questionnaire.

    Args:
        ask: the question.
        rng: random numbers.
        attentive: answers rightly where there is a right answer.
    """
    if attentive and ask.answer:
        right = [part.strip() for part in ask.answer.split(",")]
        return {f"a-{ask.name}-{one}": "yes" for one in right} if ask.kind == "several" else {ask.fields[0]: ask.answer}
    if ask.kind == "several":
        return {f"a-{ask.name}-{ask.choices[int(rng.integers(len(ask.choices)))]}": "yes"}
    if ask.kind == "text":
        return {ask.fields[0]: "simulated"}
    if ask.kind == "number":
        low, high = ask.low if math.isfinite(ask.low) else 0.0, ask.high if math.isfinite(ask.high) else 100.0
        numbers = [str(number) for number in range(math.ceil(low), math.floor(high) + 1)] or [f"{low:.9g}"]
    else:
        numbers = list(ask.choices)
    eligible = [one for one in numbers if ask.is_eligible(one)] or numbers
    return {ask.fields[0]: eligible[int(rng.integers(len(eligible)))]}


def read_truth(path: Path) -> Truth:
    """A truth that was written down.

    Raises:
        PcgError: when the file is none.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return Truth(int(data["seed"]), {str(k): float(v) for k, v in data["utilities"].items()}, data["settings"])
    except OSError as error:
        raise PcgError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise PcgError(f"{path} is no truth of a simulation: {type(error).__name__}: {error}") from None
