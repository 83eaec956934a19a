"""The versions of the tables, one module each."""
