"""Relations and facts, the relation bank, users' own tables, and published data sets."""
