"""How the accuracy figures are made, in plain words."""

from __future__ import annotations

from tco.evidence.fill import INPUT_BY_TASK, WEIGHTS_SHARE

COLUMN_NOTE = (
    "Absolute error over the measured value. Cells: mean over (source, device, model) cells of the "
    "median of each, so that one large source does not drown the rest. With unanswered: the same, "
    "a row without an answer counting as 100 %."
)
_LENGTHS = "; ".join(
    f"{task} {one.typical_tokens:,.0f} ({one.why})" for task, one in INPUT_BY_TASK.items()
)

METHOD: tuple[tuple[str, str], ...] = (
    (
        "What is scored",
        "Every value of every file named UNIFIED*.csv in the folder: time to first token, time per "
        "token, end-to-end time, output tokens per second and device, board power and joules per "
        "token, as other people measured them on real servers. Prefill/decode-split and "
        "speculative runs are another workload and are not in these files.",
    ),
    (
        "Never on what it was fitted to",
        "A figure says what was left out of the fit. Device left out: every run is predicted by a "
        "model whose factors were fitted without any row of that run's device. Model left out: the "
        "same with the language model. Only such figures tell what to expect on hardware that "
        "nobody has measured yet.",
    ),
    (
        "What is not scored",
        "Runs whose own time to first token passes 5 seconds were beyond what the server could "
        "sustain: above that point the number measures the length of the test. They count in one "
        "figure only: the share that is called overloaded. Rows that cannot be predicted are "
        "counted with the reason and as 100 % error in the column that says so; rows that cannot "
        "be read are counted with file, line, field and reason.",
    ),
    (
        "What a row does not say",
        "Names resolve through the catalog's alias tables; a spelling that differs only in words "
        "of the checkpoint (Instruct, FP8) is the same architecture, a similar name is not. "
        f"Input length by task, planning values: {_LENGTHS}. Output length of MLPerf rows: mean of "
        "the benchmark's data set. Tensor degree: the smallest divisor of the devices at which the "
        f"weights fill at most {WEIGHTS_SHARE:.0%} of the memory; the other devices are replicas. "
        "Experts over all devices without a tensor degree: attention is split over all of them. "
        "Precision of MLPerf rows: the narrowest floating format of the device, because the "
        "system files name the weights that were downloaded and not those that ran. KV cache: fp8 "
        "where weights are fp8 or fp4 and the stack quantises it (TensorRT-LLM, MLPerf), else 16 "
        "bits. Runs with a filled-in value are also reported apart.",
    ),
    (
        "What the rows are worth",
        "MLPerf submissions are audited and tuned by hand, 1.2 to 2 times above a default server; "
        "their derived figures are not verified by MLCommons. Tokens/s from the InferenceX dumps "
        "are derived by Little's law and stand apart. Between software dates the same server moves "
        "by 10 to 30 %. ML.ENERGY rows give the inter-token time. The Intel Max 1550 rows mix two "
        "stacks five to ten times apart under one name.",
    ),
    (
        "Order and regret",
        "Buyers need the order first. For rows of one source, model, length and kind of load, each "
        "device stands with its best run over all loads. Kendall's tau counts the pairs in the "
        "right order less those in the wrong one, averaged over (source, model) cells. "
        "Regret: what the device picked by predicted tokens/s per USD costs more "
        "than the one that really was the cheapest, at the purchase price of the catalog.",
    ),
    (
        "Run it on your own rows",
        "tco accuracy FOLDER reads any files of this form. Columns that must be there: device_key, "
        "model, load_kind, metric, value. Optional: row_id, run_id, stratum, source, gpus, tp, dp, "
        "ep, precision, precision_assumed, engine, input_tokens, output_tokens, load_value, "
        "limit_ttft_ms, limit_tpot_ms, overloaded, note, unit. A device or model that the catalog "
        "does not have comes with --catalog FILE (the catalog part of a scenario document) or, for "
        "a device, with --benchmark FILE (a run of the agent).",
    ),
)
