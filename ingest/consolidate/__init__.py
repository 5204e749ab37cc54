"""Which names are one entity and which labels one relation: rules first, then a model for what is
left.
"""
