"""The tab “Sentence lab”: sentences compared by encoders side by side; BeLLM against its start."""
