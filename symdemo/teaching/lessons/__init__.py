"""Teaching at once and by retraining: settings, estimate, training, and what it changed."""
