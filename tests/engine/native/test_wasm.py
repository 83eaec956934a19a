"""Objects of LLVM become modules that run, with data and table wherever they shall be; damaged ones raise an error."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
from functools import cache
from pathlib import Path

import llvmlite.binding as llvm
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiers import examples

from pcg.engine.native.wasm import WasmError, link, padded, sleb, uleb
from pcg.engine.native.wasm_object import SymbolKind, read_object

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="needs Node to run WebAssembly")

PROGRAM = """
@functions = internal constant [2 x ptr] [ptr @next, ptr @hours]
@numbers = internal constant [3 x i64] [i64 5, i64 6, i64 7], align 16
@second = internal global ptr getelementptr ([3 x i64], ptr @numbers, i32 0, i32 1)
@calls = internal global i64 0

declare i64 @clock(i64)

define internal i64 @next(i64 %x) {
  %y = add i64 %x, 1
  ret i64 %y
}
define internal i64 @hours(i64 %x) {
  %y = call i64 @clock(i64 %x)
  ret i64 %y
}
define i64 @number(i64 %k) {
  %i = trunc i64 %k to i32
  %p = getelementptr [3 x i64], ptr @numbers, i32 0, i32 %i
  %n = load i64, ptr %p
  ret i64 %n
}
define i64 @behind() {
  %p = load volatile ptr, ptr @second
  %n = load i64, ptr %p
  ret i64 %n
}
define i64 @count() {
  %n = load i64, ptr @calls
  %m = add i64 %n, 1
  store i64 %m, ptr @calls
  ret i64 %m
}
define i64 @place() {
  %a = ptrtoint ptr @numbers to i64
  ret i64 %a
}
define i64 @apply(i64 %k, i64 %x) {
  %i = trunc i64 %k to i32
  %p = getelementptr [2 x ptr], ptr @functions, i32 0, i32 %i
  %f = load volatile ptr, ptr %p
  %y = call i64 %f(i64 %x)
  ret i64 %y
}
define i64 @slot() {
  %a = ptrtoint ptr @hours to i64
  ret i64 %a
}
define i64 @sum(i64 %n) {
  %room = alloca [4 x i64]
  store volatile i64 %n, ptr %room
  %a = load volatile i64, ptr %room
  %b = call i64 @number(i64 2)
  %c = add i64 %a, %b
  ret i64 %c
}
"""
EXPORTS = ["number", "behind", "count", "place", "apply", "slot", "sum"]


@cache
def compiled(text: str = PROGRAM, triple: str = "wasm32-unknown-unknown", reloc: str = "static") -> bytes:
    """The object file of a module in LLVM's language."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(triple)
    machine = target.create_target_machine(
        features="+bulk-memory,+sign-ext,+mutable-globals", opt=2, reloc=reloc, codemodel="default"
    )
    module = llvm.parse_assembly(text)
    module.triple = triple
    module.verify()
    return machine.emit_object(module)


HOST = """
const bytes = require("fs").readFileSync(process.argv[1]);
const module = new WebAssembly.Module(bytes);
const env = {
  __linear_memory: new WebAssembly.Memory({initial: 4}),
  __indirect_function_table: new WebAssembly.Table({initial: 64, element: "anyfunc"}),
  __stack_pointer: new WebAssembly.Global({value: "i32", mutable: true}, 65536),
  clock: (x) => x * 60n,
};
const e = new WebAssembly.Instance(module, {env}).exports;
const out = JSON.parse(process.argv[2]).map(([name, ...args]) => Number(e[name](...args.map(BigInt))));
console.log(JSON.stringify({out, imports: WebAssembly.Module.imports(module).map((i) => i.name)}));
"""


def run(module: bytes, calls: list[list[object]], folder: Path) -> dict[str, list[object]]:
    """Results of calls of a module in Node, and the names of what it imports."""
    path = folder / "module.wasm"
    path.write_bytes(module)
    command = [str(NODE), "-e", HOST, str(path), json.dumps(calls)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


@needs_node
@pytest.mark.parametrize("data_base", [0, 1024, 65536, 131072 + 16])
def test_data_is_found_wherever_it_begins(tmp_path, data_base):
    module = link(compiled(), EXPORTS, data_base=data_base)
    calls = [["number", 0], ["number", 2], ["behind"], ["count"], ["count"], ["place"]]
    *found, place = run(module, calls, tmp_path)["out"]
    assert found == [5, 7, 6, 1, 2]
    here, there = (run(link(compiled(), EXPORTS, data_base=b), [["place"]], tmp_path)["out"][0] for b in (0, data_base))
    assert place == there == here + data_base


@needs_node
@pytest.mark.parametrize("table_base", [1, 40])
def test_functions_are_called_through_the_table_and_undefined_ones_are_imports(tmp_path, table_base):
    module = link(compiled(), EXPORTS, data_base=4096, table_base=table_base)
    found = run(module, [["apply", 0, 41], ["apply", 1, 3], ["slot"], ["sum", 30]], tmp_path)
    assert found["out"] == [42, 180, table_base, 37]  # `hours` is the first whose address is taken
    assert sorted(found["imports"]) == ["__indirect_function_table", "__linear_memory", "__stack_pointer", "clock"]


@needs_node
def test_a_module_asks_for_the_memory_and_the_table_that_its_segments_need(tmp_path):
    for options in ({"data_base": 4 * 65536}, {"table_base": 63}):
        with pytest.raises(subprocess.CalledProcessError) as caught:
            run(link(compiled(), EXPORTS, **options), [["count"]], tmp_path)
        assert "LinkError" in caught.value.stderr


def test_only_what_a_module_needs_is_left():
    module = link(compiled(), ["count"])
    assert b"linking" not in module and b"reloc." not in module and b"target_features" not in module
    assert module == link(compiled(), ["count"])
    with pytest.raises(WasmError, match="linked already"):
        link(module, ["count"])


def test_an_export_that_is_missing_is_named():
    with pytest.raises(WasmError, match=r"`cuont` cannot be exported.*did you mean `count`"):
        link(compiled(), ["cuont"])
    with pytest.raises(WasmError, match="`clock` cannot be exported"):
        link(compiled(), ["clock"])
    with pytest.raises(WasmError, match="`numbers` cannot be exported"):
        link(compiled(), ["numbers"])
    with pytest.raises(WasmError, match="`count` is to be exported twice"):
        link(compiled(), ["count", "number", "count"])


def test_data_that_does_not_fit_is_refused():
    for data_base in (8, -16, (1 << 32) - 16):
        with pytest.raises(WasmError, match="expected a multiple of 16"):
            link(compiled(), EXPORTS, data_base=data_base)
    with pytest.raises(WasmError, match="cannot begin at slot 0"):
        link(compiled(), EXPORTS, table_base=0)


def test_addresses_above_two_gigabytes_are_written():
    link(compiled(), EXPORTS, data_base=3 << 30)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("@x = external global i64\ndefine ptr @f() { ret ptr @x }", {}, "data `x` is not defined"),
        (
            "@llvm.global_ctors = appending global [1 x {i32, ptr, ptr}] [{i32, ptr, ptr} {i32 1, ptr @g, ptr null}]\n"
            "define internal void @g() { ret void }\ndefine void @f() { ret void }",
            {},
            "constructors",
        ),
        (PROGRAM, {"reloc": "pic"}, "not supported"),
        ("define void @f() { ret void }", {"triple": "wasm64-unknown-unknown"}, "64-bit memories"),
        ("define void @f() { ret void }", {"triple": "x86_64-unknown-linux-gnu"}, "magic number"),
    ],
)
def test_what_a_static_object_has_no_use_for_is_refused(text, options, message):
    with pytest.raises(WasmError, match=message):
        link(compiled(text, **options), ["count" if text is PROGRAM else "f"])


def test_an_object_that_ends_too_early_is_refused():
    whole = compiled()
    linking = whole.index(b"\x07linking")
    for end in range(linking + 8):
        with pytest.raises(WasmError):
            link(whole[:end], EXPORTS)


@settings(max_examples=examples(300))
@given(st.data())
def test_damaged_objects_give_a_module_or_an_error_but_nothing_else(data):
    damaged = bytearray(compiled())
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(8, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(WasmError):
        link(bytes(damaged), EXPORTS, data_base=1024)


def test_an_object_is_read_as_llvm_wrote_it():
    found = read_object(compiled())
    kinds = {s.name: (s.kind, s.defined) for s in found.symbols}
    assert kinds["clock"] == (SymbolKind.FUNCTION, False)
    assert kinds["numbers"] == (SymbolKind.DATA, True)
    assert kinds["__stack_pointer"] == (SymbolKind.GLOBAL, False)
    assert {r.kind for r in found.relocations} >= {0, 1, 2, 3, 4, 5, 6, 7, 20}
    assert len(found.elements) == 2 and found.alignment == 16


@pytest.mark.parametrize(("value", "short"), [(0, "00"), (63, "3f"), (64, "c000"), (-64, "40"), (-65, "bf7f")])
def test_signed_numbers(value, short):
    assert sleb(value).hex() == short
    assert len(padded(value)) == 5
    assert uleb(624485).hex() == "e58e26"
