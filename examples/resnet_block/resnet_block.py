# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""One block of ResNet: from ONNX to the steps that run."""

import json
from typing import Any

import numpy as np
import tensorrt as trt
from numpy.typing import NDArray
from onnx.reference import ReferenceEvaluator

import onnx
from onnx import TensorProto, helper, numpy_helper

CHANNELS, SIZE = 64, 56


def block() -> onnx.ModelProto:
    """relu(x + bn(conv(relu(bn(conv(x)))))), as torch.onnx exports it in training mode."""
    random = np.random.default_rng(0)
    nodes: list[onnx.NodeProto] = []
    weights: list[onnx.TensorProto] = []

    def weight(name: str, *shape: int) -> str:
        values = random.uniform(0.5, 1, shape) / np.sqrt(np.prod(shape[1:]))
        weights.append(numpy_helper.from_array(values.astype(np.float32), name))
        return name

    def add(op: str, name: str, inputs: list[str], pads: list[int] | None = None) -> str:
        nodes.append(helper.make_node(op, inputs, [name + "_out"], name, pads=pads))
        return name + "_out"

    tensor = "x"
    for i in "12":
        kernel = weight(f"conv{i}.weight", CHANNELS, CHANNELS, 3, 3)
        tensor = add("Conv", f"conv{i}", [tensor, kernel], pads=[1, 1, 1, 1])
        parts = [weight(f"bn{i}.{part}", CHANNELS) for part in ("scale", "bias", "mean", "var")]
        tensor = add("BatchNormalization", f"bn{i}", [tensor, *parts])
        if i == "1":
            tensor = add("Relu", "relu1", [tensor])
    tensor = add("Add", "add", [tensor, "x"])
    nodes.append(helper.make_node("Relu", [tensor], ["y"], "relu2"))
    shape = [1, CHANNELS, SIZE, SIZE]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in "xy"]
    graph = helper.make_graph(nodes, "block", ends[:1], ends[1:], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model


def parsed(model: onnx.ModelProto, builder: trt.Builder) -> trt.INetworkDefinition:
    """The network of an ONNX model."""
    network = builder.create_network(1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED))
    parser = trt.OnnxParser(network, builder.logger)
    assert parser.parse(model.SerializeToString())
    return network


def built(network: trt.INetworkDefinition, builder: trt.Builder) -> trt.ICudaEngine:
    """Its engine, with all that the inspector can show."""
    config = builder.create_builder_config()
    config.profiling_verbosity = trt.ProfilingVerbosity.DETAILED
    plan = builder.build_serialized_network(network, config)
    return trt.Runtime(builder.logger).deserialize_cuda_engine(plan)


def operands(tensors: list[dict[str, Any]]) -> str:
    """Names, types and formats, as in "x float32 linear, conv1/kernel float32 linear"."""
    return ", ".join(f"{t['Name']} {t['Datatype']} {t['Format']}" for t in tensors)


def show(engine: trt.ICudaEngine) -> None:
    """Prints the steps of an engine and what made them."""
    inspector = engine.create_engine_inspector()
    text = inspector.get_engine_information(trt.LayerInformationFormat.JSON)
    steps: list[dict[str, Any]] = json.loads(text)["Layers"]
    for number, step in enumerate(steps):
        print(f"\nstep {number}: {step['Name']}")
        print(f"    kernel    {step['TacticName']}, {step['WorkspaceBytes']} bytes of workspace")
        print(f"    reads     {operands(step['Inputs'])}")
        print(f"    writes    {operands(step['Outputs'])}")
        for rewrite in step["Rewrites"]:
            print(f"    made by   {rewrite}")
        for reason in step["Refused"]:
            print(f"    refused   {reason}")
    print(f"\n{engine.device_memory_size_v2} bytes of memory for each context")


def run(engine: trt.ICudaEngine, x: NDArray[np.float32]) -> NDArray[np.float32]:
    """The output of the block."""
    y = np.empty_like(x)
    context = engine.create_execution_context()
    for name, array in ("x", x), ("y", y):
        context.set_tensor_address(name, array.ctypes.data)
    assert context.execute_async_v3(0)
    return y


def main() -> None:
    """Follows the block, and compares its output with that of the ONNX model."""
    builder = trt.Builder(trt.Logger(trt.Logger.ERROR))
    model = block()
    network = parsed(model, builder)
    layers = (network.get_layer(i) for i in range(network.num_layers))
    print("\n".join(f"{layer.name}: {layer.type.name}" for layer in layers))
    engine = built(network, builder)
    show(engine)
    x = np.random.default_rng(1).normal(size=(1, CHANNELS, SIZE, SIZE)).astype(np.float32)
    expected = ReferenceEvaluator(model).run(None, {"x": x})
    assert isinstance(expected, list)
    np.testing.assert_allclose(run(engine, x), expected[0], rtol=1e-4, atol=1e-4)


if __name__ == "__main__":
    main()
