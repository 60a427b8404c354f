"""Torch is optional: it's loaded late, and its absence is one clear line."""

from __future__ import annotations

import importlib
import importlib.util
import warnings
from typing import Any

from tco_agent.errors import AgentError, ExitCode

TORCH_VERSION = "2.13.0"
NO_TORCH = (
    f"torch is not installed for this Python: pip install torch=={TORCH_VERSION}, the CPU build "
    "(pytorch.org/get-started gives the line), or the build for your CUDA or ROCm driver"
)


def torch_is_installed() -> bool:
    """True when torch can be found, without importing it."""
    return importlib.util.find_spec("torch") is not None


def require_torch() -> None:
    """AgentError with exit code 3, and how to get torch, when it is missing."""
    if not torch_is_installed():
        raise AgentError(NO_TORCH, ExitCode.NO_TORCH)


def load_torch() -> Any:
    """Import torch (seconds); a missing numpy is no matter for this package."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module("torch")
