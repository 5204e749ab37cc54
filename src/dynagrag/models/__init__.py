"""Chat models and embedders behind the protocols, with cache, ledger, budget and error
translation.
"""
