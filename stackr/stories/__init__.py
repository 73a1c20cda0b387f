"""What commands tell: one module a story, from looking to showing. Decisions are in ``stackr.core``."""
