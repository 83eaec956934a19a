"""What a process does beforehand of which servers are to be copies: import everything, and load the kernels."""

from pcg.engine.kernel.runtime import compile_all
from pcg.study.server import running

running.compile_kernels()
compile_all()
