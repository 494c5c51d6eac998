"""Labels as Wikidata5m has them: aliases, namesakes, blanks and stray characters."""

LABELS = """\
Q1\tAnn\tAnna
Q2\tBen
Q3\tCarl
Q4\tDan
Q5\tANN\tanother Ann
Q6\tBen
Q7\tbad\x07label
Q8\t
Q9
Q10\t Eve \u2028 Fox
"""
