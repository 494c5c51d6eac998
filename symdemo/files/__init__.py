"""Where files are, and how they are written whole, read with bounds, and locked."""
