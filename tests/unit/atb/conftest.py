"""A small call of UnpadWithHiddenState, ready for every step."""

from dataclasses import dataclass
from typing import Any

import pytest
import torch

from cannery import atb
from cannery.atb.kernel_cache import forget_global_caches
from cannery.runtime import Stream

LENGTHS, LIMIT, HIDDEN = [3, 5], 8, 4


@dataclass
class Unpad:
    """A context with its stream, an operation, its tensors."""

    context: Any
    stream: Stream
    operation: Any
    x: torch.Tensor
    out: torch.Tensor
    pack: Any

    @property
    def expected(self) -> torch.Tensor:
        return torch.cat([self.x[0, :3], self.x[1, :5]])

    def run(self) -> torch.Tensor:
        size = self.operation.Setup(self.pack, self.context)
        self.operation.Execute(self.pack, None, size, self.context)
        self.stream.synchronize()
        return self.out


def param(lengths: list[int] = LENGTHS, **members: Any) -> Any:
    return atb.UnpadWithHiddenStateParam(qSeqLen=list(lengths), maxSeqLen=LIMIT, **members)


@pytest.fixture
def unpad() -> Unpad:
    forget_global_caches()
    context, stream = atb.CreateContext(), Stream()
    context.SetExecuteStream(stream)
    x, out = torch.randn(2, LIMIT, HIDDEN).half(), torch.full((8, HIDDEN), torch.nan).half()
    pack = atb.VariantPack([atb.Tensor.of(x)], [atb.Tensor.of(out)])
    return Unpad(context, stream, atb.CreateOperation(param()), x, out, pack)
