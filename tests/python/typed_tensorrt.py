# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Typed code that imports tensorrt, which mypy checks in strict mode and nothing runs."""

from typing import assert_type

import kiln
import numpy as np
import tensorrt as trt
import tensorrt.plugin as trtp
from tensorrt.plugin._lib import QDP_REGISTRY


@trtp.register("typed::pad")
def pad_desc(x: trtp.TensorDesc, by: int) -> trtp.TensorDesc:
    out = x.like()
    out.shape_expr[0] = x.shape_expr[0] + 2 * by
    return out


@trtp.impl("typed::pad")
def pad(x: trtp.Tensor, by: int, outputs: tuple[trtp.Tensor], stream: int) -> None:
    np.copyto(np.asarray(outputs[0]), np.pad(np.asarray(x), by))


def run(plan: bytes, logger: trt.ILogger) -> float:
    engine = assert_type(trt.Runtime(logger).deserialize_cuda_engine(plan), kiln.ICudaEngine)
    context = engine.create_execution_context()
    x, y = kiln.DeviceArray([1.0, 2]), kiln.DeviceArray.empty(4, trt.float32)
    context.set_tensor_address("x", x)
    context.execute_v2([x, y.ptr])
    size = trtp.size_tensor(opt=trtp.ShapeExpr(4) // 2, upper_bound=trtp.ShapeExpr(4) * 2)
    assert_type(size, trtp.SizeTensorDesc)
    print(sorted(QDP_REGISTRY), trt.__version__, trt.volume(y.shape), trt.bool)
    return float(y.numpy()[0])
