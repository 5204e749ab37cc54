"""Evidence to an answer: traversal, hard prompts, intermediate answers, helpfulness, merge,
verdicts on claims.
"""
