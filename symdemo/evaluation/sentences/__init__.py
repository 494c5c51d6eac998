"""How good a sentence encoder is, as BeLLM (Li and Li 2024, arXiv 2311.05296) measures it.

sts            Spearman's correlation with human scores of similarity (Table 1)
conditional    the same under a condition (Table 2)
transfer       accuracy of a logistic regression on the embeddings (Table 3)
degradation    the scores of the first n layers (Figure 4)
dependencies   how close the tokens of a sentence are to its pivot (Figures 2 and 5)
retrieval      captions of one picture found by one of them (section 5.4)
"""
