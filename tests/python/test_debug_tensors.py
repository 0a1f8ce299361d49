# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Debug listeners see every marked tensor, with the values that NumPy computes.

Also run on the emulated GPU: cuda/test_cuda_debug_tensors.py.
"""

import ctypes

import device_memory
import numpy as np
import pytest
import tensorrt as trt

RELU, NONE = trt.ActivationType.RELU, trt.MatrixOperation.NONE
SUM, PROD = trt.ElementWiseOperation.SUM, trt.ElementWiseOperation.PROD
RNG = np.random.default_rng(5)
X = RNG.normal(0, 1, (3, 8)).astype(np.float32)
W = RNG.normal(0, 1, (8, 8)).astype(np.float32)


class Listener(trt.IDebugListener):
    """Copies what it is shown: by name, a list of arrays."""

    def __init__(self):
        super().__init__()
        self.seen = {}

    def process_debug_tensor(self, addr, location, type, shape, name, stream):
        array = np.zeros(tuple(shape), trt.nptype(type))
        on_host = location == trt.TensorLocation.HOST or not on_gpu()
        if array.nbytes and on_host:
            ctypes.memmove(array.ctypes.data, addr, array.nbytes)
        elif array.nbytes:
            device_memory.call("cuStreamSynchronize", stream)
            device_memory.call(
                "cuMemcpyDtoH_v2", ctypes.c_void_p(array.ctypes.data), addr, array.nbytes
            )
        self.seen.setdefault(name, []).append(array)
        return True


def on_gpu():
    return device_memory.for_target().Stream().handle != 0


class Net:
    """A network of which tensors are marked, and what listeners see of them."""

    def __init__(self, logger, strong=True, **inputs):
        self.logger = logger
        self.builder = trt.Builder(logger)
        flag = int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED)
        self.network = self.builder.create_network(1 << flag if strong else 0)
        self.values = inputs
        self.expected = {}
        self.config = self.builder.create_builder_config()
        self.inputs = {
            name: self.network.add_input(name, trt.DataType(_type(value)), value.shape)
            for name, value in inputs.items()
        }

    def debug(self, tensor, name, *expected):
        """Marks a tensor, which is shown with these values, one after another."""
        tensor.name = name
        assert self.network.mark_debug(tensor)
        assert self.network.is_debug_tensor(tensor)
        self.expected[name] = expected
        return tensor

    def output(self, tensor, name="y"):
        tensor.name = name
        self.network.mark_output(tensor)
        return tensor

    def context(self):
        plan = self.builder.build_serialized_network(self.network, self.config)
        assert plan is not None, self.logger.errors()
        self.runtime = trt.Runtime(self.logger)
        self.engine = self.runtime.deserialize_cuda_engine(plan)
        return self.engine.create_execution_context()

    def run(self, context):
        memory = device_memory.for_target()
        stream = memory.Stream()
        held = []
        for i in range(self.engine.num_io_tensors):
            name = self.engine.get_tensor_name(i)
            if name in self.values:
                array = np.ascontiguousarray(self.values[name])
                context.set_input_shape(name, array.shape)
            else:
                array = np.zeros(1 << 12, np.float64)
            if self.engine.get_tensor_location(name) == trt.TensorLocation.HOST:
                held.append(array)
                context.set_tensor_address(name, array.ctypes.data)
            else:
                held.append(memory.DeviceArray(array))
                context.set_tensor_address(name, held[-1].ptr)
        assert context.execute_async_v3(stream.handle), self.logger.errors()
        stream.synchronize()

    def check(self, tolerance=1e-5):
        context = self.context()
        for name in self.expected:
            assert self.engine.is_debug_tensor(name)
        listener = Listener()
        assert context.set_debug_listener(listener)
        self.run(context)
        assert listener.seen == {}
        assert context.set_all_tensors_debug_state(True)
        for _ in range(2):
            listener.seen.clear()
            self.run(context)
            self.compare(listener.seen, tolerance)
        for name in self.expected:
            assert context.set_all_tensors_debug_state(True)
            assert context.get_debug_state(name)
            assert context.set_all_tensors_debug_state(False)
            assert not context.get_debug_state(name)
            assert context.set_tensor_debug_state(name, True)
            listener.seen.clear()
            self.run(context)
            assert set(listener.seen) == ({name} if self.expected[name] else set())

    def compare(self, seen, tolerance):
        assert set(seen) == {name for name, values in self.expected.items() if values}
        for name, values in self.expected.items():
            assert len(seen.get(name, [])) == len(values), name
            for got, wanted in zip(seen.get(name, []), values, strict=True):
                wanted = np.asarray(wanted)
                assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype), name
                np.testing.assert_allclose(
                    got.astype(np.float64), wanted.astype(np.float64), tolerance, tolerance, name
                )


def _type(value):
    return {
        np.dtype(np.float32): trt.float32,
        np.dtype(np.float16): trt.float16,
        np.dtype(np.int32): trt.int32,
        np.dtype(np.int64): trt.int64,
        np.dtype(np.bool_): trt.bool,
        np.dtype(np.int8): trt.int8,
    }[value.dtype]


def relu(network, x):
    return network.add_activation(x, RELU).get_output(0)


def test_pointwise_operations_that_would_fuse(logger):
    net = Net(logger, x=X)
    n, x = net.network, net.inputs["x"]
    a = net.debug(relu(n, x), "a", np.maximum(X, 0))
    b = n.add_elementwise(a, x, SUM).get_output(0)
    c = net.debug(
        n.add_unary(b, trt.UnaryOperation.ABS).get_output(0), "c", np.abs(np.maximum(X, 0) + X)
    )
    net.output(n.add_elementwise(c, x, PROD).get_output(0))
    net.check()


def test_in_front_of_and_behind_a_product(logger):
    net = Net(logger, x=X)
    n = net.network
    w = n.add_constant(W.shape, W).get_output(0)
    front = net.debug(relu(n, net.inputs["x"]), "front", np.maximum(X, 0))
    product = n.add_matrix_multiply(front, NONE, w, NONE).get_output(0)
    net.debug(product, "product", np.maximum(X, 0) @ W)
    net.output(relu(n, product))
    net.check()


def test_a_convolution_and_its_activation(logger):
    x = RNG.normal(0, 1, (1, 4, 6, 6)).astype(np.float32)
    k = RNG.normal(0, 1, (5, 4, 1, 1)).astype(np.float32)
    result = np.einsum("nchw,oc->nohw", x, k[:, :, 0, 0])
    net = Net(logger, x=x)
    n = net.network
    conv = n.add_convolution_nd(net.inputs["x"], 5, (1, 1), trt.Weights(k), None)
    net.debug(conv.get_output(0), "conv", result)
    net.output(net.debug(relu(n, conv.get_output(0)), "y", np.maximum(result, 0)))
    net.check(1e-4)


def test_outputs_and_inputs(logger):
    net = Net(logger, x=X)
    net.debug(net.inputs["x"], "x", X)
    net.output(net.debug(relu(net.network, net.inputs["x"]), "y", np.maximum(X, 0)))
    net.check()


def test_views(logger):
    net = Net(logger, x=X)
    n = net.network
    made = relu(n, net.inputs["x"])
    reshape = n.add_shuffle(made)
    reshape.reshape_dims = (4, 6)
    a = net.debug(reshape.get_output(0), "reshaped", np.maximum(X, 0).reshape(4, 6))
    b = net.debug(n.add_identity(a).get_output(0), "same", np.maximum(X, 0).reshape(4, 6))
    c = n.add_slice(b, (0, 0), (2, 6), (1, 1)).get_output(0)
    net.debug(c, "slice", np.maximum(X, 0).reshape(4, 6)[:2])
    again = n.add_shuffle(c)
    again.reshape_dims = (12,)
    net.output(net.debug(again.get_output(0), "y", np.maximum(X, 0).reshape(4, 6)[:2].ravel()))
    net.check()


def test_parts_of_a_concatenation(logger):
    net = Net(logger, x=X)
    n, x = net.network, net.inputs["x"]
    parts = [relu(n, x), n.add_unary(x, trt.UnaryOperation.NEG).get_output(0)]
    net.debug(parts[0], "first", np.maximum(X, 0))
    whole = n.add_concatenation(parts)
    whole.axis = 0
    net.debug(whole.get_output(0), "whole", np.concatenate([np.maximum(X, 0), -X]))
    net.output(n.add_softmax(whole.get_output(0)).get_output(0))
    net.check()


def test_an_identity_of_an_input(logger):
    net = Net(logger, x=X)
    net.output(net.debug(net.network.add_identity(net.inputs["x"]).get_output(0), "y", X))
    net.check()


@pytest.mark.parametrize("dtype", ["float16", "int32", "int64", "bool", "int8"])
def test_types(logger, dtype):
    to = getattr(trt, dtype)
    small = (np.arange(24).reshape(3, 8) % 5 - 2).astype(np.float32)
    wanted = small.astype(np.bool_ if dtype == "bool" else dtype)
    net = Net(logger, x=small)
    n = net.network
    if dtype == "int8":
        scale = n.add_constant((), np.ones((), np.float32)).get_output(0)
        tensor = n.add_quantize(net.inputs["x"], scale, trt.int8).get_output(0)
        net.debug(tensor, "marked", wanted)
        net.output(n.add_dequantize(tensor, scale, trt.float32).get_output(0))
    else:
        tensor = n.add_cast(net.inputs["x"], to).get_output(0)
        net.debug(tensor, "marked", wanted)
        net.output(n.add_cast(tensor, trt.float32).get_output(0))
    net.check()


def test_empty_tensors_and_scalars(logger):
    net = Net(logger, x=np.zeros((0, 8), np.float32), s=np.asarray(3, np.float32))
    n = net.network
    net.debug(relu(n, net.inputs["x"]), "empty", np.zeros((0, 8), np.float32))
    net.output(n.add_softmax(n.get_layer(0).get_output(0)).get_output(0))
    scalar = net.debug(
        n.add_unary(net.inputs["s"], trt.UnaryOperation.NEG).get_output(0),
        "scalar",
        np.asarray(-3, np.float32),
    )
    net.output(relu(n, scalar), "z")
    net.check()


def test_constants(logger):
    net = Net(logger, x=X)
    n = net.network
    w = n.add_constant(W.shape, W).get_output(0)
    net.debug(w, "w", W)
    folded = net.debug(n.add_unary(w, trt.UnaryOperation.NEG).get_output(0), "folded", -W)
    net.output(n.add_matrix_multiply(net.inputs["x"], NONE, folded, NONE).get_output(0))
    net.check()


def test_shape_tensors(logger):
    net = Net(logger)
    n = net.network
    x = net.inputs["x"] = n.add_input("x", trt.float32, (-1, 8))
    net.values["x"] = X
    profile = net.builder.create_optimization_profile()
    profile.set_shape("x", (1, 8), (3, 8), (9, 8))
    net.config.add_optimization_profile(profile)
    shape = net.debug(n.add_shape(x).get_output(0), "shape", np.asarray([3, 8], np.int64))
    two = n.add_constant((2,), np.asarray([2, 1], np.int64)).get_output(0)
    double = net.debug(
        n.add_elementwise(shape, two, PROD).get_output(0), "double", np.asarray([6, 8], np.int64)
    )
    tiled = n.add_slice(x, (0, 0), (1, 1), (1, 1))
    tiled.mode = trt.SampleMode.WRAP
    tiled.set_input(2, double)
    net.output(relu(n, tiled.get_output(0)))
    net.check()


def test_shape_inputs_and_outputs(logger):
    net = Net(logger)
    n = net.network
    s = n.add_input("s", trt.int64, (2,))
    net.values["s"] = np.asarray([4, 6], np.int64)
    x = n.add_input("x", trt.float32, (3, 8))
    net.values["x"] = X
    profile = net.builder.create_optimization_profile()
    profile.set_shape_input("s", (1, 1), (4, 6), (24, 24))
    net.config.add_optimization_profile(profile)
    net.debug(s, "s", np.asarray([4, 6], np.int64))
    shuffle = n.add_shuffle(x)
    shuffle.set_input(1, s)
    net.output(net.debug(shuffle.get_output(0), "y", X.reshape(4, 6)))
    out = net.debug(
        n.add_shape(shuffle.get_output(0)).get_output(0), "z", np.asarray([4, 6], np.int64)
    )
    n.mark_output_for_shapes(out)
    net.check()


def test_sizes_that_a_run_finds(logger):
    net = Net(logger, x=(X > 0))
    n = net.network
    found = n.add_non_zero(net.inputs["x"]).get_output(0)
    wanted = np.stack(np.nonzero(X > 0)).astype(np.int32 if found.dtype == trt.int32 else np.int64)
    net.debug(found, "found", wanted)
    cast = n.add_cast(found, trt.float32).get_output(0)
    net.debug(cast, "cast", wanted.astype(np.float32))
    shape = n.add_shape(found).get_output(0)
    net.debug(shape, "shape", np.asarray(wanted.shape, np.int64))
    net.output(n.add_reduce(cast, trt.ReduceOperation.SUM, 2, False).get_output(0))
    net.output(n.add_cast(shape, trt.float32).get_output(0), "z")
    net.check()


def test_loops(logger):
    """The current values, those inside of the body, and the results of a loop of three passes."""
    net = Net(logger, x=X)
    n = net.network
    loop = n.add_loop()
    count = n.add_constant((), np.asarray(3, np.int32)).get_output(0)
    loop.add_trip_limit(count, trt.TripLimit.COUNT)
    value = loop.add_recurrence(net.inputs["x"])
    steps = [X * 2**i for i in range(4)]
    inner = n.add_elementwise(value.get_output(0), value.get_output(0), SUM).get_output(0)
    net.debug(inner, "inner", *steps[1:])
    value.set_input(1, inner)
    last = loop.add_loop_output(value.get_output(0), trt.LoopOutput.LAST_VALUE, 0)
    net.output(net.debug(last.get_output(0), "last", steps[3]), "last")
    stack = loop.add_loop_output(inner, trt.LoopOutput.CONCATENATE, 0)
    stack.set_input(1, count)
    net.output(net.debug(stack.get_output(0), "stack", np.stack(steps[1:])), "stack")
    net.check()


def test_the_current_value_of_a_loop(logger):
    net = Net(logger, x=X)
    n = net.network
    loop = n.add_loop()
    count = n.add_constant((), np.asarray(3, np.int32)).get_output(0)
    loop.add_trip_limit(count, trt.TripLimit.COUNT)
    value = loop.add_recurrence(net.inputs["x"])
    current = net.debug(value.get_output(0), "current", X, 2 * X, 4 * X)
    value.set_input(1, n.add_elementwise(current, current, SUM).get_output(0))
    net.output(loop.add_loop_output(current, trt.LoopOutput.LAST_VALUE, 0).get_output(0))
    net.check()


@pytest.mark.parametrize("taken", [True, False])
def test_branches(logger, taken):
    net = Net(logger, x=X, c=np.asarray(taken))
    n = net.network
    condition = n.add_if_conditional()
    condition.set_condition(net.inputs["c"])
    inside = condition.add_input(net.inputs["x"]).get_output(0)
    first, second = relu(n, inside), n.add_unary(inside, trt.UnaryOperation.NEG).get_output(0)
    net.debug(first, "first", *([np.maximum(X, 0)] if taken else []))
    net.debug(second, "second", *([] if taken else [-X]))
    result = condition.add_output(first, second).get_output(0)
    net.debug(result, "result", np.maximum(X, 0) if taken else -X)
    net.output(n.add_softmax(result).get_output(0))
    net.check()


def test_weakly_typed_networks_keep_their_declared_types(logger):
    net = Net(logger, strong=False, x=X)
    net.config.set_flag(trt.BuilderFlag.FP16)
    n = net.network
    w = n.add_constant(W.shape, W).get_output(0)
    product = n.add_matrix_multiply(net.inputs["x"], NONE, w, NONE).get_output(0)
    net.debug(product, "product", X @ W)
    net.output(relu(n, product))
    net.check(2e-2)


def test_iterators_and_inputs_of_conditionals(logger):
    net = Net(logger, x=X, c=np.asarray(True))
    n = net.network
    condition = n.add_if_conditional()
    condition.set_condition(net.inputs["c"])
    inside = net.debug(condition.add_input(net.inputs["x"]).get_output(0), "inside", X)
    result = condition.add_output(relu(n, inside), inside).get_output(0)
    loop = n.add_loop()
    loop.add_trip_limit(
        n.add_constant((), np.asarray(3, np.int32)).get_output(0), trt.TripLimit.COUNT
    )
    rows = list(np.maximum(X, 0))
    row = net.debug(loop.add_iterator(result, 0).get_output(0), "row", *rows)
    total = loop.add_recurrence(n.add_constant((8,), np.zeros(8, np.float32)).get_output(0))
    total.set_input(1, n.add_elementwise(total.get_output(0), row, SUM).get_output(0))
    net.output(
        loop.add_loop_output(total.get_output(0), trt.LoopOutput.LAST_VALUE, 0).get_output(0)
    )
    net.check()


def test_constants_in_half_precision(logger):
    """A constant is shown as declared, whatever type the layer reads it in."""
    net = Net(logger, strong=False, x=X)
    net.config.set_flag(trt.BuilderFlag.FP16)
    n = net.network
    w = net.debug(n.add_constant(W.shape, W).get_output(0), "w", W)
    net.output(n.add_matrix_multiply(net.inputs["x"], NONE, w, NONE).get_output(0))
    net.check()


def test_unfused_tensors(logger):
    """Marking all unfused tensors changes no fusion: what is fused away is not shown."""

    def build(mark):
        net = Net(logger, x=X)
        n = net.network
        w = n.add_constant(W.shape, W).get_output(0)
        product = n.add_matrix_multiply(net.inputs["x"], NONE, w, NONE).get_output(0)
        product.name = "product"
        front = relu(n, n.add_unary(product, trt.UnaryOperation.NEG).get_output(0))
        front.name = "front"
        softmax = n.add_softmax(front)
        softmax.axes = 2
        softmax.get_output(0).name = "softmax"
        net.output(n.add_matrix_multiply(softmax.get_output(0), NONE, w, NONE).get_output(0))
        if mark:
            assert n.mark_unfused_tensors_as_debug_tensors()
            assert not n.is_debug_tensor(product)
        return net

    plain, net = build(False), build(True)
    plain.context()
    context = net.context()
    assert net.engine.num_layers == plain.engine.num_layers
    listener = Listener()
    context.set_debug_listener(listener)
    assert not context.unfused_tensors_debug_state
    net.run(context)
    assert listener.seen == {}
    context.unfused_tensors_debug_state = True
    assert context.unfused_tensors_debug_state
    net.run(context)
    front = np.maximum(-X @ W, 0)
    softmax = np.exp(front - front.max(1, keepdims=True))
    softmax /= softmax.sum(1, keepdims=True)
    shown = {"product": X @ W, "front": front, "softmax": softmax, "y": softmax @ W}
    assert {"softmax", "y"} <= set(listener.seen) <= set(shown)
    assert len(listener.seen) == net.engine.num_layers
    for name, [array] in listener.seen.items():
        np.testing.assert_allclose(array, shown[name], 1e-4, 1e-4)
    context.unfused_tensors_debug_state = False
    listener.seen.clear()
    net.run(context)
    assert listener.seen == {}
    assert context.set_tensor_debug_state("softmax", True)
    net.run(context)
    assert set(listener.seen) == {"softmax"}
    assert net.network.unmark_unfused_tensors_as_debug_tensors()
    unmarked = net.context()
    assert not unmarked.set_tensor_debug_state("softmax", True)
