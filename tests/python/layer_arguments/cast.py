# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of cast layers: see accepted_arguments.py."""

import tensorrt as trt
from accepted_bench import attribute


def cast(bench):
    return bench.network.add_cast(bench.x, trt.float32)


ARGUMENTS = {
    "member": {
        "INetworkDefinition.add_cast.to_type": lambda bench, value: (
            bench.network.add_cast(bench.x, value).to_type
        ),
        "ICastLayer.to_type": attribute(cast, "to_type"),
    },
}
