"""The rules of the built-in board games once more, in plain Python: what their rule sheets are compared with.

Every class plays one game: `start` gives a state, `legal` the moves of every role, `after` the state that follows a
joint move, `over` whether it has ended, and `goals` what it is worth to every role. Written from the rules of the
games, by other means than the sheets: grids, loops and arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

Move = str
Joint = Sequence[Move]


class Turns:
    """Two players in turns: a state is (grid, who moves, whatever else); who does not move waits."""

    roles: tuple[str, str]

    def legal(self, state: Any) -> list[set[Move]]:
        moves = [{"wait"}, {"wait"}]
        moves[state[1]] = self.moves(state)
        return moves

    def moves(self, state: Any) -> set[Move]:
        raise NotImplementedError

    def after(self, state: Any, joint: Joint) -> Any:
        return self.play(state, words(joint[state[1]]))

    def play(self, state: Any, move: list[str]) -> Any:
        raise NotImplementedError


def words(move: Move) -> list[str]:
    return move.strip("()").split()


def has_line(points: Iterable[tuple[int, int]], length: int) -> bool:
    """Return True when so many of the points stand in a row, across, up or slanting."""
    found = set(points)
    return any(
        all((x + k * dx, y + k * dy) in found for k in range(length))
        for x, y in found
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1))
    )


class Lines(Turns):
    """Marks in a row; `falling` ones are put into columns."""

    def __init__(self, roles: tuple[str, str], verb: str, columns: int, rows: int, length: int, falling: bool = False):
        self.roles, self.verb, self.size = roles, verb, (columns, rows)
        self.length, self.falling = length, falling

    def start(self) -> Any:
        return {}, 0

    def moves(self, state: Any) -> set[Move]:
        columns, rows = self.size
        grid = state[0]
        if self.falling:
            return {f"({self.verb} {x})" for x in range(1, columns + 1) if (x, rows) not in grid}
        free = ((x, y) for x in range(1, columns + 1) for y in range(1, rows + 1) if (x, y) not in grid)
        return {f"({self.verb} {x} {y})" for x, y in free}

    def play(self, state: Any, move: list[str]) -> Any:
        grid, who = state
        x = int(move[1])
        y = 1 + sum(column == x for column, _ in grid) if self.falling else int(move[2])
        return {**grid, (x, y): who}, 1 - who

    def winner(self, state: Any) -> int | None:
        grid = state[0]
        return next((p for p in (0, 1) if has_line((c for c in grid if grid[c] == p), self.length)), None)

    def over(self, state: Any) -> bool:
        return self.winner(state) is not None or len(state[0]) == self.size[0] * self.size[1]

    def goals(self, state: Any) -> list[int]:
        winner = self.winner(state)
        return [50, 50] if winner is None else [100 * (p == winner) for p in (0, 1)]


class Breakthrough(Turns):
    roles = ("white", "black")

    def start(self) -> Any:
        return {(x, y): 0 if y < 3 else 1 for x in range(1, 7) for y in (1, 2, 5, 6)}, 0

    def moves(self, state: Any) -> set[Move]:
        grid, who = state
        found = set()
        for (x, y), owner in grid.items():
            if owner != who:
                continue
            to = y + 1 - 2 * who
            for u in (x - 1, x, x + 1):
                there = grid.get((u, to))
                if 1 <= u <= 6 and 1 <= to <= 6 and (there is None or (u != x and there != who)):
                    found.add(f"(move {x} {y} {u} {to})")
        return found

    def play(self, state: Any, move: list[str]) -> Any:
        grid, who = dict(state[0]), state[1]
        x, y, u, v = map(int, move[1:])
        del grid[x, y]
        grid[u, v] = who
        return grid, 1 - who

    def winner(self, state: Any) -> int | None:
        grid = state[0]
        for who, last in ((0, 6), (1, 1)):
            if any(owner == who and y == last for (_, y), owner in grid.items()) or 1 - who not in grid.values():
                return who
        return None

    def over(self, state: Any) -> bool:
        return self.winner(state) is not None

    def goals(self, state: Any) -> list[int]:
        winner = self.winner(state)
        return [50, 50] if winner is None else [100 * (p == winner) for p in (0, 1)]


class Nim(Turns):
    roles = ("first", "second")

    def start(self) -> Any:
        return {"a": 3, "b": 4, "c": 5}, 0

    def moves(self, state: Any) -> set[Move]:
        return {f"(take {heap} {k})" for heap, many in state[0].items() for k in range(1, many + 1)}

    def play(self, state: Any, move: list[str]) -> Any:
        heaps, who = state
        return {**heaps, move[1]: heaps[move[1]] - int(move[2])}, 1 - who

    def over(self, state: Any) -> bool:
        return not any(state[0].values())

    def goals(self, state: Any) -> list[int]:
        return [100 * (p != state[1]) for p in (0, 1)] if self.over(state) else [50, 50]


class Hex(Turns):
    roles = ("red", "blue")

    def start(self) -> Any:
        return {}, 0

    def moves(self, state: Any) -> set[Move]:
        return {f"(put {x} {y})" for x in range(1, 7) for y in range(1, 7) if (x, y) not in state[0]}

    def play(self, state: Any, move: list[str]) -> Any:
        grid, who = state
        return {**grid, (int(move[1]), int(move[2])): who}, 1 - who

    def winner(self, state: Any) -> int | None:
        grid = state[0]
        for who, axis in ((0, 1), (1, 0)):
            seen = {c for c in grid if grid[c] == who and c[axis] == 1}
            edge = list(seen)
            while edge:
                x, y = edge.pop()
                for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)):
                    c = (x + dx, y + dy)
                    if grid.get(c) == who and c not in seen:
                        seen.add(c)
                        edge.append(c)
            if any(c[axis] == 6 for c in seen):
                return who
        return None

    def over(self, state: Any) -> bool:
        return self.winner(state) is not None

    def goals(self, state: Any) -> list[int]:
        winner = self.winner(state)
        return [50, 50] if winner is None else [100 * (p == winner) for p in (0, 1)]


class Reversi(Turns):
    roles = ("dark", "light")

    def start(self) -> Any:
        return {(3, 3): 1, (4, 4): 1, (3, 4): 0, (4, 3): 0}, 0

    def flips(self, grid: dict[tuple[int, int], int], x: int, y: int, who: int) -> list[tuple[int, int]]:
        found = []
        if (x, y) in grid:
            return []
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                run, c = [], (x + dx, y + dy)
                while grid.get(c) == 1 - who:
                    run.append(c)
                    c = (c[0] + dx, c[1] + dy)
                if grid.get(c) == who:
                    found += run
        return found

    def puts(self, grid: dict[tuple[int, int], int], who: int) -> set[Move]:
        return {f"(put {x} {y})" for x in range(1, 7) for y in range(1, 7) if self.flips(grid, x, y, who)}

    def moves(self, state: Any) -> set[Move]:
        return self.puts(*state) or {"pass"}

    def play(self, state: Any, move: list[str]) -> Any:
        grid, who = state
        if move == ["pass"]:
            return grid, 1 - who
        x, y = int(move[1]), int(move[2])
        return {**grid, **dict.fromkeys([(x, y), *self.flips(grid, x, y, who)], who)}, 1 - who

    def over(self, state: Any) -> bool:
        return not self.puts(state[0], 0) and not self.puts(state[0], 1)

    def goals(self, state: Any) -> list[int] | None:
        if not self.over(state):
            return None
        owners = list(state[0].values())
        lead = owners.count(0) - owners.count(1)
        return [50, 50] if lead == 0 else [100 * (lead > 0), 100 * (lead < 0)]


class Checkers(Turns):
    """State: (grid of (owner, king), who, number of moves made, the piece that goes on jumping or None)."""

    roles = ("white", "black")

    def start(self) -> Any:
        grid = {
            (x, y): (0 if y < 3 else 1, False) for y in (1, 2, 5, 6) for x in range(1, 7) if (x + y) % 2 == 0
        }  # fmt: skip
        return grid, 0, 0, None

    def reach(self, grid: Any, x: int, y: int) -> tuple[set[Move], set[Move]]:
        """Steps and jumps of the piece there."""
        who, king = grid[x, y]
        steps, jumps = set(), set()
        for dy in (1, -1):
            if not king and dy != 1 - 2 * who:
                continue
            for dx in (1, -1):
                near, far = (x + dx, y + dy), (x + 2 * dx, y + 2 * dy)
                if inside(near, 6) and near not in grid:
                    steps.add(f"(step {x} {y} {near[0]} {near[1]})")
                if near in grid and grid[near][0] != who and inside(far, 6) and far not in grid:
                    jumps.add(f"(jump {x} {y} {far[0]} {far[1]})")
        return steps, jumps

    def moves(self, state: Any) -> set[Move]:
        grid, who, _, jumping = state
        own = [jumping] if jumping else [c for c in grid if grid[c][0] == who]
        reached = [self.reach(grid, *c) for c in own]
        return set().union(*(j for _, j in reached)) or set().union(*(s for s, _ in reached))

    def play(self, state: Any, move: list[str]) -> Any:
        grid, who, made, _ = state
        grid = dict(grid)
        x, y, u, v = map(int, move[1:])
        was_king = grid.pop((x, y))[1]
        king = was_king or v == (6, 1)[who]
        grid[u, v] = (who, king)
        if move[0] == "jump":
            del grid[(x + u) // 2, (y + v) // 2]
            if king == was_king and self.reach(grid, u, v)[1]:
                return grid, who, made + 1, (u, v)
        return grid, 1 - who, made + 1, None

    def over(self, state: Any) -> bool:
        return state[2] == 60 or not self.moves(state)

    def goals(self, state: Any) -> list[int]:
        return [50, 50] if self.moves(state) else [100 * (p != state[1]) for p in (0, 1)]


def inside(cell: tuple[int, int], size: int) -> bool:
    return 1 <= cell[0] <= size and 1 <= cell[1] <= size


class Pentago(Turns):
    """State: (grid, who, whether a block is to be turned)."""

    roles = ("black", "white")
    blocks: ClassVar = {"southwest": (0, 0), "southeast": (3, 0), "northwest": (0, 3), "northeast": (3, 3)}

    def start(self) -> Any:
        return {}, 0, False

    def moves(self, state: Any) -> set[Move]:
        grid, _, turning = state
        if turning:
            return {f"(rotate {block} {sense})" for block in self.blocks for sense in ("clockwise", "anticlockwise")}
        return {f"(put {x} {y})" for x in range(1, 7) for y in range(1, 7) if (x, y) not in grid}

    def play(self, state: Any, move: list[str]) -> Any:
        grid, who, turning = state
        if not turning:
            return {**grid, (int(move[1]), int(move[2])): who}, who, True
        left, bottom = self.blocks[move[1]]
        turned = {}
        for (x, y), owner in grid.items():
            dx, dy = x - left - 2, y - bottom - 2  # from the block's middle
            if abs(dx) <= 1 and abs(dy) <= 1:
                dx, dy = (dy, -dx) if move[2] == "clockwise" else (-dy, dx)
                x, y = left + 2 + dx, bottom + 2 + dy
            turned[x, y] = owner
        return turned, 1 - who, False

    def lines(self, state: Any) -> list[bool]:
        grid = state[0]
        return [has_line((c for c in grid if grid[c] == p), 5) for p in (0, 1)]

    def over(self, state: Any) -> bool:
        return any(self.lines(state)) or (len(state[0]) == 36 and not state[2])

    def goals(self, state: Any) -> list[int]:
        lines = self.lines(state)
        return [50, 50] if lines[0] == lines[1] else [100 * lines[0], 100 * lines[1]]


class LightsOut:
    roles = ("player",)
    size, limit = 4, 12

    def start(self) -> Any:
        lit: set[tuple[int, int]] = set()
        for pressed in ((1, 1), (3, 2), (2, 3), (4, 4)):
            lit ^= self.cross(*pressed)
        return frozenset(lit), 0

    def cross(self, x: int, y: int) -> set[tuple[int, int]]:
        return {c for c in ((x, y), (x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)) if inside(c, self.size)}

    def legal(self, state: Any) -> list[set[Move]]:
        return [{f"(press {x} {y})" for x in range(1, 5) for y in range(1, 5)}]

    def after(self, state: Any, joint: Joint) -> Any:
        _, x, y = words(joint[0])
        return state[0] ^ self.cross(int(x), int(y)), state[1] + 1

    def over(self, state: Any) -> bool:
        return not state[0] or state[1] == self.limit

    def goals(self, state: Any) -> list[int]:
        return [0 if state[0] else 100]


class EightPuzzle:
    roles = ("player",)

    def start(self) -> Any:
        return (4, 1, 6, 2, 0, 8, 3, 7, 5), 0

    def legal(self, state: Any) -> list[set[Move]]:
        gap = state[0].index(0)
        x, y = gap % 3, gap // 3
        beside = [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
        return [{f"(slide {u + 1} {3 - v})" for u, v in beside if 0 <= u < 3 and 0 <= v < 3}]

    def after(self, state: Any, joint: Joint) -> Any:
        tiles, slides = list(state[0]), state[1]
        _, x, y = words(joint[0])
        place, gap = int(x) - 1 + 3 * (3 - int(y)), tiles.index(0)
        tiles[gap], tiles[place] = tiles[place], 0
        return tuple(tiles), slides + 1

    def over(self, state: Any) -> bool:
        return self.goals(state) == [100] or state[1] == 30

    def goals(self, state: Any) -> list[int]:
        right = sum(tile == k + 1 for k, tile in enumerate(state[0]) if tile)
        return [100 if right == 8 else 10 * right]


class Blocker:
    roles = ("crosser", "blocker")

    def start(self) -> Any:
        return {}

    def legal(self, state: Any) -> list[set[Move]]:
        free = {f"(build {x} {y})" for x in range(1, 6) for y in range(1, 5) if (x, y) not in state}
        return [free, free]

    def after(self, state: Any, joint: Joint) -> Any:
        bridge, wall = ((int(w[1]), int(w[2])) for w in map(words, joint))
        return {**state, bridge: "bridge", wall: "wall"}

    def crossed(self, state: Any) -> bool:
        bridges = {c for c in state if state[c] == "bridge"}
        seen = {c for c in bridges if c[0] == 1}
        edge = list(seen)
        while edge:
            x, y = edge.pop()
            for c in bridges - seen:
                if abs(c[0] - x) <= 1 and abs(c[1] - y) <= 1:
                    seen.add(c)
                    edge.append(c)
        return any(x == 5 for x, _ in seen)

    def over(self, state: Any) -> bool:
        return len(state) == 20 or self.crossed(state)

    def goals(self, state: Any) -> list[int]:
        return [100, 0] if self.crossed(state) else [0, 100]


class BiddingTicTacToe:
    """State: (grid, purses, who holds the charm, who may mark or None while bids are made)."""

    roles = ("cross", "nought")

    def start(self) -> Any:
        return {}, (4, 4), 0, None

    def legal(self, state: Any) -> list[set[Move]]:
        grid, purses, _, marker = state
        if marker is None:
            return [{f"(bid {k})" for k in range(purse + 1)} for purse in purses]
        free = {f"(mark {x} {y})" for x in range(1, 4) for y in range(1, 4) if (x, y) not in grid}
        return [free if p == marker else {"wait"} for p in (0, 1)]

    def after(self, state: Any, joint: Joint) -> Any:
        grid, purses, charm, marker = state
        if marker is not None:
            move = words(joint[marker])
            return {**grid, (int(move[1]), int(move[2])): marker}, purses, charm, None
        bids = [int(words(move)[1]) for move in joint]
        if bids[0] == bids[1]:
            winner, charm = charm, 1 - charm
        else:
            winner = int(bids[1] > bids[0])
        paid = bids[winner]
        return grid, tuple(purse + (-paid if p == winner else paid) for p, purse in enumerate(purses)), charm, winner

    def winner(self, state: Any) -> int | None:
        grid = state[0]
        return next((p for p in (0, 1) if has_line((c for c in grid if grid[c] == p), 3)), None)

    def over(self, state: Any) -> bool:
        return self.winner(state) is not None or len(state[0]) == 9

    def goals(self, state: Any) -> list[int]:
        winner = self.winner(state)
        return [50, 50] if winner is None else [100 * (p == winner) for p in (0, 1)]


STEPS = {"north": (0, 1), "east": (1, 0), "south": (0, -1), "west": (-1, 0)}


class Trails:
    """State: (places or None, squares ridden on, riders outlived)."""

    roles = ("north-rider", "east-rider", "south-rider", "west-rider")

    def start(self) -> Any:
        return ((4, 7), (7, 4), (4, 1), (1, 4)), frozenset(), (0, 0, 0, 0)

    def legal(self, state: Any) -> list[set[Move]]:
        places, ridden, _ = state
        closed = ridden | {place for place in places if place}
        found: list[set[Move]] = []
        for place in places:
            if place is None:
                found.append({"wait"})
                continue
            beside = {d: (place[0] + dx, place[1] + dy) for d, (dx, dy) in STEPS.items()}
            found.append({d for d, c in beside.items() if inside(c, 7) and c not in closed} or {"halt"})
        return found

    def after(self, state: Any, joint: Joint) -> Any:
        places, ridden, outlived = state
        ridden = ridden | {place for place in places if place}
        steps = [STEPS.get(move) for move in joint]
        to = [c and s and (c[0] + s[0], c[1] + s[1]) for c, s in zip(places, steps, strict=True)]
        stays = [c if to.count(c) == 1 else None for c in to]
        fallen = sum(a is not None and b is None for a, b in zip(places, stays, strict=True))
        return tuple(stays), ridden, tuple(n + fallen if c else n for n, c in zip(outlived, stays, strict=True))

    def over(self, state: Any) -> bool:
        return sum(place is not None for place in state[0]) < 2

    def goals(self, state: Any) -> list[int]:
        return [(0, 33, 67, 100)[n] for n in state[2]]


class Babel:
    """State: (round, floors, strengths)."""

    roles = ("ashur", "enlil", "ninua")

    def start(self) -> Any:
        return 0, 0, (3, 3, 3)

    def legal(self, state: Any) -> list[set[Move]]:
        return [{"carry", "rest"} if strength else {"rest"} for strength in state[2]]

    def after(self, state: Any, joint: Joint) -> Any:
        now, floors, strengths = state
        carriers = list(joint).count("carry")
        raised = carriers >= (2 if floors < 4 else 3)
        left = tuple(s - 1 if m == "carry" else min(5, s + 1) for s, m in zip(strengths, joint, strict=True))
        return now + 1, floors + raised, left

    def over(self, state: Any) -> bool:
        return state[0] == 16 or state[1] == 8

    def goals(self, state: Any) -> list[int]:
        return [10 * state[1] + 4 * strength for strength in state[2]]


class PacMan:
    """State: (places of Pac-Man and both ghosts, pellets, moves made).

    Args:
        maze: rows of "#" wall, "." pellet and " " nothing, the top one first.
        places: (x, y) of Pac-Man and the ghosts, from 1, y upwards.
        moves: after which the game ends.
    """

    roles = ("pacman", "red", "blue")

    def __init__(self, maze: tuple[str, ...], places: tuple[tuple[int, int], ...], moves: int) -> None:
        self.maze, self.places, self.moves, self.size = maze, places, moves, len(maze)
        self.pellets = frozenset(
            (x + 1, self.size - y) for y, row in enumerate(maze) for x, sign in enumerate(row) if sign == "."
        )

    def start(self) -> Any:
        return self.places, self.pellets, 0

    def ways(self, place: tuple[int, int]) -> set[Move]:
        beside = {d: (place[0] + dx, place[1] + dy) for d, (dx, dy) in STEPS.items()}
        return {
            f"(go {d})"
            for d, (x, y) in beside.items()
            if inside((x, y), self.size) and self.maze[self.size - y][x - 1] != "#"
        }

    def legal(self, state: Any) -> list[set[Move]]:
        places, _, made = state
        return [self.ways(place) if (p == 0) == (made % 2 == 0) else {"wait"} for p, place in enumerate(places)]

    def after(self, state: Any, joint: Joint) -> Any:
        places, pellets, made = state
        steps = [STEPS[words(m)[1]] if m != "wait" else (0, 0) for m in joint]
        places = tuple((x + dx, y + dy) for (x, y), (dx, dy) in zip(places, steps, strict=True))
        return places, pellets - {places[0]}, made + 1

    def over(self, state: Any) -> bool:
        return state[0][0] in state[0][1:] or not state[1] or state[2] == self.moves

    def goals(self, state: Any) -> list[int]:
        caught = 100 * (state[0][0] in state[0][1:])
        whole = len(self.pellets)
        return [100 // whole * (whole - len(state[1])), caught, caught]


MAZE = ("...#...", ".#   #.", ".# # #.", ". ... .", ".# # #.", ".#   #.", "... ...")
SMALL_MAZE = ("......", ".##.#.", ".    .", ".#  #.", ".#.##.", "..  ..")


RULES: dict[str, Any] = {
    "babel": Babel(),
    "bidding-tic-tac-toe": BiddingTicTacToe(),
    "blocker": Blocker(),
    "breakthrough": Breakthrough(),
    "checkers": Checkers(),
    "connect-five": Lines(("black", "white"), "put", 8, 8, 5),
    "connect-four": Lines(("red", "yellow"), "drop", 7, 6, 4, falling=True),
    "eight-puzzle": EightPuzzle(),
    "hex": Hex(),
    "lights-out": LightsOut(),
    "nim": Nim(),
    "pacman-3p": PacMan(MAZE, ((4, 1), (3, 5), (5, 5)), 80),
    "pacman-3p-small": PacMan(SMALL_MAZE, ((3, 1), (2, 4), (5, 4)), 60),
    "pentago": Pentago(),
    "reversi": Reversi(),
    "tic-tac-toe-large": Lines(("cross", "nought"), "mark", 5, 5, 5),
    "trails": Trails(),
}
"""By name of the game."""
