"""Linking, optimising and emitting: names, what is visible, and what a build refuses."""

from __future__ import annotations

import re

import pytest

from pcg.engine.native import linking
from pcg.engine.native.targets import TARGETS, Target, host, target_named
from pcg.engine.vgdl.diagnostics import PcgError

MANGLED = "_ZN3pcg6engine6kernel4tick7advanceB2v1B38c8tJTIeFIj_3dCxx"
INNER = f"define i64 @{MANGLED}(i64 %x) {{\n  %y = mul i64 %x, 3\n  ret i64 %y\n}}"
ENTRY = (
    f"declare i64 @{MANGLED}(i64)\ndefine i64 @entry(i64 %x) {{\n  %y = call i64 @{MANGLED}(i64 %x)\n  ret i64 %y\n}}"
)
FEATURES = (
    *("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"),
    *("cx16", "popcnt", "sse3", "sse4.1", "sse4.2", "ssse3"),
)
KINDS = {
    "linux-x86-64-v2": b"\x7fELF\x02\x01\x01",
    "linux-arm64": b"\x7fELF\x02\x01\x01",
    "macos-arm64": b"\xcf\xfa\xed\xfe\x0c\x00\x00\x01",
    "macos-x86-64-v3": b"\xcf\xfa\xed\xfe\x07\x00\x00\x01",
    "windows-x86-64-v2": b"\x64\x86",
    "windows-arm64": b"\x64\xaa",
    "wasm32": b"\0asm",
}


@pytest.fixture(scope="module", autouse=True)
def _targets() -> None:
    linking.initialise()


def body(line: str) -> str:
    return f"define double @entry(double %x, double %y) {{\n  {line}\n  ret double %z\n}}"


def test_everything_but_the_entry_points_is_internal_and_has_a_readable_name():
    text = linking.link(["entry"], [ENTRY, INNER])
    assert "define i64 @entry(i64" in text
    assert "define internal i64 @tick.advance(i64" in text


def test_the_same_module_may_come_twice():
    assert linking.link(["entry"], [ENTRY, INNER, ENTRY, INNER]) == linking.link(["entry"], [ENTRY, INNER])


def test_equal_names_are_told_apart():
    other = MANGLED.replace("v1", "v2")
    entry = ENTRY.replace("ret i64 %y", f"%z = call i64 @{other}(i64 %y)\n  ret i64 %z")
    text = linking.link(["entry"], [f"declare i64 @{other}(i64)\n{entry}", INNER, INNER.replace("v1", "v2")])
    assert "@tick.advance(" in text and "@tick.advance.2(" in text


def test_what_nobody_calls_is_dropped():
    assert "unused" not in linking.link(["entry"], [ENTRY, INNER, "define void @unused() {\n  ret void\n}"])


@pytest.mark.parametrize("name", KINDS)
def test_every_target_has_its_kind_of_object(name):
    code = linking.emit(linking.link(["entry"], [ENTRY, INNER]), TARGETS[name])
    assert code.startswith(KINDS[name])


def test_a_product_and_a_sum_are_never_fused():
    text = linking.link(["entry"], [body("%p = fmul double %x, %y\n  %z = fadd double %p, %x")])
    machine = linking.machine_of(TARGETS["linux-x86-64-v3"])
    import llvmlite.binding as llvm

    module = llvm.parse_assembly(text)
    module.triple = machine.triple
    assembly = machine.emit_assembly(module)
    assert "vmulsd" in assembly and "vaddsd" in assembly and "fmadd" not in assembly


@pytest.mark.parametrize(
    ("line", "before", "named"),
    [
        ("%z = call double @sin(double %x)", "declare double @sin(double)", "sin"),
        ("%z = call double @llvm.pow.f64(double %x, double %y)", "declare double @llvm.pow.f64(double, double)", "pow"),
        ("%z = frem double %x, %y", "", "frem"),
        ("%z = fadd fast double %x, %y", "", "fadd fast"),
        ("%z = fmul contract double %x, %y", "", "fmul contract"),
        (
            "%z = call double @llvm.fma.f64(double %x, double %y, double %x)",
            "declare double @llvm.fma.f64(double, double, double)",
            "fma",
        ),
        ("call void @raise()\n  %z = fadd double %x, %y", "declare void @raise()", "raise"),
    ],
)
def test_what_the_platform_would_decide_is_refused(line, before, named):
    text = linking.link(["entry"], [f"{before}\n{body(line)}"])
    with pytest.raises(PcgError, match=re.escape(named)):
        linking.emit(text, TARGETS["linux-x86-64-v2"])


def test_a_square_root_is_an_instruction():
    text = linking.link(["entry"], [f"declare double @sqrt(double)\n{body('%z = call double @sqrt(double %x)')}"])
    assert "@llvm.sqrt.f64" in text
    linking.emit(text, TARGETS["linux-arm64"])


# --- targets ---


def test_an_unknown_target_is_named_with_the_nearest():
    with pytest.raises(PcgError, match=r"unknown kernel target `linux-arm46`, did you mean `linux-arm64`"):
        target_named("linux-arm46")


@pytest.mark.parametrize("asked", ["linux-x86-64-v2", "wasm32"])
def test_a_target_can_be_asked_for(asked, monkeypatch):
    monkeypatch.setenv("PCG_KERNELS_TARGET", asked)
    assert host.__wrapped__().name == asked


def test_a_level_of_this_machine_can_be_asked_for(monkeypatch):
    monkeypatch.setattr("platform.system", lambda: "Linux")
    monkeypatch.setenv("PCG_KERNELS_TARGET", "x86-64-v2")
    assert host.__wrapped__().name == "linux-x86-64-v2"


@pytest.mark.parametrize(
    ("system", "machine", "name"),
    [
        ("Darwin", "arm64", "macos-arm64"),
        ("Linux", "aarch64", "linux-arm64"),
        ("Windows", "ARM64", "windows-arm64"),
        ("FreeBSD", "riscv64", "freebsd-riscv64"),
    ],
)
def test_machines_have_their_target(system, machine, name, monkeypatch):
    monkeypatch.delenv("PCG_KERNELS_TARGET", raising=False)
    monkeypatch.setattr("platform.system", lambda: system)
    monkeypatch.setattr("platform.machine", lambda: machine)
    assert host.__wrapped__().name == name


def test_the_processors_features_choose_the_variant(monkeypatch):
    monkeypatch.delenv("PCG_KERNELS_TARGET", raising=False)
    monkeypatch.setattr("platform.system", lambda: "Linux")
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    found = []
    for missing in ((), ("avx2",), ("sse4.2",)):
        features = {name: name not in missing for name in FEATURES}
        monkeypatch.setattr("llvmlite.binding.get_host_cpu_features", lambda features=features: features)
        found.append(host.__wrapped__())
    assert [t.name for t in found] == ["linux-x86-64-v3", "linux-x86-64-v2", "linux-x86-64"]
    assert found[2] == Target("linux-x86-64", "")  # no such wheel: built on first use
