"""What ``import cann_ops_transformer`` gives where the genuine package is not: operators in ``torch.ops`` and ``ops``.

Source: recursion-ascend/ops-transformer `torch_extension/cann_ops_transformer` @a093e95.
"""

from cannery.pytorch.cann_ops_transformer import ops as ops
