"""Native evaluator of bullet patterns (Talakat): the same pattern, with all bullets of a play in arrays.

The player of a pattern neither moves nor dies, so that nothing depends on bullets: spawners are played alone, and each
bullet is told by when and where it is made, its speed and its radius. Where bullets are later is added up step by step
as there, so that every number is the benchmark's to the last bit. Texts are expanded by the grammar of the package,
whose rules are taken apart once; a content whose sequence never ends a list of patterns is beyond Python's depth there,
and is refused here with the same error.
"""

from __future__ import annotations

import importlib
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

SECTION = 30
"""Ticks that are measured together."""
_MODIFIERS = {
    "spawnerPhase": (0.0, 360.0),
    "spawnerRadius": (0.0, 0.0),
    "bulletRadius": (5.0, 0.0),
    "spawnedSpeed": (2.0, 0.0),
    "spawnedNumber": (1.0, 0.0),
    "spawnedAngle": (360.0, 0.0),
}
"""Parameters of spawners that change with time -> least and most unless the text says otherwise."""


class Grammar:
    """Rules by symbol, each taken apart: a text, a symbol, a text, a symbol, ..., a text."""

    def __init__(self, rules: Mapping[str, Sequence[str]]) -> None:
        self._rules = {symbol: [_parts(rule) for rule in several] for symbol, several in rules.items()}

    def add(self, symbol: str, word: str) -> None:
        """Offer one more word for a symbol."""
        self._rules[symbol].append([word])

    def expand(self, symbol: str, sequence: Sequence[int]) -> str:
        """Return the text of a symbol when the sequence, over and over again, chooses the rules.

        Raises:
            RecursionError: when it has no end.

        >>> Grammar({"a": ["x", "#a#y"]}).expand("a", [1, 1, 0])
        'xyy'
        """
        texts: list[str] = []
        self._expand(symbol, list(sequence), [0], 0, texts)
        return "".join(texts)

    def _expand(self, symbol: str, sequence: list[int], at: list[int], depth: int, texts: list[str]) -> None:
        if depth > len(sequence) + len(self._rules):
            raise RecursionError(f"the sequence chooses `{symbol}` again and again")
        rules = self._rules[symbol]
        parts = rules[sequence[at[0] % len(sequence)] % len(rules)]
        at[0] += 1
        for place, part in enumerate(parts):
            if place % 2:
                self._expand(part, sequence, at, depth + 1, texts)
            else:
                texts.append(part)


def _parts(rule: str) -> list[str]:
    return rule.replace("\\", "").split("#")


class _Modifier:
    """A number that goes up and down between two bounds."""

    __slots__ = ("change", "circles", "least", "most", "pause", "reverses", "timer", "value")

    def __init__(self, text: str | None, least: float, most: float) -> None:
        kind, rate, pause = "", 0.0, 0.0
        if text is not None:
            words = text.split(",")
            numbers = [float(word) for word in words[:4]]
            least, most, rate, pause = [*numbers, *(least, most, rate, pause)[len(numbers) :]]
            kind = words[4].strip().lower() if len(words) > 4 else ""
        self.least, self.most, self.pause = least, most, pause
        self.circles, self.reverses = kind == "circle", kind == "reverse"
        self.value, self.change, self.timer = least, rate, 0.0

    def step(self) -> None:
        if self.change == 0:
            return
        self.timer -= 1
        if self.timer <= 0:
            self.value += self.change
            self.timer = self.pause
        if self.value > self.most:
            if self.circles:
                self.value = self.value - self.most + self.least
            else:
                self.value = self.most
                if self.reverses:
                    self.change *= -1
        if self.value < self.least:
            if self.circles:
                self.value = self.value + self.most - self.least
            else:
                self.value = self.least
                if self.reverses:
                    self.change *= -1


class _Spawner:
    """Maker of bullets and other spawners in a rhythm, which flies straight on."""

    def __init__(self, script: Mapping[str, Any], x: float, y: float, speed: float, direction: float) -> None:
        self.x, self.y, self.direction = x, y, direction
        self.dx = speed * math.cos(direction * math.pi / 180)
        self.dy = speed * math.sin(direction * math.pi / 180)
        self.pattern = [name.lower() for name in script["pattern"]]
        self.place, self.wait = 0, 0
        self.rhythm = int(script["patternTime"])
        self.repeat = int(script["patternRepeat"])
        self.aims = script.get("spawnedAngle", "").strip().lower() == "player"
        modifiers = [
            _Modifier(None if name == "spawnedAngle" and self.aims else script.get(name), *bounds)
            for name, bounds in _MODIFIERS.items()
        ]
        self.phase, self.radius, self.bullet_radius, self.speed, self.number, self.angle = modifiers
        self.changing = [modifier for modifier in modifiers if modifier.change != 0]


class NativeTalakat:
    """Bullet patterns: bullets in each section, where they are, and how evenly they fill the field."""

    def __init__(self, problem: Any, engine: Any = None) -> None:
        engine = engine or importlib.import_module("pcg_benchmark.probs.talakat.engine")
        self._rules: Mapping[str, Sequence[str]] = engine.spawnerGrammar
        limits = engine.parameters
        self.most_spawners, self.most_bullets = int(limits["maxNumSpawners"]), int(limits["maxNumBullets"])
        self.problem = problem
        self.width, self.height = int(problem._width), int(problem._height)
        self.health = int(problem._maxHealth)
        self.columns, self.rows = max(1, self.width // 20), max(1, self.height // 20)

    def script(self, content: Any) -> dict[str, Any]:
        """Return the spawners by name, as the grammar makes them of a content."""
        grammar = Grammar(self._rules)
        spawners = {}
        for number, sequence in zip(range(len(content) - 1, -1, -1), content, strict=True):
            name = f"spawner_{number}"
            spawners[name] = json.loads(grammar.expand("origin", [int(value) for value in sequence]))
            grammar.add("name", name)
        return spawners

    def info(self, content: Any) -> dict[str, Any]:
        """The entries that the benchmark's functions read."""
        ticks, bullets = self._play(self.script(content))
        sections = max(1, self.health // SECTION)
        cells = self.columns * self.rows
        where = np.zeros((sections, cells))
        coverage = np.zeros(cells)
        numbers = [0.0] * sections
        counts, buckets, ticks = self._fly(bullets, ticks)
        for tick in range(ticks):
            share = buckets[tick] / max(1, buckets[tick].sum())
            where[tick // SECTION] += share
            coverage += share
            numbers[tick // SECTION] += int(counts[tick])
        return {
            "percentage": ticks / self.health,
            "bullets": np.array(numbers) / SECTION,
            "bullet_coverage": _entropy((coverage / self.health).tolist()),
            "bullet_locations": where / SECTION,
        }

    def diversity(self, first: Mapping[str, Any], second: Mapping[str, Any]) -> float:
        """The benchmark's answer."""
        return float(self.problem.diversity(first, second))

    def _play(self, script: Mapping[str, Any]) -> tuple[int, list[tuple[float, ...]]]:
        """Play the spawners; ticks played, and of each bullet the tick, its place, its steps and its radius."""
        spawners: list[_Spawner] = []
        bullets: list[tuple[float, ...]] = []
        for tick in range(self.health):
            created = [] if tick else [_Spawner(script["spawner_0"], self.width / 2, self.height / 4, 0, 0)]
            kept = []
            for spawner in spawners:
                if self._spawn(spawner, script, tick, created, bullets):
                    kept.append(spawner)
            spawners = [*kept, *created]
            if len(spawners) > self.most_spawners:
                return tick + 1, bullets
        return self.health, bullets

    def _spawn(
        self, spawner: _Spawner, script: Mapping[str, Any], tick: int, created: list[_Spawner],
        bullets: list[tuple[float, ...]],
    ) -> bool:  # fmt: skip
        """Let a spawner act for a tick; whether it is still there then."""
        if spawner.wait > 0:
            spawner.wait -= 1
        for modifier in spawner.changing:
            modifier.step()
        spawner.x += spawner.dx
        spawner.y += spawner.dy
        radius = spawner.radius.value
        stays = not (spawner.x + radius < 0 or spawner.y + radius < 0
                     or spawner.x - radius > self.width or spawner.y - radius > self.height)  # fmt: skip
        if spawner.wait:
            return stays
        spawner.place = (spawner.place + 1) % len(spawner.pattern)
        spawner.wait = spawner.rhythm
        name = spawner.pattern[spawner.place]
        if name == "wait":
            return stays
        number = math.floor(spawner.number.value)
        speed = spawner.speed.value
        for k in range(number):
            x, y = spawner.x, spawner.y
            if spawner.aims:
                angle = math.atan2(0.8 * self.height - spawner.y, self.width / 2 - spawner.x)
            else:
                angle = spawner.direction + spawner.phase.value + k * spawner.angle.value / number
                x += radius * math.cos(angle * math.pi / 180)
                y += radius * math.sin(angle * math.pi / 180)
            if name == "bullet":
                dx, dy = speed * math.cos(angle * math.pi / 180), speed * math.sin(angle * math.pi / 180)
                bullets.append((tick, x, y, dx, dy, spawner.bullet_radius.value))
            else:
                created.append(_Spawner(script[name], x, y, speed, angle))
        if spawner.repeat > 0:
            spawner.repeat -= 1
            return stays and spawner.repeat > 0
        return stays

    def _fly(self, bullets: list[tuple[float, ...]], ticks: int) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
        """Return numbers of bullets at the beginning of each tick, those that touch each bucket, and ticks played.

        The play ends with the first tick that begins with too many.
        """
        cells = self.columns * self.rows
        buckets = np.zeros((ticks, cells), np.int64)
        counts = np.zeros(ticks, np.int64)
        if not bullets:
            return counts, buckets, ticks
        # columns: tick, place, steps and radius; a bullet is there from the tick after it was made on
        flying = np.array(bullets)
        flying[:, 0] += 1
        flying = flying[flying[:, 0] < ticks]
        seen = []
        while len(flying):
            seen.append(flying)
            flying = flying.copy()
            flying[:, 0] += 1
            flying[:, 1:3] += flying[:, 3:5]
            tick, x, y, _, _, radius = flying.T
            flying = flying[
                (tick < ticks) & (x + radius >= 0) & (y + radius >= 0)
                & (x - radius <= self.width) & (y - radius <= self.height)
            ]  # fmt: skip
        if seen:
            tick, x, y, _, _, radius = np.concatenate(seen).T
            at = tick.astype(np.int64)
            counts += np.bincount(at, minlength=ticks)
            self._touch(x, y, radius, at, buckets)
        late = np.flatnonzero(counts > self.most_bullets)
        return counts, buckets, int(late[0]) + 1 if len(late) else ticks

    def _touch(
        self, x: NDArray[np.float64], y: NDArray[np.float64], radius: NDArray[np.float64], at: NDArray[np.int64],
        buckets: NDArray[np.int64],
    ) -> None:  # fmt: skip
        """Count the bullets into the buckets that they touch."""
        wide, high = self.width / self.columns, self.height / self.rows
        left, right = _quarters((x - radius) / wide, np.ceil), _quarters((x + radius) / wide, np.floor)
        top, bottom = _quarters((y - radius) / high, np.ceil), _quarters((y + radius) / high, np.floor)
        for low, most in ((left, self.columns), (right, self.columns), (top, self.rows), (bottom, self.rows)):
            np.clip(low, 0, most - 1, out=low)
        flat = buckets.reshape(-1)
        for down in range(int((bottom - top).max()) + 1):
            for across in range(int((right - left).max()) + 1):
                hit = (left + across <= right) & (top + down <= bottom)
                places = at[hit] * buckets.shape[1] + (top[hit] + down) * self.columns + left[hit] + across
                flat += np.bincount(places, minlength=len(flat))


def _quarters(value: NDArray[np.float64], towards: Any) -> NDArray[np.int64]:
    """Round to quarters, halves to the even one, and then up or down."""
    whole: NDArray[np.int64] = towards(np.rint(4 * value) / 4).astype(np.int64)
    return whole


def _entropy(shares: Sequence[float]) -> float:
    """Return the entropy of shares, 1 when they are equal, summed up in the benchmark's order."""
    entropy = 0.0
    for share in shares:
        if 0 < share < 1:
            entropy += share * math.log(share) / math.log(len(shares))
    return -entropy
