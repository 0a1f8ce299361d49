# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E402
"""Tensor parallel on two GPUs under Ray Serve: y = sum over ranks of x @ w[rank], by NCCL."""

import os
import signal
import time

import kiln
import numpy as np
import pytest

http = pytest.importorskip("tritonclient.http", reason="scripts/setup.sh serve installs it")
pytest.importorskip("ray", reason="scripts/setup.sh serve installs it")

from client import ask, gpus, pids

pytestmark = pytest.mark.cuda

WEIGHTS = np.random.default_rng(3).standard_normal((2, 4, 4)).astype(np.float32)


def built(weights):
    kiln.set_default_target("cuda")
    try:
        builder = kiln.Builder(kiln.Logger(kiln.Logger.ERROR))
        network = builder.create_network(
            1 << int(kiln.NetworkDefinitionCreationFlag.STRONGLY_TYPED)
        )
        x = network.add_input("x", kiln.float32, (-1, 4))
        w = network.add_constant((4, 4), weights).get_output(0)
        none = kiln.MatrixOperation.NONE
        part = network.add_matrix_multiply(x, none, w, none).get_output(0)
        total = network.add_dist_collective(
            part, kiln.CollectiveOperation.ALL_REDUCE, kiln.ReduceOperation.SUM, -1, None
        )
        total.num_ranks = 2
        total.get_output(0).name = "y"
        network.mark_output(total.get_output(0))
        config = builder.create_builder_config()
        profile = builder.create_optimization_profile()
        profile.set_shape("x", (1, 4), (8, 4), (16, 4))
        config.add_optimization_profile(profile)
        return bytes(builder.build_serialized_network(network, config))
    finally:
        kiln.set_default_target(None)


@pytest.mark.skipif(gpus() < 2, reason="the machine has fewer than two GPUs")
def test_two_gpus_give_one_answer(serving, deploy, tmp_path):
    for rank in range(2):
        (tmp_path / f"{rank}.plan").write_bytes(built(WEIGHTS[rank]))
    deploy({"plan": f"{tmp_path}/{{rank}}.plan", "name": "m", "ranks": 2, "num_gpus": 1})
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    expected = x @ WEIGHTS.sum(axis=0)
    with http.InferenceServerClient(serving.url, network_timeout=120) as client:
        for _ in range(20):
            np.testing.assert_allclose(ask(http, client, "m", x), expected, rtol=1e-5, atol=1e-5)
        before = pids()
        os.kill(rank_process(), signal.SIGKILL)
        for _ in range(60):  # the next request finds the dead rank; a new group answers it
            try:
                y = ask(http, client, "m", x)
                break
            except http.InferenceServerException as error:
                assert error.status() == "503"
                time.sleep(1)
        np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-5)
        assert not pids() & before


def rank_process():
    """The process of rank 1."""
    import ray

    found = [
        actor["Pid"]
        for actor in ray._private.state.actors().values()
        if actor["State"] == "ALIVE" and actor["ActorClassName"].endswith("Rank")
    ]
    assert len(found) == 1
    return found[0]
