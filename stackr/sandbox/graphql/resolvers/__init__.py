"""One file for each part of the schema: how its fields are answered from the engine's rows."""
