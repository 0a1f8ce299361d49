# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Decides whether a row is right."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .data import DTYPES

# float: sums of up to 256 products in another order than the reference; 3e-7 was measured.
# half: weights, activations and results rounded to 11 bits; rounding each tensor of this network
# in NumPy changes a probability by up to 1.6e-3. Zero padding changes one by 0.98.
TOLERANCE = {"float": 1e-5, "half": 1e-2}
# Rounding may change the result of two of 1,797 images.
ACCURACY_TOLERANCE = 2 / 1797


def largest_difference(y: npt.NDArray[Any], reference: npt.NDArray[Any]) -> float:
    """Returns max |y - reference|; infinity if y has another shape or any NaN."""
    if y.shape != reference.shape or np.isnan(y).any():
        return float("inf")
    return float(np.abs(y - reference).max())


def accuracy_of(y: npt.NDArray[Any], labels: npt.NDArray[Any]) -> float:
    """The fraction of images whose largest probability is at their label."""
    return float((y.argmax(axis=1) == labels).mean())


def find_problem(
    y: npt.NDArray[Any],
    seen_types: Sequence[str],
    dtype: str,
    reference: npt.NDArray[Any],
    labels: npt.NDArray[Any],
) -> str | None:
    """Returns a text that says what is wrong with a row, or None.

    seen_types: the type names that enqueue reported while the result was computed.
    """
    expected_type = np.dtype(DTYPES[dtype]).name
    if not seen_types:
        return "enqueue never reported a tensor type"
    if set(seen_types) != {expected_type}:
        return f"enqueue saw {', '.join(sorted(set(seen_types)))}, expected {expected_type} only"
    difference = largest_difference(y, reference)
    if not difference <= TOLERANCE[dtype]:
        return f"largest difference {difference:.3g} is above {TOLERANCE[dtype]:g}"
    lost = accuracy_of(reference, labels) - accuracy_of(y, labels)
    if lost > ACCURACY_TOLERANCE:
        return f"accuracy is {lost:.2%} below the reference"
    return None
