"""Kernels built ahead of time for several targets, WebAssembly among them."""
