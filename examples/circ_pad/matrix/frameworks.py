# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""What a Python plugin may compute with besides NumPy, and how to get it."""

import importlib.util
import os
import shutil
from pathlib import Path

# Framework: the modules that its form imports. C needs a compiler instead.
OPTIONAL = {"Torch": ["torch"], "Numba": ["numba"], "Triton": ["triton", "torch"], "C": []}
PINS = Path(__file__).parents[3] / "requirements" / "frameworks.txt"


def missing(framework):
    """Returns what to install before the framework works, in words; None if it works."""
    if framework == "C":
        return missing_compiler("C", "CC", "cc", "gcc")
    absent = [m for m in OPTIONAL.get(framework, []) if importlib.util.find_spec(m) is None]
    if not absent:
        return None
    pins = " ".join(requirement(module) for module in absent)
    return f"not installed: pip install {pins}{source(absent)}"


def missing_to_compile(framework):
    """The same for code that is compiled into a plan; Numba's objects are linked by a compiler."""
    if framework == "C++":
        return missing_compiler("C++", "CXX", "c++", "g++")
    return missing(framework) or missing("C")


def missing_compiler(language, variable, usual, package):
    """Says how to get the system's compiler; None if it is there."""
    compiler = os.environ.get(variable, usual)
    if shutil.which(compiler):
        return None
    return f"no {language} compiler {compiler}: apt-get install {package}"


def requirement(module):
    """A module with the version that was tried, as pip takes it."""
    lines = PINS.read_text().split() if PINS.exists() else []
    return next((line for line in lines if line.startswith(module + "==")), module)


def source(modules):
    """Where torch's build for CPUs is to be had: the plain one brings gigabytes of CUDA along."""
    return ", from PyTorch's package index for CPUs" if "torch" in modules else ""
