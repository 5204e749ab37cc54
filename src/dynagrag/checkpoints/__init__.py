"""Training: one loop, one form of checkpoint and one learning curve for all that is learned. Needs
torch (the extra `train`).
"""
