"""Compiled searches of the agents: trees, plans, playouts and the record of one decision, over addresses."""
