"""The parts of `experiments/trust.py`: what one visitor can do to the app, a module each.

Each has `SECONDS`, which bounds it, and `run(app)`, which does it and returns counts: `tried`,
`failed`, `slowest_seconds`, and whatever else it measured.
"""
