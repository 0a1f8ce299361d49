# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Quantized products and convolutions beside Kiln's float16 and torch's kernels; see README.md."""

import argparse
import json
import statistics
from dataclasses import dataclass

import numpy as np
import tensorrt as trt
from run import LOGGER, Device

try:
    import torch
except ImportError:
    torch = None

STRONGLY = 1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED)
NONE = trt.MatrixOperation.NONE
SCALE = float(np.float16(0.02))


@dataclass
class Row:
    """A product [m, k] x [k, n], or a convolution of `channels` of a square image."""

    name: str
    m: int = 0
    k: int = 0
    n: int = 0
    image: tuple = ()  # batch, channels, side, window

    def operations(self):
        if not self.image:
            return 2.0 * self.m * self.k * self.n
        batch, channels, side, window = self.image
        return 2.0 * batch * side * side * channels * channels * window * window


ROWS = [
    Row("product 4096x4096x4096", 4096, 4096, 4096),
    Row("product 512x4096x4096", 512, 4096, 4096),
    Row("product 16x4096x4096", 16, 4096, 4096),
    Row("convolution 3x3 32x256x28x28", image=(32, 256, 28, 3)),
    Row("convolution 1x1 32x256x28x28", image=(32, 256, 28, 1)),
    Row("convolution 3x3 32x64x56x56", image=(32, 64, 56, 3)),
]


class Net:
    """One layer; `kind` is half, int8 (float16 results), int8-int8, fp8 or int4 (weights only)."""

    def __init__(self, row, kind):
        self.builder = trt.Builder(LOGGER)
        self.network = self.builder.create_network(STRONGLY)
        self.row, self.kind = row, kind
        self.kept = []
        rng = np.random.default_rng(1)
        self.x = rng.integers(-3, 4, self.input_shape()).astype(np.int8)
        self.w = rng.integers(-3, 4, self.weight_shape()).astype(np.int8)

    def input_shape(self):
        if not self.row.image:
            return (self.row.m, self.row.k)
        batch, channels, side, _ = self.row.image
        return (batch, channels, side, side)

    def weight_shape(self):
        if not self.row.image:
            return (self.row.k, self.row.n)
        _, channels, _, window = self.row.image
        return (channels, channels, window, window)

    def elements(self, numbers):
        """Small integers in the type of the operands."""
        if self.kind in ("half", "int4"):
            return numbers.astype(np.float16)
        if self.kind == "fp8":
            codes = np.array([0xC4, 0xC0, 0xB8, 0, 0x38, 0x40, 0x44], np.uint8)  # -3 to 3
            return codes[numbers.astype(int) + 3]
        return numbers

    def constant(self, numbers, dtype):
        self.kept.append(numbers)
        weights = trt.Weights(dtype, numbers.ctypes.data, numbers.size)
        return self.network.add_constant(numbers.shape, weights).get_output(0)

    def scaled(self, tensor, axis=-1, count=0):
        scale = np.full((count,) if count else (), SCALE, np.float16)
        layer = self.network.add_dequantize(tensor, self.constant(scale, trt.float16), trt.float16)
        layer.axis = axis
        return layer.get_output(0)

    def operands(self):
        dtype = {"half": trt.float16, "int4": trt.float16, "fp8": trt.fp8}.get(self.kind, trt.int8)
        x = self.network.add_input("x", dtype, self.input_shape())
        if self.row.image:
            x.allowed_formats = 1 << int(trt.TensorFormat.HWC)
        w = self.elements(self.w)
        if self.kind == "half":
            return x, self.constant(w, trt.float16)
        if self.kind == "int4":
            return x, self.blocked()
        w = self.constant(w, dtype)
        channels = self.w.shape[0 if self.row.image else 1]
        w = self.scaled(w, *((0 if self.row.image else 1, channels) if dtype != trt.fp8 else ()))
        return self.scaled(x), w

    def blocked(self):
        """int4 weights with a scale for each 128 rows of a column."""
        k, n = self.w.shape
        low = self.w.reshape(-1, 2)[:, 0] & 15
        packed = (low | (self.w.reshape(-1, 2)[:, 1] & 15) << 4).astype(np.uint8)
        self.kept.append(packed)
        weights = trt.Weights(trt.int4, packed.ctypes.data, self.w.size)
        codes = self.network.add_constant((k, n), weights).get_output(0)
        scales = self.constant(np.full((k // 128, n), SCALE, np.float16), trt.float16)
        return self.network.add_dequantize(codes, scales, trt.float16).get_output(0)

    def build(self):
        x, w = self.operands()
        if not self.row.image:
            y = self.network.add_matrix_multiply(x, NONE, w, NONE).get_output(0)
        else:
            _, channels, _, window = self.row.image
            bias = np.zeros(channels, np.float16)
            self.kept.append(bias)
            layer = self.network.add_convolution_nd(
                x, channels, (window, window), trt.Weights(), trt.Weights(bias)
            )
            layer.set_input(1, w)
            layer.padding_nd = (window // 2, window // 2)
            y = layer.get_output(0)
        y = self.network.add_activation(y, trt.ActivationType.RELU).get_output(0)
        if self.kind == "int8-int8":
            scale = self.constant(np.full((), SCALE, np.float16), trt.float16)
            y = self.network.add_quantize(y, scale, trt.int8).get_output(0)
        y.name = "y"
        self.network.mark_output(y)
        if self.row.image:
            y.allowed_formats = 1 << int(trt.TensorFormat.HWC)
        config = self.builder.create_builder_config()
        config.profiling_verbosity = trt.ProfilingVerbosity.DETAILED
        plan = self.builder.build_serialized_network(self.network, config)
        if plan is None:
            raise SystemExit(f"{self.row.name} {self.kind}: the engine was not built")
        return trt.Runtime(LOGGER).deserialize_cuda_engine(plan)

    def data(self):
        x = np.moveaxis(self.x, 1, -1) if self.row.image else self.x
        return np.ascontiguousarray(self.elements(x))

    def expected(self, rows):
        """The first rows of a product."""
        scale = 1.0 if self.kind == "half" else SCALE if self.kind == "int4" else SCALE**2
        y = np.maximum(self.x[:rows].astype(np.float64) @ self.w.astype(np.float64) * scale, 0)
        return np.clip(np.rint(y / SCALE), -128, 127) if self.kind == "int8-int8" else y


def tactics(engine):
    text = engine.create_engine_inspector().get_engine_information(trt.LayerInformationFormat.JSON)
    return [layer["TacticName"].removeprefix("cuda/") for layer in json.loads(text)["Layers"]]


def check(device, net, address, size, dtype):
    from run import call

    found = np.empty(size // dtype.itemsize, dtype)
    import ctypes

    call("cuMemcpyDtoH_v2", ctypes.c_void_p(found.ctypes.data), address, size)
    if net.row.image:
        return 0.0
    rows = min(4, net.row.m)
    want = net.expected(rows)
    got = found.reshape(net.row.m, net.row.n)[:rows].astype(np.float64)
    return float(np.abs(got - want).max() / max(np.abs(want).max(), 1e-9))


def measure(device, row, kind, rounds):
    net = Net(row, kind)
    engine = net.build()
    context = engine.create_execution_context()
    data = net.data()
    shape = tuple(context.get_tensor_shape("y"))
    dtype = np.dtype(np.int8 if kind == "int8-int8" else np.float16)
    size = int(np.prod(shape)) * dtype.itemsize
    output = device.allocate(size)
    context.set_tensor_address("x", device.allocate(data.nbytes, data))
    context.set_tensor_address("y", output)

    def work():
        if not context.execute_async_v3(device.stream):
            raise SystemExit(f"{row.name} {kind}: the engine failed")

    device.microseconds(work, 10)
    took = statistics.median(device.microseconds(work, 50) for _ in range(rounds))
    error = check(device, net, output, size, dtype)
    device.release()
    return took, error, tactics(engine)


def rivals(row, rounds):
    """Torch's kernels, in microseconds by name."""
    if torch is None or not torch.cuda.is_available():
        return {}
    work = {}
    if row.image:
        batch, channels, side, window = row.image
        x = torch.randn(batch, channels, side, side, device="cuda", dtype=torch.half)
        x = x.contiguous(memory_format=torch.channels_last)
        w = torch.randn(channels, channels, window, window, device="cuda", dtype=torch.half)
        w = w.contiguous(memory_format=torch.channels_last)
        torch.backends.cudnn.benchmark = True
        work["torch conv2d half"] = lambda: torch.nn.functional.conv2d(x, w, padding=window // 2)
    else:
        x = torch.randn(row.m, row.k, device="cuda", dtype=torch.half)
        w = torch.randn(row.k, row.n, device="cuda", dtype=torch.half)
        work["torch mm half"] = lambda: x @ w
        small = torch.ones(row.m, row.k, device="cuda", dtype=torch.int8)
        right = torch.ones(row.n, row.k, device="cuda", dtype=torch.int8).t()
        if row.m > 16:
            work["torch._int_mm"] = lambda: torch._int_mm(small, right)
        x8 = x.to(torch.float8_e4m3fn)
        w8 = w.t().contiguous().to(torch.float8_e4m3fn).t()
        one = torch.ones((), device="cuda")
        work["torch._scaled_mm"] = lambda: torch._scaled_mm(
            x8, w8, scale_a=one, scale_b=one, out_dtype=torch.half
        )
    return {name: timed(one, rounds) for name, one in work.items()}


def timed(work, rounds):
    try:
        for _ in range(10):
            work()
    except RuntimeError as problem:
        print(f"    {str(problem).splitlines()[0]}")
        return float("nan")
    times = []
    for _ in range(rounds):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(50):
            work()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) * 1e3 / 50)
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", nargs="*", default=[""], help="words in the names of rows")
    parser.add_argument("--kinds", nargs="*", default=["half", "int8", "int8-int8", "fp8", "int4"])
    parser.add_argument("--rounds", type=int, default=9)
    wanted = parser.parse_args()
    device = Device()
    for row in ROWS:
        if not any(word in row.name for word in wanted.rows):
            continue
        for kind in wanted.kinds:
            if kind == "int4" and row.image:
                continue
            took, error, kernels = measure(device, row, kind, wanted.rounds)
            print(
                f"{row.name:30} {kind:10} {took:8.1f} us {row.operations() / took / 1e6:7.1f} T/s"
                f"  error {error:.1e}  {' '.join(kernels)}",
                flush=True,
            )
        for name, took in rivals(row, wanted.rounds).items():
            print(
                f"{row.name:30} {name:18} {took:8.1f} us {row.operations() / took / 1e6:7.1f} T/s",
                flush=True,
            )


if __name__ == "__main__":
    main()
