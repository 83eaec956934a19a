"""The compiled game kernel: one interpreter for all games, Numba functions over flat memory.

A game is compiled to tables (`pcg.engine.vgdl.compiler`), a state is one block of memory (`layout`), and every function
here takes addresses of those. `runtime` explains how the pieces are compiled, cached and called.
"""
