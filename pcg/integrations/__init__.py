"""Bridges to other people's software. Nothing here is imported unless it is asked for by name."""
