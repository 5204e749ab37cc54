"""Trained soft prompts that answer a workspace's own questions: their examples, their training, and
what they are worth.
"""
