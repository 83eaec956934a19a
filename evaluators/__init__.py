"""Evaluators of games and levels: planning agents that play them, and metrics of the plays.

`pcg.evaluators.agents` holds the players. Nothing here makes content; nothing here knows the inside of an engine beyond
its forward model.
"""
