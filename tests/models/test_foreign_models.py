# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The programs of foreign_models.py from both exporters of torch, at several extents."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks" / "models"))
sys.path.insert(0, str(Path(__file__).parent))

from export import export_bytes  # noqa: E402
from foreign_models import ImageNetwork, RecommendNetwork, TextNetwork  # noqa: E402
from inputs import image  # noqa: E402
from model import Model  # noqa: E402
from model_checks import check_extents  # noqa: E402

pytestmark = pytest.mark.xdist_group("models")


def sentences(generator):
    """The last third is padding; no sentence is empty."""
    ids = torch.randint(1, 40, (3, 9), generator=generator)
    ids[1, 6:] = 0
    return {"ids": ids}


def visits(generator):
    return {
        "ids": torch.randint(100_000, (4, 3), generator=generator),
        "numbers": torch.randn(4, 8, generator=generator),
    }


MODELS = {
    "image": Model(
        ImageNetwork,
        image(2, 20),
        ("classes", "largest", "spread"),
        dynamic={"image": {0: "batch"}},
        ranges={"batch": (1, 4)},
    ),
    "text": Model(
        TextNetwork,
        sentences,
        ("scores", "values", "best"),
        dynamic={"ids": {0: "batch", 1: "length"}},
        ranges={"batch": (1, 4), "length": (2, 12)},
    ),
    "recommend": Model(
        RecommendNetwork,
        visits,
        ("crossed", "upper", "bins", "kept", "likeness"),
        dynamic={"ids": {0: "batch"}, "numbers": {0: "batch"}},
        ranges={"batch": (1, 6)},
    ),
}


@pytest.fixture(autouse=True)
def no_fast_path():
    """The fast path of attention is one operator, which no exporter knows."""
    torch.backends.mha.set_fastpath_enabled(False)
    yield
    torch.backends.mha.set_fastpath_enabled(True)


@pytest.mark.parametrize("dynamo", [False, True], ids=["torchscript", "dynamo"])
@pytest.mark.parametrize("name", MODELS)
def test_program(name, dynamo):
    if dynamo:
        pytest.importorskip("onnxscript")
    model = MODELS[name]
    if name == "text" and not dynamo:  # it writes the length into the shapes of attention
        model = replace(model, dynamic={"ids": {0: "batch"}}, ranges={"batch": (1, 4)})
    check_extents(model, export_bytes(model, 21 if dynamo else 20, dynamo=dynamo), tolerance=4e-6)
