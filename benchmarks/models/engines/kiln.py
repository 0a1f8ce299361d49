# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Kiln: built twice (without and with a timing cache), opened from the file of the plan."""

import math
import os

from engines import Unsupported, timed

DTYPES = {"float": "float32", "half": "float16", "bfloat16": "bfloat16"}


def _logger(trt):
    class Errors(trt.ILogger):
        def __init__(self):
            super().__init__()
            self.texts = []

        def log(self, severity, message):
            if severity <= trt.ILogger.Severity.ERROR:
                self.texts.append(message)

    return Errors()


def late_output(trt, torch, device):
    """Memory for one output whose extents are known after the run; kept from run to run."""

    class Output(trt.IOutputAllocator):
        def __init__(self):
            super().__init__()
            self.memory = torch.empty(64, dtype=torch.uint8, device=device)  # not null

        def reallocate_output_async(self, name, memory, size, alignment, stream):
            if self.memory.numel() < size:
                self.memory = torch.empty(size, dtype=torch.uint8, device=device)
            return self.memory.data_ptr()

        def notify_shape(self, name, shape):
            self.shape = tuple(shape)

        def tensor(self, dtype):
            count = math.prod(self.shape) * dtype.itemsize
            return self.memory[:count].view(dtype).view(self.shape)

    return Output()


def _short(texts):
    """What is missing, from the parser's or the builder's messages."""
    operators = sorted({t.split("(")[1].split(")")[0] for t in texts if "not supported yet" in t})
    return "needs " + ", ".join(operators) if operators else "; ".join(texts[:1])[:300]


class Session:
    """One context with bound addresses; on a GPU, its run as a CUDA graph."""

    def __init__(self, job):
        os.environ["KILN_TARGET"] = job.device
        os.environ["KILN_NUM_THREADS"] = str(job.threads)
        import kiln as trt

        self._job = job
        self._log = _logger(trt)
        plan, build, cache = self._build(trt, None)
        # The second build says what timing costs, and what is left.
        _, rebuild, _ = self._build(trt, cache)
        path = job.path.with_suffix(f".{job.dtype}.plan")
        path.write_bytes(plan)
        self.facts = {"build": build, "rebuild": rebuild, "plan_bytes": len(plan)}
        self._runtime = trt.Runtime(self._log)
        _, self.facts["open"] = timed(lambda: self._open(trt, path))
        self.facts["activation_bytes"] = self._engine.device_memory_size_v2
        self._bind(trt)

    def _build(self, trt, cache):
        builder = trt.Builder(self._log)
        network = builder.create_network(0)
        parser = trt.OnnxParser(network, self._log)
        config = builder.create_builder_config()
        flags = {"half": trt.BuilderFlag.FP16, "bfloat16": trt.BuilderFlag.BF16}
        if self._job.dtype in flags:
            config.set_flag(flags[self._job.dtype])
        config.set_timing_cache(config.create_timing_cache(cache or b""), False)

        def build():
            if not parser.parse_from_file(str(self._job.path)):
                return None
            return builder.build_serialized_network(network, config)

        plan, milliseconds = timed(build)
        if plan is None:
            raise Unsupported(_short(self._log.texts))
        return bytes(plan), milliseconds, bytes(config.get_timing_cache().serialize())

    def _open(self, trt, path):
        self._engine = trt.open_engine(self._runtime, path)
        self._context = self._engine.create_execution_context()

    def _bind(self, trt):
        import torch

        device = self._job.device
        types = {
            trt.float32: torch.float32,
            trt.float16: torch.float16,
            trt.bfloat16: torch.bfloat16,
            trt.int64: torch.int64,
            trt.int32: torch.int32,
            trt.bool: torch.bool,
        }
        data = self._job.model.data()
        self._tensors, self._late = {}, {}
        for i in range(self._engine.num_io_tensors):
            name = self._engine.get_tensor_name(i)
            dtype = types[self._engine.get_tensor_dtype(name)]
            if name in data:
                tensor = data[name].to(dtype).to(device).contiguous()
            else:
                shape = tuple(self._engine.get_tensor_shape(name))
                if -1 in shape:
                    self._late[name] = late_output(trt, torch, device), dtype
                    self._context.set_output_allocator(name, self._late[name][0])
                    continue
                tensor = torch.empty(shape, dtype=dtype, device=device)
            self._tensors[name] = tensor
            self._context.set_tensor_address(name, tensor.data_ptr())
        if device == "cpu":
            execute = self._context.execute_async_v3
            self.run = lambda: execute(0)
        else:
            self.run = self._captured(torch)
        if not self._context.execute_async_v3(0):
            raise Unsupported(_short(self._log.texts))

    def _captured(self, torch):
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            for _ in range(3):
                self._context.execute_async_v3(stream.cuda_stream)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            self._context.execute_async_v3(stream.cuda_stream)

        def run():
            graph.replay()
            torch.cuda.synchronize()

        return run

    def outputs(self):
        self.run()
        late = {name: output.tensor(dtype) for name, (output, dtype) in self._late.items()}
        tensors = {**self._tensors, **late}
        return [tensors[name].float().cpu().numpy() for name in self._job.model.outputs]
