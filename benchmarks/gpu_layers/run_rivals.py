# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Layers on a GPU compared with Torch and with a copy of as many bytes; see README.md."""

import argparse
import functools
import os
import statistics
import time

import tensorrt as trt
import torch
from rivals import ROWS
from rivals.emulated import Memory
from rivals.engine import Engine, plans
from rivals.row import channels_last

LIMITS = {True: 0.90, False: 0.80}  # of a copy, of Torch


@functools.cache
def generator(device):
    return torch.Generator(device)


def random_tensor(operand, kind, device):
    dtype = {
        "float": torch.float32,
        "half": torch.float16,
        "bfloat16": torch.bfloat16,
        "int": torch.int32,
        "long": torch.int64,
        "byte": torch.int8,
        "bool": torch.bool,
    }[kind]
    shape, low, high = operand.shape, operand.low, operand.high
    # Not the default generator, which belongs to the captures of the rows.
    random = {"device": device, "generator": generator(device)}
    if operand.distinct:
        axis = -1 if shape[-1] > 1 else 0
        return torch.rand(shape, **random).argsort(axis).to(dtype)
    if dtype.is_floating_point:
        x = torch.rand(shape, **random) * (high - low) + low
        if operand.share < 1:
            x *= torch.rand(shape, **random) < operand.share
        return x.to(dtype)
    return torch.randint(int(low), int(high), shape, **random).to(dtype)


def captured(work):
    """A graph of the work; None if it cannot be captured."""
    stream = torch.cuda.Stream()
    torch.cuda.synchronize()  # a context works on one stream at a time
    try:
        with torch.cuda.stream(stream):
            work()
            stream.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, stream=stream):
                work()
        graph.replay()
        torch.cuda.synchronize()
        return graph
    except Exception:
        torch.cuda.synchronize()
        # The generator believes that the capture goes on.
        torch.cuda.default_generators[0].graphsafe_set_state(torch.Generator("cuda"))
        return None


def microseconds(work, times):
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(times):
        work()
    stop.record()
    torch.cuda.synchronize()
    return 1e3 * start.elapsed_time(stop) / times


def medians(works, rounds):
    """The works alternate; each round takes about 3 ms for each."""
    counts = [max(2, min(200, int(3e3 / max(microseconds(work, 2), 1)))) for work in works]
    taken = [[] for _ in works]
    for _ in range(rounds):
        for work, count, row in zip(works, counts, taken, strict=True):
            row.append(microseconds(work, count))
    return [statistics.median(row) for row in taken]


def difference(own, others):
    """The relative difference in the 2-norm of first outputs."""
    if own.shape != others.shape:
        return f"shapes {tuple(own.shape)} and {tuple(others.shape)}"
    truth = others.double()
    return f"{((own.double() - truth).norm() / truth.norm().clamp(min=1e-30)).item():.0e}"


def size_of(tensors):
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


def forms(work):
    """The work itself, and as a graph."""
    graph = captured(work)
    return {"eager": work} | ({"graph": graph.replay} if graph else {})


def rivals_of(row, inputs, compiling):
    """Ways in which Torch computes the row, by name."""
    if row.rival is None:
        return {}
    found = forms(lambda: row.rival(torch, inputs))
    if row.compiled and compiling:
        torch._dynamo.reset()
        function = torch.compile(lambda *x: row.rival(torch, list(x)), dynamic=False)
        found["compiled"] = forms(lambda: function(*inputs)).popitem()[1]
    return found


def compare(row, engine, inputs):
    """What is said of the results."""
    if row.rival is None or not row.exact:
        engine.run()
        return ""
    before = [x.clone() for x in inputs]
    engine.run()
    own = engine.outputs[0]
    result = row.rival(torch, before)
    if own.ndim == 1 and result.ndim != 1:
        own = own[: result.numel()].reshape(result.shape)
    return "difference " + difference(own, result)


def measure(row, kind, n, plan, wanted):
    device = "cpu" if wanted.trial else "cuda"
    generator(device).manual_seed(1)
    operands = row.operands(kind, n)
    inputs = [random_tensor(*operand, device) for operand in operands]
    if row.last:
        inputs[0] = channels_last(torch, inputs[0])
    engine = Engine(torch, plan, inputs, Memory() if wanted.trial else None, row.last)
    with torch.inference_mode():
        said = compare(row, engine, inputs)
        if wanted.trial:
            return print(f"{row.name:32} {kind:8} {said}; {engine.kernels()}", flush=True)
        own = forms(engine.run)
        others = rivals_of(row, inputs, wanted.compile)
        results = size_of(y for y in engine.outputs if all(y is not x for x in inputs))
        moved = row.moved(operands, results) if row.moved else size_of(inputs) + results
        source, target = torch.empty((2, max(int(moved) // 2, 1)), dtype=torch.uint8, device="cuda")
        works = [*own.values(), *others.values(), lambda: target.copy_(source)]
        took = medians(works, wanted.rounds)
    mine = min(took[: len(own)])
    best = min(took[len(own) : -1], default=0.0)
    ratio = (took[-1] if row.copies else best) / mine
    names = "/".join(["kiln", *own, "torch", *others])
    times = " ".join(f"{x:.1f}" for x in took[: len(own)])
    rival = " ".join(f"{x:.1f}" for x in took[len(own) : -1]) or "-"
    limit = "copy" if row.copies else "torch"
    # A layer that moves data may also be slower than the copy, if Torch is no faster.
    below = ratio < LIMITS[row.copies] and (best or row.copies)
    print(
        f"{row.name:32} {kind:8} kiln {times}, torch {rival}, copy {took[-1]:.1f} us: "
        f"{ratio:.2f} of {limit}{'  BELOW' if below else ''}"
        f"{f' ({best / mine:.2f} of torch)' if row.copies and best else ''}; {said}; "
        f"{engine.kernels()} [{names}]",
        flush=True,
    )
    return below


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--layers", nargs="*", default=[""], help="words in the names of layers")
    parser.add_argument("--types", nargs="*", default=[])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--processes", type=int, default=8, help="that build engines")
    parser.add_argument("--compile", action="store_true", help="measure torch.compile, too")
    parser.add_argument("--tf32", action="store_true", help="float32 of both may become TF32")
    parser.add_argument("--trial", action="store_true", help="small, on the host, without times")
    wanted = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = wanted.tf32
    if not wanted.tf32:
        os.environ["NVIDIA_TF32_OVERRIDE"] = "0"  # before Kiln builds
    rows = [
        (row, kind, 1 if wanted.trial else row.full)
        for row in ROWS
        for kind in row.types
        if any(word in row.name for word in wanted.layers)
        and (not wanted.types or kind in wanted.types)
    ]
    plan = plans(rows, wanted.processes)
    start, below, failed = time.perf_counter(), 0, 0
    print(f"kiln {trt.__version__}, torch {torch.__version__}; medians of {wanted.rounds} in us")
    for row, kind, n in rows:
        data, told = plan(row, kind, n)
        if data is None:
            failed += 1
            print(f"{row.name:32} {kind:8} was not built: {told}", flush=True)
            continue
        try:
            below += bool(measure(row, kind, n, data, wanted))
        except Exception as error:
            failed += 1
            print(f"{row.name:32} {kind:8} failed: {type(error).__name__}: {error}", flush=True)
        if not wanted.trial:
            torch.cuda.empty_cache()
    seconds = time.perf_counter() - start
    print(f"{len(rows)} rows, {below} below the limit, {failed} failed; {seconds:.0f} s")


if __name__ == "__main__":
    main()
