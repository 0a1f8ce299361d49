# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""What Kiln adds to the latency of Ray Serve's own echo, for one client that waits for each answer.

The client asks the echo and Kiln in turn, one request each.

python benchmarks/serving/latency.py [--models digits resnet50] [--rounds 7] [--seconds 4]

The limit is the echo's time, plus 1.2 (p50) or 1.5 (p99) times the engine's own, plus 0.3 ms.
"""

import argparse
import statistics
import urllib.request

import numpy as np
from client import Client, grpc_target, http_target, medians
from cluster import running
from engine_time import EngineTime
from subjects import EXPORTED, SUBJECTS, prepared

FIXED_MS = 0.3
FACTORS = (1.2, 1.5)  # of p50 and p99


def deploy(server, name, values):
    """The model, and an echo of messages that are as large."""
    from echo import Echo
    from kiln.serve.application import build
    from kiln.serve.protocol.messages import ModelInferResponse

    subject = SUBJECTS[name]
    server.deploy("kiln", build({"plan": str(prepared(name)[1]), "name": name}))
    target = http_target(server.url("kiln"), name, subject.input, values)
    request = urllib.request.Request(
        target["url"], bytes.fromhex(target["body"]), target["headers"]
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        body = answer.read()
    message = ModelInferResponse(model_name=name, model_version="1")
    message.raw_output_contents.append(
        body[int(answer.headers["Inference-Header-Content-Length"]) :]
    )
    server.deploy("echo", Echo.bind(body, message.SerializeToString()))


def compare(server, client, name, arguments):
    """Prints a row for each protocol."""
    subject = SUBJECTS[name]
    values = np.random.default_rng(0).random((1, *subject.row), np.float32)
    deploy(server, name, values)
    engine = EngineTime(prepared(name)[1])
    for protocol in arguments.protocols:
        targets = {
            application: http_target(server.url(application), name, subject.input, values)
            if protocol == "http"
            else grpc_target(server.grpc, application, name, subject.input, values)
            for application in ("echo", "kiln")
        }
        results = {application: [] for application in targets}
        own = []
        for turn in range(arguments.rounds + 1):
            turns = client.measure_in_turns(list(targets.values()), arguments.seconds)
            for application, result in zip(targets, turns, strict=True):
                if result.failed:
                    raise SystemExit(f"{application}: {result.failed} requests failed")
                if turn:  # the first round warms up
                    results[application].append(result)
            times = engine.measure(0.3)
            own.append((times[len(times) // 2], times[int(0.99 * (len(times) - 1))]))
        show(name, protocol, {a: medians(results[a])[1:] for a in targets}, own)
    engine.close()


def show(name, protocol, found, own):
    """The times of both, and the share of the limit that Kiln takes."""
    engine = [statistics.median(values) for values in zip(*own, strict=True)]
    for index, label in enumerate(("p50", "p99")):
        echo, kiln = found["echo"][index], found["kiln"][index]
        limit = echo + FACTORS[index] * engine[index] + FIXED_MS
        print(
            f"{name:10}{protocol:6}{label:5}{echo:9.2f}{engine[index]:9.3f}{kiln:9.2f}"
            f"{kiln - echo - engine[index]:9.2f}{limit:9.2f}{kiln / limit:8.2f}",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", nargs="+", choices=EXPORTED, default=EXPORTED)
    parser.add_argument(
        "--protocols", nargs="+", choices=("http", "grpc"), default=["http", "grpc"]
    )
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--proxy", choices=("ray", "haproxy"), default="ray")
    arguments = parser.parse_args()
    names = ("echo", "engine", "kiln", "added", "limit", "ratio")
    with running(proxy=arguments.proxy) as server:
        client = Client()
        print(f"{'ms':21}" + "".join(f"{n:>9}" for n in names[:-1]) + f"{names[-1]:>8}")
        for name in arguments.models:
            compare(server, client, name, arguments)
        client.close()


if __name__ == "__main__":
    main()
