# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows in a second through a deployment under load, over the engine's own at its best batch.

python benchmarks/serving/deployed.py [--models resnet50] [--rows 1 8 64] [--rounds 5] [--seconds 4]

The engine alone and the clients take turns; both have one thread.
"""

import argparse
import statistics

import numpy as np
from client import Client, grpc_target, http_target
from cluster import running
from engine_time import EngineTime
from subjects import EXPORTED, SUBJECTS, prepared


def compare(server, client, name, rows, arguments):
    """Prints a row for each protocol."""
    from kiln.serve.application import build

    subject = SUBJECTS[name]
    plan = prepared(name)[1]
    best = max(most for _, _, most in subject.profiles)
    if rows > best:
        return
    server.deploy("kiln", build({"plan": str(plan), "name": name}))
    values = np.random.default_rng(0).random((rows, *subject.row), np.float32)
    engine = EngineTime(plan, best)
    for protocol in arguments.protocols:
        target = (
            http_target(server.url("kiln"), name, subject.input, values)
            if protocol == "http"
            else grpc_target(server.grpc, "kiln", name, subject.input, values)
        )
        own, served, shares = [], [], []
        for turn in range(arguments.rounds + 1):
            times = engine.measure(arguments.seconds / 2)
            result = client.measure(target, arguments.seconds, arguments.connections)
            times += engine.measure(arguments.seconds / 2)
            if result.failed:
                raise SystemExit(f"{result.failed} requests failed")
            if turn:  # the first round warms up
                own.append(best * 1e3 / statistics.mean(times))
                served.append(result.rate * rows)
                shares.append(served[-1] / own[-1])
        print(
            f"{name:10}{protocol:6}{rows:5}{statistics.median(own):12.0f}"
            f"{statistics.median(served):12.0f}{100 * statistics.median(shares):9.0f} %",
            flush=True,
        )
    engine.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", nargs="+", choices=EXPORTED, default=EXPORTED)
    parser.add_argument("--protocols", nargs="+", choices=("http", "grpc"), default=["grpc"])
    parser.add_argument("--rows", nargs="+", type=int, default=[1, 8, 64], help="of each request")
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4.0)
    arguments = parser.parse_args()
    with running() as server:
        client = Client()
        print(f"{'':16}{'rows':>5}{'engine 1/s':>12}{'served 1/s':>12}{'share':>11}")
        for name in arguments.models:
            for rows in arguments.rows:
                compare(server, client, name, rows, arguments)
        client.close()


if __name__ == "__main__":
    main()
