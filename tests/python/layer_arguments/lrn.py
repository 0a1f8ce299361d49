# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of LRN layers: see accepted_arguments.py."""

from accepted_bench import attribute


def lrn(bench):
    return bench.network.add_lrn(bench.x, 3, 1.0, 1.0, 1.0)


ARGUMENTS = {
    "integer": {"ILRNLayer.window_size": attribute(lrn, "window_size")},
    "real": {f"ILRNLayer.{name}": attribute(lrn, name) for name in ("alpha", "beta", "k")},
}
