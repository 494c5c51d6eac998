"""Checks of the project's own data: ``python -m experiments.checks.bank`` and ``…facts``."""
