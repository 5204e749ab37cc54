"""How well extractors find the things and relations that people marked by hand."""
