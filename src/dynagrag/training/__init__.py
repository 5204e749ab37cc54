"""Training of what is learned: pruners and soft prompts."""
