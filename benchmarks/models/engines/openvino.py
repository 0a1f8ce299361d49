# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""OpenVINO, CPU plugin: latency hint, one stream, the precision that the row says.

Without the precision hint, OpenVINO computes float32 models in bfloat16 where the processor can.
"""

import os
import shutil

from engines import Unsupported, timed


class Session:
    """One infer request with inputs set once."""

    def __init__(self, job):
        if job.device != "cpu" or job.dtype == "half":
            raise Unsupported(f"not measured in {job.dtype} on {job.device}")
        os.environ["OPENVINO_LOG_LEVEL"] = "0"
        try:
            import openvino as ov
        except ImportError as error:
            raise Unsupported(str(error)) from error
        settings = {
            "PERFORMANCE_HINT": "LATENCY",
            "NUM_STREAMS": "1",
            "INFERENCE_NUM_THREADS": str(job.threads),
            "INFERENCE_PRECISION_HINT": "f32" if job.dtype == "float" else "bf16",
        }
        core = ov.Core()
        cache = job.path.with_suffix(f".{job.dtype}.openvino")
        shutil.rmtree(cache, ignore_errors=True)
        core.set_property({"CACHE_DIR": str(cache)})

        def compile_model():
            return core.compile_model(str(job.path), "CPU", settings)

        _, build = timed(compile_model)
        compiled, reopen = timed(compile_model)
        self.facts = {"build": build, "open": reopen}
        self._request = compiled.create_infer_request()
        self._inputs = {n: v.numpy() for n, v in job.model.data().items()}
        for name, array in self._inputs.items():
            self._request.set_tensor(name, ov.Tensor(array, shared_memory=True))
        self._names = job.model.outputs
        self.run = self._request.infer

    def outputs(self):
        self.run()
        return [self._request.get_tensor(name).data.astype("float32") for name in self._names]
