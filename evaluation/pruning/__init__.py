"""Pruners measured: knowledge graphs with questions whose support is known, training on them, and
what a pruner keeps of it.
"""
