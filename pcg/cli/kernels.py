"""Commands that build, list and remove compiled kernels: `warmup` and `kernels`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from pcg.cli.console import console, errors
from pcg.cli.options import JsonOption

PANEL = "Engine"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(rich_help_panel=PANEL)(warmup)
    kernels = typer.Typer(no_args_is_help=True, help="Build, list and remove compiled kernels.")
    kernels.command("build")(build)
    kernels.command("list")(list_kernels)
    kernels.command("clean")(clean)
    app.add_typer(kernels, name="kernels", rich_help_panel=PANEL)


def warmup(
    pages: Annotated[bool, typer.Option("--pages/--no-pages", help="Also the module of pages in the browser.")] = True,
    everything: Annotated[bool, typer.Option("--all", hidden=True, help="As without: all kernels are built.")] = False,
) -> None:
    """Build the kernels for this machine now, so that nothing waits for them later."""
    from pcg.engine.kernel import runtime

    if runtime.MODE == "python":
        print("kernels run as plain Python here (PCG_KERNELS=python or NUMBA_DISABLE_JIT=1); there is nothing to build")
        return
    if runtime.MODE == "jit":
        _compile_in_process()
        return
    from pcg.engine.native.loader import load_all, prepare
    from pcg.engine.native.sources import packages

    with errors().status("looking for the kernels of this machine ...") as status:
        built = prepare(None if pages else packages(), progress=lambda line, _: status.update(line))
        load_all(runtime.EntryPoint.registry)
    print(f"kernels ready: {len(built)} parts built" if built else "kernels ready: nothing to build")


def _compile_in_process() -> None:
    """Have Numba compile every entry point of the toolkit into its own cache (``PCG_KERNELS=jit``)."""
    import importlib

    from pcg.engine.kernel import runtime
    from pcg.engine.native.sources import entry_modules, packages

    for package in packages():
        for module in entry_modules(package):
            importlib.import_module(module)
    with errors().status("compiling kernels in this process ...") as status:
        seconds = runtime.compile_all(lambda name, _: status.update(f"compiling kernels in this process: {name}"))
    print(f"kernels compiled in {seconds:.1f} s")


def build(
    targets: Annotated[
        list[str] | None,
        typer.Option("--processor", help="Processor and system; this machine's by default. Repeatable."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Folder for the files; your cache folder by default.")
    ] = None,
    packages: Annotated[
        list[str] | None, typer.Option("--package", help="Only these, as `pcg kernels list` names them. Repeatable.")
    ] = None,
    extensions: Annotated[
        list[Path] | None,
        typer.Option(
            "--with", help="Python file with effects or sprite classes that become part of the engine. Repeatable."
        ),
    ] = None,
    checked: Annotated[bool, typer.Option("--checked", help="With bounds checks.")] = False,
) -> None:
    """Build kernels for one target or several: object code, or WebAssembly modules for wasm32.

    The module of pages in the browser, pcg.export, is always WebAssembly: it is built without --processor, or by name.
    """
    from pcg.engine.native import objects, sources
    from pcg.engine.native.builder import Order, build, build_together, order_of
    from pcg.engine.native.selections import selections
    from pcg.engine.native.targets import host, target_named
    from pcg.engine.vgdl.diagnostics import PcgError, nearest

    names = tuple(target_named(name).name if name != host().name else name for name in targets or [host().name])
    choices = selections()
    known = (*sources.packages(), *choices)
    for name in packages or ():
        if name not in known:
            raise PcgError(f"no kernels in `{name}`, did you mean `{nearest(name, known)}`? (expected one of {known})")
    wanted = packages or [name for name in known if name not in choices or not (targets or checked)]
    folder = objects.cache_folder() if out is None else out
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    if extensions:
        files = build_together([path.resolve() for path in extensions], names, folder, checked=checked)
    else:
        orders = [order_of(choices[name]) if name in choices else Order(name, names) for name in wanted]
        files = build(orders, folder.resolve(), checked=checked)
    if out is not None and any(target_named(name).is_wasm for name in targets or ()):
        files = [_plain_module(path) for path in files]
    for path in sorted(files):
        print(f"{path.stat().st_size:>9,}  {path.name if out is None else path}")


def _plain_module(path: Path) -> Path:
    """Put a WebAssembly module into a file that browsers read, in place of ours; other files stay as they are."""
    from pcg.engine.native import objects

    found = objects.read(path)
    if found is None or not found[1].startswith(b"\0asm"):
        return path
    plain = path.with_suffix(".wasm")
    plain.write_bytes(found[1])
    path.unlink()
    return plain


def list_kernels(
    as_json: JsonOption = False,
) -> None:
    """List the kernels that this version needs on this machine, and where they are."""
    from pcg.engine.native.loader import inventory

    rows = inventory()
    if as_json:
        print(json.dumps([row.as_dict() for row in rows], indent=1))
        return
    from rich.table import Table

    table = Table("package", "target", "entry points", "bytes", "from", "sources")
    for row in rows:
        size = f"{row.size:,}" if row.size else ""
        table.add_row(row.package, row.target, str(row.entry_points or ""), size, row.origin, row.digest[:16])
    for column in table.columns[2:4]:
        column.justify = "right"
    console().print(table)


def clean() -> None:
    """Remove all compiled kernels from your cache folder; they are built again when they are needed."""
    from pcg.engine.native import objects

    files = sorted(objects.cache_folder().glob(f"*{objects.SUFFIX}"))
    for path in files:
        path.unlink(missing_ok=True)
    print(f"{len(files)} files removed from {objects.cache_folder()}")
