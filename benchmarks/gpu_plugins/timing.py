# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Times functions in turns: by GPU events, in a graph, and on the host."""

import gc
import statistics
import time

import torch

ROUNDS = 15


def rounds_of(rivals, measure, rounds):
    """Calls measure(rival) for each rival in each round; returns one row per round."""
    for rival in rivals:
        measure(rival)
    return [[measure(rival) for rival in rivals] for _ in range(rounds)]


def in_turns(rivals, measure, rounds=ROUNDS):
    """Returns the median of measure(rival) for each rival; each round measures all."""
    return list(map(statistics.median, zip(*rounds_of(rivals, measure, rounds), strict=True)))


def added(rivals, measure, rounds):
    """Returns the medians like in_turns, and what the last rival adds to the first.

    The latter is the median of each round's difference: a slower machine slows down both.
    """
    rows = rounds_of(rivals, measure, rounds)
    medians = map(statistics.median, zip(*rows, strict=True))
    return *medians, statistics.median(row[-1] - row[0] for row in rows)


def device_ms(work, stream, repeats):
    """Milliseconds per work() on the GPU."""
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record(stream)
    for _ in range(repeats):
        work()
    stop.record(stream)
    stop.synchronize()
    return start.elapsed_time(stop) / repeats


def graph_of(work, stream, copies):
    """Captures a graph of `copies` runs."""
    work()  # excludes the preparations of a first run
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream, capture_error_mode="thread_local"):
        for _ in range(copies):
            work()
    return graph


def host_us(work, stream, repeats=200):
    """Microseconds per work() on the host, in bursts that fit the driver's queue.

    The garbage collector is off, as in timeit, because a collection visits all objects of Torch.
    """
    stream.synchronize()
    gc.disable()
    start = time.perf_counter()
    for _ in range(repeats):
        work()
    taken = time.perf_counter() - start
    gc.enable()
    stream.synchronize()
    return taken / repeats * 1e6
