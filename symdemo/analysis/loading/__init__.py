"""Data to analyse: built-in sets, tables that people bring, and pasted lines."""
