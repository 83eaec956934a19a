"""Repair of damaged levels by few edits, which are reported, and completion of levels that were begun.

`level.repair_level` and `completion.complete` are for users. `by_rules` and `required_sprites` repair what every
generator leaves behind, `by_search` tries edits and evaluates them, `by_solver` asks clingo for the fewest.
"""
