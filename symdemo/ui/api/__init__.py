"""The named endpoints, for programs."""
