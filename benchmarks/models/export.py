# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Exports a model to ONNX, once; larger weights lie in a file beside the model."""

import contextlib
import inspect
import io
import logging
import warnings
from pathlib import Path

import torch

OPSET = 20
EXTERNAL_BYTES = 16 << 20


def export_bytes(model, opset=OPSET, dtype=None, dynamo=False):
    """The model as a serialized ModelProto; `dynamo` is the newer exporter, of `onnxscript`."""
    module = model.module()
    data = model.data()
    if dtype is not None:
        module = module.to(dtype)
        data = {n: v.to(dtype) if v.is_floating_point() else v for n, v in data.items()}
    settings = {"input_names": list(data), "output_names": list(model.outputs)}
    export = _with_dynamo if dynamo else _with_tracing
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        serialized = export(model, module, tuple(data.values()), opset, settings)
    return model.change(serialized, model) if model.change else serialized


def _with_tracing(model, module, values, opset, settings):
    target = io.BytesIO()
    torch.onnx.export(
        module,
        values,
        target,
        dynamic_axes=model.dynamic,
        opset_version=opset,
        dynamo=False,
        **settings,
    )
    return target.getvalue()


def _with_dynamo(model, module, values, opset, settings):
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    program = torch.onnx.export(
        module,
        values,
        dynamic_shapes=_dynamic_shapes(model, module, settings["input_names"]),
        opset_version=opset,
        dynamo=True,
        verbose=False,
        **settings,
    )
    return program.model_proto.SerializeToString()


def _dynamic_shapes(model, module, names):
    """By parameter of `forward`; what has no parameter of its own belongs to `*past`."""
    if not model.dynamic:
        return None
    shapes = [
        dict.fromkeys(model.dynamic.get(name, {}), torch.export.Dim.DYNAMIC) for name in names
    ]
    parameters = inspect.signature(module.forward).parameters.values()
    own = sum(p.kind is not p.VAR_POSITIONAL for p in parameters)
    return (*shapes[:own], tuple(shapes[own:])) if own < len(parameters) else tuple(shapes)


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
