# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E402
"""A model of several ranks, on the CPU: processes, hand-over and failures, without collectives."""

import time

import engine_nets
import numpy as np
import pytest

ray = pytest.importorskip("ray", reason="scripts/setup.sh serve installs it")

from kiln.serve import ModelConfig, ServeConfig, parallel
from kiln.serve.config import Batching
from kiln.serve.deployment import options_of
from kiln.serve.model import Model
from kiln.serve.padding import Joined
from kiln.serve.request import InferRequest, LoadError, RequestError

FOLDER = "fake_communicator:Folder"


def joined(rows):
    x = np.arange(rows * 4, dtype=np.float32).reshape(rows, 4)
    return x, Joined([InferRequest({"x": x})], [rows], 0, {"x": x.shape}, Batching())


def test_nccl_needs_gpus(tmp_path):
    (tmp_path / "m.plan").write_bytes(engine_nets.double())
    with pytest.raises(LoadError, match="ranks: expected a plan for the target cuda"):
        Model.load(ModelConfig(str(tmp_path / "m.plan"), ranks=2))


def test_a_replica_reserves_the_gpus_of_one_machine():
    options = options_of(ServeConfig((ModelConfig("a"), ModelConfig("b", ranks=4)), num_cpus=2))
    assert options["placement_group_bundles"] == [{"CPU": 2, "GPU": 1}] * 4
    assert options["placement_group_strategy"] == "STRICT_PACK"
    actor = options["ray_actor_options"]
    assert (actor["num_cpus"], actor["num_gpus"]) == (2, 1)
    assert "placement_group_bundles" not in options_of(ServeConfig((ModelConfig("a"),)))


def test_replicas_run_on_the_loop_of_ray_unless_the_user_says_more():
    name = "RAY_SERVE_RUN_USER_CODE_IN_SEPARATE_THREAD"

    def environment(**options):
        found = options_of(ServeConfig((ModelConfig("a"),), options=options))
        return found["ray_actor_options"]["runtime_env"]

    assert environment() == {"env_vars": {name: "0"}}
    own = {"env_vars": {name: "1", "A": "b"}, "working_dir": "/tmp"}
    assert environment(ray_actor_options={"runtime_env": own}) == own
    other = environment(ray_actor_options={"runtime_env": {"env_vars": {"A": "b"}}})
    assert other["env_vars"] == {name: "0", "A": "b"}


def test_all_ranks_run_each_batch(two_nodes, tmp_path):
    # Rank 1 takes fewer rows, which shows what it got; rank 2 takes what rank 0 takes.
    for rank, most in enumerate((8, 2, 8)):
        (tmp_path / f"{rank}.plan").write_bytes(engine_nets.double(rows=(1, 1, most)))
    config = ModelConfig(str(tmp_path / "{rank}.plan"), name="m", ranks=3)
    ended = []
    first = Model.load(parallel.of_rank(config, 0)).workers[0]
    group = parallel.grouped(first, config, FOLDER, ended.append)
    for _ in range(2):
        x, batch = joined(2)
        np.testing.assert_array_equal(group.run(batch)["y"], x + x)
    with pytest.raises(RequestError, match="input 'x' refuses the shape"):
        group.run(joined(3)[1])
    x, batch = joined(1)
    np.testing.assert_array_equal(group.run(batch)["y"], x + x)
    assert ended == []

    ray.kill(group._ranks[1])
    with pytest.raises(RequestError, match="the group of ranks is broken"):
        group.run(batch)
    assert len(ended) == 1 and "a rank died" in ended[0]
    group.close()


def test_a_rank_without_its_plan_fails_the_model(two_nodes, tmp_path):
    (tmp_path / "0.plan").write_bytes(engine_nets.double())
    config = ModelConfig(str(tmp_path / "{rank}.plan"), name="m", ranks=2)
    first = Model.load(parallel.of_rank(config, 0)).workers[0]
    start = time.monotonic()
    with pytest.raises(LoadError, match=r"its ranks cannot be connected: .*1.plan', which does no"):
        parallel.grouped(first, config, FOLDER)
    assert time.monotonic() - start < 60
