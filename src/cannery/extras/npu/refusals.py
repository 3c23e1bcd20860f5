"""What torch_npu has and cannery does not: each name is there, and calling it raises NotImplementedError naming it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cannery.core.published import Absent

UNBUILT = "docs/npu.md lists what is"


def refused(prefix: str, reasons: Mapping[str, Iterable[str]]) -> dict[str, Absent]:
    """One for each name, by name; the reasons are the keys."""
    return {name: Absent(f"{prefix}.{name}", reason) for reason, names in reasons.items() for name in names}


_GRAPHS = """
    NPUGraph graph graph_pool_handle make_graphed_callables graph_task_group_begin graph_task_group_end
    graph_task_update_begin graph_task_update_end
""".split()  # noqa: SIM905
_IPC = "ipc_collect caching_allocator_alloc caching_allocator_delete NPUPluggableAllocator change_current_allocator"
_DUMPS = "init_dump set_dump finalize_dump set_aoe memory_stats_as_nested_dict host_memory_stats".split()  # noqa: SIM905
TORCH_NPU = {
    "graphs are captured on a device only; run the function without one": _GRAPHS,
    "its memory is the process's own": _IPC.split(),
    "it has nothing to tell on the host": _DUMPS,
}

PACKAGE = {
    "PyTorch has no data type of that kind on the host": ("hifloat8", "HiFloat8Tensor"),
    "a matmul of the host does not fail silently": ("matmul_checksum",),
}

TORCH_NPU_MEMORY = {
    "the history of allocations is not kept": ("_record_memory_history", "_dump_snapshot", "_snapshot"),
    "its memory is the process's own": ("caching_allocator_alloc", "caching_allocator_delete", "NPUPluggableAllocator"),
}

_QUANTIZED = """
    npu_quantize npu_dynamic_quant npu_dynamic_quant_asymmetric npu_quant_matmul npu_weight_quant_batchmatmul
    npu_trans_quant_param npu_quant_scatter npu_quant_scatter_ npu_anti_quant npu_convert_weight_to_int4pack
    npu_dequant_swiglu_quant npu_dequant_bias npu_ffn npu_quant_conv2d npu_dequant_rope_quant_kvcache
    npu_mla_prolog npu_mla_prolog_v2 npu_dynamic_mx_quant npu_grouped_matmul_swiglu_quant
""".split()  # noqa: SIM905
_INFERENCE = """
    npu_prompt_flash_attention npu_incre_flash_attention npu_fused_infer_attention_score
    npu_fused_infer_attention_score_v2 npu_fusion_attention_v2 npu_fusion_attention_grad npu_multi_head_attention
    npu_nsa_compress npu_nsa_select_attention npu_lightning_indexer npu_sparse_flash_attention npu_kv_rmsnorm_rope_cache
    npu_interleave_rope npu_scatter_nd_update npu_scatter_nd_update_ npu_scatter_pa_kv_cache _npu_paged_attention
    _npu_flash_attention _npu_reshape_and_cache
""".split()  # noqa: SIM905
_EXPERTS = """
    npu_moe_init_routing npu_moe_init_routing_v2 npu_moe_finalize_routing npu_moe_gating_top_k
    npu_moe_gating_top_k_softmax npu_moe_compute_expert_tokens npu_moe_distribute_dispatch npu_moe_distribute_combine
    npu_moe_distribute_dispatch_v2 npu_moe_distribute_combine_v2 npu_moe_re_routing npu_mm_all_reduce_base
    npu_mm_reduce_scatter_base npu_all_gather_base_mm npu_alltoallv_gmm npu_gmm_alltoallv
""".split()  # noqa: SIM905
_OTHERS = """
    npu_geglu npu_group_norm_silu npu_deep_norm npu_gemma_rms_norm npu_add_rms_norm_cast npu_add_rms_norm_quant
    npu_add_layer_norm npu_cross_entropy_loss npu_apply_adam npu_apply_adam_w npu_fused_attention_score npu_bmmV2
    npu_conv2d npu_conv3d npu_conv_transpose2d npu_deformable_conv2d npu_roi_align npu_nms_v4 npu_nms_rotated npu_iou
    npu_giou npu_ciou npu_diou npu_ptiou npu_rotary_mul_backward npu_gather_sparse_index npu_sort_v2 npu_one_hot
    npu_stride_add npu_slice npu_pad npu_max npu_min npu_lstm npu_lstm_cell npu_gru npu_all_finite
    npu_get_float_status npu_clear_float_status npu_alloc_float_status npu_fused_floyd_attention npu_top_k_top_p
    npu_prefetch npu_cim npu_sim_exponential_ npu_gather_backward__ npu_stft npu_masked_softmax_with_rel_pos_bias
    npu_batch_gather_matmul npu_hans_encode npu_hans_decode npu_random_choice_with_mask npu_ps_roi_pooling
""".split()  # noqa: SIM905
OPERATORS = {
    "operators on quantised data have no implementation on the host": _QUANTIZED,
    "attention for inference has no implementation on the host; training's is npu_fusion_attention": _INFERENCE,
    "routing over devices has no implementation on the host": _EXPERTS,
    "it has no implementation on the host": _OTHERS,
}
DATA_PARALLEL = {"one process drives one device; use DistributedDataParallel": ("DataParallel",)}
