# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Shared by the examples of this folder: building, running, saving, and running elsewhere.

These are the usual API calls around a plugin; nothing here is specific to decorated plugins.
kiln.DeviceArray allocates memory on the engine's target: the host, or the GPU for cuda.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import kiln
import numpy as np
import tensorrt as trt

if TYPE_CHECKING:
    import onnx  # for annotations only

LOGGER = trt.Logger(trt.Logger.WARNING)
Shape = tuple[int, ...]
Profile = Mapping[str, tuple[Shape, Shape, Shape]]
Arrays = dict[str, Any]  # NumPy arrays by tensor name
Run = Callable[[trt.ICudaEngine, Arrays], Arrays]


def build(
    define: "Callable[[trt.INetworkDefinition], None] | onnx.ModelProto",
    *,
    profile: Profile | None = None,
    flags: int = 0,
    preview: Sequence[trt.PreviewFeature] = (),
) -> bytes:
    """Returns a plan.

    define: a function that fills a network, or an ONNX model. profile: {input: (smallest, usual,
    largest shape)}. flags: those of the network. preview: features to enable.
    """
    builder = trt.Builder(LOGGER)
    network = builder.create_network(flags)
    if callable(define):
        define(network)
    else:
        parse(network, define)
    config = builder.create_builder_config()
    for feature in preview:
        config.set_preview_feature(feature, True)
    if profile:
        shapes = builder.create_optimization_profile()
        for name, (smallest, usual, largest) in profile.items():
            shapes.set_shape(name, smallest, usual, largest)
        config.add_optimization_profile(shapes)
    plan = builder.build_serialized_network(network, config)
    if plan is None:
        raise RuntimeError("the build failed; the log above says why")
    return bytes(plan)


def parse(network: trt.INetworkDefinition, model: "onnx.ModelProto") -> None:
    """Fills the network from an ONNX model."""
    parser = trt.OnnxParser(network, LOGGER)
    if not parser.parse(model.SerializeToString()):
        raise RuntimeError("\n".join(str(parser.get_error(i)) for i in range(parser.num_errors)))


def open_plan(plan: bytes, *, host_code: bool = False) -> trt.ICudaEngine:
    """Returns the engine. host_code: whether the plan's own machine code may run."""
    runtime = trt.Runtime(LOGGER)
    runtime.engine_host_code_allowed = host_code
    engine = runtime.deserialize_cuda_engine(plan)
    if engine is None:
        raise RuntimeError("the plan was not opened; the log above says why")
    return engine


def run(engine: trt.ICudaEngine, inputs: Arrays) -> Arrays:
    """Returns {output: array} for {input: array}."""
    context = engine.create_execution_context()
    arrays = {name: kiln.DeviceArray(array, engine=engine) for name, array in inputs.items()}
    for name, array in arrays.items():
        context.set_input_shape(name, array.shape)
    outputs = {}
    for index in range(engine.num_io_tensors):
        name = engine.get_tensor_name(index)
        if engine.get_tensor_mode(name) == trt.TensorIOMode.OUTPUT:
            dtype = trt.nptype(engine.get_tensor_dtype(name))
            shape = context.get_tensor_shape(name)
            outputs[name] = kiln.DeviceArray.empty(shape, dtype, engine=engine)
    for name, array in {**arrays, **outputs}.items():
        context.set_tensor_address(name, array)
    if not context.execute_async_v3(0):
        raise RuntimeError("the run failed; the log above says why")
    return {name: array.numpy() for name, array in outputs.items()}


def run_elsewhere(program: str, plan: bytes, inputs: Arrays) -> Arrays:
    """Runs `program --run FOLDER` in a new process; returns the outputs that it computed."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "model.plan").write_bytes(plan)
        np.savez(Path(folder) / "inputs.npz", **inputs)
        subprocess.run([sys.executable, program, "--run", folder], check=True)
        with np.load(Path(folder) / "outputs.npz") as outputs:
            return dict(outputs)


def run_saved(run: Run = run, *, host_code: bool = False) -> bool:
    """The other side of run_elsewhere; False if the command line does not ask for it."""
    if sys.argv[1:2] != ["--run"]:
        return False
    folder = Path(sys.argv[2])
    with np.load(folder / "inputs.npz") as inputs:
        engine = open_plan((folder / "model.plan").read_bytes(), host_code=host_code)
        np.savez(folder / "outputs.npz", **run(engine, dict(inputs)))
    return True


def check(
    program: str,
    ways_in: Mapping[str, Callable[[], bytes]],
    inputs: Arrays,
    expected: Arrays,
    *,
    run: Run = run,
    host_code: bool = False,
) -> None:
    """Builds in each way, runs here and in another process, and compares.

    ways_in: {name: function that returns a plan}. inputs, expected: {tensor: array}. run: how to
    run an engine. host_code: see open_plan. `program --run FOLDER` is the other process, see
    run_saved.
    """
    for name, make in ways_in.items():
        plan = make()
        for where, outputs in (
            ("here", run(open_plan(plan, host_code=host_code), inputs)),
            ("in another process", run_elsewhere(program, plan, inputs)),
        ):
            for tensor, array in expected.items():
                np.testing.assert_array_equal(outputs[tensor], array, f"{name}, {where}: {tensor}")
            print(f"{name}, {where}: right")


if __name__ == "__main__":
    run_saved(host_code=True)  # a plan that needs no plugin
