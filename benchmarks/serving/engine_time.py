# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The engine's own time: one run after the other, in a process of its own, without a server."""

import json
import os
import signal
import subprocess
import sys
import time


class EngineTime:
    """The process; it is stopped except while it measures."""

    def __init__(self, plan, rows=1, threads=1):
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(plan), str(rows), str(threads)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._process.stdout.readline()
        self._process.send_signal(signal.SIGSTOP)

    def measure(self, seconds):
        """Milliseconds of each run."""
        self._process.send_signal(signal.SIGCONT)
        self._process.stdin.write(f"{seconds}\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            sys.exit("the process of the engine failed; its error is above")
        self._process.send_signal(signal.SIGSTOP)
        return sorted(json.loads(line))

    def close(self):
        self._process.kill()
        self._process.wait()


def main():
    plan, rows, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    import kiln
    import numpy as np

    kiln.set_num_threads(threads)
    engine = kiln.open_engine(kiln.Runtime(kiln.Logger(kiln.Logger.ERROR)), plan)
    context = engine.create_execution_context()
    names = [engine.get_tensor_name(i) for i in range(engine.num_io_tensors)]
    for profile in range(engine.num_optimization_profiles):
        low, _, high = engine.get_tensor_profile_shape(names[0], profile)
        if low[0] <= rows <= high[0]:
            context.set_optimization_profile_async(profile, 0)
    tensors = {}
    for name in names:
        if engine.get_tensor_mode(name) == kiln.TensorIOMode.INPUT:
            context.set_input_shape(name, (rows, *tuple(engine.get_tensor_shape(name))[1:]))
        tensors[name] = np.zeros(tuple(context.get_tensor_shape(name)), np.float32)
        context.set_tensor_address(name, tensors[name].ctypes.data)

    def measured(seconds):
        times = []
        end = time.perf_counter() + seconds
        while (start := time.perf_counter()) < end:
            assert context.execute_async_v3(0)
            times.append((time.perf_counter() - start) * 1e3)
        return times

    measured(0.2)
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(measured(float(line))), file=answers, flush=True)


if __name__ == "__main__":
    main()
