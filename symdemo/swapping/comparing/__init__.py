"""Two sentences compared word by word: is one the swap of the other, and if not, why?"""
