"""The kinds of runs, one module each, with its configuration beside it where that is a file.

Every module has a function that begins such a run (`run_levels`, `run_rules`, `run_games`, `run_tuning`,
`run_tournament`), what it returns, and the class on `pcg.runs.run.Run` that does the work. `pcg.runs.resume` goes on
with runs of all kinds. A new kind is such a module and a line in `pcg.runs.run.EXPERIMENTS`.
"""
