# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Builds the two C++ plugin libraries against the installed Kiln."""

import os
import shutil
import sys
from pathlib import Path

from .forms import HERE
from .process import run_process


def cmake_folder():
    """Where find_package(Kiln) looks: the environment's Kiln_DIR, else what kiln says."""
    if folder := os.environ.get("Kiln_DIR"):
        return folder
    return run_process([sys.executable, "-m", "kiln", "config", "--cmakedir"]).strip()


def find_cmake():
    """The cmake beside this Python, else that on PATH."""
    places = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    cmake = shutil.which("cmake", path=places)
    if cmake is None:
        raise RuntimeError("cmake was not found; pip install cmake, or name --libraries")
    return cmake


def build_project(source, folder):
    """Builds the CMake project in source into folder; returns folder."""
    cmake = find_cmake()
    run_process([cmake, "-S", source, "-B", folder, f"-DKiln_DIR={cmake_folder()}"])
    run_process([cmake, "--build", folder, "--parallel", "2"])
    return Path(folder)


def build_libraries(folder):
    """Returns folder, which then holds libcirc_pad_v2.so and libcirc_pad_v3.so."""
    return build_project(HERE, folder)
