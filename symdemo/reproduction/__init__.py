"""The paper's tables, measured: `symdemo reproduce`.

plan      what is measured: encoders, methods, seeds, sample sizes, ablations
jobs      the single measurements that a plan consists of
study     running them one by one, with a ledger to stop and continue
summary   figures from the ledger, and nothing else
tables    Markdown from the summary
paper     what the paper reports
"""
