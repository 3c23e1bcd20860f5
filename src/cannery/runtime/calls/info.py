"""What the machine is like, and what needs no device.

Source: hicann/runtime `include/external/acl/{acl_base_rt.h,acl_rt.h}` @681ef761.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping
from types import MappingProxyType

from cannery.core import DataType
from cannery.runtime.call import call
from cannery.runtime.process import Process
from cannery.runtime.status import AclError, RuntimeFault
from cannery.settings import device_chip
from cannery.soc import Soc

HOST = 1
FLOAT16_MAX = 65504.0

_DEVICE_INFO: Mapping[int, Callable[[Soc], int]] = MappingProxyType(
    {0: lambda chip: chip.ai_cores, 1: lambda chip: chip.aiv_cores, 2: lambda chip: chip.l2_size}
)
_ATTRIBUTES: Mapping[int, Callable[[Process, Soc], int]] = MappingProxyType(
    {
        1: lambda process, chip: 1,
        101: lambda process, chip: chip.ai_cores,
        102: lambda process, chip: chip.aic_cores,
        201: lambda process, chip: chip.aiv_cores,
        202: lambda process, chip: 32,
        204: lambda process, chip: chip.ub_size,
        301: lambda process, chip: process.machine.memory,
        302: lambda process, chip: chip.l2_size,
        601: lambda process, chip: chip.npu_arch,
    }
)


@call("aclError aclrtGetDeviceCount(out uint32_t *count)", "rt.get_device_count")
def get_device_count(process: Process) -> int:
    """How many devices there are."""
    return process.device_count()


@call("aclError aclrtGetRunMode(out aclrtRunMode *runMode)", "rt.get_run_mode")
def get_run_mode(process: Process) -> int:
    """ACL_HOST: the program does not run on the device."""
    return HOST


@call(
    "aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, out int64_t *value)",
    "rt.get_device_info",
)
def get_device_info(process: Process, device: int, attr: int) -> int:
    """A property of a device."""
    process.device(device)
    return _of(_ATTRIBUTES, "attr", attr)(process, device_chip())


@call(
    "aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, out int64_t *value)",
    "get_device_capability",
)
def get_device_capability(process: Process, device: int, info: int) -> int:
    """Cores and L2 of a device."""
    process.device(device)
    return _of(_DEVICE_INFO, "deviceInfo", info)(device_chip())


@call("size_t aclDataTypeSize(aclDataType dataType)", "data_type_size")
def data_type_size(process: Process, data_type: int) -> int:
    """Bytes of an element; 0 for what is no whole number of bytes, or no data type."""
    known = {int(dtype): dtype.itemsize for dtype in DataType}
    return known.get(data_type, 0)


@call("float aclFloat16ToFloat(aclFloat16 value)", "float16_to_float")
def float16_to_float(process: Process, bits: int) -> float:
    """The number of those bits; infinity and NaN as if the exponent were an ordinary one (65536, 98304)."""
    bits &= 0xFFFF
    sign = -1.0 if bits >> 15 else 1.0
    exponent, mantissa = bits >> 10 & 31, bits & 0x3FF
    if exponent == 0:
        return sign * math.ldexp(mantissa, -24)
    return sign * math.ldexp(1024 + mantissa, exponent - 25)


@call("aclFloat16 aclFloatToFloat16(float value)", "float_to_float16")
def float_to_float16(process: Process, value: float) -> int:
    """The nearest float16; what is too large, infinite or not a number becomes the largest one."""
    if math.isnan(value):
        value = FLOAT16_MAX
    clamped = min(max(value, -FLOAT16_MAX), FLOAT16_MAX)
    return int(struct.unpack("<H", struct.pack("<e", clamped))[0])


def _of(table: Mapping[int, Callable[..., int]], parameter: str, number: int) -> Callable[..., int]:
    if number not in table:
        expected = f"one of {', '.join(map(str, table))}"
        raise RuntimeFault(AclError.ACL_ERROR_INVALID_PARAM, parameter, number, expected)
    return table[number]
