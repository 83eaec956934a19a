"""Measures of how well the judges agree with people, one module for each; `benchmarks/validity.py` runs them."""
