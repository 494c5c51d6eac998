"""What a sentence says: its words, its phrases, and the two of them that change places."""
