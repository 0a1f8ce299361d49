# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The small models as torch's newer exporter writes them.

It takes seconds for each, so that only those run which differ most from each other; all of them
with KILN_ALL_MODELS=1.
"""

import os
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnxscript")
sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks" / "models"))
sys.path.insert(0, str(Path(__file__).parent))

from export import export_bytes  # noqa: E402
from model_checks import as_arrays, check_extents, compare, open_engine, run  # noqa: E402
from small import SMALL  # noqa: E402
from test_models import reference, skip_if_missing  # noqa: E402

pytestmark = pytest.mark.xdist_group("dynamo_models")

SOME = ("mobilenet", "swin", "gpt2", "llama4bit", "t5_decoder", "yolo", "mask_rcnn", "lstm_tagger")
ALL = os.environ.get("KILN_ALL_MODELS") == "1"


@pytest.mark.parametrize("opset", [18, 21] if ALL else [21])
@pytest.mark.parametrize("name", SMALL if ALL else SOME)
def test_small_model(name, opset):
    model = SMALL[name]
    serialized = export_bytes(model, opset, dynamo=True)
    skip_if_missing(name, serialized)
    if model.change:
        results = run(open_engine(serialized), as_arrays(model.data()))
        compare(results, reference(serialized, model), 1e-5)
    else:
        check_extents(model, serialized)
