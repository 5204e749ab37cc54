"""Graphs drawn in 2D and 3D, and where their nodes go."""
