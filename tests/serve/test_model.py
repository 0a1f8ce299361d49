# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A model answers requests: alone, in batches, with padding, in error."""

import asyncio
import gc
import resource

import engine_nets
import kiln
import numpy as np
import pytest
from kiln.serve import model as model_module
from kiln.serve.config import Batching, Crop, ModelConfig, Pad
from kiln.serve.model import Model
from kiln.serve.observer import Observer
from kiln.serve.request import BadRequestError, InferRequest


def run(plan, work, **settings):
    """What `await work(model)` gives."""

    async def main():
        model = await Model.open(ModelConfig(plan, name="m", **settings))
        try:
            return await work(model)
        finally:
            await model.close()

    return asyncio.run(main())


def rows(count, start=0, width=4):
    return np.arange(start, start + count * width, dtype=np.float32).reshape(count, width)


def test_one_request_gets_its_rows():
    async def work(model):
        return await model.infer(InferRequest({"x": rows(3)}, id="a"))

    result = run(engine_nets.double(), work)
    np.testing.assert_array_equal(result.outputs["y"], 2 * rows(3))
    assert (result.model, result.version, result.id, result.batch) == ("m", "1", "a", 3)
    assert result.run_ms > 0 and result.queue_ms >= 0


@pytest.mark.parametrize("count", [1, 16])
def test_results_belong_to_the_caller(count):
    async def work(model):
        first = (await model.infer(InferRequest({"x": rows(count)}))).outputs["y"]
        second = (await model.infer(InferRequest({"x": rows(count, start=5)}))).outputs["y"]
        np.testing.assert_array_equal(first, 2 * rows(count))
        first[:] = 0
        np.testing.assert_array_equal(second, 2 * rows(count, start=5))

    run(engine_nets.double(), work)
    width = 1024  # outputs that are too large for memory that stays
    large = np.ones((count, width), np.float32)

    async def work_large(model):
        results = [await model.infer(InferRequest({"x": large * i})) for i in range(3)]
        for i, result in enumerate(results):
            np.testing.assert_array_equal(result.outputs["y"], 2 * i * large)

    run(engine_nets.double(width=width), work_large)


def test_requests_that_come_together_share_a_batch():
    async def work(model):
        requests = [InferRequest({"x": rows(1 + i % 3, start=i)}) for i in range(8)]
        return await asyncio.gather(*map(model.infer, requests))

    results = run(engine_nets.double(), work)
    for i, result in enumerate(results):
        np.testing.assert_array_equal(result.outputs["y"], 2 * rows(1 + i % 3, start=i))
    assert {result.batch for result in results} == {15}


def test_a_batch_ends_at_its_limit():
    async def work(model):
        requests = [InferRequest({"x": rows(3, start=i)}) for i in range(8)]
        return await asyncio.gather(*map(model.infer, requests))

    batching = Batching(max_size=8)
    results = run(engine_nets.double(), work, batching=batching)
    assert [result.batch for result in results] == [6] * 8
    large = run(engine_nets.double(), lambda m: m.infer(InferRequest({"x": rows(16)})))
    assert large.batch == 16


def test_a_request_above_the_limit_of_a_batch_runs_alone():
    async def work(model):
        sizes = (3, 16, 3)
        requests = [InferRequest({"x": rows(n, start=n)}) for n in sizes]
        results = await asyncio.gather(*map(model.infer, requests))
        for n, result in zip(sizes, results, strict=True):
            np.testing.assert_array_equal(result.outputs["y"], 2 * rows(n, start=n))
        return [result.batch for result in results]

    assert run(engine_nets.double(), work, batching=Batching(max_size=8)) == [3, 16, 3]


def test_rows_are_added_where_the_profile_takes_no_smaller_batch():
    shares = []

    class Watch(Observer):
        def batch_ran(self, model, version, rows, padded_share, queue_ms, run_ms):
            shares.append((rows, padded_share))

    async def work(model):
        model.watch(Watch())
        result = await model.infer(InferRequest({"x": rows(1)}))
        np.testing.assert_array_equal(result.outputs["y"], 2 * rows(1))
        with pytest.raises(BadRequestError):  # without batches, rows may depend on each other
            await alone.infer(InferRequest({"x": rows(1)}))

    plan = engine_nets.double(rows=(4, 8, 16))
    alone = Model.load(ModelConfig(plan, batching=Batching(max_size=1)))
    run(plan, work)
    assert shares == [(1, 0.75)]


def test_inputs_whose_values_decide_shapes():
    x = np.arange(12, dtype=np.float32)

    async def work(model):
        assert not model.signature.batch
        for shape in ((3, 4), (12, 1), (2, 6), (3, 4)):
            inputs = {"x": x, "shape": np.array(shape, np.int64)}
            result = await model.infer(InferRequest(inputs))
            np.testing.assert_array_equal(result.outputs["y"], x.reshape(shape))

    run(engine_nets.reshaped(), work)


def test_values_of_a_shape_outside_of_the_profile_are_the_clients_fault():
    x = np.arange(12, dtype=np.float32)

    async def work(model):
        for shape, said in (([3, 13], "(3, 13)"), ([0, 4], "(0, 4)"), ([-1, 4], "(-1, 4)")):
            with pytest.raises(BadRequestError) as caught:
                await model.infer(InferRequest({"x": x, "shape": np.array(shape)}))
            assert f"input 'shape': expected the values (1, 1) to (12, 12), got {said}" in str(
                caught.value
            )
        good = await model.infer(InferRequest({"x": x, "shape": np.array([12, 1])}))
        assert good.outputs["y"].shape == (12, 1)

    run(engine_nets.reshaped(), work)


def test_the_values_of_a_shape_choose_the_profile():
    x = np.arange(12, dtype=np.float32)

    async def work(model):
        for shape in ([2, 6], [6, 2]):
            result = await model.infer(InferRequest({"x": x, "shape": np.array(shape)}))
            assert result.outputs["y"].shape == tuple(shape)
        with pytest.raises(BadRequestError, match=r"expected the values .* or .*, got \(4, 3\)"):
            await model.infer(InferRequest({"x": x, "shape": np.array([4, 3])}))

    wide, high = ((1, 4), (2, 6), (3, 12)), ((5, 1), (6, 2), (12, 2))
    run(engine_nets.reshaped(wide, high), work)


def test_lengths_are_padded_only_where_the_model_says_so():
    lengths = [3, 5, 3, 9]
    inputs = [rows(1, start=i, width=n) for i, n in enumerate(lengths)]

    async def work(model):
        return await asyncio.gather(*(model.infer(InferRequest({"x": x})) for x in inputs))

    plain = run(engine_nets.sequence(), work)
    assert sorted(result.batch for result in plain) == [1, 1, 2, 2]
    batching = Batching(pad={"x": Pad(1, 0.0)}, crop={"y": Crop(1, "x", 1)})
    padded = run(engine_nets.sequence(), work, batching=batching)
    assert [result.batch for result in padded] == [4] * 4
    for result in (plain, padded):
        for x, answer in zip(inputs, result, strict=True):
            np.testing.assert_array_equal(answer.outputs["y"], 2 * x)
            np.testing.assert_allclose(answer.outputs["total"], x.sum(1, keepdims=True))


def test_static_and_data_dependent_models_run_alone():
    x = np.arange(6, dtype=np.float32).reshape(2, 3)

    async def twice(model):
        assert not model.signature.batch
        request = InferRequest({"x": x})
        return await asyncio.gather(model.infer(request), model.infer(request))

    for result in run(engine_nets.static(), twice):
        np.testing.assert_array_equal(result.outputs["y"], -x)

    found = np.array([0, 3, 0, 4, 5], np.float32)

    async def where(model):
        assert not model.signature.batch
        return await asyncio.gather(
            model.infer(InferRequest({"x": found})), model.infer(InferRequest({"x": 1 - found}))
        )

    first, second = run(engine_nets.nonzero(), where)
    np.testing.assert_array_equal(first.outputs["y"], [[1, 3, 4]])
    np.testing.assert_array_equal(second.outputs["y"], [[0, 1, 2, 3, 4]])


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({"z": rows(1)}, "inputs: expected x, got z"),
        ({}, "inputs: expected x, got none"),
        ({"x": rows(1), "z": rows(1)}, "inputs: expected x, got x, z"),
        ({"x": rows(1).astype(np.float64)}, "input 'x': expected float32, got float64"),
        ({"x": [[1.0]]}, "input 'x': expected float32, got list"),
        ({"x": rows(17)}, r"input 'x': expected the shape (1, 4) to (16, 4), got (17, 4)"),
        ({"x": rows(2, width=5)}, r"input 'x': expected the shape (1, 4) to (16, 4), got (2, 5)"),
        ({"x": rows(0)}, r"got (0, 4)"),
        ({"x": rows(1)[0]}, r"got (4)"),
    ],
)
def test_wrong_requests_are_refused(inputs, said):
    async def work(model):
        with pytest.raises(BadRequestError) as caught:
            await model.infer(InferRequest(inputs))
        result = await model.infer(InferRequest({"x": rows(1)}))
        np.testing.assert_array_equal(result.outputs["y"], 2 * rows(1))
        return str(caught.value)

    text = run(engine_nets.double(), work)
    assert said in text and text.startswith("[serve] model 'm'")


def test_only_the_outputs_that_were_asked_for():
    async def work(model):
        wanted = await model.infer(InferRequest({"x": rows(1)}, outputs=["total"]))
        with pytest.raises(BadRequestError, match="expected some of total, y, got q"):
            await model.infer(InferRequest({"x": rows(1)}, outputs=["q"]))
        return wanted

    assert list(run(engine_nets.sequence(), work).outputs) == ["total"]


def test_a_model_is_warm_when_it_is_loaded():
    async def work(model):
        cost = model.batcher.pace.cost
        return cost.predict(4), [len(worker._prepared) for worker in model._workers]

    cost, shapes = run(engine_nets.double(), work, workers=2, threads=1)
    assert 0 < cost < 0.1 and shapes == [2, 2]
    assert run(engine_nets.double(), work, warm_up=False) == (None, [0])


def test_the_times_of_the_layers_come_on_request():
    async def work(model):
        plain = await model.infer(InferRequest({"x": rows(1, width=3)}))
        asked = InferRequest({"x": rows(1, width=3)}, profile=True)
        timed = [await model.infer(asked) for _ in range(2)]
        again = await model.infer(InferRequest({"x": rows(1, width=3)}))
        assert plain.steps == again.steps == []
        return [[name for name, ms in result.steps if ms >= 0] for result in timed]

    first, second = run(engine_nets.sequence(), work)
    assert first == second and len(first) >= 1


def test_workers_share_the_cores():
    async def work(model):
        return len(model._workers)

    kiln.set_num_threads(4)
    model_module._cores.cache_clear()
    try:
        assert run(engine_nets.double(), work) == 1
        assert run(engine_nets.double(), work, threads=2) == 2
        assert run(engine_nets.double(), work, threads=1) == 4
        assert run(engine_nets.double(), work, threads=8) == 1
        assert run(engine_nets.double(), work, threads=4, workers=3) == 3
    finally:
        kiln.set_num_threads(0)
        model_module._cores.cache_clear()


def test_memory_does_not_grow():
    async def work(model):
        async def client(i):
            for k in range(40):
                count = 1 + (i + k) % 5
                await model.infer(InferRequest({"x": rows(count)}))
                with pytest.raises(BadRequestError):
                    await model.infer(InferRequest({"x": rows(17 + k)}))

        async def some(count):
            await asyncio.gather(*map(client, range(count)))
            gc.collect()
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * resource.getpagesize()

        await some(20)
        before = await some(20)
        return await some(125) - before

    assert run(engine_nets.double(), work, workers=2) < 2 << 20  # 5,000 answers, 5,000 refusals
