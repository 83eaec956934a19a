"""Compiled players of the judges."""
