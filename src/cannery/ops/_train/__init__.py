"""What ATB's train operators share beyond the rules of every ATB operation."""
