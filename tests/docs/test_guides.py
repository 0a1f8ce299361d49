# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs every program of the guides as printed."""

import re
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import guide_pages

DOCS = guide_pages.ROOT / "docs"
# What kiln.serve needs, and its clients.
SERVE = ("ray", "orjson", "grpc", "uvicorn", "tritonclient.grpc", "tritonclient.http")
PAGES = {  # page: least number of programs
    "install": 3,
    "first-plugin": 5,
    "coming-from-tensorrt": 3,
    "exported-plugins": 4,
    "debug-plugins": 4,
    "serve-an-engine": 3,
    "inference-protocol": 3,
    "serving": 12,
    "batching": 3,
    "other-gpus": 4,
    "performance": 4,
    "notebooks": 3,
    "refit": 1,
    "weight-streaming": 1,
    "messages/builder": 1,
    "messages/context": 1,
    "messages/network": 1,
    "messages/onnx": 1,
    "messages/run": 1,
    "messages/weights": 1,
}


@pytest.mark.parametrize("page", PAGES)
def test_guide(page, tmp_path):
    text = (DOCS / f"{page}.md").read_text()
    for module in ("torch", "fastapi", "onnxscript", "cuda.bindings", *SERVE):
        if re.search(rf"^(import|from) {re.escape(module)}\b", text, re.MULTILINE):
            pytest.importorskip(module)
    if re.search(r"^curl ", guide_pages.shell(text), re.MULTILINE) and not shutil.which("curl"):
        pytest.skip("there is no curl on this machine")
    assert guide_pages.check(DOCS / f"{page}.md", tmp_path) >= PAGES[page]


def test_numbers_that_vary():
    assert guide_pages.fits("a  1.5 ms (p9)\n", "a 12 ms (p10)\n", vary=True)
    assert not guide_pages.fits("a 1.5 ms\n", "a 12 us\n", vary=True)
    assert not guide_pages.fits("a 1\n", "a 2\n")


@pytest.mark.parametrize(
    "shown, printed, same",
    [
        ("a\n", "a\n", True),
        ("a ... c\n", "a b\nb c\n", True),
        ("a\n", "b\n", False),
        ("a...", "a", True),
    ],
)
def test_dots_stand_for_any_text(shown, printed, same):
    assert guide_pages.fits(shown, printed) == same
