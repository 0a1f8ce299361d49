# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""One request as users of tritonclient write it, and the processes that answer."""

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
