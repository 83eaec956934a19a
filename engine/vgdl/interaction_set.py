"""From the lines of InteractionSet and TerminationSet to effects, pairs, EOS lists, the time queue and terminations.

reference/language 1.6 and 1.7, reference/effects 10.2 and reference/terminations 4.4. A line that cannot be built
raises `Abandon`: the reference then silently leaves the rest of that set and all later sets unread; the strict reading
goes on to find further errors.

What a line says by itself (`read_interaction`, `read_termination`) is kept apart from what it does among other lines
(`InteractionTable`), so that rule sets that share lines can share the work (`rule_compiler`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.definition import Effect, Pair, Termination, TimeEffect, Value
from pcg.engine.vgdl.findings import Findings, Placed
from pcg.engine.vgdl.ontology_params import EffectSpec, Param
from pcg.engine.vgdl.sprite_set import Substitute, fit_options
from pcg.engine.vgdl.tree import InteractionLine, Option, TerminationLine, Word

MAX_REPEAT = 1_000
"""Most repetitions of an effect in its pair's list."""
MAX_LISTED = 200_000
"""Most entries in all lists of effects together."""


class Abandon(Exception):
    """A line the reference cannot build: it leaves this set and all later ones."""

    def __init__(
        self, message: str, at: Placed, rule: str, *, expected: str = "", known: Sequence[str] = (), name: str = ""
    ) -> None:
        super().__init__(message)
        self.message, self.at, self.rule = message, at, rule
        self.expected, self.known, self.name = expected, known, name


def _same(text: str) -> str:
    return text


@dataclass(frozen=True, slots=True)
class Step:
    """Meaning of a line for one of its second objects: its effect joins a pair, or the EOS effects of a sprite."""

    word: Word
    """The second object of a pair; the sprite of an EOS line."""
    first: int | None = None
    second: int = -1
    """Type ids. `second` is -1 for EOS; `first` is None for an unknown sprite with EOS."""


@dataclass(slots=True)
class Interaction:
    """Meaning of an interaction line, whatever stands around it. `steps` end early where it cannot be read further."""

    line: InteractionLine
    effects: list[tuple[str, dict[str, Value], bool]] = field(default_factory=list)
    """Name, parameters, and whether the effect before it is its inner effect. The last is the line's own."""
    steps: list[Step] = field(default_factory=list)
    timed: tuple[int, dict[str, Value]] | None = None
    """Type id or -1, and own fields, of a TIME line."""
    abandon: Abandon | None = None
    """Reason for which the rest of the line, and in the gvgai reading of the set, is not read."""


class InteractionTable:
    """The rules of a game while its InteractionSets are read."""

    def __init__(self, findings: Findings, index: Mapping[str, int], substitute: Substitute) -> None:
        self.findings = findings
        self.index = index
        self.substitute = substitute
        self.effects: list[Effect] = []
        self._pairs: dict[tuple[int, int], list[int]] = {}
        self._pair_lines: dict[tuple[int, int], int] = {}
        self._last: tuple[int, int] | None = None
        self.eos_types: list[int] = []
        self._eos_effects: dict[int, list[int]] = {}
        self.time_effects: list[TimeEffect] = []
        self._listed = 0

    def clear(self) -> None:
        """Forget all interactions, as a further SpriteSet makes the reference do (reference/language 1.2.7)."""
        self.effects.clear()
        self._pairs.clear()
        self._pair_lines.clear()
        self._last = None
        self.eos_types.clear()
        self._eos_effects.clear()
        self.time_effects.clear()

    @property
    def pairs(self) -> tuple[Pair, ...]:
        return tuple(Pair(first, second, tuple(listed)) for (first, second), listed in self._pairs.items())

    @property
    def eos_effects(self) -> dict[int, tuple[int, ...]]:
        return {type_id: tuple(listed) for type_id, listed in self._eos_effects.items()}

    def read(self, line: InteractionLine) -> None:
        """One line. Raises Abandon."""
        abandon = self.add(read_interaction(line, self.findings, self.index, self.substitute), line.line)
        if abandon is not None:
            raise abandon

    def add(self, read: Interaction, line: int) -> Abandon | None:
        """A line that was read already takes its place as line number `line`. Returns why it ends early, if it does."""
        effects = self.effects
        for name, params, inner in read.effects:
            index = len(effects)
            effects.append(Effect(index, name, params, index - 1 if inner else None, line))
        if read.timed is not None:
            self.time_effects.append(TimeEffect(len(effects) - 1, *read.timed))
        for step in read.steps:
            if step.second >= 0 and step.first is not None:
                self._pair(read.line, step.word, step.first, step.second, line)
            else:
                self._eos(step.word, step.first)
        return read.abandon

    def _pair(self, at: InteractionLine, word: Word, one: int, two: int, line: int) -> None:
        pair = (one, two)
        listed = self._pairs.get(pair)
        if listed is None:
            listed = self._pairs[pair] = []
            self._pair_lines[pair] = line
            self._last = pair
        elif self._last != pair:
            self.findings.warning(
                f"the pair `{at.first} {word}` is first defined in line {self._pair_lines[pair]}: "
                "this effect runs there, before the lines in between",
                word,
                "language 1.6.4",
            )
        effect = self.effects[-1]
        repeat = effect.params.get("repeat", 1)
        assert isinstance(repeat, int)
        if repeat > MAX_REPEAT:
            self.findings.crash(f"repeat={repeat} is too much", at, expected=f"at most {MAX_REPEAT}")
        self._listed += max(repeat, 0)
        if self._listed > MAX_LISTED:
            self.findings.crash(f"the game lists more than {MAX_LISTED} effects", at)
        listed += [effect.index] * repeat

    def _eos(self, sprite: Word, index: int | None) -> None:
        if index is None:
            _unknown_with_eos(sprite, self.findings, self.index)
            return
        if index in self._eos_effects:
            self.findings.doubt(
                f"`{sprite}` already has an EOS line",
                sprite,
                "language 1.6.5",
                so="every EOS effect of it runs once per line in every tick",
                expected="one EOS line per sprite",
            )
        self.eos_types.append(index)
        self._eos_effects.setdefault(index, []).append(len(self.effects) - 1)


def _unknown_with_eos(sprite: Word, findings: Findings, index: Mapping[str, int]) -> None:
    findings.crash(
        f"unknown sprite `{sprite}` with EOS, which stops the reference in the first tick",
        sprite,
        "language 1.6.6",
        known=index,
        name=sprite.text,
    )


def read_interaction(
    line: InteractionLine, findings: Findings, index: Mapping[str, int], substitute: Substitute
) -> Interaction:
    """Read a line by itself. Raises VGDLError for what stops the reference while it reads the line."""
    reader = _LineReader(line, findings, index, substitute)
    try:
        reader.read()
    except Abandon as abandon:
        reader.read_so_far.abandon = abandon
    return reader.read_so_far


class _LineReader:
    """Reads one interaction line."""

    def __init__(
        self, line: InteractionLine, findings: Findings, index: Mapping[str, int], substitute: Substitute
    ) -> None:
        self.line = line
        self.findings = findings
        self.index = index
        self.substitute = substitute
        self.read_so_far = Interaction(line)

    def read(self) -> None:
        line = self.line
        if not line.seconds:
            raise Abandon(
                f"the interaction of `{line.first}` has no second object", line, "language 1.3", expected="a b > effect"
            )
        if len(line.effects) > 1:
            self.findings.doubt(
                f"the interaction names {len(line.effects)} effects",
                line.effects[0],
                "language 1.3",
                so=f"`{line.effects[-1]}` counts",
                expected="one effect",
            )
        timed = "TIME" in (line.first.text.upper(), line.seconds[0].text.upper())
        name = line.effects[-1]
        self._build(name, name.text, line, timed=timed)
        if timed:
            self._time(line)
            return
        for second in line.seconds:
            self._step(line, second)

    def _build(self, at: Word, name: str, line: InteractionLine, *, timed: bool, inner_of: str = "") -> None:
        spec = ontology.EFFECTS.get(name)
        if spec is None:
            raise Abandon(f"unknown effect `{name}`", at, "effects 10.3", known=tuple(ontology.EFFECTS), name=name)
        # The inner effect of addTimer sees the texts as written, without the values of game-space parameters.
        substitute = _same if inner_of else self.substitute
        params = fit_options(line.options, spec.params, self.findings, name, substitute, self.index, silent=True)
        inner = False
        if not inner_of:
            inner = self._check_params(at, spec, line, params, timed)
        for key in spec.own:
            self._check_type(spec, spec.params[key], params, line, at)
        self.read_so_far.effects.append((name, params, inner))

    def _check_params(
        self, at: Word, spec: EffectSpec, line: InteractionLine, params: dict[str, Value], timed: bool
    ) -> bool:
        """Reports what is dropped from the line; builds addTimer's inner effect, and says whether there is one."""
        known: Mapping[str, Param] = spec.params
        if timed:
            known = {**known, **ontology.TIME_EFFECT_PARAMS}
        inner = False
        if spec.name == "addTimer":
            name = params.get("ftype")
            if not isinstance(name, str):
                raise Abandon("addTimer needs the name of an effect", at, "effects 10.13", expected="ftype=effect")
            if name == "addTimer":
                self.findings.crash(
                    "addTimer cannot start itself", at, "effects 10.13", expected="ftype=another effect"
                )
            timer = params.get("timer", -1)
            if params.get("repeating") and isinstance(timer, int) and timer <= 0:
                self.findings.crash(
                    "a repeating timer needs a positive time", line, "terminations 4.4", expected="timer=1 or more"
                )
            self._build(at, name, line, timed=False, inner_of="addTimer")
            inner = True
            known = {**ontology.EFFECTS[name].params, **known}
        # The reference says nothing of unknown keys on TIME and addTimer lines; they are no less dropped.
        owner = spec.name if not timed else f"{spec.name} on a TIME line"
        fit_options(line.options, known, self.findings, owner, self.substitute, self.index)
        return inner

    def _check_type(
        self, spec: EffectSpec, param: Param, params: Mapping[str, Value], line: InteractionLine, at: Word
    ) -> None:
        value = params.get(param.name)
        if value is None:
            if param.required:
                raise Abandon(f"{spec.name} needs `{param.name}`", at, "effects 10.3", expected=f"{param.name}=...")
        elif param.must_exist and value not in self.index and value != "":
            option = next((o for o in reversed(line.options) if o.key == param.name), None)
            raise Abandon(
                f"unknown sprite `{value}` in `{param.name}={value}`",
                _ValueOf(option) if option else at,
                "effects 10.3",
                known=tuple(self.index),
                name=str(value),
            )

    def _time(self, line: InteractionLine) -> None:
        """A TIME line: the effect becomes the delegate of a time effect (reference/terminations 4.4)."""
        first, seconds = line.first, line.seconds
        for second in seconds:
            if len(seconds) > 1 or (first.text in self.index and second.text in self.index):
                self.findings.crash(
                    "a TIME line has exactly one other object",
                    seconds[-1],
                    "language 1.6.7",
                    expected="a TIME > effect",
                )
        other = first if first.text.upper() != "TIME" else seconds[0]
        if other.text.upper() == "EOS" and other.text not in self.index:
            _unknown_with_eos(first if other is not first else seconds[0], self.findings, self.index)
        bound = self.index.get(other.text, -1)
        if bound < 0 and other.text.upper() != "TIME":
            self.findings.doubt(
                f"unknown sprite `{other}`",
                other,
                "language 1.6.6",
                so="the time effect is bound to no sprite",
                known=self.index,
                name=other.text,
            )
        params = fit_options(
            line.options, ontology.TIME_EFFECT_PARAMS, self.findings, "TIME", self.substitute, None, silent=True
        )
        timer = params.get("timer", -1)
        if params.get("repeating") and isinstance(timer, int) and timer <= 0:
            self.findings.crash(
                "a repeating time effect needs a positive timer", line, "terminations 4.4", expected="timer=1 or more"
            )
        self.read_so_far.timed = (bound, params)

    def _step(self, line: InteractionLine, second: Word) -> None:
        """Return what the effect is listed for because of one second object (reference/language 1.6.2)."""
        first, steps = line.first, self.read_so_far.steps
        one, two = self.index.get(first.text), self.index.get(second.text)
        if one is not None and two is not None:
            steps.append(Step(second, one, two))
        elif second.text.upper() == "EOS":
            steps.append(Step(first, one))
        elif first.text.upper() == "EOS":
            steps.append(Step(second, two))
        elif second.text.upper() == "TIME":
            raise Abandon(
                "TIME must be the first of the second objects", second, "language 1.6.7", expected="a TIME > effect"
            )
        else:
            wrong = first if one is None else second
            raise Abandon(
                f"unknown sprite `{wrong}`",
                wrong,
                "language 1.6.2",
                known=(*self.index, "EOS", "TIME"),
                name=wrong.text,
            )


class _ValueOf:
    """The place of an option's value."""

    def __init__(self, option: Option) -> None:
        self.line, self.column = option.line, option.value_column


def read_termination(
    line: TerminationLine, findings: Findings, index: Mapping[str, int], substitute: Substitute
) -> Termination:
    """One line of the TerminationSet (reference/language 1.7 and reference/terminations 4). Raises Abandon."""
    name = line.name.text
    spec = ontology.TERMINATIONS.get(name)
    if spec is None:
        raise Abandon(
            f"unknown termination `{name}`", line.name, "language 1.7", known=tuple(ontology.TERMINATIONS), name=name
        )
    for word in line.ignored:
        findings.doubt(f"`{word}` has no meaning here", word, "language 1.3", so="it is ignored", expected="key=value")
    params = fit_options(line.options, spec.params, findings, name, substitute, index)
    for param in spec.params.values():
        value = params.get(param.name)
        if value is None and param.required:
            raise Abandon(f"{name} needs `{param.name}`", line.name, "language 1.7", expected=f"{param.name}=sprite")
        if value is not None and param.must_exist and value not in index:
            option = next(o for o in reversed(line.options) if o.key == param.name)
            raise Abandon(
                f"unknown sprite `{value}` in `{option}`",
                _ValueOf(option),
                "language 1.7",
                known=tuple(index),
                name=str(value),
            )
    return Termination(name, params, line.line)
