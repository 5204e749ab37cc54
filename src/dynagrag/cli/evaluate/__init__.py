"""`dynagrag evaluate`: a command a module."""
