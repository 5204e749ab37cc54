"""The ground: nouns (`schema`), verbs (`protocols`), errors, ids, vectors, text and private files."""
