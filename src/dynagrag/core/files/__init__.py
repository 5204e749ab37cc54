"""Files as they are read and written here: private ones, regular ones alone, databases whose
journal stays small.
"""
