"""What a measured row does not say, and the stated rule that fills it in (P16.1).

Every rule that was used is named in `ResolvedRun.filled`; such runs are reported apart. The KV
dtype is in no row of the schema: `kv_dtype_of` holds for all of them and is not named each time.
"""

from __future__ import annotations

from dataclasses import dataclass

from tco.evidence.run import Run
from tco.inputs import Device, LanguageModel, Parallel
from tco.performance.dtypes import BYTES, dtype_bytes

WEIGHTS_SHARE = 0.8  # of the memory: the rest is cache, activations and the runtime
# a stored 4-bit format carries a scale for each block of 16 or 32 weights
_STORED = {"fp4": 0.5625, "int4": 0.5625}
_SAME_DTYPE = {
    "nvfp4": "fp4",
    "mxfp4": "fp4",
    "float16": "fp16",
    "bfloat16": "bf16",
    "float8": "fp8",
    "int8+fp16": "int8",  # eight-bit weights, activations of 16 bits in places
}
_NARROW = frozenset({"fp8", "fp4"})


@dataclass(frozen=True, slots=True)
class TypicalLength:
    """Tokens of a task whose rows do not state them."""

    typical_tokens: float
    why: str


# Input lengths by task: the word that opens the note of an ML.ENERGY row.
INPUT_BY_TASK: dict[str, TypicalLength] = {
    "lm-arena-chat": TypicalLength(
        300, "arena chat prompts with the earlier turns of the conversation; planning value"
    ),
    "gpqa": TypicalLength(
        250, "a graduate-level question with four answers and the instruction; planning value"
    ),
    "sourcegraph-fim": TypicalLength(
        1500, "code before and after the gap with retrieved context; planning value"
    ),
    "image-chat": TypicalLength(
        1200, "one image of about a megapixel (28 or 32 pixels a patch) and its question"
    ),
    "video-chat": TypicalLength(
        6000, "32 frames, two merged into one, about 350 tokens each, and the question"
    ),
}
# Lengths by model name of MLPerf: means of the benchmark's own data set.
_CNN = TypicalLength(900, "CNN/DailyMail articles with the instruction, data set of the benchmark")
INPUT_BY_MODEL: dict[str, TypicalLength] = {"gptj": _CNN}
OUTPUT_BY_MODEL: dict[str, TypicalLength] = {
    "gptj": TypicalLength(69, "mean of the benchmark's other submissions"),
    "llama2-70b": TypicalLength(294, "reference mean of the benchmark's data set (OpenOrca)"),
    "mixtral-8x7b": TypicalLength(145, "reference mean of the benchmark's data set"),
}


def input_tokens_of(run: Run) -> tuple[float | None, str]:
    """Return the prompt length and the name of the rule used, empty where the row says it."""
    if run.input_tokens:
        return run.input_tokens, ""
    words = run.note.split()
    typical = INPUT_BY_TASK.get(words[0]) if words else None
    typical = typical or _of_model(INPUT_BY_MODEL, run)
    return (typical.typical_tokens, "input_tokens") if typical else (None, "")


def output_tokens_of(run: Run) -> tuple[float | None, str]:
    """Return the answer length and the name of the rule used, empty where the row says it."""
    if run.output_tokens:
        return run.output_tokens, ""
    typical = _of_model(OUTPUT_BY_MODEL, run)
    return (typical.typical_tokens, "output_tokens") if typical else (None, "")


def _of_model(table: dict[str, TypicalLength], run: Run) -> TypicalLength | None:
    if not run.source.startswith("mlperf"):
        return None
    return next((found for name, found in table.items() if run.model.startswith(name)), None)


def weight_dtype_of(
    run: Run, device: Device, model: LanguageModel, named: str
) -> tuple[str | None, str]:
    """Return the weight dtype of a run and the name of the rule used.

    The row's precision wins; then what the checkpoint's name fixes; then, for MLPerf, whose system
    files state the weights that were downloaded and not those that ran, the narrowest floating
    format of the device (fp4, fp8, else 16 bits); then the model's native dtype. None: the
    precision is not a known dtype.
    """
    told = _SAME_DTYPE.get(run.precision, run.precision)
    if told:
        return (told if told in BYTES else None), ""
    hint = _SAME_DTYPE.get(named, named)
    if hint in BYTES:
        return hint, "precision"
    if run.source.startswith("mlperf"):
        for dtype in ("fp4", "fp8", "fp16", "bf16"):
            if device.peak(dtype) is not None:
                return dtype, "precision"
    native = _SAME_DTYPE.get(model.native_dtype, model.native_dtype)
    return (native if native in BYTES else None), "precision"


def kv_dtype_of(run: Run, weight_dtype: str) -> str:
    """Return the KV dtype: fp8 where weights are fp8 or fp4 and the stack quantises the cache.

    TensorRT-LLM recipes and MLPerf submissions do; vLLM and SGLang keep 16 bits by default.
    """
    engine = run.engine.lower()
    quantised = "trt" in engine or "tensorrt" in engine or run.source.startswith("mlperf")
    return "fp8" if weight_dtype in _NARROW and quantised else "bf16"


def weights_gb(model: LanguageModel, weight_dtype: str) -> float:
    """Return the memory of all weights in GB, stored at `weight_dtype`, block scales included."""
    stored = _STORED.get(weight_dtype, dtype_bytes(weight_dtype))
    return model.parameters_g.value * stored + model.beside_parameters_g * 2.0


def parallel_of(
    run: Run, device: Device, model: LanguageModel, weight_dtype: str
) -> tuple[Parallel | str, str]:
    """Return the degrees of one replica, or why there are none, and the name of the rule used.

    - tensor degree given: attention is data-parallel (``gpus / tp``) where experts span more
      devices than the tensor group, else the rest of the devices are replicas.
    - ``tp x dp`` short of the devices while experts span them all: the server split attention by
      tensor over them too (an engine's expert parallelism keeps its tensor group).
    - not given: the smallest divisor of the devices that leaves a fifth of the memory free; the
      rest are replicas.
    """
    experts = model.experts
    expert = run.expert_parallel or 1
    tensor = run.tensor_parallel
    if tensor is None:
        smallest = _smallest_tensor(run.devices, device, model, weight_dtype)
        if isinstance(smallest, str):
            return smallest, ""
        return Parallel(tensor=smallest), "tensor_parallel"
    if run.devices % tensor:
        return f"{run.devices} devices are not a multiple of tensor degree {tensor}", ""
    rule = ""
    data = run.data_parallel or run.devices // tensor
    if experts is None or expert == 1:
        return _split(model, tensor, 1, 1), rule
    if tensor * data < run.devices and expert == run.devices:
        tensor, data, rule = run.devices, 1, "tensor_parallel"
    if expert <= tensor:
        data = 1
    if (tensor * data) % expert:
        return f"expert degree {expert} does not divide {tensor * data} devices", ""
    return _split(model, tensor, data, expert), rule


def _split(model: LanguageModel, tensor: int, data: int, expert: int) -> Parallel | str:
    if model.heads and model.heads % tensor:
        return f"tensor degree {tensor} does not divide the {model.heads} heads of {model.name}"
    return Parallel(tensor=tensor, attention_data=data, expert=expert)


def _smallest_tensor(
    devices: int, device: Device, model: LanguageModel, weight_dtype: str
) -> int | str:
    if device.memory_gb is None:
        return f"tensor degree not given, and the memory of {device.name} is not known"
    needed = weights_gb(model, weight_dtype)
    room = device.memory_gb.value * WEIGHTS_SHARE
    for tensor in range(1, devices + 1):
        fits = devices % tensor == 0 and (not model.heads or model.heads % tensor == 0)
        if fits and needed <= room * tensor:
            return tensor
    return f"{needed:.0f} GB of weights do not fit {devices} x {room:.0f} GB at any tensor degree"
