"""The web application of a study: participants' pages, plays over websockets, and the researcher's page.

app           the application, put together       running     `pcg study serve`
site          one study as it is served           pages       templates, languages, errors
participate   the participants' way               stages      which page is a participant's
questions     questionnaires and practice         ending      the last page, and one's own data
pairing       which pair comes next               plays       plays, saved and brought back
levels        items that can be played            security    cookies, forms, limits
watch         the researcher's page               threads     where the database is waited for
replays       stored plays as frames
connections   how many, and how long they wait    practice    plays that are not stored
"""

from pcg.study.server.app import study_app
from pcg.study.server.security import Limits

__all__ = ["Limits", "study_app"]
