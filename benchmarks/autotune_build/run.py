# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Build time of the circular padding engine with and without autotune, and without a plugin.

The functions are those of examples/decorated/circ_pad.py. autotune offers two types and two
tactics, so a build times the impl (or compiles C) for each tactic of the input's type. One run
alternates between all kinds of build and prints medians.
"""

import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "decorated"))

import circ_pad
import tensorrt as trt
import tensorrt.plugin as trtp

ROUNDS = 15
LOGGER = trt.Logger(trt.Logger.WARNING)

for plugin_id, is_tuned in (("bench::plain", False), ("bench::tuned", True)):
    trtp.register(plugin_id)(circ_pad.circ_pad_desc)
    trtp.impl(plugin_id)(circ_pad.circ_pad)
    trtp.aot_impl(plugin_id)(circ_pad.circ_pad_kernel)
    if is_tuned:
        trtp.autotune(plugin_id)(circ_pad.circ_pad_choices)


def build_ms(add, cache=None):
    """Builds x [64, 64, 64] -> y; returns the milliseconds of the build and the timing cache."""
    builder = trt.Builder(LOGGER)
    network = builder.create_network(0)
    layer = add(network, network.add_input("x", trt.float32, (64, 64, 64)))
    network.mark_output(layer.get_output(0))
    config = builder.create_builder_config()
    config.set_timing_cache(config.create_timing_cache(cache or b""), False)
    start = time.perf_counter()
    plan = builder.build_serialized_network(network, config)
    elapsed = time.perf_counter() - start
    assert plan is not None
    return 1e3 * elapsed, bytes(config.get_timing_cache().serialize())


def with_plugin(op, aot):
    return lambda network, x: network.add_plugin(op(x, pads=circ_pad.PADS), aot=aot)


def main():
    plain, tuned = trtp.op.bench.plain, trtp.op.bench.tuned
    _, cache = build_ms(with_plugin(tuned, False))
    builds = {
        "one layer of Kiln's own": lambda: build_ms(lambda network, x: network.add_identity(x)),
        "just in time": lambda: build_ms(with_plugin(plain, False)),
        "just in time, autotune": lambda: build_ms(with_plugin(tuned, False)),
        "just in time, autotune, timing cache": lambda: build_ms(with_plugin(tuned, False), cache),
        "ahead of time, C": lambda: build_ms(with_plugin(plain, True)),
        "ahead of time, C, autotune": lambda: build_ms(with_plugin(tuned, True)),
    }
    times = {name: [] for name in builds}
    for _ in range(ROUNDS):
        for name, build in builds.items():
            times[name].append(build()[0])
    medians = {name: statistics.median(column) for name, column in times.items()}
    base = medians["just in time"]
    for name, value in medians.items():
        print(f"build, {name:<40} {value:9.2f} ms   {value / base:6.2f} x of just in time")


if __name__ == "__main__":
    main()
