# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Whole models on a GPU against torch.compile; see README.md."""

import argparse
import collections
import io
import json
import statistics
import time

import tensorrt as trt
import torch
from models import MODELS

LOGGER = trt.Logger(trt.Logger.WARNING)


class LayerTimes(trt.IProfiler):
    """Milliseconds of each layer, by name, of all runs."""

    def __init__(self):
        trt.IProfiler.__init__(self)
        self.times = collections.defaultdict(list)

    def report_layer_time(self, name, milliseconds):
        self.times[name].append(milliseconds)


def parsed(builder, module, example):
    """The network of a module; without the operator LayerNormalization if the parser lacks it."""
    for version in (17, 16):
        file = io.BytesIO()
        torch.onnx.export(
            module,
            (example,),
            file,
            input_names=["x"],
            output_names=["y"],
            opset_version=version,
            dynamo=False,
        )
        network = builder.create_network(0)
        parser = trt.OnnxParser(network, LOGGER)
        if parser.parse(file.getvalue()):
            return network
    raise SystemExit(parser.get_error(0).desc())


def built(builder, network, cache=None):
    """(plan, seconds, timing cache)"""
    config = builder.create_builder_config()
    config.set_flag(trt.BuilderFlag.FP16)
    config.profiling_verbosity = trt.ProfilingVerbosity.DETAILED
    config.set_timing_cache(config.create_timing_cache(cache or b""), False)
    start = time.perf_counter()
    plan = builder.build_serialized_network(network, config)
    if plan is None:
        raise SystemExit("the engine was not built")
    return plan, time.perf_counter() - start, bytes(config.get_timing_cache().serialize())


class Engine:
    """A model in Kiln, with its outputs in Torch tensors."""

    def __init__(self, module, example):
        builder = trt.Builder(LOGGER)
        network = parsed(builder, module, example)
        plan, self.build_seconds, cache = built(builder, network)
        self.rebuild_seconds = built(builder, network, cache)[1]
        self.plan_megabytes = plan.nbytes / 1e6
        start = time.perf_counter()
        self.engine = trt.Runtime(LOGGER).deserialize_cuda_engine(plan)
        self.read_seconds = time.perf_counter() - start
        self.context = self.engine.create_execution_context()
        self.input = example.cuda()
        self.output = torch.empty(tuple(self.engine.get_tensor_shape("y")), device="cuda")
        self.context.set_tensor_address("x", self.input.data_ptr())
        self.context.set_tensor_address("y", self.output.data_ptr())
        self.run()
        torch.cuda.synchronize()
        self.open_seconds = time.perf_counter() - start  # to the end of the first run
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.run()

    def run(self):
        if not self.context.execute_async_v3(torch.cuda.current_stream().cuda_stream):
            raise SystemExit("the engine failed")

    def layers(self, rounds=20):
        """(median microseconds, kernel, name) of each layer, slowest first."""
        profiler = LayerTimes()
        self.context.profiler = profiler
        for _ in range(rounds):
            self.run()
            torch.cuda.synchronize()
        inspector = self.engine.create_engine_inspector()
        told = json.loads(inspector.get_engine_information(trt.LayerInformationFormat.JSON))
        about = {layer.get("Name"): layer for layer in told["Layers"] if isinstance(layer, dict)}
        rows = []
        for name, times in profiler.times.items():
            layer = about.get(name, {})
            kernel = layer.get("TacticName") or layer.get("Kernel") or layer.get("LayerType", "?")
            formats = [
                tensor.get("Format/Datatype", tensor.get("Format", ""))
                for tensor in layer.get("Outputs", [])
                if isinstance(tensor, dict)
            ]
            rows.append((1e3 * statistics.median(times), kernel, ",".join(map(str, formats)), name))
        return sorted(rows, reverse=True)


def compiled(module, example, last, mode):
    """The rival: a function without arguments that runs in a CUDA graph, and its output."""
    module = module.half().cuda()
    example = example.cuda() if example.dtype == torch.int64 else example.half().cuda()
    if last:
        module, example = (
            module.to(memory_format=torch.channels_last),
            example.to(memory_format=torch.channels_last),
        )
    torch._dynamo.reset()
    function = torch.compile(module, mode=mode)
    with torch.inference_mode():
        for _ in range(3):
            function(example)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            output = function(example)

    def replay(_held=(module, example)):  # the graph reads their memory
        graph.replay()

    return replay, output


def microseconds(work, times):
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(times):
        work()
    stop.record()
    torch.cuda.synchronize()
    return 1e3 * start.elapsed_time(stop) / times


def measure(name, batch, wanted):
    make, _ = MODELS[name]
    plain, fused, example, last = make(batch)
    engine = Engine(plain, example)
    with torch.inference_mode():
        truth = plain.cuda().float()(example.cuda()).float()
    works, outputs = [engine.graph.replay], [engine.output]
    for mode in wanted.rivals:
        work, output = compiled(fused, example, last, mode)
        works.append(work)
        outputs.append(output)
    for work in works:
        work()
    torch.cuda.synchronize()
    errors = [((output - truth).abs().max() / truth.abs().max()).item() for output in outputs]
    for work in works:
        microseconds(work, 20)
    times = max(5, min(200, int(2e5 / microseconds(works[0], 5))))
    taken = [[] for _ in works]
    for _ in range(wanted.rounds):
        for work, row in zip(works, taken, strict=True):
            row.append(microseconds(work, times))
    medians = [statistics.median(row) for row in taken]
    rival = "".join(
        f", torch.compile {mode} {median:.1f} us, ratio {medians[0] / median:.2f}"
        f", error {error:.1e}"
        for mode, median, error in zip(wanted.rivals, medians[1:], errors[1:], strict=True)
    )
    print(
        f"{name} batch {batch}: kiln {medians[0]:8.1f} us{rival}; "
        f"build {engine.build_seconds:.1f} s, from the timing cache "
        f"{engine.rebuild_seconds:.1f} s; "
        f"plan of {engine.plan_megabytes:.0f} MB, read in {1e3 * engine.read_seconds:.0f} ms, with "
        f"the first run {1e3 * engine.open_seconds:.0f} ms; "
        f"activations {engine.engine.device_memory_size_v2 / 1e6:.1f} MB, error {errors[0]:.1e}",
        flush=True,
    )
    rows = engine.layers()
    for took, kernel, formats, layer in rows[: wanted.layers]:
        print(f"    {took:8.1f} us  {kernel:28} {formats:20} {layer[:90]}")
    if wanted.layers:
        by_kernel = collections.Counter()
        for took, kernel, _, _ in rows:
            by_kernel[kernel] += took
        told = ", ".join(f"{kernel} {took:.0f}" for kernel, took in by_kernel.most_common(12))
        print(f"    {len(rows)} layers; us by kernel: {told}", flush=True)
    return {"model": name, "batch": batch, "us": medians, "layers": rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="*", default=list(MODELS))
    parser.add_argument("--batches", nargs="*", type=int)
    parser.add_argument("--layers", type=int, default=25)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument(
        "--rivals",
        nargs="*",
        default=["default", "max-autotune-no-cudagraphs"],
        help="modes of torch.compile; the second takes minutes",
    )
    parser.add_argument("--json")
    wanted = parser.parse_args()
    results = []
    for name in wanted.models:
        for batch in wanted.batches or MODELS[name][1]:
            results.append(measure(name, batch, wanted))
    if wanted.json:
        with open(wanted.json, "w") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
