"""One file for each kind of change. A mutation reads its input and calls the engine; the rules are there."""
