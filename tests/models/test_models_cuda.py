# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The small models on a GPU, in float32 and with layers in float16."""

import sys
from pathlib import Path

import kiln as trt
import pytest

torch = pytest.importorskip("torch")
sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks" / "models"))
sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))

import device_memory  # noqa: E402
from export import export_bytes  # noqa: E402
from model_checks import as_arrays, check_extents, compare, expected, open_engine, run  # noqa: E402
from small import SMALL  # noqa: E402
from test_models import QUANTIZATION_ERROR, reference, skip_if_missing  # noqa: E402

PROBLEM = trt.describe_target("cuda")["problem"]

pytestmark = [
    pytest.mark.cuda,
    pytest.mark.xdist_group("models"),
    pytest.mark.skipif(bool(PROBLEM), reason=PROBLEM or "there is a GPU"),
]

# Rounding to 11 bits moves a score over a threshold, or a box to another level of the pyramid.
DISCONTINUOUS = ("yolo", "mask_rcnn")

# The emulated GPU takes long for convolutions in float16.
EMULATED_HALF = ("dlrm", "llama", "mobilenet", "t5_encoder", "vit")

# The largest errors in float16, of deep networks or large scores, are a third of these.
HALF_TOLERANCE = {"t5_encoder": 0.03, "t5_decoder": 0.03}


@pytest.fixture(autouse=True)
def target():
    trt.set_default_target("cuda")
    yield
    trt.set_default_target(None)


def exported(name):
    serialized = export_bytes(SMALL[name])
    skip_if_missing(name, serialized)
    return serialized


@pytest.mark.parametrize("name", [name for name in SMALL if not SMALL[name].change])
def test_in_float32(name):
    # Sums are in another order than those of the CPU.
    check_extents(SMALL[name], exported(name), tolerance=4e-6)


@pytest.mark.parametrize(
    "name", [n for n in SMALL if not SMALL[n].change and n not in DISCONTINUOUS]
)
def test_in_float16(name):
    if device_memory.emulated() and name not in EMULATED_HALF:
        pytest.skip("float16 on the emulated GPU is slow")
    tolerance = HALF_TOLERANCE.get(name, 0.01)
    check_extents(SMALL[name], exported(name), tolerance, flags=[trt.BuilderFlag.FP16])


@pytest.mark.parametrize("name", [name for name in SMALL if SMALL[name].change])
def test_quantized(name):
    model = SMALL[name]
    serialized = exported(name)
    results = run(open_engine(serialized), as_arrays(model.data()))
    # A sum in another order may round to the next of 255 steps.
    compare(results, reference(serialized, model), 0.02)
    compare(results, expected(model, model.data()), QUANTIZATION_ERROR)
