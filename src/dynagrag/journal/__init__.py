"""A workspace's own local journal: cached replies, the ledger of calls, the set-aside list,
verdicts and jobs.
"""
