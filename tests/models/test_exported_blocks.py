# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Blocks of recent models through both exporters of torch, against torch.

The newer exporter takes seconds for each, so that some run with it; all with KILN_ALL_MODELS=1.
"""

import contextlib
import io
import os
import sys
import warnings
from pathlib import Path

import pytest

import onnx

torch = pytest.importorskip("torch")
pytest.importorskip("onnxscript")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "onnx"))
sys.path.insert(0, str(Path(__file__).parent))

import onnx_lab as lab  # noqa: E402
from exported_blocks import BLOCKS, inputs_of  # noqa: E402

pytestmark = pytest.mark.xdist_group("dynamo_models")

NEWER = ("WindowAttention", "ExpertsByRows", "MaskedWrites", "Shifts", "Lengths")
ALL = os.environ.get("KILN_ALL_MODELS") == "1"
# Whole quotients below 0 are rounded up by the older exporter.
OLDER = [name for name in BLOCKS if name != "Shifts"]
CASES = [(name, False) for name in OLDER] + [(n, True) for n in (BLOCKS if ALL else NEWER)]


def exported(module, inputs, dynamic, dynamo):
    names = [f"x{i}" for i in range(len(inputs))]
    file = io.BytesIO()
    if dynamo:
        sizes = dynamic and tuple(dict.fromkeys(axes, torch.export.Dim.DYNAMIC) for axes in dynamic)
        options = {"dynamic_shapes": sizes, "verbose": False}
    else:
        axes = dict(zip(names, dynamic, strict=True)) if dynamic else None
        options = {"dynamic_axes": axes, "opset_version": 20}
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        program = torch.onnx.export(
            module, inputs, None if dynamo else file, dynamo=dynamo, input_names=names, **options
        )
    return program.model_proto if dynamo else onnx.load_from_string(file.getvalue())


def flat(results):
    if isinstance(results, torch.Tensor):
        return [results.numpy()]
    return [array for result in results for array in flat(result)]


@pytest.mark.parametrize(("name", "dynamo"), CASES, ids=[f"{n}-{int(d)}" for n, d in CASES])
def test_block(name, dynamo):
    torch.manual_seed(1)
    module = BLOCKS[name][0]().eval()
    inputs = inputs_of(name)
    model = exported(module, inputs, BLOCKS[name][2], dynamo)
    with torch.no_grad():
        wanted = flat(module(*inputs))
    names = [output.name for output in model.graph.output]
    feeds = {f"x{i}": value.numpy() for i, value in enumerate(inputs)}
    lab.check(model, feeds, tolerance=1e-4, wanted=dict(zip(names, wanted, strict=True)))
