"""Where records and the derived graph live: the embedded SQLite store, and the pure derivation that every store shares."""
