"""Games written in the Game Description Language: load a rule sheet, play it.

game = load("tictactoe.kif")
state = game.start()
while not state.is_terminal:
    state.advance([state.legal(role)[0] for role in game.roles])
state.goals
"""

from __future__ import annotations

import hashlib
import random
import time
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from heapq import merge
from pathlib import Path
from typing import Any

import numpy as np

from pcg.engine.gdl.checker import Program, analyse
from pcg.engine.gdl.demand import on_demand
from pcg.engine.gdl.errors import Diagnostic, GroundingLimit, fail
from pcg.engine.gdl.grounding import Limits, ground
from pcg.engine.gdl.kernel import bit_parallel, forward_model, single
from pcg.engine.gdl.kernel.single import CUT, ENDED, MAX_PLIES, RUNNING, STUCK
from pcg.engine.gdl.parser import is_text, parse, read
from pcg.engine.gdl.propnet import Network, build_network
from pcg.engine.gdl.prover import Facts, Prover
from pcg.engine.gdl.relations import Array
from pcg.engine.gdl.splitting import split
from pcg.engine.gdl.tables import Tables
from pcg.engine.gdl.tree import Term, Variable, term_text
from pcg.engine.kernel.runtime import invoke2, invoke3, invoke4, invoke6
from pcg.engine.model import Model
from pcg.engine.vgdl.diagnostics import nearest

_ANY = Variable("?")
_TRIAL = 256
"""Playouts of either kind by which the faster is found."""


@dataclass(frozen=True)
class Playouts:
    """Random playouts that were made.

    Attributes:
        plies: int64 (n,), joint moves of each.
        goals: int64 (n, roles), goal values at the end; -1 where the rules give none.
        stuck: bool (n,), those that ended in a state that is not terminal but leaves some role without a legal move.
        cut: bool (n,), those that were given up after `kernel.single.MAX_PLIES` joint moves.
    """

    plies: Array
    goals: Array
    stuck: Array
    cut: Array

    def __len__(self) -> int:
        return len(self.plies)

    def __repr__(self) -> str:
        return f"<{len(self)} playouts, {int(self.plies.sum()):,} transitions>"


class GdlGame:
    """A rule sheet, ready to play.

    Attributes:
        name: file stem, or "text".
        program: the checked rules.
        roles: names of the roles, in the order of their facts.
        warnings: what the checker finds doubtful.

    >>> import pcg
    >>> game = pcg.load("connect-four")
    >>> game.players, len(game.start().legal(0))
    (2, 7)
    """

    def __init__(self, program: Program, name: str, network: Network | None) -> None:
        self.program = program
        self.name = name
        self._network = network
        self.roles: tuple[str, ...] = network.roles if network is not None else ()
        self.digest = hashlib.sha256(program.sheet.text.encode()).hexdigest()[:32]
        self._tables: Tables | None = None
        self._batches: bool | None = None

    def __repr__(self) -> str:
        return f"<GdlGame {self.name}: {len(self.roles)} roles, {self.network.facts} facts, {self.network.moves} moves>"

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """Doubts of the checker."""
        return self.program.warnings

    @property
    def network(self) -> Network:
        """The propositional network. Raises GDLError for a sheet that was not grounded."""
        if self._network is None:
            raise fail(f"{self.name} is played without a network, so compiled agents cannot play it")
        return self._network

    @property
    def tables(self) -> Tables:
        """The flat arrays, made on first use."""
        if self._tables is None:
            self._tables = Tables(self.network, self)
        return self._tables

    @property
    def players(self) -> int:
        """Number of roles."""
        return len(self.roles)

    @property
    def model(self) -> Model:
        """The compiled forward model, for agents (docs/gdl.md says how moves become actions)."""
        return self.tables.model

    def start(self, level: int = 0, seed: int = 0) -> SheetState:
        """The initial state. A sheet has one level, and nothing is left to chance: both arguments change nothing."""
        return GdlState(self, self.tables.initial.copy())

    def state(self, facts: Iterable[str]) -> SheetState:
        """The state in which exactly the given facts hold. Facts that hold in every state may be left out.

        Raises:
            GDLError: a fact that the game cannot have.
        """
        bits = np.zeros(self.network.facts, dtype=bool)
        places = {text: k for k, text in enumerate(self.network.fact_names)}
        for fact in facts:
            at = places.get(fact)
            if at is not None:
                bits[at] = True
            elif fact not in self.network.constant_facts:
                raise fail(f"`{fact}` is no fact of {self.name}", suggestion=nearest(fact, places))
        state = GdlState(self, self.tables.initial.copy())
        state._set_facts(bits)
        return state

    def playouts(self, count: int, seed: int = 0, *, first: int = 0, batched: bool | None = None) -> Playouts:
        """Random games from the initial state: all roles move uniformly at random.

        Args:
            count: how many.
            seed: of all of them.
            first: number of the first; playout k of a seed is the same whichever call it comes from.
            batched: 64 at a time; False: one after the other; None: what is faster on this sheet. The results are the
                same. Few sheets are slower in batches: those of which a move changes next to nothing.

        >>> import pcg
        >>> pcg.load("connect-four").playouts(100, seed=1).goals.shape
        (100, 2)
        """
        if batched is None and count >= 4 * _TRIAL and self._batches is None:
            parts = []
            spent = []
            for k, how in enumerate((True, False)):
                started = time.thread_time()
                parts.append(self.playouts(_TRIAL, seed, first=first + k * _TRIAL, batched=how))
                spent.append(time.thread_time() - started)
            self._batches = spent[0] <= spent[1]
            parts.append(self.playouts(count - 2 * _TRIAL, seed, first=first + 2 * _TRIAL))
            return Playouts(*(np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(Playouts)))
        roles = len(self.roles)
        results = np.zeros((count, 2 + roles), dtype=np.int64)
        out = int(results.ctypes.data)
        tables = self.tables
        if count and (self._batches is not False if batched is None else batched):
            batch = tables.batch()
            invoke6(bit_parallel.playouts.address, tables.address, batch.address, count, first, seed, out)
        elif count:
            work = tables.initial.copy()
            invoke6(single.playouts.address, tables.address, int(work.ctypes.data), count, first, seed, out)
        tables.check()
        return Playouts(results[:, 0], results[:, 2:], results[:, 1] == STUCK, results[:, 1] == CUT)


class SheetState(ABC):
    """A state of a game, as all evaluators show it. It belongs to the caller and is changed by `advance`."""

    __slots__ = ("game",)
    game: GdlGame

    def __repr__(self) -> str:
        kind = "terminal" if self.is_terminal else "no legal move for a role" if self.is_over else "going on"
        return f"<state of {self.game.name}, {self.ply} moves made, {kind}>"

    # --- what it is ---

    @property
    @abstractmethod
    def ply(self) -> int:
        """Joint moves made so far."""

    @property
    def tick(self) -> int:
        """Number of the last tick played, -1 before the first; one less than `ply`."""
        return self.ply - 1

    @property
    @abstractmethod
    def facts(self) -> tuple[str, ...]:
        """All facts that hold, sorted."""

    @property
    @abstractmethod
    def is_terminal(self) -> bool:
        """True when `terminal` holds."""

    @property
    @abstractmethod
    def is_over(self) -> bool:
        """True when nothing can be played any more: terminal, or some role has no legal move."""

    @property
    @abstractmethod
    def goals(self) -> dict[str, tuple[int, ...]]:
        """For each role all goal values that hold, ascending: one in a terminal state, elsewhere what the rules say."""

    @abstractmethod
    def _legal(self, role: int) -> tuple[str, ...]: ...

    @abstractmethod
    def _play(self, moves: Sequence[str]) -> None: ...

    @abstractmethod
    def key(self) -> int:
        """A 64-bit hash of the facts."""

    @abstractmethod
    def copy(self) -> SheetState:
        """An independent copy."""

    @property
    def score(self) -> Any:
        """The goal value as agents see it, a tuple for several roles; 0.0 where the rules give none."""
        values = [float(max((0, *found))) for found in self.goals.values()]
        return values[0] if len(values) == 1 else tuple(values)

    @property
    def winner(self) -> Any:
        """1 won, -1 lost, 0 neither or not yet; for several roles a tuple.

        Won: 100, or more than another role and not less than any. Lost: 0, or less than another.
        """
        values = [max((-1, *found)) for found in self.goals.values()]
        if not self.is_terminal:
            found = [0] * len(values)
        else:
            found = [_outcome(own, max(values), min(values)) for own in values]
        return found[0] if len(found) == 1 else tuple(found)

    def legal(self, role: str | int) -> tuple[str, ...]:
        """The legal moves of a role (its name or number), sorted; also in a terminal state, as the rules have it.

        >>> import pcg
        >>> state = pcg.load("connect-four").start()
        >>> state.legal("red")[:2], state.legal("yellow")
        (('(drop 1)', '(drop 2)'), ('wait',))
        """
        return self._legal(self._role(role))

    @property
    def actions(self) -> tuple[Any, ...]:
        """Names of the actions of agents: the legal moves, for several roles without the last, which is NIL."""
        players = self.game.players
        if self.is_over:
            return () if players == 1 else ((),) * players
        if players == 1:
            return self._legal(0)
        return tuple(self._legal(role)[:-1] for role in range(players))

    # --- what can be done with it ---

    def advance(self, moves: Mapping[str, str] | Sequence[str | None] | str | None) -> None:
        """Play a joint move.

        Args:
            moves: one legal move per role, by role name or in the order of `game.roles`; a `str` in games of one role.
                "NIL", and None, stand for the last legal move of a role.

        Raises:
            GDLError: the state is over, or a move is not legal; the state is unchanged.

        >>> import pcg
        >>> state = pcg.load("connect-four").start()
        >>> state.advance({"red": "(drop 4)", "yellow": "wait"})
        >>> state.ply, state.is_over
        (1, False)
        """
        game = self.game
        roles = ", ".join(game.roles)
        if self.is_over:
            why = "is terminal" if self.is_terminal else f"leaves {self._stuck_role()} without a legal move"
            raise fail(f"the state {why}; nothing can be played", file=game.program.sheet.file)
        chosen: Sequence[str | None]
        if moves is None or isinstance(moves, str):
            chosen = (moves,)
        elif isinstance(moves, Mapping):
            unknown = next((name for name in moves if name not in game.roles), None)
            if unknown is not None:
                raise fail(f"no role `{unknown}`", expected=f"one of {roles}", suggestion=nearest(unknown, game.roles))
            chosen = [moves[role] for role in game.roles if role in moves]
        else:
            chosen = tuple(moves)
        if len(chosen) != len(game.roles):
            raise fail(f"{len(chosen)} moves", expected=f"one for each of {roles}")
        self._play([self._checked(role, move) for role, move in enumerate(chosen)])

    # --- inside ---

    def _role(self, role: str | int) -> int:
        roles = self.game.roles
        if isinstance(role, str):
            if role in roles:
                return roles.index(role)
        elif 0 <= role < len(roles):
            return int(role)
        raise fail(f"no role `{role}`", expected=f"one of {', '.join(roles)}", suggestion=nearest(str(role), roles))

    def _checked(self, role: int, move: str | None) -> str:
        legal = self._legal(role)
        if move is None or (move == "NIL" and "NIL" not in legal):
            return legal[-1]
        if move in legal:
            return move
        shown = ", ".join(legal[:8]) + (", ..." if len(legal) > 8 else "")
        raise fail(
            f"`{move}` is not legal for {self.game.roles[role]}", expected=f"one of {shown}",
            suggestion=nearest(str(move), legal),
        )  # fmt: skip

    def _stuck_role(self) -> str:
        return next(role for number, role in enumerate(self.game.roles) if not self._legal(number))


def _outcome(own: int, most: int, least: int) -> int:
    if own >= 100 or (own == most and own > least):
        return 1
    return -1 if own <= 0 or own < most else 0


class GdlState(SheetState):
    """A state of the propositional network."""

    __slots__ = ("_memory",)

    def __init__(self, game: GdlGame, memory: Array) -> None:
        self.game = game
        self._memory = memory

    @property
    def address(self) -> int:
        """Address of the state's block."""
        return int(self._memory.ctypes.data)

    @property
    def model(self) -> Model:
        """The compiled forward model."""
        return self.game.model

    @property
    def ply(self) -> int:
        return int(self._memory[1])

    @property
    def facts(self) -> tuple[str, ...]:
        network = self.game.network
        names = network.fact_names
        held = [names[k] for k in np.flatnonzero(self._fact_bits()).tolist()]
        return tuple(merge(held, network.constant_facts)) if network.constant_facts else tuple(held)

    @property
    def is_terminal(self) -> bool:
        return int(self._memory[2]) == ENDED

    @property
    def is_over(self) -> bool:
        return int(self._memory[2]) != RUNNING

    @property
    def goals(self) -> dict[str, tuple[int, ...]]:
        game = self.game
        table = game.tables.game[0]
        word = int(table["at_outs"] // 8 + table["end_word"])
        found: dict[str, list[int]] = {role: [] for role in game.roles}
        for k, (role, value, _) in enumerate(game.network.goals):
            bit = k + 1
            if (int(self._memory[word + (bit >> 6)]) >> (bit & 63)) & 1 and value not in found[game.roles[role]]:
                found[game.roles[role]].append(value)
        return {role: tuple(sorted(values)) for role, values in found.items()}

    def _legal(self, role: int) -> tuple[str, ...]:
        names = self.game.network.move_names
        out = np.zeros(len(names[role]) + 1, dtype=np.int64)
        count = invoke4(single.legal_moves.address, *self._call(), role, int(out.ctypes.data))
        self.game.tables.check()
        first = sum(map(len, names[:role]))
        return tuple(names[role][k - first] for k in out[:count].tolist())

    def _play(self, moves: Sequence[str]) -> None:
        names = self.game.network.move_names
        first = 0
        numbers = np.zeros(len(moves), dtype=np.int64)
        for role, move in enumerate(moves):
            numbers[role] = first + bisect_left(names[role], move)
            first += len(names[role])
        invoke3(single.advance.address, *self._call(), int(numbers.ctypes.data))
        self.game.tables.check()

    def key(self) -> int:
        return int(invoke2(forward_model.key.address, *self._call()))

    def copy(self) -> GdlState:
        return GdlState(self.game, self._memory.copy())

    def _call(self) -> tuple[int, int]:
        return self.game.tables.address, self.address

    def _fact_bits(self) -> Array:
        table = self.game.tables.game[0]
        at = int(table["at_facts"]) // 8
        words = self._memory[at : at + int(table["fact_words"])]
        return np.unpackbits(words.view(np.uint8), bitorder="little")[: self.game.network.facts]

    def _set_facts(self, bits: Array) -> None:
        table = self.game.tables.game[0]
        at = int(table["at_facts"]) // 8
        packed = np.packbits(bits, bitorder="little")
        words = np.zeros(int(table["fact_words"]), dtype=np.int64)
        words.view(np.uint8)[: len(packed)] = packed
        self._memory[at : at + len(words)] = words
        self._memory[int(table["at_made"]) // 8 : at] = -1
        invoke2(single.settle.address, *self._call())
        self.game.tables.check()


def load(source: str | Path, *, limits: Limits | None = None, evaluator: str = "auto") -> GdlGame:
    """Load a rule sheet: a file, or a text (a `str` with a parenthesis or a line end).

    Args:
        source: the sheet.
        limits: how large its grounding may become.
        evaluator: "network": the propositional network; "prover": the goal-directed evaluator, slow but without a
            grounding; "auto": the network, and the prover with a warning for sheets beyond the limits.

    Raises:
        GDLError: it cannot be used; carries every finding with its place.
        GroundingLimit: "network" was asked for, and the sheet is beyond the limits.

    >>> load("(role you) (legal you wait) (<= (next done) (does you wait)) (<= terminal (true done)) (goal you 100)")
    <GdlGame text: 1 roles, 1 facts, 1 moves>
    """
    if evaluator not in ("auto", "network", "prover"):
        raise fail(f"no evaluator `{evaluator}`", expected="auto, network or prover")
    program = analyse(read(source))
    name = "text" if isinstance(source, str) and is_text(source) else Path(source).stem
    if evaluator == "prover":
        return FirstOrderGame(program, name)
    try:
        network = _network(program, limits)
    except GroundingLimit as limit:
        if evaluator == "network":
            raise
        warning = Diagnostic(
            "warning", f"the sheet does not ground ({limit}); the goal-directed evaluator plays it, which is slow",
            program.sheet.file,
        )  # fmt: skip
        return FirstOrderGame(replace(program, warnings=(*program.warnings, warning)), name)
    return GdlGame(program, name, network)


def _network(program: Program, limits: Limits | None) -> Network:
    """The network of a program: of all that could hold, or where that is too much, of all that could be asked for."""
    try:
        return build_network(program, ground(split(program), limits))
    except GroundingLimit:
        asked = split(on_demand(program))
        return build_network(asked, ground(asked, limits))


class FirstOrderGame(GdlGame):
    """A game that is played by asking its rules (`pcg.engine.gdl.prover`): no network, no agents, any size."""

    def __init__(self, program: Program, name: str) -> None:
        super().__init__(program, name, None)
        self.prover = Prover(program)
        nothing = Facts(())
        written = [rule.head.args[0] for rule in program.sheet.rules if rule.head.name == "role" and not rule.body]
        asked = sorted((role for (role,) in self.prover.ask("role", (_ANY,), nothing)), key=term_text)
        self._role_terms = tuple(dict.fromkeys([*written, *asked]))
        self.roles = tuple(term_text(role) for role in self._role_terms)
        self._initial = frozenset(fact for (fact,) in self.prover.ask("init", (_ANY,), nothing))

    def __repr__(self) -> str:
        return f"<GdlGame {self.name}: {len(self.roles)} roles, not grounded>"

    def start(self, level: int = 0, seed: int = 0) -> FirstOrderState:
        return FirstOrderState(self, self._initial, 0)

    def state(self, facts: Iterable[str]) -> FirstOrderState:
        return FirstOrderState(self, frozenset(parse(f"(x {fact})").rules[0].head.args[0] for fact in facts), 0)

    def playouts(self, count: int, seed: int = 0, *, first: int = 0, batched: bool | None = None) -> Playouts:
        roles = len(self.roles)
        plies = np.zeros(count, dtype=np.int64)
        goals = np.full((count, roles), -1, dtype=np.int64)
        stuck, cut = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
        for k in range(count):
            draw = random.Random(f"{seed} {first + k}")
            state = self.start()
            while not state.is_over and state.ply < MAX_PLIES:
                state._play([draw.choice(state._legal(role)) for role in range(roles)])
            plies[k] = state.ply
            stuck[k], cut[k] = state.is_over and not state.is_terminal, not state.is_over
            goals[k] = [max((-1, *values)) for values in state.goals.values()]
        return Playouts(plies, goals, stuck, cut)


class FirstOrderState(SheetState):
    """A state as a set of facts; everything else is asked for, once."""

    __slots__ = ("_asked", "_facts", "_known", "_ply")
    game: FirstOrderGame

    def __init__(self, game: FirstOrderGame, facts: frozenset[Term], ply: int) -> None:
        self.game = game
        self._facts = facts
        self._ply = ply
        self._known = Facts(sorted(facts, key=term_text))
        self._asked: dict[int, dict[str, Term]] = {}

    @property
    def ply(self) -> int:
        return self._ply

    @property
    def facts(self) -> tuple[str, ...]:
        return tuple(sorted(map(term_text, self._facts)))

    @property
    def is_terminal(self) -> bool:
        return self.game.prover.holds("terminal", (), self._known)

    @property
    def is_over(self) -> bool:
        return self.is_terminal or not all(self._moves(role) for role in range(self.game.players))

    @property
    def goals(self) -> dict[str, tuple[int, ...]]:
        found = {}
        for name, role in zip(self.game.roles, self.game._role_terms, strict=True):
            values = [term_text(value) for _, value in self.game.prover.ask("goal", (role, _ANY), self._known)]
            wrong = next((value for value in values if not value.lstrip("-").isdigit()), None)
            if wrong is not None:
                raise fail(f"the goal value `{wrong}` is no number", file=self.game.program.sheet.file)
            found[name] = tuple(sorted(map(int, values)))
        return found

    def _moves(self, role: int) -> dict[str, Term]:
        if role not in self._asked:
            answers = self.game.prover.ask("legal", (self.game._role_terms[role], _ANY), self._known)
            self._asked[role] = dict(sorted((term_text(move), move) for _, move in answers))
        return self._asked[role]

    def _legal(self, role: int) -> tuple[str, ...]:
        return tuple(self._moves(role))

    def _play(self, moves: Sequence[str]) -> None:
        game = self.game
        made = self._known.after(
            (term, self._moves(role)[move])
            for role, (term, move) in enumerate(zip(game._role_terms, moves, strict=True))
        )
        facts = frozenset(fact for (fact,) in game.prover.ask("next", (_ANY,), made))
        self.__init__(game, facts, self._ply + 1)  # type: ignore[misc]

    def key(self) -> int:
        digest = hashlib.blake2b("\n".join(self.facts).encode(), digest_size=8).digest()
        return int.from_bytes(digest, "little", signed=True)

    def copy(self) -> FirstOrderState:
        return FirstOrderState(self.game, self._facts, self._ply)


__all__ = ["FirstOrderGame", "FirstOrderState", "GdlGame", "GdlState", "Playouts", "SheetState", "load"]
