# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Of all tests: float32 on a GPU is not rounded to TF32, so that results have one tolerance. The
files that take longest run first, so that all processes end at the same time."""

import os

os.environ.setdefault("NVIDIA_TF32_OVERRIDE", "0")

LONGEST = (
    "test_models_emulated.py",
    "test_emulated.py",
    "test_compiled.py",
    "test_cuda_emulated.py",
    "test_node_cases.py",
    "test_onnx_emulated.py",
    "test_random_emulated.py",
    "test_lifetimes.py",
)


def pytest_collection_modifyitems(items):
    order = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: order.get(item.path.name, len(order)))
