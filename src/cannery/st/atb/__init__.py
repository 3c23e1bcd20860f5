"""Case files of ATB's operation tests: 21 columns between bars."""
