"""Knowledge of natural languages: words and their classes, sentences, verbs, names."""
