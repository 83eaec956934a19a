"""Files of native libraries: format, trust, and where they are looked for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pcg.engine.native import objects
from pcg.engine.native.objects import Header, pack, unpack
from pcg.engine.vgdl.diagnostics import PcgError

HEADER = Header("pcg.some.kernels", "0" * 40, "linux-arm64", False, "numba 1 llvmlite 2", ("a", "b"))
CODE = bytes(range(256)) * 5


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """The folder of shipped libraries and the user's cache folder, both empty."""
    shipped, cache = tmp_path / "shipped", tmp_path / "cache" / "kernels"
    for folder in (shipped, cache):
        folder.mkdir(parents=True, mode=0o700)
    monkeypatch.setattr(objects, "SHIPPED", shipped)
    monkeypatch.setattr(objects, "cache_folder", lambda: cache)
    return shipped, cache


def find(compiler: str = HEADER.compiler, digest: str = HEADER.digest):
    return objects.find(HEADER.package, digest, HEADER.target, HEADER.checked, compiler)


def test_a_file_holds_what_was_packed():
    header, code = unpack(pack(HEADER, CODE))
    assert code == CODE and header.symbols == ("a", "b") and header.package == HEADER.package


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-1],
        lambda data: data[: len(data) // 2],
        lambda data: data[:-3] + b"\0" + data[-2:],
        lambda data: data.replace(b"pcg-kernels 2", b"pcg-kernels 1"),
        lambda data: data.replace(b'"symbols"', b'"simbols"'),
        lambda data: b"",
    ],
    ids=["last byte", "half", "one byte", "version", "header", "empty"],
)
def test_a_damaged_file_is_as_good_as_none(damage):
    assert unpack(damage(pack(HEADER, CODE))) is None


def test_a_missing_file_is_none(tmp_path):
    assert objects.read(tmp_path / "nothing") is None


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    def fail(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="no space"):
        objects.write(tmp_path, HEADER, CODE)
    assert list(tmp_path.iterdir()) == []


def test_only_its_own_sources_compiler_and_target_fit(folders):
    _, cache = folders
    objects.write(cache, HEADER, CODE)
    assert find()[1] == CODE
    assert find(compiler="numba 2 llvmlite 2") is None
    assert find(digest="1" * 40) is None
    assert objects.find(HEADER.package, HEADER.digest, "linux-x86-64-v3", False, HEADER.compiler) is None
    assert objects.find(HEADER.package, HEADER.digest, HEADER.target, True, HEADER.compiler) is None


def test_a_file_under_the_name_of_another_does_not_fit(folders):
    _, cache = folders
    path = objects.write(cache, HEADER, CODE)
    other = objects.file_name(HEADER.package, "1" * 40, HEADER.target, False)
    path.rename(cache / other)
    assert find(digest="1" * 40) is None


def test_a_shipped_library_comes_first_whatever_compiled_it(folders):
    shipped, cache = folders
    objects.write(cache, HEADER, b"built here")
    objects.write(shipped, HEADER, b"shipped")
    assert find(compiler="numba 9 llvmlite 9")[1] == b"shipped"


def test_nothing_is_loaded_from_the_working_directory(folders, tmp_path, monkeypatch):
    place = tmp_path / "work"
    place.mkdir()
    objects.write(place, HEADER, CODE)
    monkeypatch.chdir(place)
    assert find() is None


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no owners and modes here")
def test_what_others_may_write_is_not_loaded(folders):
    _, cache = folders
    path = objects.write(cache, HEADER, CODE)
    assert find() is not None
    path.chmod(0o666)
    assert "others may write" in objects.distrusted(path)
    assert find() is None


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_what_belongs_to_others_is_not_loaded(folders):
    _, cache = folders
    path = objects.write(cache, HEADER, CODE)
    os.chown(path, 12345, -1)
    assert "another user" in objects.distrusted(path)
    assert find() is None


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no owners and modes here")
def test_a_cache_folder_that_others_may_write_is_one_clear_error(tmp_path, monkeypatch):
    monkeypatch.setenv("PCG_CACHE_DIR", str(tmp_path))
    folder = objects.cache_folder.__wrapped__()
    assert folder == tmp_path / "kernels" and folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o777)
    with pytest.raises(PcgError, match=r"others may write to it .*PCG_CACHE_DIR"):
        objects.cache_folder.__wrapped__()


def test_without_a_folder_that_can_be_written_the_process_has_one_of_its_own(tmp_path, monkeypatch):
    place = tmp_path / "file"
    place.write_text("in the way")
    monkeypatch.setenv("PCG_CACHE_DIR", str(place))
    folder = objects.cache_folder.__wrapped__()
    assert folder.is_dir() and tmp_path not in folder.parents
    folder.rmdir()


def test_what_a_killed_process_left_is_removed_in_time(tmp_path):
    old, new = tmp_path / ".a.part", tmp_path / ".b.part"
    for path in (old, new):
        path.write_bytes(b"")
    os.utime(old, (1000, 1000))
    objects.prune(tmp_path)
    assert list(tmp_path.iterdir()) == [new]


def test_the_files_used_last_stay(tmp_path):
    for k in range(objects._KEEP + 5):
        path = tmp_path / f"{k}{objects.SUFFIX}"
        path.write_bytes(b"")
        os.utime(path, (1000 + k, 1000 + k))
    objects.prune(tmp_path)
    left = sorted(int(Path(p).stem) for p in tmp_path.iterdir())
    assert left == list(range(5, objects._KEEP + 5))
