"""The tab “Analyse”: where a model errs, and why."""
