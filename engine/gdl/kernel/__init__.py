"""Compiled code of the GDL engine: building networks, and evaluating them for one state or for 64 at once.

Nothing is compiled per sheet: these functions read the flat arrays of a network (`pcg.engine.gdl.propnet`).
"""
