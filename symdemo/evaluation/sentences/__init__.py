"""Measures of sentence encoders, as BeLLM has them (Li and Li 2024, arXiv 2311.05296).

sts        Spearman's correlation with human similarity scores (Tables 1 and 2)
transfer   accuracy of a logistic regression on the embeddings (Table 3)
layers     scores of the first n layers, and token dependencies (Figures 2, 4 and 5)
retrieval  captions of one picture found by one of them (section 5.4)
"""
