"""Whole games: generators, and what they work on."""
