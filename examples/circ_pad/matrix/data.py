# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Images, labels, models and the independent reference."""

import functools
import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

DIGITS = Path(__file__).parents[2] / "digits"
IMAGES = 1797
BATCH = 256  # seven full batches and one of 5 make up all images
DTYPES = {"float": np.float32, "half": np.float16}


def load_images(dtype: str) -> npt.NDArray[Any]:
    """Returns images [1797, 1, 8, 8] of "float" or "half", values 0..1."""
    with np.load(DIGITS / "digits.npz") as data:
        images: npt.NDArray[np.uint8] = data["images"]
        return (images[:, np.newaxis] / 16).astype(DTYPES[dtype])


def load_labels() -> npt.NDArray[np.uint8]:
    """Returns the labels of the images, [1797] uint8."""
    with np.load(DIGITS / "digits.npz") as data:
        labels: npt.NDArray[np.uint8] = data["labels"]
        return labels


def load_weights(dtype: str) -> dict[str, npt.NDArray[Any]]:
    """Returns {name: array} in "float" or "half"."""
    with np.load(DIGITS / "weights.npz") as data:
        return {name: data[name].astype(DTYPES[dtype]) for name in data.files}


def model_path(model: str, dtype: str) -> Path:
    """The ONNX model whose padding nodes name version 1, version 2 or the decorated plugin."""
    return DIGITS / "models" / f"digits.{model}.{dtype}.onnx"


def batches(images: npt.NDArray[Any]) -> list[npt.NDArray[Any]]:
    """Splits the images into batches of at most BATCH."""
    return [images[start : start + BATCH] for start in range(0, len(images), BATCH)]


def reference_name() -> str:
    """Name of the reference: ONNX Runtime, or NumPy if that is not installed."""
    return "ONNX Runtime" if importlib.util.find_spec("onnxruntime") else "NumPy"


@functools.cache
def reference_result() -> npt.NDArray[Any]:
    """Runs the same network, padded without the plugin."""
    if reference_name() == "NumPy":
        return numpy_result(load_images("float"), load_weights("float"))
    import onnxruntime

    model = str(DIGITS / "models" / "reference.onnx")
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    return np.asarray(session.run(None, {"x": load_images("float")})[0])


def numpy_result(x: npt.NDArray[Any], weights: Mapping[str, npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """The network in NumPy, with np.pad in mode "wrap"."""

    def layer(x: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
        padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)), mode="wrap")
        windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
        kernel, bias = weights[f"{name}_kernel"], weights[f"{name}_bias"]
        maps = np.tensordot(windows, kernel, axes=((1, 4, 5), (1, 2, 3))).transpose(0, 3, 1, 2)
        result: npt.NDArray[Any] = np.maximum(maps + bias.reshape(1, -1, 1, 1), 0)
        return result

    maps = layer(x, "conv1")
    count, channels, height, width = maps.shape
    pooled = maps.reshape(count, channels, height // 2, 2, width // 2, 2).max(axis=(3, 5))
    flat = layer(pooled, "conv2").reshape(count, -1)
    logits = flat @ weights["linear_kernel"] + weights["linear_bias"]
    exponents = np.exp(logits - logits.max(axis=1, keepdims=True))
    result: npt.NDArray[Any] = exponents / exponents.sum(axis=1, keepdims=True)
    return result
