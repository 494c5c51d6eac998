"""A person's table: its rows, what is wrong with them, and how they are read, merged and added."""
