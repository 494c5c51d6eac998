"""What a person would find by hand: wrong labels, near-duplicates, groups of errors."""
