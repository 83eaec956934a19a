"""Commands to look at games and play them: `games`, `play` and `render`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from pcg.cli.archive import play_in_browser
from pcg.cli.console import bad, console
from pcg.cli.options import PortOption, SeedOption
from pcg.cli.sources import ReadingChoice, level_of, load_game, warn_of_names

PANEL = "Games"

GameArgument = Annotated[str, typer.Argument(help="Name of a built-in game, or a game file.")]
LevelOption = Annotated[str, typer.Option("--level", help="Number of one of the game's levels, or a level file.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(rich_help_panel=PANEL)(play)
    app.command(rich_help_panel=PANEL)(render)


def play(
    game: GameArgument,
    level: LevelOption = "0",
    agent: Annotated[
        str | None,
        typer.Option(help="Agent that plays, as in `mcts:depth=12` or my.py:Greedy; without it you play yourself."),
    ] = None,
    show: Annotated[bool, typer.Option("--show", help="Watch the agent in the terminal.")] = False,
    seed: SeedOption = 1,
    budget: Annotated[str | None, typer.Option(help="[default: the agent's own, else 1000calls]")] = None,
    fps: Annotated[float | None, typer.Option(help="Ticks per second; without it your game waits for a key.")] = None,
    max_ticks: Annotated[int, typer.Option(min=1, help="Stop after this many ticks.")] = 2000,
    gif: Annotated[Path | None, typer.Option(help="Save the play as an animated GIF.")] = None,
    browser: Annotated[bool, typer.Option("--browser", help="Play in the browser instead of the terminal.")] = False,
    port: PortOption = None,
    reading: ReadingChoice = None,
) -> None:
    """Play a game yourself in the terminal or in the browser, or let an agent play it.

    Keys: arrows or WASD move, space uses, the full stop waits, r restarts, q quits.

    Board games are played by agents: `--agent uct` plays all roles, `--agent "uct;flatmc"` one each, the last also the
    remaining ones.
    """
    from pcg.engine.game import Game
    from pcg.evaluators.agents import Human, make_agent
    from pcg.own_parts import load_part, named_parts
    from pcg.render import render_gif
    from pcg.terminal import play_terminal

    if agent is not None:
        agent, plugins = named_parts("agent", agent)
        for plugin in plugins:
            load_part(plugin)
    found = load_game(game, reading and reading.value)
    if not isinstance(found, Game):
        if agent is None or browser or gif is not None:
            raise bad("a board game is played by agents, and not drawn; name them, as in --agent 'uct;flatmc'")
        _play_sheet(found, agent, seed, budget, show, max_ticks)
        return
    loaded = found
    warn_of_names(loaded)
    which = level_of(level)
    if not loaded.levels and isinstance(which, int):
        raise bad(
            f"{loaded.name} has no levels: put files such as {loaded.name}_lvl0.txt beside it, name one with --level, "
            f"or make some with `pcg levels {game}`"
        )
    loaded.read_level(which)  # bad levels are reported before the screen is taken over
    if browser:
        if agent is not None or gif is not None:
            raise bad("--browser is for playing yourself; leave out --agent and --gif")
        play_in_browser(loaded, which, seed, fps, port)
        return
    player = None if agent is None else make_agent(agent, seed=seed, budget=budget)
    if isinstance(player, Human):
        player = None  # a person at this terminal
    delay = 0.1 if fps is None else 1 / fps
    done = play_terminal(loaded, which, agent=player, seed=seed, delay=delay, fps=fps, show=show, max_ticks=max_ticks)
    verdict = {1: "won", 0: "lost"}.get(done.winner, "over") if done.finished else "not finished"
    print(f"{loaded.name}: {verdict} after {len(done.actions)} ticks, score {done.score:g}")
    if gif is not None:
        print(f"saved {render_gif(loaded, which, done.actions, gif, seed=seed)}")


def _play_sheet(game: Any, agents: str, seed: int, budget: str | None, show: bool, max_ticks: int) -> None:
    """Let agents play a rule sheet (a `GdlGame`), and say how it went."""
    from pcg.evaluators.agents import make_agent, replay
    from pcg.evaluators.agents import play as play_out

    names = [name.strip() for name in agents.split(";")]
    if len(names) > len(game.roles):
        raise bad(f"{len(names)} agents for {game.name}, expected at most {len(game.roles)}")
    names += names[-1:] * (len(game.roles) - len(names))
    made = [make_agent(name, seed=seed + k, budget=budget, player=k) for k, name in enumerate(names)]
    done = play_out(game, made, max_ticks=max_ticks)
    if show:
        states = replay(game.start(), done.actions)
        for number, (before, joint) in enumerate(zip(states, done.actions, strict=False), 1):
            moves = joint if isinstance(joint, tuple) else (joint,)
            told = (before.legal(k)[-1] if move == "NIL" else move for k, move in enumerate(moves))
            print(f"{number:4}  {'  '.join(told)}")
    goals = done.score if isinstance(done.score, tuple) else (done.score,)
    print(f"{game.name}: {'over' if done.over else 'not finished'} after {done.ticks} moves")
    for role, name, goal in zip(game.roles, names, goals, strict=True):
        print(f"  {role} ({name}): {goal:g}")


def render(
    game: GameArgument,
    level: Annotated[str, typer.Argument(help="Number of one of the game's levels, or a level file.")] = "0",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="PNG file to write; without it the level is shown here.")
    ] = None,
    tile: Annotated[int, typer.Option(min=1, max=256, help="Width of a cell in pixels.")] = 16,
    reading: ReadingChoice = None,
) -> None:
    """Show a level in the terminal, or save it as a picture."""
    from pcg.cli.sources import load_with_levels
    from pcg.render import render_ansi, render_png

    state = load_with_levels(game, reading=reading and reading.value).start(level_of(level))
    if out is None:
        print(render_ansi(state, colour=console().is_terminal))
        return
    image = render_png(state, out, tile=tile)
    print(f"saved {out}, {image.width} x {image.height} pixels")
