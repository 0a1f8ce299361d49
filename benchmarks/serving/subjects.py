# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The models that are served: an ONNX file and a plan of each, made once.

python benchmarks/serving/subjects.py NAME FOLDER
"""

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FOLDER = ROOT / "build" / "serving"


@dataclasses.dataclass(frozen=True)
class Subject:
    """input: its name. row: the shape of one row. profiles: (least, usual, most) rows of each."""

    input: str
    row: tuple[int, ...]
    profiles: tuple[tuple[int, int, int], ...]


SUBJECTS = {
    "digits": Subject("x", (1, 8, 8), ((1, 32, 64),)),
    "resnet50": Subject("image", (3, 224, 224), ((1, 1, 1), (2, 8, 8))),
    # Much work for small messages: what limits a server is the device.
    "deep": Subject("x", (256,), ((1, 64, 64),)),
}

EXPORTED = ("digits", "resnet50")  # these have an ONNX file


def prepared(name, folder=FOLDER):
    """The paths of the ONNX file and the plan; another process makes them: torch is large."""
    plan, onnx = Path(folder) / f"{name}.plan", Path(folder) / f"{name}.onnx"
    if not plan.exists():
        path = os.pathsep.join([str(HERE.parent / "models"), os.environ.get("PYTHONPATH", "")])
        command = [sys.executable, str(HERE / "subjects.py"), name, str(folder)]
        subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": path})
    return onnx, plan


def write_onnx(name, folder):
    """Writes the model with a dynamic batch."""
    if name == "digits":
        source = ROOT / "examples" / "digits" / "models" / "reference.onnx"
        (folder / "digits.onnx").write_bytes(source.read_bytes())
    if name != "resnet50":
        return
    from catalogue import MODELS  # of benchmarks/models
    from export import export_file

    batch = {0: "batch"}
    dynamic = {"image": batch, "output": batch}
    export_file(name, dataclasses.replace(MODELS[name], dynamic=dynamic), folder)


def define_deep(network):
    """96 products with one matrix of 4096 x 4096, each followed by a tanh."""
    import numpy as np
    import tensorrt as trt

    none = trt.MatrixOperation.NONE
    rng = np.random.default_rng(0)
    x = network.add_input("x", trt.float32, (-1, 256))
    wide = rng.standard_normal((256, 4096), np.float32) / 16
    square = network.add_constant((4096, 4096), rng.standard_normal((4096, 4096), np.float32) / 64)
    weights = network.add_constant(wide.shape, wide).get_output(0)
    for _ in range(97):
        product = network.add_matrix_multiply(x, none, weights, none).get_output(0)
        x = network.add_activation(product, trt.ActivationType.TANH).get_output(0)
        weights = square.get_output(0)
    few = network.add_slice(x, (0, 0), (1, 16), (1, 1))
    rows = network.add_slice(network.add_shape(x).get_output(0), (0,), (1,), (1,)).get_output(0)
    sixteen = network.add_constant((1,), np.array([16], np.int64)).get_output(0)
    few.set_input(2, network.add_concatenation([rows, sixteen]).get_output(0))
    few.get_output(0).name = "y"
    network.mark_output(few.get_output(0))


def write_plan(name, folder):
    """Builds the plan from the ONNX file, if the model has one.

    For one thread, as replicas run it: kernels are chosen for the threads of the build.
    """
    import kiln
    import tensorrt as trt

    kiln.set_num_threads(1)
    subject = SUBJECTS[name]
    logger = trt.Logger(trt.Logger.WARNING)
    builder = trt.Builder(logger)
    network = builder.create_network()
    parser = trt.OnnxParser(network, logger)
    if name == "deep":
        define_deep(network)
    elif not parser.parse_from_file(str(folder / f"{name}.onnx")):
        sys.exit("\n".join(str(parser.get_error(i)) for i in range(parser.num_errors)))
    config = builder.create_builder_config()
    for rows in subject.profiles:
        profile = builder.create_optimization_profile()
        profile.set_shape(subject.input, *((count, *subject.row) for count in rows))
        config.add_optimization_profile(profile)
    unfinished = folder / f"{name}.part"
    unfinished.write_bytes(builder.build_serialized_network(network, config))
    unfinished.rename(folder / f"{name}.plan")


if __name__ == "__main__":
    target = Path(sys.argv[2])
    target.mkdir(parents=True, exist_ok=True)
    write_onnx(sys.argv[1], target)
    write_plan(sys.argv[1], target)
