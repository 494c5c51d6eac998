"""Relations and facts, the relation bank, tables of people's own, and the sets others published."""
