# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A row of the table: a layer, and what computes the same in Torch."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import tensorrt as trt

TYPES = {
    "float": trt.float32,
    "half": trt.float16,
    "bfloat16": trt.bfloat16,
    "int": trt.int32,
    "long": trt.int64,
    "byte": trt.int8,
    "bool": trt.bool,
}
BYTES = {"float": 4, "half": 2, "bfloat16": 2, "int": 4, "long": 8, "byte": 1, "bool": 1}


@dataclass
class Operand:
    """An input of random numbers. type: "" for that of the row; integers: low <= x < high.

    distinct: the numbers 0, 1, ... in random order, along the last axis if it is longer than 1;
    share: the share of elements that are not zero.
    """

    shape: tuple
    type: str = ""
    low: float = -1.0
    high: float = 1.0
    distinct: bool = False
    share: float = 1.0


@dataclass
class Row:
    """inputs(n): operands, n is `full` in the table and 1 in a trial. build(network, tensors): the
    output tensor or several. rival(torch, tensors): the same in Torch; None: there is none.

    copies: the layer moves data, so the limit is the copy of as many bytes; else the limit is
    Torch. moved(operands, bytes_of_outputs): the bytes if not those of all operands and outputs.
    exact: the outputs are compared; False for random numbers and for ties.
    last: the first operand and the output have channels last, in Torch and in the engine.
    """

    name: str
    inputs: Callable
    build: Callable
    rival: Callable | None = None
    full: int = 32
    types: tuple = ("half",)
    copies: bool = False
    moved: Callable | None = None
    exact: bool = True
    compiled: bool = False
    last: bool = False

    def operands(self, kind, n):
        """Pairs of an operand and its type."""
        return [(operand, operand.type or kind) for operand in self.inputs(n)]


def channels_last(torch, x):
    """The same tensor with channels last in memory."""
    orders = {4: torch.channels_last, 5: torch.channels_last_3d}
    return x.contiguous(memory_format=orders[x.ndim])


def one(shape, **options):
    """A function for Row.inputs: one operand whose first extent grows with n."""
    return lambda n: [Operand((n * shape[0], *shape[1:]), **options)]


def constant(network, values, dtype=np.float32):
    values = np.array(values, dtype, order="C")
    return network.add_constant(values.shape, values).get_output(0)


def weights(*shape):
    return np.random.default_rng(5).uniform(-0.5, 0.5, shape).astype(np.float32)


def typed(network, values, tensor):
    """A constant of the type of a tensor."""
    values = constant(network, values)
    return values if tensor.dtype == trt.float32 else cast(network, values, tensor.dtype)


def cast(network, tensor, dtype):
    return network.add_cast(tensor, dtype).get_output(0)


def both(network, operation, a, b):
    return network.add_elementwise(a, b, getattr(trt.ElementWiseOperation, operation)).get_output(0)


def held(torch, x, values):
    """A tensor of constant numbers that is made once, of the type and place of another."""
    key = (id(values), x.dtype, x.device)
    if key not in _HELD:
        _HELD[key] = values, torch.tensor(values, dtype=x.dtype, device=x.device)
    return _HELD[key][1]


_HELD = {}
