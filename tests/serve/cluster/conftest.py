# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A Ray of two nodes on this machine, with Ray Serve's proxies; all tests of a run share it."""

import os
import sys
import warnings
from pathlib import Path

import kiln
import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

import engine_nets
from ports import free_port

with warnings.catch_warnings():  # Ray's use of pydantic; pytest would show it for each test file
    warnings.simplefilter("ignore")
    try:
        import ray.serve
    except ImportError:
        ray = None

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items):
    """One process of pytest-xdist runs all tests of this folder: they share one Ray."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("serve"))
            item.add_marker(pytest.mark.filterwarnings("ignore::DeprecationWarning"))


def scaled(factor):
    """y = factor * x, of [batch, 4]; 1 to 16 rows."""

    def make(network):
        import numpy as np

        x = network.add_input("x", kiln.float32, (-1, 4))
        by = network.add_constant((1, 4), np.full((1, 4), factor, np.float32)).get_output(0)
        layer = network.add_elementwise(x, by, kiln.ElementWiseOperation.PROD)
        engine_nets.mark(network, layer.get_output(0))

    return engine_nets.build(make, [{"x": ((1, 4), (16, 4), (16, 4))}])


@pytest.fixture(scope="session")
def plans(tmp_path_factory):
    """A folder: one.plan, and `versions` with the versions 1 and 2, which multiply by these."""
    folder = tmp_path_factory.mktemp("plans")
    for version in (1, 2):
        (folder / "versions" / str(version)).mkdir(parents=True)
        (folder / "versions" / str(version) / "model.plan").write_bytes(scaled(version))
    (folder / "one.plan").write_bytes(scaled(1))
    (folder / "three.plan").write_bytes(scaled(3))
    return folder


def patiently(start):
    """Calls again what Ray gives up after 30 s, as it does on a busy machine."""
    for left in (2, 1, 0):
        try:
            return start()
        except Exception as error:  # Ray raises plain ones
            if not left or "timed out during startup" not in str(error):
                raise


@pytest.fixture(scope="session")
def two_nodes():
    """Ray with two nodes of two CPUs each, which have the resources node0 and node1."""
    if ray is None:
        pytest.skip("Ray is not installed: scripts/setup.sh serve")
    names = {
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_AUTH_MODE": "disabled",
        "RAY_SERVE_MAX_PER_REPLICA_RETRY_COUNT": "1",
        "RAY_metrics_report_interval_ms": "1000",
        "RAY_worker_niceness": "0",
        "PYTHONPATH": os.pathsep.join(
            [str(Path(kiln.__file__).parents[1]), str(HERE), os.environ.get("PYTHONPATH", "")]
        ),
    }
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(names)
    from client import gpus
    from kiln.serve.local import stay_on_loopback
    from ray.cluster_utils import Cluster

    stay_on_loopback()
    cluster = Cluster()
    store = 100 << 20
    head = {"include_dashboard": False, "resources": {"node0": 4}, "num_gpus": gpus()}
    patiently(lambda: cluster.add_node(num_cpus=2, object_store_memory=store, **head))
    other = {"resources": {"node1": 4}}
    patiently(lambda: cluster.add_node(num_cpus=2, object_store_memory=store, **other))
    ray.init(address=cluster.address, log_to_driver=False, logging_level="error")
    yield cluster
    ray.shutdown()
    cluster.shutdown()
    for name, value in before.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


class Ports:
    def __init__(self):
        self.http, self.grpc = free_port(), free_port()
        self.url = f"127.0.0.1:{self.http}"
        self.grpc_url = f"127.0.0.1:{self.grpc}"


@pytest.fixture(scope="session")
def serving(two_nodes):
    """Ray Serve's proxies on the first node; gives their ports."""
    import logging

    from kiln.serve.application import controller_options, grpc_options

    logging.getLogger("ray.serve").setLevel(logging.CRITICAL)
    ports = Ports()
    ray.serve.start(
        proxy_location="HeadOnly",
        http_options={"host": "127.0.0.1", "port": ports.http, "request_timeout_s": 30},
        grpc_options=grpc_options("127.0.0.1", ports.grpc),
        controller_options=controller_options(),
        logging_config={"enable_access_log": False, "log_level": "WARNING"},
        # Of requests whose client wants it: files in the folder of Ray's logs.
        tracing_config={"enabled": True, "sampling_ratio": 0.0},
    )
    yield ports
    ray.serve.shutdown()


@pytest.fixture
def deploy(serving):
    """A function that deploys a configuration, or changes the one that runs, as 'kiln'."""
    from kiln.serve.application import build

    def run(config):
        application = build({"graceful_shutdown_timeout_s": 5, "num_cpus": 0.5, **config})
        return ray.serve.run(application, name="kiln", route_prefix="/")

    return run
