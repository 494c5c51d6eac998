"""Where an encoder's weights are put: the device that was asked for, or the best there is."""

from __future__ import annotations

import re

import torch

from symdemo.errors import InputError
from symdemo.text import shorten


def pick_device(device: str | None = None) -> str:
    """`device`, or the best there is: CUDA, then MPS, then CPU.

    Raises:
        InputError: a device that is unknown, or not here.
    """
    if device:
        return _check_device(device)
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _check_device(name: str) -> str:
    if not (known := re.fullmatch(r"(cpu|cuda|mps)(?::([0-9]{1,3}))?", name)):
        raise InputError(
            f"The device “{shorten(name, 30)}” is unknown; cpu, cuda, cuda:1 or mps is expected."
        )
    kind, number = known[1], int(known[2] or 0)
    mps = int(torch.backends.mps.is_available())
    found = {"cpu": 1, "cuda": torch.cuda.device_count(), "mps": mps}
    if number >= found[kind]:
        here = ", ".join(name for name, count in found.items() if count)
        raise InputError(f"There is no device {name} here; seen: {here}.")
    return name
