"""The command line: `symdemo` and `python -m symdemo`."""
