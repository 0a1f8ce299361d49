# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of mixtures of experts: see accepted_arguments.py."""

from accepted_bench import attribute, shape_of


def moe(bench):
    return bench.network.add_moe(bench.x, bench.x, bench.x)


REALS = ("swiglu_param_limit", "swiglu_param_alpha", "swiglu_param_beta")
ARGUMENTS = {
    "real": {f"IMoELayer.{name}": attribute(moe, name) for name in REALS},
    "shape": {
        "IMoELayer.quantization_block_shape": shape_of(moe, "quantization_block_shape"),
    },
}
