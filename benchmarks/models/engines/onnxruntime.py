# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime, CPU provider: all graph optimizations, sequential, buffers bound once."""

from engines import Unsupported, timed


class Session:
    """One session with bound inputs and outputs."""

    def __init__(self, job):
        if job.dtype != "float" or job.device != "cpu":
            raise Unsupported(f"not measured in {job.dtype} on {job.device}")
        try:
            import onnxruntime as ort
        except ImportError as error:
            raise Unsupported(str(error)) from error
        optimized = job.path.with_suffix(".optimized.onnx")
        options = ort.SessionOptions()
        options.intra_op_num_threads = job.threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
        options.optimized_model_filepath = str(optimized)
        providers = ["CPUExecutionProvider"]
        _, build = timed(lambda: ort.InferenceSession(str(job.path), options, providers))
        options.optimized_model_filepath = ""
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        _, reopen = timed(lambda: ort.InferenceSession(str(optimized), options, providers))
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
        session = ort.InferenceSession(str(job.path), options, providers)
        self.facts = {"build": build, "open": reopen}
        self._binding = session.io_binding()
        self._inputs = {n: v.numpy() for n, v in job.model.data().items()}
        for name, array in self._inputs.items():
            self._binding.bind_cpu_input(name, array)
        for name in job.model.outputs:
            self._binding.bind_output(name, "cpu")
        binding = self._binding
        self.run = lambda: session.run_with_iobinding(binding)

    def outputs(self):
        self.run()
        return self._binding.copy_outputs_to_cpu()
