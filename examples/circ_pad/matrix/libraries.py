# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Builds C++ examples against the installed Kiln."""

import os
import shutil
import sys
from pathlib import Path

from .forms import HERE
from .process import run_process

BUILT = HERE.parents[1] / "build" / "examples"


def package_option() -> list[str]:
    """CMake's option for Kiln_DIR, unless the environment has Kiln_DIR or CMAKE_PREFIX_PATH."""
    if "Kiln_DIR" in os.environ or "CMAKE_PREFIX_PATH" in os.environ:
        return []
    folder = run_process([sys.executable, "-m", "kiln", "config", "--cmakedir"]).strip()
    return [f"-DKiln_DIR={folder}"]


def find_cmake() -> str:
    """The cmake next to this Python, else the one on PATH."""
    places = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    cmake = shutil.which("cmake", path=places)
    if cmake is None:
        raise RuntimeError("cmake was not found; pip install cmake, or name --libraries")
    return cmake


def build_example(source: Path, product: str, folder: Path) -> Path:
    """Returns the folder of product, a file that the CMake project in source builds.

    In a built source tree it is under build/examples; otherwise it is built now, into folder.
    """
    in_tree = BUILT / source.name
    if (in_tree / product).exists():
        return in_tree
    cmake = find_cmake()
    run_process([cmake, "-S", source, "-B", folder, *package_option()])
    run_process([cmake, "--build", folder, "--parallel", "2"])
    return Path(folder)


def find_libraries(folder: Path) -> Path:
    """Returns the folder of libcirc_pad_v2.so and libcirc_pad_v3.so, see build_example.

    If nvcc was found, the folder also contains the libraries for GPUs.
    """
    return build_example(HERE, "libcirc_pad_v3.so", folder)
