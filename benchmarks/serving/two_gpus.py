# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Requests in a second of two replicas on two GPUs, over those of one.

python benchmarks/serving/two_gpus.py [--model resnet50] [--rounds 5] [--seconds 3]
"""

import argparse
import os

import numpy as np
from client import Client, grpc_target, medians
from cluster import replica_pids, running
from subjects import FOLDER, SUBJECTS, prepared


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", choices=SUBJECTS, default="resnet50")
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3.0)
    arguments = parser.parse_args()
    os.environ["KILN_TARGET"] = "cuda"
    with running() as server:
        import ray
        from kiln.serve.application import build

        gpus = int(ray.cluster_resources().get("GPU", 0))
        if gpus < 2:
            raise SystemExit(f"expected a machine with two GPUs, found {gpus}")
        plan = prepared(arguments.model, FOLDER / "cuda")[1]
        subject = SUBJECTS[arguments.model]
        values = np.random.default_rng(0).random((1, *subject.row), np.float32)
        client = Client()
        results = {1: [], 2: []}
        for turn in range(arguments.rounds + 1):
            for replicas in results:
                fields = {"plan": str(plan), "name": arguments.model, "num_gpus": 1}
                server.deploy("kiln", build({**fields, "replicas": replicas}))
                assert len(replica_pids("kiln")) == replicas
                target = grpc_target(server.grpc, "kiln", arguments.model, subject.input, values)
                result = client.measure(target, arguments.seconds, arguments.connections)
                if result.failed:
                    raise SystemExit(f"{replicas} replicas: {result.failed} requests failed")
                if turn:  # the first round warms up
                    results[replicas].append(result)
        client.close()
    rates = {replicas: medians(found) for replicas, found in results.items()}
    for replicas, (rate, p50, p99) in rates.items():
        print(f"{replicas} GPU: {rate:9.0f} 1/s, p50 {p50:.2f} ms, p99 {p99:.2f} ms")
    print(f"ratio {rates[2][0] / rates[1][0]:.2f}")


if __name__ == "__main__":
    main()
