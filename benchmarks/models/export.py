# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Exports a model to ONNX, once; larger weights lie in a file beside the model."""

import contextlib
import io
import warnings
from pathlib import Path

import torch

OPSET = 20
EXTERNAL_BYTES = 16 << 20


def export_bytes(model, opset=OPSET, dtype=None):
    """The model as a serialized ModelProto."""
    module = model.module()
    data = model.data()
    if dtype is not None:
        module = module.to(dtype)
        data = {n: v.to(dtype) if v.is_floating_point() else v for n, v in data.items()}
    target = io.BytesIO()
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module,
            tuple(data.values()),
            target,
            input_names=list(data),
            output_names=list(model.outputs),
            dynamic_axes=model.dynamic,
            opset_version=opset,
            dynamo=False,
        )
    return target.getvalue()


def export_file(name, model, folder, dtype=None, opset=OPSET):
    """Writes `name`.onnx into the folder unless it is there; returns its path."""
    path = Path(folder) / f"{name}.onnx"
    if path.exists():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    import onnx  # only here: tests export without it

    proto = onnx.load_from_string(export_bytes(model, opset, dtype))
    unfinished = path.with_suffix(".part")
    large = sum(len(tensor.raw_data) for tensor in proto.graph.initializer) > EXTERNAL_BYTES
    if large:
        weights = path.with_suffix(".weights")
        weights.unlink(missing_ok=True)
        onnx.save(
            proto,
            unfinished,
            save_as_external_data=True,
            location=weights.name,
            size_threshold=1024,
        )
    else:
        onnx.save(proto, unfinished)
    unfinished.rename(path)
    return path
