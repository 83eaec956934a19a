"""Finish of a game before people see it: round points, a course of levels, nothing that changes nothing, and names that
fit what sprites do.

The course is chosen among drawn levels, from easy to hard, so that a player of middling strength wins about half of its
plays; what such a player wins is measured as in Nielsen et al. (2015). A game comes out as it would from `pcg
minimise` with its levels, so that nothing is left to be removed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, permutations
from typing import Any

from pcg.engine.game import Game, load
from pcg.engine.vgdl import parse
from pcg.engine.vgdl.checker import check_game, check_level
from pcg.engine.vgdl.formatter import dumps
from pcg.engine.vgdl.tree import Entry, MappingLine, Option, Section, SpriteLine, Tree, Word
from pcg.evaluators.agents import make_agent, play, replay
from pcg.evaluators.analysis import Ending, analyse
from pcg.evaluators.games.evaluation import RecordedPlay
from pcg.evaluators.games.winnability import longest_win, prove_briefly
from pcg.evaluators.judging.game_kinds import game_kinds, lasting
from pcg.evaluators.judging.game_places import astray
from pcg.evaluators.proving import Experience, Proof
from pcg.generators.rules.genes import EOS, Rule, RuleSet, replace_rules, with_params
from pcg.generators.rules.made_levels import LevelMaker
from pcg.generators.rules.points import round_points, without_moot_deaths
from pcg.generators.rules.sprite_set import without_comments
from pcg.minimise import minimise
from pcg.minimise.themes import dressed
from pcg.runs.experiments.cast import (
    better,
    with_cast,
    with_characters,
    with_plain_goals,
    with_quarry,
    with_stops_at_edges,
    with_stops_of_boxes,
    without_absent_sprites,
    without_doubles,
)
from pcg.runs.experiments.grounding import with_filled_blanks, with_free_starts, with_ground
from pcg.runs.experiments.plain_rules import with_plain_deaths, with_summed_points, without_idle_rules

MIDDLE, BUDGET = "olets", 60
"""Player of middling strength, and its forward-model calls per decision."""
WANTED = 0.5
"""Share of its plays that it should win."""
NEAR = 0.3
"""Distance from that share that is left as it is."""
FASTEST, SLOWEST = 2, 8
"""Ticks between two steps of a danger, when its pace is changed."""
COURSE = 4
"""Levels of a game, at most; at least two."""
MIN_WIN = 20
"""Ticks that a win takes."""
SAME = 8
"""Cells from which on two levels of a course differ enough."""
FEW = 6
"""Sprites from which on a goal may leave some."""
IDLE, ASTRAY = 200, 0.05
"""Ticks in which nobody acts, and the share of the movers that may be astray then."""
_DYING = ("killSprite", "killIfAlive", "subtractHealthPoints")
"""Effects by which the first of two sprites dies, or may."""
_STOPPING = ("stepBack", "wallStop", "reverseDirection")
"""Effects that stop or turn the first of two sprites, and do nothing else."""
WAITS = 2
"""Plays of a player who does nothing, none of which may be won."""


@dataclass(frozen=True)
class Effort:
    """Effort that is spent on the finish of a game.

    Attributes:
        drawn: levels that are drawn to choose from.
        plays: of the middling player on each level.
        proof: forward-model calls of the proof of a level.
        compared: first levels whose recorded plays have to stay the same when parts are removed; 0: all.
        seeds: plays of every agent on each of these.
        tunings: times that the pace of the dangers is changed, where the middling player wins too much or too little.
    """

    drawn: int = 6
    plays: int = 2
    proof: int = 15_000
    compared: int = 2
    seeds: int = 1
    tunings: int = 0


THOROUGH = Effort(9, 3, 20_000, 0, 2, 1)
"""Effort for games that are to be shown to many people: nothing is left that `pcg minimise` would remove."""


@dataclass(frozen=True)
class CourseLevel:
    """A level that may be part of a course.

    Attributes:
        text: of the level.
        win: proof that it can be won.
        share: of its plays that the middling player wins.
    """

    text: str
    win: Proof
    share: float


@dataclass(frozen=True)
class FinishedGame:
    """A game as it is shown.

    Attributes:
        text: strict VGDL.
        levels: the easiest first.
        plain: the text with the names that its sprites had.
        removed: the parts that were removed, in words.
        wins: a play that wins each level.
        middle: share of its plays that the middling player wins.
    """

    text: str
    levels: tuple[str, ...]
    plain: str
    removed: tuple[str, ...]
    wins: tuple[RecordedPlay, ...]
    middle: float


def finished_game(
    text: str, levels: Sequence[str], seed: int, *, effort: Effort = Effort(), dress: bool = True, theme: str = ""
) -> FinishedGame | None:
    """Return a game in the form in which people see it.

    Args:
        text: of the game.
        levels: on which it was judged.
        seed: equal seeds give equal results.
        effort: what is spent on it.
        dress: whether sprites get names and colours after their roles.
        theme: of these names; see `pcg.minimise.themes.THEMES`.

    Returns:
        The game, None where it has fewer than two levels (one, if it had one) that can be won and are not too short.
    """
    text = with_stops_of_boxes(with_quarry(dumps(without_comments(parse(text))), levels))
    text, levels = without_doubles(text, levels)
    text, levels = with_cast(with_round_points(without_absent_sprites(with_used_characters(text, levels))), levels)
    text = with_ground(with_free_starts(with_visible_parts(with_whole_turns(text))))
    text, levels = with_filled_blanks(text, levels)
    given = text
    for whole in (with_whole_goals(given), given):  # what has few left to go may be beyond the prover with all of it
        text = without_echoes(with_edges_of_groups(without_idle_endings(whole, levels)))
        course = choose_course(load(text, levels=levels), levels, seed, effort)
        if len(course) >= min(2, len(levels)) or whole == given:
            break
    for _ in range(effort.tunings):
        other = with_other_pace(text, mean_share(course))
        if other == text:
            break
        found = choose_course(load(other, levels=levels), levels, seed, effort)
        if len(found) < len(course) or abs(mean_share(found) - WANTED) >= abs(mean_share(course) - WANTED):
            break
        text, course = other, found
    if len(course) < min(2, len(levels)):
        return None
    chosen: tuple[str, ...] = tuple(level.text for level in course)
    text = without_absent_sprites(with_used_characters(text, chosen))
    plain = text
    removed: tuple[str, ...] = ()
    few = min(effort.compared or len(chosen), len(chosen))
    for compared, seeds in ((few, effort.seeds), (len(chosen), 3 * effort.seeds)):
        small = minimise(load(text, levels=chosen), levels=range(compared), seeds=seeds, seed=1)
        made = without_echoes(with_plain_goals(small.text))
        if not check_game(made) and _stays_won(load(made, levels=chosen), course):
            plain, removed = made, tuple(map(str, small.removed))
            break
    # Again: a danger that is never met is scenery now, and what rules were about in vain is ground.
    summed = partial(with_summed_points, plays=small.plays, recorded=load(text, levels=chosen))
    for step in (
        summed, without_doubles, with_cast, with_filled_blanks, with_stops_at_edges, with_plain_deaths,
        without_idle_rules, without_later_rules,
    ):  # fmt: skip
        made, fewer = step(plain, chosen)
        again = won_again(load(made, levels=fewer), course, fewer, effort)
        if again is not None:
            plain, chosen, course = made, fewer, again
    plain = with_used_characters(plain, chosen)
    shown = plain
    if dress:
        definition = load(plain, levels=chosen).definition
        candidate, _ = dressed(plain, definition, analyse(definition), theme)
        shown = candidate if not check_game(candidate) else plain
    last = load(shown, levels=chosen)
    wins = tuple(_recorded(last, k, level.win) for k, level in enumerate(course))
    if not all(win.won for win in wins):
        return None
    return FinishedGame(shown, chosen, plain, removed, wins, mean_share(course))


def _stays_won(game: Game, course: Sequence[CourseLevel]) -> bool:
    """Return True where the levels of a course read without a finding, the recorded plays win them, and what moves
    stays where it belongs.
    """
    read = not any(check_level(level.text, game.definition) for level in course)
    won = read and all(_recorded(game, k, level.win).won for k, level in enumerate(course))
    return won and not any(goes_astray(game, level.text) for level in course)


def won_again(
    game: Game, course: Sequence[CourseLevel], levels: Sequence[str], effort: Effort
) -> tuple[CourseLevel, ...] | None:
    """Return a course with other texts of its levels, won in a game in which chance may go other ways; None where some
    level is not.
    """
    found = []
    for k, (level, text) in enumerate(zip(course, levels, strict=True)):
        win: Proof | None = level.win
        if not _recorded(game, k, level.win).won:
            win = prove_briefly(game, text, 1, effort.proof, longest_win(text))
        if win is None or win.ticks < MIN_WIN:
            return None
        found.append(replace(level, text=text, win=win))
    return tuple(found)


def mean_share(course: Sequence[CourseLevel]) -> float:
    """Return the share of its plays of a course that the middling player wins, 0 without a level."""
    return math.fsum(level.share for level in course) / max(1, len(course))


def with_other_pace(text: str, share: float) -> str:
    """Return a game whose dangers move one step faster or slower, towards a middling player who wins half its plays.

    Args:
        text: of the game.
        share: of its plays that the middling player wins now; where it is near half, nothing changes.
    """
    if abs(share - WANTED) <= NEAR:
        return text
    step = -1 if share > WANTED else 1
    tree = parse(text)
    definition = load(text).definition
    analysis = analyse(definition)
    dangers = {definition.types[t].name for t in analysis.having("harmful") if analysis.has(t, "mover")}

    def paced(node: Any) -> Any:
        children = tuple(map(paced, node.children))
        if not isinstance(node, SpriteLine) or node.name.text not in dangers:
            return replace(node, children=children)
        options = tuple(
            Option(o.key, str(min(SLOWEST, max(FASTEST, int(o.value) + step)))) if o.key == "cooldown" else o
            for o in node.options
        )
        return replace(node, options=options, children=children)

    made = dumps(Tree(paced(tree.header), tree.after, tree.file))
    return better(made, text)


def with_round_points(text: str) -> str:
    """Return a game with points as a designer gives them, and without deaths that nobody sees; see `points`."""
    tree = parse(text)
    analysis = analyse(load(text).definition)
    rounded = round_points(without_moot_deaths(RuleSet.of(tree), analysis), analysis)
    made = dumps(replace_rules(tree, rounded))
    return better(made, text)


def with_whole_turns(text: str) -> str:
    """Return a game in which what rests between its steps steps back where it turns round: it is in the wall until its
    next step, turned round in every tick, and often goes on as it came.
    """
    tree = parse(text)
    definition = load(text).definition
    index, rules = definition.type_index, RuleSet.of(tree)

    def rests(name: str) -> bool:
        subtypes = definition.types[index[name]].subtypes if name in index else ()
        return any(float(str(definition.types[t].params.get("cooldown", 0))) > 1 for t in subtypes)

    stopped = {rule.pair for rule in rules.rules if rule.effect == "stepBack"}
    turned = [
        (rule, Rule(rule.first, rule.second, "stepBack"))
        if rule.effect == "reverseDirection" and rule.pair not in stopped and rests(rule.first) else (rule,)
        for rule in rules.rules
    ]  # fmt: skip
    made = dumps(replace_rules(tree, RuleSet(tuple(chain.from_iterable(turned)), rules.terminations)))
    return better(made, text)


def with_visible_parts(text: str) -> str:
    """Return a game in which everything is drawn that rules are about, or that brings forth others: what a player has
    to gather or to fear was a mark that nobody saw, or a nest, in many a game whose sprites are used.
    """
    tree = parse(text)
    definition = load(text).definition
    index = definition.type_index
    named = {name for rule in RuleSet.of(tree).rules for name in rule.pair if name in index}
    shown = {definition.types[t].name for name in named for t in (index[name], *definition.types[index[name]].subtypes)}
    shown |= {definition.types[t].name for t in analyse(definition).having("spawner")}

    def seen(node: Any) -> Any:
        children = tuple(map(seen, node.children))
        if isinstance(node, SpriteLine):
            members = {definition.types[t].name for t in definition.types[index[node.name.text]].subtypes}
            if (members | {node.name.text}) & shown:
                kept = tuple(o for o in node.options if o.key not in ("invisible", "hidden"))
                return replace(node, options=kept, children=children)
        return replace(node, children=children)

    made = dumps(Tree(seen(tree.header), tree.after, tree.file))
    return better(made, text)


def with_whole_goals(text: str) -> str:
    """Return a game that is won when nothing is left, where it was won when few were: nobody counts what may stay."""
    tree = parse(text)
    rules = RuleSet.of(tree)
    vanish = {e.index for e in analyse(load(text).definition).wins if e.kind == "vanish" and 0 < e.limit < FEW}
    endings = tuple(
        replace(ending, params=with_params(ending.params, {"limit": "0"})) if k in vanish else ending
        for k, ending in enumerate(rules.terminations)
    )
    made = dumps(replace_rules(tree, RuleSet(rules.rules, endings)))
    return better(made, text) if vanish else text


def without_idle_endings(text: str, levels: Sequence[str] = ()) -> str:
    """Return a game without terminations that wait until nothing is left of what nothing takes away, some of which
    every level has, for more of what nothing makes, for a time that is over after another, or for what is never so
    before another ends the game alike: nothing left of crates and hero, where the hero's death is enough.
    """
    tree = parse(text)
    rules = RuleSet.of(tree)
    game = load(text, levels=levels)
    analysis = analyse(game.definition)
    read = [game.read_level(k) for k in range(len(levels))]
    changed = {
        "vanish": {removal.victim for removal in analysis.removals},
        "appear": {source.product for source in analysis.sources},
    }
    idle = {
        ending.index for ending in analysis.endings
        if (ending.types and not changed.get(ending.kind, set(ending.types)) & set(ending.types))
        or lasting(analysis, ending, read)
    }  # fmt: skip
    times = {ending.index: ending.limit for ending in analysis.endings if ending.kind == "timeout" and ending.limit > 0}
    idle |= {k for k, limit in times.items() if limit > min(times.values())}
    idle |= {one.index for one, other in permutations(analysis.endings, 2) if _comes_with(one, other)}
    kept = tuple(ending for k, ending in enumerate(rules.terminations) if k not in idle)
    made = dumps(replace_rules(tree, RuleSet(rules.rules, kept)))
    return better(made, text) if idle and any(ending.wins for ending in kept) else text


def _comes_with(one: Ending, other: Ending) -> bool:
    """Return True where one termination fires only when another one does that ends the game alike."""
    if (one.kind, one.outcome) != (other.kind, other.outcome) or one.kind != "vanish":
        return False
    fewer = set(other.types) < set(one.types) or (set(other.types) == set(one.types) and other.index < one.index)
    sure = one.limit <= other.limit if other.name == "SpriteCounter" else one.limit == other.limit == 0
    return bool(other.types) and fewer and sure


def with_used_characters(text: str, levels: Sequence[str]) -> str:
    """Return a game whose mapping has the characters of its levels alone.

    Those of `wall` and `avatar` are written out: a game need not map them as long as they have these names.
    """
    used = set("".join(levels))
    tree = parse(text)
    mapping = load(text).definition.mapping
    written = {node.character.text for node in tree.walk() if isinstance(node, MappingLine)}
    silent = tuple(
        MappingLine(character=Word(c), arrow=Word(">"), names=tuple(map(Word, mapping[c])))
        for c in sorted(used & mapping.keys() - written)
    )

    def whole(section: Entry) -> Entry:
        mapped = isinstance(section, Section) and section.identifier == "LevelMapping"
        return replace(section, children=(*section.children, *silent)) if mapped else section

    header = replace(tree.header, children=tuple(map(whole, tree.header.children)))
    return with_characters(dumps(Tree(header, tree.after, tree.file)), used)


def choose_course(game: Game, levels: Sequence[str], seed: int, effort: Effort) -> tuple[CourseLevel, ...]:
    """Return levels of a game from easy to hard, `COURSE` at most, whose middling player wins about half of its plays.

    Args:
        game: with one player.
        levels: that it has.
        seed: of what is drawn and of all plays.
        effort: what is spent on it.
    """
    texts = list(dict.fromkeys(levels))
    if effort.drawn:
        maker = LevelMaker(levels, seed=seed ^ 0x5EED, min_win=MIN_WIN)
        texts += [level.text for level in maker.make(game, effort.drawn, effort.drawn) if level.text not in texts]
    experience = Experience()
    found: list[CourseLevel] = []
    for k, text in enumerate(texts):
        if any(nearly_equal(text, level.text) for level in found):
            continue
        longest = longest_win(text)
        win = prove_briefly(game, text, 1, effort.proof, longest, experience)
        if win is None or win.ticks < MIN_WIN or won_by_waiting(game, text, longest) or goes_astray(game, text):
            continue
        won = 0
        for sample in range(effort.plays):
            agent = make_agent(MIDDLE, seed=seed + sample, budget=BUDGET)
            won += play(game, [agent], level=text, seed=100 * k + sample, max_ticks=longest).winner == 1
        found.append(CourseLevel(text, win, won / effort.plays))
    found.sort(key=lambda level: (-level.share, level.win.ticks))
    while len(found) > COURSE:
        mean = math.fsum(level.share for level in found) / len(found)
        middle = found[1:-1]  # an easy first level and a hard last one stay
        gone = max(middle, key=lambda level: (level.share - WANTED) * (1 if mean > WANTED else -1))
        found.remove(gone)
    return tuple(found)


def with_edges_of_groups(text: str) -> str:
    """Return a game in which all sprites of a group do at the edge of the map what most of them do there: of a fleet
    that turns round no ship flies away for good.
    """
    tree = parse(text)
    rules = RuleSet.of(tree)
    definition = load(text).definition
    found = list(rules.rules)
    for group in (t for t in definition.types if t.line and not t.leaf):
        members = {definition.types[t].name for t in group.subtypes if definition.types[t].leaf}
        edge = [rule for rule in found if rule.second == EOS and rule.first in members]
        if 2 <= len(edge) < len(members) < 2 * len(edge) and len({(rule.effect, rule.params) for rule in edge}) == 1:
            found[found.index(edge[0])] = replace(edge[0], first=group.name)
            found = [rule for rule in found if rule not in edge]
    made = dumps(replace_rules(tree, RuleSet(tuple(found), rules.terminations)))
    return better(made, text) if tuple(found) != rules.rules else text


def without_echoes(text: str) -> str:
    """Return a game without rules that only say again that something dies, in the same meeting or in one of a group
    whose rule says it for all, and without those that stop or turn what dies.
    """
    tree = parse(text)
    rules = RuleSet.of(tree)
    definition = load(text).definition
    index, types = definition.type_index, definition.types
    plain = {"scoreChange": None}
    sure = {rule.pair for rule in rules.rules if rule.effect == "killSprite" and not with_params(rule.params, plain)}
    left = []
    said: set[tuple[str, str]] = set()
    for rule in rules.rules:
        above = [[types[t].name for t in types[index[name]].path] if name in index else [name] for name in rule.pair]
        wider = {(one, other) for one in above[0] for other in above[1]} - {rule.pair}
        again = rule.effect in _DYING and (wider & sure or (rule.pair in sure and rule.effect != "killSprite"))
        if rule.effect in _DYING and not rule.params and (again or rule.pair in said):
            continue
        if rule.effect in _STOPPING and (rule.pair in sure or wider & sure):
            continue
        said |= {rule.pair} if rule.effect == "killSprite" else set()
        left.append(rule)
    made = dumps(replace_rules(tree, RuleSet(tuple(left), rules.terminations)))
    return better(made, text) if len(left) < len(rules.rules) else text


def without_later_rules(text: str, levels: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return a game without `without_echoes`, with its levels as they are."""
    return without_echoes(text), tuple(levels)


def nearly_equal(one: str, other: str) -> bool:
    r"""Return True where two levels of one size differ in a few cells only: nothing is learnt from the second.

    >>> nearly_equal("wwww\nwA.w", "wwww\nw.Aw"), nearly_equal("wwww", "wwww\nw.Aw")
    (True, False)
    """
    return len(one) == len(other) and sum(a != b for a, b in zip(one, other, strict=True)) < SAME


def won_by_waiting(game: Game, level: str, ticks: int) -> bool:
    """Return True where a player who does nothing wins, in one of a few plays; staying alive is another matter.

    Args:
        game: with one player.
        level: its text.
        ticks: of a play, at most.
    """
    if any(ending.kind == "timeout" for ending in analyse(game.definition).wins):
        return False
    idle = (play(game, [make_agent("nothing")], level=level, seed=seed, max_ticks=ticks) for seed in range(WAITS))
    return any(done.winner == 1 for done in idle)


def goes_astray(game: Game, level: str) -> bool:
    """Return True where movers get out of the map, or into walls, while nobody acts: a level that was drawn can place
    them where the rules that keep them in do not.

    Args:
        game: with one player.
        level: its text.
    """
    kinds = game_kinds(game.definition, [game.read_level(level)])
    return astray(kinds, game.start(level, 1), ["NIL"] * IDLE).movers_share > ASTRAY


def _recorded(game: Game, number: int, win: Proof) -> RecordedPlay:
    state = game.start(number, seed=win.seed)
    # a shot that hits nothing is gone by now, and the key for it with it
    keys = win.play if "USE" in state.actions else win.play.replace("X", ".")
    played = RecordedPlay(win.method, number, win.seed, True, 0.0, keys)
    end = replay(state, played.actions)[-1]
    return RecordedPlay(win.method, number, win.seed, end.winner == 1, float(end.score), keys)
