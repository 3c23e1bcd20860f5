"""Enumerations and macros of the C headers, by their original names.

Source: hicann/runtime `include/external/acl/{acl_base_rt.h,acl_rt.h}` @681ef761.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType


def _numbered(prefix: str, names: str, start: int = 0) -> dict[str, int]:
    return {prefix + name: start + number for number, name in enumerate(names.split())}


def _table(prefix: str, **values: int) -> dict[str, int]:
    return {prefix + name: value for name, value in values.items()}


DATA_TYPES: Mapping[str, int] = MappingProxyType(
    {
        "ACL_DT_UNDEFINED": -1,
        **_table("ACL_", FLOAT=0, FLOAT16=1, INT8=2, INT32=3, UINT8=4, INT16=6, UINT16=7, UINT32=8, INT64=9),
        **_table("ACL_", UINT64=10, DOUBLE=11, BOOL=12, STRING=13, COMPLEX64=16, COMPLEX128=17, BF16=27, INT4=29),
        **_table("ACL_", UINT1=30, COMPLEX32=33, HIFLOAT8=34, FLOAT8_E5M2=35, FLOAT8_E4M3FN=36, FLOAT8_E8M0=37),
        **_table("ACL_", FLOAT6_E3M2=38, FLOAT6_E2M3=39, FLOAT4_E2M1=40, FLOAT4_E1M2=41),
    }
)

FORMATS: Mapping[str, int] = MappingProxyType(
    {
        **_table("ACL_FORMAT_", UNDEFINED=-1, NCHW=0, NHWC=1, ND=2, NC1HWC0=3, FRACTAL_Z=4, NC1HWC0_C04=12, HWCN=16),
        **_table("ACL_FORMAT_", NDHWC=27, FRACTAL_NZ=29, NCDHW=30, NDC1HWC0=32),
        "ACL_FRACTAL_Z_3D": 33,
        **_table("ACL_FORMAT_", NC=35, NCL=47, FRACTAL_NZ_C0_16=50, FRACTAL_NZ_C0_32=51, FRACTAL_NZ_C0_2=52),
        **_table("ACL_FORMAT_", FRACTAL_NZ_C0_4=53, FRACTAL_NZ_C0_8=54),
    }
)

MALLOC_POLICIES: Mapping[str, int] = MappingProxyType(
    {
        **_numbered(
            "ACL_MEM_MALLOC_",
            "HUGE_FIRST HUGE_ONLY NORMAL_ONLY HUGE_FIRST_P2P HUGE_ONLY_P2P NORMAL_ONLY_P2P HUGE1G_ONLY HUGE1G_ONLY_P2P",
        ),
        **_table("ACL_MEM_TYPE_", LOW_BAND_WIDTH=0x100, HIGH_BAND_WIDTH=0x1000),
        "ACL_MEM_ACCESS_USER_SPACE_READONLY": 0x100000,
    }
)
# Bits that go with any policy.
MALLOC_POLICY_BITS = 0x100 | 0x1000 | 0x100000

MEMCPY_KINDS: Mapping[str, int] = MappingProxyType(
    _numbered(
        "ACL_MEMCPY_",
        "HOST_TO_HOST HOST_TO_DEVICE DEVICE_TO_HOST DEVICE_TO_DEVICE DEFAULT HOST_TO_BUF_TO_DEVICE "
        "INNER_DEVICE_TO_DEVICE INTER_DEVICE_TO_DEVICE",
    )
)

MEM_ATTRS: Mapping[str, int] = MappingProxyType(
    _numbered(
        "ACL_",
        "DDR_MEM HBM_MEM DDR_MEM_HUGE DDR_MEM_NORMAL HBM_MEM_HUGE HBM_MEM_NORMAL DDR_MEM_P2P_HUGE DDR_MEM_P2P_NORMAL "
        "HBM_MEM_P2P_HUGE HBM_MEM_P2P_NORMAL",
    )
)

# C's enumeration types, in the order the headers define them.
ENUMS: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {
        "aclDataType": DATA_TYPES,
        "aclFormat": FORMATS,
        "aclMemType": _numbered("ACL_MEMTYPE_", "DEVICE HOST HOST_COMPILE_INDEPENDENT"),
        "aclLogLevel": _numbered("ACL_", "DEBUG INFO WARNING ERROR"),
        "aclrtRunMode": _numbered("ACL_", "DEVICE HOST"),
        "aclrtMemMallocPolicy": MALLOC_POLICIES,
        "aclrtMemcpyKind": MEMCPY_KINDS,
        "aclrtHostRegisterType": _table("ACL_HOST_REGISTER_", MAPPED=0, IOMEMORY=4, READONLY=8),
        "aclrtMemLocationType": _numbered("ACL_MEM_LOCATION_TYPE_", "HOST DEVICE UNREGISTERED MANAGED HOST_NUMA"),
        "aclrtDeviceStatus": _table("ACL_RT_DEVICE_STATUS_", NORMAL=0, ABNORMAL=1, END=0xFFFF),
        "aclrtMemAttr": MEM_ATTRS,
        "aclrtEventStatus": _numbered("ACL_EVENT_STATUS_", "COMPLETE NOT_READY RESERVED"),
        "aclrtEventRecordedStatus": _numbered("ACL_EVENT_RECORDED_STATUS_", "NOT_READY COMPLETE"),
        "aclrtEventWaitStatus": _table("ACL_EVENT_WAIT_STATUS_", COMPLETE=0, NOT_READY=1, RESERVED=0xFFFF),
        "aclrtStreamStatus": _table("ACL_STREAM_STATUS_", COMPLETE=0, NOT_READY=1, RESERVED=0xFFFF),
        "aclrtDevResLimitType": _numbered("ACL_RT_DEV_RES_", "CUBE_CORE VECTOR_CORE"),
        "aclDeviceInfo": _numbered("ACL_DEVICE_INFO_", "AI_CORE_NUM VECTOR_CORE_NUM L2_SIZE"),
        "aclrtDevAttr": _table(
            "ACL_DEV_ATTR_",
            AICPU_CORE_NUM=1,
            AICORE_CORE_NUM=101,
            CUBE_CORE_NUM=102,
            VECTOR_CORE_NUM=201,
            WARP_SIZE=202,
            UBUF_PER_VECTOR_CORE=204,
            TOTAL_GLOBAL_MEM_SIZE=301,
            L2_CACHE_SIZE=302,
            NPU_ARCH=601,
        ),
        "aclSysParamOpt": _numbered(
            "ACL_OPT_", "DETERMINISTIC ENABLE_DEBUG_KERNEL STRONG_CONSISTENCY ENABLE_KERNEL_EARLY_START"
        ),
        "aclrtCallbackBlockType": _numbered("ACL_CALLBACK_", "NO_BLOCK BLOCK"),
        "aclCANNPackageName": _numbered("ACL_PKG_NAME_", "CANN RUNTIME COMPILER HCCL TOOLKIT OPP OPP_KERNEL DRIVER"),
        "aclrtLastErrLevel": {"ACL_RT_THREAD_LEVEL": 0},
    }
)

# Flags, which the headers define as macros.
EVENT_TIME_LINE = 8
EVENT_FLAGS = {
    "ACL_EVENT_SYNC": 1,
    "ACL_EVENT_CAPTURE_STREAM_PROGRESS": 2,
    "ACL_EVENT_TIME_LINE": EVENT_TIME_LINE,
    "ACL_EVENT_DEVICE_USE_ONLY": 0x10,
    "ACL_EVENT_EXTERNAL": 0x20,
    "ACL_EVENT_IPC": 0x40,
}
STREAM_FLAGS = _table(
    "ACL_STREAM_", FAST_LAUNCH=1, FAST_SYNC=2, PERSISTENT=4, HUGE=8, CPU_SCHEDULE=0x10, DEVICE_USE_ONLY=0x20
)
HOST_REGISTER_FLAGS = _table("ACL_HOST_REG_", MAPPED=2, IOMEMORY=4, READONLY=8, PINNED=0x10000000)
# Bytes of the strings of aclCANNPackageVersion.
VERSION_SIZE, PART_SIZE = 128, 64
PACKAGE_SIZES = {"ACL_PKG_VERSION_MAX_SIZE": VERSION_SIZE, "ACL_PKG_VERSION_PARTS_MAX_SIZE": PART_SIZE}
MACROS: Mapping[str, int] = MappingProxyType(
    {
        "ACL_MAJOR_VERSION": 1,
        "ACL_MINOR_VERSION": 17,
        "ACL_PATCH_VERSION": 0,
        **EVENT_FLAGS,
        **STREAM_FLAGS,
        **HOST_REGISTER_FLAGS,
        **PACKAGE_SIZES,
        "ACL_CONTINUE_ON_FAILURE": 0,
        "ACL_STOP_ON_FAILURE": 1,
    }
)
