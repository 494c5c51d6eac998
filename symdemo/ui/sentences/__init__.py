"""The tab “Sentence lab”: encoders compared on sentence similarity, and the results of BeLLM."""
