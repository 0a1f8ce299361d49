# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A closed-loop client in a process of its own.

Each connection sends its next request when it has the answer to the one before. The messages are
made once and answers are not decoded, so that the client takes little of the processors that it
shares with the server. `Client` is the handle; the process reads jobs as lines of JSON.
"""

import asyncio
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
        job = {**target, "seconds": seconds, "connections": connections}
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            sys.exit("the client failed; its error is above")
        return Result(**json.loads(line))

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


async def over_http(job, loop):
    import aiohttp

    headers = {**job["headers"], "Content-Type": "application/octet-stream"}
    body = bytes.fromhex(job["body"])
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def ask():
            async with session.post(job["url"], data=body, headers=headers) as answer:
                await answer.read()
                return answer.status == 200

        return await loop(ask)


async def over_grpc(job, loop):
    import grpc

    body, metadata = bytes.fromhex(job["body"]), tuple(job["headers"].items())
    async with grpc.aio.insecure_channel(job["address"]) as channel:
        method = channel.unary_unary(GRPC_METHOD)

        async def ask():
            try:
                return bool(await method(body, metadata=metadata))
            except grpc.RpcError:
                return False

        return await loop(ask)


async def run(job):
    """Asks on all connections until the time is over."""

    async def loop(ask):
        await ask()  # the connection
        times, failed = [], 0
        begin = time.perf_counter()

        async def connection():
            nonlocal failed
            while (start := time.perf_counter()) < begin + job["seconds"]:
                if await ask():
                    times.append((time.perf_counter() - start) * 1e3)
                else:
                    failed += 1

        await asyncio.gather(*(connection() for _ in range(job["connections"])))
        return {"times": times, "elapsed": time.perf_counter() - begin, "failed": failed}

    return await (over_http if "url" in job else over_grpc)(job, loop)


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(asyncio.run(run(json.loads(line)))), flush=True)
