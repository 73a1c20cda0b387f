"""One file per command: its flags, and its story in a few lines."""
