"""What the lightning-indexer operators share: who sees what, the score tile, and the CPU kernels.

The indexer scores key ``j`` for query row ``t`` by ``I[j] = sum_h w[t, h] * relu(q[t, h] . k[j])``. The log-sum-exp
operator and the KL-loss gradient both walk the visible pairs of rows and keys in tiles; everything they have in
common lives here once.
"""
