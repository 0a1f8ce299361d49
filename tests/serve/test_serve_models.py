# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Several models: names, versions, a limit of memory, loading and unloading."""

import asyncio
import threading

import engine_nets
import numpy as np
import pytest
from kiln.serve.config import ModelConfig, ServeConfig
from kiln.serve.model import Model
from kiln.serve.models import Models
from kiln.serve.observer import Observer
from kiln.serve.request import InferRequest, LoadError, NotFoundError, OverloadedError

ONES = np.ones((1, 4), np.float32)


class Watch(Observer):
    def __init__(self):
        self.events = []

    def model_loaded(self, model, version, memory, seconds):
        assert memory > 0 and seconds > 0
        self.events.append(f"+{model}")

    def model_unloaded(self, model, version):
        self.events.append(f"-{model}")


@pytest.fixture(scope="module")
def plans(tmp_path_factory):
    """Three plan files of one size."""
    folder = tmp_path_factory.mktemp("plans")
    for name in "abc":
        (folder / f"{name}.plan").write_bytes(engine_nets.double())
    return [folder / f"{name}.plan" for name in "abc"]


def serve(paths, work, watch=None, **settings):
    """What `await work(models)` gives."""

    async def main():
        configs = [
            p if isinstance(p, ModelConfig) else ModelConfig(p, warm_up=False) for p in paths
        ]
        models = Models(ServeConfig(tuple(configs), **settings), watch)
        await models.start()
        try:
            return await work(models)
        finally:
            await models.close()

    return asyncio.run(main())


async def answer(models, name):
    model = await models.get(name)
    result = await model.infer(InferRequest({"x": ONES}))
    return result.model, result.outputs["y"][0, 0]


def test_all_models_are_loaded_at_the_start(plans):
    watch = Watch()

    async def work(models):
        assert models.names() == ["a", "b", "c"] and len(models.loaded()) == 3
        assert models.ready() and models.ready("b") and models.ready("b", "1")
        assert not models.ready("b", "2") and not models.ready("z")
        assert await answer(models, "c") == ("c", 2)
        with pytest.raises(NotFoundError, match="expected one of a, b, c, got 'z'"):
            await models.get("z")
        with pytest.raises(NotFoundError, match="expected version 1"):
            await models.get("a", "2")
        return (await models.get("a", "1")).memory

    assert serve(plans, work, watch) >= plans[0].stat().st_size
    assert sorted(watch.events) == ["+a", "+b", "+c", "-a", "-b", "-c"]


def test_the_start_names_each_model_that_cannot_be_served(plans, tmp_path):
    broken = tmp_path / "broken.plan"
    broken.write_bytes(b"nothing")
    with pytest.raises(LoadError) as caught:
        serve([plans[0], broken, tmp_path / "absent", plans[0]], None)
    text = str(caught.value)
    assert "broken.plan" in text and "absent" in text and "got 'a' twice" in text


def limit_for(plans, count):
    """A limit of memory that so many models fit into."""
    return round(Model.load(ModelConfig(plans[0], warm_up=False)).memory * (count + 0.5))


def test_models_that_want_different_threads_are_refused_by_name(plans):
    configs = [ModelConfig(p, threads=n) for p, n in zip(plans, (1, None, 2), strict=True)]
    with pytest.raises(LoadError, match=r"threads: .* got 1 for 'a' and 2 for 'c'"):
        serve(configs, None)


def test_with_a_limit_the_least_recently_used_model_goes(plans):
    watch = Watch()

    async def work(models):
        assert models.loaded() == [] and models.ready()
        for name in "abacb":
            assert await answer(models, name) == (name, 2)
        return [model.name for model in models.loaded()]

    assert serve(plans, work, watch, memory_limit=limit_for(plans, 2)) == ["b", "c"]
    assert watch.events[:6] == ["+a", "+b", "-b", "+c", "-a", "+b"]


def test_concurrent_requests_load_a_model_once(plans, monkeypatch):
    loads, load, limit = [], Model.load, limit_for(plans, 2)

    def counted(config, plan=None):
        loads.append(threading.current_thread() is threading.main_thread())
        return load(config, plan)

    monkeypatch.setattr(Model, "load", counted)

    async def work(models):
        return await asyncio.gather(*(answer(models, "a") for _ in range(20)))

    assert serve(plans, work, memory_limit=limit) == [("a", 2)] * 20
    assert loads == [False]


def test_a_failing_load_reaches_every_waiter_and_may_be_tried_again(plans, monkeypatch):
    load = Model.load

    def failing(config, plan=None):
        raise OSError("the disk is gone")

    async def work(models):
        monkeypatch.setattr(Model, "load", failing)
        done = await asyncio.gather(
            *(answer(models, "a") for _ in range(3)), return_exceptions=True
        )
        assert all(isinstance(error, LoadError) for error in done)
        assert "model 'a' cannot be loaded: OSError: the disk is gone" in str(done[0])
        monkeypatch.setattr(Model, "load", load)
        return await answer(models, "a")

    assert serve(plans, work, memory_limit=limit_for(plans, 2)) == ("a", 2)


def test_a_model_in_use_is_never_unloaded(plans, monkeypatch):
    monkeypatch.setattr("kiln.serve.models._PATIENCE_S", 0.2)

    async def work(models):
        model = await models.get("a")
        worker = model._workers[0]
        run, go = worker.run, threading.Event()

        def slow(joined):
            go.wait(10)
            return run(joined)

        worker.run = slow
        model.batcher.pace.cost.add(16, 1.0)  # so that the run has a thread of its own
        busy = asyncio.ensure_future(model.infer(InferRequest({"x": ONES})))
        await asyncio.sleep(0.01)
        with pytest.raises(OverloadedError, match="models in use leave no room"):
            await models.get("b")
        waiting = asyncio.ensure_future(answer(models, "b"))
        await asyncio.sleep(0.05)
        go.set()
        assert (await busy).outputs["y"][0, 0] == 2
        return await waiting, [m.name for m in models.loaded()]

    assert serve(plans, work, memory_limit=limit_for(plans, 1)) == (("b", 2), ["b"])


def test_no_request_is_lost_while_models_take_turns(plans):
    watch = Watch()

    async def work(models):
        async def client(i):
            for k in range(15):
                name = "abc"[(i + k) % 3]
                model = await models.get(name)
                await asyncio.sleep(0)  # meanwhile the model may have to go
                result = await model.infer(InferRequest({"x": ONES}))
                assert (result.model, result.outputs["y"][0, 0]) == (name, 2)

        await asyncio.gather(*map(client, range(8)))

    serve(plans, work, watch, memory_limit=limit_for(plans, 2))
    assert watch.events.count("-a") > 1


def test_a_model_larger_than_the_limit_is_refused_at_the_start(plans):
    with pytest.raises(LoadError, match=r"model 'a': it needs .* and memory_limit is 100"):
        serve(plans, None, memory_limit=100)


def test_unload_and_load(plans):
    async def work(models):
        await models.unload("a")
        assert not models.ready("a") and models.ready()
        with pytest.raises(OverloadedError, match="model 'a' is not loaded"):
            await models.get("a")
        await models.load("a")
        assert models.ready("a")
        return await answer(models, "a")

    assert serve(plans, work) == ("a", 2)


def test_versions_of_a_folder(tmp_path):
    for version, width in (("1", 4), ("2", 5)):
        (tmp_path / "m" / version).mkdir(parents=True)
        plan = engine_nets.double(width=width)
        (tmp_path / "m" / version / "m.plan").write_bytes(plan)

    async def work(models):
        model = await models.get("m")
        return model.version, model.versions, model.signature.inputs[0].shape

    assert serve([tmp_path / "m"], work) == ("2", ["2", "1"], (-1, 5))
    old = ModelConfig(tmp_path / "m", version="1")
    assert serve([old], work) == ("1", ["2", "1"], (-1, 4))
