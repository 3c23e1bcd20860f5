"""A look at a call of the indexer's KL-loss gradient: is the target a distribution, the lse the indexer's own?

Most wrong gradients come from inputs that the operator cannot refuse: a target over other keys, another score's lse,
an offset that is off. This measures them and says them on one page.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from cannery.core import DataType, OperatorError, Shape, TensorDesc
from cannery.core import Tensor as CoreTensor
from cannery.extras.indexer.schedule import Balance, compare
from cannery.extras.indexer.work import PER_KEY, RowCost, Work, describe
from cannery.operator import find_operator, staged
from cannery.ops._lightning_indexer.geometry import (
    CAUSAL,
    ArgumentError,
    RowTable,
    Segments,
    check_residual,
    row_table,
    segments,
)
from cannery.ops._lightning_indexer.lse import softmax_lse
from cannery.ops._lightning_indexer.split import METADATA_SIZE, Split
from cannery.soc import Soc

OPERATOR = "DenseLightningIndexerKLLossGrad"
MASS_TOLERANCE = 1e-3
LSE_TOLERANCE = 1e-2
SLICE_ROWS = 1024


class CallFileError(ValueError):
    """A file that holds no saved call; the message says what is missing."""


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at. ``is_wrong`` when the gradients cannot be what was meant."""

    title: str
    text: str
    is_wrong: bool = False

    def __str__(self) -> str:
        return f"{'WRONG' if self.is_wrong else 'ok   '}  {self.title}: {self.text}"


@dataclass(frozen=True)
class IndexerReport:
    """What was found, in a fixed order; ``str`` is the page. Numbers are None where they could not be worked out.

    Attributes:
        findings: one line each.
        mass: smallest, mean and largest sum of the target over the keys a row sees.
        blind_rows: rows in use that see no key.
        lse_error: largest |logsumexp(I) - softmax_lse| of a row that sees keys.
        balances: how evenly each schedule shares the rows out, the device's own (strided) first.
        cost: what a row costs in those.
    """

    findings: tuple[Finding, ...]
    mass: tuple[float, float, float] | None = None
    blind_rows: int | None = None
    lse_error: float | None = None
    balances: tuple[Balance, ...] = field(default=(), repr=False)
    cost: RowCost = PER_KEY

    @property
    def is_healthy(self) -> bool:
        """Whether nothing is wrong."""
        return not any(finding.is_wrong for finding in self.findings)

    def __str__(self) -> str:
        return "\n".join(map(str, self.findings))


def indexer_report(*, soc: str | Soc | None = None, cost: RowCost = PER_KEY, **call: Any) -> IndexerReport:
    """Examine a call of ``dense_lightning_indexer_kl_loss_grad``; nothing is computed but scores, nothing is changed.

    Args:
        soc: the chip whose split is judged; default: by the settings, else the operators' first.
        cost: what a row costs when the split is judged; by default a unit for each visible key and nothing else.
        call: the operator's arguments by name: q, k, w, attn_softmax_l1_norm, softmax_lse, cu_seqlens_q, cu_seqlens_k,
            seqused_q, seqused_k, cmp_residual_k, metadata, layout_q, layout_k, mask_mode, cmp_ratio.

    Raises:
        ArgumentError: a required tensor is missing, or an argument is unknown.
    """
    given = _complete(call)
    chip = staged.chip_of(_DEFINITION, soc)
    sizes = ", ".join(f"{name} {tuple(given[name].shape)}" for name in ("q", "k", "attn_softmax_l1_norm"))
    opening = Finding("call", f"{sizes}, {given['q'].dtype}, mask {given['mask_mode']}, ratio {given['cmp_ratio']}")
    taken = _operator_finding(given, chip)
    if taken.is_wrong:
        return IndexerReport((opening, taken))
    faults = (taken, *_faults(given))
    if any(finding.is_wrong for finding in faults):
        return IndexerReport((opening, *faults))
    return _measured(given, chip, cost, (opening, *faults))


def save_call(path: str | PathLike[str], **call: Any) -> None:
    """Save the arguments of a call for ``cannery indexer doctor``: tensors as they are, attributes beside them.

    Raises:
        ArgumentError: a required tensor is missing, or an argument is unknown.
    """
    given = _complete(call)
    tensors = {name: value.detach().contiguous().cpu() for name, value in given.items() if isinstance(value, Tensor)}
    # safetensors refuses tensors that share memory.
    tensors = {name: tensor.clone() for name, tensor in tensors.items()}
    attrs = {name: given[name] for name in _ATTRIBUTES}
    save_file(tensors, path, metadata={"operator": OPERATOR, "attributes": json.dumps(attrs)})


def load_call(path: str | PathLike[str]) -> dict[str, Any]:
    """The arguments that ``save_call`` saved.

    Raises:
        CallFileError: the file is not a saved call.
        OSError: it cannot be read.
    """
    with open(path, "rb"):  # an OSError that names the file
        pass
    try:
        with safe_open(path, "pt") as file:
            about, tensors = file.metadata() or {}, {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        attrs = json.loads(about["attributes"])
    except (SafetensorError, KeyError, json.JSONDecodeError) as failure:
        expected = "a safetensors file that cannery.pytorch.save_call wrote"
        raise CallFileError(f"{path}: found {type(failure).__name__}: {failure}, expected {expected}") from None
    return {**tensors, **attrs}


_DEFINITION = find_operator(OPERATOR).definition
_REQUIRED = tuple(param.name for param in _DEFINITION.inputs if not param.optional)
_OPTIONAL = tuple(param.name for param in _DEFINITION.inputs if param.optional)
_ATTRIBUTES = {attribute.name: attribute.default for attribute in _DEFINITION.attributes}


def _complete(call: Mapping[str, Any]) -> dict[str, Any]:
    names = (*_REQUIRED, *_OPTIONAL, *_ATTRIBUTES)
    stranger = next((name for name in call if name not in names), None)
    if stranger is not None:
        raise ArgumentError("call", repr(stranger), f"names among {', '.join(names)}")
    missing = next((name for name in _REQUIRED if not isinstance(call.get(name), Tensor)), None)
    if missing is not None:
        raise ArgumentError(missing, "nothing", "a tensor")
    given = {name: _as_tensor(name, value) for name, value in call.items() if value is not None}
    return {**dict.fromkeys(_OPTIONAL), **_ATTRIBUTES, **given}


def _as_tensor(name: str, value: Any) -> Any:
    """An argument as the operator takes it: lengths may be given as lists."""
    if name not in _OPTIONAL or isinstance(value, Tensor):
        return value
    try:
        return torch.tensor(value, dtype=torch.int32)
    except (TypeError, ValueError, RuntimeError):
        raise ArgumentError(name, repr(value), "a tensor, or a list of int32 numbers") from None


def _operator_finding(given: Mapping[str, Any], chip: Soc) -> Finding:
    """What the operator's own rules on shapes, data types and attributes say."""
    operator = find_operator(OPERATOR)
    tensors = [given[name] for name in (*_REQUIRED, *_OPTIONAL)]
    descs = [None if tensor is None else CoreTensor.of(tensor).desc for tensor in tensors]
    # What is looked at is the call, not that its metadata was saved along.
    descs[-1] = descs[-1] or TensorDesc(DataType.DT_INT32, Shape((METADATA_SIZE,)))
    try:
        staged.prepare(operator, descs, {name: given[name] for name in _ATTRIBUTES}, soc=chip)
    except OperatorError as refusal:
        text = f"{refusal.parameter}: found {refusal.found}, expected {refusal.expected}"
        return Finding("operator", f"refuses the call: {text}", True)
    return Finding("operator", "takes shapes, data types and attributes")


def _lengths(given: Mapping[str, Any]) -> dict[str, Any]:
    spelled = {"cu_q": "cu_seqlens_q", "cu_k": "cu_seqlens_k", "residual": "cmp_residual_k"}
    names = ("seqused_q", "seqused_k", "layout_q", "layout_k")
    return {short: given[name] for short, name in spelled.items()} | {name: given[name] for name in names}


def _faults(given: Mapping[str, Any]) -> Iterator[Finding]:
    """Offsets and lengths, the residual, the target's columns: each on a line of its own, wrong or not."""
    try:
        seg = segments(q_shape=given["q"].shape, k_shape=given["k"].shape, **_lengths(given))
        rows = int(seg.q_len.sum())
        yield Finding(
            "offsets", f"{len(seg.q_len)} batches with {rows} rows and {int(seg.k_len.sum())} keys in use fit"
        )
    except (ArgumentError, IndexError) as fault:
        seg = None
        yield Finding("offsets", str(fault), True)
    residual = _residual_finding(given)
    yield residual
    if seg is not None and not residual.is_wrong:
        yield _columns_finding(given, row_table(seg, mask_mode=given["mask_mode"], cmp_ratio=given["cmp_ratio"]))


def _residual_finding(given: Mapping[str, Any]) -> Finding:
    residual, ratio = given["cmp_residual_k"], given["cmp_ratio"]
    if residual is None or given["mask_mode"] != CAUSAL:
        return Finding("residual", "not used" if residual is None else f"not used with mask {given['mask_mode']}")
    values = np.asarray(residual.cpu() if isinstance(residual, Tensor) else residual, np.int64)
    try:
        check_residual(values, ratio)
    except ArgumentError as fault:
        count = int(((values < 0) | (values >= ratio)).sum())
        return Finding("residual", f"{count} of {len(values)} are not below cmp_ratio: {fault}", True)
    return Finding("residual", f"all {len(values)} below cmp_ratio {ratio}")


def _columns_finding(given: Mapping[str, Any], table: RowTable) -> Finding:
    columns, widest = given["attn_softmax_l1_norm"].shape[-1], int(table.visible.max(initial=0))
    text = f"the target has {columns} columns, a row sees at most {widest} keys"
    return Finding("columns", text, columns < widest)


def _measured(given: Mapping[str, Any], chip: Soc, cost: RowCost, findings: tuple[Finding, ...]) -> IndexerReport:
    seg = segments(q_shape=given["q"].shape, k_shape=given["k"].shape, **_lengths(given))
    table = row_table(seg, mask_mode=given["mask_mode"], cmp_ratio=given["cmp_ratio"])
    blind = int(seg.q_len.sum()) - len(table)
    mass = _row_mass(given["attn_softmax_l1_norm"], table)
    error, row = _lse_error(given, table)
    balances = compare(Work(seg, given["mask_mode"], given["cmp_ratio"], cost), chip.aic_cores)
    more = (
        _mass_finding(mass),
        Finding("blind rows", f"{blind} of {int(seg.q_len.sum())} rows in use see no key; they have no gradient"),
        _lse_finding(error, row),
        *_metadata_finding(given, seg, chip),
        _balance_finding(balances, chip, cost),
    )
    summary = (float(mass.min()), float(mass.mean()), float(mass.max())) if mass.size else None
    return IndexerReport(findings + more, summary, blind, error, balances, cost)


def _row_mass(p: Tensor, table: RowTable) -> np.ndarray:
    """(rows,) sum of the target over the keys that each row sees, in float64."""
    flat = p.detach().flatten(0, -2)
    sums = []
    for start in range(0, len(table), SLICE_ROWS):
        visible = torch.from_numpy(table.visible[start : start + SLICE_ROWS])[:, None]
        token = torch.from_numpy(table.token[start : start + SLICE_ROWS]).to(flat.device)
        rows = flat[token, : int(visible.max())].cpu().double()
        sums.append(torch.where(torch.arange(rows.shape[1]) < visible, rows, 0).sum(1))
    return torch.cat(sums).numpy() if sums else np.zeros(0)


def _lse_error(given: Mapping[str, Any], table: RowTable) -> tuple[float, int]:
    """Largest deviation, and its row; NaN counts as infinite."""
    if not len(table):
        return 0.0, -1
    geometry = {**_lengths(given), "mask_mode": given["mask_mode"], "cmp_ratio": given["cmp_ratio"]}
    own = softmax_lse(given["q"], given["k"], given["w"], **geometry)
    token = torch.from_numpy(table.token)
    away = (own.flatten().cpu()[token].double() - given["softmax_lse"].detach().flatten().cpu()[token].double()).abs()
    worst = int(away.nan_to_num(nan=torch.inf).argmax())
    return float(away.nan_to_num(nan=torch.inf)[worst]), int(token[worst])


def _mass_finding(mass: np.ndarray) -> Finding:
    if not mass.size:
        return Finding("row mass of p", "no row sees a key")
    off = int((~(np.abs(mass - 1) <= MASS_TOLERANCE)).sum())
    text = f"{mass.min():.6g} to {mass.max():.6g}, mean {mass.mean():.6g}"
    note = f"; {off} rows are off 1 by more than {MASS_TOLERANCE:g}: y is scaled by the mass" if off else ""
    return Finding("row mass of p", text + note, off > 0)


def _lse_finding(error: float, row: int) -> Finding:
    where = f" at row {row}" if row >= 0 else ""
    text = f"{error:.3g}{where}"
    if error > LSE_TOLERANCE:
        return Finding("largest |logsumexp(I) - lse|", f"{text}: the lse is not that of these scores", True)
    return Finding("largest |logsumexp(I) - lse|", text)


def _metadata_finding(given: Mapping[str, Any], seg: Segments, chip: Soc) -> tuple[Finding, ...]:
    if given["metadata"] is None:
        return ()
    split, due = Split.read(given["metadata"].cpu().numpy()), Split.of(int(seg.q_len.sum()), chip.aic_cores)
    if split.total == due.total and (split == due or not due.total):
        return (Finding("metadata", f"made for these {due.total} rows and {chip.aic_cores} cores"),)
    found = f"made for {split.total} rows on {split.cores} cores"
    return (Finding("metadata", f"{found}, the call has {due.total} on {chip.aic_cores}", True),)


def _balance_finding(balances: tuple[Balance, ...], chip: Soc, cost: RowCost) -> Finding:
    ratios = ", ".join(f"{balance.schedule.name} {balance.ratio:.3g}" for balance in balances)
    return Finding(
        "busiest core over ideal", f"{ratios} on the {chip.aic_cores} cores of {chip.name}; {describe(cost)}"
    )
