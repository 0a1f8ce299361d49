# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Times of rivals in turns: by the GPU's events, under a graph, and of the host."""

import gc
import statistics
import time

import torch

ROUNDS = 15


def rounds_of(rivals, measure, rounds):
    """measure(rival) for each, round by round: a row for each round."""
    for rival in rivals:
        measure(rival)
    return [[measure(rival) for rival in rivals] for _ in range(rounds)]


def in_turns(rivals, measure, rounds=ROUNDS):
    """The median of measure(rival) for each, round by round."""
    return list(map(statistics.median, zip(*rounds_of(rivals, measure, rounds), strict=True)))


def added(rivals, measure, rounds):
    """The medians as in_turns has them, and what the last adds to the first.

    The latter is the median over the rounds: a machine that slows down slows down both.
    """
    rows = rounds_of(rivals, measure, rounds)
    medians = map(statistics.median, zip(*rows, strict=True))
    return *medians, statistics.median(row[-1] - row[0] for row in rows)


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
    """Microseconds of one work() on the host, with room in the driver's queue.

    Without collections of garbage, as timeit measures: each looks at all of Torch.
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
