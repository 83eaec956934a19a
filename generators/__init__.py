"""Generators of levels, of rules, of whole games, and of parameter settings, by one ask/tell contract (`contract`)."""
