# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Many requests: none lost, none answered twice or wrongly, and no growth of memory.

python benchmarks/serving/endurance.py [--requests 100000] [--kill-every 5]

The model doubles its input, and request number i sends i: each answer says to which request it
belongs. Refused requests (503) are sent again. With --kill-every a replica is killed (SIGKILL) each
so many seconds.
"""

import argparse
import asyncio
import collections
import json
import os
import signal
import time

import aiohttp
import numpy as np
from cluster import replica_pids, resident_mib, running

APPLICATION = "kiln"
REPORTS = 10


def doubling_plan():
    """y = x + x for [batch, 4] of int32, so that all request numbers are exact."""
    import kiln

    builder = kiln.Builder(kiln.Logger(kiln.Logger.ERROR))
    network = builder.create_network()
    x = network.add_input("x", kiln.int32, (-1, 4))
    y = network.add_elementwise(x, x, kiln.ElementWiseOperation.SUM).get_output(0)
    y.name = "y"
    network.mark_output(y)
    config = builder.create_builder_config()
    profile = builder.create_optimization_profile()
    profile.set_shape("x", (1, 4), (32, 4), (32, 4))
    config.add_optimization_profile(profile)
    return bytes(builder.build_serialized_network(network, config))


class Counts:
    """What came back. answers: how often each request was answered with its own numbers."""

    def __init__(self, requests):
        self.answers = np.zeros(requests, np.int32)
        self.wrong = 0
        self.refused = collections.Counter()
        self.slowest = 0.0

    def lines(self):
        once = int((self.answers == 1).sum())
        return (
            f"{once} of {len(self.answers)} answered once, {int((self.answers > 1).sum())} more "
            f"than once, {int((self.answers == 0).sum())} never, {self.wrong} wrongly; refused "
            f"and sent again: {dict(self.refused) or 'none'}; the slowest took {self.slowest:.1f} s"
        )


async def ask(session, url, number, counts):
    """Sends one request until it is answered."""
    values = np.full((1, 4), number, np.int32)
    tensor = {"name": "x", "shape": [1, 4], "datatype": "INT32"}
    tensor["parameters"] = {"binary_data_size": values.nbytes}
    message = {
        "id": str(number),
        "inputs": [tensor],
        "outputs": [{"name": "y", "parameters": {"binary_data": True}}],
    }
    head = json.dumps(message).encode()
    headers = {"Inference-Header-Content-Length": str(len(head))}
    start = time.perf_counter()
    while True:
        async with session.post(url, data=head + values.tobytes(), headers=headers) as answer:
            body = await answer.read()
            if answer.status == 200:
                break
            counts.refused[answer.status] += 1
            if answer.status != 503:
                raise SystemExit(f"request {number}: {answer.status} {body.decode()}")
        await asyncio.sleep(0.1)
    length = int(answer.headers["Inference-Header-Content-Length"])
    numbers = np.frombuffer(body[length:], np.int32)
    if json.loads(body[:length])["id"] == str(number) and (numbers == 2 * number).all():
        counts.answers[number] += 1
    else:
        counts.wrong += 1
    counts.slowest = max(counts.slowest, time.perf_counter() - start)


async def run(url, arguments, counts):
    """All requests on some connections; prints the memory now and then."""
    numbers = iter(range(arguments.requests))
    timeout = aiohttp.ClientTimeout(total=120)
    async with aiohttp.ClientSession(timeout=timeout) as session:

        async def connection():
            for number in numbers:
                await ask(session, url, number, counts)
                if number % max(1, arguments.requests // REPORTS) == 0:
                    report(number)

        killer = asyncio.create_task(kill(arguments.kill_every)) if arguments.kill_every else None
        await asyncio.gather(*(connection() for _ in range(arguments.connections)))
        if killer is not None:
            killer.cancel()
            print(f"{kill.count} replicas were killed")


async def kill(every):
    """Kills one replica after the other."""
    while True:
        await asyncio.sleep(every)
        pids = sorted(replica_pids(APPLICATION).values())
        if len(pids) > 1:  # the others are being replaced
            os.kill(pids[kill.count % len(pids)], signal.SIGKILL)
            kill.count += 1


kill.count = 0


def report(number):
    memory = []
    for pid in replica_pids(APPLICATION).values():
        try:
            memory.append(f"{resident_mib(pid):.1f}")
        except (OSError, ProcessLookupError):  # it was killed in this moment
            continue
    print(f"{number:7} requests: replicas have {', '.join(memory)} MiB", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--replicas", type=int, default=2)
    parser.add_argument("--kill-every", type=float, default=0.0, metavar="SECONDS")
    parser.add_argument("--proxy", choices=("ray", "haproxy"), default="ray")
    arguments = parser.parse_args()
    from kiln.serve.application import build

    counts = Counts(arguments.requests)
    with running(proxy=arguments.proxy) as server:
        model = {"plan": doubling_plan(), "name": "double"}
        server.deploy(APPLICATION, build({**model, "replicas": arguments.replicas}))
        url = f"{server.url(APPLICATION)}/v2/models/double/infer"
        start = time.perf_counter()
        asyncio.run(run(url, arguments, counts))
        seconds = time.perf_counter() - start
        report(arguments.requests)
    print(f"{arguments.requests / seconds:.0f} requests a second; {counts.lines()}")
    if counts.wrong or (counts.answers != 1).any():
        raise SystemExit("requests were lost, repeated or answered wrongly")


if __name__ == "__main__":
    main()
