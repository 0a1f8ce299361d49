# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""``kiln info``: versions, target, instruction set, folders, frameworks."""

import argparse
import importlib.metadata
import importlib.util
import os
import sys
import tempfile
from pathlib import Path

import kiln
from kiln import _host_cudart as host_cudart
from kiln.cli import show
from kiln.cli.arguments import Commands

FRAMEWORKS: "tuple[str | tuple[str, ...], ...]" = (
    "numpy",
    "torch",
    "triton",
    "numba",
    ("cupy", "cupy-cuda13x", "cupy-cuda12x"),
    "cuda-bindings",
    "onnx",
    "onnx-graphsurgeon",
    "onnxruntime",
    "polygraphy",
)


def add(commands: Commands) -> None:
    """Declares the command."""
    command = commands.add_parser("info", help="show versions, target, frameworks and folders")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Prints what is installed and what engines are built for."""
    folder = Path(kiln.__file__).parent
    show.table(
        "Kiln",
        ("what", "value"),
        [
            ("kiln", kiln.kiln_version),
            ("API", f"TensorRT {kiln.__version__}"),
            ("target", kiln.default_target()),
            ("instruction set", _instruction_set()),
            ("threads", kiln.num_threads()),
            ("python", f"{sys.version.split()[0]} ({sys.executable})"),
            ("package", folder),
            ("libraries", folder / "lib"),
            ("headers", folder / "include"),
            ("import tensorrt", _tensorrt()),
            ("host libcudart", _host_cudart()),
        ],
    )
    show.table("NVIDIA GPU", ("what", "value"), _gpu())
    show.table("Frameworks", ("package", "version"), [(_name(n), _version(n)) for n in FRAMEWORKS])
    return 0


def _name(packages: "str | tuple[str, ...]") -> str:
    return packages if isinstance(packages, str) else packages[0]


def _version(packages: "str | tuple[str, ...]") -> str:
    """The version of the first package that is installed; a library may have several packages."""
    for package in (packages,) if isinstance(packages, str) else packages:
        try:
            version = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
        return version if isinstance(packages, str) else f"{version} ({package})"
    return "not installed"


def _gpu() -> "list[tuple[str, str]]":
    """The GPU, or why there is none; the libraries, or why they are not found."""
    target = kiln.describe_target("cuda")
    rows = [("target cuda", target["problem"] or ", ".join(target["architectures"]))]
    if device := target.get("device"):
        size = device["memory"] / 2**30
        rows.append(("GPU", f"{device['name']} (number {device['number']}, {size:.0f} GiB)"))
    # Without a GPU, show the libraries that build plans for one.
    libraries = target.get("libraries") or kiln.describe_target("cuda:sm_90")["libraries"]
    for library in libraries:
        found = library.get("problem") or f"{library['version']}, {library['file']}"
        rows.append((library["name"], found))
    return rows


def _tensorrt() -> str:
    """What ``import tensorrt`` gives, without importing it."""
    spec = importlib.util.find_spec("tensorrt")
    if spec is None or spec.origin is None:
        return "nothing; kiln run PROGRAM and kiln.install_as_tensorrt() make it Kiln"
    return "Kiln" if kiln._is_own_shim(spec.origin) else f"another package, {spec.origin}"


def _host_cudart() -> str:
    """Whether the host libcudart is on, and how to switch it on."""
    if str(host_cudart.FOLDER) in os.environ.get(host_cudart.VARIABLE, "").split(os.pathsep):
        return "on, through LD_LIBRARY_PATH"
    return (
        "off; kiln run PROGRAM switches it on, as does "
        f"LD_LIBRARY_PATH={host_cudart.FOLDER} or kiln.use_host_cudart()"
    )


def _instruction_set() -> str:
    """The instruction set that a plan built now would need, read from a minimal plan."""
    logger = kiln.Logger(kiln.Logger.INTERNAL_ERROR)
    builder = kiln.Builder(logger)
    network = builder.create_network()
    tensor = network.add_input("x", kiln.float32, (1,))
    network.mark_output(network.add_identity(tensor).get_output(0))
    plan = builder.build_serialized_network(network, builder.create_builder_config())
    if plan is None:
        return "unknown: no plan can be built for this target here"
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "smallest.plan")
        Path(path).write_bytes(bytes(memoryview(plan)))
        return str(kiln.describe_plan(path).get("instruction_set", "unknown"))
