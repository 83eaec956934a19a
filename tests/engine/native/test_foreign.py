"""Entry points outside of the toolkit: users' functions, their helpers, and the engine built together with them."""

from __future__ import annotations

import gc
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pcg
from pcg.engine.kernel.runtime import COMPILED, MODE, EntryPoint, entry_point, inlined, inner, invoke1, invoke2
from pcg.engine.native import builder, loader, lookup, objects
from pcg.engine.vgdl import extensions
from pcg.engine.vgdl.diagnostics import PcgError

only_aot = pytest.mark.skipif(MODE != "aot", reason="nothing is built ahead of time in this mode")
OFFSET = 100


@inner
def twice(x):
    return x + x


@inlined
def twice_more(x):
    return twice(x) + OFFSET


@entry_point("i8(i8)")
def first(x):
    return twice_more(x)


@entry_point("i8(i8, i8)")
def second(x, y):
    return twice(x) * y


def typed(body: str, **names: object) -> EntryPoint:
    """An entry point typed at a prompt."""
    names |= {"__name__": "typed_at_a_prompt", "entry_point": entry_point}
    exec(f"@entry_point('i8(i8)')\ndef typed(x):\n    return {body}\n", names)
    return names["typed"]


def test_helpers_and_constants_of_a_module_come_along():
    assert invoke1(first.address, 5) == 110
    assert invoke2(second.address, 5, 3) == 30


def test_two_functions_of_the_same_name_are_two():
    made = []
    for factor in (2, 3):

        def scaled(x):
            return x * factor  # noqa: B023 - compiled before it changes

        made.append(invoke1(entry_point("i8(i8)")(scaled).address, 7))
    assert made == [14, 21]


@only_aot
def test_a_function_that_cannot_be_compiled_is_one_clear_error():
    @entry_point("i8(i8)")
    def wrong(x):
        return x + unknown_name  # noqa: F821

    with pytest.raises(PcgError, match=r"building the kernels of a user failed: .*unknown_name"):
        _ = wrong.address
    EntryPoint.registry.remove(wrong)


def test_a_function_typed_anew_takes_the_place_of_a_faulty_one():
    faulty, right = typed("twice(x) + unknown_name", twice=twice), typed("twice(x) + 1", twice=twice)
    assert faulty not in EntryPoint.registry
    assert invoke1(right.address, 4) == 9
    right.withdraw()
    assert right not in EntryPoint.registry


@only_aot
def test_what_only_the_platforms_library_can_do_is_refused():
    inexact = typed("int(math.sin(1.0 * x) * 1000)", math=math)
    with pytest.raises(PcgError, match=r"same bits everywhere.*pcg\.engine\.kernel\.reals"):
        _ = inexact.address
    EntryPoint.registry.remove(inexact)


@only_aot
def test_an_entry_point_inside_another_is_refused():
    @entry_point("i8(i8)")
    def nested(x):
        return first.address + x

    with pytest.raises(TypeError, match="cannot be used inside a kernel"):
        _ = nested.address
    EntryPoint.registry.remove(nested)


USER_FILE = """
from pathlib import Path
from pcg.engine.kernel.groups import effect_at, own_number
from pcg.engine.kernel.layout import sprite_at
from pcg.engine.kernel.runtime import inner
from pcg.engine.kernel.store import add_sprite, kill
from pcg.engine.vgdl import extensions
from pcg.engine.vgdl.ontology import Param

with (Path(__file__).parent / "runs").open("a") as stream:
    stream.write("x")

EXTRA = {extra}


@inner
def number(gm, own):
    return int(own_number(gm, own, 0)) + EXTRA


@extensions.effect(
    "scatter",
    help="A falls into pieces",
    params=[
        Param("pieces", "int", 1, "how many", "sprites", (1, 9)),
        Param("into", "sprite", None, "what they are", required=True),
    ],
    needs_first=True,
    kills_first=True,
    creates=("into",),
)
def scatter(gm, st, e, a, b):
    own = effect_at(gm, e).own_at
    p = sprite_at(a)
    for _ in range(number(gm, own)):
        add_sprite(gm, st, int(own_number(gm, own, 1)), p.x, p.y, 0)
    kill(gm, st, a, 0)
    return 0
"""
GAME = """\
BasicGame
    SpriteSet
        hero > MovingAvatar
        vase > Immovable
        shard > Immovable
    InteractionSet
        vase hero > scatter pieces=3 into=shard
    LevelMapping
        A > hero
        v > vase
    TerminationSet
        SpriteCounter stype=vase limit=0 win=True
"""
PLAY = f"""
import user_effects, pcg
state = pcg.load({GAME!r}, levels=["Av."]).start(level=0, seed=1)
state.advance("RIGHT")
print(len(state.sprites("shard")))
"""


def play(folder: Path, **environment: str) -> tuple[str, str]:
    """Return what a program that imports the user's file prints on both streams.

    The first program leaves bytecode of that file, which the next one reads.
    """
    environment = {"PYTHONDONTWRITEBYTECODE": "", **environment}
    done = subprocess.run(
        [sys.executable, "-c", PLAY],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), *filter(None, sys.path)]), **environment},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return done.stdout.strip(), done.stderr


@pytest.mark.skipif(not COMPILED, reason="nothing is built in this mode")
@pytest.mark.modes
def test_a_users_file_is_built_once_not_run_twice_and_built_again_when_it_changes(tmp_path):
    source = tmp_path / "user_effects.py"
    kept = objects.cache_folder()
    source.write_text(USER_FILE.format(extra=0))
    before = set(kept.glob("user-user_effects-*"))
    assert play(tmp_path) == ("3", "")
    assert (tmp_path / "runs").read_text() == "x"
    made = set(kept.glob("user-user_effects-*")) - before
    assert len(made) <= 1  # none, if an earlier run of this test left it
    assert play(tmp_path) == ("3", "")
    assert set(kept.glob("user-user_effects-*")) - before == made
    source.write_text(USER_FILE.format(extra=2))
    assert play(tmp_path) == ("5", "")


@pytest.mark.modes
@only_aot
def test_the_engine_can_be_built_together_with_users_functions(tmp_path, monkeypatch):
    for module in (loader, builder, lookup):
        monkeypatch.setattr(module, "ENGINE", "pcg.engine.boards")  # small; who calls whom does not matter here
    monkeypatch.setattr(loader, "_libraries", {})
    for kept in objects.cache_folder().glob("pcg.engine.*"):  # those of the game that is played need not be built anew
        shutil.copy(kept, tmp_path)
    monkeypatch.setattr(objects, "cache_folder", lambda: tmp_path)
    source = tmp_path / "together_effects.py"
    source.write_text(USER_FILE.format(extra=1).replace('"scatter"', '"strew"'))
    try:
        (path,) = builder.build_together([source], [loader.host().name], tmp_path)
        header, _ = objects.read(path)
        assert header.package == "pcg.engine.boards+user-together_effects"
        assert {"kernel_drop", "together_effects_scatter.0"} <= set(header.symbols)
        game = pcg.load(GAME.replace("scatter", "strew"), levels=["Av."])
        (entry,) = [e for e in EntryPoint.registry if e.module == "together_effects"]
        assert not entry.is_loaded
        monkeypatch.setattr(
            EntryPoint, "registry", [e for e in EntryPoint.registry if not loader.is_foreign(e) or e is entry]
        )
        assert entry.address
        assert loader._libraries["pcg.engine.boards"].header == header
        state = game.start(level=0, seed=1)
        state.advance("RIGHT")
        assert len(state.sprites("shard")) == 4
    finally:
        extensions.unregister("strew")


@only_aot
def test_code_stays_in_memory_whoever_forgets_the_library():
    entry = typed("x + 41")
    address = entry.address
    assert loader._loaded[-1].header.package == "user-typed_at_a_prompt"
    entry.withdraw()
    gc.collect()
    assert invoke1(address, 1) == 42


@only_aot
def test_a_file_without_functions_is_one_clear_error(tmp_path):
    (tmp_path / "nothing_here.py").write_text("x = 1\n")
    with pytest.raises(PcgError, match="no effect or sprite class is registered there"):
        builder.build_together([tmp_path / "nothing_here.py"], ["linux-arm64"], tmp_path)
    (tmp_path / "broken_here.py").write_text("x = = 1\n")
    with pytest.raises(PcgError, match="SyntaxError"):
        builder.build_together([tmp_path / "broken_here.py"], ["linux-arm64"], tmp_path)
    with pytest.raises(PcgError, match="no such Python file"):
        builder.build_together([tmp_path / "missing_here.py"], ["linux-arm64"], tmp_path)
