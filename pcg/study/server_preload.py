"""Imports and kernels that the process loads of which server processes are forked (see `server_process`)."""

from pcg.engine.kernel.runtime import compile_all
from pcg.study.server import running

running.compile_kernels()
compile_all()
