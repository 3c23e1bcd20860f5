"""Vector instructions: addressing, the table of semantics, and what each call form means."""
