"""What the two metadata operators share: the host checks, the checks of values, the shape, the tiling."""
