"""Web pages on one's own machine: a run's levels to look at, play and edit, and a single level to play.

    archive_app   the pages of a run folder (`archive`), which reads (`entries`), sorts into cells (`heatmap`), and
                  checks, evaluates, completes and saves levels (`workshop`)
    play_app      one level to play (`single`)
    player        the player itself, for these pages and others
    serving       a server for them, until Ctrl-C
    guard         what every request passes

The pages are plain HTML, CSS and JavaScript modules in `templates` and `static`; nothing is built and nothing is loaded
from elsewhere. docs/web.md tells users of them.
"""
