# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""What the engine adds to decorated plugins: just in time, and ahead of time on the cpu target.

Just in time, it compares with a direct call of the function and with torch.library.custom_op; ahead
of time, with a C loop that calls the same kernel.
"""

import ctypes
import tempfile
from pathlib import Path

import kiln.aot
import numpy as np
import tensorrt.plugin as trtp
from dispatch import CHAIN, REPEATS, Session, call_custom_op, in_turns, report

WORK = (1024, 1024)


@trtp.register("bench::empty")
def empty_desc(x: trtp.TensorDesc) -> trtp.TensorDesc:
    return x.like()


@trtp.impl("bench::empty")
def empty(x: trtp.Tensor, outputs: tuple[trtp.Tensor], stream: int) -> None:
    pass


SOURCE = """
#include <kiln/host_kernel.h>

int32_t nothing(void const* const* inputs, void* const* outputs, KilnScalar const* scalars,
                KilnHostCall const* call) {
    return 0;
}

int32_t twice(void const* const* inputs, void* const* outputs, KilnScalar const* scalars,
              KilnHostCall const* call) {
    float const* const x = inputs[0];
    float* const y = outputs[0];
    for (int64_t i = 0; i < scalars[0].integer; ++i) {
        y[i] = 2 * x[i];
    }
    return 0;
}

void repeat(KilnHostKernel volatile kernel, void const* const* inputs, void* const* outputs,
            KilnScalar const* scalars, int64_t times) {
    for (int64_t i = 0; i < times; ++i) {
        kernel(inputs, outputs, scalars, 0);
    }
}
"""


@trtp.register("bench::compiled")
def compiled_desc(x: trtp.TensorDesc, entry: str) -> trtp.TensorDesc:
    return x.like()


@trtp.aot_impl("bench::compiled")
def compiled(
    x: trtp.TensorDesc, entry: str, outputs: tuple[trtp.TensorDesc]
) -> tuple[str, bytes, trtp.KernelLaunchParams, trtp.SymExprs]:
    count = trtp.SymInt32(x.shape_expr.numel())
    extra = trtp.SymIntExprs.from_tuple([count])
    return entry, kiln.aot.compile_c(SOURCE), trtp.KernelLaunchParams(), extra


def call_directly(repeats):
    """Calls the function with arguments of the same types, without an engine."""
    x, outputs = trtp.Tensor(), (trtp.Tensor(),)
    for _ in range(repeats):
        empty(x, outputs, 0)


def just_in_time():
    chain = Session(CHAIN, lambda network, x: network.add_plugin(trtp.op.bench.empty(x)))
    in_chain, direct = in_turns(
        lambda: chain.run(REPEATS // 10), lambda: call_directly(REPEATS // 10 * CHAIN)
    )
    per_plugin = in_chain / (REPEATS // 10 * CHAIN)
    direct /= REPEATS // 10 * CHAIN
    print(
        f"decorated plugin in a chain of {CHAIN}: {per_plugin:.0f} ns a plugin; "
        f"called directly: {direct:.0f} ns; ratio {per_plugin / direct:.2f}"
    )
    report("  added cost per decorated plugin", per_plugin - direct, 1000)
    torch_cost = call_custom_op()
    if torch_cost is None:
        print("  torch.library.custom_op: torch is not installed (pip install torch==2.13.0)")
    else:
        added = max(per_plugin - direct, 1.0)
        print(
            f"  torch.library.custom_op adds {torch_cost:.0f} ns: "
            f"{torch_cost / added:.0f} times as much"
        )


def load_kernels():
    """Loads the library that the plans contain, for calls without an engine."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernels.so"
        path.write_bytes(kiln.aot.compile_c(SOURCE))
        return ctypes.CDLL(str(path))


def bare_calls(library, entry, session):
    """Returns a function that calls a kernel a number of times in C."""
    count = ctypes.c_int64(session.x.size)
    x, y = ctypes.c_void_p(session.x.ctypes.data), ctypes.c_void_p(session.y.ctypes.data)

    def run(times):
        kernel = ctypes.cast(getattr(library, entry), ctypes.c_void_p)
        library.repeat(
            kernel, ctypes.byref(x), ctypes.byref(y), ctypes.byref(count), ctypes.c_int64(times)
        )

    return run


def in_engine(length, entry, shape):
    return Session(
        length,
        lambda network, x: network.add_plugin(trtp.op.bench.compiled(x, entry=entry), aot=True),
        shape,
    )


def ahead_of_time():
    library = load_kernels()
    length, calls = 200, 1000
    chain = in_engine(length, "nothing", (4, 8))
    bare = bare_calls(library, "nothing", chain)
    with_engine, without = in_turns(lambda: chain.run(calls), lambda: bare(calls * length))
    with_engine, without = with_engine / (calls * length), without / (calls * length)
    print(
        f"compiled plugin in a chain of {length}: {with_engine:.2f} ns a plugin; "
        f"called directly: {without:.2f} ns"
    )
    report("  added cost per compiled plugin", with_engine - without, 50)

    single = in_engine(1, "twice", WORK)
    single.x[...] = np.arange(single.x.size).reshape(WORK)
    single.run(1)
    np.testing.assert_array_equal(single.y, 2 * single.x)
    bare = bare_calls(library, "twice", single)
    with_engine, without = in_turns(lambda: single.run(20), lambda: bare(20))
    print(
        f"compiled plugin that reads and writes {single.x.nbytes >> 20} MiB: "
        f"{with_engine / 20e3:.0f} us; called directly: {without / 20e3:.0f} us"
    )
    report("  time in an engine over time called directly", with_engine / without, 1.02, "x", 3)


if __name__ == "__main__":
    just_in_time()
    ahead_of_time()
