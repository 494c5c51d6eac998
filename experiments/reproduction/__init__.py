"""The paper's tables, measured: `symdemo reproduce`.

plan      what is measured: encoders, methods, seeds, sample sizes, ablations
keys      what names a measurement, and what a ledger's keys tell of encoders
jobs      the single measurements that a plan consists of
study     running them one by one, with a ledger to stop and continue
summary   figures from the ledger, and nothing else
report    the file that they are written to, as everyone reads it
tables    Markdown from the report
paper     what the paper reports
"""
