# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Builds a plan, from the ONNX model or through the network API."""

from pathlib import Path

import tensorrt as trt

from . import data, network


def build_plan(way_in: str, model: str, dtype: str, logger: trt.ILogger) -> bytes:
    """Returns the plan for batches of 1 image to all.

    Half uses both kinds of networks: ONNX models a weakly typed one with the flag FP16 (like
    trtexec --fp16), the network API a strongly typed one.
    """
    builder = trt.Builder(logger)
    config = builder.create_builder_config()
    config.clear_flag(trt.BuilderFlag.TF32)  # compute float in float32 on GPUs, too
    weights = data.load_weights(dtype)  # must outlive the build
    if way_in == "ONNX":
        definition = builder.create_network(0)
        parse(definition, data.model_path(model, dtype), logger)
        if dtype == "half":
            config.set_flag(trt.BuilderFlag.FP16)
    else:
        strong = trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED
        definition = builder.create_network(1 << int(strong) if dtype == "half" else 0)
        network.define(definition, weights, model)

    profile = builder.create_optimization_profile()
    profile.set_shape("x", (1, 1, 8, 8), (64, 1, 8, 8), (data.IMAGES, 1, 8, 8))
    config.add_optimization_profile(profile)
    plan = builder.build_serialized_network(definition, config)
    if plan is None:
        raise RuntimeError("the build failed; its log says why")
    return bytes(plan)


def parse(definition: trt.INetworkDefinition, path: Path, logger: trt.ILogger) -> None:
    """Fills the network from an ONNX file."""
    parser = trt.OnnxParser(definition, logger)
    if not parser.parse_from_file(str(path)):
        errors = [str(parser.get_error(i)) for i in range(parser.num_errors)]
        raise RuntimeError(f"{path.name} was not parsed:\n" + "\n".join(errors))
