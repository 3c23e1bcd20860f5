"""Tools around the indexer's gradient: a look at a call, and which core computes which rows at what cost."""
