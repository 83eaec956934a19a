"""Commands for rule sheets of general game playing: `gdl serve-player` and `gdl match`."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pcg.cli.console import bad, console, errors, escape, is_verbose, write_file
from pcg.cli.options import HostOption, JsonOption, SeedOption

if TYPE_CHECKING:
    from pcg.ggp import MatchRecord

PANEL = "Boards"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    group = typer.Typer(no_args_is_help=True, help="General game playing over the network.")
    group.command("serve-player")(serve_player)
    group.command("match")(match)
    app.add_typer(group, name="gdl", rich_help_panel=PANEL)


def serve_player(
    agent: Annotated[str, typer.Option(help="Agent that plays, with parameters as in `uct:c=1.0`.")] = "uct",
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0 for any free one. [default: 9147]")] = None,
    host: HostOption = "127.0.0.1",
    name: Annotated[str, typer.Option(help="What the player calls itself: one word.")] = "pcg",
    seed: SeedOption = 1,
    margin: Annotated[float, typer.Option(min=0, help="Seconds kept from every clock for the way back.")] = 1.0,
) -> None:
    """Let game managers play against an agent: a player of the GGP protocol over HTTP, until Ctrl-C.

    The agent thinks for as long as the play clock allows, unless its name says another budget.
    """
    from pcg.ggp import GamePlayer, make_app
    from pcg.ggp.server import PORT
    from pcg.ggp.warm_up import warm_up
    from pcg.web.serving import listen, serve

    player = GamePlayer(agent, name=name, seed=seed, margin=margin, log=_tell_error)
    warm_up(agent)  # what is compiled during a start clock is lost time
    bound = listen(host, PORT if port is None else port)
    serve(make_app(player), bound, ready=lambda url: print(f"{name} ({agent}) listens at {url}", flush=True))


def match(
    sheet: Annotated[str, typer.Argument(help="Rule sheet to play, or the name of a built-in board game.")],
    players: Annotated[
        list[str], typer.Argument(help="For each role the address of a player (host:port), or the name of an agent.")
    ],
    start_clock: Annotated[int, typer.Option(min=0, help="Seconds to get ready.")] = 10,
    play_clock: Annotated[int, typer.Option(min=0, help="Seconds for every move.")] = 5,
    seed: SeedOption = 1,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="File to write the record of the match to.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Manage a match between players on the network; agents that are named play on this machine, over loopback.

    Players who are late or send no legal move get one at random, and the fault is listed. Exit code 0 all the same.
    With `--verbose` our players tell what they do.
    """
    from pcg.engine.game import builtin_sheets
    from pcg.engine.gdl import load
    from pcg.engine.vgdl.diagnostics import nearest
    from pcg.ggp import GamePlayer, LocalServer, play_match
    from pcg.ggp.manager import read_address
    from pcg.ggp.warm_up import warm_up

    known, path = builtin_sheets(), Path(sheet)
    if sheet in known and not path.is_file():
        path = known[sheet]
    elif path.suffix == "" and not path.exists():
        close = nearest(sheet, known)
        hint = f"did you mean `{close}`?" if close else f"built-in: {', '.join(known)}"
        raise bad(f"no board game `{sheet}`: neither a rule sheet nor a built-in game ({hint})")
    game = load(path)
    if len(players) != len(game.roles):
        raise bad(f"{len(players)} players, expected one for each of the roles {', '.join(game.roles)}")
    with ExitStack() as stack:
        urls, names = [], []
        for number, text in enumerate(players):
            if _is_address(text):
                urls.append(read_address(text))
                names.append(text)
                continue
            log = _tell_error if is_verbose() else None
            player = GamePlayer(text, name=f"player{number + 1}", seed=seed + number, log=log)
            warm_up(text)
            urls.append(stack.enter_context(LocalServer(player)).url)
            names.append(text)

        def tell(record: MatchRecord) -> None:
            if not as_json:
                moves = "  ".join(map(escape, record.moves[-1]))
                console().print(f"[dim]{len(record.moves):4}[/dim]  {moves}", soft_wrap=True)

        record = play_match(game, urls, start_clock=start_clock, play_clock=play_clock, seed=seed, progress=tell)
    text = json.dumps({**record.to_json(), "names": names}, indent=2)
    if out is not None:
        write_file(out, text + "\n")
    if as_json:
        print(text)
        return
    _report(record, names)


def _tell_error(line: str) -> None:
    errors().print(escape(line))


def _is_address(text: str) -> bool:
    """Return True if a text is the address of a player rather than the name of an agent."""
    host, _, port = text.rpartition(":")
    return "://" in text or (bool(host) and port.rstrip("/").isdigit())


def _report(record: MatchRecord, names: list[str]) -> None:
    from rich.table import Table

    table = Table("role", "player", "goal", "faults", title_justify="left")
    ended = "finished" if record.finished else "not finished"
    table.title = f"{record.match}: {ended} after {len(record.moves)} steps, {record.seconds:.1f} s"
    for role, name, goal in zip(record.roles, names, record.goals, strict=True):
        faults = sum(fault.role == role for fault in record.faults)
        table.add_row(escape(role), escape(name), "" if goal is None else str(goal), str(faults))
    console().print(table)
    for fault in record.faults[:20]:
        when = "start" if fault.step < 0 else f"step {fault.step}"
        errors().print(escape(f"{fault.role}, {when}: {fault.kind}: {fault.message}"))
    if len(record.faults) > 20:
        errors().print(f"and {len(record.faults) - 20} more faults")
