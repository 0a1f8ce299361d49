# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Models on a GPU: results, graphs for frequent shapes, memory that grows."""

import asyncio

import engine_nets
import numpy as np
import pytest
from kiln.serve.config import Batching, Crop, ModelConfig, Pad
from kiln.serve.model import Model
from kiln.serve.request import InferRequest


def serve(plan, work, **settings):
    """What `await work(model)` gives."""

    async def main():
        model = await Model.open(ModelConfig(plan, name="m", warm_up=False, **settings))
        assert model.device == "cuda"
        try:
            return await work(model)
        finally:
            await model.close()

    return asyncio.run(main())


def rows(count, start=0, width=4):
    return np.arange(start, start + count * width, dtype=np.float32).reshape(count, width)


def workers_of(model):
    return model._workers


async def check(model, *counts):
    """Requests of so many rows, at the same time."""
    xs = [rows(count, start=i) for i, count in enumerate(counts)]
    results = await asyncio.gather(*(model.infer(InferRequest({"x": x})) for x in xs))
    for x, result in zip(xs, results, strict=True):
        np.testing.assert_array_equal(result.outputs["y"], 2 * x)
    return results


@pytest.mark.parametrize("graphs", [True, False])
def test_results_with_and_without_graphs(graphs):
    async def work(model):
        for _ in range(8):
            for count in (1, 3):  # shapes take turns; each has its graph
                await check(model, count)
            await check(model, 1, 2, 4)
        (worker,) = workers_of(model)
        return sum(1 for shapes in worker._prepared.values() if shapes.graph)

    found = serve(engine_nets.double(), work, workers=1, cuda_graphs=graphs)
    assert found == (3 if graphs else 0)


def test_results_stay_after_later_batches():
    async def work(model):
        first = await check(model, 2)
        kept = first[0].outputs["y"].copy()
        for _ in range(6):
            await check(model, 2)
        np.testing.assert_array_equal(first[0].outputs["y"], kept)

    serve(engine_nets.double(), work, workers=1)


def test_graphs_of_shapes_that_were_forgotten_are_freed():
    async def work(model):
        (worker,) = workers_of(model)
        worker._graphs_left = 2
        for count in (1, 2, 3):
            for _ in range(5):
                await check(model, count)
        assert worker._graphs_left == 0
        worker._forget_all()
        assert worker._graphs_left == 2
        await check(model, 1)

    serve(engine_nets.double(), work, workers=1)


def test_padded_lengths_and_growing_buffers():
    async def work(model):
        for lengths in ([2], [3, 5, 9], [64, 1], [2], [3, 5, 9]):
            xs = [rows(1, start=i, width=n) for i, n in enumerate(lengths)]
            results = await asyncio.gather(*(model.infer(InferRequest({"x": x})) for x in xs))
            for x, result in zip(xs, results, strict=True):
                np.testing.assert_array_equal(result.outputs["y"], 2 * x)
                np.testing.assert_allclose(result.outputs["total"], x.sum(1, keepdims=True))

    batching = Batching(pad={"x": Pad(1)}, crop={"y": Crop(1, "x", 1)})
    serve(engine_nets.sequence(), work, workers=2, batching=batching)


def test_a_shape_that_a_run_finds():
    async def work(model):
        for values in ([0, 3, 0, 4, 5], [1, 1], [0, 0, 7]):
            x = np.array(values, np.float32)
            result = await model.infer(InferRequest({"x": x}))
            np.testing.assert_array_equal(result.outputs["y"], [np.nonzero(x)[0]])

    serve(engine_nets.nonzero(), work)


def test_inputs_whose_values_decide_shapes():
    x = np.arange(12, dtype=np.float32)

    async def work(model):
        for shape in ((3, 4), (12, 1), (2, 6), (3, 4), (3, 4), (3, 4)):
            inputs = {"x": x, "shape": np.array(shape, np.int64)}
            result = await model.infer(InferRequest(inputs))
            np.testing.assert_array_equal(result.outputs["y"], x.reshape(shape))

    serve(engine_nets.reshaped(), work)


def test_the_times_of_the_layers_come_beside_graphs():
    async def work(model):
        for _ in range(5):
            await check(model, 2)
        asked = InferRequest({"x": rows(2)}, profile=True)
        result = await model.infer(asked)
        np.testing.assert_array_equal(result.outputs["y"], 2 * rows(2))
        await check(model, 2)
        return len(result.steps)

    assert serve(engine_nets.double(), work, workers=1) == 1


def test_several_workers_and_profiles():
    plan = engine_nets.sequence(lengths=((1, 4, 8), (8, 32, 64)))

    async def work(model):
        xs = [rows(1, start=i, width=1 + (i * 7) % 64) for i in range(40)]
        results = await asyncio.gather(*(model.infer(InferRequest({"x": x})) for x in xs))
        for x, result in zip(xs, results, strict=True):
            np.testing.assert_array_equal(result.outputs["y"], 2 * x)

    serve(plan, work, workers=2)
