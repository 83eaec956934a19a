"""Games written in the Game Description Language: load a rule sheet, play it.

    game = load("tictactoe.kif")
    state = game.start()
    while not state.is_terminal:
        state.advance([state.legal(role)[0] for role in game.roles])
    state.goals
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import merge
from pathlib import Path
from typing import Any

import numpy as np

from pcg.engine.gdl.checker import Program, analyse
from pcg.engine.gdl.errors import Diagnostic, GDLError
from pcg.engine.gdl.grounding import Limits, ground
from pcg.engine.gdl.kernel import face, single
from pcg.engine.gdl.kernel.single import ENDED, RUNNING, STUCK
from pcg.engine.gdl.network import Network, build_network
from pcg.engine.gdl.parser import is_text, read
from pcg.engine.gdl.relations import Array
from pcg.engine.gdl.splitting import split
from pcg.engine.gdl.tables import Tables
from pcg.engine.kernel.runtime import invoke2, invoke3, invoke4, invoke6
from pcg.engine.model import Model
from pcg.engine.vgdl.diagnostics import nearest


@dataclass(frozen=True)
class Playouts:
    """Random playouts that were made.

    Attributes:
        plies: int64 (n,), joint moves of each.
        goals: int64 (n, roles), goal values at the end; -1 where the rules give none.
        stuck: bool (n,), those that ended in a state that is not terminal but leaves some role without a legal move.
    """

    plies: Array
    goals: Array
    stuck: Array

    def __len__(self) -> int:
        return len(self.plies)

    def __repr__(self) -> str:
        return f"<{len(self)} playouts, {int(self.plies.sum()):,} transitions>"


class GdlGame:
    """A rule sheet, ready to play.

    Attributes:
        name: file stem, or "text".
        program: the checked rules.
        network: the propositional network.
        roles: names of the roles, in the order of their facts.
        warnings: what the checker finds doubtful.
    """

    def __init__(self, program: Program, network: Network, name: str) -> None:
        self.program = program
        self.network = network
        self.name = name
        self.roles = network.roles
        self.digest = hashlib.sha256(program.sheet.text.encode()).hexdigest()[:32]
        self._tables: Tables | None = None

    def __repr__(self) -> str:
        return f"<GdlGame {self.name}: {len(self.roles)} roles, {self.network.facts} facts, {self.network.moves} moves>"

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What the checker finds doubtful."""
        return self.program.warnings

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

    def start(self, level: int = 0, seed: int = 0) -> GdlState:
        """The initial state. A sheet has one level, and nothing is left to chance: both arguments change nothing."""
        return GdlState(self, self.tables.initial.copy())

    def state(self, facts: Iterable[str]) -> GdlState:
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
                close = nearest(fact, places)
                raise GDLError([Diagnostic("error", f"`{fact}` is no fact of {self.name}", suggestion=close)])
        state = self.start()
        state._set_facts(bits)
        return state

    def playouts(self, count: int, seed: int = 0, *, first: int = 0) -> Playouts:
        """Random games from the initial state: all roles move uniformly at random.

        Args:
            count: how many.
            seed: of all of them.
            first: number of the first; playout k of a seed is the same whichever batch it is in.
        """
        roles = len(self.roles)
        results = np.zeros((count, 2 + roles), dtype=np.int64)
        work = self.tables.initial.copy()
        if count:
            invoke6(
                single.playouts.address, self.tables.address, int(work.ctypes.data), count, first, seed,
                int(results.ctypes.data),
            )  # fmt: skip
        return Playouts(results[:, 0], results[:, 2:], results[:, 1] == STUCK)


class GdlState:
    """A state of a game. It belongs to the caller and is changed by `advance`."""

    __slots__ = ("_memory", "game")

    def __init__(self, game: GdlGame, memory: Array) -> None:
        self.game = game
        self._memory = memory

    def __repr__(self) -> str:
        kind = ("", ", terminal", ", no legal move")[self._status]
        return f"<state of {self.game.name} after {self.ply} moves{kind}>"

    # --- what it is ---

    @property
    def address(self) -> int:
        """Address of the state's block."""
        return int(self._memory.ctypes.data)

    @property
    def model(self) -> Model:
        """The compiled forward model."""
        return self.game.model

    @property
    def _status(self) -> int:
        return int(self._memory[2])

    @property
    def ply(self) -> int:
        """Joint moves made so far."""
        return int(self._memory[1])

    @property
    def tick(self) -> int:
        """Number of the last tick played, -1 before the first; one less than `ply`."""
        return self.ply - 1

    @property
    def facts(self) -> tuple[str, ...]:
        """All facts that hold, sorted."""
        network = self.game.network
        names = network.fact_names
        held = [names[k] for k in np.flatnonzero(self._fact_bits()).tolist()]
        return tuple(merge(held, network.constant_facts)) if network.constant_facts else tuple(held)

    @property
    def is_terminal(self) -> bool:
        """Whether `terminal` holds."""
        return self._status == ENDED

    @property
    def is_over(self) -> bool:
        """Whether nothing can be played any more: terminal, or some role has no legal move."""
        return self._status != RUNNING

    @property
    def goals(self) -> dict[str, tuple[int, ...]]:
        """For each role all goal values that hold, ascending: one in a terminal state, elsewhere what the rules say."""
        game = self.game
        table = game.tables.game[0]
        word = int(table["at_outs"] // 8 + table["end_word"])
        found: dict[str, list[int]] = {role: [] for role in game.roles}
        for k, (role, value, _) in enumerate(game.network.goals):
            bit = k + 1
            if (int(self._memory[word + (bit >> 6)]) >> (bit & 63)) & 1 and value not in found[game.roles[role]]:
                found[game.roles[role]].append(value)
        return {role: tuple(sorted(values)) for role, values in found.items()}

    @property
    def score(self) -> Any:
        """The goal value as agents see it, a tuple for several roles; 0.0 where the rules give none."""
        values = [float(max(0, invoke3(face.goal.address, *self._call(), role))) for role in range(self.game.players)]
        return values[0] if len(values) == 1 else tuple(values)

    @property
    def winner(self) -> Any:
        """1 won, -1 lost, 0 neither, for several roles a tuple (`kernel.face.outcome`)."""
        found = [int(invoke3(face.outcome.address, *self._call(), role)) for role in range(self.game.players)]
        return found[0] if len(found) == 1 else tuple(found)

    def legal(self, role: str | int) -> tuple[str, ...]:
        """The legal moves of a role (its name or number), sorted; also in a terminal state, as the rules have it."""
        number = self._role(role)
        names = self.game.network.move_names[number]
        out = np.zeros(len(names) + 1, dtype=np.int64)
        count = invoke4(single.legal_moves.address, *self._call(), number, int(out.ctypes.data))
        first = sum(map(len, self.game.network.move_names[:number]))
        return tuple(names[k - first] for k in out[:count].tolist())

    @property
    def actions(self) -> tuple[Any, ...]:
        """Names of the actions of agents: the legal moves, for several roles without the last, which is NIL."""
        if self.is_over:
            return () if self.game.players == 1 else ((),) * self.game.players
        if self.game.players == 1:
            return self.legal(0)
        return tuple(self.legal(role)[:-1] for role in range(self.game.players))

    def key(self) -> int:
        """A 64-bit hash of the facts."""
        return int(invoke2(face.key.address, *self._call()))

    # --- what can be done with it ---

    def copy(self) -> GdlState:
        """An independent copy."""
        return GdlState(self.game, self._memory.copy())

    def advance(self, moves: Mapping[str, str] | Sequence[str] | str) -> None:
        """Play a joint move.

        Args:
            moves: one legal move per role, by role name or in the order of `game.roles`; a `str` in games of one role.
                "NIL", and None, stand for the last legal move of a role.

        Raises:
            GDLError: the state is over, or a move is not legal; the state is unchanged.
        """
        game = self.game
        if self.is_over:
            why = "is terminal" if self.is_terminal else f"leaves {self._stuck_role()} without a legal move"
            raise GDLError([Diagnostic("error", f"the state {why}", game.program.sheet.file)])
        chosen: Sequence[str]
        if isinstance(moves, str):
            chosen = (moves,)
        elif isinstance(moves, Mapping):
            unknown = next((name for name in moves if name not in game.roles), None)
            if unknown is not None or len(moves) != len(game.roles):
                raise GDLError([Diagnostic("error", f"moves for {', '.join(moves)}", expected=f"one for each of {', '.join(game.roles)}")])
            chosen = [moves[role] for role in game.roles]
        else:
            chosen = tuple(moves)
        if len(chosen) != len(game.roles):
            raise GDLError([Diagnostic("error", f"{len(chosen)} moves", expected=f"one for each of {', '.join(game.roles)}")])
        numbers = np.array([self._move(role, move) for role, move in enumerate(chosen)], dtype=np.int64)
        invoke3(single.advance.address, *self._call(), int(numbers.ctypes.data))

    # --- inside ---

    def _call(self) -> tuple[int, int]:
        return self.game.tables.address, self.address

    def _role(self, role: str | int) -> int:
        roles = self.game.roles
        if isinstance(role, str):
            if role in roles:
                return roles.index(role)
        elif 0 <= role < len(roles):
            return int(role)
        raise GDLError([Diagnostic("error", f"no role `{role}`", expected=f"one of {', '.join(roles)}", suggestion=nearest(str(role), roles))])

    def _move(self, role: int, move: str | None) -> int:
        names = self.game.network.move_names
        legal = self.legal(role)
        if move is None or move == "NIL":
            move = legal[-1]
        if move not in legal:
            close = nearest(str(move), legal)
            shown = ", ".join(legal[:8]) + (", ..." if len(legal) > 8 else "")
            raise GDLError([Diagnostic("error", f"`{move}` is not legal for {self.game.roles[role]}", expected=f"one of {shown}", suggestion=close)])
        return sum(map(len, names[:role])) + names[role].index(move)

    def _stuck_role(self) -> str:
        return next(role for role in self.game.roles if not self.legal(role))

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


def load(source: str | Path, *, limits: Limits | None = None) -> GdlGame:
    """Load a rule sheet: a file, or a text (a `str` with a parenthesis or a line end).

    Raises:
        GDLError: it cannot be used; carries every finding with its place.
    """
    program = analyse(read(source))
    name = "text" if isinstance(source, str) and is_text(source) else Path(source).stem
    return GdlGame(program, build_network(program, ground(split(program), limits)), name)


__all__ = ["GdlGame", "GdlState", "Playouts", "load"]
