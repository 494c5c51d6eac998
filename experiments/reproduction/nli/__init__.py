"""Forgetting on NLI: what retraining on the relations costs an encoder that has learnt NLI first.

data       all NLI rows at hand
measuring  a start, what is lost from it, and what answers without reading the premise get
summary    figures from the ledger
tables     Markdown
"""
