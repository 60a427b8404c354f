"""The physical bases of a step: seconds each part takes at its limit, before any factor (P0.4).

A step is a sum of these, each times a factor of at least its floor (`step`). The fit and the
engine read the same bases, so a fitted factor means the same in both.
"""

from __future__ import annotations

from dataclasses import dataclass

from tco.performance.dtypes import dtype_bytes
from tco.performance.training.network import (
    all_to_all_seconds,
    inside,
    ring_seconds,
    send_seconds,
)
from tco.performance.training.plan import Plan, Platform
from tco.performance.training.shape import Product, TrainingShape

ACTIVATION_BYTES = 2.0
# products are made again under each mode; attention of a selective step is kept
_AGAIN = {"none": (0.0, 0.0, 0.0), "selective": (0.5, 0.0, 1.0), "full": (1.0, 1.0, 1.0)}
_ATTENTION_BACKWARD = 2.5  # five products against two forward
_STATE_TRAFFIC = 30.0  # bytes a parameter: gradient, two moments, master copy, read and written


@dataclass(frozen=True, slots=True)
class Bases:
    """Seconds of one step on one device; `compute` parts are without the pipeline bubble."""

    products_16: float  # flops / sustained 16-bit rate
    products_narrow: float  # flops / sustained rate of the narrow dtype
    product_traffic: float  # operands of the products / bandwidth
    attention: float  # score and value flops / sustained 16-bit rate
    softmax: float  # 2 bytes a score / bandwidth
    elements: float  # activations between products / bandwidth
    loss: float  # logits / bandwidth
    optimizer: float  # states / bandwidth
    data_network: float  # gathers and reductions of weights and gradients
    tensor_network: float  # tensor, context and pipeline transfers
    expert_network: float  # all-to-alls
    bubble: float  # (p − 1) / (v·m), share on top of compute
    servers: float
    floor: float  # dense peak, printed bandwidth, no overhead (P0.1)
    narrow: str = ""  # dtype class of products_narrow: 8 | 4
    routed: float = 0.0  # products of routed experts, seconds within the two above


def bases_of(shape: TrainingShape, plan: Plan, platform: Platform) -> Bases:
    """Return the bases of one step of `plan` on `platform` (P11).

    Backward products cost two forward ones (one where the weights are frozen); attention is
    causal; the head stays at 16 bits.
    """
    rows = plan.micro_batch * plan.sequence_tokens / plan.context  # of a tensor-parallel group
    micro, tensor, pipeline = plan.micro_batches, plan.tensor, plan.pipeline
    again, attention_again, elements_again = _AGAIN[plan.recompute]
    passes = (2.0 if plan.adapter else 3.0) + again
    narrow = dtype_bytes(plan.dtype) < 2
    rate = platform.sustained if narrow else platform.sustained_16
    body = sum(p.active for p in (*shape.body, *shape.experts)) / (tensor * pipeline)
    body_flops = 2 * rows * body * passes * micro
    routed_flops = 2 * rows * sum(p.active for p in shape.experts) * passes * micro
    head_passes = 2.0 if plan.adapter else 3.0
    head_flops = 2 * rows * shape.head.active * head_passes * micro / (tensor * pipeline)
    tiles = rows * shape.tiles_per_token(plan.sequence_tokens) / (tensor * pipeline)
    score_flops = rows * shape.attention_flops_per_token(plan.sequence_tokens)
    attention_flops = (
        score_flops / (tensor * pipeline) * (1 + _ATTENTION_BACKWARD + attention_again) * micro
    )
    bandwidth = platform.memory
    traffic = sum(_operand_bytes(p, rows, tensor) / pipeline for p in (*shape.body, *shape.experts))
    head_traffic = _operand_bytes(shape.head, rows, tensor) / pipeline
    casts = 2.0 if narrow and plan.stack == "eager" else 1.0  # operands narrowed one by one
    traffic_bytes = (traffic * passes * casts + head_traffic * head_passes) * micro
    element_bytes = (
        rows * shape.element_width * shape.layers * ACTIVATION_BYTES / (tensor * pipeline)
    ) * ((2.0 if plan.adapter else 3.0) + elements_again)
    logits = rows * shape.head.outer * 4 * 3 / (tensor * pipeline)
    state = _held(shape, plan)
    optimizer_bytes = 0.0 if plan.adapter else state * _STATE_TRAFFIC / _state_shards(plan)
    flop_floor = body_flops / platform.peak + (head_flops + attention_flops) / platform.peak_16
    narrow_seconds = body_flops / rate if narrow else 0.0
    wide_seconds = head_flops / platform.sustained_16 + (0.0 if narrow else body_flops / rate)
    return Bases(
        products_16=wide_seconds,
        products_narrow=narrow_seconds,
        product_traffic=traffic_bytes / bandwidth,
        attention=attention_flops / platform.sustained_16,
        softmax=tiles * (2 + attention_again) * micro / bandwidth,
        elements=element_bytes * micro / bandwidth,
        loss=logits * micro / bandwidth,
        optimizer=optimizer_bytes / bandwidth,
        data_network=_data_network(shape, plan, platform),
        tensor_network=_tensor_network(shape, plan, platform, rows),
        expert_network=_expert_network(shape, plan, platform, rows),
        bubble=(pipeline - 1) / (plan.virtual * micro),
        servers=max(1.0, plan.devices / max(platform.server_devices, platform.scale_up_domain)),
        floor=flop_floor,
        narrow=("4" if dtype_bytes(plan.dtype) < 1 else "8") if narrow else "",
        routed=routed_flops / (tensor * pipeline) / rate,
    )


def _operand_bytes(product: Product, rows: float, tensor: int) -> float:
    """Bytes of operands and result of a forward product, all layers."""
    if product.copies > 1:
        rows_each = rows * product.used / product.copies
        weights = product.inner * product.outer * product.copies
        moved = rows_each * (product.inner + product.outer) * product.copies
    else:
        weights, moved = product.inner * product.outer, rows * (product.inner + product.outer)
    return ACTIVATION_BYTES * product.layers * (weights + moved) / tensor


def _held(shape: TrainingShape, plan: Plan) -> float:
    """Parameters whose copy is spread over tensor, pipeline and expert groups of one rank."""
    routed = sum(p.weights for p in shape.experts)
    rest = shape.total_parameters - routed
    group = plan.tensor * plan.pipeline
    return rest / group + routed / (plan.pipeline * max(plan.expert, plan.tensor))


def _state_shards(plan: Plan) -> float:
    return 1.0 if plan.sharding == "none" else max(1.0, plan.data_parallel * plan.context)


def _data_network(shape: TrainingShape, plan: Plan, platform: Platform) -> float:
    """Gathers of weights and reductions of gradients of one step."""
    ranks = plan.data_parallel * plan.context
    if ranks <= 1:
        return 0.0
    held = _held(shape, plan)
    near = max(1.0, min(platform.scale_up_domain, plan.devices) / (plan.tensor))
    near = min(near, ranks)
    layers = max(1.0, shape.layers / plan.pipeline)
    weight_bytes = ACTIVATION_BYTES
    if plan.adapter:
        weight_bytes = min(ACTIVATION_BYTES, dtype_bytes(plan.dtype))

    def ring(bytes_each: float) -> float:
        return layers * ring_seconds(platform, held * bytes_each / layers, ranks, near)

    gather, reduce = ring(weight_bytes), ring(0.0 if plan.adapter else plan.reduce_bytes)
    again = plan.micro_batches
    if plan.sharding == "full":
        return again * (2 * gather + reduce)
    if plan.adapter:
        return 0.0
    if plan.sharding == "gradients":
        return again * (gather + reduce)
    if plan.sharding == "optimizer":
        return gather + reduce
    return 2 * reduce


def _tensor_network(shape: TrainingShape, plan: Plan, platform: Platform, rows: float) -> float:
    """Transfers of tensor, context and pipeline parallelism of one step."""
    again = 1.0 if plan.recompute == "full" else 0.0
    row_bytes = rows * shape.hidden * ACTIVATION_BYTES
    layers = shape.layers / plan.pipeline
    total = 0.0
    if plan.tensor > 1:
        near = float(plan.tensor) if inside(platform, plan.tensor) else 1.0
        ring = 2 * ring_seconds(platform, row_bytes, plan.tensor, near)
        total += layers * (4 + 2 * again) * ring
    if plan.context > 1:
        keys = row_bytes * shape.score_width / shape.hidden / 8 / plan.tensor
        group = plan.context * plan.tensor
        hop = send_seconds(platform, keys, near=inside(platform, group))
        total += layers * (plan.context - 1) * 3 * hop
    if plan.pipeline > 1:
        near_hop = inside(platform, plan.tensor * plan.context * 2)
        hop = send_seconds(platform, row_bytes / plan.tensor, near=near_hop)
        total += 2 * plan.virtual * hop
    return total * plan.micro_batches


def _expert_network(shape: TrainingShape, plan: Plan, platform: Platform, rows: float) -> float:
    """Dispatch and combine of routed tokens, forward and backward."""
    if plan.expert <= 1 or not shape.expert_layers:
        return 0.0
    sent = rows * shape.routed_width * ACTIVATION_BYTES / plan.tensor
    layers = shape.expert_layers / plan.pipeline
    again = 2.0 if plan.recompute == "full" else 0.0
    one = all_to_all_seconds(platform, sent, plan.expert)
    return layers * (4 + again) * one * plan.micro_batches
