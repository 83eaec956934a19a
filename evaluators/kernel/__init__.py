"""Compiled parts of the evaluators."""
