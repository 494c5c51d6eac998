"""What every test of suggestions may ask for."""

from suggestion_columns import clean

__all__ = ["clean"]
