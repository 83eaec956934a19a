"""The web application of a study: participants' pages, plays over websockets, and the researcher's page."""
