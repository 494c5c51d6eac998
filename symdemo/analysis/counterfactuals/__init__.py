"""What else could have been asked: the same pair in other words, with the label it should get."""
