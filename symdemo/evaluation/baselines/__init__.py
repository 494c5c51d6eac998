"""What a model has to beat: the commonest label, how a sentence is built, its words, SetFit.

All are taught and asked pairs, and give shares (n, 3) in the order of `symdemo.pairs.LABELS`.
"""
