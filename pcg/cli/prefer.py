"""Commands about what people prefer: `prefer fit`, `prefer show`, `prefer report` and `prefer power`."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pcg.cli.console import console, escape
from pcg.cli.options import JsonOption, SeedOption

if TYPE_CHECKING:
    from pcg.evaluators.preferences.model import PreferenceModel

PANEL = "Ask people"

VotesArgument = Annotated[Path, typer.Argument(help="Votes, as CSV or JSON lines (.jsonl).")]
QuestionOption = Annotated[str | None, typer.Option(help="Which question, where several were asked.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    prefer = typer.Typer(no_args_is_help=True, help="Learn from people's votes what they prefer.")
    prefer.command("fit")(fit)
    prefer.command("show")(show)
    prefer.command("report")(report)
    prefer.command("power")(power)
    app.add_typer(prefer, name="prefer", rich_help_panel=PANEL)


def fit(
    votes: VotesArgument,
    features: Annotated[
        Path,
        typer.Option(help="Measurements of the items: CSV with a column `item`, or JSON as of `pcg measure --json`."),
    ],
    out: Annotated[Path, typer.Option("-o", "--out", help="File of the model.")],
    use: Annotated[
        str | None, typer.Option(help="Features to use, as in gap,symmetry; all that every item has without it.")
    ] = None,
    kind: Annotated[
        str, typer.Option("--model", help="regression, or gaussian-process for tastes that are no weighted sum.")
    ] = "regression",
    strength: Annotated[
        float | None, typer.Option(help="Of a regression's ridge; chosen by cross-validation without it.")
    ] = None,
    folds: Annotated[int, typer.Option(min=2, help="Parts of each cross-validation.")] = 5,
    seed: SeedOption = 1,
    question: QuestionOption = None,
) -> None:
    """Learn a model of what people prefer from votes and from measurements of what they voted on.

    It says how well it predicts votes that had no part in it, of other participants and on other items.
    `pcg levels GAME --prefer MODEL` makes levels that it likes.
    """
    from pcg.evaluators.preferences.features import read_features
    from pcg.evaluators.preferences.model import fit_model
    from pcg.evaluators.preferences.votes import read_votes

    names = [name.strip() for name in use.split(",") if name.strip()] if use is not None else None
    model = fit_model(
        read_votes(votes), read_features(features), kind=kind, names=names, strength=strength, folds=folds,
        seed=seed, question=question,
    )  # fmt: skip
    model.save(out)
    _print(model)
    print(f"model: {out}")


def show(
    model: Annotated[Path, typer.Argument(help="File of a model that `pcg prefer fit` wrote.")],
    features: Annotated[
        Path | None, typer.Option(help="Also what it thinks of the items measured in this file.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show a model: what weighs how much, and how well it predicts."""
    from pcg.evaluators.preferences.features import read_features
    from pcg.evaluators.preferences.model import PreferenceModel

    read = PreferenceModel.load(model)
    judged = {}
    if features is not None:
        rows = read_features(features)
        judged = {item: (read.score(row), read.error(row), read.fitness(row)) for item, row in rows.items()}
    if as_json:
        data = json.loads(read.to_text())
        if judged:
            data["judged"] = {
                item: {"score": score, **({} if error is None else {"error": error}), "worth": worth}
                for item, (score, error, worth) in judged.items()
            }
        print(json.dumps(data, indent=1, ensure_ascii=False))
        return
    _print(read)
    if judged:
        from rich.table import Table

        table = Table("item", "score", "preferred to an average one")
        for item, (score, error, worth) in sorted(judged.items(), key=lambda entry: -entry[1][0]):
            table.add_row(
                escape(item), f"{score:+.2f}" + (f" ± {error:.2f}" if error is not None else ""), f"{worth:.0%}"
            )
        console().print(table)


def _print(model: PreferenceModel) -> None:
    from rich.table import Table

    from pcg.evaluators.preferences.model import GaussianProcessModel, RegressionModel

    table = Table("feature")
    rows: list[tuple[float, str, *tuple[str, ...]]] = []
    columns: tuple[str, ...]
    if isinstance(model, RegressionModel):
        columns = ("weight", "error", "mean", "deviation")
        errors = model.errors or (float("nan"),) * len(model.features)
        for name, weight, error, mean, scale in zip(
            model.features, model.weights, errors, model.means, model.scales, strict=True
        ):
            rows.append((-abs(weight), name, f"{weight:+.3f}", f"{error:.3f}", f"{mean:.4g}", f"{scale:.4g}"))
        meaning = f"weights are log odds per deviation, ridge {model.strength:g}"
    else:
        assert isinstance(model, GaussianProcessModel)
        columns = ("length", "mean", "deviation")
        for name, length, mean, scale in zip(model.features, model.lengths, model.means, model.scales, strict=True):
            rows.append((length, name, f"{length:.2f}", f"{mean:.4g}", f"{scale:.4g}"))
        meaning = (
            f"utilities deviate by {math.sqrt(model.variance):.2f} smoothly, {math.sqrt(model.linear):.2f} linearly; "
            "a length is how many deviations of the feature make another utility: short ones matter most"
        )
    for column in columns:
        table.add_column(column, justify="right")
    for _, name, *cells in sorted(rows):
        table.add_row(escape(name), *cells)
    console().print(table)
    print(f"{model.votes} votes on {model.items} items; {meaning}")
    for found in model.accuracy:
        ceiling = f"; knowing the items {found.ceiling:.1%}" if found.ceiling is not None else ""
        print(
            f"votes on other {found.by}s predicted: {found.accuracy:.1%} of {found.votes} (guessing 50 %{ceiling}), "
            f"log loss {found.log_loss:.3f} (guessing 0.693)"
        )


def report(
    votes: VotesArgument,
    groups: Annotated[
        Path | None, typer.Option(help="Which generator each item is of: CSV with the columns item and group, or JSON.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder of the report.")] = Path("preferences"),
    title: Annotated[str, typer.Option(help="Heading of the page.")] = "Which do people prefer?",
    samples: Annotated[int, typer.Option(min=100, help="Samples of the bootstrap.")] = 1000,
    seed: SeedOption = 1,
    question: QuestionOption = None,
) -> None:
    """Say what votes mean: rankings with intervals and tests, as a page with tables and figures."""
    from pcg.evaluators.preferences.votes import read_groups, read_votes
    from pcg.report.preferences import preference_report

    known = read_groups(groups) if groups is not None else None
    print(preference_report(read_votes(votes), known, out, title=title, samples=samples, seed=seed, question=question))


def power(
    items: Annotated[int, typer.Option(min=2, help="How many items are compared.")] = 12,
    spread: Annotated[
        float, typer.Option(min=0, help="How far apart they lie: standard deviation of their utilities, in log odds.")
    ] = 1.0,
    ties: Annotated[float, typer.Option(min=0, help="How often two equally good items are a tie; 0: two-way.")] = 0.25,
    design: Annotated[str, typer.Option(help="How pairs are chosen: full, balanced, random or adaptive.")] = "balanced",
    pairs: Annotated[int, typer.Option(min=1, help="Pairs for each participant.")] = 10,
    participants: Annotated[str, typer.Option(help="Numbers of participants to look at.")] = "10,20,50,100,200",
    studies: Annotated[int, typer.Option(min=1, help="Studies simulated.")] = 50,
    goal: Annotated[float, typer.Option(min=0, max=1, help="Kendall's tau that is wanted.")] = 0.9,
    seed: SeedOption = 1,
    as_json: JsonOption = False,
) -> None:
    """Say how many votes a study needs, before it starts, by simulating it."""
    from dataclasses import asdict

    from pcg.engine.vgdl.diagnostics import PcgError
    from pcg.evaluators.preferences.power import simulate_power, votes_needed

    try:
        sizes = [int(part) for part in participants.split(",")]
    except ValueError:
        raise PcgError(f"--participants {participants}: expected whole numbers, as in 10,20,50") from None
    points = simulate_power(
        items, spread=spread, ties=ties, design=design, pairs=pairs, participants=sizes, studies=studies, seed=seed
    )
    needed = votes_needed(points, goal)
    if as_json:
        print(json.dumps({"points": [asdict(p) for p in points], "goal": goal, "votes": needed}, indent=1))
        return
    from rich.table import Table

    table = Table("participants", "votes", "tau", "tau, 9 of 10", "best found", "pairs told apart", "half width")
    for p in points:
        values = (p.tau, p.tau_low, p.best, p.power, p.width)
        table.add_row(f"{p.participants:,}", f"{p.votes:,}", *(f"{v:.2f}" for v in values))
    for column in table.columns:
        column.justify = "right"
    console().print(table)
    said = f"about {needed:,} votes" if needed is not None else f"more than {points[-1].votes:,} votes"
    print(f"a mean tau of {goal:g} takes {said}; mean of {studies} simulated studies")
