# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Builds a plan for GPUs in its own process: gpu_plan.py MODULE PLAN [TYPE]."""

import importlib
import sys
from pathlib import Path

import kiln
import tensorrt as trt
from matrix.network import add_padding


def main(module, path, dtype="float32"):
    """Builds one layer of circular padding, compiled by a module of examples/circ_pad."""
    kiln.set_default_target("cuda:sm_80+sm_90")
    importlib.import_module(module)
    builder = trt.Builder(trt.Logger(trt.Logger.WARNING))
    network = builder.create_network(1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED))
    x = network.add_input("x", getattr(trt, dtype), (-1, 3, 5, 7))
    network.mark_output(add_padding(network, x, "decorated", (1, 2, 3, 0)))
    profile = builder.create_optimization_profile()
    profile.set_shape("x", (1, 3, 5, 7), (2, 3, 5, 7), (8, 3, 5, 7))
    config = builder.create_builder_config()
    config.add_optimization_profile(profile)
    Path(path).write_bytes(bytes(builder.build_serialized_network(network, config)))


if __name__ == "__main__":
    main(*sys.argv[1:])
