"""BeLLM's tables (Li and Li 2024, arXiv 2311.05296), measured: `symdemo sts`.

keys      what names a measurement, and what its result holds
plan      what is measured: encoders, parts, tasks
jobs      the single measurements that a plan consists of
study     running them one by one, with a ledger to stop and continue
summary   figures from the ledger, and nothing else
report    the file that they are written to, as everyone reads it
tables    Markdown from the report
paper     what the paper reports
"""
