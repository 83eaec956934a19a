"""Agreement of the toolkit's judges with people.

    python benchmarks/validity.py boardgames DIR --json OUT
    python benchmarks/validity.py similarity DIR --json OUT
    python benchmarks/validity.py similarity --corpus ../shared/gvgai
    python benchmarks/validity.py levels --corpus ../shared/gvgai
    python benchmarks/validity.py games --corpus ../shared/gvgai

Each measure is a module of `benchmarks/validation` with the functions `add_arguments(parser)` and
`run(args) -> exit status`; its own docstring says what it measures. Results and their readings are in
docs/results/validity.md.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # so that it runs as a program too

MEASURES = ("boardgames", "games", "levels", "similarity", "eye")


def main() -> int:
    """Run one measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="measure", required=True)
    for name in MEASURES:
        try:
            module = importlib.import_module(f"benchmarks.validation.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"benchmarks.validation.{name}":
                raise
            continue
        one = commands.add_parser(name, help=(module.__doc__ or "").partition("\n")[0], description=module.__doc__)
        module.add_arguments(one)
        one.set_defaults(run=module.run)
    args = parser.parse_args()
    status: int = args.run(args)
    return status


if __name__ == "__main__":
    sys.exit(main())
