# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""One layer of the table: an ONNX operator for the rival, and the layer of Kiln."""

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from onnx import TensorProto, helper, numpy_helper

OPSET = 21
ONNX_TYPES = {
    np.float32: TensorProto.FLOAT,
    np.int32: TensorProto.INT32,
    np.int64: TensorProto.INT64,
    np.int8: TensorProto.INT8,
    np.uint8: TensorProto.UINT8,
    np.bool_: TensorProto.BOOL,
}


@dataclass
class Layer:
    """`sizes`: three sets of input shapes. `constants(shapes)`: arrays that follow the inputs as
    constants. `build(network, tensors, constants)`: the layer in Kiln's network API; without it,
    Kiln's parser reads the operator. `values`: ranges of inputs, {index: (type, low, high)}, or
    functions that give int64 for a shape; others are float32 of -2 to 2."""

    name: str
    operator: str
    sizes: list
    attributes: dict = field(default_factory=dict)
    constants: Callable = lambda shapes: []
    build: Callable | None = None
    values: dict = field(default_factory=dict)
    outputs: int = 1
    tolerance: float = 1e-4
    holes: tuple = ()  # places of absent operands, counted among all

    def type_of(self, index):
        given = self.values.get(index, (np.float32,))
        return np.int64 if callable(given) else given[0]

    def arrays(self, size):
        generator = np.random.default_rng(zlib.crc32(self.name.encode()))
        arrays = []
        for index, shape in enumerate(self.sizes[size]):
            given = self.values.get(index, (np.float32, -2.0, 2.0))
            if callable(given):
                arrays.append(given(shape))
                continue
            dtype, low, high = given
            if dtype is np.bool_:
                arrays.append(generator.integers(0, 2, shape).astype(dtype))
            elif np.issubdtype(dtype, np.integer):
                arrays.append(generator.integers(low, high, shape, endpoint=True).astype(dtype))
            else:
                arrays.append(generator.uniform(low, high, shape).astype(dtype))
        return arrays

    def model(self, size):
        """The operator as an ONNX model."""
        shapes = self.sizes[size]
        inputs = [
            helper.make_tensor_value_info(f"x{i}", ONNX_TYPES[self.type_of(i)], shape)
            for i, shape in enumerate(shapes)
        ]
        constants = [
            numpy_helper.from_array(np.ascontiguousarray(array), f"c{i}")
            for i, array in enumerate(self.constants(shapes))
        ]
        names = [i.name for i in inputs] + [c.name for c in constants]
        for place in self.holes:
            names.insert(place, "")
        outputs = [f"y{i}" for i in range(self.outputs)]
        node = helper.make_node(self.operator, names, outputs, **self.attributes)
        infos = [helper.make_empty_tensor_value_info(name) for name in outputs]
        graph = helper.make_graph([node], self.name, inputs, infos, constants)
        return helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10
        ).SerializeToString()
