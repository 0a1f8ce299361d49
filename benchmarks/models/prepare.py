# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""prepare.py MODEL FOLDER [DEVICE]: writes a model's ONNX file and its float64 result, once."""

import sys
from pathlib import Path

import numpy as np
import torch
from catalogue import MODELS
from export import export_file


def write_reference(name, model, folder, device):
    path = Path(folder) / f"{name}.npz"
    if path.exists():
        return
    module = model.module().double().to(device)
    data = [v.double() if v.is_floating_point() else v for v in model.data().values()]
    with torch.inference_mode():
        result = module(*(v.to(device) for v in data))
    result = result if isinstance(result, tuple) else (result,)
    arrays = {f"{i:03}": v.cpu().numpy() for i, v in enumerate(result)}
    unfinished = path.with_suffix(".part.npz")
    np.savez(unfinished, **arrays)
    unfinished.rename(path)


if __name__ == "__main__":
    name, folder, device = (*sys.argv[1:], "cpu")[:3]
    export_file(name, MODELS[name], folder)
    write_reference(name, MODELS[name], folder, device)
