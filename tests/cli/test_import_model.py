"""`tco import-model`: YAML to paste, JSON, and errors with the key."""

from __future__ import annotations

import io
import json
import sys

import yaml

from cli.main import main
from tests.engine.document.test_huggingface import DEEPSEEK, LLAMA


def written(folder, config, name="config.json"):
    """Return the path of a file with `config`."""
    path = folder / name
    path.write_text(json.dumps(config), encoding="utf-8")
    return str(path)


def test_yaml_with_its_memory(tmp_path, capsys):
    """The entry can be pasted; above it parameters, weights and cache are told."""
    path = written(tmp_path, DEEPSEEK)
    assert main(["import-model", path, "--name", "deepseek-ai/DeepSeek-V3"]) == 0
    out = capsys.readouterr().out
    assert "# 671.026 x 10^9 parameters, 36.625 compute for a token" in out
    assert "# KV cache as bf16: 70,272 B a token" in out
    (entry,) = yaml.safe_load(out)["catalog"]["models"]
    assert (entry["key"], entry["experts"]["routed"], entry["latent"]["kv_rank"]) == (
        "deepseek-ai/DeepSeek-V3",
        256,
        512,
    )


def test_json(tmp_path, capsys):
    """The same figures for programs; the folder's name stands in for a name."""
    folder = tmp_path / "llama-8b"
    folder.mkdir()
    assert main(["import-model", written(folder, LLAMA), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["model"]["key"] == "llama-8b"
    assert found["cache_bytes_per_token"] == {"bf16": 131072, "fp8": 65536}
    assert found["cache_gb_by_context"]["bf16"]["4096"] == 131072 * 4096 / 1e9
    assert round(found["weights_gb"], 2) == 16.06


def test_standard_input(monkeypatch, capsys):
    """A pipe works as a file does."""
    pipe = io.TextIOWrapper(io.BytesIO(json.dumps(LLAMA).encode()), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", pipe)
    assert main(["import-model", "-"]) == 0
    assert "key: imported-model" in capsys.readouterr().out


def test_a_missing_key_is_named(tmp_path, capsys):
    """Exit code 2 and one line on the error stream."""
    broken = {key: value for key, value in LLAMA.items() if key != "vocab_size"}
    assert main(["import-model", written(tmp_path, broken)]) == 2
    assert capsys.readouterr().err == "vocab_size: is missing; add it to the config\n"
    assert main(["import-model", str(tmp_path / "none.json")]) == 2
    assert "cannot be read" in capsys.readouterr().err
