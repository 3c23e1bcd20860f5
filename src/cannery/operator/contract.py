"""Which framework an operator comes from, and how that framework answers a malformed call.

The rules of a single operator name their own code; these are the codes for what any operator of the framework refuses:
an attribute of the wrong type, a wrong number of tensors, a chip without a kernel.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from types import MappingProxyType

from cannery.core import AclnnStatus, AtbStatus, GeStatus, Stage


@dataclass(frozen=True)
class Contract:
    """A framework's way of refusing calls.

    Attributes:
        name: ``ge``, ``atb`` or ``aclnn``.
        codes: status of a stage that fails without a rule naming a code of its own.
        arity_stage: the stage that counts the inputs.
        arity_code: its answer when the number is wrong.
        soc_code: the answer when the chip has no kernel of the operator.
    """

    name: str
    codes: Mapping[Stage, IntEnum]
    arity_stage: Stage
    arity_code: IntEnum
    soc_code: IntEnum


GE = Contract(
    name="ge",
    codes=MappingProxyType(dict.fromkeys(Stage, GeStatus.GRAPH_FAILED)),
    arity_stage=Stage.CHECK,
    arity_code=GeStatus.GRAPH_PARAM_INVALID,
    soc_code=GeStatus.GRAPH_FAILED,
)

ATB = Contract(
    name="atb",
    codes=MappingProxyType(dict.fromkeys(Stage, AtbStatus.ERROR_INVALID_PARAM)),
    arity_stage=Stage.INFER_SHAPE,
    arity_code=AtbStatus.ERROR_INVALID_IN_TENSOR_NUM,
    soc_code=AtbStatus.ERROR_INVALID_PARAM,
)

ACLNN = Contract(
    name="aclnn",
    codes=MappingProxyType(
        {
            Stage.CHECK: AclnnStatus.ACLNN_ERR_PARAM_INVALID,
            Stage.INFER_SHAPE: AclnnStatus.ACLNN_ERR_INNER_INFERSHAPE_ERROR,
            Stage.TILING: AclnnStatus.ACLNN_ERR_INNER_TILING_ERROR,
            Stage.LAUNCH: AclnnStatus.ACLNN_ERR_RUNTIME_ERROR,
        }
    ),
    arity_stage=Stage.CHECK,
    arity_code=AclnnStatus.ACLNN_ERR_PARAM_NULLPTR,
    soc_code=AclnnStatus.ACLNN_ERR_INNER_FIND_KERNEL_ERROR,
)
