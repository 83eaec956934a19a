"""A network as the compiled evaluators read it: flat arrays and a record of their addresses."""

from __future__ import annotations

from typing import Any

import numpy as np

from pcg.engine.gdl.kernel import bit_parallel, forward_model, single
from pcg.engine.gdl.kernel.single import GAME, HEAD
from pcg.engine.gdl.propnet import FALSE, TRUE, Network
from pcg.engine.gdl.relations import Array
from pcg.engine.kernel.protocol import MODEL
from pcg.engine.kernel.runtime import CHECKED, invoke2
from pcg.engine.model import Model


def _words(bits: int) -> int:
    return (bits + 63) // 64


class Batch:
    """Memory for 64 states (`kernel.bit_parallel.BATCH`)."""

    def __init__(self) -> None:
        self.record = np.zeros(1, dtype=bit_parallel.BATCH)
        self.address = int(self.record.ctypes.data)
        self._kept: list[Array] = []

    def point(self, field: str, array: Array) -> None:
        """Let a field point to an array."""
        self._kept.append(array)
        self.record[0][field] = array.ctypes.data


class Tables:
    """Arrays of one network, and the records that point to them; only violations change once they are made."""

    def __init__(self, network: Network, owner: object) -> None:
        self.network = network
        roles = len(network.roles)
        self._kept: list[Array] = []
        self.game = np.zeros(1, dtype=GAME)
        self.address = int(self.game.ctypes.data)
        self._gates(network)
        self._outputs(network)
        self._state(network)
        self.action_names = ("NIL", *sorted({name for names in network.move_names for name in names}))
        self._codes(network)
        self._lanes(network)
        self.model = self._model(roles, owner)

    def check(self) -> None:
        """See that no index has left its table, which is only noted with bounds checks on.

        Raises:
            RuntimeError: one has; the network or a kernel is wrong, and so is whatever was played since.
        """
        if CHECKED and self.game[0]["violations"]:
            raise RuntimeError(f"{int(self.game[0]['violations'])} accesses outside the tables of a network")

    # --- arrays ---

    def _point(self, field: str, values: Any, dtype: Any) -> Array:
        array = np.ascontiguousarray(values, dtype=dtype)
        if array.size == 0:
            array = np.zeros(1, dtype=dtype)
        self._kept.append(array)
        self.game[0][field] = array.ctypes.data
        return array

    def _gates(self, network: Network) -> None:
        """The gates, with empty ones after the early ones so that the late ones begin in a word of their own."""
        first, early, gates = network.first_gate, network.early, network.gates
        gap = -early % 64
        place = np.arange(gates)
        place[early:] += gap
        literals = network.literals.astype(np.int64)
        late = literals >= 2 * (first + early)
        self.gap = 2 * gap
        literals = literals + np.where(late, self.gap, 0)
        sizes = np.zeros(gates + gap, dtype=np.int64)
        sizes[place] = np.diff(network.start)
        start = np.concatenate([[0], np.cumsum(sizes)])
        component = np.zeros(gates + gap, dtype=np.int32)
        component[place] = network.component
        loops = np.zeros(gates + gap, dtype=np.int8)
        loops[place] = network.loops
        count = gates + gap
        g = self.game[0]
        g["roles"] = len(network.roles)
        g["facts"] = network.facts
        g["moves"] = network.moves
        g["first_gate"] = first
        g["gates"] = count
        g["nodes"] = first + count
        g["literal_count"] = len(literals)
        g["early_words"] = _words(early)
        g["gate_words"] = _words(count)
        g["cyclic"] = int(component.any())
        self._point("component", component, np.int32)
        self._point("loops", loops, np.int8)
        self._point("start", start, np.int64)
        self._point("literals", literals, np.int32)
        nodes = first + count
        gate_of = np.repeat(np.arange(count), sizes)
        order = np.lexsort((gate_of, literals))
        wanted = np.bincount(literals, minlength=2 * nodes)
        wanted[:2] = 0
        order = order[literals[order] > 1]  # nobody is told of the constant
        bounds = np.concatenate([[0], np.cumsum(wanted)])
        self._fan = np.zeros((nodes + 1, 4), dtype=np.int32)
        self._fan[:, 0] = bounds[::2]
        self._fan[:-1, 1] = bounds[1::2]
        self._fan[:-1, 2] = bounds[2::2]
        self._point("readers", gate_of[order], np.int32)
        g["reader_count"] = len(order)
        self.first_late = first + early
        self.nodes = nodes

    def literal(self, literal: int) -> int:
        """A literal of the network in these arrays."""
        return literal + (self.gap if literal >= 2 * self.first_late else 0)

    def _outputs(self, network: Network) -> None:
        """Write the tables of the bits of a state's outputs that each node drives."""
        g = self.game[0]
        literals: list[int] = [self.literal(x) for x in network.next_literals.tolist()]
        bits: list[int] = list(range(network.facts))
        word = _words(network.facts)
        g["fact_words"] = word
        legal = [self.literal(x) for x in network.legal_literals.tolist()]
        role_word, role_move, move = [], [], 0
        for names in network.move_names:
            role_word.append(word)
            role_move.append(move)
            literals += legal[move : move + len(names)]
            bits += range(64 * word, 64 * word + len(names))
            move += len(names)
            word += _words(len(names))
        g["end_word"] = word
        literals.append(self.literal(network.terminal))
        bits.append(64 * word)
        for k, (_, _, literal) in enumerate(network.goals):
            literals.append(self.literal(literal))
            bits.append(64 * word + 1 + k)
        word += _words(1 + len(network.goals))
        g["out_words"] = word
        g["goals"] = len(network.goals)
        self._point("role_word", [*role_word, int(g["end_word"])], np.int64)
        self._point("role_move", [*role_move, move], np.int64)
        self._point("goal_role", [role for role, _, _ in network.goals], np.int64)
        self._point("goal_value", [value for _, value, _ in network.goals], np.int64)
        read = np.array(literals, dtype=np.int64)
        places = np.array(bits, dtype=np.int64)
        always = np.zeros(word, dtype=np.uint64)
        for bit in places[((read & 1 == 1) & (read != FALSE)) | (read == TRUE)].tolist():
            always[bit >> 6] |= np.uint64(1 << (bit & 63))
        self._point("always", always.view(np.int64), np.int64)
        driven = read > 1
        read, places = read[driven] >> 1, places[driven]
        order = np.argsort(read, kind="stable")
        counts = np.bincount(read, minlength=self.nodes)
        self._fan[:, 3] = np.concatenate([[0], np.cumsum(counts)])
        self._point("fan", self._fan, np.int32)
        self._point("outputs", places[order], np.int32)
        g["output_count"] = len(order)

    def _state(self, network: Network) -> None:
        """Layout of a state, and the initial one."""
        g = self.game[0]
        at = HEAD
        for field, words in (
            ("at_made", len(network.roles)),
            ("at_facts", int(g["fact_words"])),
            ("at_outs", int(g["out_words"])),
            ("at_dirty", int(g["gate_words"] + g["fact_words"] + (g["gate_words"] if g["cyclic"] else 0))),
            ("at_counts", (int(g["gates"]) + 3) // 4),
        ):
            g[field] = at
            at += 8 * words
        g["stride"] = at
        state = np.zeros(at // 8, dtype=np.int64)
        made = int(g["at_made"]) // 8
        state[made : made + len(network.roles)] = -1
        facts = int(g["at_facts"]) // 8
        packed = np.packbits(network.initial, bitorder="little")
        state[facts : facts + int(g["fact_words"])].view(np.uint8)[: len(packed)] = packed
        self._point("initial", state, np.int64)
        self.initial = state
        invoke2(single.settle.address, self.address, int(state.ctypes.data))
        self.check()

    def _codes(self, network: Network) -> None:
        code_of = {name: code for code, name in enumerate(self.action_names)}
        codes: list[int] = []
        table = np.full((len(network.roles), len(code_of)), -1, dtype=np.int32)
        for role, names in enumerate(network.move_names):
            for name in names:
                table[role, code_of[name]] = len(codes)
                codes.append(code_of[name])
        self._point("codes", codes, np.int32)
        self._point("move_of", table, np.int32)
        self.game[0]["code_count"] = len(code_of) - 1
        mixers = np.random.Generator(np.random.PCG64(20260)).integers(-(2**62), 2**62, network.facts, dtype=np.int64)
        self._point("mixers", mixers, np.int64)

    def _lanes(self, network: Network) -> None:
        """Write the tables that 64 states at a time need beyond the game record."""
        self._lane_literals = {
            "next_literals": [self.literal(x) for x in network.next_literals.tolist()],
            "legal_literals": [self.literal(x) for x in network.legal_literals.tolist()],
            "goal_literals": [self.literal(x) for _, _, x in network.goals],
        }
        self._lane_terminal = self.literal(network.terminal)

    def batch(self) -> Batch:
        """Memory for 64 states. Not to be shared by threads."""
        network = self.network
        widest = max([1, *(_words(len(names)) for names in network.move_names)])
        made = Batch()
        for name, literals in self._lane_literals.items():
            made.point(name, np.array([*literals, 0], dtype=np.int32))
        made.record[0]["terminal"] = self._lane_terminal
        made.point("first", np.append(network.initial, False).astype(np.int8))
        made.point("values", np.zeros(self.nodes, dtype=np.int64))
        made.point("legal", np.zeros(64 * widest, dtype=np.int64))
        made.point("next", np.zeros(network.facts + 1, dtype=np.int64))
        made.point("made", np.zeros(64 * len(network.roles), dtype=np.int64))
        for name in ("rng", "number", "plies"):
            made.point(name, np.zeros(64, dtype=np.int64))
        return made

    def _model(self, roles: int, owner: object) -> Model:
        record = np.zeros(1, dtype=MODEL)
        m = record[0]
        m["game"] = self.address
        m["players"] = roles
        m["max_actions"] = max([1, *map(len, self.network.move_names)])
        for field, entry in (
            ("copy", forward_model.copy), ("advance", forward_model.advance_codes), ("over", forward_model.over),
            ("outcome", forward_model.outcome), ("score", forward_model.score), ("actions", forward_model.actions),
            ("key", forward_model.key), ("reseed", forward_model.reseed), ("features", forward_model.features),
            ("events", forward_model.events), ("atoms", forward_model.atoms),
        ):  # fmt: skip
            m[field] = entry.address
        stride = int(self.game[0]["stride"])
        return Model(
            record,
            room=1,
            stride_of=lambda room: stride,
            format_blocks=lambda address, room, size, count: None,
            stochastic=False,
            owner=owner,
            action_names=self.action_names,
            definition=owner,
            engine="gdl",
        )


__all__ = ["Tables"]
