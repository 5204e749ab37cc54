"""The ground: values (`schema`), `protocols`, errors, ids, vectors, text and private files."""
