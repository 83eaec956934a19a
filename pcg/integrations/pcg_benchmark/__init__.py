"""The PCG Benchmark (Khalifa et al. 2025): our methods on its problems, and our games as problems of its kind.

The benchmark is its authors' package `pcg_benchmark`, which the user installs from its repository; nothing of it is
needed or contained here. Two ways lead across:

- `solve_problem` fills a batch of contents for one of its problems, each after a control of its own, by search in the
  problem's content space (`search`) that starts from what our level generators make where a problem's tiles have a
  meaning for one of our games (`starting_contents`), and reports the benchmark's three scores (`solve`);
- `register_games` adds our games to the benchmark's table, with its own interface (`environments`).
"""

from pcg.integrations.pcg_benchmark.environments import game_problem, register_games
from pcg.integrations.pcg_benchmark.search import BatchSearch
from pcg.integrations.pcg_benchmark.solve import ProblemResult, solve_problem

__all__ = ["BatchSearch", "ProblemResult", "game_problem", "register_games", "solve_problem"]
