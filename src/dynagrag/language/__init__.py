"""What the product knows of natural languages: sentences, words."""
