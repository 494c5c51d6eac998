"""Teaching by a person with a few relations of their own: their rows, the versions of a model
made from them, and the instant teaching and retraining that make these."""
