"""Rule sets of many kinds: MAP-Elites over features of games, on pyribs (`pip install 'pcg-toolkit[qd]'`)."""

PROVIDES = {"map-elites": "generator:MapElitesRules"}
"""Rule generators of this package: name -> module and class."""
