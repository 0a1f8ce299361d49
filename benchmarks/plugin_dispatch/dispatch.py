# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""What the engine adds to a Python plugin, compared with a direct call and a torch custom op.

Usage: dispatch.py LIBRARY, the plugin library built from empty_plugin.cpp; run.py passes its path.

Both sides of a ratio are measured in turns in one run; medians are printed. torch is optional:
`pip install torch==2.13.0` (a CPU build suffices).
"""

import itertools
import statistics
import subprocess
import sys
import time
import tracemalloc

import numpy as np
import tensorrt as trt

CHAIN = 50
ROUNDS = 31
REPEATS = 2000


class EmptyPlugin(
    trt.IPluginV3, trt.IPluginV3OneCore, trt.IPluginV3OneBuild, trt.IPluginV3OneRuntime
):
    """A plugin whose enqueue does nothing, so that a call costs only its overhead."""

    def __init__(self):
        trt.IPluginV3.__init__(self)
        trt.IPluginV3OneCore.__init__(self)
        trt.IPluginV3OneBuild.__init__(self)
        trt.IPluginV3OneRuntime.__init__(self)
        self.num_outputs = 1
        self.plugin_namespace = ""
        self.plugin_name = "EmptyPython"
        self.plugin_version = "1"

    def get_capability_interface(self, type):
        return self

    def get_output_data_types(self, input_types):
        return [input_types[0]]

    def get_output_shapes(self, inputs, shape_inputs, expr_builder):
        return [trt.DimsExprs(inputs[0])]

    def get_fields_to_serialize(self):
        return trt.PluginFieldCollection([])

    def configure_plugin(self, inputs, outputs):
        pass

    def on_shape_change(self, inputs, outputs):
        pass

    def supports_format_combination(self, pos, in_out, num_inputs):
        return in_out[pos].desc.type == trt.float32

    def attach_to_context(self, context):
        return self.clone()

    def set_tactic(self, tactic):
        pass

    def enqueue(self, input_desc, output_desc, inputs, outputs, workspace, stream):
        pass

    def clone(self):
        return EmptyPlugin()


class EmptyCreator(trt.IPluginCreatorV3One):
    def __init__(self):
        trt.IPluginCreatorV3One.__init__(self)
        self.name = "EmptyPython"
        self.plugin_namespace = ""
        self.plugin_version = "1"
        self.field_names = trt.PluginFieldCollection([])

    def create_plugin(self, name, field_collection, phase):
        return EmptyPlugin()


LOGGER = trt.Logger(trt.Logger.WARNING)


def add_empty(network, tensor):
    return network.add_plugin_v3([tensor], [], EmptyPlugin())


class Session:
    """An engine of a chain of plugins, ready to run. `add` adds one plugin after a tensor."""

    def __init__(self, length, add=add_empty, shape=(4, 8)):
        builder = trt.Builder(LOGGER)
        network = builder.create_network()
        tensor = network.add_input("x", trt.float32, shape)
        for _ in range(length):
            tensor = add(network, tensor).get_output(0)
        tensor.name = "y"
        network.mark_output(tensor)
        plan = builder.build_serialized_network(network, builder.create_builder_config())
        self.runtime = trt.Runtime(LOGGER)
        self.runtime.engine_host_code_allowed = True
        self.engine = self.runtime.deserialize_cuda_engine(plan)
        self.context = self.engine.create_execution_context()
        self.x, self.y = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        self.context.set_tensor_address("x", self.x.ctypes.data)
        self.context.set_tensor_address("y", self.y.ctypes.data)
        assert self.context.execute_async_v3(0)

    def run(self, repeats):
        execute = self.context.execute_async_v3
        for _ in itertools.repeat(None, repeats):
            execute(0)


def nanoseconds(work):
    start = time.perf_counter_ns()
    work()
    return time.perf_counter_ns() - start


def in_turns(*works):
    """Median nanoseconds of each work, measured in turns."""
    times = [[nanoseconds(work) for work in works] for _ in range(ROUNDS)]
    return [statistics.median(column) for column in zip(*times, strict=True)]


def report(what, value, limit, unit="ns", digits=1):
    verdict = "met" if value <= limit else "MISSED"
    print(f"{what:<58} {value:10.{digits}f} {unit}   target <= {limit} {unit}  {verdict}")


def call_directly(repeats):
    """Calls the function with arguments of the same types, without an engine."""
    enqueue = EmptyPlugin().enqueue
    descs, inputs, outputs = [trt.PluginTensorDesc()], [1 << 40], [1 << 41]
    for _ in itertools.repeat(None, repeats):
        enqueue(descs, descs, inputs, outputs, 0, 0)


def call_custom_op():
    """Nanoseconds that an empty torch.library.custom_op adds per call; None without torch."""
    try:
        import torch
    except ImportError:
        return None

    def body(x: torch.Tensor, y: torch.Tensor) -> None:
        pass

    op = torch.library.custom_op("kiln_benchmark::empty", body, mutates_args=("y",))
    x, y = torch.zeros(4, 8), torch.zeros(4, 8)

    def loop(function):
        for _ in itertools.repeat(None, REPEATS):
            function(x, y)

    loop(op)
    with_op, direct = in_turns(lambda: loop(op), lambda: loop(body))
    return (with_op - direct) / REPEATS


def add_cpp(network, tensor):
    creator = trt.get_plugin_registry().get_creator("Empty", "1", "")
    fields = trt.PluginFieldCollection([])
    plugin = creator.create_plugin("empty", fields, trt.TensorRTPhase.BUILD)
    return network.add_plugin_v3([tensor], [], plugin)


def python_plugin():
    chain, single, cpp = Session(CHAIN), Session(1), Session(1, add_cpp)
    in_chain, alone, with_cpp, direct = in_turns(
        lambda: chain.run(REPEATS // 10),
        lambda: single.run(REPEATS),
        lambda: cpp.run(REPEATS),
        lambda: call_directly(REPEATS),
    )
    per_plugin = in_chain / (REPEATS // 10 * CHAIN)
    direct /= REPEATS
    print(
        f"Python plugin in a chain of {CHAIN}: {per_plugin:.0f} ns a plugin; "
        f"called directly: {direct:.0f} ns; ratio {per_plugin / direct:.2f}"
    )
    report("  added cost per Python plugin", per_plugin - direct, 1000)
    report("execute call from Python, one empty C++ plugin", with_cpp / REPEATS, 1000)
    print(f"execute call from Python, one empty Python plugin: {alone / REPEATS:.0f} ns")
    torch_cost = call_custom_op()
    if torch_cost is None:
        print("  torch.library.custom_op: torch is not installed (pip install torch==2.13.0)")
    else:
        added = max(per_plugin - direct, 1.0)
        print(
            f"  torch.library.custom_op adds {torch_cost:.0f} ns: "
            f"{torch_cost / added:.0f} times as much"
        )


def memory():
    """Python objects created by calls with unchanged shapes: the traced peak must not grow."""
    session = Session(1)
    session.run(100)
    tracemalloc.start()
    session.run(100)
    tracemalloc.reset_peak()
    before, _ = tracemalloc.get_traced_memory()
    session.run(1000)
    after, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    print(
        f"Python memory in 1000 calls: {after - before} bytes kept, "
        f"{peak - before} bytes at the peak"
    )
    blocks = sys.getallocatedblocks()
    session.run(1_000_000)
    print(f"Python blocks kept after a million calls: {sys.getallocatedblocks() - blocks}")


def import_time():
    """Time of `import kiln` in a new process, without numpy's own import."""
    code = (
        "import time, numpy; t = time.perf_counter(); import kiln; print(time.perf_counter() - t)"
    )
    times = [
        float(
            subprocess.run(
                [sys.executable, "-c", code], capture_output=True, text=True, check=True
            ).stdout
        )
        for _ in range(9)
    ]
    report("import kiln, without numpy's own import", statistics.median(times) * 1e3, 60, "ms")


def main():
    registry = trt.get_plugin_registry()
    registry.register_creator(EmptyCreator(), "")
    registry.load_library(sys.argv[1])
    python_plugin()
    memory()
    import_time()


if __name__ == "__main__":
    main()
