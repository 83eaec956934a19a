"""The game engine: VGDL text in, exact and fast play out.

This package knows nothing of agents or generators. Its parts are the language (`pcg.engine.vgdl`), the compiled
kernel (`pcg.engine.kernel`) and the Python API over both (`game`, `state`, `model`).
"""
