"""Matmul objects (hicann/pyasc `python/asc/language/adv/matmul.py` @cecba26ace65).

In a kernel of cube cores only the object computes where it stands. Otherwise the kernel is a MIX one, of one cube and
two vector cores a group: ``register_matmul`` ends the program on the cube, which from there on does what the vector
cores' objects ask for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from cannery.aicore.core import Core
from cannery.asc.context import Ended, here, running
from cannery.asc.matmul_batch import BatchMethods, as_tensor, check_tensor
from cannery.asc.matmul_config import MatmulConfig
from cannery.asc.numbers import Int32
from cannery.asc.tensors import GlobalAddress, GlobalTensor, LocalTensor, check_operands
from cannery.isa import matmul as machine
from cannery.isa.enums import IterateMode, IterateOrder, ScheduleType
from cannery.isa.matmul_plan import MatmulType, Quantisation, Shape, Types, atomic
from cannery.isa.matmul_service import Client, Direct, Remote, Units, number_of, serve
from cannery.isa.op import DAV_2201
from cannery.isa.tensors import Global

__all__ = ["Matmul", "MatmulType", "register_matmul"]

Tensor = GlobalTensor | LocalTensor
_REGISTER: Final = "adv.register_matmul"
_REFUSED: Final = ("intra_block_part_sum", "is_partial_output", "enable_mix_dual_master")
"""Options of a configuration that would change what is computed, and are not simulated."""
_TRIANGLES: Final = (1, 2)


class MatmulIterator:
    """The blocks that ``with matmul.iterate() as count:`` goes through; ``count`` from 0 on."""

    def __init__(self, matmul: Matmul, adds: bool, waits: bool) -> None:
        self._matmul, self._adds, self._waits = matmul, adds, waits

    def __iter__(self) -> Iterator[Any]:
        count, site = 0, here()
        while self._matmul.machine.iterate(site, "matmul.iterate", adds=self._adds, waits=self._waits):
            yield Int32(count)
            count += 1


class Matmul(BatchMethods):
    """C = A · B + bias on a cube; of a whole product the object computes one part.

    Raises:
        TypeError: element types that do not go together.
        ValueError: no MatmulType where one is needed.
        NotImplementedError: a configuration that is not simulated.
    """

    def __init__(
        self, a: MatmulType | None = None, b: MatmulType | None = None, c: MatmulType | None = None,
        bias: MatmulType | None = None, matmul_config: MatmulConfig | None = None, matmul_policy: int = 0,
    ) -> None:  # fmt: skip
        for name, value in (("a", a), ("b", b), ("c", c)):
            if not isinstance(value, MatmulType):
                raise ValueError(f"Matmul: {name}: found {type(value).__name__}, expected a MatmulType")
        assert a is not None and b is not None and c is not None
        self.config = MatmulConfig() if matmul_config is None else matmul_config
        self._check(int(matmul_policy))
        split = bool(self.config.is_enable_channel_split)
        types = Types(a, b, c, c if bias is None else bias, split)
        types.check("Matmul")
        self.machine = machine.Matmul(types)
        self._tiling: Any = None
        self._batch = (0, 0)

    def _check(self, policy: int) -> None:
        soc = running().soc.name
        refused = next((name for name in _REFUSED if getattr(self.config, name)), None)
        if refused is not None:
            raise NotImplementedError(f"MatmulConfig with {refused} on {soc} is not simulated")
        if policy in _TRIANGLES:
            raise NotImplementedError(f"Matmul with matmul_policy {policy} on {soc} is not simulated")

    def init(self, tiling: Any) -> None:
        """Give the object a tiling.

        Raises:
            ValueError: sizes that make no blocks.
        """
        self._tiling = tiling
        self.machine.begin("matmul.init", self._shape(tiling), has_bias=bool(tiling.is_bias))

    def _shape(self, tiling: Any) -> Shape:
        config = self.config
        order = int(config.iterate_order)
        rows_first = int(tiling.iterate_order) == 1 if order == IterateOrder.UNDEF else order == IterateOrder.ORDER_N
        return Shape(
            int(tiling.m), int(tiling.n), int(tiling.k_a), int(tiling.k_b), int(tiling.n),
            int(config.single_core_m or tiling.single_core_m), int(config.single_core_n or tiling.single_core_n),
            int(config.single_core_k or tiling.single_core_k), int(config.basic_m or tiling.base_m),
            int(config.basic_n or tiling.base_n), int(config.basic_k or tiling.base_k),
            int(config.step_m or tiling.step_m), int(config.step_n or tiling.step_n), rows_first,
        )  # fmt: skip

    def set_tensor_a(self, tensor: Tensor | float, transpose: bool = False) -> None:
        """A, from the first element of this object's part on; or a number that fills it."""
        self._set_source("set_tensor_a", "a", tensor, transpose)

    def set_tensor_b(self, tensor: Tensor | float, transpose: bool = False) -> None:
        """B, from the first element of this object's part on; or a number that fills it."""
        self._set_source("set_tensor_b", "b", tensor, transpose)

    def _set_source(self, method: str, operand: str, tensor: Tensor | float, transpose: bool) -> None:
        if not isinstance(tensor, (GlobalTensor, LocalTensor)):
            self.machine.set_number(operand, tensor)
            return
        check_tensor(method, tensor)
        self.machine.set_source(here(), f"matmul.{method}", operand, tensor, transposed=bool(transpose))

    def set_bias(self, tensor: Tensor) -> None:
        """A bias, one number for each column of this object's part."""
        self._allow("enable_set_bias", "set_bias")
        check_tensor("set_bias", tensor)
        self.machine.set_bias(here(), "matmul.set_bias", tensor)

    def disable_bias(self) -> None:
        """Go on without a bias."""
        self.machine.drop_bias()

    def set_tail(self, tail_m: int = -1, tail_n: int = -1, tail_k: int = -1) -> None:
        """Other sizes of this object's part; −1 keeps one."""
        self._allow("enable_set_tail", "set_tail")
        self.machine.reshape("matmul.set_tail", single_m=int(tail_m), single_n=int(tail_n), single_k=int(tail_k))

    def set_single_shape(self, single_m: int, single_n: int, single_k: int) -> None:
        """Other sizes of this object's part."""
        sizes = {"single_m": int(single_m), "single_n": int(single_n), "single_k": int(single_k)}
        self.machine.reshape("matmul.set_single_shape", **sizes)

    def set_org_shape(
        self, org_m: int, org_n: int, org_ka: int, org_kb: int | None = None, org_kc: int | None = None
    ) -> None:
        """Other sizes of the whole; ``org_kc``: from one row of C to the next."""
        self._allow("enable_set_org_shape", "set_org_shape")
        kb, kc = (org_ka if org_kb is None else org_kb), (org_n if org_kc is None else org_kc)
        sizes = {"m": int(org_m), "n": int(org_n), "ka": int(org_ka), "kb": int(kb), "kc": int(kc)}
        self.machine.reshape("matmul.set_org_shape", **sizes)

    def set_quant_scalar(self, quant_scalar: int) -> None:
        """One word by which C is converted."""
        self.machine.set_quantisation(Quantisation(word=int(quant_scalar)))

    def set_quant_vector(self, quant_vector: GlobalTensor) -> None:
        """A word for each column of this object's part."""
        self._allow("enable_quant_vector", "set_quant_vector")
        check_operands("matmul.set_quant_vector", {"quant_vector": quant_vector}, Global)
        if quant_vector.dtype.size != 8:
            raise TypeError(f"matmul.set_quant_vector: found {quant_vector.dtype}, expected uint64")
        words = Global(quant_vector.owner, quant_vector.address, quant_vector.dtype)
        self.machine.set_quantisation(Quantisation(words=words))

    def set_hf32(self, enable_hf32: bool = False, trans_mode: int = 0) -> None:
        """Whether float32 is rounded to HF32 first; ``trans_mode`` 1: half toward zero."""
        self.machine.set_hf32(bool(int(trans_mode)) if enable_hf32 else None)

    def set_workspace(self, addr: GlobalTensor | GlobalAddress, size: int | None = None) -> None:
        """Where the blocks of iterate(sync=False) go; ``size`` in elements, for an address."""
        tensor = addr
        if isinstance(addr, GlobalAddress):
            tensor = GlobalTensor()
            tensor.set_global_buffer(addr, size)
        check_operands("matmul.set_workspace", {"addr": tensor}, Global)
        assert isinstance(tensor, GlobalTensor)
        self.machine.set_cache(Global(tensor.owner, tensor.address, tensor.dtype))

    def set_self_define_data(self, data_ptr: Any) -> None:
        """Data for callbacks, which pyasc has none of: without effect."""
        self._allow("enable_set_define_data", "set_self_define_data")
        del data_ptr

    def set_user_def_info(self, tiling_ptr: Any) -> None:
        """Data for callbacks, which pyasc has none of: without effect."""
        del tiling_ptr

    def iterate(self, en_partial_sum: bool = False, sync: bool = True, local_c_matrix: Any = None) -> MatmulIterator:
        """A loop over the blocks of C: ``with matmul.iterate() as count:``.

        Raises:
            NotImplementedError: a tensor of the caller's own in L0C; blocks two at a time.
        """
        self._allow_mode(IterateMode.ITERATE_MODE_NORMAL, "iterate")
        soc = running().soc.name
        if local_c_matrix is not None:
            raise NotImplementedError(f"matmul.iterate with local_c_matrix on {soc} is not simulated")
        if int(self.config.schedule_type) == ScheduleType.OUTER_PRODUCT:
            raise NotImplementedError(f"matmul.iterate with ScheduleType.OUTER_PRODUCT on {soc} is not simulated")
        return MatmulIterator(self, bool(en_partial_sum), bool(sync))

    def get_tensor_c(self, *args: Any, **options: Any) -> Any:
        """The block that was computed last: ``tensor, en_atomic=0, en_sequential_write=False, sync=True,
        optional_tensor=None``; or, without a tensor and with sync=False, where it lies in the workspace.

        Raises:
            TypeError: arguments of neither form.
            ValueError: sync without a tensor.
        """
        self._allow("enable_get_tensor_c", "get_tensor_c")
        if isinstance(args[0] if args else options.get("tensor"), (GlobalTensor, LocalTensor)):
            self._get(*args, **options)
            return None
        return self._cached(*args, **options)

    def _get(
        self, tensor: Tensor, en_atomic: int = 0, en_sequential_write: bool = False, sync: bool = True,
        optional_tensor: LocalTensor | None = None,
    ) -> None:  # fmt: skip
        op = "matmul.get_tensor_c"
        check_tensor("get_tensor_c", tensor)
        if optional_tensor is not None:
            if not isinstance(tensor, GlobalTensor) or not isinstance(optional_tensor, LocalTensor):
                raise TypeError(f"{op}: found two tensors, expected a GlobalTensor and an optional LocalTensor")
            check_operands(op, {"optional_tensor": optional_tensor})
        self.machine.get(
            here(), op, tensor, atomic=atomic(op, en_atomic), packed=bool(en_sequential_write), waits=bool(sync),
            also=optional_tensor,
        )  # fmt: skip

    def _cached(self, en_atomic: int = 0, en_sequential_write: bool = False, sync: bool = True) -> GlobalTensor:
        op = "matmul.get_tensor_c"
        atomic(op, en_atomic)
        if sync:
            raise ValueError(f"{op}: sync: found True without a tensor, expected False")
        found, shape = self.machine.next_cached(here(), op), self.machine.shape
        return as_tensor(found, shape.base_m * shape.base_n)

    def async_get_tensor_c(self, c: LocalTensor) -> None:
        """Copy the next block of iterate(sync=False) to UB; wait_get_tensor_c lets the vector pipe wait for it."""
        op = "matmul.async_get_tensor_c"
        check_operands(op, {"c": c})
        self.machine.get(here(), op, c, atomic=None, packed=True, waits=False)

    def wait_get_tensor_c(self) -> None:
        """The vector pipe waits for what get_tensor_c(sync=False) copies to UB."""
        self.machine.settle(here(), "matmul.wait_get_tensor_c")

    def iterate_all(
        self, tensor: Tensor, en_atomic: int = 0, sync: bool = True, en_sequential_write: bool | None = None,
        wait_iterate_all: bool | None = None, fake_msg: bool | None = None,
    ) -> None:  # fmt: skip
        """Compute all of this object's part of C.

        Raises:
            ValueError: wait_iterate_all with sync.
            NotImplementedError: C in L1.
        """
        op = "matmul.iterate_all"
        self._allow_mode(IterateMode.ITERATE_MODE_ALL, "iterate_all")
        if not isinstance(tensor, GlobalTensor):
            raise NotImplementedError(f"{op} to a LocalTensor on {running().soc.name} is not simulated")
        if wait_iterate_all and sync:
            raise ValueError(f"{op}: wait_iterate_all: found True with sync, expected sync=False")
        check_tensor("iterate_all", tensor)
        if fake_msg:
            return
        self.machine.whole(
            here(), op, tensor, atomic=atomic(op, en_atomic), packed=bool(en_sequential_write), waits=bool(sync),
            notifies=bool(wait_iterate_all),
        )  # fmt: skip

    def wait_iterate_all(self) -> None:
        """Wait for iterate_all(sync=False, wait_iterate_all=True)."""
        self.machine.wait(here(), "matmul.wait_iterate_all")

    def end(self) -> None:
        """The object is done; another one of the same core may begin."""
        self._allow("enable_end", "end")

    def __getattr__(self, name: str) -> Any:
        if name in _UNSIMULATED:
            raise NotImplementedError(f"matmul.{name} on {running().soc.name} is not simulated")
        raise AttributeError(f"'Matmul' object has no attribute {name!r}")


_UNSIMULATED: Final = frozenset({"get_offset_c", "set_sparse_index"})


def register_matmul(pipe: Any, workspace: GlobalAddress | GlobalTensor, matmul: Matmul, tiling: Any = None) -> None:
    """Register an object, with its tiling or for a later ``init``. At most four a core.

    On the cube of a MIX kernel nothing behind this line runs.

    Raises:
        NotImplementedError: another chip than A2 or A3.
        ValueError: a fifth object, or sizes that make no blocks.
    """
    core, site = running(), here()
    del pipe
    if core.soc.npu_arch != DAV_2201:
        raise NotImplementedError(f"{_REGISTER} on {core.soc.name} is not simulated")
    is_mixed = not core.launch.is_of_one_kind
    if core.kind == "aic" and is_mixed:
        serve(core, site, _REGISTER)
        raise Ended
    if not is_mixed and core.kind == "aiv":
        raise NotImplementedError(f"{_REGISTER} in a kernel of vector cores only is not simulated")
    index = number_of(core, _REGISTER)
    matmul.machine.bind(_link(core, site, workspace, matmul, index))
    if tiling is not None:
        matmul.init(tiling)


def _link(core: Core, site: Any, workspace: Any, matmul: Matmul, index: int) -> Direct | Remote:
    if core.kind == "aic":
        units = core.state.get(Units)
        if units is None:
            units = core.state[Units] = Units(core)
        return Direct(core, units, index)
    client = core.state.get(Client)
    if client is None:
        client = core.state[Client] = Client(core, site, _workspace(workspace), _REGISTER, through=_transits(matmul))
    return Remote(client, index)


def _transits(matmul: Matmul) -> bool:
    types = matmul.machine.types
    return any(one.memory == "UB" for one in (types.a, types.b, types.c, types.bias))


def _workspace(workspace: Any) -> Global:
    tensor = workspace
    if isinstance(workspace, GlobalAddress):
        tensor = GlobalTensor()
        tensor.set_global_buffer(workspace)
    check_operands(_REGISTER, {"workspace": tensor}, Global)
    return Global(tensor.owner, tensor.address, tensor.dtype)
