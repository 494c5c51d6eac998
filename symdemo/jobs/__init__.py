"""Work in the background: a queue, the states of its jobs, and reports of their progress."""
