"""Reports: one page for a run of any kind, and for preference studies.

`write_report` draws the pictures of a run and writes `report.html`, one page that needs nothing else. `base` has what
all pages share, `templates/` their HTML, `figures` their figures, and `levels`, `rules`, `tuning`, `tournament` and
`preferences` what is different. Only what `pcg.runs` wrote is read.
"""

from pcg.report.pictures import draw_pictures
from pcg.report.writer import REPORTS, write_report

__all__ = ["REPORTS", "draw_pictures", "write_report"]
