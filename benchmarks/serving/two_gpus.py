# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows in a second of two replicas on two GPUs, over those of one; says which GPUs they use.

python benchmarks/serving/two_gpus.py [--model deep] [--rows 64] [--rounds 3] [--seconds 3]
"""

import argparse
import os
import subprocess
import threading
import time

import numpy as np
from client import Client, grpc_target, medians
from cluster import replica_pids, running
from subjects import FOLDER, SUBJECTS, prepared


def smi(*query):
    """Lines of nvidia-smi as lists of words."""
    command = ["nvidia-smi", *query, "--format=csv,noheader,nounits"]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [[word.strip() for word in line.split(",")] for line in lines.splitlines()]


def gpus_of(pids):
    """The GPUs on which these processes have memory, as nvidia-smi sees it."""
    numbers = dict(smi("--query-gpu=uuid,index"))
    return {
        int(pid): numbers[uuid]
        for pid, uuid in smi("--query-compute-apps=pid,gpu_uuid")
        if int(pid) in pids
    }


class Busy(threading.Thread):
    """Looks at each GPU's utilization until it is told to stop."""

    def __init__(self):
        super().__init__(daemon=True)
        self.stopped, self.most = threading.Event(), {}
        self.start()

    def run(self):
        while not self.stopped.wait(0.3):
            for index, share in smi("--query-gpu=index,utilization.gpu"):
                self.most[index] = max(self.most.get(index, 0), int(share))

    def stop(self):
        """The highest utilization of each GPU, in percent."""
        self.stopped.set()
        self.join()
        return self.most


def wait_for(replicas, timeout=60):
    """The processes of the replicas, once there are so many: others may still be ending."""
    end = time.monotonic() + timeout
    while len(found := set(replica_pids("kiln").values())) != replicas:
        if time.monotonic() > end:
            raise SystemExit(f"expected {replicas} replicas, found {len(found)}")
        time.sleep(0.2)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", choices=SUBJECTS, default="deep")
    parser.add_argument("--rows", type=int, default=64, help="of each request")
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=3.0)
    arguments = parser.parse_args()
    os.environ["KILN_TARGET"] = "cuda"
    plan = prepared(arguments.model, FOLDER / "cuda")[1]
    with running() as server:
        import ray
        from kiln.serve.application import build

        gpus = int(ray.cluster_resources().get("GPU", 0))
        if gpus < 2:
            raise SystemExit(f"expected a machine with two GPUs, found {gpus}")
        subject = SUBJECTS[arguments.model]
        shape = (arguments.rows, *subject.row)
        values = np.random.default_rng(0).random(shape, np.float32)
        target = grpc_target(server.grpc, "kiln", arguments.model, subject.input, values)
        client = Client()
        results = {1: [], 2: []}
        for turn in range(arguments.rounds + 1):
            for replicas in results:
                fields = {"plan": str(plan), "name": arguments.model, "num_gpus": 1}
                server.deploy("kiln", build({**fields, "replicas": replicas}))
                pids = wait_for(replicas)
                # The first runs of a new replica load code and capture graphs.
                client.measure(target, 1.0, arguments.connections)
                busy = Busy()
                result = client.measure(target, arguments.seconds, arguments.connections)
                if result.failed:
                    raise SystemExit(f"{replicas} replicas: {result.failed} requests failed")
                most = busy.stop()
                if turn:  # the first round warms up
                    results[replicas].append(result)
                else:
                    print(f"{replicas} replicas: process and GPU {gpus_of(pids)}, busy % {most}")
        client.close()
    rates = {replicas: medians(found) for replicas, found in results.items()}
    for replicas, (rate, p50, p99) in rates.items():
        print(
            f"{arguments.model}, {replicas} GPU: {rate * arguments.rows:9.0f} rows/s, "
            f"p50 {p50:.2f} ms, p99 {p99:.2f} ms"
        )
    print(f"ratio {rates[2][0] / rates[1][0]:.2f}")


if __name__ == "__main__":
    main()
