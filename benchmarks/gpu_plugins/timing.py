# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Times of rivals in turns: by the GPU's events, under a graph, and of the host."""

import statistics
import time

import torch

ROUNDS = 15


def in_turns(rivals, measure, rounds=ROUNDS):
    """The median of measure(rival) for each, round by round."""
    for rival in rivals:
        measure(rival)
    taken = [[] for _ in rivals]
    for _ in range(rounds):
        for rival, times in zip(rivals, taken, strict=True):
            times.append(measure(rival))
    return [statistics.median(times) for times in taken]


def device_ms(work, stream, repeats):
    """Milliseconds of one work() on the GPU."""
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record(stream)
    for _ in range(repeats):
        work()
    stop.record(stream)
    stop.synchronize()
    return start.elapsed_time(stop) / repeats


def graph_of(work, stream, copies):
    """A graph of so many runs."""
    work()  # what is prepared at a first run is no part of it
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream, capture_error_mode="thread_local"):
        for _ in range(copies):
            work()
    return graph


def host_us(work, stream, repeats=200):
    """Microseconds of one work() on the host, with room in the driver's queue."""
    stream.synchronize()
    start = time.perf_counter()
    for _ in range(repeats):
        work()
    taken = time.perf_counter() - start
    stream.synchronize()
    return taken / repeats * 1e6
