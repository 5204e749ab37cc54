"""English statements by patterns: which sentences state something, their finite verbs, and other
words for the same.
"""
