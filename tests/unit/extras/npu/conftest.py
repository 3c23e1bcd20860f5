"""`npu` is a device of the process for good: files here are marked `own_process`, and start with this."""

import os

if "CANNERY_TEST_OUTCOMES" in os.environ:
    os.environ.pop("CANNERY_SOC", None)
    import cannery.activate  # noqa: F401

    __import__("torch_npu")
