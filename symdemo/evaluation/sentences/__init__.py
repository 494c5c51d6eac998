"""Measures of sentence encoders, as BeLLM has them (Li and Li 2024, arXiv 2311.05296).

sts        Spearman's correlation with human similarity scores (Tables 1 and 2)
layers     scores of the first n layers, and token dependencies (Figures 2, 4 and 5)

`experiments/` has more: transfer tasks (Table 3), and retrieval of captions (section 5.4).
"""
