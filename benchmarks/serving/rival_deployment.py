# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The deployment of Kiln with sessions of ONNX Runtime in place of the engine's contexts.

Protocols, queue, batches and threads are those of `kiln.serve`; only the run differs, and that a
lone client has no shortcut. The engine is opened too, for names and shapes, and never runs.
"""

import kiln
import numpy as np
import onnxruntime
from kiln.serve import model as model_module
from kiln.serve.deployment import Served, _http
from kiln.serve.worker import CpuWorker
from ray import serve


class RuntimeWorker(CpuWorker):
    """A session with the settings that its documentation gives for latency."""

    def __init__(self, opened, path):
        super().__init__(opened)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = kiln.num_threads()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
        self._session = onnxruntime.InferenceSession(
            path, options, providers=["CPUExecutionProvider"]
        )
        self._names = [output.name for output in self._session.get_outputs()]

    def run(self, joined):
        """Joins as CpuWorker does, but needs neither shapes nor addresses of a context."""
        feeds = {}
        for name, shape in joined.shapes.items():
            whole = joined.whole(name)
            if whole is None:
                whole = np.empty(shape, self.inputs[name])
                joined.fill(name, whole)
            feeds[name] = whole
        return dict(zip(self._names, self._session.run(self._names, feeds), strict=True))

    def close(self):
        super().close()
        self._session = None


class ServedByRuntime(Served):
    """path: of the ONNX file."""

    def __init__(self, config, path) -> None:
        model_module._worker = lambda opened, _: RuntimeWorker(opened, path)
        super().__init__(config)


RuntimeDeployment = serve.deployment(name="runtime")(serve.ingress(_http)(ServedByRuntime))


def bind(config, path):
    """The application of a configuration, answered by ONNX Runtime."""
    from kiln.serve.config import to_dict
    from kiln.serve.deployment import options_of

    options = {**options_of(config), "name": "runtime"}
    return RuntimeDeployment.options(**options).bind(to_dict(config, False), str(path))
