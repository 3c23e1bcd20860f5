"""The operators of this category, each a package of its own."""
