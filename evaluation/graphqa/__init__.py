"""GraphQA: questions over graphs of text (G-Retriever, section 4), its scorers, and the systems
that are trained on it.
"""
