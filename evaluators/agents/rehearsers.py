"""Methods that rehearse in turn, round after round, with decisions of different sizes where a budget pays for that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain

from pcg.evaluators.agents.base import Budget, GameState, Timer
from pcg.evaluators.agents.compiled import CompiledAgent
from pcg.evaluators.agents.registry import make_agent
from pcg.evaluators.agents.rehearsal import Rehearsal

_PARTS = 5
"""Decisions in imagination that share the budget of a real one, at least."""
_SMALLEST = 200
"""Forward-model calls per decision in the smallest rehearsals, where a budget pays for different sizes."""
_FACTOR = 4
"""Ratio of the calls of one size to those of the size before it."""
_SIZES = 4
"""Different sizes at most."""
_OWN_MEMORY = 2
"""Smallest sizes for which methods have memory of their own: what they keep in mind depends on it, and its handling
would take longer than their search."""
_SPARE_MS = 500.0
"""Milliseconds of a timed construction that must be left for another method to get ready to rehearse: getting memory
takes up to 400 on large levels."""
_SPARE_SMALL_MS = 100.0
"""The same for a method with memory for small searches."""


class Rounds:
    """Sizes of rehearsals, round after round, in each of which every method rehearses once.

    What wins a level differs: many plays by small searches with other random numbers each, or one by a large search.
    So half of the rounds are with the smallest size, a quarter with the next, and so on, which is within a logarithm
    of the best choice (Luby, Sinclair and Zuckerman, Optimal speedup of Las Vegas algorithms, 1993).

    Args:
        budget: of a real decision.

    Attributes:
        budget: of a decision in imagination, whatever its size.
        sizes: forward-model calls per decision in imagination, the smallest first.

    >>> rounds = Rounds(Budget(milliseconds=40.0))
    >>> rounds.budget, [rounds.calls(done) for done in range(5)]
    (Budget(milliseconds=8.0), [200, 800, 200, 3200, 200])
    >>> Rounds(Budget(calls=1000)).sizes
    (200,)
    """

    def __init__(self, budget: Budget) -> None:
        sizes: list[int] = [_SMALLEST * _FACTOR**k for k in range(_SIZES)]
        if budget.milliseconds is not None:
            self.budget = Budget(milliseconds=budget.milliseconds / _PARTS)
        else:
            most = max(1, (budget.calls or 0) // _PARTS)
            self.budget = Budget(calls=most)
            sizes = [size for size in sizes if size <= most]
            if len(sizes) < 2:
                sizes = [most]
        self.sizes = tuple(sizes)

    @property
    def small(self) -> tuple[int, ...]:
        """Sizes for which methods have memory of their own."""
        return self.sizes[:_OWN_MEMORY] if self.varied else ()

    @property
    def varied(self) -> bool:
        """True when the budget pays for rehearsals of different sizes, and so for many of them."""
        return len(self.sizes) > 1

    def calls(self, done: int) -> int:
        """Return the forward-model calls of a decision in imagination after so many rounds."""
        twos = ((done + 1) & -(done + 1)).bit_length() - 1
        return self.sizes[twos % len(self.sizes)]


def make_compiled(names: Sequence[str], seed: int, budget: Budget, player: int, hasty: bool) -> list[CompiledAgent]:
    """Return agents of those names.

    Args:
        names: with parameters, see `make_agent`.
        seed: of all of them.
        budget: for which they get memory.
        player: the number of the player.
        hasty: whether what they do is timed, whatever their budget.
    """
    made = (make_agent(name, seed=seed, budget=budget, player=player) for name in names)
    agents = [agent for agent in made if isinstance(agent, CompiledAgent)]
    for agent in agents:
        agent.hasty = hasty
    return agents


class Rehearsers:
    """Agents for rehearsals: some of every method, for decisions of different sizes.

    Args:
        names: of the methods, in the order in which they rehearse.
        seed: of their randomness; another one in every round where there are many.
        budget: of a real decision.
        player: the number of the player.

    Attributes:
        ready: those that have memory for large decisions.
        held: rehearsals that have ended.
    """

    def __init__(self, names: Sequence[str], seed: int, budget: Budget, player: int) -> None:
        hasty = budget.milliseconds is not None
        self._rounds = Rounds(budget)
        self._seed = seed
        self._large = make_compiled(names, seed, budget, player, hasty)
        self._small = {
            calls: make_compiled(names, seed, Budget(calls=calls), player, hasty) for calls in self._rounds.small
        }
        self.forget()

    def forget(self) -> None:
        """Begin with the first round, and let nobody rehearse who does not get ready again."""
        self.ready: list[CompiledAgent] = []
        self._teams: dict[int, list[CompiledAgent]] = {}
        self.held = 0

    @property
    def agents(self) -> tuple[CompiledAgent, ...]:
        """All of them, ready or not."""
        return (*self._large, *chain.from_iterable(self._small.values()))

    @property
    def many(self) -> bool:
        """True when rehearsals of different sizes can be held, as many as there is time for."""
        return any(self._teams.values())

    def get_ready(self, state: GameState, timer: Timer) -> None:
        """Give memory to as many as there is time for, because a decision has none for it."""
        for calls, agents in self._small.items():
            self._teams[calls] = _given_memory(agents, state, timer, _SPARE_SMALL_MS)
        self.ready = _given_memory(self._large, state, timer, _SPARE_MS)

    def begin(
        self,
        state: GameState,
        identity: Callable[[GameState], int],
        make_ready: Callable[[CompiledAgent, GameState], None],
    ) -> Rehearsal:
        """Return the next rehearsal, from a state; at least one method has memory.

        Args:
            state: where it begins.
            identity: tells states apart.
            make_ready: has the method begin anew from the state.
        """
        rounds, many = self._rounds, self.many
        done, k = divmod(self.held, len(self._large) if many else len(self.ready))
        calls = rounds.calls(done)
        team = self._teams.get(calls, self.ready) or next(filter(None, self._teams.values()))
        method = team[k % len(team)]
        if many:
            method.seed = self._seed + done
        make_ready(method, state)
        budget = rounds.budget if rounds.budget.calls is None else Budget(calls=calls)
        return Rehearsal(state, method, budget, identity, calls=calls, keeps_states=many)


def _given_memory(agents: Sequence[CompiledAgent], state: GameState, timer: Timer, spare: float) -> list[CompiledAgent]:
    """Return those agents that could get their memory while enough time was left."""
    ready = []
    for agent in agents:
        if timer.left > spare:
            agent.reset(state)
            ready.append(agent)
    return ready
