"""The problem of a level as a list of constraints, each with a sentence for people.

`Problem` turns what the analysis of a game knows into facts and guarded rules for `layout.lp` and `plan.lp`; solving
is the business of `search`. Nothing here is drawn at random.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.level_grid import BLOCKED, GATE, HAZARD, PUSH, Grid
from pcg.evaluators.requirements import means_to_remove
from pcg.generators.levels.asp.clingo_solver import program_text
from pcg.generators.levels.asp.transition_model import PuzzleRules, Stack, puzzle_rules
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.level_builder import LevelBuilder

DIRECTIONS: tuple[tuple[str, int, int], ...] = (("UP", -1, 0), ("LEFT", 0, -1), ("DOWN", 1, 0), ("RIGHT", 0, 1))
"""Actions and the (rows, columns) they lead to; a direction's number is its place here."""

SYMMETRIES: Mapping[str, str] = {
    "none": "no symmetry asked for",
    "horizontal": "walls mirrored from left to right",
    "vertical": "walls mirrored from top to bottom",
    "rotational": "walls the same after half a turn",
}
"""Kinds of symmetry."""

MOST_WORK = 40_000
"""Cells times moves beyond which a plan is not looked for."""
ZONES = 2
"""Gates one after the other that `keys_first` looks behind."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """One constraint. `firm` ones are what was asked for or what the rules call for; the others are our own choices,
    which give way when they clash with those.
    """

    number: int
    text: str
    firm: bool
    asked: bool = False
    """True if it was asked for (and does not follow from the rules or from what makes a level whole)."""


class Problem:
    """Facts and constraints for a level of one game and one size.

    Args:
        context: of the game.
        height, width: of the level, in cells.
        bridges: whether hazards that can be done away with count as ways.
    """

    def __init__(self, context: LevelContext, height: int, width: int, *, bridges: bool = False) -> None:
        self.bridges = bridges
        self.context = context
        self.palette = context.palette
        self.shape = (height, width)
        self.constraints: list[Constraint] = []
        self.lines: list[str] = []
        self.parts: list[tuple[str, tuple[int, ...]]] = []
        self._rules: PuzzleRules | None = None
        self.moves: tuple[int, int] | None = None
        self.plan_demand = -1
        self._may: dict[tuple[int, int], frozenset[int]] = {}
        self._site = LevelBuilder.blank(context, width, height)

    # -- which tiles may stand where ----------------------------------------------------------------------------------

    def cell(self, place: tuple[int, int]) -> int:
        """The number of a cell given as (row, column)."""
        return place[0] * self.shape[1] + place[1]

    def place(self, cell: int) -> tuple[int, int]:
        """The inverse of `cell`."""
        return divmod(cell, self.shape[1])

    def everywhere(self, tiles: Iterable[int]) -> None:
        """Leave each cell to `tiles`, inside the frame; the frame is as in the game's levels, but for gates in it."""
        height, width = self.shape
        inside = frozenset(tiles)
        line = self._line()
        avatars = frozenset(self.palette.avatars)
        gates = frozenset(t for t in inside if self.palette.access[t] == GATE)
        frame = self._site.frame_cells()
        corners = {(0, 0), (0, width - 1), (height - 1, 0), (height - 1, width - 1)}
        for y in range(height):
            for x in range(width):
                if (y, x) in frame:
                    self._may[y, x] = frozenset({frame[y, x]}) | (frozenset() if (y, x) in corners else gates)
                else:
                    self._may[y, x] = inside if line is None or (y, x) in line else inside - avatars

    def restrict(self, place: tuple[int, int], tiles: Iterable[int]) -> None:
        """Leave a cell to `tiles` alone."""
        self._may[place] = frozenset(tiles)

    @property
    def frame(self) -> Mapping[tuple[int, int], int]:
        """The cells of the frame and the tile each should have."""
        return self._site.frame_cells()

    def admit(self, place: tuple[int, int], tile: int) -> None:
        """Let one more tile stand on a cell; constraints that were put before do not know of it if it is new."""
        self._may[place] = self._may[place] | {tile}

    def allowed(self, place: tuple[int, int]) -> frozenset[int]:
        """The tiles that may stand on a cell."""
        return self._may[place]

    def _line(self) -> set[tuple[int, int]] | None:
        """The cells an avatar that keeps to a line may start on; None if it may start anywhere."""
        side = self.context.analysis.avatar_side
        if side is None:
            return None
        top, left, bottom, right = self._site.inside()
        if side in ("top", "bottom"):
            return {(top if side == "top" else bottom - 1, x) for x in range(left, right)}
        return {(y, left if side == "left" else right - 1) for y in range(top, bottom)}

    # -- constraints ---------------------------------------------------------------------------------------------------

    def constraint(self, text: str, rules: str, *, firm: bool = True, asked: bool = False) -> int:
        """Add a constraint; in `rules`, which forbid what breaks it, `on` stands for its guard."""
        number = len(self.constraints)
        self.constraints.append(Constraint(number, text, firm, asked))
        self.lines.append(f"demand({number}). {rules.replace('on,', f'on({number}),')}")
        return number

    def locked(self, cells: Mapping[tuple[int, int], int]) -> None:
        """Cells (row, column) that keep the tile they have."""
        if not cells:
            return
        for place, tile in cells.items():
            self._may[place] = self._may[place] | {tile}
            self.lines.append(f"locked({self.cell(place)},{tile}).")
        self.constraint("the locked cells as they are", ":- on, locked(C,T), not at(C,T).", asked=True)

    def one_avatar(self) -> None:
        """Exactly one avatar."""
        self.constraint("exactly one avatar", ":- on, not 1 { start(C) } 1.")

    def number_of(
        self, types: Iterable[int], low: int, high: int | None, text: str, *, asked: bool = False
    ) -> int:  # fmt: skip
        """Sprites of `types` together number from `low` to `high` (None: no bound) at the start."""
        wanted = set(types)
        weights = [(t, int(self.palette.type_counts[t, list(wanted)].sum())) for t in range(len(self.palette.tiles))]
        parts = "; ".join(f"{n},C : at(C,{t})" for t, n in weights if n)
        upper = "" if high is None else f" {high}"
        if not parts:
            return self.constraint(text, ":- on, 1 = 1." if low > 0 else "", asked=asked)
        return self.constraint(text, f":- on, not {low} #sum {{ {parts} }}{upper}.", asked=asked)

    def tiles_number(self, tiles: Iterable[int], low: int, high: int | None, text: str, *, firm: bool = True) -> int:
        """Cells with one of `tiles` number from `low` to `high`."""
        parts = "; ".join(f"C : at(C,{t})" for t in sorted(set(tiles)))
        upper = "" if high is None else f" {high}"
        return self.constraint(text, f":- on, not {low} #count {{ {parts} }}{upper}." if parts else "", firm=firm)

    def required(self) -> None:
        """Constrain the level to what the rules require: no ending fires at once, and each thing has what it takes to
        deal with it.
        """
        required, names = self.context.requirements, self.context.definition.types
        for rule in required.counts[1:]:
            self.number_of(rule.types, rule.minimum, rule.maximum, f"{rule.reason} (the rules)")
        for need in required.all_needs:
            base, other = self._weights(need.base), self._weights(need.other)
            if not base:
                continue
            parts = [f"{n},C,a : at(C,{t})" for t, n in other] + [f"-{n * need.each},C,b : at(C,{t})" for t, n in base]
            least = need.first - need.each
            present = "; ".join(f"at(C,{t})" for t, _ in base)
            self.constraint(
                f"enough {names[need.other].name} for each {names[need.base].name} ({need.reason})",
                f":- on, 1 {{ {present} }}, #sum {{ {'; '.join(parts)} }} < {least}.",
            )

    def reach(self) -> None:
        """The avatar can get at all that has to be reached."""
        # What the avatar can neither enter nor touch is dealt with from afar.
        targets = [
            t for t in sorted(self.context.required_tiles) if self._anywhere(t) and self.palette.access[t] < BLOCKED
        ]
        if self.context.analysis.mobility != "freely" or not targets:
            return
        met = "met(C)"
        if any(self._opens(t) for t in range(len(self.palette.tiles)) if self._anywhere(t)):
            self._zones()
            met = "zone_met(_,C)"
        choice = "; ".join(map(str, targets))
        self.constraint("all that has to be reached is within reach", f":- on, at(C,({choice})), not {met}.")

    def no_pockets(self, *, firm: bool = True) -> None:
        """No open cell is closed off from the avatar, not even behind a gate."""
        self._zones()
        self.constraint("no closed pockets", ":- on, open(C), not zone(_,C).", firm=firm)

    def keys_first(self, *, any_order: bool = True) -> None:
        """Demand that everything that opens a gate lies before it.

        Args:
            any_order: in no order of opening gates does the avatar get stuck for a key; else a key for the first gate
                is enough.
        """
        for gate in range(len(self.palette.tiles)):
            if self.palette.access[gate] != GATE or not self._anywhere(gate):
                continue
            (content,) = [c for c in self.palette.tiles[gate].content if self.context.analysis.has(c, "gate")][:1]
            for other, first, each in means_to_remove(self.context.analysis, content):
                keys = self._weights(other)
                if not keys or other == content:
                    continue
                self._zones()
                parts = [f"{n},C,a : at(C,{t}), zone_met(P,C)" for t, n in keys]
                if not any_order:
                    each = 0
                parts += [f"-{each},C,b : at(C,{gate}), zone_met(P,C)"] if each else []
                names = self.context.definition.types
                self.constraint(
                    f"{names[other].name} before {names[content].name}",
                    f":- on, P = 0..{ZONES}, 1 {{ zone_met(P,C) : at(C,{gate}) }},"
                    f" #sum {{ {'; '.join(parts)} }} < {first - each}.",
                )

    def path(self, low: int, high: int | None, text: str) -> None:
        """Every goal is from `low` to `high` steps away from the avatar, gates taken as open."""
        goals = self._goals()
        if not goals:
            raise PcgError(f"{self.context.definition.name} has no goal that could be so many steps away ({text})")
        most = max(low - 1, high or 0)
        self._part("steps", most)
        choice = "; ".join(map(str, goals))
        rules = f":- on, at(C,({choice})), within({low - 1},C)." if low > 0 else ""
        if high is not None:
            rules += f" :- on, at(C,({choice})), not within({high},C)."
        self.constraint(text, rules, asked=True)

    def _goals(self) -> list[int]:
        analysis = self.context.analysis
        return [
            i
            for i, tile in enumerate(self.palette.tiles)
            if self._anywhere(i)
            and any(analysis.has(c, "goal") and not analysis.has(c, "avatar") for c in tile.content)
        ]

    def symmetric(self, kind: str) -> None:
        """Walls are symmetric; see `SYMMETRIES`."""
        if kind == "none":
            return
        height, width = self.shape
        self.lines.append("solid(C) :- at(C,T), blocks(T).")
        for y in range(height):
            for x in range(width):
                other = {"horizontal": (y, width - 1 - x), "vertical": (height - 1 - y, x)}.get(
                    kind, (height - 1 - y, width - 1 - x)
                )
                if (y, x) < other:
                    self.lines.append(f"twin({self.cell((y, x))},{self.cell(other)}).")
        self.constraint(
            SYMMETRIES[kind],
            ":- on, twin(C,D), solid(C), not solid(D). :- on, twin(C,D), solid(D), not solid(C).",
            asked=True,
        )

    def density(self, low: float, high: float, text: str) -> None:
        """Cells inside the frame that stop the avatar for good make up a share from `low` to `high`."""
        top, left, bottom, right = self._site.inside()
        area = (bottom - top) * (right - left)
        least, most = math.ceil(low * area - 1e-9), math.floor(high * area + 1e-9)
        inside = [self.cell((y, x)) for y in range(top, bottom) for x in range(left, right)]
        self.lines.append(" ".join(f"inner({c})." for c in inside))
        self.constraint(text, f":- on, not {least} #count {{ C : at(C,T), blocks(T), inner(C) }} {most}.", asked=True)

    def symmetry_share(self, mirrors: Sequence[str], low: float, high: float, text: str) -> None:
        """Of the cells off the axis that hold something, or whose mirror image does, a share from `low` to `high` is
        the same in all mirror images: the metrics of symmetry, in which avatar and grounds are nothing.
        """
        top, left, bottom, right = self._site.inside()
        key = len(self.constraints)
        facts: list[str] = []
        for y in range(top, bottom):
            for x in range(left, right):
                across, down = left + right - 1 - x, top + bottom - 1 - y
                places = {"horizontal": (y, across), "vertical": (down, x), "rotational": (down, across)}
                others = {places[m] for m in mirrors} - {(y, x)}
                facts += [f"image({key},{self.cell((y, x))},{self.cell(other)})." for other in sorted(others)]
        nothing = " ".join(f"nothing({t})." for t in (*self.palette.grounds, *self.palette.avatars))
        self.lines.append(f"{' '.join(facts)} {nothing} something(C) :- at(C,T), not nothing(T).")
        self.lines.append(f"counts({key},C) :- image({key},C,_), something(C).")
        self.lines.append(f"counts({key},C) :- image({key},C,D), something(D).")
        self.lines.append(f"differs({key},C) :- image({key},C,D), something(C), not something(D).")
        self.lines.append(f"differs({key},C) :- image({key},C,D), something(D), not something(C).")
        self.lines.append(f"differs({key},C) :- image({key},C,D), at(C,T), not nothing(T), something(D), not at(D,T).")
        rules = []
        # Shares in thousandths, so that the solver adds whole numbers.
        for wrong, sign in ((1 - low, ">"), (1 - high, "<")):
            part = math.floor(1000 * wrong) if sign == ">" else math.ceil(1000 * wrong)
            if 0 < part < 1000 or (sign == ">" and part == 0):
                rules.append(f":- on, #sum {{ 1000,C,a : differs({key},C); -{part},C,b : counts({key},C) }} {sign} 0.")
        self.constraint(text, " ".join(rules), asked=True)

    def gates_in_walls(self) -> None:
        """A gate stands between two walls, as a door does."""
        rules = []
        for gate in range(len(self.palette.tiles)):
            if self.palette.access[gate] == GATE and self._anywhere(gate):
                rules.append(f":- on, at(C,{gate}), not framed(C).")
                rules.append(f":- on, at(C,{gate}), next(C,_,E), at(E,{gate}).")
        if rules:
            self.lines.append("wall(C) :- at(C,T), blocks(T).")
            self.lines.append("framed(C) :- next(C,0,D), next(C,2,E), wall(D), wall(E).")
            self.lines.append("framed(C) :- next(C,1,D), next(C,3,E), wall(D), wall(E).")
            self.constraint("doors stand in walls", " ".join(rules), firm=False)

    def keep_away(self, steps: int) -> None:
        """Keep harmful things at least `steps` cells from the avatar, as the crow flies."""
        analysis = self.context.analysis
        harmful = [
            i
            for i, t in enumerate(self.palette.tiles)
            if self._anywhere(i) and any(analysis.has(c, "harmful") for c in t.content)
        ]
        if harmful:
            self.lines.append(f"beside(0,C) :- start(C). beside(N+1,C) :- beside(N,C), N < {steps - 1}.")
            self.lines.append(f"beside(N+1,E) :- beside(N,C), next(C,_,E), N < {steps - 1}.")
            choice = "; ".join(map(str, harmful))
            text = f"what harms starts at least {steps} cells from the avatar"
            self.constraint(text, f":- on, at(C,({choice})), beside(_,C).", firm=False)

    def room_to_push(self) -> None:
        """Keep things to be pushed out of corners."""
        pushed = [i for i in range(len(self.palette.tiles)) if self.palette.access[i] == PUSH and self._anywhere(i)]
        if pushed:
            self.lines.append("shut(C) :- at(C,T), blocks(T).")
            rules = " ".join(
                f":- on, at(C,({'; '.join(map(str, pushed))})), next(C,{a},D), next(C,{b},E), shut(D), shut(E)."
                for a in (0, 2)
                for b in (1, 3)
            )
            self.constraint("what is pushed does not start in a corner", rules, firm=False)

    def solvable(self, low: int, high: int, text: str) -> None:
        """The level can be won in at most `high` moves, and (see `search`) not in fewer than `low`.

        Raises:
            PcgError: the game's rules do not allow planning, or the level is too large for so many moves.
        """
        height, width = self.shape
        if height * width * high > MOST_WORK:
            raise PcgError(
                f"{high} moves on {width} x {height} cells are too many to plan: at most"
                f" {MOST_WORK // (height * width)} moves for a level of this size"
            )
        self.moves = (low, high)
        self.lines.append(program_text("plan.lp").replace("#program", "\n#program", 1))
        self.plan_demand = self.constraint(text, "", asked=True)
        self._part("rest")
        self._part("choose", high, self.plan_demand)
        self._part("plan", 0, high)
        self.lines.insert(0, "\n".join(self._mechanics(self.rules)))

    @property
    def rules(self) -> PuzzleRules:
        """The moves of the game.

        Raises:
            PcgError: it cannot be planned.
        """
        if self._rules is None:
            self._rules = puzzle_rules(self.context.analysis)
        return self._rules

    def _zones(self) -> None:
        self._part("zones", ZONES if any(self._opens(t) for t in range(len(self.palette.tiles))) else 0)

    def _opens(self, tile: int) -> bool:
        return bool(self.palette.access[tile] == GATE) or self._bridged(tile)

    def _bridged(self, tile: int) -> bool:
        """Return whether a hazard can be done away with, as a pit by a box: one may hope to get past it."""
        if not self.bridges or self.palette.access[tile] != HAZARD:
            return False
        victims = set(self.palette.tiles[tile].content)
        avatars = set(self.context.analysis.avatars)
        return any(
            r.victim in victims and r.partner is not None and r.partner not in avatars
            for r in self.context.analysis.removals
        )

    def _part(self, name: str, *arguments: int) -> None:
        if (name, arguments) not in self.parts:
            same = [p for p in self.parts if p[0] == name and name in ("zones", "steps")]
            if same:  # the larger bound serves both
                arguments = (max(arguments[0], same[0][1][0]),)
                self.parts.remove(same[0])
            self.parts.append((name, arguments))

    def _weights(self, type_id: int) -> list[tuple[int, int]]:
        """Tiles that may stand somewhere and create sprites of a type, and how many of them."""
        return [
            (t, int(self.palette.type_counts[t, type_id]))
            for t in range(len(self.palette.tiles))
            if self.palette.type_counts[t, type_id] and self._anywhere(t)
        ]

    def _anywhere(self, tile: int) -> bool:
        return any(tile in may for may in self._may.values())

    # -- facts ---------------------------------------------------------------------------------------------------------

    def text(self) -> str:
        """The whole program."""
        return "\n".join([program_text("layout.lp"), "#program base.", *self._facts(), *self._base_first()])

    def _base_first(self) -> list[str]:
        """The lines of the base program before those of named parts."""
        named = [line for line in self.lines if "#program" in line]
        return [line for line in self.lines if "#program" not in line] + named

    def _facts(self) -> list[str]:
        height, width = self.shape
        found = [f"cell(0..{height * width - 1}).", "dir(0..3)."]
        for y in range(height):
            for x in range(width):
                here = self.cell((y, x))
                tiles = ";".join(map(str, sorted(self._may[y, x])))
                found.append(f"may({here},({tiles})).")
                for d, (_, dy, dx) in enumerate(DIRECTIONS):
                    if 0 <= y + dy < height and 0 <= x + dx < width:
                        found.append(f"next({here},{d},{self.cell((y + dy, x + dx))}).")
        access = self.palette.access
        for t, tile in enumerate(self.palette.tiles):
            if not self._anywhere(t):
                continue
            if access[t] <= PUSH:
                found.append(f"passes({t}).")
            elif access[t] <= HAZARD:
                found.append(f"touches({t}).")
            if self._opens(t):
                found.append(f"gate({t}).")
            if access[t] == BLOCKED:
                found.append(f"blocks({t}).")
            if t in self.palette.avatars:
                found.append(f"avatar({t}).")
            found += [f"link({t},{u})." for u in self.palette.links.get(t, ())]
            for s in sorted(set(tile.types)):
                found.append(f"makes({t},{s},{int(self.palette.type_counts[t, s])}).")
        defined = "passes touches gate blocks avatar"
        return found + [f"#defined {name}/1." for name in defined.split()] + ["#defined link/2.", "#defined demand/1."]

    def _mechanics(self, rules: PuzzleRules) -> list[str]:
        """The facts of `plan.lp`."""
        analysis, stacks = self.context.analysis, rules.stacks
        number = {stack: 0 if stack in rules.immaterial else i for i, stack in enumerate(stacks)}
        found: list[str] = []
        changing: set[Stack] = {()} if rules.immaterial else set()
        for case in rules.cases:
            if case.front != case.front_after:
                changing |= {case.front, case.front_after}
            if case.beyond is not None and case.beyond_after is not None and case.beyond != case.beyond_after:
                changing |= {case.beyond, case.beyond_after}
        for t, tile in enumerate(self.palette.tiles):
            stack = tuple(sorted(c for c in tile.content if not analysis.has(c, "avatar")))
            if stack not in number:
                continue
            found.append(f"holds({t},{number[stack]}).")
            found += [f"starts_as({t},{c})." for c in tile.content if c in rules.avatars]
        found += [f"lasting({i})." for s, i in number.items() if s not in changing and s not in rules.immaterial]
        for i, case in enumerate(rules.cases):
            found.append(f"case({i},{case.avatar},{number[case.front]}).")
            if case.beyond is not None and case.beyond_after is not None:
                found.append(f"two({i}). beyond_is({i},{number[case.beyond]}).")
                if case.beyond != case.beyond_after:
                    found.append(f"beyond_after({i},{number[case.beyond_after]}).")
            for guard in case.guards:
                relation = "holding" if guard.more else "lacking"
                found.append(f"{relation}({i},{guard.resource},{guard.limit}). asked({guard.resource},{guard.limit}).")
            if not case.stays:
                found.append(f"goes({i}).")
            found.append(f"avatar_after({i},{case.avatar_after}).")
            if case.front != case.front_after:
                found.append(f"front_after({i},{number[case.front_after]}).")
            found += [f"gain({i},{r},{n})." for r, n in case.gains]
            if case.exit is not None:
                found.append(f"comes_out({i},{case.exit}).")
            if case.facing is not None and rules.turns:
                found += [
                    f"faces_after({i},{d})." for d, (_, dy, dx) in enumerate(DIRECTIONS) if (dy, dx) == case.facing
                ]
            unchanged = case.front == case.front_after and case.beyond == case.beyond_after
            if case.stays and unchanged and not case.gains and case.avatar == case.avatar_after:
                found.append(f"idle({i}).")
        if rules.pushes:
            found.append("pushing.")
        if rules.turns:
            faced = [d for d, (_, dy, dx) in enumerate(DIRECTIONS) if (dy, dx) == rules.facing]
            found.append("turns. " + "".join(f"first_facing({d})." for d in faced))
        found += [f"restless({a},{number[s]})." for a, s in sorted(rules.restless) if s in number]
        found += [f"most({r},{n})." for r, n in rules.resources.items()]
        for kind, endings in (("", rules.wins), ("lost_", rules.losses)):
            for ending in endings:
                name = {"": ending.kind + "s", "lost_": "lost_below" if ending.kind == "vanish" else "lost_above"}[kind]
                name = {"vanishs": "vanishes"}.get(name, name)
                found.append(f"{name}({ending.index},{ending.limit}).")
                for stack, i in number.items():
                    if stack not in rules.immaterial and (total := sum(c in ending.types for c in stack)):
                        found.append(f"sums({ending.index},{i},{total}).")
                found += [f"sums_avatar({ending.index},{a},1)." for a in rules.avatars if a in ending.types]
        wanted = "pushing/0 turns/0 first_facing/1 restless/2 most/2 vanishes/2 appears/2 lost_below/2 lost_above/2"
        wanted += " sums/3 sums_avatar/3 two/1 beyond_is/2 beyond_after/2 front_after/2 holding/3 lacking/3 asked/2"
        wanted += " gain/3 comes_out/2 faces_after/2 idle/1 goes/1 lasting/1 press/3 starts_as/2"
        return found + [f"#defined {name}." for name in wanted.split()]

    def planned_tiles(self, grid: Grid) -> Grid:
        """A level with only what a plan reckons with: nothing that moves by itself, nothing that does not matter."""
        analysis, bare = self.context.analysis, grid.copy()
        for t, tile in enumerate(self.palette.tiles):
            stack = tuple(sorted(c for c in tile.content if not analysis.has(c, "avatar")))
            moving = any(analysis.has(c, "mover") for c in stack)
            if t not in self.palette.avatars and (moving or stack in self.rules.immaterial):
                bare[grid == t] = self.context.ground_under[t]
        return bare

    def grid(self, atoms: Sequence[tuple[int, ...]]) -> Grid:
        """The level of an answer's `at` atoms."""
        grid = np.full(self.shape, self.palette.empty, np.int16)
        for cell, tile in atoms:
            grid[self.place(cell)] = tile
        return grid
