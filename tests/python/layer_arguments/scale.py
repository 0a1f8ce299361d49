# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of scale layers: see accepted_arguments.py."""

import numpy as np
import tensorrt as trt
from accepted_bench import attribute


def scale(bench):
    return bench.network.add_scale(bench.x, trt.ScaleMode.UNIFORM, scale=np.ones(1, np.float32))


def _of_layer(role):
    def call(bench, value):
        layer = bench.network.add_scale(bench.x, trt.ScaleMode.CHANNEL, **{role: value})
        return getattr(layer, role).tolist()

    return call


ROLES = ("shift", "scale", "power")
ARGUMENTS = {
    "integer": {"IScaleLayer.channel_axis": attribute(scale, "channel_axis")},
    "weights": {
        **{f"INetworkDefinition.add_scale.{role}": _of_layer(role) for role in ROLES},
        **{
            f"IScaleLayer.{role}": attribute(scale, role, lambda value: value.tolist())
            for role in ROLES
        },
    },
}
