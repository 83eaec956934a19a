"""Rule sets of many kinds: MAP-Elites over features of games, on pyribs (`pip install 'pcg-toolkit[qd]'`)."""

from pcg.generators.rules.qd.generator import MapElitesRules

__all__ = ["MapElitesRules"]
