"""Reports: what a run folder looks like to a person.

`write_report` draws the pictures of a finished or interrupted run (levels, contact sheet, the winning play of the best
level) and writes `report.html`, one page that needs nothing else. It only reads what `pcg.runs` wrote.
"""

from pcg.report.page import render_page
from pcg.report.pictures import draw_pictures
from pcg.report.writer import write_report

__all__ = ["draw_pictures", "render_page", "write_report"]
