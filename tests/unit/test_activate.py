"""Substituting the NPU stack's packages."""

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module, metadata
from importlib.util import find_spec

import pytest

import cannery.asc
from cannery import activate as activation
from cannery.faces import substituted_packages


@pytest.fixture(autouse=True)
def _substituted() -> Iterator[None]:
    activation.activate()
    yield
    activation.activate()


def test_a_name_and_its_submodules_are_this_packages() -> None:
    asc = import_module("asc")
    assert asc is cannery.asc
    assert import_module("asc.lib.runtime") is cannery.asc.lib.runtime
    assert import_module("asc.language.core.dtype").KnownTypes.int32 == asc.int32
    assert cannery.asc.__name__ == cannery.asc.__spec__.name == "cannery.asc"


def test_submodules_are_listed_with_their_package() -> None:
    acl = import_module("acl")
    assert sys.modules["acl.rt"] is acl.rt and sys.modules["acl.util"] is acl.util
    activation.deactivate()
    assert "acl.rt" not in sys.modules and "cannery.acl.rt" in sys.modules


def test_a_kept_name_is_left_alone() -> None:
    activation.activate(keep=["asc"])
    sys.modules.pop("asc", None)
    with pytest.raises(ModuleNotFoundError, match="asc"):
        import_module("asc")


def test_a_name_that_is_not_in_the_table_cannot_be_kept() -> None:
    with pytest.raises(activation.UnknownNameError, match="found 'numpy', expected one of acl, aclnn, asc"):
        activation.activate(keep=["numpy"])


def test_what_is_not_there_is_no_module() -> None:
    with pytest.raises(ModuleNotFoundError):
        import_module("asc.no_such_module")


def test_every_name_of_every_face_leads_to_a_module() -> None:
    assert [place for place in substituted_packages().values() if find_spec(place) is None] == []


AUTOLOAD = "TORCH_DEVICE_BACKEND_AUTOLOAD"


def printed(program: str, **environment: str) -> str:
    """What a program prints behind ``import cannery.activate``."""
    source = f"import cannery.activate\n{program}\nimport torch\nprint(hasattr(torch, 'npu'))"
    others = {name: value for name, value in os.environ.items() if name != AUTOLOAD}
    done = subprocess.run(
        [sys.executable, "-c", source], env={**others, **environment}, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.mark.parametrize(
    "before",
    [
        "",
        "import torch_npu",
        "import ge",
        "import torch_atb",
        "import cann_ops_transformer",
        "import cannery; cannery.pad",
    ],
)
def test_pytorch_loads_the_device_as_it_loads_the_original(before: str) -> None:
    assert printed(before) == "True"


def test_pytorch_is_asked_not_to_and_does_not() -> None:
    assert printed("", **{AUTOLOAD: "0"}) == "False"
    assert printed("cannery.activate.activate(keep=['torch_npu'])") == "False"
    assert printed("import torch_atb", **{AUTOLOAD: "0"}) == "True"  # which imports torch_npu, as the original does


def test_a_program_finds_the_version_of_the_package() -> None:
    assert metadata.version("torch_npu") == metadata.version("torch-npu") != ""
    (found,) = metadata.entry_points(group="torch.backends")
    assert (found.name, found.value) == ("torch_npu", "torch_npu:_autoload")
    activation.activate(keep=["torch_npu"])
    with pytest.raises(metadata.PackageNotFoundError):
        metadata.version("torch_npu")


def test_a_kernel_needs_no_pytorch() -> None:
    program = "import sys, asc\nassert 'torch' not in sys.modules"
    assert printed(program) == "True"
