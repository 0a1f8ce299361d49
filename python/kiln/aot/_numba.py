# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Shared objects for the CPU, made from Numba's C callbacks."""

import importlib
import platform
from typing import Any

from kiln._messages import coded
from kiln.aot._c import link

_SIGNATURE = (
    "int32(CPointer(CPointer(float32)), CPointer(CPointer(float32)), CPointer(int64), voidptr)"
)

# Numba's own wrapper reports exceptions through the Python interpreter and then returns 0. This one
# needs no Python: it returns the status of an exception, which fails the execution.
_ENTRY = """
define i32 @"{name}"(ptr %in, ptr %out, ptr %scalars, ptr %call) {{
  %result = alloca i32
  %exception = alloca ptr
  store i32 0, ptr %result
  %status = call i32 @"{inner}"(
    ptr %result, ptr %exception, ptr %in, ptr %out, ptr %scalars, ptr %call)
  %done = icmp eq i32 %status, 0
  %value = load i32, ptr %result
  %code = select i1 %done, i32 %value, i32 %status
  ret i32 %code
}}
"""


def from_numba(function: Any, *, name: "str | None" = None, cpu: "str | None" = None) -> bytes:
    """Compiles a Numba cfunc to a shared object that needs neither Numba nor Python.

    function: the result of numba.cfunc(signature) with the four arguments of a KilnHostKernel, for
    instance ``int32(CPointer(CPointer(float32)), CPointer(CPointer(float32)), CPointer(int64),
    voidptr)``. An exception in it fails the execution; the kernel returns the exception's status.
    name: of the entry point. Default: the name of the function. cpu: LLVM's name of a CPU, whose
    instructions the machine that runs the plan must have; 'native' for the CPU of this machine.
    Default: the baseline of this architecture.
    Returns the bytes. Raises TypeError for another signature and RuntimeError for a function that
    needs Numba's run-time library or Python.
    """
    llvm = importlib.import_module("llvmlite.binding")  # optional: installed with Numba

    _check_signature(function)
    name = name or function.__name__
    wrapper = function.native_name
    inner = wrapper.removeprefix("cfunc.")
    code = function.inspect_llvm()
    if inner not in code:
        raise coded(
            RuntimeError,
            f"[aot] cfunc '{function.__name__}': expected one that this process compiled, got one "
            "from Numba's cache, which keeps no code that can be compiled again. Say cache=False.",
        )
    module = llvm.parse_assembly(code + _ENTRY.format(name=name, inner=inner))
    for unused in (wrapper, inner):
        module.get_function(unused).linkage = "internal"
    native = cpu == "native"
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name() if native else cpu or _baseline(),
        features=llvm.get_host_cpu_features().flatten() if native else "",
        opt=3,
        reloc="pic",
    )
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return link(machine.emit_object(module))


def _baseline() -> str:
    return "x86-64" if platform.machine() in ("x86_64", "AMD64") else "generic"


def _check_signature(function: Any) -> None:
    signature = getattr(function, "_sig", None)
    if signature is None or not hasattr(function, "inspect_llvm"):
        raise coded(
            TypeError,
            f"[aot] expected what numba.cfunc('{_SIGNATURE}') gives, got "
            f"{type(function).__name__}. Decorate the function with numba.cfunc.",
        )
    pointers = all(str(argument).endswith("*") for argument in signature.args)
    if len(signature.args) != 4 or not pointers or str(signature.return_type) != "int32":
        raise coded(
            TypeError,
            f"[aot] cfunc '{function.__name__}': expected four pointers and int32 as its result, "
            f"as in {_SIGNATURE}, got {signature}. Change the signature.",
        )
