"""Data types and formats with the numbers of ``acl``."""

from enum import IntEnum

from cannery.runtime.constants import DATA_TYPES, FORMATS

AclDataType = IntEnum("AclDataType", dict(DATA_TYPES), module="torch_atb")  # type: ignore[misc]
AclFormat = IntEnum("AclFormat", dict(FORMATS), module="torch_atb")  # type: ignore[misc]
