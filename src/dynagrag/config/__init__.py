"""What a person configures: settings and their file, the system keyring, hosts that may have keys, passwords."""
