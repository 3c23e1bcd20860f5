"""What stands behind the spelling: the model of a graph, its compilation, its runs, its file, its picture."""
