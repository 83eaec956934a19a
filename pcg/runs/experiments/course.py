"""The course of a run that makes levels: the levels chosen, their order, and a sentence on what each one teaches.

The difficulty of feasible levels is measured on a ladder of agents (`pcg.evaluators.ladder`), a chain of levels is
chosen (`pcg.evaluators.courses`), and the sentences come from the description of the game's rules.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcg.describe import describe
from pcg.describe.description import Description, Rule
from pcg.describe.noun_phrases import joined, plural
from pcg.engine.game import Game
from pcg.engine.vgdl.definition import GameDefinition
from pcg.evaluators.courses import Lesson, choose_course, introduced
from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.ladder import MANY, PLAYS, Difficulty, averaged, ladder_difficulty
from pcg.evaluators.parameters import Setting
from pcg.generators.levels.curriculum import Curriculum, Kinds
from pcg.runs.game_text import GameText
from pcg.runs.process_cache import ProcessCache

CHOICE = 3
"""Feasible levels for each level of the course from which on there is enough to choose from."""
LONGER = 3
"""Most evaluations, as a multiple of those asked for, of a run with fewer."""
POOL = 6
"""Levels measured on the ladder for each level of the course."""
SCREENED = 2
"""Measurements of each level before a course is chosen."""
CONFIRMED, MOST_CONFIRMED = 4, 18
"""Least measurements of a level of the course, and most where chance decides much."""
APART = 0.25
"""Standard error of a difficulty, in even steps of the course, at which levels count as told apart."""
SEEDS_APART = 1000
"""Difference between the seeds of two measurements."""
AGAIN = 2
"""Further evaluations of a level in a game of chance, where one win may be luck."""
GROUPS = 4
"""Groups, from easy to hard, into which levels with the same kinds of objects are sorted before some are measured."""
IN_TURN = 2
"""Levels with the same kinds of objects that are taken before levels with others have their turn again."""
GENERATION: Mapping[str, Setting] = {"lessons": 0.75}
"""Settings of generators with a parameter `lessons`."""


STOPS = frozenset({"stepBack", "undoAll", "wallStop", "wallReverse", "wallBounce"})
"""Effects that only stop something: what a kind does beside says more about it."""


@dataclass(frozen=True)
class CourseLevel:
    """One level of a course."""

    number: int
    """Number of the candidate."""
    difficulty: Difficulty
    introduces: tuple[str, ...]
    """Kinds of objects that no earlier level has, by the names of their sprite types."""
    steps: int
    """Steps of the curriculum that are new: kinds that go together, as a door and its key, are one."""
    teaches: str
    """A sentence for the player."""

    def to_json(self, place: int) -> dict[str, Any]:
        """Return it as JSON, for `index.json`."""
        of = self.difficulty
        return {
            "place": place, "difficulty": round(of.value, 4), "wins": [round(w, 4) for w in of.wins],
            "lost": round(of.lost, 4), "length": of.length, "nodes": of.nodes,
            "introduces": list(self.introduces), "teaches": self.teaches,
        }  # fmt: skip


_EVALUATORS: ProcessCache[tuple[GameText, tuple[tuple[str, Setting], ...]], LevelEvaluator] = ProcessCache(
    lambda key: LevelEvaluator(key[0].load(), (), **{**dict(key[1]), "search": 0})
)


def measure_difficulty(
    game: GameText, parameters: tuple[tuple[str, Setting], ...], level: str, evaluation: Mapping[str, Any], seed: int
) -> Difficulty:
    """Measure a level on the ladder, in whatever process this runs.

    Args:
        game: of the level.
        parameters: of the evaluator, with every default filled in.
        level: text of a feasible level.
        evaluation: of it, as JSON.
        seed: of all plays.
    """
    evaluator = _EVALUATORS.get((game, parameters))
    return level_difficulty(evaluator, level, Evaluation.from_json(evaluation), seed)


def level_difficulty(
    evaluator: LevelEvaluator, level: str, evaluation: Evaluation, seed: int, plays: int = PLAYS
) -> Difficulty:
    """Measure a level on the ladder; in games of chance capable agents must first win it a few times more."""
    known = [evaluation]
    if evaluation.measure("nodes") is None:
        known += [evaluator.evaluate(level, seed + k) for k in range(1, AGAIN + 1)]
    return ladder_difficulty(evaluator.game, level, known, seed=seed, plays=plays)


def errors(difficulties: Sequence[Sequence[Difficulty]]) -> list[float]:
    """Return the standard errors of the mean difficulties of levels that were measured several times.

    Of few measurements a spread is known badly, so the mean of that of all levels counts as much as a level's own.

    >>> measured = [[Difficulty(v, (), 0.0, 1, None) for v in one] for one in ([0.2, 0.4], [0.5, 0.5])]
    >>> [round(error, 3) for error in errors(measured)]
    [0.087, 0.05]
    """
    spread = [float(np.var([one.value for one in known], ddof=1)) if len(known) > 1 else 0.0 for known in difficulties]
    usual = math.fsum(spread) / max(1, len(spread))
    return [math.sqrt((own + usual) / 2.0 / len(known)) for own, known in zip(spread, difficulties, strict=True)]


def told_apart(difficulties: Sequence[Sequence[Difficulty]], count: int) -> bool:
    """Return True if levels that were measured several times lie further apart than luck alone puts them.

    Args:
        difficulties: of each level, at least two.
        count: levels of a course: its steps are to be larger than the errors of the means.

    >>> sure, lucky = [[0.2, 0.22], [0.7, 0.68]], [[0.2, 0.6], [0.7, 0.3]]
    >>> [told_apart([[Difficulty(v, (), 0.0, 1, None) for v in one] for one in pool], 5) for pool in (sure, lucky)]
    [True, False]
    """
    if len(difficulties) < 2:
        return True
    means = [averaged(known).value for known in difficulties]
    error = math.sqrt(math.fsum(one * one for one in errors(difficulties)) / len(means))
    return error <= APART * (max(means) - min(means)) / max(1, count - 1)


def level_elements(curriculum: Curriculum, level: str) -> frozenset[str]:
    """Return the kinds of objects in a level, by the names of their sprite types, without walls and ground."""
    context = curriculum.context
    return frozenset(context.analysis.names(curriculum.kinds_in(context.palette.parse(level))))


def level_steps(curriculum: Curriculum, level: str) -> frozenset[str]:
    """Return the steps of the curriculum that a level has something of: the kinds of each, in one string."""
    context = curriculum.context
    steps = curriculum.together(curriculum.kinds_in(context.palette.parse(level)))
    return frozenset(_step(curriculum, step) for step in steps)


def _step(curriculum: Curriculum, step: Kinds) -> str:
    """Return the kinds of a step of a curriculum, in one string."""
    return " ".join(sorted(curriculum.context.analysis.names(step)))


class CourseCandidates:
    """Levels that can be measured for a course: of each its number, supposed difficulty and fitness, 20 bytes."""

    def __init__(self) -> None:
        self._by_elements: dict[tuple[str, ...], tuple[array[int], array[float], array[float]]] = {}

    def add(self, event: Mapping[str, Any], elements: frozenset[str]) -> None:
        """Add a level.

        Args:
            event: of a feasible level, with another text than those before.
            elements: kinds of things in it.
        """
        key = tuple(sorted(elements))
        if key not in self._by_elements:
            self._by_elements[key] = array("I"), array("d"), array("d")
        numbers, difficulties, fitness = self._by_elements[key]
        numbers.append(int(event["id"]))
        difficulties.append(supposed_difficulty(event))
        fitness.append(float(event["fitness"]))

    def choose(self, count: int) -> list[int]:
        """Return the numbers of the levels that are measured: the best of each group of difficulty and kinds of things.

        Args:
            count: levels of the course.
        """
        queues = []
        for key in sorted(self._by_elements, key=lambda key: (len(key), key)):
            numbers, difficulties, fitness = self._by_elements[key]
            queues.append(_queue(np.array(numbers), np.array(difficulties), np.array(fitness), POOL * count))
        chosen: list[int] = []
        turn = 0
        while len(chosen) < POOL * count and any(turn < len(queue) for queue in queues):
            # Of each set of kinds an easy and a hard one in a turn.
            for queue in queues:
                chosen += queue[turn : turn + IN_TURN]
            turn += IN_TURN
        return chosen[: POOL * count]


def _queue(
    numbers: NDArray[np.uint32], difficulties: NDArray[np.float64], fitness: NDArray[np.float64], most: int
) -> list[int]:
    """Return the numbers of levels with the same kinds of things, the fittest of easy and hard groups in turn."""
    ranked = np.lexsort((numbers, difficulties))
    share = -(-len(ranked) // GROUPS)
    groups = [ranked[k : k + share] for k in range(0, len(ranked), share)]
    groups = [group for pair in zip(groups, reversed(groups), strict=True) for group in pair][: len(groups)]
    best = [group[np.lexsort((numbers[group], -fitness[group]))] for group in groups]
    return [int(numbers[group[k]]) for k in range(min(share, most)) for group in best if k < len(group)]


def supposed_difficulty(event: Mapping[str, Any]) -> float:
    """Return an estimate of the difficulty of a level from its evaluation."""
    metrics = event["metrics"]
    return float(metrics.get("difficulty", 0.0)) + float(metrics.get("nodes", 0.0)) / MANY


def choose_levels(
    game: Game, curriculum: Curriculum, events: Sequence[Mapping[str, Any]],
    measured: Sequence[Sequence[Difficulty]], shapes: Sequence[Any], alike: Callable[[Any, Any], bool], count: int,
) -> list[CourseLevel]:  # fmt: skip
    """Return the levels of a course, in order.

    Args:
        game: of the levels.
        curriculum: of the game.
        events: of levels that were measured.
        measured: their difficulties, each at least once.
        shapes: of these, for `alike`.
        alike: whether two are too like each other for one course.
        count: levels wanted.
    """
    elements = [level_elements(curriculum, str(event["level"])) for event in events]
    base = frozenset.intersection(*elements) if elements else frozenset()
    steps = [level_steps(curriculum, str(event["level"])) for event in events]
    everywhere = frozenset.intersection(*steps) if steps else frozenset()
    difficulties = [averaged(known) for known in measured]
    pool = [
        Lesson(difficulty.value, float(event["fitness"]), own - everywhere, difficulty.lost, shape, error)
        for event, difficulty, own, shape, error in zip(
            events, difficulties, steps, shapes, errors(measured), strict=True
        )
    ]
    places = choose_course(pool, count, alike, [_step(curriculum, step) for step in curriculum.steps])
    new = introduced([elements[k] - base for k in places])
    new_steps = introduced([pool[k].elements for k in places])
    description = describe(game)
    found: list[CourseLevel] = []
    for place, k in enumerate(places):
        before = found[-1].difficulty if found else None
        sentence = _sentence(
            game.definition, description, base, elements[k] - base, new[place], difficulties[k], before
        )
        introduces, number = tuple(sorted(new[place])), len(new_steps[place])
        found.append(CourseLevel(int(events[k]["id"]), difficulties[k], introduces, number, sentence))
    return found


def _sentence(
    definition: GameDefinition, description: Description, base: frozenset[str], elements: frozenset[str],
    new: frozenset[str], difficulty: Difficulty, before: Difficulty | None,
) -> str:  # fmt: skip
    """Return what a level teaches, as a sentence or two."""
    names = {thing.type: thing.name for thing in description.things}
    if before is None:
        start = f"The aim: {_aim(description)}"
        there = _list(names, new)
        are = "is" if there in names.values() else "are"  # of a word without a plural, such as fire
        others = f" There {are} {there} from the start." if new else ""
        return start + others + (f" {sentence_about(definition, description, sorted(new)[0])}" if new else "")
    if new:
        old = elements - new
        company = f" beside {_list(names, old)}" if old else ", alone"
        rules = " ".join(
            dict.fromkeys(filter(None, (sentence_about(definition, description, one) for one in sorted(new))))
        )
        return f"Introduces {_list(names, new)}{company}. {rules}".strip()
    longer = difficulty.length - before.length
    harder = f"A win takes {difficulty.length} ticks" + (f", {longer} more than before." if longer > 0 else ".")
    if len(elements) > 1:
        return f"Combines {_list(names, elements)}. {harder}"
    shown = elements or base
    return f"Practises {_list(names, shown)}. {harder}" if shown else harder


def _list(names: Mapping[str, str], types: Iterable[str]) -> str:
    """Return kinds of objects as an enumeration of the plurals of their names."""
    return joined(plural(names.get(one, one)) for one in sorted(types))


def _aim(description: Description) -> str:
    first = description.win[0]
    return first[:1].lower() + first[1:]


def sentence_about(definition: GameDefinition, description: Description, element: str) -> str:
    """Return a sentence about a kind of object: what it does with the avatar, else with others, else what it is, else
    that the player can pass it.

    Args:
        definition: of the game.
        description: of it.
        element: name of a sprite type.

    >>> import pcg
    >>> game = pcg.load("hunt")
    >>> sentence_about(game.definition, describe(game), "dog")
    'A dog kills the fox (−3 points).'
    """
    types, index = definition.types, definition.type_index
    named = {thing.type: f"{thing.name.capitalize()}: {thing.text}" for thing in description.things}
    unseen = {one.name for one in types if one.params.get("invisible")}

    def families(names: Iterable[str]) -> set[str]:
        return {types[t].name for name in names for t in types[index[name]].path}

    own, avatars = families([element]), families(thing.type for thing in description.things if thing.role == "you")

    def rank(rule: Rule, first: set[str], second: set[str]) -> tuple[int, int]:
        """Rank a rule the higher the less it says about the element: the more others it is about."""
        if all(definition.effects[k].name in STOPS for k in rule.effects) or "EOS" in second:
            return 3, len(first | second)
        with_avatar = (own & first and avatars & second) or (own & second and avatars & first)
        return (0 if with_avatar else 1), len(first | second)

    sides = [({*rule.first.split(",")}, {*rule.second.split(",")}, rule) for rule in description.meetings]
    told = [
        (rank(rule, first, second), rule.text) for first, second, rule in sides
        if (own & first and second - unseen) or (own & second and first - unseen)
    ]  # fmt: skip
    told += [((2, 1), text) for kind, text in named.items() if _speaks_of(definition, kind, element)]
    if types[index[element]].class_name != "Immovable" and element in named:
        told.append(((2, 0), named[element]))
    name = next((thing.name for thing in description.things if thing.type == element), element)
    return min(told, key=lambda one: one[0], default=((0, 0), f"You can pass {plural(name)}."))[1]


def _speaks_of(definition: GameDefinition, kind: str, element: str) -> bool:
    """Return True where a sprite type has to do with another one by its class, as a portal with its exit has."""
    about = definition.types[definition.type_index[kind]].raw
    return kind != element and any(
        element in str(value).split(",") for key, value in about.items() if key.startswith("stype")
    )
