"""Teaching by a person with a few relations of their own: their rows, read and checked; the
versions of a model that those rows made; and the jobs that make them. Nothing here knows of a web
page, so the same parts serve the browser, the command line and Python."""
