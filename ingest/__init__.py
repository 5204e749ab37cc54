"""Sources in, records out: load, split, extract, consolidate, and the pipeline that runs them as
one durable ingest.
"""
