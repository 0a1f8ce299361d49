# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The tests of tests/python/cuda on the emulated GPU; see tests/emulation.

One child process for each file, because a process opens one driver.
"""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from emulated_gpu import EVERYTHING, run_pytest

FILES = [path.name for path in sorted((Path(__file__).parent / "cuda").glob("test_*.py"))]
NEEDS_GPU = "a stand-in for the driver is in use, the test needs a GPU"


@pytest.mark.parametrize("file", FILES)
def test_file(file):
    """Every test passes or needs a real GPU."""
    done = run_pytest([f"tests/python/cuda/{file}", "-rs"])
    assert done.returncode == 0, done.stdout + done.stderr
    skipped = [line for line in done.stdout.splitlines() if line.startswith("SKIPPED")]
    assert skipped or " passed" in done.stdout, done.stdout
    assert all(line.endswith(NEEDS_GPU) for line in skipped), skipped


@pytest.mark.parametrize(
    "arguments",
    [["test_runtime.py"], ["test_quantized_products.py", "-k", "test_products or in_one_call"]],
    ids=lambda arguments: arguments[0],
)
def test_with_all_libraries(arguments):
    """Layers that cuBLASLt and cuDNN take."""
    file, *words = arguments
    done = run_pytest([f"tests/python/cuda/{file}", *words], libraries=EVERYTHING)
    assert done.returncode == 0, done.stdout + done.stderr


def test_extra_layers():
    """The layers that Kiln adds to the API."""
    done = run_pytest(["tests/python/test_extra_layers.py"])
    assert done.returncode == 0, done.stdout + done.stderr
