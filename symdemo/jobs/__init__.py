"""Work in the background: a queue, the states of its jobs, and who is told how they go."""
