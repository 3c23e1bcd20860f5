"""What belongs to one framework of the originals, for the operators that come from it."""
