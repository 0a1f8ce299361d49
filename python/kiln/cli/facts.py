# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""What is installed on this machine, as ``kiln info`` and ``kiln doctor`` show it."""

import importlib.metadata
import importlib.util
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import kiln
from kiln import _host_cudart as host_cudart

PACKAGE = Path(kiln.__file__).parent
# A library that several packages provide has them all, the one to install first.
FRAMEWORKS = {
    "numpy": ("numpy",),
    "torch": ("torch",),
    "triton": ("triton",),
    "numba": ("numba",),
    "cupy": ("cupy-cuda13x", "cupy-cuda12x", "cupy"),
    "cuda-bindings": ("cuda-bindings",),
    "onnx": ("onnx",),
    "onnx-graphsurgeon": ("onnx-graphsurgeon",),
    "onnxruntime": ("onnxruntime",),
    "polygraphy": ("polygraphy",),
}


def collect() -> dict[str, Any]:
    """All facts, as ``kiln info --json`` prints them. docs/kiln-command.md explains the keys."""
    return {
        "kiln": kiln.kiln_version,
        "api": kiln.__version__,
        "target": kiln.default_target(),
        "instruction_set": instruction_set(),
        "threads": kiln.num_threads(),
        "python": {"version": sys.version.split()[0], "executable": sys.executable},
        "package": str(PACKAGE),
        "libraries": str(PACKAGE / "lib"),
        "headers": str(PACKAGE / "include"),
        "tensorrt": tensorrt_module(),
        "host_cudart": host_runtime(),
        "gpu": gpu(),
        "frameworks": {name: installed(packages) for name, packages in FRAMEWORKS.items()},
    }


def installed(packages: "tuple[str, ...]") -> "dict[str, str] | None":
    """Package and version of the first that is installed; None for none."""
    for package in packages:
        try:
            return {"package": package, "version": importlib.metadata.version(package)}
        except importlib.metadata.PackageNotFoundError:
            continue
    return None


def gpu() -> dict[str, Any]:
    """The target cuda; without a GPU with the libraries that build plans for one."""
    target = kiln.describe_target("cuda")
    if "libraries" not in target:
        target["libraries"] = kiln.describe_target("cuda:sm_90")["libraries"]
    return target


def tensorrt_module() -> dict[str, Any]:
    """What ``import tensorrt`` imports, found without importing it: kiln, other or none."""
    spec = importlib.util.find_spec("tensorrt")
    if spec is None or spec.origin is None:
        return {"module": "none", "file": None}
    own = kiln._is_own_shim(spec.origin)
    return {"module": "kiln" if own else "other", "file": spec.origin}


def host_runtime() -> dict[str, Any]:
    """The libcudart over host memory, and whether programs started from here find it."""
    folders = os.environ.get(host_cudart.VARIABLE, "").split(os.pathsep)
    return {"on": str(host_cudart.FOLDER) in folders, "folder": str(host_cudart.FOLDER)}


def smallest_network(builder: "kiln.Builder") -> "kiln.INetworkDefinition":
    """A network with one layer: x of four float32 values, and y, its absolute values."""
    network = builder.create_network()
    tensor = network.add_input("x", kiln.float32, (4,))
    y = network.add_unary(tensor, kiln.UnaryOperation.ABS).get_output(0)
    y.name = "y"
    network.mark_output(y)
    return network


def instruction_set() -> "str | None":
    """The instruction set that a plan built now would need, read from a minimal plan."""
    builder = kiln.Builder(kiln.Logger(kiln.Logger.INTERNAL_ERROR))
    network = smallest_network(builder)
    plan = builder.build_serialized_network(network, builder.create_builder_config())
    if plan is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "smallest.plan")
        Path(path).write_bytes(bytes(memoryview(plan)))
        found = kiln.describe_plan(path).get("instruction_set")
    return None if found is None else str(found)
