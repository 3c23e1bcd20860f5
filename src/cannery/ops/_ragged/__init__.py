"""Row moves between a padded batch (B, S, ...) and its packed rows (N, ...), for every operator that needs them."""

from cannery.ops._ragged.rows import pack_rows, put_rows, spread_rows, take_rows

__all__ = ["pack_rows", "put_rows", "spread_rows", "take_rows"]
