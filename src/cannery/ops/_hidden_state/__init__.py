"""What UnpadWithHiddenState and PadWithHiddenState share: the batch's two layouts, the parameter rules, the tiles.

Both move the same rows between a padded tensor [B, M, H] and a packed one [N, H]; only the direction differs.
"""
