"""`dynagrag evaluate citations`: claims known to be true or false, what checkers find out about
them, and the run that asks them.
"""
