"""The tab “Benchmark”: the report of `symdemo reproduce`, as tables and pictures."""
