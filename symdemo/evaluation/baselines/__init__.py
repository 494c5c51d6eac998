"""Baselines for a model to beat: majority label, skeleton, word n-grams and SetFit.

All are trained on labelled pairs and return probabilities (n, 3) in the order of `pairs.LABELS`.
"""
