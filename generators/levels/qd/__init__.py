"""Quality-diversity: not one best level but the best of every kind, on pyribs.

An *archive* has a cell for each combination of measures (how dense, how long, which rules matter) and keeps the best
level it was shown for that cell; *emitters* breed new levels from those in the archive. Archives are pyribs' (extra
`qd`), which are loaded when the first one is made.
"""

PROVIDES = {
    "map-elites": "generator:MapElitesGenerator",
    "cvt-map-elites": "generator:CvtMapElitesGenerator",
    "constrained-map-elites": "generator:ConstrainedMapElitesGenerator",
}
"""Level generators of this package: name -> module and class."""
