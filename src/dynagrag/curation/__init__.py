"""A person corrects the graph: what they see of it, what may be wrong, and the corrections."""
