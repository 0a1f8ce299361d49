# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The contexts of a worker on the CPU: batches of many sizes in turn give what each gives alone."""

import engine_nets
import kiln
import numpy as np
import plugin_plans
import pytest

pytest.importorskip("orjson", reason="scripts/setup.sh serve installs it")

from kiln.serve import plans, plugins, worker
from kiln.serve.config import ModelConfig
from kiln.serve.engine import open_plan
from kiln.serve.padding import Grouping
from kiln.serve.request import InferRequest, RequestError
from kiln.serve.worker import CpuWorker


class Runs:
    """A worker and what it needs to run requests."""

    def __init__(self, config):
        plan = plans.find(config)
        plugins.load(config, plan)
        self.opened = open_plan(config, plan)
        self.worker = CpuWorker(self.opened)
        self.grouping = Grouping(self.opened.signature, config.batching)

    def __call__(self, *arrays):
        """The outputs of a batch of requests."""
        requests = [InferRequest({"x": array}) for array in arrays]
        group = self.grouping.group(requests[0])
        joined = self.grouping.join(group, requests, [len(array) for array in arrays])
        return joined.split(self.worker.run(joined))


def rows(count, width=4):
    return np.random.default_rng(count).random((count, width), np.float32)


@pytest.fixture
def runs():
    return Runs(ModelConfig(engine_nets.double((1, 8, 64)), "m"))


def test_sizes_in_turn(runs):
    kept = []
    for count in (3, 1, 2, 3, 2, 1, 64, 1, 3):
        x = rows(count)
        kept.append((x, runs(x)[0]["y"]))
    for x, y in kept:  # later runs change no result
        np.testing.assert_array_equal(y, 2 * x)
    assert len(runs.worker._contexts) == 4
    assert runs.worker.buffer_bytes < 4096


def test_more_sizes_than_contexts(runs):
    for _ in range(2):
        for count in (*range(1, 65), 1, 64):
            np.testing.assert_array_equal(runs(rows(count))[0]["y"], 2 * rows(count))
    assert len(runs.worker._contexts) == worker._CONTEXTS < 64


def test_more_shapes_than_are_remembered(monkeypatch):
    monkeypatch.setattr(worker, "_REMEMBERED", 5)
    monkeypatch.setattr(worker, "_CONTEXTS", 3)
    runs = Runs(ModelConfig(engine_nets.double((1, 8, 64)), "m"))
    for count in (*range(1, 12), *range(11, 0, -1), *range(1, 12, 3)):
        np.testing.assert_array_equal(runs(rows(count))[0]["y"], 2 * rows(count))
    assert len(runs.worker._prepared) == 5 and len(runs.worker._contexts) == 3


def test_contexts_that_scratch_the_same_memory():
    """Between the two layers of each run lies a tensor in the scratch memory."""

    def make(network):
        x = network.add_input("x", kiln.float32, (-1, 4))
        weights = np.random.default_rng(0).random((4, 4), np.float32)
        none = kiln.MatrixOperation.NONE
        for _ in range(3):
            constant = network.add_constant((4, 4), weights).get_output(0)
            x = network.add_matrix_multiply(x, none, constant, none).get_output(0)
            x = network.add_activation(x, kiln.ActivationType.TANH).get_output(0)
        engine_nets.mark(network, x)

    plan = engine_nets.build(make, [{"x": ((1, 4), (8, 4), (64, 4))}])
    runs = Runs(ModelConfig(plan, "m"))
    assert runs.opened.engine.device_memory_size_v2 > 0
    for count in (3, 9, 1, 3, 9, 1):
        together = runs(rows(count))[0]["y"]
        alone = [runs(row[None])[0]["y"] for row in rows(count)]
        np.testing.assert_allclose(together, np.concatenate(alone), rtol=1e-5)


def test_large_scratch_memory_and_plugins_have_one_context(monkeypatch, tmp_path):
    monkeypatch.setattr(worker, "_SCRATCH", -1)
    runs = Runs(ModelConfig(engine_nets.double(), "m"))
    for count in (3, 1, 3):
        np.testing.assert_array_equal(runs(rows(count))[0]["y"], 2 * rows(count))
    assert len(runs.worker._contexts) == 1
    monkeypatch.undo()
    plugin, plan = plugin_plans.make(tmp_path, "double")
    runs = Runs(ModelConfig(plan, "m", plugins=(str(plugin),)))
    for count in (3, 1, 3):
        np.testing.assert_array_equal(runs(rows(count))[0]["y"], 2 * rows(count))
    assert len(runs.worker._contexts) == 1


def test_a_failed_run_harms_no_later_one(runs, monkeypatch):
    for count in (1, 2):
        runs(rows(count))
    monkeypatch.setattr(runs.worker, "_set_shapes", lambda *_: refuse(runs.worker))
    with pytest.raises(RequestError, match="cannot start the run: no"):
        runs(rows(3))
    monkeypatch.undo()
    for count in (1, 2, 3, 2, 1):
        np.testing.assert_array_equal(runs(rows(count))[0]["y"], 2 * rows(count))


def refuse(worker):
    raise worker._failure("no")
