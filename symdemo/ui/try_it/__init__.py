"""The tab “Try it”: a sentence is asked about, and its verdict is shown with what it rests on."""
