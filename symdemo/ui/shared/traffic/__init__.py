"""Visitors in numbers: who asks, whose turn it is, how much may be sent, what is refused."""
