"""Studies that measure symdemo: run from a checkout, results as JSON in `results/`."""
