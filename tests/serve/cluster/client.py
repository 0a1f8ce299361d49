# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""One request as users of tritonclient write it, the processes that answer, and the GPUs."""

import os
import subprocess

import ray


def ask(module, client, model, x, **options):
    """The output y. module: tritonclient.http or tritonclient.grpc."""
    wanted = module.InferInput("x", list(x.shape), "FP32")
    wanted.set_data_from_numpy(x)
    return client.infer(model, [wanted], **options).as_numpy("y")


def pids():
    """The processes of the replicas."""
    return {
        actor["Pid"]
        for actor in ray._private.state.actors().values()
        if actor["State"] == "ALIVE" and "ServeReplica" in actor["ActorClassName"]
    }


def gpus():
    """How many NVIDIA GPUs Ray may hand out."""
    try:
        listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, timeout=30)
    except OSError:
        return 0
    found = listed.stdout.count("GPU ")
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    return found if visible is None else min(found, len([i for i in visible.split(",") if i]))
