"""Web pages on one's own machine: a run's levels to look at, play and edit, and a single level to play.

    archive_app   the pages of a run folder (`archive`), which reads (`run_levels`), sorts into cells (`heatmap`), and
                  checks, evaluates, completes and saves levels (`level_editor`)
    play_app      one level to play (`single_level`)
    player        the player itself, for these pages and others
    serving       a server for them, until Ctrl-C
    guard         access, limits of size and error messages for every request

The pages are plain HTML, CSS and JavaScript modules in `templates` and `static`; nothing is built and nothing is loaded
from elsewhere. docs/web.md tells users of them.
"""
