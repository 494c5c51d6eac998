"""The tab “Try it”: a sentence, its verdict, and what the verdict rests on."""
