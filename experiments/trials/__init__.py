"""What a stranger may do to the app at its worst: a module for each part of `experiments/trust.py`.

Each has `SECONDS`, which bounds it, and `run(app)`, which does it and returns counts: `tried`,
`failed`, `slowest_seconds`, and whatever else it measured.
"""
