# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""torch.compile: frozen weights, channels-last images; on a GPU, max-autotune with CUDA graphs."""

import os

from engines import timed


class Session:
    """One compiled module, called without gradients."""

    def __init__(self, job):
        os.environ["TORCHINDUCTOR_FREEZING"] = "1"
        os.environ["OMP_NUM_THREADS"] = str(job.threads)
        import torch

        torch.set_num_threads(job.threads)
        dtypes = {"float": torch.float32, "half": torch.float16, "bfloat16": torch.bfloat16}
        dtype = dtypes[job.dtype]
        module = job.model.module().to(job.device, dtype)
        data = [v.to(job.device) for v in job.model.data().values()]
        data = [v.to(dtype) if v.is_floating_point() else v for v in data]
        if job.model.images:
            module = module.to(memory_format=torch.channels_last)
            data = [v.to(memory_format=torch.channels_last) for v in data]
        mode = "max-autotune" if job.device == "cuda" else None
        compiled = torch.compile(module, mode=mode)

        def call():
            with torch.inference_mode():
                self._result = compiled(*data)
            if job.device == "cuda":
                torch.cuda.synchronize()

        _, build = timed(call)
        call()
        self.facts = {"build": build}
        self.run = call

    def outputs(self):
        self.run()
        result = self._result if isinstance(self._result, tuple) else (self._result,)
        return [v.float().cpu().numpy() for v in result]
