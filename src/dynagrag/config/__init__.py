"""Configuration: settings and their file, the system keyring, hosts of keys, passwords."""
