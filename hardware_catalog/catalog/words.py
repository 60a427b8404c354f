"""Words for people: values of choices, units, text cells of lists."""

from __future__ import annotations

from hardware_catalog.seed.specs import FEATURE_LABELS, TextSpec

CHOICE_LABELS = {
    **FEATURE_LABELS,
    "gpu": "GPU",
    "cpu": "CPU",
    "tpu": "TPU",
    "npu": "Other accelerator",
    "other": "Other",
    "air": "Air",
    "liquid": "Liquid",
    "air or liquid": "Air or liquid",
    "rear_door": "Rear-door heat exchanger",
    "direct_to_chip": "Direct to chip",
    "immersion": "Immersion",
    "LL": "Line and line",
    "LN": "Line and neutral",
    "DC": "Direct current",
    "true": "Yes",
    "false": "No",
    "yes": "Yes",
    "no": "No",
    "unknown": "Not known",
}
METRIC_LABELS = {
    "gemm": "Matrix product",
    "membw": "Memory bandwidth",
    "launch": "Launch of one operation",
    "block_prefill": "Decoder block, prefill",
    "block_decode": "Decoder block, decode step",
}


def text_in_words(spec: TextSpec, value: str) -> str:
    """Return a text attribute as a person reads it."""
    if spec.many:
        return ", ".join(CHOICE_LABELS.get(part, part) for part in value.split(";") if part)
    if spec.choices:
        return CHOICE_LABELS.get(value, value)
    return value.replace(";", "; ") if spec.name == "device_keys" else value
