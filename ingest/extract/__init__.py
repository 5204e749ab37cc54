"""What a chunk says, as mentions and relation records: asked of a language model, or found by rules
alone.
"""
