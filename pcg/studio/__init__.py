"""The studio: a page on one's own machine where games are written and played side by side.

    studio_app   the application: the page, the checker, the player's parts

The editor sends the text of a game and its levels whenever they change. The answer is the findings of the checker, with
their places, and, when there is no error, the game as `pcg.export` bundles it, which the page plays at once in
WebAssembly. Nothing is stored on the server: the browser keeps what is written.
"""

from pcg.studio.app import studio_app

__all__ = ["studio_app"]
