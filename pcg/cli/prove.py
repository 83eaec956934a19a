"""The command that proves levels winnable."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from pcg.cli.console import progress_bar, write_file
from pcg.cli.options import JsonOption, SeedOption
from pcg.cli.sources import ReadingChoice, level_text, levels_or_all

PANEL = "Measure levels"
NOT_WON = 1
"""Exit code when a level is left without a proof."""


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(rich_help_panel=PANEL)(prove)


def prove(
    game: Annotated[str, typer.Argument(help="Name of a built-in game, or a game file.")],
    levels: Annotated[
        list[str] | None, typer.Argument(help="Level files, or numbers of the game's own levels; all of those if none.")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(min=0.01, help="Processor time for each level; without it only the budget counts.")
    ] = None,
    budget: Annotated[str, typer.Option()] = "20000000calls",
    seed: SeedOption = 1,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder for the wins, a file for each, for the agent `replay`.")
    ] = None,
    as_json: JsonOption = False,
    reading: ReadingChoice = None,
) -> None:
    """Look for a win of every level, by search from remembered states and other methods in turn.

    A win is a play that anybody can check: `pcg play GAME --level N --agent replay:file=FILE --seed SEED`. Where chance
    plays a part it holds for the seed. Exit code 1: a level was not won.
    """
    from pcg.cli.sources import load_with_levels
    from pcg.evaluators.proving import Experience
    from pcg.evaluators.proving import prove as search

    calls = _calls(budget)
    loaded = load_with_levels(game, reading=reading.value if reading else None)
    named = levels_or_all(loaded, levels)
    texts = [level_text(loaded, name) for name in named]
    experience = Experience()
    proofs = []
    with progress_bar() as bar:
        task = bar.add_task("proving", total=len(texts))
        for text in texts:
            proofs.append(search(loaded, text, seed=seed, budget=calls, seconds=seconds, experience=experience))
            bar.advance(task)
    if out is not None:
        for name, proof in zip(named, proofs, strict=True):
            if proof is not None:
                out.mkdir(parents=True, exist_ok=True)
                write_file(out / f"{Path(name).stem}.play", proof.play + "\n")
    if as_json:
        found = [
            {"level": name, "won": proof is not None, **({} if proof is None else proof.as_dict() | {"level": name})}
            for name, proof in zip(named, proofs, strict=True)
        ]
        print(json.dumps(found, indent=1))
    else:
        for name, proof in zip(named, proofs, strict=True):
            print(f"{name}: no win found" if proof is None else f"{name}: {proof.sentence}")
    if any(proof is None for proof in proofs):
        raise typer.Exit(NOT_WON)


def _calls(text: str) -> int:
    """Read a number of forward-model calls, as in 300000calls."""
    from pcg.engine.vgdl.diagnostics import PcgError

    number = text.strip().removesuffix("calls").strip()
    if not (number.isdecimal() and int(number)):
        raise PcgError(f"--budget {text}: expected forward-model calls, as in 300000calls")
    return int(number)
