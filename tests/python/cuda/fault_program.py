# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A process whose GPU faults: fault_program.py impl|aot|enqueue. Prints the log.

The network has two plugins; the second writes to an invalid address. A process cannot use its GPU
after such a fault, so each fault has its own process.
"""

import ctypes
import os
import sys

import kiln
import numpy as np
import tensorrt as trt
import tensorrt.plugin as trtp
from device_memory import DeviceArray, Stream, call
from list_logger import ListLogger
from oplab import Net, define, op_of
from plugin_lab import Creator, Lab

POKE = """
.version 7.0
.target sm_70
.address_size 64
.visible .entry poke(.param .u64 x, .param .u64 y) {
    .reg .u64 %rd<2>;
    .reg .u32 %r<2>;
    mov.u64 %rd1, 16;
    mov.u32 %r1, 1;
    st.global.u32 [%rd1], %r1;
    ret;
}
"""


def poke(stream):
    """Launches the kernel, as a plugin with cuda-python does."""
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    call("cuModuleLoadData", ctypes.byref(module), ctypes.c_char_p(POKE.encode()))
    call("cuModuleGetFunction", ctypes.byref(function), module, ctypes.c_char_p(b"poke"))
    values = [ctypes.c_uint64(0), ctypes.c_uint64(0)]
    parameters = (ctypes.c_void_p * 2)(*(ctypes.addressof(value) for value in values))
    one = ctypes.c_uint(1)
    none = ctypes.c_uint(0)
    call("cuLaunchKernel", function, one, one, one, one, one, one, none, stream, parameters, None)


def same(x: trtp.TensorDesc) -> trtp.TensorDesc:
    return x.like()


def impl(x: trtp.Tensor, outputs: tuple[trtp.Tensor], stream: int) -> None:
    poke(stream)


def aot_impl(
    x: trtp.TensorDesc, outputs: tuple[trtp.TensorDesc]
) -> tuple[str, str, trtp.KernelLaunchParams, trtp.SymExprs]:
    return "poke", POKE, trtp.KernelLaunchParams(), trtp.SymIntExprs(0)


def enqueue(plugin, input_desc, output_desc, inputs, outputs, workspace, stream):
    poke(stream)


def main(style):
    kiln.set_default_target("cuda")
    logger = ListLogger()
    net = Net(logger)
    harmless = define(same, lambda x, outputs, stream: None, plugin_id="lab::harmless")
    tensor = net.add(op_of(harmless)(net.input("x", (4,))))[0]
    if style == "enqueue":
        plugin = Lab(enqueue=enqueue)
        trt.get_plugin_registry().register_creator(Creator(plugin), "")
        layer = net.network.add_plugin_v3([tensor], [], plugin)
    else:
        functions = {"impl": impl} if style == "impl" else {"aot_impl": aot_impl}
        bad = define(same, plugin_id="lab::pokes", **functions)
        layer = net.network.add_plugin(op_of(bad)(tensor), aot=style == "aot")
    layer.name = "bad"
    net.output(layer.get_output(0), "y")
    context = net.engine().context
    x, y = DeviceArray(np.zeros(4, np.float32)), DeviceArray((4,), np.float32)
    context.set_tensor_address("x", x.ptr)
    context.set_tensor_address("y", y.ptr)
    stream = Stream()
    results = [context.execute_async_v3(stream.handle)]
    try:
        stream.synchronize()
    except RuntimeError as problem:
        print("synchronize:", problem)
    results.append(context.execute_async_v3(stream.handle))
    print("results:", *results)
    print(logger.errors())
    sys.stdout.flush()
    os._exit(0)  # the GPU is lost: nothing can be freed


if __name__ == "__main__":
    main(sys.argv[1])
