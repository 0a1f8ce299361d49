# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""check_rivals.py MODEL FILE FOLDER: results of ONNX Runtime and of torch in float32, once.

Also writes the inputs, as raw bytes for trtexec and for a process without torch.
"""

import json
import sys
from pathlib import Path

import numpy as np
import torch
from catalogue import MODELS


def write_inputs(data, folder):
    folder.mkdir(parents=True, exist_ok=True)
    shapes = {}
    for name, array in data.items():
        array.tofile(folder / f"{name}.bin")
        shapes[name] = [str(array.dtype), list(array.shape)]
    (folder / "inputs.json").write_text(json.dumps(shapes))


def from_torch(model):
    with torch.inference_mode():
        result = model.module()(*model.data().values())
    result = result if isinstance(result, tuple) else (result,)
    return [value.numpy() for value in result]


def from_onnxruntime(file, outputs, data, level):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, level)
    session = onnxruntime.InferenceSession(file, options, ["CPUExecutionProvider"])
    return session.run(list(outputs), data)


def main():
    name, file, folder = sys.argv[1:]
    model, folder = MODELS[name], Path(folder)
    data = {key: value.numpy() for key, value in model.data().items()}
    write_inputs(data, folder)
    np.savez(folder / "torch.npz", *from_torch(model))
    # Fused operators of 8 bits round at other places than the file says.
    for target, level in (("plain", "ORT_DISABLE_ALL"), ("fused", "ORT_ENABLE_ALL")):
        results = from_onnxruntime(file, model.outputs, data, level)
        np.savez(folder / f"onnxruntime_{target}.npz", *results)
    (folder / "outputs.json").write_text(json.dumps(model.outputs))


if __name__ == "__main__":
    main()
