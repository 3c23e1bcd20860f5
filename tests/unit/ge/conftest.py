"""GE initialised for a test, and a graph of one operator."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest

from cannery.core import DataType
from cannery.ge._engine.instance import instance
from cannery.ge.es import GraphBuilder
from cannery.ge.es.all import UpdateTensorDesc
from cannery.ge.ge_global import GeApi
from cannery.ge.graph import Graph
from cannery.ge.session import Session

OPTIONS = {"ge.exec.deviceId": "0", "ge.graphRunMode": "1"}


@pytest.fixture(autouse=True)
def fresh_process() -> Iterator[None]:
    """No test sees a GE that another initialised."""
    instance.cache_clear()
    yield
    instance.cache_clear()


@pytest.fixture
def session() -> Session:
    """A session of an initialised GE."""
    GeApi.ge_initialize(OPTIONS)
    return Session()


@pytest.fixture
def one_operator() -> Callable[..., Graph]:
    """Makes graphs of one UpdateTensorDesc."""

    def make(
        attr: Sequence[int] = (4, 8, 4),
        x: Sequence[int] | None = (2, 3),
        data_type: DataType = DataType.DT_FLOAT,
        name: str = "g",
    ) -> Graph:
        builder = GraphBuilder(name)
        holder = builder.create_input(0, data_type=data_type, shape=None if x is None else list(x))
        return builder.build_and_reset([UpdateTensorDesc(holder, shape=list(attr))])

    return make
