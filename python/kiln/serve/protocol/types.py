# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Names of element types: the protocol's, NumPy's, and those of Triton's model configuration."""

from functools import cache
from typing import Any

import numpy as np

from kiln._messages import coded

# The protocol has no names for the 8-bit floats; these two are Kiln's own.
NUMPY_NAMES = {
    "BOOL": "bool",
    "UINT8": "uint8",
    "UINT16": "uint16",
    "UINT32": "uint32",
    "UINT64": "uint64",
    "INT8": "int8",
    "INT16": "int16",
    "INT32": "int32",
    "INT64": "int64",
    "FP16": "float16",
    "FP32": "float32",
    "FP64": "float64",
    "BF16": "bfloat16",
    "FP8_E4M3": "float8_e4m3fn",
    "FP8_E5M2": "float8_e5m2",
}

DATATYPES = {numpy_name: name for name, numpy_name in NUMPY_NAMES.items()}


def datatype(dtype: str) -> str:
    """The protocol's name of an engine's type: 'float32' gives 'FP32'."""
    return DATATYPES.get(dtype, dtype.upper())


@cache
def datatype_of(dtype: "np.dtype[Any]") -> str:
    """The protocol's name of NumPy's type, which takes NumPy microseconds to name."""
    return datatype(dtype.name)


def config_type(dtype: str) -> str:
    """The name of a type in a model configuration: 'float32' gives 'TYPE_FP32'."""
    return f"TYPE_{datatype(dtype)}"


@cache
def numpy_type(dtype: str) -> "np.dtype[Any]":
    """NumPy's type of an engine's type; those that NumPy lacks come from ml_dtypes."""
    try:
        return np.dtype(dtype)
    except TypeError:
        pass
    try:
        import ml_dtypes
    except ImportError as error:
        raise coded(
            ImportError,
            f"[protocol] tensors of {dtype}: expected the package ml_dtypes, which has the type."
            " Install it: pip install ml_dtypes",
        ) from error
    found: np.dtype[Any] = np.dtype(getattr(ml_dtypes, dtype))
    return found
