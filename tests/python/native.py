# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Plugins in C++, for tests of how Python sees them."""

import contextlib
import os
import subprocess
from pathlib import Path

import kiln
import tensorrt as trt

PACKAGE = Path(kiln.__file__).parent
INCLUDE = PACKAGE / "include"
SOURCES = Path(__file__).parent


def compile_library(source, folder):
    """Compiles a source of this folder into a plugin library."""
    library = Path(folder) / f"lib{Path(source).stem}.so"
    command = [os.environ.get("CXX", "g++"), "-std=c++17", "-shared", "-fPIC", "-w"]
    subprocess.run(
        [*command, f"-I{INCLUDE}", str(SOURCES / source), "-o", str(library)], check=True
    )
    return library


@contextlib.contextmanager
def loaded(library):
    """Loads a library for the duration of the block; yields the registry."""
    registry = trt.get_plugin_registry()
    handle = registry.load_library(plugin_path=str(library))
    assert handle is not None
    try:
        yield registry
    finally:
        registry.deregister_library(handle=handle)
