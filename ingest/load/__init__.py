"""Reads transcripts and documents into turns."""
