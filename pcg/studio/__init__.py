"""The studio: one local web application in which games and levels are written, generated, looked at, bred and voted on.

    studio_app   the application (`app`), over the pages of
        writing      the game's text, painted levels, the player beside them
        commands     what is chosen for generating, as the command that does it
        jobs, job    commands under way, each in a process of its own
        following    what is shown of a run while it goes on
        workspace    the folder with runs and games
        gallery      runs that make rules and games
        studies      studies of what was starred

Runs of levels are shown by `pcg.web.archive`, breeding by `pcg.breeding.app`. Whatever is written, made or said is
in files before the page hears of it: the browser, the server or both can be killed at any time.
"""

from pcg.studio.app import studio_app

__all__ = ["studio_app"]
