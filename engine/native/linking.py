"""Linker of kernels: one module out of many, optimised as a whole, and its object code for a target.

Everything but the entry points is internal, so the optimiser may inline, specialise and drop what nobody calls. Names
of functions are rewritten to those of the sources, and functions come in the order of first use, so that the same
sources give the same bytes, whatever else the building process has compiled before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import llvmlite.binding as llvm

from pcg.engine.kernel.primitives_python import CLOCK
from pcg.engine.native.targets import Target
from pcg.engine.vgdl.diagnostics import PcgError

_LEVEL = 3
_PART = re.compile(r"(\d+)")
_MACHINE_ATTRIBUTES = re.compile(r'"(?:target-cpu|target-features|tune-cpu|probe-stack)"="[^"]*"')

_EXACT = re.compile(r'@"?(sqrt|fabs|copysign|floor|ceil|trunc)"?\(')
"""Functions of C that every processor has an exact instruction for."""


@dataclass(frozen=True, slots=True)
class Loops:
    """Treatment of loops by the optimiser. Which one is fastest depends on how often the loops run."""

    unrolled: bool = True
    """True to write the body of a loop several times."""
    vectors: bool = True
    """True to do several turns of a loop at once, where the processor can."""


_LOOPS = {
    "pcg.engine.kernel": Loops(unrolled=False, vectors=False),
    "pcg.evaluators.agents.kernel": Loops(unrolled=False),
}
"""Packages whose loops mostly run a few times, over the sprites of a cell or the actions of an avatar.

Measured over the 122 one-player games of the corpus: ten-step rollouts gain 4 % when loops are not unrolled and 1 %
more without vectors, decisions of agents 2 %. The nets of rule sheets lose 3 % without unrolling.
"""


def initialise() -> None:
    """Make all of LLVM's targets known to this process."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


def link(symbols: Sequence[str], texts: Sequence[str]) -> str:
    """Link modules into one and return its text, which is not yet meant for any target.

    Args:
        symbols: the functions in `texts` that stay visible.
        texts: intermediate representation of modules; the same one may come several times.

    Raises:
        PcgError: when something is called that object code must not depend on.
    """
    whole = llvm.parse_assembly("")
    for text in dict.fromkeys(texts):
        whole.link_in(llvm.parse_assembly(_portable(text)))
    taken = set(symbols)
    for function in list(whole.functions):
        if function.is_declaration:
            continue
        if function.name in symbols:
            function.linkage = "external"
        else:
            function.linkage = "internal"
            function.name = _unique(_readable(function.name), taken)
            taken.add(function.name)
    for variable in whole.global_variables:
        if not variable.is_declaration:
            variable.linkage = "internal"
    whole.verify()
    _optimise(whole, None, 0)  # drops what nothing uses, so that fewer bytes go from here to each target
    return str(whole)


def _portable(text: str) -> str:
    """The text of a module without what it says of the machine and the library it was made on."""
    text = _EXACT.sub(r"@llvm.\1.f64(", text)
    text = re.sub(r"^target (?:triple|datalayout) = .*$", "", text, flags=re.MULTILINE)
    return _MACHINE_ATTRIBUTES.sub("", text)


def _readable(mangled: str) -> str:
    """Name of the Python function in one that Numba made, "tick.advance", for profilers and debuggers.

    >>> _readable("_ZN3pcg6engine6kernel4tick7advanceB2v1B38cExx")
    'tick.advance'
    """
    parts = []
    rest = mangled.removeprefix("_ZN")
    while match := _PART.match(rest):
        size = int(match[1])
        parts.append(rest[match.end() : match.end() + size])
        rest = rest[match.end() + size :]
    return re.sub(r"[^\w.]", "", ".".join(parts[-2:])) or "part"


def _unique(name: str, taken: set[str]) -> str:
    if name not in taken:
        return name
    number = 2
    while f"{name}.{number}" in taken:
        number += 1
    return f"{name}.{number}"


def machine_of(target: Target) -> llvm.TargetMachine:
    """Return LLVM's machine for a target, which never fuses a multiplication with an addition."""
    triple = target.triple or llvm.get_process_triple()
    return llvm.Target.from_triple(triple).create_target_machine(
        cpu=target.processor,
        features=target.features,
        opt=_LEVEL,
        reloc="static" if target.is_wasm else "pic",
        codemodel="default",
    )


def emit(text: str, target: Target, package: str = "") -> bytes:
    """Optimise a linked module, the kernels of a package, for a target and return its object code."""
    machine = machine_of(target)
    module = llvm.parse_assembly(text)
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    loops = _LOOPS.get(package, Loops())
    _optimise(module, machine, _LEVEL, loops, vectors=not target.is_wasm)
    _refuse_platform_functions(module)
    return bytes(machine.emit_object(module))


_ALLOWED = frozenset({"memcpy", "memmove", "memset", CLOCK})
"""Symbols that object code may leave undefined."""
_INEXACT = re.compile(
    r"@llvm\.(?:a?sinh?|a?cosh?|a?tanh?|atan2|sincos|exp|exp2|exp10|log|log2|log10|pow|powi|fma|fmuladd)\.|"
    r"\bfrem\b|\bf(?:add|sub|mul|div|neg|cmp) (?:fast|reassoc|contract|arcp|afn|nnan|ninf|nsz)\b"
)
"""Operations whose bits depend on the mathematical library, the processor, or the optimiser."""


def _refuse_platform_functions(module: llvm.ModuleRef) -> None:
    """Raise when a module calls functions of the platform, whose results differ from one to the next."""
    undefined = {f.name for f in module.functions if f.is_declaration and not f.name.startswith("llvm.")} - _ALLOWED
    found = sorted(undefined | set(_INEXACT.findall(str(module))))
    if found:
        raise PcgError(
            f"kernels must give the same bits everywhere, but these use {', '.join(found)} of the platform: "
            "take sine, cosine, logarithm, power ... from pcg.engine.kernel.reals, and raise no exceptions"
        )


def _optimise(
    module: llvm.ModuleRef,
    machine: llvm.TargetMachine | None,
    level: int,
    loops: Loops | None = None,
    *,
    vectors: bool = False,
) -> None:
    loops = loops or Loops(unrolled=False, vectors=False)
    machine = machine or llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine()
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    options.loop_vectorization = vectors and loops.vectors
    options.slp_vectorization = vectors
    options.loop_unrolling = loops.unrolled
    options.loop_interleaving = False  # loops here are short: games with crowds lose a tenth by it
    builder = llvm.create_pass_builder(machine, options)
    if level:
        passes = builder.getModulePassManager()
    else:
        passes = llvm.create_new_module_pass_manager()
        passes.add_global_dead_code_eliminate_pass()
        passes.add_strip_dead_prototype_pass()
    passes.run(module, builder)
