"""Measures of sentence encoders, as BeLLM has them (Li and Li 2024, arXiv 2311.05296).

sts        Spearman's correlation with human similarity scores
tokens     the states of a sentence's tokens
adapters   training and scoring an adapter

`experiments/` has more: all tasks of Tables 1 to 3, scores of the first n layers and token
dependencies (Figures 2, 4 and 5), and retrieval of captions (section 5.4).
"""
