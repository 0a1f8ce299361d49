# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The process of one engine: worker.py ENGINE THREADS.

Reads lines `LAYER SIZE SECONDS`, and answers each with a line of JSON: microseconds of each run and
samples of the outputs, or the reason why it does not run."""

import json
import os
import sys
import time

import numpy as np

LEAST_RUNS = 7


class KilnSession:
    def __init__(self, layer, size, threads):
        import kiln as trt

        class Log(trt.ILogger):
            def __init__(self):
                super().__init__()
                self.texts = []

            def log(self, severity, message):
                if severity <= trt.ILogger.Severity.ERROR:
                    self.texts.append(message)

        log = Log()
        builder = trt.Builder(log)
        arrays = layer.arrays(size)
        if layer.build is None:
            network = builder.create_network(0)
            parser = trt.OnnxParser(network, log)
            assert parser.parse(layer.model(size)), log.texts
        else:
            network = builder.create_network(
                1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED)
            )
            inputs = [
                network.add_input(f"x{i}", getattr(trt, np.dtype(a.dtype).name), a.shape)
                for i, a in enumerate(arrays)
            ]
            made = layer.build(network, inputs, layer.constants(layer.sizes[size]))
            assert made is not None, log.texts
            for i in range(layer.outputs):
                output = made.get_output(i)
                output.name = f"y{i}"
                network.mark_output(output)
        plan = builder.build_serialized_network(network, builder.create_builder_config())
        assert plan is not None, log.texts
        self.runtime = trt.Runtime(log)
        self.engine = self.runtime.deserialize_cuda_engine(plan)
        self.context = self.engine.create_execution_context()
        names = [self.engine.get_tensor_name(i) for i in range(self.engine.num_io_tensors)]
        self.arrays = {f"x{i}": array for i, array in enumerate(arrays)}
        for name in names:
            if name not in self.arrays:
                shape = tuple(self.engine.get_tensor_shape(name))
                assert min(shape, default=0) >= 0, "data-dependent sizes are not compared"
                dtype = trt.nptype(self.engine.get_tensor_dtype(name))
                self.arrays[name] = np.empty(shape, dtype)
            self.context.set_tensor_address(name, self.arrays[name].ctypes.data)
        self.outputs = [self.arrays[f"y{i}"] for i in range(layer.outputs)]
        execute = self.context.execute_async_v3
        assert execute(0), log.texts
        self.run = lambda: execute(0)


class OnnxRuntimeSession:
    def __init__(self, layer, size, threads):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = 4
        session = onnxruntime.InferenceSession(
            layer.model(size), options, providers=["CPUExecutionProvider"]
        )
        binding = session.io_binding()
        for i, array in enumerate(layer.arrays(size)):
            binding.bind_cpu_input(f"x{i}", array)
        names = [output.name for output in session.get_outputs()]
        for name in names:
            binding.bind_output(name)
        session.run_with_iobinding(binding)
        self.outputs = binding.copy_outputs_to_cpu()
        binding.clear_binding_outputs()
        for name, array in zip(names, self.outputs, strict=True):  # memory of its own, as in Kiln
            binding.bind_output(name, "cpu", 0, array.dtype, array.shape, array.ctypes.data)
        self.run = lambda: session.run_with_iobinding(binding)


SESSIONS = {"kiln": KilnSession, "onnxruntime": OnnxRuntimeSession}


def run_for(session, seconds):
    times = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < LEAST_RUNS:
        start = time.perf_counter()
        session.run()
        times.append((time.perf_counter() - start) * 1e6)
    return times


def samples(array):
    """At most 64 elements, spread over the array."""
    flat = np.asarray(array, np.float64).reshape(-1)
    return flat[:: max(1, flat.size // 64)][:64].tolist()


def main():
    engine, threads = sys.argv[1], int(sys.argv[2])
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    os.environ["KILN_TARGET"], os.environ["KILN_NUM_THREADS"] = "cpu", str(threads)
    from layers import LAYERS

    print(json.dumps({"facts": {}}), file=answers, flush=True)
    made, session = None, None
    for line in sys.stdin:
        name, size, seconds = line.split()
        try:
            if made != (name, size):
                made, session = (name, size), None
                session = SESSIONS[engine](LAYERS[name], int(size), threads)
                run_for(session, 0.02)
            answer = {
                "times": run_for(session, float(seconds)),
                "samples": [samples(output) for output in session.outputs],
            }
        except Exception as error:  # the other rows go on
            made, answer = None, {"reason": str(error)[:200]}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
