# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The frameworks that a Python plugin may use besides NumPy, and how to install them."""

import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import kiln

# Framework: the modules that its form imports. C needs a compiler instead.
ON_CPU = {"Torch": ["torch"], "Numba": ["numba"], "Triton": ["triton", "torch"], "C": []}
ON_CUDA = {
    "Torch": ["torch"],
    "Triton": ["triton", "torch"],
    "CuPy": ["cupy"],
    "Numba": ["numba", "numba_cuda"],
    "cuda-python": ["cuda.bindings"],
}
COMPILERS = {"Triton": ["triton"], "NVRTC": ["cuda.bindings"]}  # for GPUs, ahead of time
PACKAGES = {"cupy": "cupy-cuda13x", "numba_cuda": "numba-cuda", "cuda.bindings": "cuda-bindings"}
PINS = Path(__file__).parents[3] / "requirements" / "frameworks.txt"


def missing(framework: str) -> str | None:
    """Returns a text that says what to install for the framework; None if it works."""
    if framework == "C":
        return missing_compiler("C", "CC", "cc", "gcc")
    return missing_modules((ON_CUDA if on_cuda() else ON_CPU).get(framework, []))


def missing_modules(modules: list[str]) -> str | None:
    """The same for modules."""
    absent = [module for module in modules if is_absent(module)]
    if absent:
        pins = " ".join(requirement(PACKAGES.get(module, module)) for module in absent)
        return f"not installed: pip install {pins}{source(absent)}"
    if not on_cuda():
        return None
    if "torch" in modules and importlib.metadata.version("torch").endswith("+cpu"):
        return "this torch was built without CUDA: pip install torch from PyPI"
    return next(filter(None, map(import_problem, modules)), None)


@lru_cache
def import_problem(module: str) -> str | None:
    """Why a module that is installed cannot be imported; None if it can."""
    name = "numba.cuda" if module == "numba_cuda" else module
    done = subprocess.run([sys.executable, "-c", f"import {name}"], capture_output=True, text=True)
    last_words = done.stderr.strip().splitlines()[-1:]
    return f"import {name} fails: {''.join(last_words)}" if done.returncode else None


def on_cuda() -> bool:
    """Whether engines are built for a GPU."""
    return kiln.default_target().startswith("cuda")


def is_absent(module: str) -> bool:
    """Whether a module cannot be imported, without importing it."""
    try:
        return importlib.util.find_spec(module) is None
    except ModuleNotFoundError:  # its package does not exist
        return True


def missing_to_compile(framework: str) -> str | None:
    """The same for code that is compiled into a plan; a C compiler links Numba's objects."""
    if framework in COMPILERS:
        return missing_modules(COMPILERS[framework])
    if framework == "C++":
        return missing_compiler("C++", "CXX", "c++", "g++")
    return missing(framework) or missing("C")


def missing_compiler(language: str, variable: str, usual: str, package: str) -> str | None:
    """Says how to install the system's compiler; None if it is present."""
    compiler = os.environ.get(variable, usual)
    if shutil.which(compiler):
        return None
    return f"no {language} compiler {compiler}: apt-get install {package}"


def requirement(module: str) -> str:
    """A pip requirement with the version that was tested."""
    lines = PINS.read_text().split() if PINS.exists() else []
    return next((line for line in lines if line.startswith(module + "==")), module)


def source(modules: list[str]) -> str:
    """Names the index of torch's CPU build: the default build brings gigabytes of CUDA along."""
    if on_cuda():
        return ""
    return ", from PyTorch's package index for CPUs" if "torch" in modules else ""
