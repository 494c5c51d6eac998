"""The rows of an analysis in columns: filtered, sorted, paged, and taken home."""
