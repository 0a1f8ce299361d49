# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A closed-loop client in a process of its own.

Each connection sends its next request when it has the answer to the one before. The messages are
made once and answers are not decoded, so that the client takes little of the processors that it
shares with the server. `Client` is the handle; the process reads jobs as lines of JSON.
"""

import asyncio
import contextlib
import json
import statistics
import subprocess
import sys
import time

GRPC_METHOD = "/inference.GRPCInferenceService/ModelInfer"


class Client:
    """The process. measure: asks for some seconds, and gives a Result."""

    def __init__(self):
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def measure(self, target, seconds, connections=1):
        """target: of `http_target` or `grpc_target`."""
        job = {"targets": [target], "seconds": seconds, "connections": connections}
        return self._ask(job)[0]

    def measure_in_turns(self, targets, seconds):
        """One request to each target in turn, for some seconds in all: a Result for each.

        Whatever else the machine does then meets all targets alike.
        """
        return self._ask({"targets": targets, "seconds": seconds})

    def _ask(self, job):
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            sys.exit("the client failed; its error is above")
        return [Result(**values) for values in json.loads(line)]

    def close(self):
        self._process.stdin.close()
        self._process.wait()


class Result:
    """times: milliseconds of each answered request. elapsed: seconds. failed: other answers."""

    def __init__(self, times, elapsed, failed):
        self.times, self.elapsed, self.failed = sorted(times), elapsed, failed

    @property
    def rate(self):
        """Answers in a second."""
        return len(self.times) / self.elapsed

    def percentile(self, share):
        """Milliseconds that `share` of the requests do not exceed."""
        return self.times[int(share * (len(self.times) - 1))]


def medians(results):
    """Rate, p50 and p99: the medians over rounds."""
    return tuple(
        statistics.median(values)
        for values in zip(
            *((r.rate, r.percentile(0.5), r.percentile(0.99)) for r in results), strict=True
        )
    )


def http_target(url, model, name, array):
    """A request with a binary tensor. url: of the application."""
    tensor = {"name": name, "shape": array.shape, "datatype": "FP32"}
    tensor["parameters"] = {"binary_data_size": array.nbytes}
    head = json.dumps({"inputs": [tensor], "parameters": {"binary_data_output": True}}).encode()
    return {
        "url": f"{url}/v2/models/{model}/infer",
        "body": (head + array.tobytes()).hex(),
        "headers": {"Inference-Header-Content-Length": str(len(head))},
    }


def grpc_target(address, application, model, name, array):
    """The same request over gRPC. application: in Ray Serve."""
    from kiln.serve.protocol.messages import ModelInferRequest

    message = ModelInferRequest(model_name=model)
    message.inputs.add(name=name, shape=array.shape, datatype="FP32")
    message.raw_input_contents.append(array.tobytes())
    return {
        "address": address,
        "body": message.SerializeToString().hex(),
        "headers": {"application": application},
    }


@contextlib.asynccontextmanager
async def over_http(target):
    """Gives a function that sends one request, and says whether it was answered."""
    import aiohttp

    headers = {**target["headers"], "Content-Type": "application/octet-stream"}
    body = bytes.fromhex(target["body"])
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def ask():
            async with session.post(target["url"], data=body, headers=headers) as answer:
                await answer.read()
                return answer.status == 200

        yield ask


@contextlib.asynccontextmanager
async def over_grpc(target):
    """As over_http."""
    import grpc

    body, metadata = bytes.fromhex(target["body"]), tuple(target["headers"].items())
    async with grpc.aio.insecure_channel(target["address"]) as channel:
        method = channel.unary_unary(GRPC_METHOD)

        async def ask():
            try:
                return bool(await method(body, metadata=metadata))
            except grpc.RpcError:
                return False

        yield ask


async def run(job):
    """Asks on all connections until the time is over; each asks one target after the other."""
    async with contextlib.AsyncExitStack() as stack:
        asks = []
        for target in job["targets"]:
            over = over_http if "url" in target else over_grpc
            asks.append(await stack.enter_async_context(over(target)))
            await asks[-1]()  # the connection
        found = [{"times": [], "failed": 0} for _ in asks]
        begin = time.perf_counter()

        async def connection():
            while time.perf_counter() < begin + job["seconds"]:
                for ask, own in zip(asks, found, strict=True):
                    start = time.perf_counter()
                    if await ask():
                        own["times"].append((time.perf_counter() - start) * 1e3)
                    else:
                        own["failed"] += 1

        await asyncio.gather(*(connection() for _ in range(job.get("connections", 1))))
        elapsed = time.perf_counter() - begin
        return [{**own, "elapsed": elapsed} for own in found]


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(asyncio.run(run(json.loads(line)))), flush=True)
