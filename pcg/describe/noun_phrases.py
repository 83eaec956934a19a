"""Words of English: names of sprite types, numbers with their nouns, lists; and the parameters that have been told.

`oldBrick` is an old brick, `alien2` is alien 2. It is a handful of rules about English, not a grammar.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from pcg.engine.vgdl.definition import Value
from pcg.engine.vgdl.ontology_params import Param

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\x00-\x7f]+")
_MASS = frozenset(
    {
        "air", "ammo", "blood", "bronze", "coal", "copper", "dirt", "dust", "earth", "fire", "floor", "food",
        "fuel", "gas", "glass", "gold", "grass", "gravel", "ground", "hay", "honey", "ice", "iron", "lava",
        "lead", "lightning", "metal", "milk", "money", "mud", "nectar", "oil", "oxygen", "paint", "poison",
        "rain", "sand", "silver", "sky", "smoke", "snow", "soil", "space", "steam", "stuff", "sugar", "traffic",
        "treasure", "water", "wheat", "wind", "wine", "wood", "wool", "background", "darkness",
    }
)  # fmt: skip
"""Nouns that take no article."""
_WAYS = frozenset(["left", "right", "up", "down", "across"])
"""Words after a noun that tell where a thing moves."""
_SAME = frozenset(["sheep", "fish", "deer"])
_IRREGULAR = {
    "man": "men", "woman": "women", "child": "children", "mouse": "mice", "goose": "geese", "foot": "feet",
    "thief": "thieves", "wolf": "wolves", "leaf": "leaves", "shelf": "shelves", "loaf": "loaves", "elf": "elves",
    "buffalo": "buffaloes", "echo": "echoes", "hero": "heroes", "mosquito": "mosquitoes", "potato": "potatoes",
    "tomato": "tomatoes", "tornado": "tornadoes", "torpedo": "torpedoes", "volcano": "volcanoes",
}  # fmt: skip
_SINGULAR = {more: one for one, more in _IRREGULAR.items()} | {"axes": "axe", "knives": "knife"}
_LONG_PLURALS = ("xes", "ches", "shes", "sses", "zzes")
_NO_PLURAL = ("ss", "us", "is", "as", "os")
_SHORT, _LONGEST = 20, 200
"""Most ticks that a number of whole cells is told for, and one cell."""
_EXACT = 5e-4
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_DIRECTIONS = {(0, -1): "up", (0, 1): "down", (-1, 0): "left", (1, 0): "right"}


def humanise(name: str) -> str:
    """A type name as words.

    >>> humanise("oldBrick"), humanise("alien2"), humanise("bricks"), humanise("boxes"), humanise("wolves")
    ('old brick', 'alien 2', 'brick', 'box', 'wolf')
    """
    words = [w.lower() for w in _PARTS.findall(name)]
    if not words:
        return name
    last = words[-1]
    if last in _SINGULAR:
        words[-1] = _SINGULAR[last]
    elif last.endswith(_LONG_PLURALS):
        words[-1] = last[:-2]
    elif len(last) > 3 and last.endswith("s") and not last.endswith(_NO_PLURAL):
        words[-1] = last[:-3] + "y" if last.endswith("ies") and len(last) > 4 else last[:-1]
    return " ".join(words)


def plural(noun: str) -> str:
    """More than one of it.

    >>> plural("key"), plural("enemy"), plural("box"), plural("gold"), plural("camel a"), plural("log left")
    ('keys', 'enemies', 'boxes', 'gold', 'camels a', 'logs left')
    """
    head, _, last = noun.rpartition(" ")
    if last in _MASS or last in _SAME or not last.isalpha():
        return noun
    if head and (len(last) == 1 or last in _WAYS):
        return f"{plural(head)} {last}"
    if last in _IRREGULAR:
        last = _IRREGULAR[last]
    elif last.endswith("y") and last[-2:-1] not in tuple("aeiou"):
        last = last[:-1] + "ies"
    elif last.endswith(("s", "x", "z", "ch", "sh")):
        last += "es"
    elif last.endswith("fe"):
        last = last[:-2] + "ves"
    else:
        last += "s"
    return f"{head} {last}".strip()


def with_article(noun: str) -> str:
    """The noun with a, an or nothing.

    >>> with_article("axe"), with_article("lava")
    ('an axe', 'lava')
    """
    if noun.rpartition(" ")[2] in _MASS:
        return noun
    return f"an {noun}" if noun[:1] in "aeiou" else f"a {noun}"


def joined(items: Iterable[str], last: str = "and") -> str:
    """A list in words.

    >>> joined(["a", "b", "c"])
    'a, b and c'
    """
    parts = list(items)
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {last} {parts[-1]}" if parts else ""


def number(value: float) -> str:
    """A number as short as it can be said.

    >>> number(3.0), number(0.125)
    ('3', '0.125')
    """
    return f"{value:.6g}".replace("-", "−")


def count(amount: float, noun: str) -> str:
    """An amount of something.

    >>> count(1, "tick"), count(3, "point"), count(-1, "point")
    ('1 tick', '3 points', '−1 point')
    """
    return f"{number(amount)} {noun if abs(amount) == 1 else plural(noun)}"


def pace(speed: float, ticks: float) -> str:
    """The speed of something that moves so many cells every so many ticks, in whole cells where that can be said.

    >>> pace(1, 3), pace(0.5, 2), pace(0.4, 1), pace(0.377, 1)
    ('one cell every 3 ticks', 'one cell every 4 ticks', '2 cells every 5 ticks', '0.377 of a cell a tick')
    """
    cells, period, is_simple = pace_in_cells(speed, ticks)
    if is_simple:
        said = "one cell" if cells == 1 else f"{number(cells)} cells"
        return f"{said} a tick" if period == 1 else f"{said} every {number(period)} ticks"
    said = f"{number(cells)} cells" if cells > 1 else f"{number(cells)} of a cell"
    return f"{said} {'a tick' if period == 1 else every(period)}"


def pace_in_cells(speed: float, ticks: float) -> tuple[float, float, bool]:
    """Return a speed as cells and the ticks that they take, and True when both are whole numbers and small.

    >>> pace_in_cells(0.4, 1), pace_in_cells(0.377, 1)
    ((2, 5, True), (0.377, 1, False))
    """
    for share in ((Fraction(speed) / Fraction(ticks)).limit_denominator(most) for most in (_SHORT, _LONGEST)):
        long = share.denominator > _SHORT and share.numerator > 1
        if share and not long and abs(float(share) - speed / ticks) <= _EXACT:
            return share.numerator, share.denominator, True
    return speed, ticks, False


def every(ticks: float) -> str:
    """A frequency in words: "in every tick", "every 4 ticks"."""
    return "in every tick" if ticks <= 1 else f"every {number(ticks)} ticks"


def percent(chance: float) -> str:
    """A probability.

    >>> percent(0.015)
    '1.5 %'
    """
    return f"{number(100 * chance)} %"


def direction(value: Value | None) -> str:
    """`(0, -1)` is "up"; "" for no direction."""
    if not isinstance(value, tuple) or value == (0, 0):
        return ""
    return "random" if value == (-1, -1) else _DIRECTIONS.get((int(value[0]), int(value[1])), "aslant")


def signed(points: int) -> str:
    """Points with their sign: "+1 point"."""
    return f"{'+' if points > 0 else ''}{count(points, 'point')}"


def sentence(text: str) -> str:
    """With a capital letter and a full stop."""
    text = " ".join(text.split())
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


def small(value: int) -> str:
    """A small number in words: "two"."""
    return _NUMBERS[value] if 0 <= value < len(_NUMBERS) else str(value)


class Params:
    """Parameters of one entry; remembers which ones a sentence has told, so that none is lost."""

    def __init__(self, given: Mapping[str, Value], known: Mapping[str, Param], told: Sequence[str] = ()) -> None:
        self._given = given
        self._known = known
        self._told = set(told)

    def __getitem__(self, name: str) -> Value | None:
        """The value, or the default."""
        self._told.add(name)
        if name in self._given:
            return self._given[name]
        return self._known[name].default if name in self._known else None

    def known(self, name: str) -> Value | None:
        """The value of a parameter that the entry has.

        Raises:
            KeyError: it has no such parameter.
        """
        if name not in self._known:
            raise KeyError(name)
        return self[name]

    def number(self, name: str) -> float:
        """A numeric value; 0 for none."""
        value = self[name]
        return float(value) if isinstance(value, int | float) else 0.0

    def flag(self, name: str) -> bool:
        """A boolean value."""
        value = self[name]
        return value.lower() == "true" if isinstance(value, str) else bool(value)

    def integers(self, name: str) -> tuple[int, ...]:
        """Integers separated by commas; what is no integer counts 0."""
        pieces = str(self[name] or "0").split(",")
        return tuple(int(p) if re.fullmatch(r"[+-]?\d+", p.strip()) else 0 for p in pieces)

    def given(self, name: str) -> bool:
        """True when it is written in the game and differs from the default."""
        self._told.add(name)
        return name in self._given and (name not in self._known or self._given[name] != self._known[name].default)

    def is_true(self, name: str) -> bool:
        """True for a value that is neither false nor 0 nor empty.

        Raises:
            KeyError: the entry has no such parameter.
        """
        value = self.known(name)
        match self._known[name].type:
            case "bool":
                return self.flag(name)
            case "integers":
                return any(self.integers(name))
            case "int" | "float" | "double":
                return self.number(name) != 0
        return bool(value)

    def untold(self) -> Iterator[tuple[str, Value, Param]]:
        """The parameters that no sentence has told, and that matter to players."""
        for name, value in self._given.items():
            param = self._known.get(name)
            if param is None or name in self._told or param.inert or param.drawing or value == param.default:
                continue
            yield name, value, param
