# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Memory-bound layers compared with a device-to-device copy of the same bytes; see README.md."""

import argparse
import ctypes
import os
import statistics
import sys

import kiln
import numpy as np
import tensorrt as trt
from layers import LAYERS

LIMIT = 0.90
BYTES = {"float": 4, "half": 2, "bfloat16": 2}
TYPES = {"float": trt.float32, "half": trt.float16, "bfloat16": trt.bfloat16}
LOGGER = trt.Logger(trt.Logger.WARNING)
DRIVER = ctypes.CDLL(os.environ.get("KILN_CUDA_DRIVER") or "libcuda.so.1")


def call(function, *arguments):
    wide = [ctypes.c_uint64(a) if isinstance(a, int) else a for a in arguments]
    code = getattr(DRIVER, function)(*wide)
    if code != 0:
        raise SystemExit(f"{function}: CUDA error {code}")


def created(function, *arguments):
    handle = ctypes.c_void_p()
    call(function, ctypes.byref(handle), *arguments)
    return handle.value


class Device:
    """One stream, two events, and the memory of one row of the table."""

    def __init__(self):
        call("cuInit", 0)
        context = created("cuDevicePrimaryCtxRetain", 0)
        call("cuCtxSetCurrent", ctypes.c_void_p(context))
        self.stream = created("cuStreamCreate", 1)
        self.events = [created("cuEventCreate", 0) for _ in range(2)]
        self.memory = []

    def allocate(self, size, data=None):
        address = created("cuMemAlloc_v2", max(size, 1))
        self.memory.append(address)
        if data is not None:
            call("cuMemcpyHtoDAsync_v2", address, ctypes.c_void_p(data.ctypes.data), size, 0)
            call("cuStreamSynchronize", 0)
        return address

    def release(self):
        for address in self.memory:
            call("cuMemFree_v2", address)
        self.memory.clear()

    def copy(self, target, source, size):
        call("cuMemcpyDtoDAsync_v2", target, source, size, self.stream)

    def microseconds(self, work, times):
        """Microseconds per call of work(), which enqueues on the stream."""
        call("cuEventRecord", self.events[0], self.stream)
        for _ in range(times):
            work()
        call("cuEventRecord", self.events[1], self.stream)
        call("cuStreamSynchronize", self.stream)
        elapsed = ctypes.c_float()
        call("cuEventElapsedTime", ctypes.byref(elapsed), *map(ctypes.c_void_p, self.events))
        return 1e3 * elapsed.value / times


def numbers(kind, count):
    """Values between 0.5 and 2: divisions and roots of zeros are slow."""
    some = np.random.default_rng(1).uniform(0.5, 2, 2**20).astype(np.float32)
    if kind == "half":
        some = some.astype(np.float16)
    elif kind == "bfloat16":
        some = (some.view(np.uint32) >> 16).astype(np.uint16)
    return np.resize(some, count)


def engine_of(layer, kind, batch):
    """Returns the engine and the sizes in bytes of its inputs and its output."""
    builder = trt.Builder(LOGGER)
    network = builder.create_network(1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED))
    inputs, sizes = [], []
    for i, shape in enumerate(layer.shapes(batch)):
        is_index = i == 1 and len(shape) == 1
        tensor = network.add_input(f"x{i}", trt.int32 if is_index else TYPES[kind], shape)
        if not is_index:
            tensor.allowed_formats = 1 << int(layer.from_format)
        inputs.append(tensor)
        sizes.append(int(np.prod(shape)) * (4 if is_index else BYTES[kind]))
    output = layer.build(network, inputs)
    output.name = "y"
    network.mark_output(output)
    output.allowed_formats = 1 << int(layer.format)
    sizes.append(int(np.prod(output.shape)) * BYTES[layer.result or kind])
    plan = builder.build_serialized_network(network, builder.create_builder_config())
    if plan is None:
        sys.exit(f"{layer.name}: the engine was not built")
    return trt.Runtime(LOGGER).deserialize_cuda_engine(plan), sizes


def measure(device, layer, kind, megabytes, rounds):
    """Returns (microseconds of the layer, microseconds of the copy, bytes moved)."""
    per_batch = int(np.prod(layer.shapes(1)[0])) * BYTES[kind]
    batch = max(round(megabytes * 2**20 / per_batch), 1)
    engine, sizes = engine_of(layer, kind, batch)
    context = engine.create_execution_context()
    for i, size in enumerate(sizes):
        name = "y" if i == len(sizes) - 1 else f"x{i}"
        data = None if name == "y" else numbers(kind, size // BYTES[kind])
        if engine.get_tensor_dtype(name) == trt.int32:
            data = np.random.default_rng(1).permutation(size // 4).astype(np.int32)
        context.set_tensor_address(name, device.allocate(size, data))
    moved = sum(sizes)
    source, target = device.allocate(moved // 2), device.allocate(moved // 2)

    def run():
        if not context.execute_async_v3(device.stream):
            sys.exit(f"{layer.name}: the engine failed")

    def copy():
        device.copy(target, source, moved // 2)

    # About 2 ms on a large GPU; a single call if rounds is 1, for a trial.
    times = min(max(int(8e9 / moved), 3), 100) if rounds > 1 else 1
    for work in (run, copy):
        device.microseconds(work, times)
    layers, copies = [], []
    for _ in range(rounds):
        layers.append(device.microseconds(run, times))
        copies.append(device.microseconds(copy, times))
    device.release()
    return statistics.median(layers), statistics.median(copies), moved


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--layers", nargs="*", default=[""], help="words in the names of layers")
    parser.add_argument("--types", nargs="*", default=list(TYPES))
    parser.add_argument("--mb", nargs="*", type=float, default=[64, 512])
    parser.add_argument("--rounds", type=int, default=9)
    wanted = parser.parse_args()
    device = Device()
    print(f"{kiln.__name__} {trt.__version__}; medians of {wanted.rounds}; ratio = copy / layer")
    below = 0
    for megabytes in wanted.mb:
        for layer in LAYERS:
            if not any(word in layer.name for word in wanted.layers):
                continue
            for kind in layer.types:
                if kind not in wanted.types:
                    continue
                took, copy, moved = measure(device, layer, kind, megabytes, wanted.rounds)
                ratio = copy / took
                below += ratio < LIMIT
                print(
                    f"{layer.name:26} {kind:8} {megabytes:5g} MB {took:9.1f} us, "
                    f"copy {copy:9.1f} us {moved / took / 1e6:6.2f} TB/s  ratio {ratio:.2f}"
                    + ("" if ratio >= LIMIT else "  below"),
                    flush=True,
                )
    print(f"{below} rows below {LIMIT:.2f}")


if __name__ == "__main__":
    main()
