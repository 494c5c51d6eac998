"""The tab “Teach”: rows of a visitor's own, what is taught with them, and the versions made."""
