"""Threads of one's own for computations whose bits must not depend on how many there are."""
