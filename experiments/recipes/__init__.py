"""How the shipped models are made."""
