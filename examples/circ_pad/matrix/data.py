# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Images, labels, models and the independent reference."""

from pathlib import Path

import numpy as np

DIGITS = Path(__file__).parents[2] / "digits"
IMAGES = 1797
BATCH = 256  # seven full batches and one of 5 are all images
DTYPES = {"float": np.float32, "half": np.float16}


def load_images(dtype):
    """Returns images [1797, 1, 8, 8] of "float" or "half", values 0..1."""
    with np.load(DIGITS / "digits.npz") as data:
        return (data["images"][:, np.newaxis] / 16).astype(DTYPES[dtype])


def load_labels():
    """Returns the digits that the images show, [1797] uint8."""
    with np.load(DIGITS / "digits.npz") as data:
        return data["labels"]


def load_weights(dtype):
    """Returns {name: array} in "float" or "half"."""
    with np.load(DIGITS / "weights.npz") as data:
        return {name: data[name].astype(DTYPES[dtype]) for name in data.files}


def model_path(model, dtype):
    """The ONNX model whose padding nodes ask for version 1, version 2 or the decorated plugin."""
    return DIGITS / "models" / f"digits.{model}.{dtype}.onnx"


def batches(images):
    """Cuts the images into pieces of at most BATCH."""
    return [images[start : start + BATCH] for start in range(0, len(images), BATCH)]


def reference_result():
    """Runs the same network in ONNX Runtime, padded by the standard Pad in mode "wrap"."""
    import onnxruntime

    model = str(DIGITS / "models" / "reference.onnx")
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": load_images("float")})[0]
