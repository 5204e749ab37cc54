"""Answers judged by a language model, and judges measured against people."""
