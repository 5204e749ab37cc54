"""Speakers and times: whether each word of a transcript is read under whoever says it."""
