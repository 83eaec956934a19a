"""Chance, found out by trying: whether the same action in the same state can lead to different observations.

The rules of a VGDL game say whether a level draws random numbers (`Model.stochastic`). Agents that are not to read
rules, as in the competitions, can simulate: two copies of a state with random streams of their own play the same
actions, and every state met in a play is held against what a copy of the state before it came to. Differences prove
chance; without any, a level counts as deterministic until one is seen. After the way in which competition entries such
as YOLOBOT and Return42 chose between search and sampling (Perez Liebana et al., General Video Game AI: a Multi-Track
Framework, 2018).
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from pcg.engine.kernel.runtime import invoke5
from pcg.engine.model import Model
from pcg.evaluators.agents.base import GameState, Timer, parameter
from pcg.evaluators.agents.compiled import CompiledAgent

PLAYOUTS = 6
"""Pairs of random playouts at the start of a play."""
TICKS = 40
"""Their length."""
_ATOMS = 4096
_RESERVE_MS = 850.0
"""Milliseconds of an agent's construction that trials leave to others, where it is timed."""


def observation_of(state: Any) -> tuple[object, ...]:
    """Return what can be observed of a state, for comparison: score, end, features and facts (without hidden sprites).

    >>> import pcg
    >>> state = pcg.load("boxes").start(level=0, seed=1)
    >>> observation_of(state) == observation_of(state.copy())
    True
    """
    model: Model = state.model
    record = model.record
    numbers = np.zeros(max(2 * len(model.categories), 64), dtype=np.float64)
    facts = np.zeros(_ATOMS, dtype=np.int64)
    game, address = int(record["game"]), state.address
    used = invoke5(int(record["features"]), game, address, 0, int(numbers.ctypes.data), len(numbers))
    known = 0
    if int(record["atoms"]):
        known = max(0, invoke5(int(record["atoms"]), game, address, 0, int(facts.ctypes.data), _ATOMS))
    return state.score, state.is_over, numbers[:used].tobytes(), facts[:known].tobytes()


def sampled_future(state: GameState, chance: random.Random) -> Any:
    """Return a copy of a state with a random stream of its own, where the engine has any.

    >>> import pcg
    >>> state, chance = pcg.load("hunt").start(level=0, seed=1), random.Random(1)
    >>> sampled_future(state, chance).rng == sampled_future(state, chance).rng
    False
    """
    copied: Any = state.copy()
    if hasattr(copied, "reseed"):
        copied.reseed(chance.getrandbits(40))
    return copied


class ChanceObserver:
    """Watches a play for chance.

    Args:
        seed: of its trials.
        timer: of the agent's construction, of which the trials leave most.

    Attributes:
        found: True once the same action in the same state has led to different observations.
        calls: ticks simulated so far.

    >>> import pcg
    >>> found = []
    >>> for name in ("boxes", "hunt"):
    ...     observer = ChanceObserver(seed=1)
    ...     observer.begin(pcg.load(name).start(level=0, seed=1))
    ...     found.append(observer.found)
    >>> found
    [False, True]
    """

    def __init__(self, seed: int, timer: Timer | None = None) -> None:
        self.timer = timer or Timer()
        self._random = random.Random(seed)
        self._alone = True
        self.found = False
        self.calls = 0
        self._before: Any = None

    def begin(self, state: GameState) -> None:
        """Play pairs of random playouts from the first state of a play, until two differ.

        With several players there is nothing to find out: what the others do is chance enough.
        """
        self._alone = state.model.players == 1
        for _ in range(PLAYOUTS if self._alone else 0):
            if self.found or self.timer.left < _RESERVE_MS:
                return
            one, other = sampled_future(state, self._random), sampled_future(state, self._random)
            for _ in range(TICKS):
                if one.is_over or not one.actions:
                    break
                action = self._random.choice(one.actions)
                one.advance(action)
                other.advance(action)
                self.calls += 2
                if observation_of(one) != observation_of(other):
                    self.found = True
                    break

    def act(self, state: GameState, action: str) -> None:
        """Note what a copy of a state comes to with the action that is about to be played."""
        self._before = None
        if self._alone and not self.found:
            self._before = sampled_future(state, self._random)
            self._before.advance(action)
            self.calls += 1

    def look(self, state: GameState) -> None:
        """Hold the state that the game came to against what was noted."""
        if self._before is not None and self._before.tick == state.tick:
            self.found = self.found or observation_of(self._before) != observation_of(state)
        self._before = None


def chance_parameter() -> str:
    """Declare the parameter `chance` in the body of a class."""
    return parameter(
        "rules",
        "how it knows whether chance plays a part: read from the rules, or observed in simulations",
        choices=("rules", "observed"),
    )


class ChanceAware(CompiledAgent):
    """Base of compiled agents that search differently where chance plays a part.

    By default they read from the rules whether it does; with ``chance=observed`` a `ChanceObserver` finds out. Its
    first trials belong to the construction of the agent (the competitions grant a second for that) and are in no
    decision's budget; one tick per decision is beside the budget as well, and both are in `calls`.
    """

    chance: str
    """A parameter of the subclasses, declared by `chance_parameter`."""
    _shares: bool = False

    def expects_chance(self, model: Model) -> bool:
        """True when the next tick may depend on more than the actions: on chance, or on other players."""
        if model.players > 1:
            return True
        if self.chance == "rules":
            return model.stochastic
        observer = getattr(self, "_observer", None)
        return observer is None or observer.found

    @property
    def calls(self) -> int:
        """Forward-model calls of all decisions since the last reset."""
        observer = getattr(self, "_observer", None)
        return super().calls + (0 if observer is None else observer.calls)

    @property
    def reproducible(self) -> bool:
        """Not played by the compiled loop when it observes: that happens in Python, between decisions."""
        return super().reproducible and self.chance == "rules"

    def reset(self, state: GameState) -> None:
        """Start anew, and find out whether chance plays a part where the rules are not read."""
        if self.chance == "observed" and not self._shares:
            self._observer = ChanceObserver(self.seed, self.timer)
            self._observer.begin(state)
            self.forget_model()
        super().reset(state)

    def forget_model(self) -> None:
        """Drop memory that was made for another belief about chance."""
        self._model = None

    def act(self, state: GameState) -> str:
        """The name of the chosen action."""
        if self.chance == "rules":
            return super().act(state)
        self._observe(state)
        action = super().act(state)
        self._observer.act(state, action)
        return action

    def share(self, observer: ChanceObserver) -> None:
        """Take over what another has observed, and goes on observing: a portfolio, for all its methods."""
        self._observer = observer
        self._shares = True
        self.forget_model()

    def _observe(self, state: GameState) -> None:
        if not hasattr(self, "_observer"):
            self._observer = ChanceObserver(self.seed)
        before = self._observer.found
        self._observer.look(state)
        if self._observer.found != before:
            self.forget_model()
