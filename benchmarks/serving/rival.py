# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Requests in a second, and their times, of Kiln and ONNX Runtime in the same deployment class.

Also the processor time of the replica for each request, which other programs change less.

python benchmarks/serving/rival.py [--models digits resnet50] [--rounds 5] [--seconds 2]
"""

import argparse
import statistics

import numpy as np
from client import Client, grpc_target, http_target, medians
from cluster import processor_seconds, replica_pids, running
from subjects import EXPORTED, SUBJECTS, prepared

RIVALS = ("kiln", "onnxruntime")


def deploy(server, name, arguments):
    """Both applications of a model."""
    import rival_deployment
    from kiln.serve.application import build
    from kiln.serve.config import ModelConfig, ServeConfig

    onnx, plan = prepared(name)
    config = ServeConfig((ModelConfig(str(plan), name),), num_cpus=arguments.cpus)
    server.deploy("kiln", build(config))
    server.deploy("onnxruntime", rival_deployment.bind(config, onnx))


def compare(server, client, name, arguments):
    """Prints one block: a row for each protocol and number of connections."""
    subject = SUBJECTS[name]
    pids = {rival: next(iter(replica_pids(rival).values())) for rival in RIVALS}
    values = np.random.default_rng(0).random((1, *subject.row), np.float32)
    targets = {
        "http": {r: http_target(server.url(r), name, subject.input, values) for r in RIVALS},
        "grpc": {r: grpc_target(server.grpc, r, name, subject.input, values) for r in RIVALS},
    }
    for protocol in arguments.protocols:
        for connections in arguments.connections:
            results = {rival: [] for rival in RIVALS}
            spent = {rival: [] for rival in RIVALS}
            for turn in range(arguments.rounds + 1):
                for rival in RIVALS:
                    target = targets[protocol][rival]
                    begin = processor_seconds(pids[rival])
                    result = client.measure(target, arguments.seconds, connections)
                    seconds = processor_seconds(pids[rival]) - begin
                    if result.failed:
                        raise SystemExit(f"{rival}: {result.failed} requests failed")
                    if turn:  # the first round warms up
                        results[rival].append(result)
                        spent[rival].append(1e6 * seconds / len(result.times))
            found = {r: (*medians(results[r]), statistics.median(spent[r])) for r in RIVALS}
            show(name, protocol, connections, found)


def show(name, protocol, connections, found):
    rows = "".join(
        f"{rate:9.0f}{p50:8.2f}{p99:8.2f}{us:8.0f}" for rate, p50, p99, us in found.values()
    )
    ratio = found["kiln"][0] / found["onnxruntime"][0]
    print(f"{name:10}{protocol:6}{connections:4}{rows}{ratio:8.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", nargs="+", choices=EXPORTED, default=EXPORTED)
    parser.add_argument(
        "--protocols", nargs="+", choices=("http", "grpc"), default=["http", "grpc"]
    )
    parser.add_argument("--connections", nargs="+", type=int, default=[1, 16])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--cpus", type=float, default=1.0, help="threads of a run")
    parser.add_argument("--proxy", choices=("ray", "haproxy"), default="ray")
    arguments = parser.parse_args()
    with running(proxy=arguments.proxy) as server:
        client = Client()
        print(f"{'':20}{'Kiln: 1/s':>9}{'p50 ms':>8}{'p99 ms':>8}{'CPU us':>8}", end="")
        print(f"{'ORT: 1/s':>9}{'p50 ms':>8}{'p99 ms':>8}{'CPU us':>8}{'ratio':>8}")
        for name in arguments.models:
            deploy(server, name, arguments)
            compare(server, client, name, arguments)
        client.close()


if __name__ == "__main__":
    main()
