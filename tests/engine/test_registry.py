"""The table of named things that agents, generators and metrics share."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import pytest

from pcg.engine.registry import Registry, load_plugin, loaded_plugins
from pcg.engine.vgdl.diagnostics import PcgError

FRACTION = {"fraction": "fractions:Fraction", "decimal": "decimal:Decimal"}


def test_an_entry_of_ours_is_imported_when_it_is_read() -> None:
    import fractions

    numbers = Registry[type]("number", builtin=FRACTION)
    assert numbers.loaded("fraction") is None
    assert numbers["fraction"] is fractions.Fraction
    assert numbers.loaded("fraction") is fractions.Fraction


def test_entries_come_in_the_order_of_their_declaration() -> None:
    numbers = Registry[type]("number", builtin=FRACTION)
    numbers.register("complex", complex)
    assert list(numbers) == ["fraction", "decimal", "complex"] and len(numbers) == 3


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    numbers = Registry[type]("number", builtin=FRACTION)
    with pytest.raises(PcgError, match=r"^unknown number `fractoin`, did you mean `fraction`\?$"):
        numbers.find("fractoin")
    with pytest.raises(PcgError, match=r"^unknown number `xyz` \(there are: fraction, decimal\)$"):
        numbers.find("xyz")
    with pytest.raises(KeyError):
        numbers["xyz"]


def test_a_name_is_given_once() -> None:
    numbers = Registry[type]("number", builtin=FRACTION)
    numbers.register("complex", complex)
    numbers.register("complex", complex)
    for taken in ("complex", "fraction"):
        with pytest.raises(PcgError, match=f"^there is a number `{taken}` already$"):
            numbers.register(taken, float)
    numbers.unregister("complex")
    assert "complex" not in numbers


def test_installed_packages_add_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    point = metadata.EntryPoint("fraction_of_another", "fractions:Fraction", "pcg.numbers")
    broken = metadata.EntryPoint("broken", "no_such_module:x", "pcg.numbers")
    monkeypatch.setattr(metadata, "entry_points", lambda *, group: [point, broken] if group == "pcg.numbers" else [])
    numbers = Registry[type]("number", group="pcg.numbers")
    assert list(numbers) == ["fraction_of_another", "broken"]
    assert numbers.find("fraction_of_another").__name__ == "Fraction"
    with pytest.raises(PcgError, match=r"^the number `broken` of a package cannot be loaded: No module named"):
        numbers.find("broken")


def test_a_plugin_is_imported_once_under_the_name_of_its_file(tmp_path: Path) -> None:
    file = tmp_path / "plugin_of_a_test.py"
    file.write_text("import random\nvalue = random.random()\n")
    assert load_plugin(file) == load_plugin(str(file)) == "plugin_of_a_test"
    assert loaded_plugins().count(str(file)) == 1


def test_a_plugin_named_like_another_module_is_imported_all_the_same(tmp_path: Path) -> None:
    import sys

    file = tmp_path / "json.py"
    file.write_text("value = 3\n")
    name = load_plugin(file)
    assert name.startswith("json_") and sys.modules[name].value == 3
    assert load_plugin(file) == name


@pytest.mark.parametrize(
    ("text", "message"),
    [("1 +", "SyntaxError"), ("raise ValueError('no')", r"cannot be imported: ValueError: no$")],
)
def test_a_plugin_that_cannot_be_imported_is_named(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "broken_plugin_of_a_test.py"
    file.write_text(text)
    with pytest.raises(PcgError, match=message):
        load_plugin(file)
    with pytest.raises(PcgError, match="no such Python file"):
        load_plugin(tmp_path / "missing.py")
