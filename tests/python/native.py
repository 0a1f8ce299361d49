# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Plugins of C++ for tests of what Python sees of them."""

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
    """The plugin library of a source of this folder."""
    library = Path(folder) / f"lib{Path(source).stem}.so"
    command = [os.environ.get("CXX", "g++"), "-std=c++17", "-shared", "-fPIC", "-w"]
    subprocess.run(
        [*command, f"-I{INCLUDE}", str(SOURCES / source), "-o", str(library)], check=True
    )
    return library


@contextlib.contextmanager
def loaded(library):
    """The creators of a library, while it is loaded."""
    registry = trt.get_plugin_registry()
    handle = registry.load_library(plugin_path=str(library))
    assert handle is not None
    try:
        yield registry
    finally:
        registry.deregister_library(handle=handle)
