"""Builds: the same bytes every time, one builder at a time, nothing half-written, errors that say what is wrong."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pcg.engine.kernel.runtime import CHECKED, MODE, EntryPoint
from pcg.engine.native import builder, objects, sources
from pcg.engine.native.builder import Order, build, order_of
from pcg.engine.native.selections import Selection, selection, selection_named, selections
from pcg.engine.native.targets import compiler, host
from pcg.engine.vgdl.diagnostics import PcgError

pytestmark = pytest.mark.skipif(MODE != "aot", reason="nothing is built ahead of time in this mode")

SMALL = "pcg.engine.boards"
"""A package whose kernels are built in a second or two."""
X86 = "linux-x86-64-v3"
PREPARE = f"from pcg.engine.native.loader import prepare; prepare([{SMALL!r}])"


def child(folder: Path, code: str = PREPARE, **environment: str) -> subprocess.Popen[str]:
    """A process with an empty cache folder of its own, or one that it shares with others."""
    return subprocess.Popen(
        [sys.executable, "-c", code],
        env={**os.environ, "PCG_CACHE_DIR": str(folder), **environment},
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.modes
def test_builds_are_the_same_byte_for_byte(tmp_path):
    alone, after = tmp_path / "alone", tmp_path / "after"
    for folder in (alone, after):
        folder.mkdir()
    build([Order(SMALL, ("linux-arm64", "linux-x86-64-v3"))], alone, quiet=True)
    # the same process has compiled other kernels before, and emits in another order
    others = [Order("pcg.generators.levels.wfc", ("wasm32",)), Order("pcg.evaluators.kernel", ("wasm32",))]
    build([*others, Order(SMALL, ("linux-x86-64-v3", "linux-arm64"))], after, quiet=True, processes=1)
    files = {path.name: path.read_bytes() for path in alone.iterdir()}
    assert len(files) == 2
    assert all((after / name).read_bytes() == data for name, data in files.items())


@pytest.mark.modes
def test_code_for_a_processor_is_the_same_after_webassembly(tmp_path: Path) -> None:
    """LLVM writes other code for processors once it has written WebAssembly in the same process."""
    alone, after, order = tmp_path / "alone", tmp_path / "after", Order("pcg.evaluators.judging.kernel", (X86,))
    for folder in (alone, after):
        folder.mkdir()
    (one,) = build([order], alone, quiet=True)
    larger = Order("pcg.engine.gdl.kernel", ("wasm32",))
    build([order, larger], after, quiet=True, processes=1)
    assert (after / one.name).read_bytes() == one.read_bytes()
    build([Order(order.package, ("wasm32", X86))], after, quiet=True, processes=1)
    assert (after / one.name).read_bytes() == one.read_bytes()


@pytest.mark.full
def test_a_library_is_named_after_its_sources(tmp_path):
    (path,) = build([Order(SMALL, (host().name,))], tmp_path, quiet=True)
    header, _ = objects.read(path)
    assert header.digest == sources.package_digest(SMALL)
    assert header.compiler == compiler() and header.checked == CHECKED
    assert "kernel_drop" in header.symbols


@pytest.mark.modes
def test_of_several_processes_one_builds(tmp_path):
    processes = [child(tmp_path) for _ in range(3)]
    errors = [process.communicate(timeout=300)[1] for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0]
    assert sum("kernels built" in text for text in errors) == 1
    assert len(list((tmp_path / "kernels").glob("*.kernels"))) == 1


@pytest.mark.modes
def test_a_build_that_was_killed_leaves_nothing_half_written(tmp_path):
    process = child(tmp_path)
    time.sleep(1.0)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    files = list((tmp_path / "kernels").glob("*.kernels"))
    assert all(objects.read(path) is not None for path in files)
    second = child(tmp_path)
    assert second.wait(timeout=300) == 0
    (path,) = (tmp_path / "kernels").glob("*.kernels")
    assert objects.read(path) is not None


@pytest.mark.modes
def test_one_line_says_what_happens_and_one_how_long_it_took(tmp_path):
    _, errors = child(tmp_path).communicate(timeout=300)
    first, second = errors.strip().splitlines()
    assert first == "pcg: building the kernels for this machine, once per version: 1 part, 1 at a time ..."
    assert second.startswith("pcg: kernels built in ") and second.endswith(" s")
    _, errors = child(tmp_path).communicate(timeout=300)
    assert errors == ""


@pytest.mark.modes
def test_with_a_progress_function_nothing_is_printed(tmp_path, capfd):
    lines: list[str] = []
    build([Order(SMALL, (host().name,))], tmp_path, progress=lambda line, _: lines.append(line))
    assert capfd.readouterr() == ("", "")
    assert lines[0].startswith("building the kernels") and "1 done" in lines[-1]


def test_a_process_that_ends_is_an_error_and_no_hang(tmp_path, monkeypatch):
    monkeypatch.setattr(builder, "_WORKER", "raise SystemExit(3)")
    with pytest.raises(PcgError, match=r"building the kernels of pcg\.engine\.boards failed: .* ended with status 3"):
        build([Order(SMALL, (host().name,))], tmp_path, quiet=True)


# --- selections of entry points ---


def small_selection(label: str = "some") -> Selection:
    """Two entry points of two packages."""
    return selection(
        label,
        "wasm32",
        [("pcg.engine.boards.kernel", "kernel_drop"), ("pcg.evaluators.kernel.level_grid", "level_grid_walk")],
    )


def test_the_selections_name_entry_points_that_exist() -> None:
    assert "pcg.export" in selections()
    for one in selections().values():
        for module, _ in one.symbols:
            importlib.import_module(module)
        known = {(entry.module, entry.symbol) for entry in EntryPoint.registry}
        assert set(one.symbols) <= known
        assert sources.package_digest(one.main_package) and one.target == "wasm32"


def test_a_selection_is_built_where_most_of_its_functions_were_compiled_and_the_longest_work_goes_first() -> None:
    page = selection_named("pcg.export")
    orders = [order_of(page), *(Order(name, (host().name,)) for name in sources.packages())]
    batches = builder._batches(orders)
    assert sorted(id(order) for batch in batches for order in batch) == sorted(map(id, orders))
    (together,) = [batch for batch in batches if len(batch) > 1]
    assert [order.package for order in together] == ["pcg.engine.kernel", ""] and together[1].selection == page
    assert {batch[0].package for batch in batches[:2]} == {"pcg.engine.kernel", "pcg.evaluators.agents.kernel"}
    assert builder._batches([order_of(page)]) == [[order_of(page)]]


def test_an_unknown_selection_is_one_clear_error() -> None:
    with pytest.raises(PcgError, match=r"no package declares the library `pcg\.page` \(expected one of pcg\.export\)"):
        selection_named("pcg.page")


@pytest.mark.modes
def test_a_selection_has_the_same_bytes_alone_and_after_its_package(tmp_path: Path) -> None:
    alone, after = tmp_path / "alone", tmp_path / "after"
    for folder in (alone, after):
        folder.mkdir()
    (one,) = build([order_of(small_selection())], alone, quiet=True)
    build([order_of(small_selection()), Order(SMALL, ("wasm32",))], after, quiet=True, processes=1)
    header, code = objects.read(one)
    assert header.symbols == ("kernel_drop", "level_grid_walk") and code.startswith(b"\0asm")
    assert (after / one.name).read_bytes() == one.read_bytes()


def test_an_unknown_mode_is_one_clear_error(tmp_path):
    process = child(tmp_path, "import pcg; pcg.load('boxes').start(0)", PCG_KERNELS="fast")
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "PCG_KERNELS is `fast`, expected aot, jit or python" in errors.splitlines()[-1]


# --- sources ---


def test_every_package_with_entry_points_is_found():
    assert {
        "pcg.engine.kernel",
        "pcg.engine.gdl.kernel",
        "pcg.engine.boards",
        "pcg.evaluators.kernel",
        "pcg.evaluators.agents.kernel",
        "pcg.evaluators.games",
        "pcg.evaluators.proving",
        "pcg.generators.levels.wfc",
    } <= set(sources.packages())


def test_the_digest_covers_what_kernels_import_and_what_compiles_them():
    files = sources.module_files(sources.entry_modules("pcg.evaluators.agents.kernel"))
    assert {"pcg.engine.kernel.protocol", "pcg.engine.kernel.random", "pcg.engine.native.numba_front"} <= files.keys()
    assert not [name for name in files if name.startswith(("numpy", "numba", "math"))]


def test_a_changed_inner_function_changes_the_digest(tmp_path, monkeypatch):
    for name, text in {
        "kernel_a": "from kernel_b import double\n@entry_point('i8(i8)')\ndef run(x):\n    return double(x)\n",
        "kernel_b": "def double(x):\n    return 2 * x\n",
    }.items():
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    before = sources.digest_of(sources.module_files(["kernel_a"]))
    assert before == sources.digest_of(sources.module_files(["kernel_a"]))
    (tmp_path / "kernel_b.py").write_text("def double(x):\n    return x + x\n")
    assert sources.digest_of(sources.module_files(["kernel_a"])) != before


def test_the_ends_of_lines_do_not_matter(tmp_path):
    unix, windows = tmp_path / "unix.py", tmp_path / "windows.py"
    unix.write_bytes(b"a = 1\nb = 2\n")
    windows.write_bytes(b"a = 1\r\nb = 2\r\n")
    assert sources.digest_of({"m": unix}) == sources.digest_of({"m": windows})
