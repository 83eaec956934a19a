"""Native evaluators for problems of the PCG Benchmark, and the comparison with its authors' genetic algorithm.

The benchmark's solvers and comparisons are Python. For five of its problems the same answers are computed here by
compiled kernels (`native`). They serve the measurements in docs/pcg-benchmark.md and are no part of the package that
users install: `pcg.integrations.pcg_benchmark` asks the benchmark itself. `python -m benchmarks.pcg_benchmark` runs the
comparison.
"""
