# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Attention on a GPU against Torch; see README.md."""

import argparse
import json
import statistics

import tensorrt as trt
import torch

LOGGER = trt.Logger(trt.Logger.WARNING)
HEADS = 16


def attention(q, k, v):
    return torch.nn.functional.scaled_dot_product_attention(q, k, v)


def network_of(builder, shape, half):
    network = builder.create_network(0)
    q, k, v = (network.add_input(name, half, shape) for name in "qkv")
    plain, transposed = trt.MatrixOperation.NONE, trt.MatrixOperation.TRANSPOSE
    scores = network.add_matrix_multiply(q, plain, k, transposed).get_output(0)
    scale = network.add_constant((1, 1, 1, 1), torch.tensor([shape[3] ** -0.5]).numpy())
    scale = network.add_cast(scale.get_output(0), half).get_output(0)
    scores = network.add_elementwise(scores, scale, trt.ElementWiseOperation.PROD).get_output(0)
    softmax = network.add_softmax(scores)
    softmax.axes = 1 << 3
    y = network.add_matrix_multiply(softmax.get_output(0), plain, v, plain).get_output(0)
    y.name = "y"
    y.dtype = half
    network.mark_output(y)
    return network


def plan_of(shape, dtype):
    builder = trt.Builder(LOGGER)
    config = builder.create_builder_config()
    config.profiling_verbosity = trt.ProfilingVerbosity.DETAILED
    halves = dtype == torch.float16
    config.set_flag(trt.BuilderFlag.FP16 if halves else trt.BuilderFlag.BF16)
    network = network_of(builder, shape, trt.float16 if halves else trt.bfloat16)
    plan = builder.build_serialized_network(network, config)
    if plan is None:
        raise SystemExit("the engine was not built")
    return plan


class Engine:
    def __init__(self, shape, dtype):
        plan = plan_of(shape, dtype)
        self.engine = trt.Runtime(LOGGER).deserialize_cuda_engine(plan)
        self.context = self.engine.create_execution_context()
        inspector = self.engine.create_engine_inspector()
        told = json.loads(inspector.get_engine_information(trt.LayerInformationFormat.JSON))
        self.kernels = " + ".join(layer["TacticName"] for layer in told["Layers"])

    def bind(self, *tensors):
        for name, tensor in zip("qkvy", tensors, strict=True):
            self.context.set_tensor_address(name, tensor.data_ptr())

    def run(self):
        if not self.context.execute_async_v3(torch.cuda.current_stream().cuda_stream):
            raise SystemExit("the engine failed")


def captured(work, times):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        work()
        stream.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            for _ in range(times):
                work()
    return graph


def microseconds(graph, times):
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    graph.replay()
    stop.record()
    torch.cuda.synchronize()
    return 1e3 * start.elapsed_time(stop) / times


def difference(y, truth):
    return ((y.double() - truth).norm() / truth.norm()).item()


def measure(shape, dtype, rounds):
    batch, heads, length, size = shape
    torch.manual_seed(length)
    q, k, v = (torch.randn(shape, device="cuda").to(dtype) for _ in range(3))
    y = torch.full_like(q, float("nan"))
    engine = Engine(shape, dtype)
    engine.bind(q, k, v, y)
    operations = 4.0 * batch * heads * length * length * size
    times = max(2, min(50, int(2e11 / operations)))
    works = [engine.run, lambda: attention(q, k, v)]
    graphs = [captured(work, times) for work in works]
    taken = [[], []]
    for _ in range(rounds):
        for graph, row in zip(graphs, taken, strict=True):
            row.append(microseconds(graph, times))
    own, other = (statistics.median(row) for row in taken)
    one = [x[:1, :2].double() for x in (q, k, v)]  # in the precision of the truth, slowly
    truth = attention(*one)
    errors = [difference(x[:1, :2], truth) for x in (y, attention(q, k, v))]
    print(
        f"{batch}x{heads}x{length}x{size} {str(dtype)[6:]}: "
        f"kiln {own:.1f} us ({operations / own / 1e6:.0f} TFLOP/s), torch {other:.1f} us, ratio "
        f"{own / other:.2f}; error {errors[0]:.1e}, torch {errors[1]:.1e}; {engine.kernels}",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batches", nargs="*", type=int, default=[1, 8])
    parser.add_argument("--lengths", nargs="*", type=int, default=[512, 1024, 2048, 4096])
    parser.add_argument("--sizes", nargs="*", type=int, default=[64, 128])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--bfloat16", action="store_true")
    wanted = parser.parse_args()
    dtype = torch.bfloat16 if wanted.bfloat16 else torch.float16
    for size in wanted.sizes:
        for batch in wanted.batches:
            for length in wanted.lengths:
                measure((batch, HEADS, length, size), dtype, wanted.rounds)


if __name__ == "__main__":
    main()
