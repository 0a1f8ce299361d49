# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""host.py FRAMEWORK: prints the host time of one small padding in microseconds, as JSON.

Values: the launch without an engine, the same through a C function, the engine, and what the engine
adds. Imports only this framework and Torch.
"""

import contextlib
import ctypes
import json
import sys
from functools import partial

import torch
from case import SMALL, Case
from frameworks import cupy_stream
from timing import added, host_us

ROUNDS = 41
# The cost of any C library that Python calls and that calls a Python function.
called_from_c = ctypes.pythonapi.PyObject_CallNoArgs
called_from_c.restype = ctypes.py_object


def main():
    framework = sys.argv[1]
    case = Case(SMALL, "float32")
    raw = case.stream.cuda_stream
    # Puts the stream on CuPy's stack: a `with` in the plugin would drop a stream set by use().
    current = cupy_stream(raw) if framework == "CuPy" else contextlib.nullcontext()
    with torch.cuda.stream(case.stream), current:
        bare, engine = case.contexts(framework)
        by_c = partial(called_from_c, ctypes.py_object(bare))
        times = added((bare, by_c, engine), partial(host_us, stream=case.stream), ROUNDS)
    print(json.dumps(times))


if __name__ == "__main__":
    main()
